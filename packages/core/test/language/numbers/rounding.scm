; floor, ceiling, truncate and round; round goes to even.
(floor -4.3)        ; => -5
(ceiling -4.3)      ; => -4
(truncate -4.3)     ; => -4
(round -4.3)        ; => -4
(floor 3.5)         ; => 3
(ceiling 3.5)       ; => 4
(truncate 3.5)      ; => 3
(round 3.5)         ; => 4
(round 2.5)         ; => 2
(round -2.5)        ; => -2
(round 7)           ; => 7
; They are flat: the gradient is 0.
; param a = 2.7
(* a (floor a))     ; => 5.4   grad a => 2
(round a)           ; => 3     grad a => 0
(- a (floor a))     ; => 0.7   grad a => 1
