; memq, memv, member; assq, assv, assoc.
(memq 'c '(a b c d))                 ; => (c d)
(memq 'z '(a b c))                   ; => #f
(memq (list 'a) '(b (a) c))          ; => #f
(member (list 'a) '(b (a) c))        ; => ((a) c)
(memv 101 '(100 101 102))            ; => (101 102)
(member 2.0 '(1 2 3))                ; => (2 3)
(member 2.5 '(1 2 3) <)              ; => (3)
(assq 'b '((a 1) (b 2)))             ; => (b 2)
(assq 'd '((a 1) (b 2)))             ; => #f
(assv 5 '((2 3) (5 7) (11 13)))      ; => (5 7)
(assoc (list 'a) '(((a)) ((b))))     ; => ((a))
(assoc 2.0 '((1 1) (2 4)) =)         ; => (2 4)
; What is found keeps its gradient.
; param a = 3
(cdr (assq 'x (list (cons 'y 1) (cons 'x (* a a)))))   ; => 9  grad a => 6
