; A number goes with every element, on either side; its gradient is the sum over the elements.
; param s = 2, v = [1 2 4], A = [[1 2] [3 4]]
(+ s v)                ; => [3 4 6]
(+ v s)                ; => [3 4 6]
(- s v)                ; => [1 0 -2]
(- v s)                ; => [-1 0 2]
(* s v)                ; => [2 4 8]
(/ s v)                ; => [2 1 0.5]
(/ v s)                ; => [0.5 1 2]
(vsum (+ s v))         ; => 13   grad s => 3      grad v => [1 1 1]
(vsum (- s v))         ; => -1   grad s => 3      grad v => [-1 -1 -1]
(vsum (- v s))         ; => 1    grad s => -3     grad v => [1 1 1]
(vsum (* s v))         ; => 14   grad s => 7      grad v => [2 2 2]
(vsum (* v s))         ; => 14   grad s => 7      grad v => [2 2 2]
(vsum (/ s v))         ; => 3.5  grad s => 1.75   grad v => [-2 -0.5 -0.125]
(vsum (/ v s))         ; => 3.5  grad s => -1.75  grad v => [0.5 0.5 0.5]
(vsum (* s A))         ; => 20   grad s => 10     grad A => [[2 2] [2 2]]
(vsum (pow v s))       ; => 21   grad s => 24.95329850015803  grad v => [2 4 8]
(vsum (max s v))       ; => 8    grad s => 2      grad v => [0 0 1]
; Two matrices or vectors of unlike shape do not broadcast.
(+ v [1 2])            ; error E-SHAPE 
(+ A v)                ; error E-SHAPE 
(* A [1 2])            ; error E-SHAPE 
; Lanes of the number share the vector.
; param s = 1 | 10, v = [1 2 4]
(vsum (* s v))         ; => 7 | 70  grad s => 7 | 7
