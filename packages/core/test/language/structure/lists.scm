; Making, measuring and taking apart lists.
(list)                          ; => ()
(list 1 'a '(b))                ; => (1 a (b))
(list? '(1 2))                  ; => #t
(list? '())                     ; => #t
(list? '(1 . 2))                ; => #f
(list? 5)                       ; => #f
(length '(a (b) (c d)))         ; => 3
(length '())                    ; => 0
(append)                        ; => ()
(append '(1) '(2 3) '() '(4))   ; => (1 2 3 4)
(append '(1) 2)                 ; => (1 . 2)
(append '() 'a)                 ; => a
(reverse '(1 (2 3) 4))          ; => (4 (2 3) 1)
(list-ref '(a b c d) 2)         ; => c
(list-tail '(a b c d) 2)        ; => (c d)
(list-tail '(a b) 2)            ; => ()
(list-copy '(1 2 3))            ; => (1 2 3)
(list-copy '(6 7 . 8))          ; => (6 7 . 8)
; param a = 2, b = 5
(apply + (reverse (list a (* a b))))   ; => 12  grad a => 6  grad b => 2
(list-ref (append (list a) (list b)) 1)   ; => 5  grad a => 0  grad b => 1
(length (list a b))             ; => 2  inactive a
