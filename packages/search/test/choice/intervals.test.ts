/**
 * Intervals of constants: they are those of `fit` on the same rows, whatever a search takes as simple, and
 * hold the truth as often as they say.
 */

import { fit, Machine, Random } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { choiceWarnings } from "../../src/choice/choose.js";
import { Scales } from "../../src/choice/weigh.js";
import { yardstickOf } from "../../src/choice/yardstick.js";
import { complexityOf } from "../../src/complexity.js";
import type { FrontMember, SearchData, Weighing } from "../../src/index.js";
import { makeStudy } from "../../src/study.js";

const seed = Number(process.env["SEED"] ?? 20261119);

type Params = Readonly<Record<string, number>>;

async function weigh(
  data: SearchData,
  source: string,
  params: Params,
): Promise<Weighing | undefined> {
  const study = makeStudy({ data, target: "y" });
  const scales = await Scales.create(study);
  try {
    const complexity = complexityOf(source, study.inputs);
    return await scales.weigh({ visit: 0, source, params, complexity });
  } finally {
    scales.dispose();
  }
}

/** Rows of a law with normal noise. */
function table(rows: number, sigma: number, law: (x: number) => number, draws: Random) {
  const x = Array.from({ length: rows }, (_, i) => (6 * i) / (rows - 1));
  return { x, y: x.map((at) => law(at) + sigma * draws.normal()) };
}

const isOpen = ({ intervals, simple }: Weighing, name: string): boolean => {
  const interval = intervals[name];
  if (interval === undefined) return true;
  return !simple.includes(name) && interval[0] <= 0 && interval[1] >= 0;
};

const laws: readonly (readonly [string, Params, (x: number) => number])[] = [
  ["(+ a (* b x))", { a: 1, b: 1 }, (x) => 1.3717 + 0.5957 * x],
  ["(+ a (* b x))", { a: 1, b: 1 }, (x) => 0.1317 + 2 * x],
  ["(* a (exp (* b x)))", { a: 2, b: -0.5 }, (x) => 2.3719 * Math.exp(-0.5 * x)],
  ["(+ a (* b (sin (* c x))))", { a: 0.7, b: 2, c: 1 }, (x) => 0.7361 + 2 * Math.sin(1.13 * x)],
];

describe(`intervals of a search (SEED=${seed})`, () => {
  test("were those of infinitely many rows; they are those that fit gives, however many rows there are", async () => {
    const draws = new Random(seed);
    const machine = await Machine.create();
    let simple = 0;
    for (const rows of [8, 9, 12, 40, 400])
      for (const [source, start, law] of laws) {
        const data = table(rows, 0.2, law, draws);
        const found = await weigh(data, source, start);
        if (found === undefined) throw new Error("it has no length");
        simple += found.simple.length;
        const program = machine.load(found.source, { inputs: ["x"] });
        const params = Object.fromEntries(
          Object.entries(found.params).map(([name, value]) => [name, { start: value }]),
        );
        const result = await fit(program, { data, target: "y", optimiser: "lm", params });
        for (const name of Object.keys(found.params)) {
          const [low, high] = result.intervals[name] as readonly [number, number];
          const [from, to] = found.intervals[name] as readonly [number, number];
          const label = `${rows} rows, ${found.source}, ${name}`;
          expect(Math.abs(from - low), label).toBeLessThan(1e-4 * (high - low));
          expect(Math.abs(to - high), label).toBeLessThan(1e-4 * (high - low));
          expect(found.undetermined.includes(name), label).toBe(isOpen(found, name));
        }
        program.dispose();
      }
    machine.dispose();
    expect(simple).toBeGreaterThan(3);
  });

  test("of constants that are open only together with a simple one are those of fit beside that one", async () => {
    const draws = new Random(seed);
    const machine = await Machine.create();
    let checked = 0;
    // The simple one stands between, before and behind the others.
    for (const source of [
      "(/ a (+ b (* c x)))",
      "(/ 1 (/ (+ b (* c x)) a))",
      "(/ a (+ (* c x) b))",
      "(/ a (+ b (* c x)))",
    ]) {
      const data = table(40, 0.02, (x) => 0.637 / (1 + 0.4321 * x), draws);
      const found = await weigh(data, source, { a: 0.6, b: 1, c: 0.5 });
      if (found === undefined) throw new Error("it has no length");
      const { intervals, simple } = found;
      const value = (name: string) => found.params[name] as number;
      const beside = simple.reduce(
        (text, name) => text.replace(new RegExp(`\\b${name}\\b`), `${value(name)}`),
        found.source,
      );
      const rest = Object.keys(found.params).filter((name) => !simple.includes(name));
      if (simple.length === 0 || rest.length === 0) continue;
      checked += 1;
      const params = Object.fromEntries(rest.map((name) => [name, { start: value(name) }]));
      const program = machine.load(beside, { inputs: ["x"] });
      const result = await fit(program, { data, target: "y", optimiser: "lm", params });
      expect(Object.keys(intervals).sort(), beside).toEqual([...rest].sort());
      for (const name of rest)
        for (const side of [0, 1] as const) {
          const [told, right] = [intervals[name]?.[side], result.intervals[name]?.[side]];
          expect(told, `${beside}, ${name}`).toBeCloseTo(right as number, 4);
        }
      program.dispose();
    }
    machine.dispose();
    expect(checked).toBeGreaterThan(1);
  });

  test("of 95 % held the truth in four tables of five; they hold it in 95 of 100", async () => {
    const [source, start, law] = laws[0] as (typeof laws)[number];
    const truth: Params = { a: 1.3717, b: 0.5957 };
    for (const rows of [8, 20]) {
      const draws = new Random(seed + rows);
      const held = { a: 0, b: 0 };
      let tables = 0;
      for (let k = 0; k < 250; k++) {
        const found = await weigh(table(rows, 0.4, law, draws), source, start);
        if (found?.source !== source) continue;
        tables += 1;
        for (const name of ["a", "b"] as const) {
          const [low, high] = found.intervals[name] as readonly [number, number];
          if (low <= (truth[name] as number) && high >= (truth[name] as number)) held[name] += 1;
        }
      }
      expect(tables).toBeGreaterThan(200);
      // Three and a half standard errors of a share of so many tables.
      for (const count of [held.a, held.b])
        expect(Math.abs(count / tables - 0.95)).toBeLessThan(3.5 * Math.sqrt(0.0475 / tables));
    }
  });
});

describe("constants that the data do not tell from 0", () => {
  test("were left out where 0 was in their interval and more than a standard error away", async () => {
    const draws = new Random(seed);
    let open = 0;
    for (let k = 0; k < 60; k++) {
      const data = table(30, 0.3, (x) => 3.31 * x + 0.1, draws);
      const found = await weigh(data, "(+ a (* b x))", { a: 0.1, b: 3 });
      if (found === undefined || !("a" in found.params)) continue;
      expect(found.undetermined).toEqual(["a", "b"].filter((name) => isOpen(found, name)));
      if (found.undetermined.length === 0) continue;
      open += 1;
      const member = { ...found, r2: 1, loss: 1, id: 0 } as unknown as FrontMember;
      const study = makeStudy({ data, target: "y" });
      expect(choiceWarnings(member, { rows: 8, squares: 1 }, yardstickOf(study))).toEqual([
        "0 lies in the 95 % interval of a: the data do not tell its sign, or whether it is needed",
      ]);
    }
    expect(open).toBeGreaterThan(5);
  });

  test("or of which the data know nothing are told apart", async () => {
    const member = {
      ...{ r2: 1, loss: 1, hidden: 0, params: { a: 1, b: 2, c: 3, d: 4 } },
      ...{ intervals: { a: [-1, 3], c: [-1, 7] }, undetermined: ["a", "b", "c"] },
    } as unknown as FrontMember;
    const data = table(8, 0.3, (x) => x, new Random(1));
    const yardstick = yardstickOf(makeStudy({ data, target: "y" }));
    expect(choiceWarnings(member, { rows: 8, squares: 1 }, yardstick)).toEqual([
      "b is not determined by the data: it may have any value, alone or together with others",
      "0 lies in the 95 % intervals of a, c: the data do not tell their signs, or whether they are needed",
    ]);
  });
});
