/**
 * Losses that are straight but for corners, against the plain way: of lines their sum is least where as many corners
 * are met as there are parameters. All choices of them are tried.
 */

import { describe, expect, test } from "vitest";
import { Random } from "../../src/fit/math/random.js";
import { type FitOptions, fit, Machine } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`corners: SEED=${seed}`);
const random = new Random(seed, 0);
const uniform = (from: number, to: number): number => from + (to - from) * random.uniform();
const whole = (from: number, to: number): number => Math.floor(uniform(from, to + 1));
const some = <T>(list: readonly T[]): T => list[whole(0, list.length - 1)] as T;
/** Mostly small, now and then large. */
const heavy = (): number => uniform(-0.5, 0.5) / Math.max(0.05, random.uniform());
const of = <T>(list: ArrayLike<T>, i: number): T => list[i] as T;

/** A loss as text, in TypeScript, and where it has its corners. */
interface Kind {
  readonly text: string;
  readonly loss: (y: number, f: number) => number;
  readonly corners: (y: number) => readonly number[];
}

const check = (share: number): Kind => ({
  text: `(max (* ${share} (- y pred)) (* ${share - 1} (- y pred)))`,
  loss: (y, f) => Math.max(share * (y - f), (share - 1) * (y - f)),
  corners: (y) => [y],
});

const kinds: Readonly<Record<string, Kind>> = {
  "absolute deviations": {
    text: "(abs (- y pred))",
    loss: (y, f) => Math.abs(y - f),
    corners: (y) => [y],
  },
  "Laplace's likelihood": {
    text: "(+ (/ (abs (- pred y)) 0.3) (log 0.6))",
    loss: (y, f) => Math.abs(y - f) / 0.3 + Math.log(0.6),
    corners: (y) => [y],
  },
  "the lower quartile": check(0.25),
  "a high quantile": check(0.9),
  "a tolerance": {
    text: "(max 0 (- (abs (- pred y)) 0.4))",
    loss: (y, f) => Math.max(0, Math.abs(y - f) - 0.4),
    corners: (y) => [y - 0.4, y + 0.4],
  },
  "three quantiles, one branch for each": {
    text: "(let ((d (- y pred))) (+ (if (> d 0) (* 0.1 d) (* -0.9 d)) (abs (- d 0.7)) (* 2 (max d -0.3))))",
    loss: (y, f) => {
      const d = y - f;
      return (d > 0 ? 0.1 * d : -0.9 * d) + Math.abs(d - 0.7) + 2 * Math.max(d, -0.3);
    },
    corners: (y) => [y, y - 0.7, y + 0.3],
  },
};

/** The least sum over lines with an intercept for each group: through all choices of corners. */
function leastOf(
  { loss, corners }: Kind,
  x: readonly number[],
  y: readonly number[],
  weights: readonly number[],
): number {
  const at = y.flatMap((each, i) => corners(each).map((f) => [of(x, i), f] as const));
  let least = Infinity;
  for (const [k, [x0, f0]] of at.entries())
    for (const [x1, f1] of at.slice(k + 1)) {
      if (x1 === x0) continue;
      const b = (f1 - f0) / (x1 - x0);
      const sum = x.reduce(
        (all, each, i) => all + of(weights, i) * loss(of(y, i), f0 + b * (each - x0)),
        0,
      );
      least = Math.min(least, sum);
    }
  return least;
}

/** How large the parts of a loss are, so that sums near 0 are compared as others are. */
const close = (found: number, least: number, what: string): void => {
  const size = 1 + Math.abs(least);
  expect(found, what).toBeGreaterThan(least - 1e-8 * size);
  expect(found, what).toBeLessThan(least + 1e-8 * size);
};

describe("a loss as text ended at a kink above the least sum and was called converged:", () => {
  test.each(Object.entries(kinds))("%s", async (name, kind) => {
    for (let turn = 0; turn < 25; turn++) {
      const off = some([0, 10, 2000]);
      const count = whole(6, 16);
      const x = Array.from({ length: count }, () => off + uniform(0, 8));
      const y = x.map((at) => 1 + 0.4 * (at - off) + heavy());
      const w = x.map(() => (turn % 2 === 0 ? 1 : some([0.5, 1, 2, 3])));
      const { best, restarts, diagnostics } = await fitText("(+ a (* b x))", {
        ...{ data: { x, y, w }, target: "y", loss: kind.text },
        ...(turn % 2 === 0 ? {} : { weights: "w" }),
      });
      const what = `${name}, turn ${turn}: ${diagnostics.notes.join("; ")}`;
      close(best.loss, leastOf(kind, x, y, w), what);
      expect(restarts[0]?.hasConverged, what).toBe(true);
    }
  });
});

describe("losses with corners are settled with", () => {
  const x = steps(0, 6, 14);
  const away = noise(14, 3);
  const y = x.map((at, i) => 1 + 0.5 * at + of(away, i) ** 3);

  test("groups: the least sums of both", async () => {
    const g = x.map((_, i) => "pq"[i % 2] as string);
    const kind = check(0.3);
    const { best, restarts } = await fitText("(+ a (* b x))", {
      ...{ data: { x, y, g }, target: "y", loss: kind.text },
      groups: { by: "g", params: ["a", "b"] },
    });
    const parts = [0, 1].map((part) => {
      const [own, its] = [x, y].map((all) => all.filter((_, i) => i % 2 === part));
      return leastOf(
        kind,
        own as number[],
        its as number[],
        x.map(() => 1),
      );
    });
    close(best.loss, of(parts, 0) + of(parts, 1), "groups");
    expect(restarts[0]?.hasConverged).toBe(true);
  });

  test("rows of weight 0, the name target, and a loaded program", async () => {
    const w = x.map((_, i) => (i % 3 === 0 ? 0 : 1));
    const wild = y.map((each, i) => (i % 3 === 0 ? 1e6 * each : each));
    const loss = machine.load("(max (* 0.3 (- target pred)) (* -0.7 (- target pred)))");
    const { best } = await fitText("(+ a (* b x))", {
      ...{ data: { x, y: wild }, target: "y", loss, weights: w },
    });
    close(best.loss, leastOf(check(0.3), x, wild, w), "weight 0");
    loss.dispose();
  });

  test("curves: nothing near where they end is lower", async () => {
    const share = 0.25;
    const found = await fitText("(+ c (* a (exp (- (* k x)))))", {
      ...{ data: { x, y }, target: "y", loss: check(share).text },
      params: { a: -3, k: 0.2, c: 4 },
    });
    expect(found.restarts[0]?.hasConverged).toBe(true);
    const lossAt = ([a = 0, k = 0, c = 0]: readonly number[]): number =>
      x.reduce((sum, at, i) => sum + check(share).loss(of(y, i), c + a * Math.exp(-k * at)), 0);
    const at = ["a", "k", "c"].map((name) => found.best.params[name] as number);
    expect(lossAt(at)).toBeCloseTo(found.best.loss, 9);
    for (let turn = 0; turn < 3000; turn++) {
      const size = 10 ** -uniform(1, 8);
      const near = at.map((each) => each * (1 + size * uniform(-1, 1)));
      expect(lossAt(near)).toBeGreaterThan(found.best.loss * (1 - 1e-7));
    }
  });

  test("time and signals, as other fits are", async () => {
    const options: FitOptions = { data: { x, y }, target: "y", loss: check(0.25).text };
    const controller = new AbortController();
    controller.abort();
    const cut = await fitText("(+ a (* b x))", { ...options, steps: 3, timeMax: 1e6 });
    close(
      cut.best.loss,
      leastOf(
        check(0.25),
        x,
        y,
        x.map(() => 1),
      ),
      "three steps",
    );
    expect(cut.restarts[0]?.hasConverged).toBe(true);
  });

  test("single precision", async () => {
    const single = await Machine.create({ precision: "f32" });
    const options: FitOptions = { data: { x, y }, target: "y", loss: check(0.25).text };
    const { best } = await fit(single.load("(+ a (* b x))"), options);
    expect(
      best.loss /
        leastOf(
          check(0.25),
          x,
          y,
          x.map(() => 1),
        ),
    ).toBeCloseTo(1, 4);
    single.dispose();
  });
});

test("smooth losses as text, and those that bend downwards, are not taken for corners", async () => {
  const x = steps(0, 6, 14);
  const y = x.map((at, i) => 1 + 0.5 * at + of(noise(14, 2), i));
  const smooth = [
    "(square (- pred y))",
    "(log (cosh (- pred y)))",
    "(sqrt (+ 1 (square (- pred y))))",
    "(let ((d (abs (- pred y)))) (if (< d 0.5) (* d d) (- d 0.25)))",
  ];
  for (const loss of smooth) {
    const { best, restarts } = await fitText("(+ a (* b x))", {
      data: { x, y },
      target: "y",
      loss,
    });
    expect(restarts[0]?.hasConverged, loss).toBe(true);
    const again = await fitText("(+ a (* b x))", {
      ...{ data: { x, y }, target: "y", loss, params: { a: best.params["a"] as number } },
    });
    expect(again.best.loss).toBeCloseTo(best.loss, 9);
  }
  const capped = "(min 1 (abs (- pred y)))";
  const { diagnostics, restarts } = await fitText("(+ a (* b x))", {
    ...{ data: { x, y }, target: "y", loss: capped },
  });
  expect(restarts[0]?.hasConverged || diagnostics.notes.length > 0).toBe(true);
});

/** Losses that bend downwards between their corners. */
const bentDown: Readonly<Record<string, Pick<Kind, "text" | "loss">>> = {
  "a W around the target": {
    text: "(abs (- (abs (- pred y)) 1))",
    loss: (y, f) => Math.abs(Math.abs(f - y) - 1),
  },
  "a W around 0": {
    text: "(abs (- (abs pred) y))",
    loss: (y, f) => Math.abs(Math.abs(f) - y),
  },
  "the lesser of two": {
    text: "(min (abs (- pred y)) (+ 0.2 (* 0.5 (abs (+ pred y)))))",
    loss: (y, f) => Math.min(Math.abs(f - y), 0.2 + 0.5 * Math.abs(f + y)),
  },
};

describe("a loss that bends downwards between corners was taken for their sum, and called converged above it:", () => {
  const params = { a: { start: 0.5 }, b: { start: 0.5 } };

  test.each(Object.entries(bentDown))("%s", async (name, { text, loss }) => {
    let arrived = 0;
    for (let turn = 0; turn < 25; turn++) {
      const off = some([0, 0, 10]);
      const x = Array.from({ length: whole(4, 11) }, () => uniform(-0.6, 3));
      const y = x.map((at) => off + 2 + 2 * at + uniform(-0.5, 0.5));
      const { best, restarts } = await fitText("(+ a (* b x))", {
        ...{ data: { x, y }, target: "y", loss: text, params },
      });
      if (restarts[0]?.hasConverged !== true) continue;
      arrived += 1;
      const lossAt = (a: number, b: number): number =>
        x.reduce((sum, at, i) => sum + loss(of(y, i), a + b * at), 0);
      const { a = 0, b = 0 } = best.params;
      const size = 1e-5;
      for (let k = 0; k < 720; k++) {
        const [da, db] = [
          size * Math.cos(k * (Math.PI / 360)),
          size * Math.sin(k * (Math.PI / 360)),
        ];
        // Along a slope it would fall by as much as the way is long.
        expect(lossAt(a + da, b + db), `${name}, turn ${turn}`).toBeGreaterThan(
          best.loss - size / 10,
        );
      }
    }
    expect(arrived).toBeGreaterThan(20);
  });

  test("five rows, above a loss that slopes lead down to", async () => {
    const x = [0.9, 0.5, 2.5, 1.8, -0.6];
    const y = [2.5, 1.8, 6.4, 4.6, 0.1];
    const loss = "(abs (- (abs pred) y))";
    const { best } = await fitText("(+ a (* b x))", { data: { x, y }, target: "y", loss, params });
    expect(best.loss).toBeCloseTo(12 / 13, 6);
  });

  test("a jump between lines that are parallel", async () => {
    const x = steps(0, 6, 14);
    const y = x.map((at, i) => 1 + 0.5 * at + of(noise(14, 1), i));
    const loss = "(if (< pred y) (- y pred) (+ 5 (- y pred) (* 2 (max 0 (- pred y 3)))))";
    const { diagnostics, restarts } = await fitText("(+ a (* b x))", {
      ...{ data: { x, y }, target: "y", loss, params },
    });
    expect(restarts[0]?.hasConverged).toBe(false);
    expect(diagnostics.notes.length).toBeGreaterThan(0);
  });
});
