; A sequence has the value of its last expression.
(begin 1 2 3)              ; => 3
(begin 'a)                 ; => a
; param a = 3
(begin (+ a 1) (* a 2))    ; => 6  grad a => 2
; At the top level begin may hold definitions.
(begin (define x 2) (define y 3))
(* x y)                    ; => 6
; The program's value is its last expression.
(+ 1 1) (+ 2 2)            ; => 4
