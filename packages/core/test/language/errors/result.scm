; A gradient needs a number.
; param a = 2, ask = gradient
(list a a)                  ; error E-RESULT a list
(> a 1)                     ; error E-RESULT 
'a                          ; error E-RESULT 
(vec a a)                   ; error E-RESULT seed
(lambda (x) (* a x))        ; error E-RESULT 
