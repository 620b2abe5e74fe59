; Text that is not a sequence of datums.
(+ 1 2                  ; error E-SYNTAX 
(+ 1 2))                ; error E-SYNTAX 
(+ 1 2]                 ; error E-SYNTAX 
[1 2)                   ; error E-SYNTAX 
'                       ; error E-SYNTAX 
(1 . )                  ; error E-SYNTAX 
( . 1)                  ; error E-SYNTAX 
(1 . 2 3)               ; error E-SYNTAX 
#(1 2)                  ; error E-REFUSED vec
#\a                     ; error E-REFUSED character
"text"                  ; error E-REFUSED string
#| never closed         ; error E-SYNTAX 
                        ; error E-SYNTAX empty
