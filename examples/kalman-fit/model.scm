; A point wanders in the plane and is seen with noise: the Kalman filter's negative log-likelihood,
; twice and up to a constant, with the 2×2 matrices of the paper's program.
;
;   east, north   the observations              step   variance of a step, in each direction
;                                               noise  variance of an observation
;
; Adam does not know that variances are positive, so both are held at 0.0001 or more; below it they
; have no gradient.

(define q (max step 0.0001))
(define r (max noise 0.0001))

(loop ((k 0) (x (vec 0.0 0.0)) (P (eye 2)) (total 0.0))
  (if (= k (vlen east))
      total
      (let* ((Q (scale q (eye 2)))
             (R (scale r (eye 2)))
             (predicted (+ P Q))
             (e (- (vec (ref east k) (ref north k)) x))
             (S (+ predicted R))
             (inverse (inv S))
             (gain (matmul predicted inverse)))
        (recur (+ k 1)
               (+ x (matvec gain e))
               (matmul (- (eye 2) gain) predicted)
               (+ total (log (det S)) (dot e (matvec inverse e)))))))
