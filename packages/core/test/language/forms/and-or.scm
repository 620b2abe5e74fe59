; and stops at the first #f, or at the first value that is not.
(and)                       ; => #t
(or)                        ; => #f
(and 1 2 'c '(f g))         ; => (f g)
(and 1 #f (car 5))          ; => #f
(or #f 2 (car 5))           ; => 2
(or #f #f)                  ; => #f
(or (memq 'b '(a b c)) 0)   ; => (b c)
(and (= 2 2) (> 2 1))       ; => #t
; They return values, so they pass gradients.
; param a = 3
(and #t (* a a))            ; => 9  grad a => 6
(or #f (* a 5))             ; => 15 grad a => 5
