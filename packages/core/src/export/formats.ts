/**
 * The formats that a model can be exported to.
 */

export const exportFormats = [
  "scheme",
  "json",
  "javascript",
  "latex",
  "sympy",
  "numpy",
  "math",
] as const;
export type ExportFormat = (typeof exportFormats)[number];
