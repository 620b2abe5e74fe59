; What the language leaves out on purpose is refused with a way out.
(set! x 1)                             ; error E-REFUSED set!
(let ((x 1)) (set! x 2) x)             ; error E-REFUSED set!
(call/cc (lambda (k) 1))               ; error E-REFUSED call/cc
(call-with-current-continuation car)   ; error E-REFUSED call-with-current-continuation
(display 1)                            ; error E-REFUSED display
(newline)                              ; error E-REFUSED newline
(read)                                 ; error E-REFUSED read
(define-syntax foo 1)                  ; error E-REFUSED define-syntax
(string-append "a" "b")                ; error E-REFUSED string
(vector 1 2)                           ; error E-REFUSED vector
(set-car! (list 1) 2)                  ; error E-REFUSED set-car!
(values 1 2)                           ; error E-REFUSED values
(delay 1)                              ; error E-REFUSED delay
; A user's own procedure of such a name is fine.
(define (display x) (* x x))
(display 3)                            ; => 9
(let ((vector list)) (vector 1 2))     ; => (1 2)
