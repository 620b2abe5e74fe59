; A Scheme evaluator in Scheme: the program it runs is quoted data, its environment an association
; list. Gradients pass through it untouched, because everything it does is structure; only the
; primitives it calls for the inner program reach the tape.
;
;   (run forms environment)   the value of the last form; definitions may come before it
;
; Inner forms: quote if cond (=> too) and or when unless begin let (named too) let* letrec
; loop/recur lambda (rest arguments too) define. Inner procedures are outer procedures, so an outer
; `apply` or `map` can call them.
;
; An environment is a list of frames and bindings, innermost first:
;   (name . value)        a binding
;   (#f (name . form) …)  a recursive frame: each name stands for a lambda expression whose
;                         environment begins with this very frame; that ties the knot of mutual
;                         recursion without assignment

(define (bind names operands environment)
  (cond ((null? names) environment)
        ((symbol? names) (cons (cons names operands) environment))
        (else
         (bind (cdr names)
               (cdr operands)
               (cons (cons (car names) (car operands)) environment)))))

(define (lookup name environment)
  (let ((entry (car environment)))
    (cond ((eq? (car entry) name) (cdr entry))
          ((car entry) (lookup name (cdr environment)))
          (else
           (let ((found (assq name (cdr entry))))
             (if found
                 (evaluate (cdr found) environment)
                 (lookup name (cdr environment))))))))

(define (evaluate form environment)
  (cond ((symbol? form) (lookup form environment))
        ((pair? form) (evaluate-pair (car form) (cdr form) environment))
        (else form)))

(define (evaluate-pair head rest environment)
  (let ((special (if (symbol? head) (assq head special-forms) #f)))
    (if special
        ((cdr special) rest environment)
        (apply (evaluate head environment) (evaluate-each rest environment)))))

(define (evaluate-each forms environment)
  (map (lambda (form) (evaluate form environment)) forms))

; A sequence of expressions, the last one in tail position.
(define (evaluate-sequence forms environment)
  (cond ((null? (cdr forms)) (evaluate (car forms) environment))
        (else (evaluate (car forms) environment)
              (evaluate-sequence (cdr forms) environment))))

; A body: definitions, then expressions. The lambdas among the definitions make one recursive
; frame, which stays on top of the values that are defined one after the other.
(define (evaluate-body forms environment)
  (if (definition? (car forms))
      (define-each forms (cons (cons #f (recursive-definitions forms)) environment))
      (evaluate-sequence forms environment)))

(define (definition? form) (and (pair? form) (eq? (car form) 'define)))

; (name . expression) of a definition in either spelling.
(define (defined form)
  (if (pair? (cadr form))
      (cons (caadr form) (cons 'lambda (cons (cdadr form) (cddr form))))
      (cons (cadr form) (caddr form))))

(define (lambda-expression? form) (and (pair? form) (eq? (car form) 'lambda)))

(define (recursive-definitions forms)
  (filter (lambda (definition) (lambda-expression? (cdr definition)))
          (map defined (filter definition? forms))))

(define (define-each forms environment)
  (if (definition? (car forms))
      (let ((definition (defined (car forms))))
        (define-each
          (cdr forms)
          (if (lambda-expression? (cdr definition))
              environment
              (cons (car environment)
                    (cons (cons (car definition) (evaluate (cdr definition) environment))
                          (cdr environment))))))
      (evaluate-sequence forms environment)))

(define (make-procedure names body environment)
  (lambda operands (evaluate-body body (bind names operands environment))))

; Calls a procedure that can call itself by its name: loops and named lets.
(define (call-recursive name bindings body environment)
  (let ((frame (list #f (cons name (cons 'lambda (cons (map car bindings) body))))))
    (apply (lookup name (cons frame environment))
           (evaluate-each (map cadr bindings) environment))))

(define (evaluate-let rest environment)
  (if (symbol? (car rest))
      (call-recursive (car rest) (cadr rest) (cddr rest) environment)
      (evaluate-body (cdr rest)
                     (bind (map car (car rest))
                           (evaluate-each (map cadr (car rest)) environment)
                           environment))))

(define (evaluate-let* bindings body environment)
  (if (null? bindings)
      (evaluate-body body environment)
      (evaluate-let* (cdr bindings)
                     body
                     (cons (cons (caar bindings) (evaluate (cadar bindings) environment))
                           environment))))

(define (evaluate-letrec bindings body environment)
  (evaluate-body (append (map (lambda (binding) (cons 'define binding)) bindings) body)
                 environment))

(define (evaluate-cond clauses environment)
  (if (null? clauses)
      #f
      (let ((clause (car clauses)))
        (if (eq? (car clause) 'else)
            (evaluate-sequence (cdr clause) environment)
            (let ((test (evaluate (car clause) environment)))
              (cond ((not test) (evaluate-cond (cdr clauses) environment))
                    ((null? (cdr clause)) test)
                    ((eq? (cadr clause) '=>) ((evaluate (caddr clause) environment) test))
                    (else (evaluate-sequence (cdr clause) environment))))))))

(define (evaluate-and forms environment)
  (cond ((null? forms) #t)
        ((null? (cdr forms)) (evaluate (car forms) environment))
        ((evaluate (car forms) environment) (evaluate-and (cdr forms) environment))
        (else #f)))

(define (evaluate-or forms environment)
  (cond ((null? forms) #f)
        ((null? (cdr forms)) (evaluate (car forms) environment))
        (else (let ((value (evaluate (car forms) environment)))
                (if value value (evaluate-or (cdr forms) environment))))))

(define (evaluate-if test consequent alternative environment)
  (cond ((evaluate test environment) (evaluate consequent environment))
        ((null? alternative) #f)
        (else (evaluate (car alternative) environment))))

(define special-forms
  (list
   (cons 'quote (lambda (rest environment) (car rest)))
   (cons 'if (lambda (rest environment)
               (evaluate-if (car rest) (cadr rest) (cddr rest) environment)))
   (cons 'let* (lambda (rest environment)
                 (evaluate-let* (car rest) (cdr rest) environment)))
   (cons 'let evaluate-let)
   (cons 'lambda (lambda (rest environment)
                   (make-procedure (car rest) (cdr rest) environment)))
   (cons 'cond evaluate-cond)
   (cons 'loop (lambda (rest environment)
                 (call-recursive 'recur (car rest) (cdr rest) environment)))
   (cons 'letrec (lambda (rest environment)
                   (evaluate-letrec (car rest) (cdr rest) environment)))
   (cons 'begin evaluate-sequence)
   (cons 'and evaluate-and)
   (cons 'or evaluate-or)
   (cons 'when (lambda (rest environment)
                 (if (evaluate (car rest) environment)
                     (evaluate-sequence (cdr rest) environment)
                     #f)))
   (cons 'unless (lambda (rest environment)
                   (if (evaluate (car rest) environment)
                       #f
                       (evaluate-sequence (cdr rest) environment))))))

(define primitives
  (list
   (cons '+ +) (cons '- -) (cons '* *) (cons '/ /) (cons '= =) (cons '< <) (cons '> >)
   (cons '<= <=) (cons '>= >=) (cons 'exp exp) (cons 'log log) (cons 'sqrt sqrt) (cons 'sin sin)
   (cons 'cos cos) (cons 'abs abs) (cons 'min min) (cons 'max max) (cons 'pow pow)
   (cons 'vec vec) (cons 'mat mat) (cons 'ref ref) (cons 'eye eye) (cons 'scale scale)
   (cons 'dot dot) (cons 'matvec matvec) (cons 'matmul matmul) (cons 'inv inv) (cons 'det det)
   (cons 'cons cons) (cons 'car car) (cons 'cdr cdr) (cons 'caar caar) (cons 'cadr cadr)
   (cons 'cddr cddr) (cons 'caadr caadr) (cons 'cadar cadar) (cons 'cdadr cdadr)
   (cons 'caddr caddr) (cons 'list list) (cons 'append append) (cons 'map map)
   (cons 'filter filter) (cons 'apply apply) (cons 'assq assq) (cons 'not not)
   (cons 'null? null?) (cons 'pair? pair?) (cons 'symbol? symbol?) (cons 'eq? eq?)))

(define (run forms environment) (evaluate-body forms environment))

; Example: the logistic map, differentiable by r and x0 although they are only looked up in a list.
(run '((define (step x) (* r (* x (- 1.0 x))))
       (loop ((x x0) (k 0))
         (if (= k 16) x (recur (step x) (+ k 1)))))
     (append (list (cons 'r r) (cons 'x0 x0)) primitives))
