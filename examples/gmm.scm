; Log-likelihood of a Gaussian mixture, with a Wishart prior on the precisions.
;
;   alphas  k log-weights, not normalised             means  k × d, one component a row
;   icf     k × (d + d(d−1)/2): for each component the logarithms of the diagonal of its inverse
;           covariance factor Q, then the part below the diagonal, column by column
;   x       n × d, one observation a row
;   gamma   m   scale and degrees of freedom of the prior
;
; Every gradient comes from one backward pass over the trace of this program.

(define pi (acos -1))
(define n (rows x))
(define d (cols x))
(define k (vlen alphas))

; f(0) + f(1) + … + f(count − 1)
(define (sum-over count f)
  (loop ((i 0) (total 0.0))
    (if (= i count) total (recur (+ i 1) (+ total (f i))))))

; log Σ exp f(i), shifted by the largest term so that nothing overflows.
(define (log-sum-exp count f)
  (let* ((terms (map f (iota count)))
         (top (apply max terms)))
    (+ top (log (fold-left + 0.0 (map (lambda (term) (exp (- term top))) terms))))))

(define (iota count)
  (loop ((i (- count 1)) (l '()))
    (if (< i 0) l (recur (- i 1) (cons i l)))))

; Where the entry (i, j) below the diagonal stands in a row of icf: columns 0 … j − 1 hold
; (d − 1) + (d − 2) + … entries before it.
(define (lower-index i j)
  (+ d (- (* j d) (quotient (* j (+ j 1)) 2)) (- i j 1)))

; ‖Q z‖² for the factor in one row of icf.
(define (squared-length factor z)
  (sum-over d
    (lambda (i)
      (square (+ (* (exp (ref factor i)) (ref z i))
                 (sum-over i (lambda (j) (* (ref factor (lower-index i j)) (ref z j)))))))))

(define (log-diagonal factor) (sum-over d (lambda (i) (ref factor i))))

(define (log-density point c)
  (let ((factor (ref icf c)))
    (- (+ (ref alphas c) (log-diagonal factor))
       (* 0.5 (squared-length factor (- point (ref means c)))))))

(define likelihood
  (- (sum-over n
       (lambda (i)
         (let ((point (ref x i)))
           (log-sum-exp k (lambda (c) (log-density point c))))))
     (* n (+ (* 0.5 d (log (* 2 pi)))
             (log-sum-exp k (lambda (c) (ref alphas c)))))))

; log Γ_d(a), the multivariate gamma function.
(define (log-gamma-of dimension a)
  (+ (* 0.25 dimension (- dimension 1) (log pi))
     (sum-over dimension (lambda (j) (lgamma (- a (* 0.5 j)))))))

(define prior
  (let* ((freedom (+ d m 1))
         (constant (- (* freedom d (- (log gamma) (* 0.5 (log 2))))
                      (log-gamma-of d (* 0.5 freedom)))))
    (sum-over k
      (lambda (c)
        (let* ((factor (ref icf c))
               (diagonal (sum-over d (lambda (i) (square (exp (ref factor i))))))
               (below (sum-over (- (vlen factor) d) (lambda (i) (square (ref factor (+ d i)))))))
          (- (* 0.5 (square gamma) (+ diagonal below))
             (* m (log-diagonal factor))
             constant))))))

(+ likelihood prior)
