; Integer results beyond the range become real and go on as numbers.
(* 100000 100000)                 ; => 10000000000
(+ 2147483647 1)                  ; => 2147483648
(- -2147483648 1)                 ; => -2147483649
(- (- 0 2147483647) 10)           ; => -2147483657
(* 65536 65536)                   ; => 4294967296
(square 100000)                   ; => 10000000000
(expt 10 20)                      ; => 1e20
(abs -2147483648)                 ; => 2147483648
(- -2147483648)                   ; => 2147483648
(quotient -2147483648 -1)         ; => 2147483648
(+ 16777216 1 -1)                 ; => 16777216
; A loop may pass the range while it counts.
(loop ((i 0) (x 1)) (if (= i 40) x (recur (+ i 1) (* 2 x))))   ; => 1099511627776
; f64 counts exactly far beyond 2^24; f32 has reals there.
; param precision = f64
(+ 16777217 0)                    ; => 16777217
(= 16777217 16777216)             ; => #f
(loop ((i 16777210)) (if (= i 16777220) i (recur (+ i 1))))    ; => 16777220
(+ 9007199254740991 0)            ; => 9007199254740991
; param precision = f32
(= 16777217 16777216)             ; => #t
(+ 16777216 1)                    ; => 16777216
; A product that is -0 is real: it tells the sign of infinity.
; param none
(/ 1 (* 0 -5))                    ; => -inf.0  reported
(/ 1 (- 0 0))                     ; => +inf.0  reported
(/ 1 (- 0))                       ; => -inf.0  reported
(/ 1 (- 0.0))                     ; => -inf.0  reported
; Whole results of / stay usable as indices.
(list-ref '(a b c) (/ 4 2))       ; => c
