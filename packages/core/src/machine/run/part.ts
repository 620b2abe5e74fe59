/** A part of a population, for those who spread one over computers. */

import type { Program } from "../program.js";
import type { GradientOptions, Inputs } from "../types.js";
import type { Outcome } from "./outcome.js";

/** Values and gradients of the lanes of a part; returns also where every lane of it failed. */
export const gradientPart = (program: Program, inputs: Inputs, options: GradientOptions): Outcome =>
  program.runPart(inputs, options, true).outcome;
