; Lanes that disagree about control are told so: in this version they go one by one.
; param a = -1 | 2
(if (> a 0) (* a a) (- a))                         ; error E-DIVERGENT different branches
(if (and (> a 0) (< a 3)) a (* 10 a))              ; error E-DIVERGENT different branches
(loop ((x (abs a))) (if (> x 20) x (recur (* 2 x))))   ; error E-DIVERGENT different branches
(ref [1 2 3] (+ a 1))                              ; error E-DIVERGENT index
; What does not touch control may differ.
(max a 0)                                          ; => 0 | 2  grad a => 0 | 1
(abs a)                                            ; => 1 | 2  grad a => -1 | 1
(> a 0)                                            ; => #f | #t
(not (> a 0))                                      ; => #t | #f
(+ (abs a) (max a (- a)))                          ; => 2 | 4  grad a => -2 | 2
