; A clamped input passes no gradient.
; param a = 4, domain = clamp
(sqrt a)            ; => 2        grad a => 0.25
(sqrt (- a 5))      ; => 0.0001   grad a => 0
(log (- a 5))       ; => -18.420680743952367  grad a => 0
(log a)             ; => 1.3862943611198906   grad a => 0.25
(sqrt 0)            ; => 0.0001
(log 0)             ; => -18.420680743952367
; Just above the edge the gradient is there.
; param a = 4e-8, domain = clamp
(sqrt a)            ; => 0.0002   grad a => 2500
; The clamp works element by element.
; param v = [4 -1], domain = clamp
(vsum (sqrt v))     ; => 2.0001   grad v => [0.25 0]
; Lanes are clamped on their own.
; param a = 4 | -4, domain = clamp
(sqrt a)            ; => 2 | 0.0001  grad a => 0.25 | 0
