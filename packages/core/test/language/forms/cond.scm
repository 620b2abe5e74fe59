; The first clause whose test holds decides.
(cond ((> 3 2) 'greater) ((< 3 2) 'less))             ; => greater
(cond ((> 3 3) 'greater) ((< 3 3) 'less) (else 'eq))  ; => eq
; A clause without expressions has the value of its test.
(cond (#f 1) (7))                                     ; => 7
; A clause may have several expressions.
(cond (#t 1 2 3))                                     ; => 3
; An arrow hands the value of the test on.
(cond ((assv 'b '((a 1) (b 2))) => cadr) (else 0))    ; => 2
(cond (#f => car) (else 9))                           ; => 9
; A test runs once.
(cond ((memq 'b '(a b c)) => length))                 ; => 2
; A local variable named => or else is a variable.
(let ((=> #f)) (cond (#t => 'ok)))                    ; => ok
(let ((else #f)) (cond (else 1) (#t 2)))              ; => 2
; param a = 2
(cond ((< a 1) (* 3 a)) ((< a 5) (* a a a)) (else 0)) ; => 8  grad a => 12
