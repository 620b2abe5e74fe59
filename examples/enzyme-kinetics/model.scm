; Michaelis-Menten: the rate of an enzyme's reaction at a concentration of its substrate.
;
;   conc   concentration, parts per million        Vm   the rate that much substrate approaches
;                                                  K    the concentration that gives half of it
(/ (* Vm conc) (+ K conc))
