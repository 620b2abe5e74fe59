; eq? and eqv? compare objects, equal? structure; numbers, vectors and matrices compare by value
; in all of them.
(eq? 'a 'a)                        ; => #t
(eq? 'a 'b)                        ; => #f
(eq? '() '())                      ; => #t
(eq? (list 1) (list 1))            ; => #f
(let ((x (list 1))) (eq? x x))     ; => #t
(eq? car car)                      ; => #t
(let ((f (lambda (x) x))) (eqv? f f))      ; => #t
(eqv? (lambda () 1) (lambda () 2)) ; => #f
(eqv? 100000000 100000000)         ; => #t
(eqv? 2 2.0)                       ; => #t
(eqv? #f '())                      ; => #f
(eqv? "a" 1)                       ; error E-REFUSED string
(equal? '(a (b 2) . c) '(a (b 2) . c))     ; => #t
(equal? '(1 2) '(1 3))             ; => #f
(equal? [1 2] [1 2])               ; => #t
(equal? [1 2] [1 3])               ; => #f
(equal? [1 2] (mat [1 2]))         ; => #f
(equal? +nan.0 1)                  ; => #f
(eq? [1 2] [1 2])                  ; => #t
(eqv? [1 2] [1 3])                 ; => #f
(eqv? [1 2] (mat [1 2]))           ; => #f
(eq? (eye 9) (eye 9))              ; => #t
(eqv? (zeros 0) (zeros 0))         ; => #t
(eqv? (zeros 2 0) (zeros 3 0))     ; => #f
(memv [1] (list 1 [2] [1] 'x))     ; => ([1] x)
(cdr (assq (eye 1) (list (cons [1] 2) (cons (mat [1]) 3))))  ; => 3
(let ((v [+nan.0])) (eqv? v v))    ; => #f
(let ((l (list +nan.0))) (equal? l l))     ; => #t
(let ((l (list +nan.0))) (equal? l (list (car l))))    ; => #f
; Lanes have their own answers.
; param a = 1 | 2
(equal? (list a 'x) (list 1 'x))   ; => #t | #f
(eqv? [a 0] [1 0])                 ; => #t | #f
(let* ((v [1 0]) (w (if (< a 2) v [a 0]))) (eq? w v))  ; => #t | #f
