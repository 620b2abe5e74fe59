; exact and inexact exist, but integers are a representation and never a type.
(exact 3.0)             ; => 3
(inexact 3)             ; => 3
(= (exact 2.0) 2)       ; => #t
(eqv? 2 2.0)            ; => #t
(equal? '(1 2) '(1.0 2.0))   ; => #t
(list-ref '(a b c d) (exact (round 1.8)))   ; => c
(list-ref '(a b c d) 2.0)    ; => c
(vlen (zeros 3.0))      ; => 3
(memv 2.0 '(1 2 3))     ; => (2 3)
; They pass the gradient of a number that is whole.
; param a = 3
(* a (inexact a))       ; => 9  grad a => 6
; A number that is not whole stays what it is.
(exact 2.5)             ; => 2.5
