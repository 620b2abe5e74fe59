; By default a number outside the domain is NaN in its lane, and reported.
; param a = 4
(sqrt a)                ; => 2       grad a => 0.25
(sqrt (- a 5))          ; => +nan.0  reported
(log (- a 5))           ; => +nan.0  reported
(log 0)                 ; => -inf.0  reported
(asin 2)                ; => +nan.0  reported
(expt -8 0.5)           ; => +nan.0  reported
(- +inf.0 +inf.0)       ; => +nan.0  reported
(exp 10000)             ; => +inf.0  reported
; A NaN stays in its lane.
; param a = -1 | 4 | 9
(sqrt a)                ; => +nan.0 | 2 | 3  grad a => +nan.0 | 0.25 | 0.16666666666666666  reported
; A NaN on the side of a branch that a lane did not take reaches nothing.
; param a = 0
(if (> a 0) (/ 1 a) (* 3 a))       ; => 0  grad a => 3
(let ((x (sqrt a))) (if (> a 1) x (* 5 a)))   ; => 0  grad a => 5
