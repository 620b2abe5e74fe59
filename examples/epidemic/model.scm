; An epidemic in a closed school (SIR): boys in bed on a day.
;
;   day     days since the first count      beta    infections a day that one sick boy causes at first
;                                           gamma   share of the sick who recover, per day
;                                           sick0   boys who were sick on day 0
;
; Susceptible and sick boys are followed by the classical Runge-Kutta method; days are whole, so
; every row of the data leaves the loop after its own number of steps.

(define boys 763)
(define steps-a-day 10)

; z holds the susceptible and the sick.
(define (slope z)
  (let* ((s (ref z 0))
         (i (ref z 1))
         (infected (/ (* beta s i) boys)))
    (vec (- infected) (- infected (* gamma i)))))

(define (runge-kutta z h)
  (let* ((k1 (slope z))
         (k2 (slope (+ z (* (/ h 2) k1))))
         (k3 (slope (+ z (* (/ h 2) k2))))
         (k4 (slope (+ z (* h k3)))))
    (+ z (* (/ h 6) (+ k1 (* 2 k2) (* 2 k3) k4)))))

(loop ((step 0) (z (vec (- boys sick0) sick0)))
  (if (< step (* steps-a-day day))
      (recur (+ step 1) (runge-kutta z (/ 1 steps-a-day)))
      (ref z 1)))
