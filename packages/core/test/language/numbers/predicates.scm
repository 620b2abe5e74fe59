; Questions about numbers.
(number? 3)         ; => #t
(number? 'a)        ; => #f
(number? [1 2])     ; => #f
(real? 2.5)         ; => #t
(integer? 3)        ; => #t
(integer? 3.0)      ; => #t
(integer? 3.5)      ; => #f
(integer? 'a)       ; => #f
(even? 0)           ; => #t
(even? -3)          ; => #f
(odd? -1)           ; => #t
(odd? 4.0)          ; => #f
(zero? 0.0)         ; => #t
(zero? -0.0)        ; => #t
(positive? 1e-30)   ; => #t
(positive? 0)       ; => #f
(negative? -1)      ; => #t
(finite? 1e30)      ; => #t
(finite? +inf.0)    ; => #f
(infinite? -inf.0)  ; => #t
(infinite? +nan.0)  ; => #f
(nan? +nan.0)       ; => #t
(nan? 1)            ; => #f
; One answer per lane.
; param a = -1 | 0 | 2
(positive? a)       ; => #f | #f | #t
(zero? a)           ; => #f | #t | #f
