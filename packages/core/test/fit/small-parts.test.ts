/**
 * Small parts of a fit, each against a plain way to the same: slips of names, rows that are copied, second
 * derivatives near bounds, and what is too large to look at.
 */

import { describe, expect, test } from "vitest";
import { isLookedAt } from "../../src/fit/diagnosis/runaway.js";
import { copyRows } from "../../src/fit/optimise/rounds.js";
import { resolveParameters } from "../../src/fit/parameters/parameters.js";
import { NdvmError } from "../../src/index.js";
import { nearest } from "../../src/nearest.js";
import { fitText, noise, steps } from "./support.js";

describe("slips", () => {
  const bare = { builtins: [] as string[], constants: [], procedureValues: [] };

  /** What an undeclared name is taken for. */
  function taken(
    name: string,
    columns: readonly string[],
    declared: readonly string[] = [],
    builtins: readonly string[] = [],
  ): string | undefined {
    const params = Object.fromEntries(declared.map((one) => [one, {}]));
    const inputs = [name, ...columns, ...declared];
    try {
      resolveParameters({ ...bare, builtins, inputs }, columns, { params }, []);
    } catch (error) {
      if (error instanceof NdvmError && error.facts.reason === "slip") return error.facts.expected;
      throw error;
    }
    return undefined;
  }

  /** All names that one letter makes of a name: dropped, added or another. */
  function oneOff(name: string, letters: string): Set<string> {
    const all = new Set<string>();
    for (let i = 0; i <= name.length; i++) {
      all.add(name.slice(0, i) + name.slice(i + 1));
      for (const letter of letters) {
        all.add(name.slice(0, i) + letter + name.slice(i));
        if (i < name.length) all.add(name.slice(0, i) + letter + name.slice(i + 1));
      }
    }
    return all;
  }

  const names = (letters: string, length: number): string[] =>
    length === 0
      ? [""]
      : names(letters, length - 1).flatMap((one) => [...letters].map((letter) => one + letter));
  const sorted = (name: string) => [...name].sort().join("");

  test("of a column are a letter too few, too many, another, or swapped; in long names two", () => {
    const words = [3, 4, 5].flatMap((length) => names("ab", length));
    const others = [...words, ...words.map((word) => word.replace("a", "c"))];
    for (const name of words)
      for (const column of others) {
        if (name === column) continue;
        const isSlip =
          nearest(name, [column]) !== undefined &&
          (sorted(name) === sorted(column) || oneOff(name, "abc").has(column));
        expect(taken(name, [column]), `${name} ${column}`).toBe(
          isSlip ? `the column ${column}` : undefined,
        );
      }
    expect(taken("pressue", ["pressures"])).toBe("the column pressures");
    expect(taken("presue", ["pressures"])).toBeUndefined();
    expect(taken("presue", ["pressure"])).toBeUndefined();
  });

  test("of short names, and of names that differ by a number at the end, are none", () => {
    for (const [
      name,
      column,
    ] of [["ab", "abc"], ["abc", "ab"], ["rate1", "rate2"], ["rate", "rate_2"]] as const) // biome-ignore format: pairs
      expect(taken(name, [column]), name).toBeUndefined();
    expect(taken("rate1", ["ratee1"])).toBe("the column ratee1");
  });

  test("of procedures need five letters, and not one inside the other", () => {
    const builtin = (name: string, known: string) => taken(name, [], [], [known]);
    expect(builtin("lenght", "length")).toBe("the procedure length");
    expect(builtin("lengt", "length")).toBeUndefined();
    expect(builtin("lenth", "length")).toBe("the procedure length");
    expect(builtin("appnd", "append")).toBe("the procedure append");
    expect(builtin("apnd", "append")).toBeUndefined();
    expect(builtin("lengths", "length")).toBeUndefined();
    expect(builtin("leggtt", "length")).toBeUndefined();
    expect(builtin("lengtth", "length")).toBe("the procedure length");
    expect(builtin("lexgth", "length")).toBe("the procedure length");
    expect(builtin("xlenghh", "length")).toBeUndefined();
  });
});

describe("copied rows", () => {
  const numbers = Float64Array.from({ length: 600 }, (_, i) => i + 0.5);
  test.each([
    [0, 600],
    [0, 599],
    [1, 599],
    [5, 0],
    [17, 300],
    [599, 1],
  ])("from %i, %i of them, and nothing beside them", (first, count) => {
    for (const from of [numbers, Float32Array.from(numbers)])
      for (const Into of [Float64Array, Float32Array]) {
        const into = new Into(700).fill(-1);
        copyRows(from, first, count, into, 20);
        const want = new Array(700).fill(-1);
        for (let i = 0; i < count; i++) want[20 + i] = from[first + i];
        expect([...into]).toEqual(want);
      }
    const few = Int32Array.of(7, 8, 9);
    const into = new Int32Array(5).fill(-1);
    copyRows(few, 0, 3, into, 1);
    expect([...into]).toEqual([-1, 7, 8, 9, -1]);
    copyRows(few, 1, 2, into, 0);
    expect([...into]).toEqual([8, 9, 8, 9, -1]);
  });
});

test("runaways are looked for up to four million points of all parameters", () => {
  expect(isLookedAt(1_000_000, 4)).toBe(true);
  expect(isLookedAt(1_000_001, 4)).toBe(false);
  expect(isLookedAt(4_000_000, 1)).toBe(true);
  expect(isLookedAt(1, 4_000_001)).toBe(false);
});

describe("second derivatives of a likelihood", () => {
  const x = steps(-2, 2, 25);
  const y = x.map((at, i) => 1.5 + 0.5 * at + (noise(25, 0.4)[i] as number));
  const source =
    "(let ((r (- y (+ a (* b x)))) (s (exp q))) (+ (* 25 (log s)) (/ (dot r r) (* 2 s s))))";
  const options = { data: { x, y }, isNegativeLogLikelihood: true };

  test("near a bound, on both sides of 0, are those without bounds", async () => {
    const free = await fitText(source, options);
    for (const name of ["a", "b", "q"]) {
      const best = free.best.params[name] as number;
      for (const gap of [1e-3, 1e-5, 1e-6])
        for (const bounds of [
          [best - gap, null],
          [null, best + gap],
          [best - gap, best + gap],
        ] as [number | null, number | null][]) {
          const near = await fitText(source, {
            ...options,
            params: { [name]: { bounds, start: best } },
          });
          if (near.identifiability?.atBounds.length !== 0) continue;
          for (const one of ["a", "b", "q"])
            expect(
              (near.standardErrors[one] as number) / (free.standardErrors[one] as number),
              `${one}, ${name} within ${gap}`,
            ).toBeCloseTo(1, 2);
        }
    }
  });
});
