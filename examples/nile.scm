; The local level model of the Nile (Durbin & Koopman, section 2.10): the diffuse log-likelihood
; with the variance of the observations concentrated out, over psi = log q, where q is the ratio
; of the level's variance to that of the observations. The first observation starts the level, so
; the sums begin with the second. Constants are left out, as in the book's table 2.1.

(define q (exp psi))
(define n (vlen y))

(loop ((t 1) (level (ref y 0)) (P (+ 1 q)) (squares 0.0) (logs 0.0))
  (if (= t n)
      (* -0.5 (+ (* (- n 1) (log (/ squares (- n 1)))) logs))
      (let* ((innovation (- (ref y t) level))
             (variance (+ P 1))
             (gain (/ P variance)))
        (recur (+ t 1)
               (+ level (* gain innovation))
               (+ (* P (- 1 gain)) q)
               (+ squares (/ (* innovation innovation) variance))
               (+ logs (log variance))))))
