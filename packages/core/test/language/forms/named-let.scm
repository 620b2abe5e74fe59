; A named let is a loop that is also an ordinary procedure.
(let loop ((i 0) (sum 0)) (if (= i 5) sum (loop (+ i 1) (+ sum i))))     ; => 10
(let build ((n 3)) (if (= n 0) '() (cons n (build (- n 1)))))            ; => (3 2 1)
(let f ((x 1)) x)                                                        ; => 1
(let f () 7)                                                             ; => 7
; The name is not in scope of the initial values.
(let ((f (lambda (x) (* 10 x)))) (let f ((x (f 2))) x))                  ; => 20
; It can be passed on as a value.
(let walk ((tree '(1 (2 3) (4))))
  (cond ((null? tree) 0)
        ((pair? tree) (apply + (map walk tree)))
        (else tree)))                                                    ; => 10
; param a = 2
(let again ((n 3) (x a)) (if (= n 0) x (again (- n 1) (* x a))))         ; => 16  grad a => 32
