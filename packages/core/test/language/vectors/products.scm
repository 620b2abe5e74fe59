; dot, cross, outer, scale, matvec, matmul.
; param u = [1 2 3], v = [4 5 6], A = [[1 2 3] [4 5 6]], B = [[1 2] [3 4] [5 6]], s = 2
(dot u v)                       ; => 32         grad u => [4 5 6]  grad v => [1 2 3]
(dot u u)                       ; => 14         grad u => [2 4 6]
(cross u v)                     ; => [-3 6 -3]
(vsum (cross u v))              ; => 0          grad u => [-1 2 -1]  grad v => [1 -2 1]
(outer [1 2] u)                 ; => [[1 2 3] [2 4 6]]
(vsum (outer u v))              ; => 90         grad u => [15 15 15]  grad v => [6 6 6]
(scale s u)                     ; => [2 4 6]
(scale s A)                     ; => [[2 4 6] [8 10 12]]
(vsum (scale s u))              ; => 12         grad s => 6  grad u => [2 2 2]
(matvec A u)                    ; => [14 32]
(vsum (matvec A u))             ; => 46         grad A => [[1 2 3] [1 2 3]]  grad u => [5 7 9]
(matmul A B)                    ; => [[22 28] [49 64]]
(trace (matmul A B))
; => 86         grad A => [[1 3 5] [2 4 6]]  grad B => [[1 4] [2 5] [3 6]]
; Shapes must fit.
(dot u [1 2])                   ; error E-SHAPE dot
(cross [1 2] [3 4])             ; error E-SHAPE cross
(matvec A [1 2])                ; error E-SHAPE matvec
(matmul A A)                    ; error E-SHAPE matmul
(mat [1 2] [3])                 ; error E-SHAPE 
