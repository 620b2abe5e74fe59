; letrec ties mutually recursive procedures.
(letrec ((ev? (lambda (n) (if (= n 0) #t (od? (- n 1)))))
         (od? (lambda (n) (if (= n 0) #f (ev? (- n 1))))))
  (ev? 88))                                                 ; => #t
(letrec ((fact (lambda (n) (if (= n 0) 1 (* n (fact (- n 1))))))) (fact 10))   ; => 3628800
; letrec* evaluates in order.
(letrec* ((x 2) (y (* x 3))) (+ x y))                       ; => 8
(letrec* ((p (lambda (x) (+ 1 (q (- x 1)))))
          (q (lambda (y) (if (zero? y) 0 (+ 1 (p (- y 1))))))
          (x (p 5))
          (y x))
  y)                                                        ; => 5
; Reading a variable before its definition has run is an error.
(letrec* ((x y) (y 1)) x)                                   ; error E-UNINITIALISED y
; param a = 2
(letrec ((power (lambda (n) (if (= n 0) 1 (* a (power (- n 1))))))) (power 3))
; => 8  grad a => 12
