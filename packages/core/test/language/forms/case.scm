; case compares by eqv?.
(case (* 2 3) ((2 3 5 7) 'prime) ((1 4 6 8 9) 'composite))   ; => composite
(case 'c ((a e i o u) 'vowel) (else 'consonant))             ; => consonant
(case 2.0 ((1) 'one) ((2) 'two) (else 'many))                ; => two
(case '() ((()) 'empty) (else 'other))                       ; => empty
(case #f ((#t) 1) ((#f) 0))                                  ; => 0
; Several expressions, the last one counts.
(case 1 ((1) 2 3 4) (else 5))                                ; => 4
; An arrow hands the key on.
(case 6 ((6) => square) (else 0))                            ; => 36
(case 7 ((6) 0) (else => (lambda (k) (* 2 k))))              ; => 14
; The key is evaluated once, and carries a gradient.
; param a = 3
(case (+ a 0) ((3) (* a a)) (else a))                        ; => 9  grad a => 6
