/**
 * What our own machine's time is spent on; `experiments/phase0.ts` says what each part is.
 */

export const PARTS = [
  "reading",
  "walking",
  "structure",
  "kernels",
  "replay",
  "backward",
  "boundary",
] as const;
export type Part = (typeof PARTS)[number];
