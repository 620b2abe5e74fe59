; Calling what is not a procedure.
(5 3)                       ; error E-CALL 5
('a 1)                      ; error E-CALL a
((car (list 1)) 2)          ; error E-CALL 1
((list 1 2) 0)              ; error E-CALL 
(#t)                        ; error E-CALL #t
(apply 5 '(1))              ; error E-CALL 5
(map 5 '(1 2))              ; error E-CALL 5
(let ((x 3)) (x 1))         ; error E-CALL 3
([1 2] 0)                   ; error E-CALL 
