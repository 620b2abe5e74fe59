/**
 * Options of a fit as they are taken: each default by itself, each option given alone leaving the others as
 * they were, and each reaching what it is for.
 */

import { describe, expect, test, vi } from "vitest";
import { checkSettings, type Settings } from "../../src/fit/settings.js";
import { type FitOptions, fit, Machine } from "../../src/index.js";
import { fitText, machine, noise, refusal, steps } from "./support.js";

const x = steps(-2, 3, 14);
const y = x.map((at, i) => 1.5 + 0.5 * at + (noise(14, 0.6)[i] as number));
const base: FitOptions = { data: { x, y, z: y }, target: "y" };

const ofLm: Settings = {
  mode: "residual",
  targets: ["y"],
  optimiser: "lm",
  loss: "squares",
  lossName: "squares",
  restarts: 1,
  seed: 0,
  limits: { steps: 2000, gradient: 1e-12, step: 1e-12, loss: 1e-15 },
  timeMax: Number.POSITIVE_INFINITY,
  level: 0.95,
  isFull: true,
  isAttempt: false,
  adam: { rate: 0.05, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 },
};
const ofLbfgs: Settings = {
  ...ofLm,
  optimiser: "lbfgs",
  limits: { steps: 1000, gradient: 1e-8, step: 1e-12, loss: 1e-14 },
};
const ofAdam: Settings = {
  ...ofLbfgs,
  optimiser: "adam",
  limits: { ...ofLbfgs.limits, steps: 500 },
};

describe("settings", () => {
  test.each([
    [{}, ofLm],
    [{ optimiser: "auto" }, ofLm],
    [{ optimiser: "lm" }, ofLm],
    [{ optimiser: "lbfgs" }, ofLbfgs],
    [{ optimiser: "adam" }, ofAdam],
    [{ loss: "squares" }, ofLm],
    ...(["absolute", "huber", "poisson", "binomial"] as const).map(
      (loss) => [{ loss }, { ...ofLbfgs, loss, lossName: loss }] as const,
    ),
    [
      { loss: "poisson", optimiser: "adam" },
      { ...ofAdam, loss: "poisson", lossName: "poisson" },
    ],
    [{ loss: " (abs pred)" }, { ...ofLbfgs, loss: " (abs pred)", lossName: "program" }],
    [{ target: undefined }, { ...ofLbfgs, mode: "objective", targets: [], lossName: "program" }],
    [{ target: ["y", "x"] }, { ...ofLm, targets: ["y", "x"] }],
    [{ restarts: 7 }, { ...ofLm, restarts: 7 }],
    [{ seed: -2.5 }, { ...ofLm, seed: -2.5 }],
    [{ timeMax: 0 }, { ...ofLm, timeMax: 0 }],
    [{ level: 0.5 }, { ...ofLm, level: 0.5 }],
    [{ detail: "full" }, ofLm],
    [{ detail: "scores" }, { ...ofLm, isFull: false }],
    [{ detail: "attempt" }, { ...ofLm, isFull: false, isAttempt: true }],
    [{ steps: 1 }, { ...ofLm, limits: { ...ofLm.limits, steps: 1 } }],
    ...(["gradient", "step", "loss"] as const).flatMap((key) =>
      [ofLm, ofLbfgs, ofAdam].map(
        (of) =>
          [
            { optimiser: of.optimiser, tolerances: { [key]: 0.25 } },
            { ...of, limits: { ...of.limits, [key]: 0.25 } },
          ] as const,
      ),
    ),
    ...(["rate", "beta1", "beta2", "epsilon"] as const).flatMap((key) =>
      [0, 0.5].map(
        (value) =>
          [
            { optimiser: "adam", adam: { [key]: value } },
            { ...ofAdam, adam: { ...ofAdam.adam, [key]: value } },
          ] as const,
      ),
    ),
    [{ optimiser: "adam", adam: {} }, ofAdam],
    [{ chunk: 3, together: 2, stepsMax: 9 }, ofLm],
    [
      { loss: "huber", huberWidth: 2 },
      { ...ofLbfgs, loss: "huber", lossName: "huber" },
    ],
  ] as readonly (readonly [FitOptions, Settings])[])("of %j", (options, settings) => {
    const given = { ...base, ...options };
    if ("target" in options && options.target === undefined)
      delete (given as { target?: string }).target;
    expect(checkSettings(given)).toEqual(settings);
  });
});

/** A clock that goes on by so much each time that somebody looks. */
async function onClock<Result>(jump: number, run: (read: () => number) => Promise<Result>) {
  let now = 1000;
  const spy = vi.spyOn(performance, "now").mockImplementation(() => {
    now += jump;
    return now;
  });
  try {
    return await run(() => now);
  } finally {
    spy.mockRestore();
  }
}

describe("an option of another loss or optimiser was ignored without a word", () => {
  const given = { trials: x.map(() => 9), huberWidth: 2, adam: { rate: 0.1 } } as const;
  const losses = ["squares", "absolute", "huber", "poisson", "binomial", "(abs pred)"];
  const needed = {
    trials: ["a binomial loss", ({ loss }) => loss === "binomial"],
    huberWidth: ["a loss of Huber's", ({ loss }) => loss === "huber"],
    adam: ["a fit by adam", ({ optimiser }) => optimiser === "adam"],
  } as const satisfies Record<string, [string, (how: Partial<FitOptions>) => boolean]>;
  for (const option of ["trials", "huberWidth", "adam"] as const)
    test(option, () => {
      const [what, isFor] = needed[option];
      for (const loss of losses)
        for (const optimiser of ["auto", "lbfgs", "adam"] as const) {
          const how = { loss, optimiser };
          const check = () => checkSettings({ ...base, ...how, [option]: given[option] });
          if (isFor(how)) expect(check).not.toThrow();
          else expect(check).toThrow(`the option ${option} needs ${what}`);
          expect(() => checkSettings({ ...base, ...how, [option]: undefined })).not.toThrow();
        }
    });

  test("in objective mode", () => {
    const { target: _, ...objective } = base;
    expect(() => checkSettings({ ...objective, huberWidth: 2 })).toThrow("a loss of Huber's");
    expect(() => checkSettings({ ...objective, adam: { rate: 1 } })).toThrow("a fit by adam");
    const byAdam = { optimiser: "adam", adam: { rate: 1 } } as const;
    expect(() => checkSettings({ ...objective, ...byAdam })).not.toThrow();
  });
});

describe("time", () => {
  const years = Array.from({ length: 13 }, (_, i) => 1981 + i);
  const cases: readonly (readonly [name: string, source: string, options: FitOptions])[] = [
    [
      "a fit that Newton's steps bring on",
      "(exp (+ a (* b x)))",
      {
        data: { x: years, y: [12, 14, 33, 50, 67, 74, 123, 141, 165, 204, 253, 246, 240] },
        ...{ target: "y", loss: "poisson", params: { a: -300, b: 0.15 } },
      },
    ],
    [
      "restarts of which Newton's steps bring on the best",
      "(+ 5 (square (- 1 a)) (* 20 (square (- b (* a a)))))",
      {
        // Each restart ends where it begins.
        ...{ tolerances: { gradient: 1e9 }, restarts: 20, together: 1 },
        params: { a: { range: [-2, -1] }, b: { range: [1, 3] } },
      },
    ],
    ["absolute deviations", "(+ a (* b x))", { ...base, loss: "absolute" }],
    ["many restarts", "(+ a (* b x))", { ...base, restarts: 20, together: 2 }],
  ];

  test.each(cases)("of %s is that of all that it does together", async (_, source, options) => {
    const jump = 10;
    const took = (timeMax: number) =>
      onClock(jump, async (read) => {
        const program = machine.load(source);
        const from = read();
        const result = await fit(program, { ...options, timeMax });
        program.dispose();
        return { result, milliseconds: read() - from };
      });
    const whole = await took(1e9);
    expect(whole.result.stopped).toBe("done");
    const ways = new Set<string>();
    for (let timeMax = jump; timeMax < whole.milliseconds + 5 * jump; timeMax += 7 * jump) {
      const { result, milliseconds } = await took(timeMax);
      ways.add(result.stopped);
      // Some looks more: one turn of Newton's steps, which evaluates often, is not cut.
      expect(milliseconds, `${timeMax}`).toBeLessThan(timeMax + 20 * jump);
      expect(result.counters.milliseconds, `${timeMax}`).toBeLessThanOrEqual(milliseconds);
      const note = "the fit was ended early (time); this is the best so far";
      expect(result.diagnostics.notes.includes(note), `${timeMax}`).toBe(result.stopped === "time");
      if (result.stopped === "done")
        expect(result.best.loss / whole.result.best.loss).toBeCloseTo(1, 12);
      else expect(result.restarts.some(({ reason }) => reason === "time")).toBe(true);
    }
    expect([...ways].sort()).toEqual(["done", "time"]);
  });
});

describe("the limit of steps holds", () => {
  const few = { stepsMax: 300 } as const;
  const turns = (by: string, value: string) =>
    `(let loop ((i 0) (s 0)) (if (< i ${by}) (loop (+ i 1) s) ${value}))`;
  const cases: readonly (readonly [name: string, source: string, options: FitOptions])[] = [
    ["in a residual", turns("n", "(+ a (* b x))"), { ...base, params: { n: 1000 } }],
    [
      "in one of two targets",
      `[${turns("n", "(+ a (* b x))")} a]`,
      { ...base, target: ["y", "z"], params: { n: 1000 } },
    ],
    ["in an objective", turns("n", "(square (- a 1))"), { params: { n: 1000 } }],
    [
      "in a loss of one's own",
      "(+ a (* n x))",
      { ...base, params: { n: 1000 }, loss: turns("(abs pred)", "(square (- pred y))") },
    ],
    [
      "in an attempt",
      turns("n", "(+ a (* b x))"),
      { ...base, params: { n: 1000 }, detail: "attempt" },
    ],
  ];

  test.each(cases)("%s", async (_, source, options) => {
    // Without the limit it is well; with it the start has no number.
    const { best } = await fitText(source, { ...options, steps: 1 });
    expect(Number.isFinite(best.loss)).toBe(true);
    const code = await fitText(source, { ...options, ...few, steps: 1 }).then(
      () => "done",
      (error: { code: string }) => error.code,
    );
    expect(["E-STEPS", "E-INPUT"]).toContain(code);
  });

  test("for rows that are predicted, with errors and without, and not for a result that was stored", async () => {
    const source = "(+ (* a x) (let loop ((i 0)) (if (< i x) (loop (+ i 1)) 0)))";
    for (const detail of ["full", "scores"] as const) {
      const result = await fitText(source, { ...base, ...few, detail, params: { a: 1 } });
      const { values } = result.predict({ x: [1, 1e4] });
      expect([Number.isFinite(values[0]), Number.isFinite(values[1])], detail).toEqual([
        true,
        false,
      ]);
    }
  });
});

describe("the chunk", () => {
  test("reaches every run of a fit", async () => {
    const own = await Machine.create();
    const source = "(if (< (* a x) 1) (* a x) (+ b x))";
    const program = own.load(source);
    for (const options of [
      { ...base, chunk: 4 },
      { ...base, chunk: 4, loss: "(square (- pred y))" },
    ] as const) {
      const wide = await fit(program, { ...options, chunk: 64 });
      const narrow = await fit(program, options);
      expect(narrow.best).toEqual(wide.best);
    }
    expect(await refusal(source, { ...base, chunk: 0 }, "E-OPTION")).toContain("chunk");
    own.dispose();
  });
});

describe("a loss that is declared to be a negative log-likelihood", () => {
  test("by Huber had errors, and no log-likelihood beside them", async () => {
    const how = { ...base, loss: "huber", isNegativeLogLikelihood: true } as const;
    const named = await fitText("(+ a (* b x))", how);
    const miss = "(if (< (abs (- pred y)) 1) (* 0.5 (square (- pred y))) (- (abs (- pred y)) 0.5))";
    const text = await fitText("(+ a (* b x))", { ...how, loss: miss });
    for (const key of ["logLikelihood", "aic", "bic"] as const)
      expect(named.best[key]).toBeCloseTo(text.best[key], 8);
    expect(named.best.logLikelihood).toBe(-named.best.loss);
    for (const name of ["a", "b"])
      expect(named.standardErrors[name]).toBeCloseTo(text.standardErrors[name] as number, 5);
    const plain = await fitText("(+ a (* b x))", { ...base, loss: "huber" });
    expect([plain.best.logLikelihood, plain.standardErrors["a"]]).toEqual([Number.NaN, Number.NaN]);
  });

  test("by absolute deviations had no errors, and nothing said so", async () => {
    const how = { ...base, loss: "absolute", isNegativeLogLikelihood: true } as const;
    expect(await refusal("(+ a (* b x))", how, "E-OPTION")).toBe(
      "the option isNegativeLogLikelihood needs a loss other than absolute | " +
        "absolute deviations have no second derivatives, which standard errors come from",
    );
    expect(() => checkSettings({ ...how, isNegativeLogLikelihood: false })).not.toThrow();
  });
});
