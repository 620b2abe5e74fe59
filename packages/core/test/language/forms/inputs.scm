; A free name that is not called is an input.
; param a = 2, v = [1 2 3], M = [[1 2] [3 4]], n = int 3
a                           ; => 2          grad a => 1
(* a a)                     ; => 4          grad a => 4
v                           ; => [1 2 3]
M                           ; => [[1 2] [3 4]]
(ref v 1)                   ; => 2          grad v => [0 1 0]
(loop ((i 0) (x a)) (if (= i n) x (recur (+ i 1) (* x a))))   ; => 16  grad a => 32
; An integer input counts, indexes and sizes.
(ref v (- n 1))             ; => 3
(vsum (ones n))             ; => 3
; Inputs that reach the result only through a test, or not at all, are listed.
(if (> a 1) 5 6)            ; => 5  grad a => 0  inactive a
(begin a 7)                 ; => 7  inactive a
(let ((unused (* a a))) (vsum v))   ; => 6  grad v => [1 1 1]  grad a => 0  inactive a
; A missing input is named.
; param none
(+ missing 1)               ; error E-INPUT missing
; Lanes: a number is shared, a row of numbers is one value per lane.
; param a = 1 | 2 | 3, b = 10
(* a b)                     ; => 10 | 20 | 30  grad a => 10 | 10 | 10  grad b => 1 | 2 | 3
