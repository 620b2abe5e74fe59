/** What the llm proposer is told in its tests, and how it is asked. */

import type { Proposer, StudyBrief } from "../../src/types.js";

const column = (name: string) => ({ name, min: 0, max: 6, mean: 3, deviation: 1.5 });

export const brief: StudyBrief = {
  target: column("y"),
  inputs: [column("x")],
  rows: 44,
  operators: ["+", "*", "exp", "sin", "if", "loop"],
  islands: 4,
  complexityMax: 30,
  seed: 1,
  sample: [{ x: 0.5, y: 0.25 }],
  description: "a swing that comes to rest",
};

export const propose = (proposer: Proposer, count = 8) =>
  proposer.propose(count, new AbortController().signal);
