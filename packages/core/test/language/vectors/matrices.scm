; transpose, trace, det, logdet, inv, solve, cholesky.
; param A = [[4 2] [2 3]], b = [2 1]
(transpose (mat [1 2 3] [4 5 6]))   ; => [[1 4] [2 5] [3 6]]
(trace A)                       ; => 7       grad A => [[1 0] [0 1]]
(det A)                         ; => 8       grad A => [[3 -2] [-2 4]]
(logdet A)                      ; => 2.0794415416798357  grad A => [[0.375 -0.25] [-0.25 0.5]]
(inv A)                         ; => [[0.375 -0.25] [-0.25 0.5]]
(solve A b)                     ; => [0.5 0]
(vsum (solve A b))
; => 0.5     grad b => [0.125 0.25]  grad A => [[-0.0625 0] [-0.125 0]]
(matmul A (inv A))              ; => [[1 0] [0 1]]
(cholesky A)                    ; => [[2 0] [1 1.4142135623730951]]
(solve A (mat [2] [1]))         ; => [[0.5] [0]]
; logdet is the logarithm of the determinant's size.
(logdet (mat [1 2] [3 4]))      ; => 0.6931471805599453
(det (mat [0 1] [1 0]))         ; => -1
(det (eye 5))                   ; => 1
; Only square matrices have these.
(det (mat [1 2 3] [4 5 6]))     ; error E-SHAPE det
(inv (mat [1 2 3] [4 5 6]))     ; error E-SHAPE inv
(trace (mat [1 2 3] [4 5 6]))   ; error E-SHAPE trace
(solve A [1 2 3])               ; error E-SHAPE solve
