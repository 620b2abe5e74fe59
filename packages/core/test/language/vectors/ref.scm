; ref counts from 0; of a matrix it takes a row.
; param v = [5 6 7], M = [[1 2 3] [4 5 6]], i = int 1
(ref v 0)               ; => 5      grad v => [1 0 0]
(ref v 2)               ; => 7      grad v => [0 0 1]
(ref v i)               ; => 6      grad v => [0 1 0]
(ref M 1)               ; => [4 5 6]
(ref (ref M 1) 2)       ; => 6      grad M => [[0 0 0] [0 0 1]]
(ref M 1 2)             ; => 6      grad M => [[0 0 0] [0 0 1]]
(dot (ref M 0) (ref M i))    ; => 32  grad M => [[4 5 6] [1 2 3]]
(* (ref v 1) (ref v 1)) ; => 36     grad v => [0 12 0]
(ref v 1.0)             ; => 6
(ref v 3)               ; error E-RANGE 3
(ref v -1)              ; error E-RANGE -1
(ref M 2)               ; error E-RANGE 2
