; [a b c] reads as (vec a b c).
; param a = 2
[1 2 3]                          ; => [1 2 3]
[a (* a a)]                      ; => [2 4]
(vsum [a (* a a) 1])             ; => 7  grad a => 5
(mat [1 2] [3 4])                ; => [[1 2] [3 4]]
(ref [5 6 7] 1)                  ; => 6
; In a binding list brackets are a mistake of its own.
(let ([x 1]) x)                  ; error E-FORM [
