; The number of arguments is checked for procedures and primitives.
(car)                              ; error E-ARITY car
(car 1 2)                          ; error E-ARITY car
(sin)                              ; error E-ARITY sin
(sin 1 2)                          ; error E-ARITY sin
(cons 1)                           ; error E-ARITY cons
(-)                                ; error E-ARITY -
(/)                                ; error E-ARITY /
(min)                              ; error E-ARITY min
(define (f x y) x)
(f 1)                              ; error E-ARITY f
(define (f x y) x)
(f 1 2 3)                          ; error E-ARITY f
((lambda (x . rest) x))            ; error E-ARITY 
((lambda () 1) 2)                  ; error E-ARITY 
(apply car '(1 2))                 ; error E-ARITY car
(map (lambda (x y) x) '(1 2))      ; error E-ARITY 
