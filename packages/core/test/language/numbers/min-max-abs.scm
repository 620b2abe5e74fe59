; min and max of one argument and more.
(min 3)             ; => 3
(max 3)             ; => 3
(min 3 1 2)         ; => 1
(max 3.9 4)         ; => 4
(max 1 5 3)         ; => 5
(abs -7)            ; => 7
(abs 7)             ; => 7
(abs -2.5)          ; => 2.5
; The gradient goes to the argument that was chosen.
; param a = 2, b = 3
(min a b)           ; => 2  grad a => 1  grad b => 0
(max a b)           ; => 3  grad a => 0  grad b => 1
(max a b 1)         ; => 3  grad a => 0  grad b => 1
(abs (- a b))       ; => 1  grad a => -1 grad b => 1
; On a tie the first argument has it.
; param a = 3, b = 3
(min a b)           ; => 3  grad a => 1  grad b => 0
(max a b)           ; => 3  grad a => 1  grad b => 0
(max b a)           ; => 3  grad a => 0  grad b => 1
; abs is flat at 0.
(abs (- a b))       ; => 0  grad a => 0  grad b => 0
