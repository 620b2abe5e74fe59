; let is parallel: the values see the outside.
(let ((x 2) (y 3)) (* x y))                       ; => 6
(let ((x 1)) (let ((x 2) (y x)) (list x y)))      ; => (2 1)
(let () 5)                                        ; => 5
; A body may define names and has several expressions.
(let ((x 2)) (define y (* x x)) 0 (+ x y))        ; => 6
; param a = 3
(let ((a (* a a))) (+ a 1))                       ; => 10  grad a => 6
(let ((u (* a 2)) (v (* a 5))) (* u v))           ; => 90  grad a => 60
; The witness of a let* inside a let* binding, which the reference evaluates to 0.
(let* ((a (let* ((b 1.0)) b))) a)                 ; => 1
(let* ((u (let* ((w (* a a))) w))) (* u a))       ; => 27  grad a => 27
