; Hyperbolic functions and those of statistics.
; param a = 0.5
(sinh a)            ; => 0.5210953054937474   grad a => 1.1276259652063807
(cosh a)            ; => 1.1276259652063807   grad a => 0.5210953054937474
(tanh a)            ; => 0.46211715726000974  grad a => 0.7864477329659274
(log1p a)           ; => 0.4054651081081644   grad a => 0.6666666666666666
(expm1 a)           ; => 0.6487212707001282   grad a => 1.6487212707001282
(sigmoid a)         ; => 0.6224593312018546   grad a => 0.2350037122015945
(softplus a)        ; => 0.9740769841801067   grad a => 0.6224593312018546
(erf a)             ; => 0.5204998778130465   grad a => 0.8787825789354448
(lgamma (+ a 2))    ; => 0.2846828704729196   grad a => 0.703156640645243
; They hold where naive formulas fail.
(sigmoid -1000)     ; => 0
(softplus 1000)     ; => 1000
(softplus -1000)    ; => 0
(tanh 1000)         ; => 1
(log1p 1e-20)       ; => 1e-20
(expm1 1e-20)       ; => 1e-20
(erf 10)            ; => 1
(lgamma 1)          ; => 0
; param a = 1000
(softplus a)        ; => 1000  grad a => 1
(sigmoid a)         ; => 1     grad a => 0
(tanh a)            ; => 1     grad a => 0
