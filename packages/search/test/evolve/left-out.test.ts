/** Operators that a user left out, in programs of other proposers: their children have none of them. */

import { describe, expect, test } from "vitest";
import { complexityOf } from "../../src/complexity.js";
import { evolve } from "../../src/evolve/evolve.js";
import { skeletonOf } from "../../src/skeleton.js";
import type { Outcome, Proposal } from "../../src/types.js";
import { briefOf } from "./brief.js";

const { signal } = new AbortController();
const LEFT_OUT = ["sin", "tanh", "log", "sqrt"];

/** Forms with one part that is of an operator that was left out; all others are of those allowed. */
const forms: Readonly<Record<string, (part: string) => string>> = {
  "a test's left side": (part) => `(if (< ${part} a) (* b x) (* c x))`,
  "a test's right side": (part) => `(if (< x ${part}) (* b x) (* c x))`,
  "what is when a test holds": (part) => `(if (< x a) ${part} (* b x))`,
  "what is when it does not": (part) => `(if (< x a) (* b x) ${part})`,
  "what a let binds": (part) => `(let ((u ${part})) (* u (+ u a)))`,
  "a let's body": (part) => `(let ((u (* a x))) (+ u (* u ${part})))`,
  "a loop's start": (part) => loopOf(part, "(+ s x)", "(* c s)"),
  "a loop's turn": (part) => loopOf("a", `(+ s ${part})`, "(* c s)"),
  "a loop's result": (part) => loopOf("a", "(+ s x)", `(+ s ${part})`),
  "a sum's first part": (part) => `(+ ${part} (* a x))`,
  "a product's second part": (part) => `(* (+ a x) ${part})`,
};

const loopOf = (start: string, next: string, result: string): string =>
  `(loop ((s ${start}) (k 0)) (if (= k 3) ${result} (recur ${next} (+ k 1))))`;

const scored = ({ source, parents, origin }: Proposal, id: number, proposer: string): Outcome => ({
  ...{ id, visit: id, round: 0, slot: 0, proposer, origin, source, parents },
  skeleton: skeletonOf(source, ["x"]),
  complexity: complexityOf(source, ["x"]),
  ...{ status: "scored", rung: 0, fits: 1, bic: 0 },
  params: Object.fromEntries(["a", "b", "c", "d"].map((name, i) => [name, 0.7 + i])),
  ...{ loss: 0.1, trainR2: 0.9, r2: 0.9 },
});

describe("an operator that was left out does not come in", () => {
  test.each(Object.entries(forms))("by %s", async (_, form) => {
    const proposer = evolve({ draws: 0, islands: 1 });
    proposer.begin(briefOf({ operators: ["+", "*", "if", "let", "loop"] }));
    const strangers = LEFT_OUT.flatMap((name) =>
      ["(* d x)", "(+ d x)", "x"].map((inner) => form(`(${name} ${inner})`)),
    ).map((source, id) => scored({ source, parents: [], origin: "given" }, id, "stranger"));
    proposer.observe(strangers);
    let children = 0;
    for (let batch = 0; batch < 8; batch++) {
      const { proposals } = await proposer.propose(32, signal);
      for (const { source, parents, isRevisit, origin } of proposals) {
        if (isRevisit) continue;
        if (parents.length > 0) children += 1;
        const found = LEFT_OUT.filter((name) => source.includes(`(${name} `));
        expect(found, `${origin} of ${parents}: ${source}`).toEqual([]);
      }
    }
    expect(children).toBeGreaterThan(20);
  });
});
