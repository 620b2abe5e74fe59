; A primitive that gets the wrong kind of value names itself and what came.
(car 5)                     ; error E-TYPE car
(cdr '())                   ; error E-TYPE cdr
(cadr '(1))                 ; error E-TYPE the empty list
(+ 1 'a)                    ; error E-TYPE +
(* 2 '())                   ; error E-TYPE *
(sin #t)                    ; error E-TYPE sin
(< 1 'a)                    ; error E-TYPE <
(length 5)                  ; error E-TYPE length
(length '(1 . 2))           ; error E-TYPE length
(append '(1 . 2) '(3))      ; error E-TYPE append
(reverse 'a)                ; error E-TYPE reverse
(map car 5)                 ; error E-TYPE 5
(apply + 5)                 ; error E-TYPE apply
(ref '(1 2) 0)              ; error E-TYPE ref
(vlen 'a)                   ; error E-TYPE vlen
(dot [1] '(1))              ; error E-TYPE dot
(vsum '(1 2))               ; error E-TYPE vsum
(vec 1 'a)                  ; error E-TYPE vec
(mat '(1 2))                ; error E-TYPE mat
(even? 'a)                  ; error E-TYPE even?
(assq 'a 5)                 ; error E-TYPE assq
(abs car)                   ; error E-TYPE abs
; A place that must be a whole number.
(list-ref '(a b) 0.5)       ; error E-TYPE list-ref
(ref [1 2] 0.5)             ; error E-TYPE ref
(eye 1.5)                   ; error E-TYPE eye
(even? 1.5)                 ; error E-TYPE even?
