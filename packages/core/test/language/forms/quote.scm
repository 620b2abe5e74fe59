; Quoted data is not evaluated.
'a                        ; => a
'(1 (2 b) ())             ; => (1 (2 b) ())
'(a . b)                  ; => (a . b)
'(1 2 . 3)                ; => (1 2 . 3)
''a                       ; => (quote a)
(quote (if x))            ; => (if x)
'#t                       ; => #t
'3.5                      ; => 3.5
'()                       ; => ()
; A quoted name is a symbol even where it is an input's name.
; param a = 4
(list 'a a)               ; => (a 4)
(car '(a))                ; => a
