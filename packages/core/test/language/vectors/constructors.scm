; vec and mat; sizes.
(vec 1 2 3)                  ; => [1 2 3]
(mat (vec 1 2) (vec 3 4))    ; => [[1 2] [3 4]]
(vlen (vec 1 2 3))           ; => 3
(rows (mat [1 2 3] [4 5 6])) ; => 2
(cols (mat [1 2 3] [4 5 6])) ; => 3
(eye 2)                      ; => [[1 0] [0 1]]
(zeros 3)                    ; => [0 0 0]
(zeros 2 3)                  ; => [[0 0 0] [0 0 0]]
(ones 2)                     ; => [1 1]
(ones 1 2)                   ; => [[1 1]]
(apply vec (map square '(1 2 3)))   ; => [1 4 9]
; Elements carry gradients.
; param a = 2, b = 3
(vec a b 1)                  ; => [2 3 1]
(dot (vec a b) (vec 10 100)) ; => 320  grad a => 10  grad b => 100
(vsum (mat (vec a b) (vec b a)))    ; => 10  grad a => 2  grad b => 2
(trace (mat (vec a b) (vec 1 (* a b))))   ; => 8  grad a => 4  grad b => 2
