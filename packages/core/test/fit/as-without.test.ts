/**
 * Fits that must be the same: rows that do not count and no such rows, units and their multiples, a loss of
 * one's own and weights, groups by number and by name. And what a fit says must be so: within bounds, never
 * below what has a likelihood, with the errors that theory gives.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, type FitResult, fit, Machine, type NdvmError } from "../../src/index.js";
import { fitText, steps } from "./support.js";

const relative = (got: number, want: number): number =>
  Math.abs(got - want) / Math.max(1e-9, Math.abs(want));

const expectSame = (got: FitResult, want: FitResult, what: string): void => {
  for (const [name, value] of Object.entries(want.best.params))
    expect(
      relative(got.best.params[name] as number, value as number),
      `${name} of ${what}`,
    ).toBeLessThan(1e-4);
};

describe("rows of weight 0 are as if they were not there, whatever the model gives in them", () => {
  const waves = (n: number) =>
    steps(1, n, n).map((x, i) => 1 + 2 * Math.log(x) + 0.1 * Math.sin(9 * i));
  const losses: readonly Partial<FitOptions>[] = [
    { loss: "squares" },
    { loss: "squares", optimiser: "lbfgs" },
    { loss: "absolute" },
    { loss: "huber", huberWidth: 0.05 },
  ] as readonly Partial<FitOptions>[];
  // NaN, minus infinity, and an infinite slope by b.
  const models = {
    "(+ a (* b (log x)))": [-1, 0],
    "(+ a (* b (sqrt x)))": [-4],
    "(+ a (/ b x))": [0],
  };

  for (const [source, bad] of Object.entries(models))
    test.each(losses)(`${source} by %j`, async (options) => {
      for (const rows of [7, 8])
        for (const group of [undefined, "g"]) {
          const x = [...steps(1, rows, rows)];
          const y = [...waves(rows)];
          const g = x.map((_, i) => i % 2);
          const wanted = await fitText(source, {
            data: { x, y, g },
            target: "y",
            ...options,
            ...(group === undefined ? {} : { groups: { by: group, params: ["a"] } }),
          } as FitOptions);
          for (const place of [0, 3, rows]) {
            const put = <T>(list: readonly T[], values: readonly T[]) => [
              ...list.slice(0, place),
              ...values,
              ...list.slice(place),
            ];
            const data = {
              x: put(x, bad),
              y: put(
                y,
                bad.map(() => 5),
              ),
              g: put(
                g,
                bad.map(() => 1),
              ),
              w: put(
                x.map(() => 1),
                bad.map(() => 0),
              ),
            };
            const got = await fitText(source, {
              data,
              target: "y",
              weights: "w",
              ...options,
              ...(group === undefined ? {} : { groups: { by: group, params: ["a"] } }),
            } as FitOptions);
            const what = `${source}, ${rows} rows, at ${place}, group ${group}`;
            expect(relative(got.best.loss, wanted.best.loss), what).toBeLessThan(
              // The absolute loss has kinks, where a line may stop a little early.
              options.loss === "absolute" ? 0.2 : 1e-3,
            );
          }
        }
    });
});

test("sigma of any unit gives the same parameters", async () => {
  const x = steps(0, 9, 10);
  const y = x.map((v, i) => 3 * Math.exp(-0.3 * v) + 0.01 * Math.cos(5 * i));
  const of = (sigma: number, scale: number) =>
    fitText("(* a (exp (* k x)))", {
      data: { x, y: y.map((v) => v * scale), s: x.map(() => sigma) },
      target: "y",
      sigma: "s",
      params: { a: 2 * scale, k: -0.1 },
    });
  const wanted = await of(1, 1);
  for (const sigma of [1e-12, 1e-6, 1e6, 1e12, 1e13, 1e15])
    for (const scale of [1, 1e-9, 1e9]) {
      const got = await of(sigma, scale);
      expect(
        relative(got.best.params["k"] as number, wanted.best.params["k"] as number),
        `${sigma}, ${scale}`,
      ).toBeLessThan(1e-9);
    }
});

describe("several targets", () => {
  const x = steps(0, 9, 10);
  const y = x.map((v, i) => 1 + 0.7 * v + 0.3 * Math.sin(3 * i));

  test.each([0.1, 1 / 3, 7.7, -2.3, 1e-5])(
    "a constant one of %d does not drown the others",
    async (k) => {
      const constant = x.map(() => k);
      const r = await fitText("[(+ c (* a x)) c]", {
        data: { x, y, k: constant },
        target: ["y", "k"],
      });
      // The normal equations: y in units of its own standard deviation, the constant in units of 1.
      const mean = y.reduce((s, v) => s + v, 0) / y.length;
      const weight = 1 / (y.reduce((s, v) => s + (v - mean) ** 2, 0) / y.length);
      const sum = (f: (i: number) => number) => y.reduce((s, _, i) => s + f(i), 0);
      const [cc, ca, aa] = [
        weight * y.length + y.length,
        weight * sum((i) => x[i] as number),
        weight * sum((i) => (x[i] as number) ** 2),
      ];
      const [rc, ra] = [
        weight * sum((i) => y[i] as number) + k * y.length,
        weight * sum((i) => (x[i] as number) * (y[i] as number)),
      ];
      const det = cc * aa - ca * ca;
      expect(relative(r.best.params["c"] as number, (rc * aa - ca * ra) / det)).toBeLessThan(1e-6);
      expect(relative(r.best.params["a"] as number, (cc * ra - ca * rc) / det)).toBeLessThan(1e-6);
    },
  );

  test("a loss that reads a column of its own is the weighted loss", async () => {
    const z = x.map((v, i) => 2 - 0.4 * v + 0.2 * Math.cos(4 * i));
    const w = x.map((_, i) => 1 + (i % 3));
    const common = { data: { x, y, z, w }, target: ["y", "z"] };
    const program = "[(+ a (* b x)) (+ c (* d x))]";
    const own = await fitText(program, { ...common, loss: "(* w (square (- pred target)))" });
    const weighted = await fitText(program, { ...common, weights: "w" });
    expectSame(own, weighted, "weights");
  });

  test("rows that a loss fails in at the start are rows of the table", async () => {
    const z = x.map((v) => 5 - v);
    let error: NdvmError | undefined;
    try {
      await fitText("[(+ a (* b x)) (+ a (* c x))]", {
        data: { x, y, z },
        target: ["y", "z"],
        loss: "(square (- pred (log (- target 1))))",
        params: { a: 1, b: 1, c: 1 },
      });
    } catch (caught) {
      error = caught as NdvmError;
    }
    const bad = x.map((_, i) => i).filter((i) => (y[i] as number) <= 1 || (z[i] as number) <= 1);
    if (error === undefined) throw new Error("the loss did not fail");
    const rows = error.facts.rows ?? [];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(bad).toContain(row);
  });

  test("bands of a target grow with its own unit and with no other's", async () => {
    const z = x.map((v, i) => 2 - 0.4 * v + 0.5 * Math.cos(7 * i));
    const program = "[(+ a (* b x)) (+ c (* d x))]";
    const bands = async (scale: number) => {
      const data = { x, y, z: z.map((v) => v * scale) };
      const r = await fitText(program, { data, target: ["y", "z"] });
      const { observationLower, observationUpper } = r.predict({ x });
      const width = (i: number) =>
        ((observationUpper as Float64Array)[i] as number) -
        ((observationLower as Float64Array)[i] as number);
      return [width(0), width(x.length)] as const;
    };
    const [y1, z1] = await bands(1);
    for (const scale of [1000, 1e-3]) {
      const [yn, zn] = await bands(scale);
      expect(relative(yn, y1)).toBeLessThan(1e-5);
      expect(relative(zn, z1 * scale)).toBeLessThan(1e-5);
    }
  });
});

test("a chance close to its bound has the error that theory gives", async () => {
  for (const n of [1e3, 1e6, 1e8])
    for (const missed of [5, 50]) {
      for (const isHigh of [true, false]) {
        const hit = isHigh ? n - missed : missed;
        const r = await fitText("p", {
          data: { y: [hit], n: [n] },
          target: "y",
          loss: "binomial",
          trials: "n",
          params: { p: { bounds: [0, 1], start: 0.5 } },
        });
        const p = hit / n;
        const want = Math.sqrt((p * (1 - p)) / n);
        expect(relative(r.standardErrors["p"] as number, want), `${hit} of ${n}`).toBeLessThan(
          1e-2,
        );
      }
    }
});

test("counts that are expected are never below 0, and the loss is Poisson's", async () => {
  for (const y of [
    [0, 0, 0, 1, 2, 2, 4],
    [3, 1, 1, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 9],
  ]) {
    const x = y.map((_, i) => i);
    const r = await fitText("(+ a (* b x))", {
      data: { x, y },
      target: "y",
      loss: "poisson",
      params: { a: 2, b: 0 },
    });
    const { a = 0, b = 0 } = r.best.params as Record<string, number>;
    const expected = x.map((v) => a + b * v);
    for (const f of expected) expect(f).toBeGreaterThanOrEqual(-1e-9);
    const loss = expected.reduce(
      (s, f, i) => s + (y[i] === 0 ? f : f - (y[i] as number) * Math.log(f)),
      0,
    );
    expect(relative(r.best.loss, loss)).toBeLessThan(1e-6);
  }
});

test("a group is exported by its number as by its name", async () => {
  const x = steps(0, 5, 6);
  const g = x.map((_, i) => (i % 3) + 1);
  const y = x.map((v, i) => (g[i] as number) + 2 * v);
  const r = await fitText("(+ a (* b x))", {
    data: { x, y, g },
    target: "y",
    groups: { by: "g", params: ["a"] },
  } as FitOptions);
  for (const group of [1, 2, 3])
    expect(r.export("scheme", { group })).toBe(r.export("scheme", { group: String(group) }));
});

test("what no row tells apart is undetermined in either precision", async () => {
  for (const precision of ["f32", "f64"] as const) {
    const machine = await Machine.create({ precision });
    const x = steps(1, 9, 9);
    const sources = {
      "(* a b x)": [2, 1],
      "(+ a b (* c x))": [3, 2],
      "(+ a (* b x) (* c x))": [3, 2],
      "(+ a (* b x))": [2, 2],
      "(* a (exp (* b (* 0.1 x))))": [2, 2],
    };
    for (const [source, [count, rank]] of Object.entries(sources)) {
      const y = x.map((v, i) => 1.3 + 0.7 * v + 0.2 * Math.sin(5 * i));
      const program = machine.load(source);
      const params = Object.fromEntries(
        ["a", "b", "c"].slice(0, count).map((name, i) => [name, 0.3 + 0.4 * i]),
      );
      const r = await fit(program, { data: { x, y }, target: "y", params });
      expect(r.identifiability?.rank, `${source} in ${precision}`).toBe(rank);
      program.dispose();
    }
    machine.dispose();
  }
});

test("parameters at their bounds stay where the program is defined, whatever the bounds round to", async () => {
  const x = steps(0, 3, 4);
  for (let turn = 0; turn < 60; turn++) {
    const lower = -(turn * 0.37) - 0.1 / (turn + 1);
    const upper = turn * 0.113 + 0.7 / (turn + 3);
    const isUpper = turn % 2 === 0;
    const edge = isUpper ? `(sqrt (- ${upper} p))` : `(sqrt (- p ${lower}))`;
    const y = x.map((v) => 0.5 * v);
    const bounded = { bounds: [lower, upper] as const, start: isUpper ? upper : lower };
    const r = await fitText(`(+ (* q x) ${edge})`, {
      data: { x, y },
      target: "y",
      params: { p: bounded, q: { bounds: [0, 2], start: 1.1 } },
    });
    const p = r.best.params["p"] as number;
    expect(p >= lower && p <= upper, `${p} in ${lower} to ${upper}`).toBe(true);
    expect(Number.isFinite(r.best.loss)).toBe(true);
  }
});
