/**
 * Bands of new observations hold as many of them as they say, whatever is known of the noise: nothing, weights, or
 * deviations. Of rows whose deviations are not known there is no band.
 */

import { describe, expect, test } from "vitest";
import { Random } from "../../src/fit/math/random.js";
import {
  type FitJson,
  type FitOptions,
  fit,
  fitFromJSON,
  type Prediction,
} from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const line = machine.load("(+ a (* b x))");
const lines = machine.load("(vec (+ a (* b x)) (+ c (* d x)))");
const x = steps(0, 4, 15);

const random = new Random(20, 0);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());

/** What a fit is told of the noise; `s` are the deviations that the rows really have. */
interface Case {
  readonly options: (s: readonly number[]) => FitOptions;
  /** At x, and at the row that is predicted. */
  readonly deviation: (x: number) => number;
  /** What the predicted row brings beside x. */
  readonly brings?: (deviation: number) => Record<string, number[]>;
}

const growing = (at: number): number => 0.1 + 0.5 * at;
const cases: Readonly<Record<string, Case>> = {
  "nothing known": { options: () => ({}), deviation: () => 0.3 },
  "small deviations": { options: (s) => ({ data: { s }, sigma: "s" }), deviation: () => 0.01 },
  "large deviations": { options: (s) => ({ sigma: s }), deviation: () => 50 },
  "deviations that grow": {
    options: (s) => ({ data: { s }, sigma: "s" }),
    deviation: growing,
    brings: (own) => ({ s: [own] }),
  },
  weights: {
    options: (s) => ({ data: { w: s.map((one) => 7 / one ** 2) }, weights: "w" }),
    deviation: growing,
    brings: (own) => ({ w: [7 / own ** 2] }),
  },
};

/** How many of so many bands of 95 % hold, give or take what chance does once in a thousand times. */
function expectNominal(held: number, all: number): void {
  const reach = 3.3 * Math.sqrt(0.95 * 0.05 * all);
  expect(held).toBeGreaterThan(0.95 * all - reach);
  expect(held).toBeLessThan(0.95 * all + reach);
}

describe("95 % bands hold 95 % of new observations with", () => {
  const all = 600;

  test.each(Object.entries(cases))("%s", async (_, { options, deviation, brings }) => {
    let held = 0;
    for (let turn = 0; turn < all; turn++) {
      const y = x.map((at) => 1 + 2 * at + deviation(at) * normal());
      const told = options(x.map(deviation));
      const result = await fit(line, {
        ...{ ...told, data: { ...told.data, x, y }, target: "y", params: { a: 1, b: 2 } },
      });
      const own = deviation(2.5);
      const band = result.predict({ x: [2.5], ...brings?.(own) });
      const seen = 6 + own * normal();
      if (
        seen >= (band.observationLower[0] as number) &&
        seen <= (band.observationUpper[0] as number)
      )
        held += 1;
      expect(band.notes).toBe(undefined);
    }
    expectNominal(held, all);
  });

  test.each([
    ["several targets of one proportion of noise", {}],
    ["several targets and deviations", { sigma: { y: "s", z: "r" } }],
  ] as const)("%s", async (_, sides) => {
    const held = { y: 0, z: 0 };
    for (let turn = 0; turn < all; turn++) {
      const y = x.map((at) => 1 + 2 * at + 0.1 * normal());
      const z = x.map((at) => 50 - 60 * at + 3 * normal());
      const result = await fit(lines, {
        data: { x, y, z, s: x.map(() => 0.1), r: x.map(() => 3) },
        ...{ ...sides, target: ["y", "z"], params: { a: 1, b: 2, c: 50, d: -60 } },
      });
      const { targets } = result.predict({ x: [2.5] });
      for (const [name, seen] of [
        ["y", 6 + 0.1 * normal()],
        ["z", -100 + 3 * normal()],
      ] as const) {
        const { observationLower, observationUpper } = targets[name] ?? {
          observationLower: [],
          observationUpper: [],
        };
        if (seen >= (observationLower[0] ?? NaN) && seen <= (observationUpper[0] ?? NaN))
          held[name] += 1;
      }
    }
    expectNominal(held.y, all);
    expectNominal(held.z, all);
  });
});

describe("known deviations", () => {
  const off = noise(15, 0.03);
  const y = x.map((at, i) => 1 + 2 * at + (off[i] as number));
  const s = x.map(() => 0.01);
  const t = x.map((at) => 0.01 + 0.001 * at);
  const told = { data: { x, y, s, t }, target: "y", params: { a: 1, b: 2 } } as const;

  test("a band was wider by a number without unit, as if that were the noise", async () => {
    const result = await fit(line, { ...told, sigma: "s" });
    const { observationLower, observationUpper } = result.predict({ x: [2] });
    const size = (observationUpper[0] as number) - (observationLower[0] as number);
    const error = result.predict({ x: [2] }).standardErrors[0] as number;
    expect(size).toBeCloseTo(2 * 1.959964 * Math.hypot(0.01, error), 7);
    expect(result.sigma).toBe(0.01);
    expect(result.targets[0]?.sigma).toBe(0.01);
    expect(result.reducedChi).toBeCloseTo(Math.sqrt(result.best.loss / 13), 12);
    expect((await fit(line, told)).reducedChi).toBe(undefined);
  });

  test.each(["squares", "huber", "absolute"] as const)(
    "a target's deviation is the fit's own where there is one target, by %s",
    async (loss) => {
      const y = x.map((at, i) => 1 + 2 * at + (noise(15, 0.3)[i] as number));
      for (const told of [{}, { sigma: x.map(() => 0.5) }, { weights: x.map(() => 4) }]) {
        const { sigma, targets } = await fit(line, { data: { x, y }, target: "y", loss, ...told });
        expect(targets.map((one) => one.sigma)).toEqual([sigma]);
      }
    },
  );

  test("targets of deviations 0.1 and 3 were told to have the same", async () => {
    const z = y.map((one) => 100 * one);
    const { targets, sigma, reducedChi } = await fit(lines, {
      ...{ data: { x, y, z, s, r: s.map(() => 1) }, target: ["y", "z"] },
      sigma: { y: "s", z: "r" },
    });
    expect(targets.map((one) => one.sigma)).toEqual([0.01, 1]);
    expect(sigma).toBeNaN();
    expect(reducedChi).toBeGreaterThan(0);
  });

  test("rows have theirs from the column, as rows of the fit, or not at all", async () => {
    for (const sigma of ["t", t]) {
      const result = await fit(line, { ...told, sigma });
      expect(result.sigma).toBeNaN();
      const unknown = result.predict({ x: [2] });
      expect(unknown.observationLower).toEqual(Float64Array.of(Number.NaN));
      expect(unknown.observationUpper).toEqual(Float64Array.of(Number.NaN));
      const where = sigma === "t" ? ": they have no column t" : "";
      const note = `no band for new observations, since the deviations of these rows are not known${where}`;
      expect(unknown.notes).toEqual([note]);
      expect(unknown.targets["y"]?.notes).toEqual([note]);
      const sizes = (data: { x: readonly number[]; t?: readonly number[] }): number[] => {
        const { observationUpper, values, standardErrors } = result.predict(data);
        return Array.from(observationUpper, (upper, i) =>
          Math.sqrt(
            ((upper - (values[i] as number)) / 1.959963985) ** 2 -
              (standardErrors[i] as number) ** 2,
          ),
        );
      };
      for (const [i, size] of sizes({ x }).entries()) expect(size).toBeCloseTo(t[i] as number, 7);
      if (sigma === "t") expect(sizes({ x: [2], t: [0.5] })[0]).toBeCloseTo(0.5, 6);
      const json = JSON.parse(JSON.stringify(result)) as FitJson;
      const restored = fitFromJSON(line, json);
      expect(restored.predict({ x: [2], t: [0.5] }).notes).toEqual(
        sigma === "t" ? undefined : [note],
      );
      expect(restored.reducedChi).toBe(result.reducedChi);
      expect(restored.toJSON()).toEqual(result.toJSON());
    }
  });

  test("deviations that are none give no band", async () => {
    const result = await fit(line, { ...told, sigma: "t" });
    const rows = { x: [1, 2, 3, 4], t: [0, Number.NaN, -1, 0.1] };
    const { observationLower, notes } = result.predict(rows);
    expect([...observationLower].map(Number.isNaN)).toEqual([true, true, true, false]);
    expect(notes).toEqual([
      "no band for new observations of 3 of 4 rows: their deviations are not numbers above 0",
    ]);
    const words = result.predict({ x: [1], t: ["2"] });
    expect(words.observationLower).toEqual(Float64Array.of(Number.NaN));
    expect(words.notes?.[0]).toContain("1 of 1 rows");
  });
});

describe("a result from JSON lost the bands of the fit's own rows, with", () => {
  const g = x.map((_, i) => "pqr"[i % 3] as string);
  const off = noise(30, 0.3);
  const y = x.map((at, i) => 1 + 2 * at + (off[i] as number));
  const z = x.map((at, i) => 50 - 60 * at + 9 * (off[i + 15] as number));
  const s = x.map((at) => 0.1 + 0.1 * at);
  const r = x.map((_, i) => 1 + (i % 4));
  const data = { x, y, z, s, r, g, e: x.map((at) => at * at) };
  const two = { target: ["y", "z"] } as const;
  const given: Readonly<Record<string, FitOptions>> = {
    "nothing known": {},
    "weights as numbers": { weights: r },
    "weights of a column": { weights: "r" },
    "weights, some of them 0": { weights: r.map((one) => one - 1) },
    "deviations as numbers": { sigma: s },
    "deviations of a column": { sigma: "s" },
    "deviations that are all the same": { sigma: x.map(() => 0.2) },
    "deviations and groups": { sigma: s, groups: { by: "g", params: ["a"] } },
    "two targets": { ...two },
    "two targets and weights": { ...two, weights: { y: s, z: r } },
    "two targets and weights of one": { ...two, weights: { z: r } },
    "two targets and deviations": { ...two, sigma: { y: s, z: "r" } },
    "two targets, deviations and groups": {
      ...{ ...two, sigma: { y: "s", z: r } },
      groups: { by: "g", params: ["a", "c"] },
    },
  };

  test.each(Object.entries(given))("%s", async (name, options) => {
    const program = options.target === undefined ? line : lines;
    const result = await fit(program, { data, target: "y", ...options });
    const back = fitFromJSON(program, JSON.parse(JSON.stringify(result)) as FitJson);
    expect(back.toJSON()).toEqual(result.toJSON());
    const own = { x, g };
    const cut = (each: readonly never[] | readonly number[] | readonly string[]) => each.slice(1);
    const others = [
      { x: x.toReversed(), g },
      { x: cut(x), g: cut(g) },
      { x: x.with(3, 1.7), g },
    ];
    for (const rows of [own, { x, g, r, s }, ...others] as NonNullable<FitOptions["data"]>[])
      expect(back.predict(rows)).toEqual(result.predict(rows));
    const unlike = /column|numbers|and|some/.test(name) && name !== "two targets";
    for (const rows of others)
      expect(result.predict(rows as typeof own).notes !== undefined).toBe(unlike);
    // Rows of another group are other rows.
    const isKnown = (groups: readonly string[]) =>
      !(result.predict({ x, g: groups }).notes ?? []).join().includes("are not known");
    for (const moved of [
      g.toReversed(),
      ...g.map((one, row) => g.with(row, one === "p" ? "q" : "p")),
    ])
      expect(isKnown(moved)).toBe(options.groups === undefined);
    for (const [t, column] of (["y", "z"] as const).slice(0, result.targets.length).entries()) {
      const told = toldOf(options, column);
      const spread = result.sigma * (result.targets[t]?.scale as number);
      const sizes = noiseIn(result.predict(own).targets[column] as Prediction);
      for (const [row, size] of sizes.entries()) {
        const number = told?.[row] ?? 1;
        const wanted = options.sigma === undefined ? spread / Math.sqrt(number) : number;
        if (number === 0) expect(size).toBeNaN();
        else expect(size / wanted).toBeCloseTo(1, 6);
      }
    }
  });

  /** What a fit is told of the rows of one target. */
  function toldOf({ weights, sigma }: FitOptions, target: string): readonly number[] | undefined {
    const all = sigma ?? weights;
    const isOne = Array.isArray(all) || typeof all === "string" || all === undefined;
    const told = isOne ? all : (all as Record<string, unknown>)[target];
    return (typeof told === "string" ? data[told as "r"] : told) as readonly number[] | undefined;
  }

  /** The deviation of an observation in each row, as its bands have it. */
  function noiseIn({ values, standardErrors, upper, observationUpper }: Prediction): number[] {
    const at = (numbers: Float64Array, row: number) => numbers[row] as number;
    const reach = (at(upper, 0) - at(values, 0)) / at(standardErrors, 0);
    return Array.from(observationUpper, (high, row) =>
      Math.sqrt(((high - at(values, row)) / reach) ** 2 - at(standardErrors, row) ** 2),
    );
  }
});

describe("a column of weights or deviations that is not of the predicted rows", () => {
  const off = noise(15, 0.3);
  const y = x.map((at, i) => 1 + 2 * at + (off[i] as number));
  const w = x.map((_, i) => 1 + (i % 3));
  const data = { x, y, w };

  test.each(["weights", "sigma"])(
    "was taken for none: it is refused by its length, as %s",
    async (side) => {
      const result = await fit(line, { data, target: "y", [side]: "w" });
      for (const column of [[1], [1, 2, 3], Float64Array.of(2)])
        expect(() => result.predict({ x: [1, 2], w: column })).toThrow(
          `column w has ${column.length} rows, but x has 2`,
        );
    },
  );

  test("is told where the program reads no column, so that one row is predicted", async () => {
    const program = machine.load("(+ mu 0)");
    const result = await fit(program, { data, target: "y", sigma: "w" });
    expect(result.predict(data).notes?.[0]).toContain("column w has 15 rows, and one is predicted");
    expect(result.predict({ w: [2] }).notes).toBe(undefined);
    expect(result.predict({}).notes?.[0]).toContain("they have no column w");
  });
});

test("bands were the same whatever a row's weight, and say where it is not known", async () => {
  const w = x.map((_, i) => 1 + (i % 3));
  const off = noise(15, 0.3);
  const y = x.map((at, i) => 1 + 2 * at + (off[i] as number));
  const options: FitOptions = { data: { x, y, w }, target: "y", params: { a: 1, b: 2 } };
  const result = await fit(line, { ...options, weights: "w" });
  const noiseOf = (weight?: number): number => {
    const { observationUpper, upper, values, standardErrors } = result.predict({
      x: [2],
      ...(weight === undefined ? {} : { w: [weight] }),
    });
    const reach = ((upper[0] as number) - (values[0] as number)) / (standardErrors[0] as number);
    const half = ((observationUpper[0] as number) - (values[0] as number)) / reach;
    return Math.sqrt(half ** 2 - (standardErrors[0] as number) ** 2);
  };
  for (const weight of [0.25, 1, 4])
    expect(noiseOf(weight)).toBeCloseTo(result.sigma / Math.sqrt(weight), 9);
  expect(noiseOf(0)).toBeNaN();
  expect(noiseOf()).toBeCloseTo(result.sigma, 9);
  expect(result.predict({ x: [2] }).notes).toEqual([
    "the band for new observations is that of weight 1, since the weights of these rows are not known: they have no column w",
  ]);
  const same = await fit(line, { ...options, weights: x.map(() => 4) });
  expect(same.predict({ x: [2] }).notes).toBe(undefined);
});

describe("there were no bands where only a sum or product of parameters is determined, and nothing said so:", () => {
  const y = x.map((at, i) => 2 + 0.5 * at + (noise(15, 0.4)[i] as number));
  const counts = y.map((each) => Math.round(each * 2));
  const sigma = x.map((at) => 0.1 + at / 20);
  const data = { x, y, counts, z: x.map((at) => 2 * at), sigma };
  const pairs: readonly (readonly [string, string, Partial<FitOptions>])[] = [
    ["(+ a c (* b x))", "(+ a (* b x))", {}],
    ["(+ a (* (- b c) x))", "(+ a (* b x))", {}],
    ["(+ a (* b x) (* c z))", "(+ a (* b x))", {}],
    ["(* a c (exp (* b (/ x 10))))", "(* a (exp (* b (/ x 10))))", {}],
    ["(+ a c d (* b x))", "(+ a (* b x))", { params: { d: { bounds: [-9, 9] } } }],
    ["(exp (+ a c (* b x)))", "(exp (+ a (* b x)))", { target: "counts", loss: "poisson" }],
  ];
  test.each(pairs)("%s has those of %s", async (source, plain, how) => {
    const far = source.includes("exp") ? 20 : 1e6;
    const rows = { x: [-3, 0.5, far], z: [-6, 1, 2 * far] };
    for (const told of how.loss === undefined ? [{ sigma }, {}] : [{}]) {
      const options: FitOptions = { data, target: "y", ...how, ...told };
      const open = await fit(machine.load(source), options);
      const { params: _params, ...others } = options;
      const known = await fit(machine.load(plain), others);
      const [is, wanted] = [open.predict(rows), known.predict(rows)];
      expect(open.identifiability?.undetermined.length).toBeGreaterThan(0);
      // More parameters leave less freedom.
      const ratio = open.sigma / known.sigma || 1;
      for (const [i, error] of wanted.standardErrors.entries()) {
        expect((is.standardErrors[i] as number) / error / ratio).toBeCloseTo(1, 4);
        expect(is.lower[i]).toBeLessThan(is.upper[i] as number);
      }
      expect(is.notes).toEqual(wanted.notes);
      const stored = JSON.parse(JSON.stringify(open)) as FitJson;
      const back = fitFromJSON(machine.load(source), stored).predict(rows);
      expect(back.standardErrors).toEqual(is.standardErrors);
    }
  });

  test("rows whose predictions are not determined are told", async () => {
    const result = await fit(machine.load("(+ a (* b x) (* c z))"), { data, target: "y" });
    const { standardErrors, upper, notes } = result.predict({ x: [1, 1, 2], z: [2, 3, 5] });
    expect([...standardErrors].map(Number.isNaN)).toEqual([false, true, true]);
    expect(upper[0]).toBeGreaterThan(0);
    expect(notes).toEqual([
      "no bands for 2 of 3 rows: the data of the fit do not determine their predictions",
    ]);
  });
});
