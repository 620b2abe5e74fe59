; Bundle adjustment: how far a camera's picture of a point is from where it was observed.
;
;   cam   rotation (axis × angle, 3), centre (3), focal length, principal point (2), distortion (2)
;   X     the point      feat   where it was observed, in pixels      w   its weight
;
; The result is a vector of two residuals; its Jacobian has one row for each.

(define (part v start count)
  (apply vec
    (loop ((i (- (+ start count) 1)) (l '()))
      (if (< i start) l (recur (- i 1) (cons (ref v i) l))))))

; Rodrigues' formula: turns p about the axis r by the angle |r|.
(define (rotate r p)
  (let ((squared (dot r r)))
    (if (= squared 0)
        (+ p (cross r p))
        (let* ((angle (sqrt squared))
               (axis (scale (/ 1 angle) r)))
          (+ (scale (cos angle) p)
             (scale (sin angle) (cross axis p))
             (scale (* (dot axis p) (- 1 (cos angle))) axis))))))

(define (distort p k1 k2)
  (let ((squared (dot p p)))
    (scale (+ 1 (* k1 squared) (* k2 squared squared)) p)))

(define (project cam X)
  (let* ((turned (rotate (part cam 0 3) (- X (part cam 3 3))))
         (flat (scale (/ 1 (ref turned 2)) (part turned 0 2)))
         (bent (distort flat (ref cam 9) (ref cam 10))))
    (+ (scale (ref cam 6) bent) (part cam 7 2))))

(scale w (- (project cam X) feat))
