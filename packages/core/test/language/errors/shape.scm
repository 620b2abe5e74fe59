; Numbers, vectors and matrices where another shape is needed.
(ref 5 0)                   ; error E-SHAPE ref
(vlen 5)                    ; error E-SHAPE vlen
(dot 1 2)                   ; error E-SHAPE dot
(det [1 2])                 ; error E-SHAPE det
(rows [1 2])                ; error E-SHAPE rows
(mat 1 2)                   ; error E-SHAPE mat
(scale [1 2] 2)             ; error E-SHAPE scale
(vec 1 [2 3])               ; error E-SHAPE vec
(matvec [1 2] [3 4])        ; error E-SHAPE matvec
(< [1 2] 3)                 ; error E-SHAPE <
(if (zero? [0 0]) 1 2)      ; error E-SHAPE zero?
