; A comparison of one operand still wants a number.
(< [1 2])        ; error E-SHAPE
(< 1)            ; => #t
