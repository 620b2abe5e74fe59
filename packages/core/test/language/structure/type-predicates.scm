; Every value has one kind.
(map null? (list '() '(1) 0 #f))                 ; => (#t #f #f #f)
(map pair? (list '() '(1) (cons 1 2) 'a))        ; => (#f #t #t #f)
(map symbol? (list 'a 1 #t '()))                 ; => (#t #f #f #f)
(map boolean? (list #t #f 0 '()))                ; => (#t #t #f #f)
(map procedure? (list car (lambda () 1) 'car 1)) ; => (#t #t #f #f)
(map number? (list 1 2.5 'a [1]))                ; => (#t #t #f #f)
(map not (list #f #t 0 '()))                     ; => (#t #f #f #f)
(number? (vsum [1 2]))                           ; => #t
