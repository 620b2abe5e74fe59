; Procedures are values.
((lambda (x) (+ x x)) 4)                     ; => 8
((lambda () 5))                              ; => 5
((if #f + *) 3 4)                            ; => 12
((lambda (f x) (f (f x))) square 3)          ; => 81
; Rest arguments: all, or those that are left.
((lambda all all) 3 4 5)                     ; => (3 4 5)
((lambda all all))                           ; => ()
((lambda (x y . more) more) 3 4 5 6)         ; => (5 6)
((lambda (x . more) more) 3)                 ; => ()
; A body may define names.
((lambda (x) (define y (* x x)) (+ x y)) 3)  ; => 12
; Rest arguments carry gradients.
; param a = 3
((lambda (x . more) (apply * x more)) 2 a a) ; => 18  grad a => 12
