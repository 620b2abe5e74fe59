; A primitive that gets the wrong kind of value names itself and what came.
(car 5)                     ; error E-TYPE car
(cdr '())                   ; error E-TYPE cdr
(cadr '(1))                 ; error E-TYPE cadr
(+ 1 'a)                    ; error E-TYPE +
(* 2 '())                   ; error E-TYPE *
(sin #t)                    ; error E-TYPE sin
(< 1 'a)                    ; error E-TYPE <
(length 5)                  ; error E-TYPE length
(length '(1 . 2))           ; error E-TYPE length
(append '(1 . 2) '(3))      ; error E-TYPE append
(reverse 'a)                ; error E-TYPE reverse
(map car 5)                 ; error E-TYPE map
(apply + 5)                 ; error E-TYPE apply
(ref 5 0)                   ; error E-TYPE ref
(ref '(1 2) 0)              ; error E-TYPE ref
(vlen 5)                    ; error E-TYPE vlen
(dot 1 2)                   ; error E-TYPE dot
(vsum '(1 2))               ; error E-TYPE vsum
(det [1 2])                 ; error E-TYPE det
(rows [1 2])                ; error E-TYPE rows
(vec 1 'a)                  ; error E-TYPE vec
(mat 1 2)                   ; error E-TYPE mat
(even? 'a)                  ; error E-TYPE even?
(assq 'a 5)                 ; error E-TYPE assq
(abs car)                   ; error E-TYPE abs
(scale [1 2] 2)             ; error E-TYPE scale
