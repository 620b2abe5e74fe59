/**
 * Many fits in one process, in small (`node --expose-gc packages/core/scripts/soak.mjs` does a
 * million): the machine's memory and the heap stay as they were, and nothing is remembered of a text.
 */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";

interface Mark {
  readonly fits: number;
  /** Mebibytes. */
  readonly heap: number;
  readonly external: number;
  readonly machine: number;
}

let marks: readonly Mark[] = [];
let ratios: readonly number[] = [];
let sum = Number.NaN;

beforeAll(async () => {
  const script = resolve(import.meta.dirname, "../../scripts/soak.mjs");
  const words = ["--expose-gc", script, "1000", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  ({ marks, ratios, sum } = JSON.parse(stdout));
});

describe("a thousand fits in one process", () => {
  test("all of them end", () => {
    expect(marks.map(({ fits }) => fits)).toEqual([
      100, 200, 300, 400, 500, 600, 700, 800, 900, 1000,
    ]);
    expect(Number.isFinite(sum)).toBe(true);
  });

  test("the machine's memory does not grow", () => {
    expect(marks.at(-1)?.machine).toBe(marks[1]?.machine);
  });

  test("the heap does not grow with the fits", () => {
    // What the compiler keeps of the process's own code is some hundred kilobytes in all; one
    // forgotten session or program of these would be two kilobytes and more each.
    const [from, to] = [marks[3] as Mark, marks.at(-1) as Mark];
    const growth = to.heap + to.external - from.heap - from.external;
    expect((growth * 2 ** 20) / (to.fits - from.fits)).toBeLessThan(2048);
  });

  test("a text that was fitted before is not remembered", () => {
    // Fastest of many fits of one text over the fastest of new texts, taking turns.
    expect(ratios.length).toBe(3);
    for (const ratio of ratios) expect(ratio).toBeGreaterThan(0.6);
  });
});
