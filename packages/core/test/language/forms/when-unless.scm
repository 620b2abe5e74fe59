; when and unless run their body or nothing.
(when (> 3 2) 1 2)         ; => 2
(unless (> 2 3) 1 2)       ; => 2
(begin (when #f (car 5)) 7)      ; => 7
(begin (unless #t (car 5)) 7)    ; => 7
; param a = 4
(when (> a 0) (* a a))     ; => 16  grad a => 8
