; Predator and prey: the negative log-likelihood of hare and lynx pelts, year by year.
;
;   hare, lynx        thousands of pelts, one number a year
;   birth, hunt       hares are born at the rate `birth` and eaten at the rate `hunt` · lynxes
;   death, feed       lynxes die at the rate `death` and are born at the rate `feed` · hares
;   hare0, lynx0      both populations in the first year
;   noise-h, noise-l  standard deviations of the logarithms of the counts
;
; The differential equations are solved by the classical Runge-Kutta method, whose derivative by
; every parameter is that of the steps it took. Counts are lognormal about the solution; the
; constant −Σ log(count) of the density is kept, so that likelihoods compare with those of others.

(define steps-a-year 50)
(define half-log-two-pi (* 0.5 (log (* 2 (acos -1)))))

; z holds hares and lynxes.
(define (slope z)
  (let ((h (ref z 0)) (l (ref z 1)))
    (vec (* h (- birth (* hunt l)))
         (* l (- (* feed h) death)))))

(define (runge-kutta z h)
  (let* ((k1 (slope z))
         (k2 (slope (+ z (* (/ h 2) k1))))
         (k3 (slope (+ z (* (/ h 2) k2))))
         (k4 (slope (+ z (* h k3)))))
    (+ z (* (/ h 6) (+ k1 (* 2 k2) (* 2 k3) k4)))))

(define (year-later z)
  (loop ((i 0) (z z))
    (if (= i steps-a-year)
        z
        (recur (+ i 1) (runge-kutta z (/ 1 steps-a-year))))))

; −log of the lognormal density of a count about its expectation.
(define (surprise count expected noise)
  (+ half-log-two-pi
     (log (* noise count))
     (* 0.5 (square (/ (log (/ count expected)) noise)))))

(loop ((t 0) (z (vec hare0 lynx0)) (total 0.0))
  (if (= t (vlen hare))
      total
      (recur (+ t 1)
             (year-later z)
             (+ total
                (surprise (ref hare t) (ref z 0) noise-h)
                (surprise (ref lynx t) (ref z 1) noise-l)))))
