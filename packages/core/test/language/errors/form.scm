; Malformed special forms say which and why.
(if)                          ; error E-FORM if
(if 1)                        ; error E-FORM if
(if 1 2 3 4)                  ; error E-FORM if
(let)                         ; error E-FORM let
(let ((x)) x)                 ; error E-FORM let
(let ((x 1 2)) x)             ; error E-FORM let
(let ((5 1)) 5)               ; error E-FORM let
(let ((x 1) (x 2)) x)         ; error E-FORM x
(let ((x 1)))                 ; error E-FORM let
(let ([x 1]) x)               ; error E-FORM [
(lambda)                      ; error E-FORM lambda
(lambda (x))                  ; error E-FORM lambda
(lambda (x x) x)              ; error E-FORM x
(lambda (1) 1)                ; error E-FORM lambda
(define)                      ; error E-FORM define
(define x)                    ; error E-FORM define
(define 5 1)                  ; error E-FORM define
(+ 1 (define x 2))            ; error E-FORM define
(+ 1 (begin))                 ; error E-FORM begin
(cond)                        ; error E-FORM cond
(cond (else 1) (#t 2))        ; error E-FORM else
(case)                        ; error E-FORM case
(quote)                       ; error E-FORM quote
(quote 1 2)                   ; error E-FORM quote
(do)                          ; error E-FORM do
(loop)                        ; error E-FORM loop
(letrec ((f)) f)              ; error E-FORM letrec
()                            ; error E-FORM ()
(1 . 2)                       ; error E-FORM 
(+ 1 . 2)                     ; error E-FORM 
if                            ; error E-FORM if
(+ else 1)                    ; error E-FORM else
(unquote 1)                   ; error E-FORM unquote
,5                            ; error E-FORM unquote
