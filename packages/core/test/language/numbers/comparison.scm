; Comparisons take one argument and more.
(= 1 1)              ; => #t
(= 1 2)              ; => #f
(= 1 1.0)            ; => #t
(< 1 2 3)            ; => #t
(< 1 3 2)            ; => #f
(> 3.0 2.0 1.0)      ; => #t
(<= 1 1 2)           ; => #t
(>= 2 1 1)           ; => #t
(>= 1 2)             ; => #f
(= 2 2 2)            ; => #t
(= 2 2 3)            ; => #f
(< 1)                ; => #t
; NaN compares with nothing; the zeros are equal.
(= +nan.0 +nan.0)    ; => #f
(< +nan.0 1)         ; => #f
(>= +nan.0 1)        ; => #f
(= 0 -0.0)           ; => #t
; A lane-varying answer is a boolean in each lane.
; param a = 1 | 2 | 3
(< a 2)              ; => #t | #f | #f
(list (< a 2) (= a 2))   ; => (#t #f) | (#f #t) | (#f #f)
