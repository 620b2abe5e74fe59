; vsum, norm and normalize; of a matrix they take every element.
; param v = [1 2 3], A = [[1 2] [3 4]]
(vsum v)                    ; => 6    grad v => [1 1 1]
(vsum A)                    ; => 10   grad A => [[1 1] [1 1]]
(norm v)                    ; => 3.7416573867739413  grad v => [0.2672612419124244 0.5345224838248488 0.8017837257372732]
(norm A)                    ; => 5.477225575051661   grad A => [[0.18257418583505536 0.3651483716701107] [0.5477225575051661 0.7302967433402214]]
(normalize [3 4])           ; => [0.6 0.8]
; param v = [3 4 0]
(ref (normalize v) 0)       ; => 0.6  grad v => [0.128 -0.096 0]
; The norm is flat at the zero vector.
; param v = [0 0]
(norm v)                    ; => 0    grad v => [0 0]
; The zero vector has no direction and stays as it is.
(normalize v)               ; => [0 0]
(vsum (normalize v))        ; => 0    grad v => [0 0]
