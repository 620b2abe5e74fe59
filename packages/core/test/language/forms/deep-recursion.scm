; Recursion that is not in tail position goes 100,000 deep and more.
(define (depth n) (if (= n 0) 0 (+ 1 (depth (- n 1)))))
(depth 100000)                                                    ; => 100000
(define (build n) (if (= n 0) '() (cons n (build (- n 1)))))
(length (build 100000))                                           ; => 100000
(define (build n) (if (= n 0) '() (cons n (build (- n 1)))))
(apply + (map (lambda (x) 1) (build 100000)))                     ; => 100000
(define (build n) (if (= n 0) '() (cons n (build (- n 1)))))
(fold-right + 0 (map (lambda (x) 1) (build 100000)))              ; => 100000
(define (nest n) (if (= n 0) '() (list (nest (- n 1)))))
(equal? (nest 100000) (nest 100000))                              ; => #t
; With a gradient, too.
; param a = 2
(define (sum n) (if (= n 0) 0 (+ a (sum (- n 1)))))
(sum 100000)                                                      ; => 200000  grad a => 100000
