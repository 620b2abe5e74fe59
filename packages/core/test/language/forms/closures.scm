; A procedure keeps the variables of where it was made.
(define (adder n) (lambda (x) (+ x n)))
((adder 3) 4)                                                ; => 7
(define (adder n) (lambda (x) (+ x n)))
(let ((add3 (adder 3)) (add5 (adder 5))) (list (add3 1) (add5 1)))   ; => (4 6)
(define (compose f g) (lambda (x) (f (g x))))
((compose square (lambda (x) (+ x 1))) 4)                    ; => 25
; Each turn of a loop has its own variables.
(map (lambda (f) (f))
     (loop ((i 0) (l '())) (if (= i 3) l (recur (+ i 1) (cons (lambda () i) l)))))
; => (2 1 0)
(define (curry f . first) (lambda rest (apply f (append first rest))))
((curry list 1 2) 3 4)                                       ; => (1 2 3 4)
; Captured numbers carry gradients.
; param a = 3
(let ((f (let ((b (* a a))) (lambda (x) (* b x))))) (+ (f 2) (f 5)))   ; => 63  grad a => 42
(let ((f (lambda (x) (* x x)))) (f (f a)))                   ; => 81  grad a => 108
; Church's numerals.
(define (church n)
  (if (= n 0)
      (lambda (f) (lambda (x) x))
      (lambda (f) (lambda (x) (f (((church (- n 1)) f) x))))))
(((church 5) (lambda (x) (* x 2))) 1)                        ; => 32
