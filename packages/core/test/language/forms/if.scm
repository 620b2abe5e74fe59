; Only #f is false.
(if #t 1 2)            ; => 1
(if #f 1 2)            ; => 2
(if 0 1 2)             ; => 1
(if '() 1 2)           ; => 1
(if 'false 1 2)        ; => 1
(if (zeros 1) 1 2)     ; => 1
; Without an alternative a true test still has its value.
(if #t 5)              ; => 5
; The side that is not taken does not run.
(if #t 1 (car 5))      ; => 1
(if #f (car 5) 2)      ; => 2
; The gradient is that of the side taken.
; param a = 3
(if (> a 2) (* a a) (- a))    ; => 9   grad a => 6
(if (> a 4) (* a a) (- a))    ; => -3  grad a => -1
; Lanes that agree go together.
; param a = 1 | 2 | 3
(if (> a 0) (* a a) (- a))    ; => 1 | 4 | 9  grad a => 2 | 4 | 6
