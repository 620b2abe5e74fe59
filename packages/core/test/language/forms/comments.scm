; Comments of every kind are skipped.
(+ 1 #| not | this |# 2)                     ; => 3
(+ 1 #| outer #| inner |# still out |# 2)    ; => 3
(+ 1 #;(ignored (entirely)) 2)               ; => 3
(list 1 #;2 3)                               ; => (1 3)
