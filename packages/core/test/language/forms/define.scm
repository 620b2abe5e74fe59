; Top-level definitions, in both spellings.
(define x 28)
x                                     ; => 28
(define (add a b) (+ a b))
(add 2 3)                             ; => 5
(define (all . rest) rest)
(all 1 2)                             ; => (1 2)
(define (some a . rest) (list a rest))
(some 1 2 3)                          ; => (1 (2 3))
; A procedure may use what is defined later, as long as it is called later.
(define (f x) (* 2 (g x)))
(define (g x) (+ x 1))
(f 4)                                 ; => 10
; Internal definitions see each other.
(define (h n)
  (define (ev? n) (if (= n 0) #t (od? (- n 1))))
  (define (od? n) (if (= n 0) #f (ev? (- n 1))))
  (ev? n))
(h 7)                                 ; => #f
; A definition may shadow a primitive for the whole program.
(define (square x) (* x x x))
(square 3)                            ; => 27
; An input is seen inside definitions, with its gradient.
; param alpha = 2, x = 1.5
(define (poly x n) (if (= n 0) 0.0 (+ (* alpha x) (poly x (- n 1)))))
(poly x 3)                            ; => 9  grad alpha => 4.5  grad x => 6
; A definition that is read before it has run is an error.
(define y (+ z 1))
(define z 1)
y                                     ; error E-UNINITIALISED z
; A program of definitions only has no value to return.
(define only 1)                       ; error E-FORM only defines
