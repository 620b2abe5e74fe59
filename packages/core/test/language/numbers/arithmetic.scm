; + - * / take any number of arguments and fold from the left.
(+)                  ; => 0
(*)                  ; => 1
(+ 5)                ; => 5
(* 5)                ; => 5
(+ 1 2 3 4)          ; => 10
(- 10 1 2 3)         ; => 4
(* 1 2 3 4)          ; => 24
(/ 24 2 3)           ; => 4
; One argument negates or inverts.
(- 3)                ; => -3
(/ 4)                ; => 0.25
; The quotient of integers is a number like any other.
(/ 1 2)              ; => 0.5
(/ 6 3)              ; => 2
(/ 7 2)              ; => 3.5
; param a = 3, b = 4
(+ a b)              ; => 7     grad a => 1       grad b => 1
(- a b)              ; => -1    grad a => 1       grad b => -1
(* a b)              ; => 12    grad a => 4       grad b => 3
(/ a b)              ; => 0.75  grad a => 0.25    grad b => -0.1875
(- a)                ; => -3    grad a => -1
(/ b)                ; => 0.25  grad b => -0.0625
(+ a a a)            ; => 9     grad a => 3
(* a a a)            ; => 27    grad a => 27
(- a b a b)          ; => -8    grad a => 0       grad b => -2
(/ a b b)            ; => 0.1875  grad a => 0.0625  grad b => -0.09375
; They are values too.
(apply + (list 1 2 3))         ; => 6
(map - '(1 2) '(3 5))          ; => (-2 -3)
