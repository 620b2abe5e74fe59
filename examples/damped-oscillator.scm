; A damped oscillator released from rest at height a: its height at time t.
; Inputs: a (height), k (damping per second), w (frequency, radians per second), t (seconds).
(let* ((rate (sqrt (- (* w w) (* k k))))
       (phase (* rate t)))
  (* a
     (exp (- (* k t)))
     (+ (cos phase) (* (/ k rate) (sin phase)))))
