; A budget that runs out is a typed error, and the machine goes on.
; param stepsMax = 1000
(loop ((i 0)) (recur (+ i 1)))                           ; error E-STEPS 1000
(define (f n) (f (+ n 1)))
(f 0)                                                    ; error E-STEPS steps
(+ 1 2)                                                  ; => 3
; param memoryMax = 33554432
(define (f n) (+ 1 (f (+ n 1))))
(f 0)                                                    ; error E-RECURSION deep
(loop ((l '())) (recur (cons 1 l)))                      ; error E-MEMORY memory
; param a = 1, tapeBytesMax = 100000, ask = gradient
(loop ((i 0) (x a)) (if (= i 100000) x (recur (+ i 1) (sin x))))   ; error E-TAPE tape
