; loop binds like let; recur in tail position starts the next turn.
(loop ((i 0) (sum 0)) (if (= i 5) sum (recur (+ i 1) (+ sum i))))        ; => 10
(loop () 3)                                                              ; => 3
; recur through cond, let, begin, and, or, when and case.
(loop ((i 0)) (cond ((= i 3) 'done) (else (recur (+ i 1)))))             ; => done
(loop ((i 0)) (let* ((j (+ i 1))) (begin 0 (if (= j 4) j (recur j)))))   ; => 4
(loop ((i 0)) (or (and (= i 3) i) (recur (+ i 1))))                      ; => 3
(loop ((i 0)) (case i ((5) 'five) (else (recur (+ i 1)))))               ; => five
; Loops nest; recur belongs to the innermost.
(loop ((i 0) (total 0))
  (if (= i 3)
      total
      (recur (+ i 1)
             (+ total (loop ((j 0)) (if (= j i) (* 10 j) (recur (+ j 1))))))))   ; => 30
; param r = 3.2, x0 = 0.4
(loop ((x x0) (k 0)) (if (= k 2) x (recur (* r (* x (- 1.0 x))) (+ k 1))))
; => 0.5701632  grad r => -0.233472  grad x0 => -1.097728
; recur anywhere but in tail position is refused.
(loop ((i 0)) (+ 1 (recur i)))                                           ; error E-FORM recur
(recur 1)                                                                ; error E-FORM recur
(loop ((i 0)) (lambda () (recur i)))                                     ; error E-FORM recur
(loop ((i 0)) (recur i i))                                               ; error E-ARITY recur
