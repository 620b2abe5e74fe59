; Lanes that disagree about a test take their own sides, and numbers merge lane by lane.
; param a = -1 | 0 | 2 | 3
(if (> a 0) (* a a) (- a))                    ; => 1 | 0 | 4 | 9      grad a => -1 | -1 | 4 | 6
(cond ((< a 0) 10) ((< a 3) (* 3 a)) (else (square a)))   ; => 10 | 0 | 6 | 9  grad a => 0 | 3 | 3 | 6
(if (and (> a 0) (< a 3)) a (* 10 a))         ; => -10 | 0 | 2 | 30   grad a => 10 | 10 | 1 | 10
(if (or (< a 0) (> a 2)) a (* 10 a))          ; => -1 | 0 | 20 | 3    grad a => 1 | 10 | 10 | 1
(if (not (> a 0)) a (* 10 a))                 ; => -1 | 0 | 20 | 30   grad a => 1 | 1 | 10 | 10
(when (> a -5) (if (= a 0) 1 a))              ; => -1 | 1 | 2 | 3     grad a => 1 | 0 | 1 | 1
(case a ((0) 7) ((2 3) a) (else (* a a)))     ; => 1 | 7 | 2 | 3      grad a => -2 | 0 | 1 | 1
; A branch inside a branch.
(if (> a 0) (if (> a 2) (* 5 a) a) (if (< a 0) (* 7 a) 1))    ; => -7 | 1 | 2 | 15  grad a => 7 | 0 | 1 | 5
; What was computed before the branch is shared by both sides.
(let ((b (* a a))) (if (> a 0) (+ b 1) (- b a)))   ; => 2 | 0 | 5 | 10  grad a => -3 | -1 | 4 | 6
; Vectors merge element by element.
(vsum (if (> a 0) [a a] [1 a]))               ; => 0 | 1 | 4 | 6      grad a => 1 | 1 | 2 | 2
; Booleans and integers merge too.
(if (> a 0) (> a 2) (= a 0))                  ; => #f | #t | #f | #t
(+ a (if (> a 0) 1 2))                        ; => 1 | 2 | 3 | 4      grad a => 1 | 1 | 1 | 1
(if (> a 0) 1 0.5)                            ; => 0.5 | 0.5 | 1 | 1
; A procedure that a lane alone calls.
(define (f x) (if (> x 1) (* x (f (- x 1))) 1))
(f a)                                         ; => 1 | 1 | 2 | 6      grad a => 0 | 0 | 1 | 5
; NaN and infinity on the side of another lane reach nothing.
(if (> a 0) (log a) (* 2 a))                  ; => -2 | 0 | 0.6931471805599453 | 1.0986122886681098  grad a => 2 | 2 | 0.5 | 0.3333333333333333
(if (= a 0) 1 (/ (sin (* 0 a)) a))            ; => -0.0 | 1 | 0 | 0
; Structure cannot merge, and each lane still has its own.
(if (> a 0) (list a 'up) 'down)               ; => down | down | (2 up) | (3 up)
(length (if (> a 0) '(1 2) '()))              ; => 0 | 0 | 2 | 2
((if (> a 0) square -) a)                     ; => 1 | 0 | 4 | 9      grad a => -1 | -1 | 4 | 6
; An index of its own in every lane.
(ref [10 20 30 40 50] (+ a 1))                ; => 10 | 20 | 40 | 50
(list-ref '(p q r s t) (+ a 1))               ; => p | q | s | t
