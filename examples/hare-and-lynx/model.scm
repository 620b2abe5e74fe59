; Predator and prey: hares and lynxes in a year, as a vector of two numbers.
;
;   year           from 1900                          hare0, lynx0   both populations in 1900
;   birth, hunt    hares are born at the rate `birth` and eaten at the rate `hunt` · lynxes
;   death, feed    lynxes die at the rate `death` and are born at the rate `feed` · hares
;
; The differential equations are solved by the classical Runge-Kutta method; every row of the data
; leaves the loop after as many steps as its year needs.

(define steps-a-year 20)

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

(loop ((step 0) (z (vec hare0 lynx0)))
  (if (< step (* steps-a-year (- year 1900)))
      (recur (+ step 1) (runge-kutta z (/ 1 steps-a-year)))
      z))
