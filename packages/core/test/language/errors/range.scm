; Indices and counts out of range.
(list-ref '(a b) 2)         ; error E-RANGE list-ref
(list-ref '(a b) -1)        ; error E-RANGE list-ref
(list-tail '(a b) 3)        ; error E-RANGE list-tail
(ref [1 2] 2)               ; error E-RANGE ref
(zeros -1)                  ; error E-RANGE zeros
