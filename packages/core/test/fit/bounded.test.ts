/**
 * Fits with bounds. Linear least squares are compared with the best of all ways to put parameters on their bounds,
 * each solved by elimination; other models must not have a lower loss close by, by plain JavaScript.
 */

import { describe, expect, test } from "vitest";
import { aboveFree, aboveMoved, aboveOf, betweenMoved, betweenOf } from "../../src/fit/maps.js";
import { type FitResult, fit, Machine, type ParameterOptions } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { fitText, noise, steps } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`bounded: SEED=${seed}`);

const names = ["a", "b", "c", "d"];
const terms = ["a", "(* b x)", "(* c x x)", "(* d (sin (* 2 x)))"];
const single = await Machine.create({ precision: "f32" });

interface Squares {
  /** Rows of what each parameter is multiplied by. */
  readonly rows: readonly (readonly number[])[];
  readonly y: readonly number[];
  readonly weights: readonly number[];
}

interface Box {
  readonly lower: number;
  readonly upper: number;
  readonly spec: ParameterOptions;
}

/** The solution of a square system by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] as number]);
  const at = (i: number, j: number): number => rows[i]?.[j] as number;
  for (let k = 0; k < rows.length; k++) {
    let pivot = k;
    for (let i = k; i < rows.length; i++)
      if (Math.abs(at(i, k)) > Math.abs(at(pivot, k))) pivot = i;
    [rows[k], rows[pivot]] = [rows[pivot] as number[], rows[k] as number[]];
    for (let i = k + 1; i < rows.length; i++) {
      const factor = at(i, k) / at(k, k);
      rows[i] = (rows[i] as number[]).map((value, j) => value - factor * at(k, j));
    }
  }
  const solution = new Array<number>(rows.length).fill(0);
  for (let i = rows.length - 1; i >= 0; i--) {
    let left = at(i, rows.length);
    for (let j = i + 1; j < rows.length; j++) left -= at(i, j) * (solution[j] as number);
    solution[i] = left / at(i, i);
  }
  return solution;
}

const lossOf = ({ rows, y, weights }: Squares, p: readonly number[]): number =>
  rows.reduce((sum, row, i) => {
    const off = row.reduce((s, each, j) => s + each * (p[j] as number), -(y[i] as number));
    return sum + (weights[i] as number) * off * off;
  }, 0);

/** The least loss within the bounds: of all choices of parameters at a bound, the best that is within. */
function bestWithin(squares: Squares, boxes: readonly Box[]) {
  const { rows, y, weights } = squares;
  let best = { loss: Number.POSITIVE_INFINITY, at: [] as string[] };
  for (let choice = 0; choice < 3 ** boxes.length; choice++) {
    const p = boxes.map(({ lower, upper }, j) => [0, lower, upper][side(choice, j)] as number);
    if (!p.every(Number.isFinite)) continue;
    const free = p.flatMap((_, j) => (side(choice, j) === 0 ? [j] : []));
    const sum = (of: (row: readonly number[], i: number) => number): number =>
      rows.reduce((total, row, i) => total + (weights[i] as number) * of(row, i), 0);
    const left = (row: readonly number[], i: number): number =>
      row.reduce((rest, each, j) => rest - each * (p[j] as number), y[i] as number);
    const solution = solve(
      free.map((k) => free.map((m) => sum((row) => (row[k] as number) * (row[m] as number)))),
      free.map((k) => sum((row, i) => (row[k] as number) * left(row, i))),
    );
    for (const [k, j] of free.entries()) p[j] = solution[k] as number;
    if (boxes.some(({ lower, upper }, j) => !isWithin(p[j] as number, lower, upper))) continue;
    const loss = lossOf(squares, p);
    if (loss < best.loss) best = { loss, at: names.filter((_, j) => side(choice, j) > 0) };
  }
  return best;
}

/** 0: free; 1, 2: at the lower, the upper bound. */
const side = (choice: number, j: number): number => Math.floor(choice / 3 ** j) % 3;
const isWithin = (x: number, lower: number, upper: number): boolean => x >= lower && x <= upper;

/** Bounds of every kind: none, one, two, close ones and wide ones, on a log scale, with starts close to them. */
function drawBox(random: Random): Box {
  const edge = random.chance(0.5) ? 0 : 2 * random.unit() - 1;
  const away = 10 ** (4 * random.unit() - 2);
  const [none, most] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  switch (random.below(5)) {
    case 0:
      return { lower: none, upper: most, spec: { start: 4 * random.unit() - 2 } };
    case 1:
      return { lower: edge, upper: most, spec: { start: edge + away, bounds: [edge, null] } };
    case 2:
      return { lower: none, upper: edge, spec: { start: edge - away, bounds: [null, edge] } };
    case 3: {
      const upper = edge + 10 ** (5 * random.unit() - 1);
      const start = edge + (upper - edge) * (0.01 + 0.98 * random.unit());
      return { lower: edge, upper, spec: { start, bounds: [edge, upper] } };
    }
    default: {
      const lower = 10 ** (-3 * random.unit());
      const upper = random.chance(0.5) ? most : lower * 10 ** (1 + 4 * random.unit());
      const start = lower * 10 ** (0.01 + 0.9 * random.unit());
      const bounds = [lower, upper === most ? null : upper] as const;
      return { lower, upper, spec: { start, bounds, scale: "log" } };
    }
  }
}

function drawProblem(random: Random) {
  const size = random.between(2, 4);
  const x = steps(0, 4, random.between(8, 18));
  const rows = x.map((at) => [1, at, at * at, Math.sin(2 * at)].slice(0, size));
  const true_ = Array.from({ length: size }, () => 4 * (random.unit() - 0.3));
  const y = rows.map((row) =>
    row.reduce((sum, each, j) => sum + each * (true_[j] as number), 2 * random.unit() - 1),
  );
  const isWeighted = random.chance(0.4);
  const weights = x.map(() => (isWeighted ? 0.2 + 2 * random.unit() : 1));
  const boxes = Array.from({ length: size }, () => drawBox(random));
  const params = Object.fromEntries(boxes.map(({ spec }, j) => [names[j] as string, spec]));
  const source = `(+ ${terms.slice(0, size).join(" ")} 0)`;
  return { squares: { rows, y, weights }, boxes, params, source, x };
}

const ways = [
  { name: "lm", optimiser: "lm", single: false, rounds: 120, most: 1e-7 },
  { name: "lm in f32", optimiser: "lm", single: true, rounds: 60, most: 1e-3 },
  { name: "lbfgs", optimiser: "lbfgs", single: false, rounds: 60, most: 1e-5 },
] as const;

describe("linear least squares within bounds", () => {
  test.each(ways)("$name converged at bounds from which the loss falls inwards", async (way) => {
    const random = new Random(seed, 11);
    let arrived = 0;
    for (let round = 0; round < way.rounds; round++) {
      const { squares, boxes, params, source, x } = drawProblem(random);
      const { y, weights } = squares;
      const { optimiser } = way;
      const options = { data: { x, y }, target: "y", weights, params, optimiser } as const;
      const found = way.single
        ? await fit(single.load(source), options)
        : await fitText(source, options);
      const best = bestWithin(squares, boxes);
      const drawn = JSON.stringify({ round, source, y, weights, params, best, is: found.best });
      const [only] = found.restarts;
      // Nobody promises that the others arrive from everywhere, only that they say so.
      if (optimiser === "lm") expect(only?.hasConverged, drawn).toBe(true);
      if (optimiser === "lm") expect(only?.steps, drawn).toBeLessThan(80);
      if (only?.hasConverged !== true) continue;
      arrived += 1;
      expect(found.best.loss, drawn).toBeLessThan(best.loss * (1 + way.most) + 1e-9);
      if (way.single) continue;
      expect(found.identifiability?.atBounds, drawn).toEqual(best.at);
    }
    expect(arrived).toBeGreaterThan(0.7 * way.rounds);
  });

  test.each([100, 50, 1000, null])("a parabola with bounds of 0 and %d", async (upper) => {
    const x = [0, 1, 2, 3, 4, 5, 6, 7];
    const y = [3.6, 3.9, 4.7, 6.7, 7.4, 10.6, 13, 16.5];
    const p = { start: 1, bounds: [0, upper] as const };
    const options = { data: { x, y }, target: "y", params: { a: p, b: p, c: p } };
    const r = await fitText("(+ a (* b x) (* c x x))", options);
    expect(r.best.loss).toBeCloseTo(0.762619, 6);
    expect(r.best.params["a"]).toBeCloseTo(3.591667, 5);
    expect(r.best.params["b"]).toBeCloseTo(0.119048, 5);
    expect(r.best.params["c"]).toBeCloseTo(0.245238, 5);
    expect(r.identifiability?.atBounds).toEqual([]);
  });
});

describe("bounds that are far away", () => {
  const far = [1, 1e3, 1e6, 1e9, 1e12, 1e15, 1e30, 1e100, 1e154, 1e200, 1e300];
  const sides = [
    ["on both sides", [-1, 1]],
    ["below", [-1, null]],
    ["above", [null, 1]],
  ] as const;

  test.each(sides)("%s cost the parameters digits, or the fit its end", async (_, [low, high]) => {
    const at = steps(-1, 1.6, 20);
    const wobble = noise(20, 0.3);
    for (const unit of [1, 1e-6])
      for (const precise of [true, false]) {
        const x = at.map((each) => each / unit);
        const y = at.map((each, i) => unit * (2 - 3 * each + (wobble[i] as number)));
        const start = unit * unit;
        const fitted = (bounds?: ParameterOptions["bounds"]): Promise<FitResult> => {
          const spec = bounds === undefined ? { start } : { start, bounds };
          const options = { data: { x, y }, target: "y", params: { a: spec, b: spec } };
          const source = "(+ a (* b x))";
          return precise ? fitText(source, options) : fit(single.load(source), options);
        };
        const free = await fitted();
        for (const by of far) {
          if (unit === 1 && by === 1) continue;
          const scaled = (end: number | null): number | null => end && end * by;
          const found = await fitted([scaled(low), scaled(high)]);
          const told = `${unit} ${by} ${precise}`;
          expect(found.restarts[0]?.hasConverged, told).toBe(true);
          expect(found.restarts[0]?.steps, told).toBeLessThan(8);
          for (const name of ["a", "b"]) {
            const ratio = (found.best.params[name] as number) / (free.best.params[name] as number);
            expect(ratio, told).toBeCloseTo(1, precise ? 12 : 5);
          }
        }
      }
  });

  test("a step to a bound and one away from it lost digits", () => {
    const shares = [1e-15, 1e-6, 1e-3, 0.1, 1, 1.5, 1e6];
    for (const lower of [0, -1, -1e9, -1e15, 7])
      for (const s of [1e-9, 1, 1e15])
        for (const from of shares)
          for (const to of shares) {
            // A step leaves a thousandth of the way to the bound.
            if (to < 1e-3 * from) continue;
            const u = aboveMoved(s, freeAbove(s, from), s * (to - from));
            const size = Math.abs(lower) + s * (from + to);
            const off = Math.abs(aboveOf(lower, s, u) - (lower + s * to));
            expect(off / size, `${lower} ${s} ${from} ${to}`).toBeLessThan(1e-15);
          }
    const places = [-0.999, -0.5, 0, 1e-9, 0.3, 0.9];
    for (const from of places)
      for (const to of places) {
        const u = betweenMoved(5, betweenMoved(5, 0, 5 * from), 5 * (to - from));
        expect(betweenOf(0, 5, -5, 5, u) / 5).toBeCloseTo(to, 13);
      }
  });
});

/** The number of a parameter that is this share of s above its bound. */
const freeAbove = (s: number, share: number): number => aboveFree(s, s * (share - 1), s * share);

type Values = Readonly<Record<string, number>>;

const curves: readonly (readonly [string, (p: Values, t: number) => number, Values])[] = [
  [
    "(+ c (* a (sin (+ p (* w t)))))",
    ({ a = 0, c = 0, p = 0, w = 0 }, t) => c + a * Math.sin(p + w * t),
    { c: 1, a: 2, p: 0.7, w: 1.3 },
  ],
  [
    "(+ c (* a (exp (- (* k t)))))",
    ({ a = 0, c = 0, k = 0 }, t) => c + a * Math.exp(-k * t),
    { c: 0.1, a: 2, k: 0.6 },
  ],
  [
    "(+ l (/ (- h l) (+ 1 (expt (/ t m) n))))",
    ({ h = 0, l = 0, m = 0, n = 0 }, t) => l + (h - l) / (1 + (t / m) ** n),
    { l: 0.1, h: 1, m: 3, n: 2 },
  ],
  [
    "(+ c (* a (exp (- (square (/ (- t m) w))))))",
    ({ a = 0, c = 0, m = 0, w = 0 }, t) => c + a * Math.exp(-(((t - m) / w) ** 2)),
    { c: 0.2, a: 2, m: 3, w: 1.5 },
  ],
];

describe("curves within bounds", () => {
  test.each(["lm", "lbfgs"] as const)(
    "%s ended where the loss falls inwards",
    async (optimiser) => {
      const random = new Random(seed, 12);
      const t = steps(0.2, 8, 20);
      for (const [source, curve, own] of curves)
        for (let round = 0; round < 12; round++) {
          const y = t.map((at) => curve(own, at) + 1.5 * (random.unit() - 0.5));
          const upper = random.pick([null, 20, 40, 1000]);
          const specs = Object.keys(own).map((name) => {
            const start = 0.3 + 3 * random.unit();
            return [name, { start, bounds: [0, upper] }] as const;
          });
          const params = Object.fromEntries(specs);
          const r = await fitText(source, { data: { t, y }, target: "y", params, optimiser });
          if (r.restarts[0]?.hasConverged !== true) continue;
          const loss = (p: Values): number =>
            t.reduce((sum, at, i) => sum + (curve(p, at) - (y[i] as number)) ** 2, 0);
          const drawn = JSON.stringify({ source, y, params, is: r.best });
          for (const [name, { start }] of specs)
            for (const by of [-1e-2, -1e-3, 1e-3, 1e-2]) {
              const value = (r.best.params[name] as number) + by * start;
              if (value < 0 || value > (upper ?? value)) continue;
              const there = loss({ ...r.best.params, [name]: value });
              expect(there, `${name} ${by} ${drawn}`).toBeGreaterThan(r.best.loss * (1 - 1e-6));
            }
        }
    },
  );

  test("a sine within bounds ends where it does without them", async () => {
    const t = steps(0.2, 9.8, 25);
    const wobble = noise(25, 2);
    const y = t.map((at, i) => 1 + 2 * Math.sin(0.7 + 1.3 * at) + (wobble[i] as number));
    const start = { c: 0.8, a: 2, p: 1.3, w: 1.5 };
    const losses = [];
    for (const bounds of [undefined, [0, 40], [0, null], [0, 10]] as const) {
      const params = Object.fromEntries(
        Object.entries(start).map(([name, at]) => [
          name,
          { start: at, ...(bounds === undefined ? {} : { bounds }) },
        ]),
      );
      const source = "(+ c (* a (sin (+ p (* w t)))))";
      losses.push((await fitText(source, { data: { t, y }, target: "y", params })).best.loss);
    }
    for (const loss of losses) expect(loss / (losses[0] as number)).toBeCloseTo(1, 9);
  });
});

describe("intervals of bounded parameters", () => {
  const x = [0, 1, 2, 3, 4, 5, 6, 7];
  const y = [3.6, 3.9, 4.7, 6.7, 7.4, 10.6, 13, 16.5];
  const of = (b: ParameterOptions): Promise<FitResult> =>
    fitText("(+ a (* b x) (* c x x))", { data: { x, y }, target: "y", params: { a: 1, b, c: 1 } });

  test("depended on the start and on bounds far off", async () => {
    const plain = await of({ start: 1 });
    const [low, high] = plain.intervals["b"] as readonly [number, number];
    // Student's t of 5 degrees of freedom.
    const half = 2.570581835636314 * (plain.standardErrors["b"] as number);
    expect(high - low).toBeCloseTo(2 * half, 9);
    for (const start of [0.01, 0.1, 1, 10, 100]) {
      for (const bounds of [
        [-1000, 1000],
        [-1e6, null],
        [null, 500],
        [-900, 1e5],
      ] as const) {
        const r = await of({ start, bounds });
        expect(r.intervals["b"]?.[0]).toBeCloseTo(low, 6);
        expect(r.intervals["b"]?.[1]).toBeCloseTo(high, 6);
      }
      for (const upper of [null, 1e3, 1e6]) {
        const r = await of({ start, bounds: [0, upper] });
        expect(r.intervals["b"]?.[0]).toBe(0);
        expect(r.intervals["b"]?.[1]).toBeCloseTo(high, 6);
      }
    }
  });

  test("on a log scale they are symmetric in the logarithm, from whatever start", async () => {
    for (const start of [0.1, 1, 10])
      for (const bounds of [
        [null, null],
        [1e-6, null],
        [1e-6, 1e6],
      ] as const) {
        const r = await of({ start, bounds, scale: "log" });
        const [b, error] = [r.best.params["b"] as number, r.standardErrors["b"] as number];
        const [low, high] = r.intervals["b"] as readonly [number, number];
        const half = (2.570581835636314 * error) / b;
        expect(Math.log(high / b)).toBeCloseTo(half, 6);
        expect(low).toBeCloseTo(Math.max(bounds[0] ?? 0, b * Math.exp(-half)), 6);
      }
  });
});

test("the gradient at a bound that is reached to its last digit is no reason to go on", async () => {
  const x = steps(0, 5, 12);
  const y = x.map((at, i) => 1 + 2 * at + (noise(12, 0.3)[i] as number));
  for (const precision of ["f64", "f32"] as const)
    for (const bounds of [
      [0, 1.5],
      [null, 1.5],
      [2.5, null],
      [2.5, 3],
      [-1e3, 1.25],
    ] as const) {
      const start = bounds[0] === 2.5 ? 2.7 : 1;
      const params: Record<string, ParameterOptions> = { a: { start: 1 }, b: { start, bounds } };
      const options = { data: { x, y }, target: "y", optimiser: "lm", params } as const;
      const source = "(+ a (* b x))";
      const result = await (precision === "f32"
        ? fit(single.load(source), options)
        : fitText(source, options));
      const [restart] = result.restarts;
      const what = `${precision} ${bounds.join(" to ")}`;
      expect(restart?.hasConverged, what).toBe(true);
      if (precision === "f64") expect(restart?.reason, what).toBe("gradient");
      expect(result.identifiability?.atBounds, what).toEqual(["b"]);
      expect(restart?.steps, what).toBeLessThan(12);
    }
});
