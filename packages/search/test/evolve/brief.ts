/**
 * A study's brief for tests of the proposer alone.
 */

import { OPERATORS } from "../../src/study.js";
import type { StudyBrief } from "../../src/types.js";

export function briefOf(changes: Partial<StudyBrief> = {}): StudyBrief {
  return {
    target: { name: "y", min: -1, max: 3, mean: 1, deviation: 0.8 },
    inputs: [{ name: "x", min: 0, max: 5, mean: 2.5, deviation: 1.4 }],
    rows: 40,
    operators: OPERATORS,
    complexityMax: 30,
    islands: 4,
    seed: 7,
    sample: [
      { x: 0.5, y: 1 },
      { x: 2, y: 0.5 },
    ],
    description: "",
    ...changes,
  };
}
