; Pairs and their parts.
(cons 1 2)              ; => (1 . 2)
(cons 'a '(b c))        ; => (a b c)
(cons '(a) '(b))        ; => ((a) b)
(car '(a b c))          ; => a
(cdr '(a b c))          ; => (b c)
(cdr '(a))              ; => ()
(cadr '(1 2 3))         ; => 2
(cddr '(1 2 3))         ; => (3)
(caar '((1) 2))         ; => 1
(cdar '((1 5) 2))       ; => (5)
(caddr '(1 2 3))        ; => 3
(cdddr '(1 2 3 4))      ; => (4)
(cadddr '(1 2 3 4))     ; => 4
(cddddr '(1 2 3 4 5))   ; => (5)
(caadr '(1 (2)))        ; => 2
(cdadr '(1 (2 3)))      ; => (3)
(caaar '(((1))))        ; => 1
(cadar '((1 2)))        ; => 2
(cddar '((1 2 3)))      ; => (3)
(caaddr '(1 2 (3)))     ; => 3
; Structure carries numbers with their gradients.
; param a = 3, b = 4
(car (cons a b))        ; => 3  grad a => 1  grad b => 0
(* (car (cons a b)) (cdr (cons a b)))   ; => 12  grad a => 4  grad b => 3
