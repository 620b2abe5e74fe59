/**
 * Several outputs: a program whose value is a vector, and a target for each element.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit, fitFromJSON, Machine } from "../../src/index.js";
import { fitText, machine, noise, refusal, steps } from "./support.js";

const t = steps(0, 3, 31);
/** A spiral, its second coordinate in units that are a thousand times smaller. */
const spiral =
  "(let ((r (* a (exp (- (* k t)))))) (vec (* r (cos (* w t))) (* 1000 r (sin (* w t)))))";
const truth = { a: 2, k: 0.4, w: 1.7 };
const at = (time: number) => {
  const r = truth.a * Math.exp(-truth.k * time);
  return [r * Math.cos(truth.w * time), 1000 * r * Math.sin(truth.w * time)] as const;
};
const data = {
  t,
  x: t.map((time, i) => at(time)[0] + (noise(31, 0.05)[i] as number)),
  y: t.map((time, i) => at(time)[1] + (noise(31, 30).reverse()[i] as number)),
};
const params = { a: 1, k: 0.2, w: 1.5 };
const options: FitOptions = { data, target: ["x", "y"], params };

/** The same by hand: rows one after the other, and a column that chooses. */
const stacked = {
  program: spiral.replace("(vec", "(ref (vec").replace(/\)\)$/, ") which))"),
  data: {
    t: [...t, ...t],
    which: [...t.map(() => 0), ...t.map(() => 1)],
    z: [...data.x, ...data.y],
  },
};

const deviation = (column: readonly number[]) => {
  const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
  return Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length);
};

describe("a fit with two targets", () => {
  test.each(["lm", "lbfgs", "adam"] as const)("finds the parameters by %s", async (optimiser) => {
    const adam = optimiser === "adam" ? { adam: { rate: 0.05 } } : {};
    const result = await fitText(spiral, { ...options, optimiser, steps: 2000, ...adam });
    for (const [name, value] of Object.entries(truth))
      expect(result.best.params[name], name).toBeCloseTo(value, 1);
    expect(result.targets.map(({ name }) => name)).toEqual(["x", "y"]);
    for (const { r2 } of result.targets) expect(r2).toBeGreaterThan(0.99);
    expect(result.best.r2).toBeGreaterThan(0.99);
    expect(result.points).toBe(31);
    expect(result.freedom).toBe(2 * 31 - 3);
  });

  test("weighs targets by their spread: the same as stacked rows with these weights", async () => {
    const spreads = [deviation(data.x), deviation(data.y)] as const;
    const result = await fitText(spiral, options);
    const sigma = [...t.map(() => spreads[0]), ...t.map(() => spreads[1])];
    const weights = sigma.map((value) => 1 / (value * value));
    const byHand = await fitText(stacked.program, {
      data: stacked.data,
      target: "z",
      params,
      weights,
    });
    expect(result.best.params).toEqual(byHand.best.params);
    expect(result.best.loss).toBe(byHand.best.loss);
    expect(result.best.logLikelihood).toBeCloseTo(byHand.best.logLikelihood, 10);
    expect(result.standardErrors).toEqual(byHand.standardErrors);
    expect(result.targets[1]?.scale).toBeCloseTo(spreads[1], 12);
    const [x, y] = result.targets;
    expect((y?.sigma as number) / (x?.sigma as number)).toBeCloseTo(spreads[1] / spreads[0], 10);
    // The noise of both is told in their own units.
    expect(x?.sigma).toBeGreaterThan(0.005);
    expect(x?.sigma).toBeLessThan(0.05);
  });

  test("sigma and weights may differ between targets", async () => {
    const sigma = { x: t.map(() => 0.014), y: t.map(() => 8.7) };
    const known = await fitText(spiral, { ...options, sigma });
    const weights = {
      x: sigma.x.map((value) => 1 / value ** 2),
      y: sigma.y.map((value) => 1 / value ** 2),
    };
    const weighed = await fitText(spiral, { ...options, weights });
    for (const name of Object.keys(truth))
      expect(known.best.params[name]).toBeCloseTo(weighed.best.params[name] as number, 9);
    const onlyX = await fitText(spiral, { ...options, weights: { y: t.map(() => 0) } });
    const single = await fitText("(* a (exp (- (* k t))) (cos (* w t)))", {
      data: { t, x: data.x },
      target: "x",
      params,
    });
    for (const name of Object.keys(truth))
      expect(onlyX.best.params[name]).toBeCloseTo(single.best.params[name] as number, 7);
  });

  test("predicts each target, with bands in its units", async () => {
    const result = await fitText(spiral, options);
    const { targets, values } = result.predict({ t: [0.5, 1] });
    expect(values).toHaveLength(4);
    expect([...(targets["x"]?.values ?? []), ...(targets["y"]?.values ?? [])]).toEqual([...values]);
    for (const [i, time] of [0.5, 1].entries()) {
      expect(targets["x"]?.values[i]).toBeCloseTo(at(time)[0], 1);
      expect(targets["y"]?.values[i]).toBeCloseTo(at(time)[1], -2);
    }
    const width = (name: string) =>
      (targets[name]?.observationUpper[0] as number) -
      (targets[name]?.observationLower[0] as number);
    expect(width("x")).toBeLessThan(0.2);
    expect(width("y")).toBeGreaterThan(10);
  });

  test("checks residuals of each, and comes back from JSON", async () => {
    const result = await fitText(spiral, options);
    expect(result.residuals).toBeUndefined();
    for (const { residuals } of result.targets) expect(residuals?.residuals).toHaveLength(31);
    expect(result.targets[0]?.residuals?.residuals[3]).toBeCloseTo(
      (data.x[3] as number) - (result.predict({ t }).targets["x"]?.values[3] as number),
      12,
    );
    const again = fitFromJSON(machine.load(spiral), JSON.parse(JSON.stringify(result)));
    expect(again.targets).toEqual(result.targets);
    expect(again.predict({ t: [0.3] })).toEqual(result.predict({ t: [0.3] }));
    expect(JSON.stringify(again)).toBe(JSON.stringify(result));
  });

  test("exports the whole program", async () => {
    const result = await fitText(spiral, options);
    expect(result.export("math", { isSymbolic: true })).toBe(
      "[a·exp(−k·t)·cos(w·t), 1000·(a·exp(−k·t))·sin(w·t)]",
    );
  });

  test("takes groups, restarts and the same seed", async () => {
    const cell = t.map((_, i) => (i < 16 ? "early" : "late"));
    const grouped = {
      ...options,
      data: { ...data, cell },
      groups: { by: "cell", params: ["a"] },
      params: { a: { range: [1, 3] as const }, k: 0.2, w: 1.5 },
      restarts: 4,
    };
    const result = await fitText(spiral, { ...grouped, together: 1 });
    expect(result.best.params["a[early]"]).toBeCloseTo(2, 0);
    const wide = await fitText(spiral, { ...grouped, together: 4 });
    expect(wide.best).toEqual(result.best);
    expect(wide.restarts).toEqual(result.restarts);
  });

  test.each(["squares", "absolute"] as const)(
    "predicts each target of a row by the row's group, fitted by %s",
    async (loss) => {
      const cell = t.map((_, i) => ["one", "two", "three"][i % 3] as string);
      const level = (i: number) => [1, 4, -2][i % 3] as number;
      const y = t.map((at, i) => level(i) + 2 * at + (data.x[i] as number) / 50);
      const z = y.map((each, i) => 100 * each + (data.x[30 - i] as number));
      const result = await fitText("(let ((f (+ a (* b t)))) [f (* 100 f)])", {
        data: { t, y, z, cell },
        target: ["y", "z"],
        groups: { by: "cell", params: ["a"] },
        loss,
      });
      const { params: found } = result.best;
      for (const cells of [
        ["two"],
        ["three", "one"],
        ["two", "two", "one", "three", "one"],
        ["one", "three", "three", "two", "one", "two"],
      ]) {
        const times = cells.map((_, i) => 0.3 * i);
        const { targets, values } = result.predict({ t: times, cell: cells });
        const line = cells.map(
          (name, i) =>
            (found[`a[${name}]`] as number) + (found["b"] as number) * (times[i] as number),
        );
        const want = [...line, ...line.map((each) => 100 * each)];
        expect([...values]).toEqual(want.map((each) => expect.closeTo(each, 8)));
        expect(targets["z"]?.values).toEqual(values.subarray(cells.length));
      }
    },
  );

  test("other losses: absolute, Huber and an expression", async () => {
    for (const loss of ["absolute", "huber", "(abs (- pred target))"] as const) {
      const result = await fitText(spiral, { ...options, loss, params: truth });
      for (const [name, value] of Object.entries(truth))
        expect(result.best.params[name], `${loss} ${name}`).toBeCloseTo(value, 0);
    }
  });

  test("a constant target is told by name", async () => {
    const result = await fitText("(vec (* a t) b)", {
      data: { t, x: t.map((time) => 2 * time), y: t.map(() => 5) },
      target: ["x", "y"],
    });
    expect(result.targets.map(({ r2 }) => r2)).toEqual([expect.closeTo(1, 9), Number.NaN]);
    expect(result.diagnostics.notes).toContain("the target y is constant, so R² is not defined");
  });
});

test("f32 fits both targets too", async () => {
  const single = await Machine.create({ precision: "f32" });
  const result = await fit(single.load(spiral), options);
  for (const [name, value] of Object.entries(truth))
    expect(result.best.params[name], name).toBeCloseTo(value, 1);
  single.dispose();
});

test("fits leave nothing behind in the machine", async () => {
  const own = await Machine.create();
  const one = async (i: number) => {
    const program = own.load(`(vec (* a t) (+ b (* ${i % 7} t)))`);
    await fit(program, {
      data: { t, x: data.x, y: data.y },
      target: ["x", "y"],
      loss: "(square (- pred target))",
      detail: i % 2 === 0 ? "full" : "scores",
      steps: 3,
    });
    program.dispose();
  };
  const bytes = () => {
    const probe = own.load("1");
    const { memoryBytes } = probe.evaluate().stats;
    probe.dispose();
    return memoryBytes;
  };
  for (let i = 0; i < 40; i++) await one(i);
  const before = bytes();
  for (let i = 0; i < 200; i++) await one(i);
  expect(bytes()).toBe(before);
  own.dispose();
});

test("refusals", async () => {
  const { params: _params, ...bare } = options;
  const told = [
    await refusal("(vec a b t)", bare, "E-RESULT"),
    await refusal("(* a t)", bare, "E-RESULT"),
    await refusal("(list a t)", bare, "E-RESULT"),
    await refusal("(vec a (car t))", bare, "E-TYPE"),
    await refusal(spiral, { ...options, target: ["x", "x"] }, "E-OPTION"),
    await refusal(spiral, { ...options, target: [] }, "E-OPTION"),
    await refusal(spiral, { ...options, target: ["x", "z"] }),
    await refusal(spiral, { ...options, weights: { z: t } }),
    await refusal(spiral, { ...options, sigma: { x: t.map(() => 1) } }),
    await refusal(spiral, { ...options, loss: "(abs (- pred x))" }),
    await refusal("(vec a x)", bare),
  ];
  expect(`${told.join("\n")}\n`).toMatchSnapshot();
});
