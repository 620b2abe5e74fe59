/**
 * `replay`: lists of programs, and the paper's two streams with its recipe.
 *
 *   NDVM_STREAM_FITS=42289,39759 NDVM_CORPUS=… npx vitest run packages/search/test/engine/replay.test.ts
 */

import { NdvmError } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { describeCorpus, readCorpus } from "../../../core/test/corpus/corpus.js";
import { paperRecipe, readPrograms, replay } from "../../src/index.js";
import { run } from "./support.js";

interface Stream {
  readonly task: {
    readonly xtr: readonly number[];
    readonly ytr: readonly number[];
    readonly xho: readonly number[];
    readonly yho: readonly number[];
  };
  readonly candidates: readonly { readonly src: string }[];
}

const [flatFits = 2000, loopFits = 240] = (process.env["NDVM_STREAM_FITS"] ?? "")
  .split(",")
  .filter((text) => text !== "")
  .map(Number);
const isLong = flatFits >= 42289 && loopFits >= 39759;

/** Best R² of the first cycle and of all, and programs whose R² passes 0.9 by their skeletons. */
async function search(name: string, fits: number) {
  const { task, candidates } = readCorpus<Stream>(`reference/cosearch_${name}.json`);
  const { outcomes, done } = await run({
    data: { x: [...task.xtr, ...task.xho], y: [...task.ytr, ...task.yho] },
    target: "y",
    holdOut: task.xho.map((_, i) => task.xtr.length + i),
    workers: 0,
    recipe: paperRecipe,
    precision: "f32",
    domain: "clamp",
    proposers: [
      replay(
        candidates.map(({ src }) => ({ source: src })),
        { cycles: Number.POSITIVE_INFINITY },
      ),
    ],
    budget: { fits },
  });
  const best = (some: typeof outcomes) =>
    Math.max(...some.slice(0, 1e5).flatMap(({ status, r2 }) => (status === "scored" ? [r2] : [])));
  const good = new Set(outcomes.filter(({ r2 }) => r2 > 0.9).map(({ skeleton }) => skeleton));
  const first = best(outcomes.slice(0, candidates.length));
  return { first, best: best(outcomes), successes: good.size, done, count: candidates.length };
}

describeCorpus(`the paper's streams (NDVM_STREAM_FITS=${flatFits},${loopFits})`, () => {
  test("flat: models are found in the first cycles, and one program in 247 is refused", async () => {
    const { first, best, successes, done, count } = await search("flat", flatFits);
    expect(first).toBeGreaterThan(0.7);
    expect(best).toBeGreaterThanOrEqual(isLong ? 0.996 : 0.98);
    expect(successes).toBeGreaterThanOrEqual(isLong ? 5 : 3);
    expect(done.counts.fits).toBe(flatFits);
    // A few fits of thousands run away.
    const codes = Object.keys(done.counts.failures).filter((code) => code !== "E-NOT-FINITE");
    expect(codes).toEqual(["E-CALL"]);
    const cycles = done.counts.candidates / count;
    expect(done.counts.failures["E-CALL"]).toBeGreaterThanOrEqual(Math.floor(cycles));
  });

  test("recurrences: the long loops are fitted too", async () => {
    const { first, best, successes, done } = await search("rec", loopFits);
    expect(first).toBeGreaterThan(0.3);
    expect(best).toBeGreaterThanOrEqual(isLong ? 0.989 : 0.5);
    expect(successes).toBeGreaterThanOrEqual(isLong ? 2 : 0);
    expect(done.counts.fits).toBe(loopFits);
  });
});

describe("lists of programs", () => {
  test("are lines of JSON, with starts where they are known", () => {
    const text =
      '{"source": "(* a x)"}\n\n{"src": "(+ a x)", "params": ["a"]}\n{"source": "a", "params": {"a": 2}}\n';
    expect(readPrograms(text)).toEqual([
      { source: "(* a x)" },
      { source: "(+ a x)" },
      { source: "a", params: { a: 2 } },
    ]);
  });

  test.each([
    ["", "list.jsonl holds no programs"],
    ["(* a x)", "list.jsonl, line 1: "],
    ['{"source": "(* a x)"}\n{"text": "x"}', "list.jsonl, line 2 has no source"],
    ['{"source": "x", "params": 3}', "list.jsonl, line 1: params is 3"],
    ["null", "list.jsonl, line 1 has no source"],
  ])("%j is refused", (text, message) => {
    const read = () => readPrograms(text, "list.jsonl");
    expect(read).toThrow(NdvmError);
    expect(read).toThrow(message);
  });

  test("that are empty, or are to be gone through less than once, are refused", () => {
    expect(() => replay([])).toThrow("no programs to replay");
    expect(() => replay([{ source: "x" }], { cycles: 0 })).toThrow("cycles is 0");
  });
});
