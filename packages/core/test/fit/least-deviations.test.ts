/**
 * Absolute deviations end at the least sum there is, against the plain way: of a line's deviations the sum is least
 * where as many rows are met, or bounds reached, as there are parameters. All choices of them are tried.
 */

import { describe, expect, test } from "vitest";
import { Random } from "../../src/fit/math/random.js";
import { LeastDeviations, type Lines, lossAfter } from "../../src/fit/optimise/kinks.js";
import { type FitOptions, fit, Machine } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const seed = Math.floor(Math.random() * 2 ** 31);
console.info(`least deviations: SEED=${process.env["SEED"] ?? seed}`);
const random = new Random(Number(process.env["SEED"] ?? seed), 0);
const uniform = (from: number, to: number): number => from + (to - from) * random.uniform();
const whole = (from: number, to: number): number => Math.floor(uniform(from, to + 1));
const some = <T>(list: readonly T[]): T => list[whole(0, list.length - 1)] as T;
/** Mostly small, now and then large. */
const heavy = (): number => uniform(-0.5, 0.5) / Math.max(0.05, random.uniform());

const of = <T>(list: ArrayLike<T>, i: number): T => list[i] as T;

/** A row that may be met: its slopes and what it misses. Bounds are rows, too. */
interface Row {
  readonly slopes: readonly number[];
  readonly missed: number;
}

/** The solution of as many equations as there are unknown numbers. */
function meeting(rows: readonly Row[]): number[] | undefined {
  const all = rows.map(({ slopes, missed }) => [...slopes, missed]);
  for (let k = 0; k < all.length; k++) {
    const top = all.slice(k).reduce((a, b) => (Math.abs(of(b, k)) > Math.abs(of(a, k)) ? b : a));
    all[all.indexOf(top)] = of(all, k);
    all[k] = top;
    if (Math.abs(of(top, k)) < 1e-9) return undefined;
    for (const [i, row] of all.entries())
      if (i !== k) all[i] = row.map((each, j) => each - (of(row, k) / of(top, k)) * of(top, j));
  }
  return all.map((row, k) => (row.at(-1) as number) / of(row, k));
}

function* choices<T>(list: readonly T[], count: number, from = 0): Generator<T[]> {
  if (count === 0) yield [];
  for (let i = from; count > 0 && i < list.length; i++)
    for (const rest of choices(list, count - 1, i + 1)) yield [of(list, i), ...rest];
}

function leastByAllChoices(
  data: readonly (Row & { readonly weight: number })[],
  bounds: readonly (readonly [number, number])[],
): number {
  const edges = bounds.flatMap((ends, j) =>
    ends
      .filter(Number.isFinite)
      .map((missed) => ({ slopes: bounds.map((_, i) => (i === j ? 1 : 0)), missed })),
  );
  let least = Infinity;
  for (const rows of choices([...data, ...edges], bounds.length)) {
    const at = meeting(rows);
    if (at === undefined) continue;
    if (!at.every((x, j) => x >= of(bounds, j)[0] - 1e-12 && x <= of(bounds, j)[1] + 1e-12))
      continue;
    const loss = data.reduce(
      (sum, { slopes, missed, weight }) =>
        sum +
        weight * Math.abs(missed - slopes.reduce((all, each, j) => all + each * of(at, j), 0)),
      0,
    );
    least = Math.min(least, loss);
  }
  return least;
}

test("edges lead to the least deviations of lines, ties and bounds included", () => {
  for (let turn = 0; turn < 200; turn++) {
    const size = whole(1, 3);
    const hasTies = random.uniform() < 0.4;
    const number = () => (hasTies ? whole(-2, 2) : uniform(-2, 2));
    const data = Array.from({ length: whole(size + 1, 9) }, () => ({
      slopes: Array.from({ length: size }, number),
      missed: number(),
      weight: some([0, 1, 1, 2.5, uniform(0, 3)]),
    }));
    const bounds = Array.from({ length: size }, (): [number, number] =>
      random.uniform() < 0.4 ? [-uniform(0, 1), uniform(0, 1)] : [-Infinity, Infinity],
    );
    const lines: Lines = {
      size,
      slopes: Float64Array.from(data.flatMap(({ slopes }) => slopes)),
      missed: Float64Array.from(data, ({ missed }) => missed),
      weights: Float64Array.from(data, ({ weight }) => weight),
      lower: Float64Array.from(bounds, ([low]) => low),
      upper: Float64Array.from(bounds, ([, high]) => high),
    };
    const best = new LeastDeviations(lines);
    while (best.next());
    const wanted = leastByAllChoices(data, bounds);
    // Where columns are the same there may be no choice of rows that meet.
    if (wanted !== Infinity) expect(lossAfter(lines, best.by)).toBeLessThanOrEqual(wanted + 1e-7);
  }
});

/** What no step falls below, by the forces of the rows: each of them at most its weight. */
function leastByForces(lines: Lines, forces: Float64Array): number {
  const { size, slopes, missed, weights, lower, upper } = lines;
  const own = forces.map((force, i) => {
    const weight = of(weights, i);
    return Math.min(weight, Math.max(-weight, force));
  });
  let least = own.reduce((sum, force, i) => sum - force * of(missed, i), 0);
  for (let j = 0; j < size; j++) {
    const pulls = own.map((force, i) => force * of(slopes, i * size + j));
    const pull = pulls.reduce((sum, each) => sum + each, 0);
    const parts = pulls.reduce((sum, each) => sum + Math.abs(each), 0);
    if (Math.abs(pull) > 1e-11 * parts) least += pull * of(pull > 0 ? lower : upper, j);
  }
  return least;
}

/** Lines whose numbers are few tenths, so that slopes add up to 0 but for rounding. */
function roundLines(size: number, isBounded: boolean): Lines {
  const rows = whole(size + 1, size + 11);
  const unit = some([1, 10]);
  const bound = isBounded ? 100 : Infinity;
  return {
    size,
    slopes: Float64Array.from({ length: rows * size }, () => (whole(-5, 5) || 1) / unit),
    missed: Float64Array.from({ length: rows }, () => whole(-20, 20) / 10 + uniform(-1, 1)),
    weights: Float64Array.from({ length: rows }, () => whole(1, 3) / some([1, 10])),
    lower: new Float64Array(size).fill(-bound),
    upper: new Float64Array(size).fill(bound),
  };
}

test("hundreds of edges lead to the least sum, though what adds up is made anew on the way", () => {
  const counts = Array.from({ length: 6 }, (_, turn) => {
    const [size, rows] = [whole(50, 60), whole(300, 400)];
    const bound = turn % 3 === 0 ? uniform(0.1, 2) : Infinity;
    const lines: Lines = {
      size,
      slopes: Float64Array.from({ length: rows * size }, () => uniform(-2, 2)),
      missed: Float64Array.from({ length: rows }, heavy),
      weights: Float64Array.from({ length: rows }, () => uniform(0.1, 3)),
      lower: new Float64Array(size).fill(-bound),
      upper: new Float64Array(size).fill(bound),
    };
    const best = new LeastDeviations(lines);
    let edges = 0;
    while (best.next()) edges += 1;
    const loss = lossAfter(lines, best.by);
    expect(loss).toBeLessThanOrEqual(leastByForces(lines, best.forces) * (1 + 1e-7));
    return edges;
  });
  expect(Math.max(...counts)).toBeGreaterThan(100);
});

test("rounding ended the edges above the least sum: slopes of numbers such as 0.1 add up to 0 or not", () => {
  for (let turn = 0; turn < 20_000; turn++) {
    const lines = roundLines(turn % 10 === 0 ? whole(2, 11) : 1, turn % 3 === 0);
    const best = new LeastDeviations(lines);
    while (best.next());
    const loss = lossAfter(lines, best.by);
    expect(loss - leastByForces(lines, best.forces)).toBeLessThan(1e-6 * loss + 1e-9);
  }
});

test("a line through nine rows of tenths ended at 6.8 and was called converged", async () => {
  const x = [0.1, 0.1, 0.1, 0.4, 0.30000000000000004, 0.1, 0.9, 0.9, 0.5];
  const y = [1.7, -0.4000000000000001, 1, 2, 2.8000000000000003, 1, 3.1, 1.8, 0.30000000000000004];
  const options: FitOptions = { data: { x, y }, target: "y", loss: "absolute" };
  const { best } = await fitText("(+ a (* b x))", options);
  expect(best.loss).toBeCloseTo(6.6375, 9);
});

/** A fit of lines, and its rows as the plain way wants them. */
function problem(kind: string, off: number) {
  const count = whole(7, 11);
  const x = Array.from({ length: count }, () => off + uniform(0, 4));
  const y = x.map((at) => 1 + 2 * at + heavy());
  const z = x.map((at) => 100 * (3 - at + heavy()));
  const w = x.map(() => some([0.5, 1, 2, 3]));
  const g = x.map((_, i) => "pq"[i % 2] as string);
  const one = (values: readonly number[], slopesOf: (i: number) => number[], weight = 1) =>
    values.map((missed, i) => ({ slopes: slopesOf(i), missed, weight }));
  const options: FitOptions = { data: { x, y, z, w, g }, target: "y", loss: "absolute" };
  const line = (i: number): number[] => [1, of(x, i) - off];
  const text = "(+ a (* b x))";
  if (kind === "groups") {
    const data = one(y, (i) => [i % 2 === 0 ? 1 : 0, i % 2, of(x, i) - off]);
    return { text, options: { ...options, groups: { by: "g", params: ["a"] } }, parts: [data] };
  }
  if (kind === "weights") {
    const data = one(y, line).map((row, i) => ({ ...row, weight: of(w, i) }));
    return { text, options: { ...options, weights: "w" }, parts: [data] };
  }
  if (kind === "targets") {
    const deviation = (all: number[]): number => {
      const mean = all.reduce((sum, each) => sum + each, 0) / count;
      return Math.sqrt(all.reduce((sum, each) => sum + (each - mean) ** 2, 0) / count);
    };
    return {
      text: "(vec (+ a (* b x)) (+ c (* d x)))",
      options: { ...options, target: ["y", "z"] },
      parts: [y, z].map((all) => one(all, line, 1 / deviation(all))),
    };
  }
  return { text, options, parts: [one(y, line)] };
}

describe("a fit by absolute deviations ended above the least sum and was called converged, with", () => {
  test.each(["one target", "weights", "groups", "targets"])("%s", async (kind) => {
    for (const off of [0, 10, 2000, 1e5]) {
      const { text, options, parts } = problem(kind, off);
      const open = (count: number): [number, number][] =>
        Array.from({ length: count }, () => [-Infinity, Infinity]);
      const least = parts.reduce(
        (sum, part) => sum + leastByAllChoices(part, open(of(part, 0).slopes.length)),
        0,
      );
      const { best, restarts } = await fitText(text, options);
      expect(best.loss / least).toBeGreaterThan(1 - 1e-6);
      expect(best.loss / least).toBeLessThan(1 + 1e-6);
      expect(restarts[0]).toMatchObject({ loss: best.loss, hasConverged: true });
    }
  });

  test("bounds and groups, where the best slope is beyond one", async () => {
    const { text, options, parts } = problem("groups", 0);
    const least = leastByAllChoices(of(parts, 0), [
      [-Infinity, Infinity],
      [-Infinity, Infinity],
      [0.5, 1.8],
    ]);
    const params = { b: { start: 1, bounds: [0.5, 1.8] as const } };
    const { best } = await fitText(text, { ...options, params });
    expect(best.loss / least).toBeCloseTo(1, 6);
  });

  test("bounds of any size, close together and far apart, and a slope between or beyond them", async () => {
    const x = steps(0, 2.5, 6);
    const apart: readonly (number | null)[] = [1e-8, 0.05, 10, 1e9, null];
    for (const bound of [0, 1, -1, 1e6, -1e6])
      for (const width of apart)
        for (const isLower of [true, false])
          for (const beyond of [-1, 0.3, 2]) {
            const other = isLower ? bound + (width ?? Infinity) : bound - (width ?? Infinity);
            const [lower, upper] = isLower ? [bound, other] : [other, bound];
            const size = Math.min(upper - lower, 3);
            const slope = isLower ? bound + beyond * size : bound - beyond * size;
            const y = x.map((at, i) => 3 + slope * at + (i % 2 === 0 ? -0.2 : 0.3) * (1 + i / 9));
            const data = x.map((at, i) => ({ slopes: [1, at], missed: of(y, i), weight: 1 }));
            const least = leastByAllChoices(data, [
              [-Infinity, Infinity],
              [lower, upper],
            ]);
            const where = `${lower} to ${upper}, near ${slope}`;
            const ends = [lower, upper].map((end) => (Number.isFinite(end) ? end : null));
            const start = isLower ? bound + size / 2 : bound - size / 2;
            const scales = lower > 0 ? (["linear", "log"] as const) : (["linear"] as const);
            for (const scale of scales) {
              const { best, restarts } = await fitText("(+ a (* b x))", {
                ...{ data: { x, y }, target: "y", loss: "absolute", detail: "scores" },
                params: { a: 1, b: { start, bounds: [ends[0] ?? null, ends[1] ?? null], scale } },
              });
              expect(best.loss / least, where).toBeGreaterThan(1 - 1e-6);
              expect(best.loss / least, where).toBeLessThan(1 + 1e-6);
              expect(restarts[0]?.hasConverged, where).toBe(true);
            }
          }
  });

  test("Adam, whose steps were over at the least sum", async () => {
    const options: FitOptions = {
      ...{ data: { y: [1, 2, 4] }, target: "y", loss: "absolute", optimiser: "adam" },
      params: { m: 2 },
    };
    for (const count of [1, 40]) {
      const { best, restarts } = await fitText("(+ m 0)", { ...options, steps: count });
      expect(best).toMatchObject({ loss: 3, params: { m: 2 } });
      expect(restarts[0]).toMatchObject({ reason: "loss", hasConverged: true });
    }
  });

  test("single precision and numbers near 2000", async () => {
    const single = await Machine.create({ precision: "f32" });
    for (let turn = 0; turn < 5; turn++) {
      const { text, options, parts } = problem("one target", 2000);
      const least = leastByAllChoices(of(parts, 0), [
        [-Infinity, Infinity],
        [-Infinity, Infinity],
      ]);
      const { best, restarts } = await fit(single.load(text), options);
      if (restarts[0]?.hasConverged) expect(best.loss / least).toBeLessThan(1.005);
      else expect(best.loss / least).toBeLessThan(1.05);
    }
    single.dispose();
  });

  test("curves that meet fewer rows than they have parameters", async () => {
    const x = steps(0.1, 4, 25);
    const away = noise(25, 1.5);
    const y = x.map((at, i) => 3 * Math.exp(-0.7 * at) + 0.5 + of(away, i) ** 3);
    const { best, restarts } = await fitText("(+ c (* a (exp (- (* k x)))))", {
      ...{ data: { x, y }, target: "y", loss: "absolute", params: { a: 1, k: 1, c: 0 } },
    });
    expect(restarts[0]?.hasConverged).toBe(true);
    const lossAt = ([a = 0, k = 0, c = 0]: readonly number[]): number =>
      x.reduce((sum, at, i) => sum + Math.abs(of(y, i) - c - a * Math.exp(-k * at)), 0);
    const found = ["a", "k", "c"].map((name) => best.params[name] as number);
    expect(lossAt(found)).toBeCloseTo(best.loss, 9);
    for (let turn = 0; turn < 3000; turn++) {
      const size = 10 ** -uniform(1, 8);
      const near = found.map((each) => each * (1 + size * uniform(-1, 1)));
      expect(lossAt(near)).toBeGreaterThan(best.loss * (1 - 1e-7));
    }
  });
});

test("a fit of a curve left the valley where it was, for a frequency that no row can tell", async () => {
  const x = [1.8914872761815786, 0.6983832938673139, 1.0880711618810892, 3.704061282798648];
  x.push(0.4485350903123617, 3.9893848076462746, 0.17731888499110937, 2.194141718558967);
  const y = [-1.3529906847049804, 1.0033658916167252, 0.02868887054035829, 0.9487081300658856];
  y.push(2.0109108286100716, -0.07749501524347803, -0.38377733738107533, -0.9184610341022661);
  const { best } = await fitText("(* a (sin (+ (* w x) f)))", {
    ...{ data: { x, y }, target: "y", loss: "absolute" },
    params: {
      a: { start: 1.7614296018781659, bounds: [0, null] },
      w: { start: 3.194181784049692, scale: "log" },
      f: { start: 1.1351251564792086, bounds: [0.37794158100150527, 1.8897079050075263] },
    },
  });
  expect(best.params["w"]).toBeLessThan(10);
});

test("nothing was said where a kink of the program hides whether the deviations are the least", async () => {
  const x = [2.67, 3.93, 1.97, 0.37, 2.89, 1.86, 3.34, 3.82, 1.16, 3.55, 2.26, 2.84];
  const y = [2.84, 4.68, 0.61, 4.44, 3.06, 1.13, 4.17, 4.35, 2.22, 3.64, 1.18, 2.9];
  const { diagnostics } = await fitText("(+ a (* b (abs (- x c))))", {
    ...{ data: { x, y }, target: "y", loss: "absolute" },
    params: { a: 1, b: 1.5, c: 1.7 },
  });
  expect(diagnostics.notes.join()).toContain("have a kink, a jump or no slope here");
});

describe("a fit by absolute deviations does not claim to have converged", () => {
  test("where rounding hides what is left", async () => {
    const single = await Machine.create({ precision: "f32" });
    const x = steps(1e7, 1e7 + 40, 21);
    const away = noise(21, 2);
    const y = x.map((at, i) => 1 + 2 * at + of(away, i));
    const result = await fit(single.load("(+ a (* b x))"), {
      ...{ data: { x, y }, target: "y", loss: "absolute" },
    });
    expect(result.restarts[0]?.hasConverged).toBe(false);
    expect(result.diagnostics.notes.join()).toContain("rounding keeps the fit from following it");
    single.dispose();
  });

  test("where there are too many parameters to look", async () => {
    const g = Array.from({ length: 402 }, (_, i) => `g${i % 201}`);
    const y = noise(402, 3);
    const result = await fit(machine.load("(+ a 0)"), {
      ...{ data: { y, g }, target: "y", loss: "absolute" },
      ...{ groups: { by: "g", params: ["a"] }, params: { a: 0.1 }, detail: "full" },
    });
    expect(result.restarts[0]?.hasConverged).toBe(false);
    expect(result.diagnostics.notes.join()).toContain("too large to see whether");
  });
});
