; A singular matrix gives NaN in its lane, reported.
(inv (mat [1 2] [2 4]))             ; => [[+nan.0 +nan.0] [+nan.0 +nan.0]]  reported
(solve (mat [1 2] [2 4]) [1 1])     ; => [+nan.0 +nan.0]  reported
(cholesky (mat [1 2] [2 1]))        ; => [[+nan.0 0] [+nan.0 +nan.0]]  reported
; Only in its lane.
; param a = 2 | 4
(ref (inv (mat (vec a 2) (vec 2 1))) 0 0)   ; => -0.5 | +nan.0  reported
