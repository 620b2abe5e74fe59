; square, sqrt, exp, log, expt and pow.
(square 5)          ; => 25
(sqrt 16)           ; => 4
(sqrt 2)            ; => 1.4142135623730951
(exp 0)             ; => 1
(exp 1)             ; => 2.718281828459045
(log 1)             ; => 0
(log 2)             ; => 0.6931471805599453
(log 8 2)           ; => 3
(log 100 10)        ; => 2
(expt 3 3)          ; => 27
(expt 2 -2)         ; => 0.25
(expt 2 0.5)        ; => 1.4142135623730951
(expt 0 0)          ; => 1
(expt 0.0 0)        ; => 1
(expt 0 1.0)        ; => 0
(pow 2 10)          ; => 1024
(expt -2 3)         ; => -8
(expt -2 2)         ; => 4
; param a = 4
(square a)          ; => 16    grad a => 8
(sqrt a)            ; => 2     grad a => 0.25
(exp (/ a 4))       ; => 2.718281828459045  grad a => 0.6795704571147613
(log a)             ; => 1.3862943611198906  grad a => 0.25
(expt a 3)          ; => 64    grad a => 48
(expt a -1)         ; => 0.25  grad a => -0.0625
(expt a 0)          ; => 1     grad a => 0
; param a = 2.5, b = 1.5
(pow a b)
; => 3.952847075210474  grad a => 2.3717082451262845  grad b => 3.6219571395312187
; At zero the slope of a power is finite where the power is smooth.
; param a = 0
(pow a 2)           ; => 0  grad a => 0
(pow a 1)           ; => 0  grad a => 1
(pow a 3.0)         ; => 0  grad a => 0
(pow a 1.5)         ; => 0  grad a => 0
; A negative base with an integer exponent has its gradient.
; param a = -2
(pow a 2)           ; => 4  grad a => -4
(pow a 3)           ; => -8 grad a => 12
