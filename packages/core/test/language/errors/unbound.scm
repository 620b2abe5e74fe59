; A free name in operator position is an error at load, with a suggestion.
(foo 1)                    ; error E-UNBOUND foo
(sqr 4)                    ; error E-UNBOUND did you mean
(let ((f 1)) (g f))        ; error E-UNBOUND g
(define (f x) (undefined-thing x))
1                          ; error E-UNBOUND undefined-thing
; Even on a side that never runs.
(if #t 1 (nowhere 2))      ; error E-UNBOUND nowhere
