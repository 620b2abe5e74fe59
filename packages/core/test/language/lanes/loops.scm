; Lanes leave a loop at different turns.
; param a = 1 | 3 | 10
(loop ((x a) (n 0)) (if (> x 20) n (recur (* 2 x) (+ n 1))))             ; => 5 | 3 | 2
(loop ((x a) (n 0)) (if (> x 20) x (recur (* 2 x) (+ n 1))))             ; => 32 | 24 | 40  grad a => 32 | 8 | 4
(let again ((x a)) (if (> x 20) x (again (* 2 x))))                      ; => 32 | 24 | 40  grad a => 32 | 8 | 4
(do ((x a (* x 2)) (n 0 (+ n 1))) ((> x 20) (+ n (* 0 x))))              ; => 5 | 3 | 2
; A turn on both sides of a test: the tent map.
; param x0 = 0.3 | 0.5 | 0.8, r = 1.5
(loop ((x x0) (k 0))
  (if (= k 2)
      x
      (if (< x 0.5) (recur (* r x) (+ k 1)) (recur (* r (- 1 x)) (+ k 1)))))   ; => 0.675 | 0.375 | 0.45  grad x0 => 2.25 | 2.25 | -2.25
; A count that differs from lane to lane.
; param n = 0 | 3 | 5
(loop ((k 0) (sum 0)) (if (>= k n) sum (recur (+ k 1) (+ sum k))))       ; => 0 | 3 | 10
