; Division by zero is infinite and reported; it is no error.
(/ 1 0)             ; => +inf.0  reported
(/ -1 0)            ; => -inf.0  reported
(/ 1.0 0.0)         ; => +inf.0  reported
(/ 1 -0.0)          ; => -inf.0  reported
(/ 0 0)             ; => +nan.0  reported
(/ 0)               ; => +inf.0  reported
(/ 1 +inf.0)        ; => 0
; The same for whole quotients; what is left over is NaN.
(modulo 5 0)        ; => +nan.0  reported
(remainder 5 0)     ; => +nan.0  reported
(quotient 5 0)      ; => +inf.0  reported
; What is not used does no harm.
(begin (/ 1 0) 5)   ; => 5
(min 3 (/ 1 0))     ; => 3
