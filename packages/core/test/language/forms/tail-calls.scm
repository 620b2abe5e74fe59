; Calls in tail position take no stack: a million turns of each kind.
(define (count n) (if (= n 0) 'done (count (- n 1))))
(count 1000000)                                                   ; => done
(define (ev? n) (if (= n 0) #t (od? (- n 1))))
(define (od? n) (if (= n 0) #f (ev? (- n 1))))
(ev? 1000001)                                                     ; => #f
(define (f n) (cond ((= n 0) 'done) (else (g n))))
(define (g n) (let ((m (- n 1))) (begin 0 (h m))))
(define (h n) (and #t (or #f (when #t (case 1 ((1) (f n)))))))
(f 300000)                                                        ; => done
(define (k n) (apply (lambda (m) (if (= m 0) 'done (k (- m 1)))) (list n)))
(k 300000)                                                        ; => done
(define (cps n next) (if (= n 0) (next 0) (cps (- n 1) (lambda (x) (next (+ x 1))))))
(cps 100000 (lambda (x) x))                                       ; => 100000
