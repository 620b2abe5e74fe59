/** Shares of predictions and of losses that rounding takes, in double and in single precision. */
export const ROUNDING = { f64: 1e-11, f32: 1e-6 } as const;
export const LOSS_ROUNDING = { f64: 1e-12, f32: 1e-5 } as const;
