; Any name can be bound anew, those of primitives and of forms too.
(let ((+ *)) (+ 3 4))                          ; => 12
(let ((list 5)) list)                          ; => 5
(let ((if (lambda (a b c) (list a b c)))) (if 1 2 3))   ; => (1 2 3)
((lambda (car) (car 5)) (lambda (x) (* x x)))  ; => 25
(define (cdr x) 'mine)
(cdr '(1 2))                                   ; => mine
(let ((define 3) (let 4)) (+ define let))      ; => 7
(let ((quote -)) '5)                           ; => -5
; The innermost binding counts, and goes away with its scope.
(let ((x 1)) (+ (let ((x 10)) x) x))           ; => 11
((lambda (x) ((lambda (x) (* 2 x)) (+ x 1))) 3)     ; => 8
; A derived form uses its own names, not the user's.
(let ((not (lambda (x) x)) (t 5)) (unless #f t))    ; => 5
(let ((temp 5)) (or #f temp))                  ; => 5
(let ((memv (lambda (a b) #f)) (eqv? 1)) (case 1 ((1) 'ok) (else 'bad)))   ; => ok
(let ((append 1) (cons 2) (list 3)) `(,append ,@'(9) ,cons))   ; => (1 9 2)
(let ((loop 3)) (let f ((x loop)) x))          ; => 3
; A local name hides an input of the same name.
; param a = 3
(let ((a 7)) a)                                ; => 7
((lambda (a) (* a a)) (+ a 1))                 ; => 16  grad a => 8
