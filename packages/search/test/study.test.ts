/** A study made of options: which rows are held out, what is refused just where, and what proposers are told. */

import { type NdvmError, seedFor } from "@ndvm/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { paperRecipe, replay, type SearchOptions } from "../src/index.js";
import { briefFor, LIMITS, makeStudy, OPERATORS, SEED_PROPOSER } from "../src/study.js";

const seed = Number(process.env["SEED"] ?? 20261116);

const column = (rows: number, of: (row: number) => number) =>
  Array.from({ length: rows }, (_, row) => of(row));
const studyOf = (rows: number, more: Partial<SearchOptions> = {}) =>
  makeStudy({
    data: {
      x: column(rows, (row) => row),
      z: column(rows, (row) => row * row),
      y: column(rows, (row) => 2 * row + 1),
    },
    target: "y",
    ...more,
  });
const refusalOf = (make: () => unknown): string | undefined => {
  try {
    make();
  } catch (error) {
    const { code, message, help } = error as NdvmError;
    return `${code}: ${message}; ${help}`;
  }
  return undefined;
};

describe(`rows (SEED=${seed})`, () => {
  test("are trained on or held out, each once, in their order, every column alike", () => {
    const share = fc.double({ min: 0.05, max: 0.6, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 90 }), share, fc.nat(9), (rows, holdOut, own) => {
        const { train, heldOut, inputs } = studyOf(rows, { holdOut, seed: own });
        const [trained, held] = [[...(train["x"] ?? [])], [...(heldOut["x"] ?? [])]];
        expect(held).toHaveLength(Math.max(2, Math.round(rows * holdOut)));
        expect([...trained, ...held].sort((a, b) => a - b)).toEqual(column(rows, (row) => row));
        for (const part of [trained, held]) expect(part).toEqual([...part].sort((a, b) => a - b));
        for (const part of [train, heldOut])
          for (const [i, row] of [...(part["x"] ?? [])].entries())
            expect([part["z"]?.[i], part["y"]?.[i]]).toEqual([row * row, 2 * row + 1]);
        expect(inputs).toEqual(["x", "z"]);
      }),
      { seed, numRuns: 60 },
    );
    const held = (own: number) => [...(studyOf(40, { seed: own }).heldOut["x"] ?? [])];
    expect(held(1)).toEqual(held(1));
    expect(held(1)).not.toEqual(held(2));
    expect(held(1)).toHaveLength(10);
  });

  test("are held out by number, each once", () => {
    const { train, heldOut } = studyOf(6, { holdOut: [5, 0, 5, 3] });
    expect([[...(heldOut["x"] ?? [])], [...(train["x"] ?? [])]]).toEqual([
      [0, 3, 5],
      [1, 2, 4],
    ]);
    expect(refusalOf(() => studyOf(6, { holdOut: [0, 6] }))).toContain("from 0 to 5");
    expect(refusalOf(() => studyOf(6, { holdOut: [-1, 2] }))).toContain("from 0 to 5");
  });

  test("are two at least in both parts, and their target varies in both", () => {
    expect(refusalOf(() => studyOf(4))).toBeUndefined();
    expect(refusalOf(() => studyOf(3))).toContain("1 row is left to train on and 2 are held out");
    expect(refusalOf(() => studyOf(6, { holdOut: [1] }))).toContain(
      "5 rows are left to train on and 1 is held out",
    );
    const y = [1, 1, 1, 2, 3, 3];
    const of = (holdOut: readonly number[]) =>
      refusalOf(() => makeStudy({ data: { x: [1, 2, 3, 4, 5, 6], y }, target: "y", holdOut }));
    expect(of([4, 5])).toContain("y is 3 in all rows that are held out");
    expect(of([3, 4, 5])).toContain("y is 1 in all rows that are trained on");
    expect(of([2, 3])).toBeUndefined();
  });

  test("have a finite number in every column, the first and the last of them too", () => {
    for (const row of [0, 1, 5, 9])
      for (const name of ["x", "z", "y"])
        for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
          const data = {
            x: column(10, (i) => i),
            z: column(10, (i) => i * i),
            y: column(10, (i) => 1 + i),
          };
          (data[name as "x"] as number[])[row] = wrong;
          let facts: unknown;
          try {
            makeStudy({ data, target: "y" });
          } catch (error) {
            facts = (error as NdvmError).facts;
          }
          expect(facts).toMatchObject({ column: name, rows: [row], actual: String(wrong) });
        }
  });

  test.each([
    [0, "a share between 0 and 1"],
    [1, "a share between 0 and 1"],
    [Number.NaN, "a share between 0 and 1"],
  ])("a share of %d is none", (holdOut, words) => {
    expect(refusalOf(() => studyOf(20, { holdOut }))).toContain(words);
  });
});

describe("options", () => {
  const rungs = (change: object) => ({
    recipe: { rungs: [{ restarts: 1, steps: 1, share: 1, ...change }] },
  });
  test.each<[string, (value: number) => Partial<SearchOptions>, number, number]>([
    ["seed", (value) => ({ seed: value }), 0, Number.MAX_SAFE_INTEGER],
    ["complexityMax", (value) => ({ complexityMax: value }), 1, 1e6],
    ["epoch", (value) => ({ epoch: value, slots: 1, lag: 1 }), 1, 2 ** 19],
    ["slots", (value) => ({ slots: value, epoch: 1, lag: 1 }), 1, 2 ** 19],
    ["lag", (value) => ({ lag: value, epoch: 1, slots: 1 }), 1, 1000],
    ["islands", (value) => ({ islands: value }), 1, 1e4],
    ["screenSteps", (value) => ({ limits: { screenSteps: value } }), 1, 2 ** 32],
    ["restarts", (value) => rungs({ restarts: value }), 1, 1e6],
    ["steps", (value) => rungs({ steps: value }), 1, 1e9],
  ])("%s may be at either of its ends, and nothing beyond", (_, make, least, most) => {
    for (const value of [least, most])
      expect(refusalOf(() => studyOf(20, make(value)))).toBeUndefined();
    for (const value of [least - 1, most + 1, least + 0.5, Number.NaN])
      expect(
        refusalOf(() => studyOf(20, make(value))),
        String(value),
      ).toMatch(/^E-OPTION: /);
  });

  test("shares of a rung are above 0 and 1 at most, and starts have a deviation", () => {
    const of = (more: Partial<SearchOptions>) => refusalOf(() => studyOf(20, more));
    expect([of(rungs({ share: 1 })), of(rungs({ share: 1e-9 }))]).toEqual([undefined, undefined]);
    for (const share of [0, -1, 1.01, Number.NaN]) expect(of(rungs({ share }))).toContain("share");
    for (const startDeviation of [0, -1, Number.NaN])
      expect(of({ recipe: { startDeviation } })).toContain("recipe.startDeviation");
  });

  test("that nobody gives are these", () => {
    const { epoch, slots, lag, islands, keep, domain, precision, limits, recipe, operators } =
      studyOf(20);
    expect({ epoch, slots, lag, islands, keep, domain, precision }).toEqual({
      ...{
        epoch: 16,
        slots: 16,
        lag: 2,
        islands: 4,
        keep: "all",
        domain: "ieee",
        precision: "f64",
      },
    });
    expect(limits).toEqual(LIMITS);
    expect(LIMITS).toEqual({
      ...{ screenSteps: 5000, fitSteps: 50_000, sourceLength: 10_000, nesting: 1000 },
      ...{ parameters: 32, memory: 268_435_456 },
    });
    expect(operators).toEqual(OPERATORS);
    expect(OPERATORS.join(" ")).toBe("+ - * / square sqrt exp log sin cos tanh if let loop");
    expect([recipe.optimiser, recipe.startDeviation]).toEqual(["lm", 1]);
    expect(recipe.rungs.map(({ restarts, steps, share }) => [restarts, steps, share])).toEqual([
      [1, 12, 1],
      [4, 20, 0.25],
      [8, 30, 0.25],
      [1, 150, 0.5],
    ]);
    expect(briefFor(studyOf(20), 0).complexityMax).toBe(30);
    expect(studyOf(20, { limits: { nesting: 7 } }).limits).toEqual({ ...LIMITS, nesting: 7 });
  });

  test("of the paper's streams are 50 steps of Adam from one start near 0", () => {
    expect(paperRecipe).toEqual({
      optimiser: "adam",
      adam: { rate: 0.05, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 },
      rungs: [{ restarts: 1, steps: 50, share: 1 }],
      startDeviation: 0.3,
    });
    expect(studyOf(20, { recipe: paperRecipe }).recipe).toEqual(paperRecipe);
  });

  test.each([
    [1900, 16],
    [2065, 15],
    [4000, 8],
    [7200, 4],
    [40_000, 4],
  ])("%i rows to train on make epochs of %i", (rows, epoch) => {
    expect(studyOf(rows + 2, { holdOut: [0, 1] }).epoch).toBe(epoch);
  });

  test("name operators of the language, each once, and the nearest where one is none", () => {
    expect(studyOf(20, { operators: ["+", "sin", "+", "if", "expt", "min"] }).operators).toEqual([
      ...["+", "sin", "if", "expt", "min"],
    ]);
    expect(refusalOf(() => studyOf(20, { operators: ["sine"] }))).toContain(
      "there is no operator sine",
    );
    expect(refusalOf(() => studyOf(20, { operators: ["define"] }))).toContain(
      "there is no operator define",
    );
  });

  test("inputs are those that are named, each once, else all but the target", () => {
    expect(studyOf(20, { inputs: ["z", "z"] }).inputs).toEqual(["z"]);
    expect(Object.keys(studyOf(20, { inputs: ["z"] }).train)).toEqual(["z", "y"]);
    expect(refusalOf(() => studyOf(20, { keep: "some" as never }))).toContain("keep is some");
  });
});

describe("a proposer is told", () => {
  test("what the columns are like, and some rows evenly apart", () => {
    const study = studyOf(62, { holdOut: [0, 1], seed: 5 });
    const brief = briefFor(study, 3);
    expect(brief.rows).toBe(60);
    expect(brief.seed).toBe(seedFor(5, SEED_PROPOSER, 3));
    expect(brief.complexityMax).toBe(30);
    expect(brief.sample.map(({ x }) => x)).toEqual(column(12, (i) => 2 + 5 * i));
    expect(brief.sample[1]).toEqual({ x: 7, z: 49, y: 15 });
    const [x] = brief.inputs;
    const mean = 31.5;
    const deviation = Math.sqrt(
      column(60, (i) => (2 + i - mean) ** 2).reduce((a, b) => a + b) / 60,
    );
    expect(x).toMatchObject({
      name: "x",
      min: 2,
      max: 61,
      mean,
      deviation: expect.closeTo(deviation, 12),
    });
    expect(x?.lattice).toEqual({ origin: 0, step: 1 });
    expect(brief.target).toMatchObject({ name: "y", min: 5, max: 123, mean: 64 });
    const few = briefFor(studyOf(7, { holdOut: [0, 1] }), 0);
    expect(few.sample.map((row) => row["x"])).toEqual([2, 3, 4, 5, 6]);
    expect(briefFor(studyOf(20, { complexityMax: 9 }), 0).complexityMax).toBe(9);
  });
});

test("every input is looked at for its size, and no column that is not used for anything", () => {
  const names = ["a", "b", "c"];
  const good = Object.fromEntries(names.map((name, k) => [name, column(12, (i) => i + k)]));
  const y = column(12, (i) => 1 + i * i);
  const of = (columns: Record<string, readonly number[]>, inputs?: readonly string[]) =>
    refusalOf(() =>
      makeStudy({
        ...{ data: { ...good, ...columns, y }, target: "y", precision: "f32" },
        ...(inputs && { inputs }),
      }),
    );
  const bad = {
    huge: column(12, (i) => (i === 5 ? 1e39 : i)),
    "not a number": column(12, (i) => (i === 11 ? Number.NaN : i)),
    infinite: column(12, (i) => (i === 0 ? Number.NEGATIVE_INFINITY : i)),
    short: column(11, (i) => i),
    long: column(13, (i) => i),
    texts: column(12, (i) => i).map(String) as unknown as number[],
  };
  expect(of({})).toBeUndefined();
  for (const [kind, numbers] of Object.entries(bad))
    for (const name of names) {
      const others = names.filter((each) => each !== name);
      for (const inputs of [others, [...others].reverse(), [others[0] as string]])
        expect(of({ [name]: numbers }, inputs), `${kind} ${name}`).toBeUndefined();
      if (kind === "texts") continue;
      for (const inputs of [undefined, names, [name], [name, others[0]], [others[1], name]])
        expect(of({ [name]: numbers }, inputs as string[] | undefined), `${kind} ${name}`).toMatch(
          new RegExp(`^E-OPTION: .*column ${name} `),
        );
    }
  const refused = refusalOf(() =>
    studyOf(12, { data: { ...good, y: bad.huge }, precision: "f32" }),
  );
  expect(refused).toContain("column y reaches 1.00e+39");
});

test(`columns of any signs are told as they are (SEED=${seed})`, () => {
  const size = fc.constantFrom(1e-9, 1, 1e6);
  const columns = fc.tuple(size, fc.constantFrom(-3, -1, -0.5, 0, 2), size);
  fc.assert(
    fc.property(columns, columns, fc.integer({ min: 8, max: 30 }), (x, y, rows) => {
      const made = ([width, about, scale]: readonly [number, number, number], step: number) =>
        column(rows, (i) => scale * (about + (width * ((i * step) % 7)) / 7));
      const data = { x: made(x, 3), y: made(y, 5) };
      if (data.y.every((value) => value === data.y[0])) return;
      const { train } = makeStudy({ data, target: "y", holdOut: [0, 5] });
      const brief = briefFor(makeStudy({ data, target: "y", holdOut: [0, 5] }), 0);
      for (const summary of [brief.target, ...brief.inputs]) {
        const numbers = [...(train[summary.name] as Float64Array)].sort((a, b) => a - b);
        const mean = numbers.reduce((sum, value) => sum + value / numbers.length, 0);
        const squares = numbers.map((value) => (value - mean) ** 2 / numbers.length);
        const large = Math.max(...numbers.map(Math.abs));
        expect([summary.min, summary.max]).toEqual([numbers[0], numbers.at(-1)]);
        expect(Math.abs(summary.mean - mean)).toBeLessThanOrEqual(1e-12 * large);
        expect(
          Math.abs(summary.deviation - Math.sqrt(squares.reduce((a, b) => a + b))),
        ).toBeLessThanOrEqual(1e-12 * large);
      }
    }),
    { seed, numRuns: 100 },
  );
});

test.each([
  [1e160, "too large for a number"],
  [1e-170, "too small for a number"],
])("a target of size %d is refused: its squares are %s", (size, end) => {
  const data = { x: column(20, (i) => i), y: column(20, (i) => size * (1 + (i % 3))) };
  const said = refusalOf(() => makeStudy({ data, target: "y" }));
  expect(said).toContain("column y reaches");
  expect(said).toContain(end);
});

test("programs are replayed in turn, as many as are asked for, from wherever they were left", async () => {
  const programs = ["(* a x)", "x", "(+ a x)"].map((source) => ({ source }));
  const { signal } = new AbortController();
  const said = async (cycles: number, counts: readonly number[], leaveAfter = -1) => {
    let proposer = replay(programs, { cycles });
    const all: string[] = [];
    for (const [i, count] of counts.entries()) {
      const { proposals, isExhausted } = await proposer.propose(count, signal);
      all.push(`${proposals.map(({ source }) => source).join(" ")}${isExhausted ? " end" : ""}`);
      if (i !== leaveAfter) continue;
      const state = JSON.parse(JSON.stringify(proposer.save()));
      proposer = replay(programs, { cycles });
      proposer.restore(state);
    }
    return all;
  };
  const wanted = ["(* a x) x", "(+ a x) (* a x)", "x (+ a x) end", " end"];
  for (const leaveAfter of [-1, 0, 1, 2])
    expect(await said(2.5, [2, 2, 5, 1], leaveAfter)).toEqual(wanted);
  expect(await said(1, [3])).toEqual(["(* a x) x (+ a x) end"]);
  expect(await said(Number.POSITIVE_INFINITY, [4])).toEqual(["(* a x) x (+ a x) (* a x)"]);
  for (const cycles of [0, 0.5, Number.NaN])
    expect(refusalOf(() => replay(programs, { cycles }))).toContain("cycles");
});
