/**
 * A section of the page: a label of the paper, the experiments behind it, and what it shows.
 */

import type { Block } from "./blocks.js";
import type { Quote } from "./quote.js";

export interface Section {
  readonly label: string;
  readonly title: string;
  readonly experiments: readonly string[];
  blocks(quote: Quote): readonly Block[];
}

export const TITLES: Readonly<Record<string, string>> = {
  scalar: "scalar expression",
  michaelis: "Michaelis–Menten",
  oscillator: "damped oscillator",
  logistic: "logistic-map loop (16 steps)",
  kalman: "Kalman NLL (80 steps)",
};
