; vsum, norm and normalize; of a matrix they take every element.
; param v = [2 3 6], A = [[2 4] [5 6]]
(vsum v)                    ; => 11   grad v => [1 1 1]
(vsum A)                    ; => 17   grad A => [[1 1] [1 1]]
(norm v)
; => 7  grad v => [0.2857142857142857 0.42857142857142855 0.8571428571428571]
(norm A)
; => 9  grad A => [[0.2222222222222222 0.4444444444444444] [0.5555555555555556 0.6666666666666666]]
(normalize [3 4])           ; => [0.6 0.8]
; param v = [3 4 0]
(ref (normalize v) 0)       ; => 0.6  grad v => [0.128 -0.096 0]
; The norm is flat at the zero vector.
; param v = [0 0]
(norm v)                    ; => 0    grad v => [0 0]
; The zero vector has no direction and stays as it is.
(normalize v)               ; => [0 0]
(vsum (normalize v))        ; => 0    grad v => [0 0]
