; Exact Gaussian log-likelihood of an ARMA model about a regression line.
;
;   y       n observations                        sigma2   variance of the innovations
;   ar, ma  coefficients, both padded with zeros to m = max(p, q + 1) numbers
;   X       n × k regressors                      beta     their k coefficients
;
; The model is put into state-space form (Harvey): the first column of the transition is `ar`, the
; ones stand above the diagonal, and an innovation enters with the loads (1, ma_1, …, ma_{m−1}).
; The filter starts from the stationary covariance, the sum over k of Tᵏ V Tᵏ′, which is doubled
; twenty times: 2²⁰ terms.

(define log-two-pi (log (* 2 (acos -1))))
(define m (vlen ar))

(define (from-to i end)
  (if (= i end) '() (cons i (from-to (+ i 1) end))))
(define indices (from-to 0 m))

(define transition
  (apply mat
    (map (lambda (i)
           (apply vec
             (map (lambda (j) (cond ((= j 0) (ref ar i)) ((= j (+ i 1)) 1.0) (else 0.0)))
                  indices)))
         indices)))

(define loads (apply vec (cons 1.0 (map (lambda (i) (ref ma i)) (from-to 0 (- m 1))))))
(define V (scale sigma2 (outer loads loads)))

(define (sandwich A P) (matmul A (matmul P (transpose A))))

(define stationary
  (loop ((k 0) (A transition) (P V))
    (if (= k 20)
        P
        (recur (+ k 1) (matmul A A) (+ P (sandwich A P))))))

(loop ((t 0) (a (zeros m)) (P stationary) (total 0.0))
  (if (= t (vlen y))
      total
      (let* ((innovation (- (ref y t) (dot (ref X t) beta) (ref a 0)))
             (Pz (ref P 0))
             (variance (ref Pz 0)))
        (recur (+ t 1)
               (matvec transition (+ a (scale (/ innovation variance) Pz)))
               (+ (sandwich transition (- P (scale (/ 1 variance) (outer Pz Pz)))) V)
               (- total (* 0.5 (+ log-two-pi (log variance) (/ (square innovation) variance))))))))
