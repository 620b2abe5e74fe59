; let* binds one after the other.
(let* ((x 2) (y (* x x)) (z (+ x y))) z)          ; => 6
(let* () 3)                                       ; => 3
; A name may be bound again.
(let* ((x 1) (x (+ x 1)) (x (* x 10))) x)         ; => 20
; param a = 2
(let* ((u (* a a)) (v (* u u))) (+ u v))          ; => 20  grad a => 36
