; quotient truncates; modulo has the sign of the divisor, remainder that of the dividend.
(quotient 13 4)         ; => 3
(quotient -13 4)        ; => -3
(quotient 13 -4)        ; => -3
(modulo 13 4)           ; => 1
(modulo -13 4)          ; => 3
(modulo 13 -4)          ; => -3
(modulo -13 -4)         ; => -1
(remainder 13 4)        ; => 1
(remainder -13 4)       ; => -1
(remainder 13 -4)       ; => 1
(remainder -13 -4)      ; => -1
(modulo 5.5 2)          ; => 1.5
(remainder -5.5 2)      ; => -1.5
(modulo -5.5 2)         ; => 0.5
; x = (modulo x y) + y·floor(x/y): slope 1 by x, −floor(x/y) by y. quotient has slope 0.
; param a = 7.5, b = 2
(modulo a b)            ; => 1.5   grad a => 1  grad b => -3
(remainder (- a) b)     ; => -1.5  grad a => -1  grad b => 3
(modulo (- a) b)        ; => 0.5   grad a => -1  grad b => 4
(quotient a b)          ; => 3     grad a => 0  grad b => 0
; gcd and lcm.
(gcd 32 -36)            ; => 4
(gcd)                   ; => 0
(gcd 12 18 27)          ; => 3
(gcd 0 5)               ; => 5
(lcm 32 -36)            ; => 288
(lcm)                   ; => 1
(lcm 4 6 10)            ; => 60
