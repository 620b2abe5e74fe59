/**
 * Numeric primitives on vectors and matrices, as programs: what they mean is what these mean.
 *
 * A definition is named after the primitive and the kinds of its operands: s a number, v a vector, m
 * a matrix. `each` stands for any element-wise primitive and gets it as its first operand.
 */

export const derivedText = `
(define (build n f) (loop ((i n) (items '())) (if (= i 0) items (recur (- i 1) (cons (f (- i 1)) items)))))
(define (sum n f) (loop ((i 0) (total 0)) (if (= i n) total (recur (+ i 1) (+ total (f i))))))
(define (fold p a . rest) (if (null? rest) a (apply fold p (p a (car rest)) (cdr rest))))
(define (log-base log x b) (/ (log x) (log b)))
(define (vector-of n f) (apply vec (build n f)))
(define (matrix-of r c f) (apply mat (build r (lambda (i) (vector-of c (lambda (j) (f i j)))))))

(define (each-v p a) (vector-of (vlen a) (lambda (i) (p (ref a i)))))
(define (each-m p a) (matrix-of (rows a) (cols a) (lambda (i j) (p (ref a i j)))))
(define (each-sv p x a) (vector-of (vlen a) (lambda (i) (p x (ref a i)))))
(define (each-vs p a x) (vector-of (vlen a) (lambda (i) (p (ref a i) x))))
(define (each-vv p a b) (vector-of (vlen a) (lambda (i) (p (ref a i) (ref b i)))))
(define (each-sm p x a) (matrix-of (rows a) (cols a) (lambda (i j) (p x (ref a i j)))))
(define (each-ms p a x) (matrix-of (rows a) (cols a) (lambda (i j) (p (ref a i j) x))))
(define (each-mm p a b) (matrix-of (rows a) (cols a) (lambda (i j) (p (ref a i j) (ref b i j)))))

(define (vsum-v a) (sum (vlen a) (lambda (i) (ref a i))))
(define (vsum-m a) (sum (rows a) (lambda (i) (vsum-v (ref a i)))))
(define (root x) (if (= x 0) 0 (sqrt x)))
(define (norm-v a) (root (sum (vlen a) (lambda (i) (* (ref a i) (ref a i))))))
(define (norm-m a) (root (sum (rows a) (lambda (i) (dot-vv (ref a i) (ref a i))))))
(define (normalize-v a) (let ((size (norm-v a))) (each-vs / a size)))
(define (normalize-m a) (let ((size (norm-m a))) (each-ms / a size)))
(define (dot-vv a b) (sum (vlen a) (lambda (i) (* (ref a i) (ref b i)))))
(define (cross-vv a b)
  (let ((part (lambda (i j) (- (* (ref a i) (ref b j)) (* (ref a j) (ref b i))))))
    (vec (part 1 2) (part 2 0) (part 0 1))))
(define (scale-ss x a) (* x a))
(define (scale-sv x a) (each-sv * x a))
(define (scale-sm x a) (each-sm * x a))
(define (outer-vv a b) (matrix-of (vlen a) (vlen b) (lambda (i j) (* (ref a i) (ref b j)))))
(define (matvec-mv a b) (vector-of (rows a) (lambda (i) (dot-vv (ref a i) b))))
(define (matmul-mm a b)
  (matrix-of (rows a) (cols b) (lambda (i j) (sum (cols a) (lambda (k) (* (ref a i k) (ref b k j)))))))
(define (transpose-m a) (matrix-of (cols a) (rows a) (lambda (i j) (ref a j i))))
(define (trace-m a) (sum (rows a) (lambda (i) (ref a i i))))

(define (skip k i) (if (< i k) i (+ i 1)))
(define (laplace n at)
  (if (= n 0)
      1
      (sum n (lambda (j)
        (let ((term (* (at 0 j) (laplace (- n 1) (lambda (r c) (at (+ r 1) (skip j c)))))))
          (if (= (modulo j 2) 0) term (- term)))))))
(define (at-of a) (lambda (i j) (ref a i j)))
(define (det-m a) (laplace (rows a) (at-of a)))
(define (logdet-m a) (log (abs (det-m a))))
(define (cramer a i column)
  (/ (laplace (rows a) (lambda (r c) (if (= c i) (column r) (ref a r c)))) (det-m a)))
(define (solve-mv a b) (vector-of (vlen b) (lambda (i) (cramer a i (lambda (r) (ref b r))))))
(define (solve-mm a b)
  (matrix-of (rows b) (cols b) (lambda (i j) (cramer a i (lambda (r) (ref b r j))))))
(define (inv-m a) (solve-mm a (eye (rows a))))
(define (entry a i j)
  (let ((rest (- (ref a i j) (sum j (lambda (k) (* (entry a i k) (entry a j k)))))))
    (if (= i j) (sqrt rest) (/ rest (entry a j j)))))
(define (cholesky-m a) (matrix-of (rows a) (rows a) (lambda (i j) (if (< i j) 0 (entry a i j)))))
0
`;
