; Logistic growth: the yield of a pasture over the time since it was grazed.
;
;   time     since the start                top      the yield that growth approaches
;                                           delay    log of what is missing at time 0, as a ratio
;                                           rate     growth per unit of time while it is small
(/ top (+ 1 (exp (- delay (* rate time)))))
