; map takes several lists and stops with the shortest.
(map square '(1 2 3))                     ; => (1 4 9)
(map + '(1 2 3) '(10 20 30 40))           ; => (11 22 33)
(map (lambda (x y z) (list x y z)) '(1 2) '(a b) '(3 4))   ; => ((1 a 3) (2 b 4))
(map car '())                             ; => ()
; filter keeps the order.
(filter even? '(1 2 3 4))                 ; => (2 4)
(filter (lambda (x) #f) '(1 2))           ; => ()
; The folds hand over the element and the result so far in SRFI 1's order.
(fold-left cons '() '(1 2 3))             ; => (((() . 1) . 2) . 3)
(fold-right cons '() '(1 2 3))            ; => (1 2 3)
(fold-left - 10 '(1 2 3))                 ; => 4
(fold-right - 10 '(1 2 3))                ; => -8
(fold-left list 'z '())                   ; => z
(fold-left + 0 '(1 2) '(10 20))           ; => 33
(fold-right list 'z '(1 2) '(a b))        ; => (1 a (2 b z))
; reduce: element first, then the result so far; the given value is that of the empty list.
(reduce + 0 '(1 2 3))                     ; => 6
(reduce - 0 '(1 2 3 4))                   ; => 2
(reduce + 7 '())                          ; => 7
(reduce + 7 '(5))                         ; => 5
(reduce list 0 '(1 2 3))                  ; => (3 (2 1))
; apply spreads its last argument.
(apply + '(1 2 3))                        ; => 6
(apply + 1 2 '(3 4))                      ; => 10
(apply list '())                          ; => ()
(apply (lambda (a . rest) rest) '(1 2 3)) ; => (2 3)
(apply apply (list + '(1 2)))             ; => 3
(map apply (list + *) '((2 3) (2 3)))     ; => (5 6)
; param a = 3
(apply + (map (lambda (x) (* x a)) '(1 2 3)))         ; => 18  grad a => 6
(fold-left (lambda (sum x) (+ (* sum a) x)) 0 '(1 2 3))   ; => 18  grad a => 8
(reduce * 1 (list a a a))                 ; => 27  grad a => 27
(fold-right * 1 (filter positive? (list a -1 a)))     ; => 9   grad a => 6
