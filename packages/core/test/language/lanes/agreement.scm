; What decides nothing may differ from lane to lane.
; param a = -1 | 2
(max a 0)                     ; => 0 | 2      grad a => 0 | 1
(abs a)                       ; => 1 | 2      grad a => -1 | 1
(> a 0)                       ; => #f | #t
(not (> a 0))                 ; => #t | #f
(+ (abs a) (max a (- a)))     ; => 2 | 4      grad a => -2 | 2
(list 'x a (* a a))           ; => (x -1 1) | (x 2 4)
(mat [a 1] [1 a])             ; => [[-1 1] [1 -1]] | [[2 1] [1 2]]
; Lanes that agree about a test go the same way.
(if (< a 5) (* a a) 0)        ; => 1 | 4      grad a => -2 | 4
