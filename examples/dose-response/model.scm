; A dose response in three pieces: nothing happens below a threshold, then the response rises in
; proportion to the dose above it, until it is full.
;
;   dose    milligrams           base        response without any dose
;                                threshold   dose where it begins to rise
;                                slope       rise per milligram
;                                full        dose from which it rises no more
;
; Each row takes the branch that its dose decides. The constants are in the branches as well as in
; the tests, so they have gradients.
(cond ((< dose threshold) base)
      ((< dose full) (+ base (* slope (- dose threshold))))
      (else (+ base (* slope (- full threshold)))))
