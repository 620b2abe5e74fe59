; do steps its variables in parallel until the test holds.
(do ((i 0 (+ i 1)) (sum 0 (+ sum i))) ((= i 5) sum))                     ; => 10
(let ((x '(1 3 5 7 9))) (do ((x x (cdr x)) (sum 0 (+ sum (car x)))) ((null? x) sum)))   ; => 25
; A variable without a step keeps its value.
(do ((i 0 (+ i 1)) (k 3)) ((= i 4) k))                                   ; => 3
; The test's expressions run in order.
(do ((i 0 (+ i 1))) ((= i 2) 1 2 i))                                     ; => 2
; Steps see the old values.
(do ((a 1 b) (b 1 (+ a b)) (n 0 (+ n 1))) ((= n 10) a))                  ; => 89
; param x = 2
(do ((i 0 (+ i 1)) (y 1 (* y x))) ((= i 3) y))                           ; => 8  grad x => 12
