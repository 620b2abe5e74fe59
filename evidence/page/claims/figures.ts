/**
 * Figures that claims are made of.
 */

import type { Cell, Quote } from "../quote.js";

export const suite = (program: string, backend: string, part = "forward") =>
  `suite#${program}/${backend}/${part}`;
export const ratio = (above: string, below: string) => (q: Quote) => q.ratio(above, below);
/** For what no experiment here can test. */
export const none = (): Cell => ({
  text: "— (no experiment of ours)",
  from: [],
  value: undefined,
});
/** Half to twice the paper's figure. */
export const about = (figure: number): readonly [number, number] => [figure / 2, 2 * figure];
