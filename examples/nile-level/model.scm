; The local level model: a level that wanders and is seen with noise. Negative log-likelihood by
; the Kalman filter; the first observation starts the level, so the sum begins with the second.
;
;   flow    annual flow of the river
;   noise   variance of an observation about the level (σ²ε)
;   drift   variance of the level's change in a year (σ²η)

(define log-two-pi (log (* 2 (acos -1))))

(loop ((t 1) (level (ref flow 0)) (P (+ noise drift)) (total 0.0))
  (if (= t (vlen flow))
      total
      (let* ((innovation (- (ref flow t) level))
             (variance (+ P noise))
             (gain (/ P variance)))
        (recur (+ t 1)
               (+ level (* gain innovation))
               (+ (* P (- 1 gain)) drift)
               (+ total
                  (* 0.5 (+ log-two-pi (log variance) (/ (square innovation) variance))))))))
