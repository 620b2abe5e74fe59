; Gaussian log-likelihood of a linear state-space model by the Kalman filter, one observation a
; step:
;
;   y_t = Z_t a_t + d_t + e_t,   e_t ~ N(0, H)          a_{t+1} = T a_t + c_t + u_t,   u_t ~ N(0, V)
;
;   y    n observations, NaN where one is missing        a1, P1  mean and covariance of the start
;   Z    1 × m, or n × m where the row changes in time   burn    leading terms left out of the sum,
;   d    1 or n numbers                                          where the start is diffuse
;   c    1 × m, or n × m
;
; A missing observation adds nothing to the sum and updates nothing: the state is only carried on.

(define log-two-pi (log (* 2 (acos -1))))

; The row of M at time t; a matrix of one row holds for all times.
(define (row-at M t) (ref M (if (= (rows M) 1) 0 t)))
(define (number-at v t) (ref v (if (= (vlen v) 1) 0 t)))

(define (predict-mean a t) (+ (matvec T a) (row-at c t)))
(define (predict-covariance P) (+ (matmul T (matmul P (transpose T))) V))

(loop ((t 0) (a a1) (P P1) (total 0.0))
  (cond ((= t (vlen y)) total)
        ((nan? (ref y t))
         (recur (+ t 1) (predict-mean a t) (predict-covariance P) total))
        (else
         (let* ((z (row-at Z t))
                (innovation (- (ref y t) (+ (dot z a) (number-at d t))))
                (Pz (matvec P z))
                (variance (+ (dot z Pz) H))
                (term (* -0.5 (+ log-two-pi (log variance) (/ (square innovation) variance)))))
           (recur (+ t 1)
                  (predict-mean (+ a (scale (/ innovation variance) Pz)) t)
                  (predict-covariance (- P (scale (/ 1 variance) (outer Pz Pz))))
                  (if (< t burn) total (+ total term)))))))
