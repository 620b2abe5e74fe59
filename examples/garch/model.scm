; GARCH(1,1): returns whose variance remembers. Negative log-likelihood.
;
;   y       returns, one a day                     mu      their mean
;   omega   what the variance always gets          alpha   share of the last squared shock in it
;                                                  beta    share of the last variance in it
;
; The variance before the first day, and the squared shock, are the mean square about mu.

(define log-two-pi (log (* 2 (acos -1))))
(define shocks (- y mu))
(define presample (/ (dot shocks shocks) (vlen y)))

(loop ((t 0) (h (+ omega (* (+ alpha beta) presample))) (total 0.0))
  (if (= t (vlen y))
      total
      (let ((e (ref shocks t)))
        (recur (+ t 1)
               (+ omega (* alpha e e) (* beta h))
               (+ total (* 0.5 (+ log-two-pi (log h) (/ (* e e) h))))))))
