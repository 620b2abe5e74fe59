; Structure that differs between lanes: closures, lists, recursion and higher-order procedures.
; param a = -2 | 0.5 | 3 | 4
(map (lambda (x) (if (> x a) x a)) '(1 2 3))
; => (1 2 3) | (1 2 3) | (3 3 3) | (4 4 4)
(apply + (filter (lambda (x) (> x a)) '(1 2 3 4)))            ; => 10 | 10 | 4 | 0
(fold-left (lambda (s x) (if (> x a) (+ s (* a x)) s)) 0 '(1 2 3 4))
; => -20 | 5 | 12 | 0  grad a => 10 | 10 | 4 | 0
(let ((f (if (> a 1) (lambda (x) (* a x)) (lambda (x) (- x))))) (+ (f a) (f 2)))
; => 0 | -2.5 | 15 | 24  grad a => -1 | -1 | 8 | 10
(define (count-down n) (if (<= n 0) '() (cons n (count-down (- n 1)))))
(apply + (count-down a))                                      ; => 0 | 0.5 | 6 | 10
(define (count-down n) (if (<= n 0) '() (cons n (count-down (- n 1)))))
(length (count-down a))                                       ; => 0 | 1 | 3 | 4
(assq (if (> a 1) 'big 'small) '((big 1) (small 2)))
; => (small 2) | (small 2) | (big 1) | (big 1)
(cdr (assq (if (> a 1) 'big 'small) (list (cons 'big (* a a)) (cons 'small (- a)))))
; => 2 | -0.5 | 9 | 16  grad a => -1 | -1 | 6 | 8
; Mutual recursion whose depth differs.
(define (ev n x) (if (<= n 0) x (od (- n 1) (* 2 x))))
(define (od n x) (if (<= n 0) (- x) (ev (- n 1) (+ x 1))))
(ev a a)
; => -2 | -1 | -14 | 19  grad a => 1 | -2 | -4 | 4
; Matrices under masks, the singular one on the side of the other lanes.
(if (> a 1) (det (mat [a 1] [1 a])) (trace (mat [a 1] [1 a])))
; => -4 | 1 | 8 | 15  grad a => 2 | 2 | 6 | 8
(if (= a 4) 1 (vsum (inv (mat [a 2] [8 4]))))
; => 0.3333333333333333 | 0.39285714285714285 | 0.75 | 1
; A loop inside a branch inside a loop.
(loop ((k 0) (s 0.0))
  (if (= k 3)
      s
      (recur (+ k 1)
             (if (> a k)
                 (loop ((j 0) (p s)) (if (>= j a) p (recur (+ j 1) (+ p a))))
                 (- s a)))))
; => 6 | -0.5 | 27 | 48  grad a => -3 | -1 | 9 | 12
