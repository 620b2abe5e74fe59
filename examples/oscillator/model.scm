; A damped oscillator released from rest: its height at time t.
;
;   t   seconds            a   the height it is released from
;                          k   damping, per second
;                          w   frequency without damping, radians per second
(let* ((rate (sqrt (- (* w w) (* k k))))
       (phase (* rate t)))
  (* a
     (exp (- (* k t)))
     (+ (cos phase) (* (/ k rate) (sin phase)))))
