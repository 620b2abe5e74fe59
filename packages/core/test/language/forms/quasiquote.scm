; A template evaluates what is unquoted and splices what is spliced.
; param a = 4
`(1 ,a 3)                     ; => (1 4 3)
`(1 ,(+ a 1) b)               ; => (1 5 b)
`(0 ,@(list 1 2) 3)           ; => (0 1 2 3)
`(,@'() . tail)               ; => tail
`(x ,@(map square '(2 3)))    ; => (x 4 9)
`a                            ; => a
`,a                           ; => 4
`(1 . ,a)                     ; => (1 . 4)
`((,a) ((,a)))                ; => ((4) ((4)))
; Inside an inner template only the unquote that reaches the outer level is evaluated.
`(1 `(2 ,(3 ,a) ,b))          ; => (1 (quasiquote (2 (unquote (3 4)) (unquote b))))
; Numbers that pass through a template keep their gradient.
(apply * `(2 ,a ,@(list a)))  ; => 32  grad a => 16
