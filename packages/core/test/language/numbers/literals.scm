; Every spelling of a number.
42                  ; => 42
-7                  ; => -7
+5                  ; => 5
1.5                 ; => 1.5
.5                  ; => 0.5
-.5                 ; => -0.5
3.                  ; => 3
1e3                 ; => 1000
1.5e-3              ; => 0.0015
1E2                 ; => 100
+inf.0              ; => +inf.0
-inf.0              ; => -inf.0
+nan.0              ; => +nan.0
; Names may look almost like numbers.
(let ((x1 5) (-x 2) (... 3) (+a 4)) (list x1 -x ... +a))   ; => (5 2 3 4)
; A fraction is read as the number it is.
1/2                 ; => 0.5
-3/4                ; => -0.75
; #t and #true, #f and #false.
(list #t #true #f #false)   ; => (#t #t #f #f)
