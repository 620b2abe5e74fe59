/**
 * What is said of parameters without a best value, in losses of every kind: the words must be true, in
 * whatever units the data are.
 */

import { describe, expect, test } from "vitest";
import type { FitOptions } from "../../src/index.js";
import { fitText, noise, steps } from "./support.js";

const likelihood = { isNegativeLogLikelihood: true } as const;
const UNITS = [1e-18, 1e-9, 1, 1e6, 1e12];

/** What is said of the parameters of a fit, by name. */
async function runawaysOf(source: string, options: FitOptions = {}) {
  const { diagnostics, ...result } = await fitText(source, options);
  const named = Object.fromEntries(diagnostics.runaways.map(({ name, ...told }) => [name, told]));
  return { named, names: Object.keys(named).sort(), notes: diagnostics.notes.join("\n"), result };
}

describe("separated chances were said to enter as a quotient only", () => {
  const overlap = { x: [1, 2, 3, 3, 4, 5, 6], y: [0, 0, 0, 1, 1, 1, 1] };
  const parted = { x: [1, 2, 3, 4, 5, 6], y: [0, 0, 0, 1, 1, 1] };
  const params = { a: 0, b: 0 };
  const objective = "(vsum (- (softplus (+ a (* b x))) (* y (+ a (* b x)))))";

  test.each([overlap, parted])("by the loss of binomials", async (data) => {
    const { names, notes } = await runawaysOf("(sigmoid (+ a (* b x)))", {
      ...{ data, target: "y", loss: "binomial", params },
    });
    expect(names).toEqual(["a", "b"]);
    expect(notes).toContain("a and b ran off together");
    expect(notes).not.toContain("only enter");
  });

  test.each([
    [overlap, {}],
    [parted, {}],
    [overlap, likelihood],
    [parted, likelihood],
  ])("as an objective, where nothing was named", async (data, kind) => {
    const { names, notes } = await runawaysOf(objective, { data, params, ...kind });
    expect(names).toEqual(["a", "b"]);
    expect(notes).toMatch(/a and b (ran off|were still on their way) together/);
    expect(notes).not.toContain("only enter");
  });

  test("a rate of counts that are all 0 is at 0, not only undetermined", async () => {
    const data = { t: [1, 2, 3, 4], y: [0, 0, 0, 0] };
    const { named } = await runawaysOf("(* r t)", { data, target: "y", loss: "poisson" });
    expect(named["r"]?.words).toMatch(/as good as 0, the edge of where the program is defined/);
  });
});

describe("parameters that only a combination of is determined had no word", () => {
  const x = steps(1, 6, 12);
  const wobble = noise(12, 0.5);
  const models = [
    ["(* (+ a b) x)", "a and b only enter as a + b"],
    ["(* a b x)", "a and b only enter as a·b"],
    ["(* (/ a b) x)", "a and b only enter as a/b"],
    ["(* (- a b) x)", "a and b only enter as a − b"],
  ] as const;

  test.each(models)("%s, by losses without errors", async (model, words) => {
    for (const unit of [1e-9, 1, 1e6]) {
      const y = x.map((at, i) => unit * (2 * at + (wobble[i] as number)));
      const data = { x, y };
      // Both parameters have the data's unit, or one has.
      const isSum = model.includes("+") || model.includes("-");
      const params = { a: 1.5 * unit, b: isSum ? 0.5 * unit : 0.5 };
      for (const loss of ["huber", "absolute", "(abs (- pred y))"]) {
        const of = { data, target: "y", loss, params, huberWidth: unit } as FitOptions;
        const { named, names } = await runawaysOf(
          model,
          loss === "huber" ? of : { ...of, huberWidth: undefined as never },
        );
        expect(names, loss).toEqual(["a", "b"]);
        expect(named["a"]).toMatchObject({ kind: "not determined", words });
      }
      const sum = `(vsum (square (- y ${model})))`;
      const { named } = await runawaysOf(sum, { data, params });
      expect(named["b"]).toMatchObject({ kind: "not determined", words });
    }
  });

  test("of a plain objective, also where its least is 0 or it has a kink", async () => {
    for (const source of [
      "(square (- (+ a b) 3))",
      "(abs (- (+ a b) 3))",
      "(abs (- (* a b) 3))",
      "(square (- (* a b) 3))",
    ]) {
      const { names, named } = await runawaysOf(source, { params: { a: 1, b: 0.5 } });
      expect(names, source).toEqual(["a", "b"]);
      expect(named["a"]?.words).toMatch(/^a and b only enter as a/);
    }
  });

  test("and what is determined has none: weakly, by curved valleys, by high powers, beside an offset", async () => {
    const polynomial = "(vsum (square (- y (+ a (* b x) (* c x x) (* d x x x)))))";
    const data = { x, y: x.map((at, i) => at * at + (wobble[i] as number)) };
    const sources: [string, FitOptions][] = [
      ["(+ (square (- 1 a)) (* 100 (square (- b (* a a)))))", { params: { a: -1.2, b: 1 } }],
      ["(+ (square (- a 3)) (* 1e-6 (square (- b 2))))", {}],
      ["(+ (square (- a 3)) (expt (- b 2) 4))", {}],
      ["(+ 1e8 (square (- a 3)) (square (- b 5)))", {}],
      ["(+ 1e8 (square (- a 3)) (square (- b 5)))", { params: { a: 1e4, b: 4.5 } }],
      [polynomial, { data }],
    ];
    for (const [source, options] of sources) {
      const { names, notes } = await runawaysOf(source, options);
      expect(names, source).toEqual([]);
      expect(notes).not.toContain("does not depend");
    }
  });
});

describe("a loss that falls for ever", () => {
  const source = "(+ (square (- x y)) (* 0.01 (+ x y)))";

  test.each([{}, likelihood])("along a line was not named, or said not to change", async (kind) => {
    const { names, notes } = await runawaysOf(source, { params: { x: 1, y: 4 }, ...kind });
    expect(names).toEqual(["x", "y"]);
    expect(notes).toContain("x and y were still on their way together");
    expect(notes).not.toContain("can move together without changing the loss");
  });
});

describe("an edge of where a program is defined", () => {
  test.each(UNITS.filter((unit) => unit >= 1e-9))(
    "was named only at 0 (units of %s)",
    async (unit) => {
      const { named } = await runawaysOf(`(+ (* ${2 * unit} x) (sqrt (- k ${unit})))`, {
        data: { x: [1, 2, 3, 4, 5], y: [-1, 1, 3, 5, 7].map((value) => value * unit) },
        ...{ target: "y", params: { k: 2 * unit } },
      });
      expect(named["k"]?.words).toContain(
        "the edge of where the program is defined: give it bounds",
      );
      expect(named["k"]?.words).toMatch(new RegExp(` ${unit}(, the edge| at )`));
    },
  );

  test("a place of a Weibull distribution at its first time", async () => {
    const z = [3.1, 3.4, 3.9, 4.6, 5.8, 7.1, 9.5, 14.2];
    const source =
      "(let ((q (/ (- z g) b))) (- (vsum (pow q k)) (+ (* (vlen z) (- (log k) (log b))) (* (- k 1) (vsum (log q))))))";
    const { named } = await runawaysOf(source, {
      ...{ data: { z }, ...likelihood },
      params: { g: 2.9, k: { start: 1, scale: "log" }, b: { start: 3, scale: "log" } },
    });
    expect(named["g"]?.words).toMatch(/3\.1, the edge|to 3\.1 at/);
  });

  test("an estimate that is close to one is none, however small its units are", async () => {
    for (const unit of [1e-12, 1e-6, 1]) {
      const x = steps(1, 6, 12);
      const wobble = noise(12, 0.2);
      const y = x.map((at, i) => unit * (2 * at + (wobble[i] as number)));
      const { names } = await runawaysOf("(* (square (sqrt k)) x)", {
        ...{ data: { x, y }, target: "y", params: { k: 1 } },
      });
      expect(names).toEqual([]);
    }
  });
});

describe("a parameter that goes to infinity", () => {
  const y = [3, 4, 3, 2, 3, 4, 3, 3];
  const one =
    "(+ (lgamma (+ y r)) (- (lgamma r)) (- (lgamma (+ y 1))) (* r (log (/ r (+ r m)))) (* y (log (/ m (+ r m)))))";

  test.each([{ scale: "log" }, {}] as const)(
    "was said to be as good as 0, or nothing where rounding hides the loss (%o)",
    async (scale) => {
      for (const kind of [{}, likelihood]) {
        const { named } = await runawaysOf(`(- (vsum ${one}))`, {
          ...{ data: { y }, params: { m: 1, r: { start: 1, ...scale } }, ...kind },
        });
        expect(named["r"]?.kind).toBe("ran off");
        expect(named["r"]?.words).toMatch(/^r ran off to \S+: the loss is the same/);
      }
    },
  );

  test("in a loop over the rows, too", async () => {
    const source = `(let loop ((i 0) (s 0)) (if (< i 8) (let ((y (ref all i))) (loop (+ i 1) (- s ${one}))) s))`;
    const { named } = await runawaysOf(source, {
      ...{ data: { all: y }, ...likelihood },
      params: { m: 1, r: { start: 1, scale: "log" } },
    });
    expect(named["r"]?.words).toMatch(/^r ran off to \S+: the loss is the same/);
  });
});

test("a parameter that never moved did not run off", async () => {
  for (const kind of [{}, likelihood]) {
    const { named } = await runawaysOf("(+ (square y) (if (> c 0) 1 2))", {
      ...{ params: { c: 1, y: 1 }, ...kind },
    });
    expect(named["c"]?.kind).not.toBe("ran off");
    expect(named["c"]?.words ?? "").not.toContain("does not");
  }
});

describe("a parameter on a log scale that ran to 0", () => {
  test("was said to be at a bound, or to have arrived, far from its best value", async () => {
    // The first steps are far too long for so few digits of x.
    for (const [from, width, size, start, slope] of [
      [3, 0.1, 60, 33, 5],
      [10, 0.2, 100, 433, -10],
      [20, 0.1, 100, 4000, 5],
      [5, 0.1, 100, 4000, 5],
    ] as const) {
      const x = Array.from({ length: 20 }, (_, i) => from + (width * i) / 20);
      const wobble = noise(20, size).reverse();
      const y = x.map((at, i) => {
        const off = wobble[i] as number;
        return 65 + slope * (at - from) + (i % 3 === 0 ? -off : off);
      });
      const source = "(+ a (* b x) (* c x x))";
      const how = { data: { x, y }, target: "y" };
      const best = await fitText(source, how);
      const params = { a: { start, scale: "log" }, b: 1, c: 1 } as const;
      const found = await fitText(source, { ...how, params, optimiser: "lbfgs" });
      expect(found.best.loss).toBeGreaterThan(1.2 * best.best.loss);
      expect(found.restarts[0]?.hasConverged).toBe(false);
      expect(found.identifiability?.atBounds).toEqual([]);
    }
  });

  test("has arrived where the loss is no lower further up", async () => {
    const x = [1, 2, 3, 4, 5, 6, 7, 8];
    const y = x.map((at) => 2 * at - 3);
    for (const optimiser of ["lm", "lbfgs"] as const) {
      const params = { a: { start: 1, scale: "log" }, b: 1 } as const;
      const how = { data: { x, y }, target: "y", params, optimiser };
      const found = await fitText("(+ a (* b x))", how);
      expect(found.restarts[0]?.hasConverged).toBe(true);
      expect(found.best.params["a"]).toBeLessThan(1e-9);
      expect(found.identifiability?.atBounds).toEqual([]);
      expect(found.diagnostics.notes.join()).toContain("a ran off to");
    }
  });
});

describe("errors beside a parameter that ran off were those of its exploded second differences", () => {
  const x = [0, 1, 2, 3];
  const twice = [...x, ...x];
  const g = ["u", "u", "u", "u", "v", "v", "v", "v"];
  const params = { a: 0, b: 0 };

  test.each([
    ["poisson", "exp", [0, 1, 2, 1], 0],
    ["binomial", "sigmoid", [0, 1, 0, 1], 0],
    ["binomial", "sigmoid", [0, 1, 0, 1], 1],
  ] as const)("%s of %s", async (loss, link, y, other) => {
    const of = { target: "y", loss } as const;
    const line = `(${link} (+ a (* b x)))`;
    const alone = await fitText(line, { ...of, data: { x, y: [...y] }, params });
    const data = { x: twice, y: [...y, ...g.slice(4).map(() => other)], g };
    const groups = { by: "g", params: ["a"] };
    const grouped = await fitText(line, { ...of, data, params, groups });
    const dummy = await fitText(`(${link} (+ a (* b x) (* c d)))`, {
      ...{ ...of, params: { ...params, c: 0 } },
      data: { x: twice, y: data.y, d: g.map((name) => Number(name === "v")) },
    });
    const { a, b } = alone.standardErrors as { a: number; b: number };
    for (const [{ standardErrors, diagnostics }, mine, gone] of [
      [grouped, "a[u]", "a[v]"],
      [dummy, "a", "c"],
    ] as const) {
      expect(standardErrors[mine]).toBeCloseTo(a, 4);
      expect(standardErrors["b"]).toBeCloseTo(b, 4);
      expect(standardErrors[gone]).toBeNaN();
      expect(diagnostics.runaways.map(({ name }) => name)).toEqual([gone]);
      expect(diagnostics.notes.join("\n")).not.toMatch(/not determined|only enter|move together/);
    }
    const { standardErrors } = grouped.predict({ x, g: g.slice(0, 4) });
    const own = alone.predict({ x }).standardErrors;
    for (const [row, error] of standardErrors.entries())
      expect(error).toBeCloseTo(own[row] as number, 4);
  });

  test("a separated line had an interval, though its value means nothing", async () => {
    const loss = "(- (softplus pred) (* y pred))";
    const { standardErrors, intervals } = await fitText("(+ a (* b x))", {
      ...{ target: "y", loss, params, ...likelihood },
      data: { x: [1, 2, 3, 4, 5, 6], y: [0, 0, 0, 1, 1, 1] },
    });
    expect(standardErrors).toEqual({ a: Number.NaN, b: Number.NaN });
    expect(intervals["b"]).toEqual([Number.NaN, Number.NaN]);
  });

  test("a mean beside a variance at 0 on a log scale had none", async () => {
    const source = "(vsum (+ (* 0.5 (log (+ t 1))) (/ (square (- y a)) (* 2 (+ t 1)))))";
    const { standardErrors, diagnostics } = await fitText(source, {
      ...{ data: { y: [0.1, -0.2, 0.3, 0.05, 0.2] }, ...likelihood },
      params: { a: 0, t: { start: 1, scale: "log" } },
    });
    expect(diagnostics.runaways.map(({ name }) => name)).toEqual(["t"]);
    expect(standardErrors["a"]).toBeCloseTo(0.4472, 4);
    expect(standardErrors["t"]).toBeNaN();
  });
});

describe("rates of counts that a line separates from 0", () => {
  test.each([
    { y: [0, 0, 1], params: { a: 1, b: 1 } },
    { y: [0, 0, 3], params: { a: 0, b: 0 } },
    { y: [0, 0, 0, 2], params: { a: 1, b: 1 } },
  ])("ran off without a word: $y", async ({ y, params }) => {
    const data = { x: y.map((_, i) => i), y };
    const source = "(exp (+ a (* b x)))";
    const { names, notes, result } = await runawaysOf(source, {
      ...{ data, target: "y", loss: "poisson", params },
    });
    expect(names).toEqual(["a", "b"]);
    expect(notes).toContain("a and b ran off together");
    expect(notes).not.toMatch(/only enter|can move together/);
    expect(result.standardErrors).toEqual({ a: Number.NaN, b: Number.NaN });
  });

  test("and parameters that only enter as one did not run off", async () => {
    const { named } = await runawaysOf("(exp (+ a b (* c x)))", {
      data: { x: [0, 1, 2, 3], y: [1, 2, 2, 5] },
      ...{ target: "y", loss: "poisson" },
    });
    expect(named).toEqual({});
  });
});

describe("a plateau that ends was said to go on without end, or that nothing depends on its parameter", () => {
  const y = [-3, 1.0711690602, 3.5212843037, 11];
  const median = { data: { y }, target: "y", params: { mu: 1.1 } } as const;

  test.each([
    ["mu", { ...median, loss: "absolute" }],
    ["mu", { ...median, loss: "(abs (- pred y))" }],
    ["mu", { ...median, ...likelihood, loss: "(+ (abs (- pred y)) (log 2))" }],
    ["(vsum (abs (- y mu)))", { data: { y }, params: { mu: 1.1 } }],
    ["(vsum (abs (- y mu)))", { data: { y }, params: { mu: 3 } }],
    ["(vsum (abs (- y mu)))", { data: { y }, params: { mu: 3 }, ...likelihood }],
  ] as [string, FitOptions][])("of medians by %s", async (source, options) => {
    const { named, notes, result } = await runawaysOf(source, options);
    expect(named["mu"]?.kind).toBe("not determined");
    expect(named["mu"]?.words).toMatch(
      /^any value of mu from 1\.07\d* to 3\.52\d* is as good: the loss is the same there$/,
    );
    expect(notes).not.toMatch(/ran off|does not depend|not determined|however much/);
    expect(result.restarts[0]?.hasConverged).toBe(true);
  });

  test("where two parameters share it", async () => {
    const source = "(+ (max 1 (abs (- a 5))) (max 1 (abs (- b 5))) (abs (- a b)))";
    for (const start of [4.2, 4.5, 5.5]) {
      const { notes } = await runawaysOf(source, { params: { a: start - 1, b: start + 1 } });
      expect(notes).not.toMatch(/however much/);
    }
  });

  test("and one whose ends nobody sees still ran off, or means nothing", async () => {
    const far = await runawaysOf("(max 0 (- 5 a))", { params: { a: 1 } });
    expect(far.notes).not.toContain("any value");
    const test = await runawaysOf("(+ (square y) (if (> c 0) 1 2))", { params: { c: 1, y: 1 } });
    expect(test.notes).not.toContain("any value");
  });
});

describe("whether a fit has converged depended on how its parameters ran off", () => {
  const zeros = { data: { g: ["u", "u", "v", "v"], y: [2, 3, 0, 0] }, target: "y" } as const;
  const parted = { x: [1, 2, 3, 4, 5, 6], y: [0, 0, 0, 1, 1, 1] };
  const counts = { loss: "poisson" } as const;
  const sum = "(vsum (- (softplus (+ a (* b x))) (* y (+ a (* b x)))))";

  test.each([
    ["(exp a)", { ...zeros, ...counts, groups: { by: "g", params: ["a"] } }],
    ["(exp a)", { data: { y: [0, 0, 0] }, target: "y", ...counts }],
    ["(vsum (- (exp a) (* y a)))", { data: { y: [0, 0, 0] }, ...likelihood }],
    ["(sigmoid (+ a (* b x)))", { data: parted, target: "y", loss: "binomial" }],
    [sum, { data: parted, params: { a: 0, b: 0 }, ...likelihood }],
    ["(square (/ 1 a))", { params: { a: 1 } }],
  ] as [string, FitOptions][])("%s", async (source, options) => {
    const { names, result } = await runawaysOf(source, options);
    expect(names).not.toEqual([]);
    expect(result.restarts[0]?.hasConverged).toBe(false);
  });

  test("and one that came to 0 on a log scale, or to a bound, has arrived", async () => {
    const data = { x: [1, 2, 3, 4], y: [-1, 1, 3, 5] };
    for (const a of [{ start: 1, scale: "log" }, { bounds: [0, null] }] as const) {
      const { result } = await runawaysOf("(+ a (* b x))", {
        ...{ data, target: "y", params: { a: a as never } },
      });
      expect(result.restarts[0]?.hasConverged).toBe(true);
    }
  });
});

describe("a separation as an objective was said to end at a kink", () => {
  const loop =
    "(let loop ((i 0) (s 0)) (if (< i 6) (let ((e (+ a (* b (ref x i))))) (loop (+ i 1) (+ s (- (softplus e) (* (ref y i) e))))) s))";
  const sum = "(vsum (- (softplus (+ a (* b x))) (* y (+ a (* b x)))))";

  test.each([loop, sum])("%s", async (source) => {
    for (const first of [1, 1.5, -2])
      for (const kind of [{}, likelihood]) {
        const x = [first, 2, 3, 4, 5, 6];
        const { names, notes, result } = await runawaysOf(source, {
          ...{ data: { x, y: [0, 0, 0, 1, 1, 1] }, params: { a: 0, b: 0 }, ...kind },
        });
        expect(names).toEqual(["a", "b"]);
        expect(notes).toMatch(/ran off together|still on their way together/);
        expect(notes).not.toMatch(/kink|standard error/);
        expect(result.standardErrors).toEqual({ a: Number.NaN, b: Number.NaN });
      }
  });

  test("a kink of another parameter is still told", async () => {
    const { notes } = await runawaysOf("(+ (exp (- 0 a)) (vsum (abs (- y m))))", {
      ...{ data: { y: [1, 2, 4] }, params: { a: 0, m: 1.4 }, ...likelihood },
    });
    expect(notes).toContain("m has no standard error");
    expect(notes).not.toMatch(/a (and m )?ha(s|ve) no standard error/);
  });
});

test("a rate that came to its edge had an error of 5.4, and an interval of negative rates", async () => {
  for (const y of [
    [0, 0, 1, 4, 9],
    [0, 1, 2, 4, 9],
  ]) {
    const { named, result } = await runawaysOf("(+ a (* b x))", {
      ...{ data: { x: [0, 1, 2, 3, 4], y }, target: "y", loss: "poisson", params: { a: 1, b: 1 } },
    });
    expect(named["a"]?.words).toContain("the edge of where the program is defined");
    expect(result.standardErrors["a"]).toBeNaN();
    expect(result.intervals["a"]).toEqual([Number.NaN, Number.NaN]);
    expect(result.standardErrors["b"]).toBeGreaterThan(0);
  }
});
