; A hidden Markov model of two states: negative log-likelihood of counts a year, by the forward
; algorithm. The state is not seen; in each of them the counts are Poisson.
;
;   count            earthquakes a year
;   calm, lively     mean count of the two states
;   wake, tire       probabilities of changing from calm to lively, and back, in a year
;
; The chain starts in its stationary distribution. The forward probabilities are divided by their
; sum every year, and the logarithms of the sums add up to the log-likelihood.

(define means (vec calm lively))
(define arrivals                        ; column: from, row: to
  (mat (vec (- 1 wake) tire)
       (vec wake (- 1 tire))))
(define stationary (scale (/ 1 (+ wake tire)) (vec tire wake)))

; Poisson probabilities of a count in each state.
(define (densities n)
  (exp (- (* n (log means)) means (lgamma (+ n 1)))))

(loop ((t 0) (forward stationary) (total 0.0))
  (if (= t (vlen count))
      total
      (let* ((joint (* forward (densities (ref count t))))
             (mass (vsum joint)))
        (recur (+ t 1)
               (matvec arrivals (/ joint mass))
               (- total (log mass))))))
