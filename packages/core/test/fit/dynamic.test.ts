/**
 * Fits of dynamic models reach the optima that others have published: GARCH, hidden Markov models,
 * Markov switching, exponential smoothing, an epidemic, predator and prey, and the posteriors of
 * posteriordb. A fit is never worse than the published objective by more than its printed digits.
 * The regressions of nls_models.json are in nls.test.ts, the state-space models in
 * state-space.test.ts.
 */

import { expect, test } from "vitest";
import { type FitOptions, type FitResult, vec } from "../../src/index.js";
import { describeCorpus, listCorpus, readCorpus } from "../corpus/corpus.js";
import { examples } from "../examples/cases.js";
import { readModel, readTable } from "../examples/support.js";
import { fitText, machine } from "./support.js";

type Params = NonNullable<FitOptions["params"]>;

const folder = "dynamic_calibration";
const log = (start: number) => ({ start, scale: "log" }) as const;
const share = (start: number) => ({ start, bounds: [0, 1] }) as const;

/** The loss is at most the published one and a bit. */
function expectReached(result: FitResult, published: number, digits: number): void {
  expect(result.best.loss).toBeLessThanOrEqual(published + digits);
}

function expectNear(value: number | undefined, expected: number, error: number, what: string) {
  const off = Math.abs((value ?? Number.NaN) - expected);
  expect(off, `${what}: ${value} for ${expected}`).toBeLessThanOrEqual(error);
}

/** Values to so many digits. */
function expectDigits(value: number | undefined, expected: number, digits: number, what: string) {
  expectNear(value, expected, Math.abs(expected) * 0.5 * 10 ** (1 - digits), what);
}

/** A program under examples/ fitted as its README says, to other data. */
function fitExample(name: string, data: FitOptions["data"], more: object = {}): Promise<FitResult> {
  const example = examples.find((each) => each.name === name);
  return fitText(readModel(name), { data: data ?? {}, ...example?.options, ...more });
}

describeCorpus("what is fitted", () => {
  const posteriors = [
    "arK-arK",
    "bball_drive_event_0-hmm_drive_0",
    "garch-garch11",
    "hmm_example-hmm_example",
    "hudson_lynx_hare-lotka_volterra",
  ];
  const others = listCorpus(`${folder}/posteriordb`).filter((name) => !posteriors.includes(name));

  if (others.length > 0)
    test.each(others)(
      "posteriordb's %s is not fitted: no program of it is written here",
      (name) => {
        expect(posteriors).not.toContain(name);
      },
    );

  test("every file has its fits here or in nls.test.ts", () => {
    expect(listCorpus(folder)).toEqual([
      "ets",
      "garch_dem2gbp",
      "holt_winters",
      "lotka_volterra_lynx_hare",
      "markov_switching",
      "nls_models",
      "poisson_hmm_earthquakes",
      "sir_boarding_school_1978",
    ]);
    expect(listCorpus(`${folder}/posteriordb`)).toEqual(expect.arrayContaining(posteriors));
  });
});

describeCorpus("the examples' tables", () => {
  const cases = [
    ["epidemic", "in_bed", "sir_boarding_school_1978", "in_bed"],
    ["earthquakes", "count", "poisson_hmm_earthquakes", "y"],
    ["lotka-volterra", "hare", "lotka_volterra_lynx_hare", "hare"],
    ["lotka-volterra", "lynx", "lotka_volterra_lynx_hare", "lynx"],
  ] as const;
  test.each(cases)("%s: %s are the published numbers", (name, column, file, theirs) => {
    const published = readCorpus<Record<string, readonly number[]>>(`${folder}/${file}.json`);
    expect(readTable(name)[column]).toEqual(published[theirs]);
  });

  test("nile-level: flow are the published numbers", () => {
    const { y } = readCorpus<{ readonly y: readonly number[] }>(
      "kalman_refs/nile_local_level.json",
    );
    expect(readTable("nile-level")["flow"]).toEqual(y);
  });
});

describeCorpus("GARCH(1,1) of DEM/GBP", () => {
  interface Garch {
    readonly y: readonly number[];
    readonly fcp_benchmark: Readonly<Record<string, number>> & {
      readonly se_hessian: Readonly<Record<string, number>>;
    };
    readonly derived: { readonly loglik: number };
  }
  const { y, fcp_benchmark, derived } = readCorpus<Garch>(`${folder}/garch_dem2gbp.json`);

  test("the benchmark's coefficients, standard errors and likelihood", async () => {
    const params = { mu: 0, omega: log(0.05), alpha: share(0.1), beta: share(0.6) };
    const result = await fitExample("garch", { y }, { params });
    expectReached(result, -derived.loglik, 1e-6);
    for (const name of ["mu", "omega", "alpha", "beta"]) {
      expectDigits(result.best.params[name], fcp_benchmark[name] as number, 5, name);
      const error = fcp_benchmark.se_hessian[name] as number;
      expectDigits(result.standardErrors[name], error, 4, `standard error of ${name}`);
    }
  });
});

describeCorpus("Poisson hidden Markov models of earthquakes", () => {
  interface Earthquakes {
    readonly y: readonly number[];
    readonly published: { readonly minus_loglik: Readonly<Record<string, number>> };
  }
  const { y, published } = readCorpus<Earthquakes>(`${folder}/poisson_hmm_earthquakes.json`);
  // The book's table goes to four states; the file may hold fewer of them.
  const book = { "1": 391.9189, "2": 342.3183, "3": 329.4603, "4": 327.8316 };
  const cases = Object.entries({ ...book, ...published.minus_loglik });

  /** Transitions are a softmax with the diagonal as its base; the chain starts stationary. */
  function model(states: number): string {
    const all = Array.from({ length: states }, (_, i) => i);
    const weight = (i: number, j: number) => (i === j ? "1.0" : `(exp w${i}-${j})`);
    const row = (i: number) => `(row ${all.map((j) => weight(i, j)).join(" ")})`;
    return `
      (define (row . weights)
        (let ((v (apply vec weights))) (/ v (vsum v))))
      (define means (vec ${all.map((i) => `mean${i}`).join(" ")}))
      (define G (mat ${all.map(row).join(" ")}))
      (define stationary
        (solve (transpose (+ (- (eye ${states}) G) (ones ${states} ${states}))) (ones ${states})))
      (define (densities n) (exp (- (* n (log means)) means (lgamma (+ n 1)))))
      (loop ((t 0) (forward stationary) (total 0.0))
        (if (= t (vlen count))
            total
            (let* ((joint (* forward (densities (ref count t))))
                   (mass (vsum joint)))
              (recur (+ t 1) (matvec (transpose G) (/ joint mass)) (- total (log mass))))))`;
  }

  test.each(cases)("%s states: −log-likelihood %s", async (word, value) => {
    const states = Number(word);
    const params: Record<string, Params[string]> = {};
    for (let i = 0; i < states; i++) {
      const middle = 10 + (25 * (i + 0.5)) / states;
      params[`mean${i}`] = { start: middle, range: [10, 35], scale: "log" };
      for (let j = 0; j < states; j++)
        if (i !== j) params[`w${i}-${j}`] = { start: -2, range: [-4, 0] };
    }
    const restarts = states > 2 ? 8 : 1;
    const result = await fitText(model(states), { data: { count: y }, params, restarts, seed: 1 });
    expectReached(result, value, 5e-5);
  });

  test("the example's two states", async () => {
    const result = await fitExample("earthquakes", { count: y });
    expectNear(result.best.loss, published.minus_loglik["2"] ?? book["2"], 5e-5, "loss");
  });
});

describeCorpus("Markov switching", () => {
  interface Switching {
    readonly id: string;
    readonly expected_loglik: number;
    readonly params: Readonly<Record<string, number>>;
    readonly std_errors_oim?: Readonly<Record<string, number>>;
    readonly y?: readonly number[];
    readonly series?: readonly number[];
  }
  const all = readCorpus<readonly Switching[]>(`${folder}/markov_switching.json`);
  const fedfunds = all[0]?.y ?? [];
  const known = /^(p00|p10|mu[01]|c[01]|b[01]|sigma[01]?)$/;
  const cases = all.filter(({ params }) => Object.keys(params).every((name) => known.test(name)));
  const others = all.filter((each) => !cases.includes(each));

  if (others.length > 0)
    test.each(others)("$id is not fitted: it is not a model of two regimes as here", () => {
      expect(cases.length).toBeGreaterThan(0);
    });

  /** Two regimes; p00 and p10 are the probabilities of regime 0 after regimes 0 and 1. */
  const model = (mean: readonly [string, string], deviation: readonly [string, string]) => `
    (define root-two-pi (sqrt (* 2 (acos -1))))
    (define (density e s) (/ (exp (* -0.5 (square (/ e s)))) (* s root-two-pi)))
    (loop ((t 0) (first (/ p10 (+ (- 1 p00) p10))) (total 0.0))
      (if (= t (vlen y))
          total
          (let* ((joint0 (* first (density (- (ref y t) ${mean[0]}) ${deviation[0]})))
                 (joint1 (* (- 1 first) (density (- (ref y t) ${mean[1]}) ${deviation[1]})))
                 (mass (+ joint0 joint1)))
            (recur (+ t 1)
                   (/ (+ (* p00 joint0) (* p10 joint1)) mass)
                   (- total (log mass))))))`;

  function problemOf({ params }: Switching, series: readonly number[]) {
    const isLagged = "b0" in params;
    const means = isLagged
      ? (["(+ c0 (* b0 (ref x t)))", "(+ c1 (* b1 (ref x t)))"] as const)
      : (["mu0", "mu1"] as const);
    const deviations =
      "sigma0" in params ? (["sigma0", "sigma1"] as const) : (["sigma", "sigma"] as const);
    const data = isLagged ? { y: series.slice(1), x: series.slice(0, -1) } : { y: series };
    return { source: model(means, deviations), data };
  }

  test.each(cases)("$id: −log-likelihood of $expected_loglik", async (each) => {
    const { source, data } = problemOf(each, each.series ?? fedfunds);
    // Starts a fifth off: which regime is which is a matter of names.
    const params = Object.fromEntries(
      Object.entries(each.params).map(([name, value], j) => {
        const start = value * (j % 2 === 0 ? 0.9 : 1.2);
        if (/^p/.test(name)) return [name, share(Math.min(start, 0.95))];
        return [name, /^sigma/.test(name) ? log(start) : start];
      }),
    );
    const result = await fitText(source, { data, params, isNegativeLogLikelihood: true });
    expectReached(result, -each.expected_loglik, 5e-6);
    for (const [name, value] of Object.entries(each.params))
      expectNear(
        result.best.params[name],
        value,
        0.01 * (result.standardErrors[name] as number),
        name,
      );
    for (const [name, error] of Object.entries(each.std_errors_oim ?? {}))
      expectDigits(result.standardErrors[name], error, 3, `standard error of ${name}`);
  });
});

describeCorpus("an epidemic in a boarding school", () => {
  interface Epidemic {
    readonly day: readonly number[];
    readonly in_bed: readonly number[];
    readonly published_fit: Readonly<Record<string, number>>;
  }
  const { day, in_bed, published_fit } = readCorpus<Epidemic>(
    `${folder}/sir_boarding_school_1978.json`,
  );

  test("the published rates, standard errors and root mean square", async () => {
    const result = await fitExample("epidemic", { day, in_bed });
    const { beta, gamma, I0, beta_se, gamma_se, rmse } = published_fit as Record<string, number>;
    expectNear(result.best.params["beta"], beta as number, 5e-4, "beta");
    expectNear(result.best.params["gamma"], gamma as number, 5e-4, "gamma");
    expectNear(result.best.params["sick0"], I0 as number, 5e-3, "I0");
    expectNear(result.standardErrors["beta"], beta_se as number, 5e-4, "standard error of beta");
    expectNear(result.standardErrors["gamma"], gamma_se as number, 5e-4, "standard error of gamma");
    const root = Math.sqrt(result.best.loss / in_bed.length);
    expect(root).toBeLessThanOrEqual((rmse as number) + 0.05);
  });
});

describeCorpus("hare and lynx", () => {
  interface LotkaVolterra {
    readonly hare: readonly number[];
    readonly lynx: readonly number[];
    readonly published_posterior_means: Readonly<Record<string, number>>;
  }
  const { hare, lynx, published_posterior_means } = readCorpus<LotkaVolterra>(
    `${folder}/lotka_volterra_lynx_hare.json`,
  );

  test("the maximum is near posteriordb's means and above their likelihood", async () => {
    const theirs = published_posterior_means as Record<string, number>;
    const at = {
      birth: theirs["alpha"],
      hunt: theirs["beta"],
      death: theirs["gamma"],
      feed: theirs["delta"],
      hare0: theirs["u0"],
      lynx0: theirs["v0"],
      "noise-h": theirs["sigma_u"],
      "noise-l": theirs["sigma_v"],
    } as Record<string, number>;
    const program = machine.load(readModel("lotka-volterra"));
    const [there] = program.evaluate({ hare: vec(hare), lynx: vec(lynx), ...at }).values;
    program.dispose();
    const result = await fitExample("lotka-volterra", { hare, lynx });
    expectReached(result, there as number, 0);
    for (const [name, value] of Object.entries(at))
      expectNear(result.best.params[name], value, result.standardErrors[name] as number, name);
  });
});

describeCorpus("exponential smoothing", () => {
  interface Smoothing {
    readonly id: string;
    readonly params: Readonly<Record<string, number>>;
    readonly expected: { readonly sse?: number; readonly llf?: number; readonly mse?: number };
    readonly y: readonly number[];
  }
  const { cases } = readCorpus<{ readonly cases: readonly Smoothing[] }>(`${folder}/ets.json`);

  /** Sum of squares. The trend's rate is a share of alpha, the season's a share of 1 − alpha. */
  const model = ({ trend, damped, seasonal }: Record<"trend" | "damped" | "seasonal", boolean>) => `
    (define beta ${trend ? "(* alpha trend)" : "0"})
    (define gamma ${seasonal ? "(* (- 1 alpha) season)" : "0"})
    (loop ((t 0) (l l0) (b ${trend ? "b0" : "0"})
           ${seasonal ? "(s1 a1) (s2 a2) (s3 a3) (s4 (- 0 a1 a2 a3))" : "(s1 0) (s2 0) (s3 0) (s4 0)"}
           (sum 0.0))
      (if (= t (vlen y))
          sum
          (let* ((drift (* ${damped ? "phi" : "1"} b))
                 (e (- (ref y t) (+ l drift s4))))
            (recur (+ t 1) (+ l drift (* alpha e)) (+ drift (* beta e))
                   (+ s4 (* gamma e)) s1 s2 s3
                   (+ sum (* e e))))))`;

  test.each(cases)("$id", async ({ params, expected, y }) => {
    const has = {
      trend: "b0" in params,
      damped: "phi" in params,
      seasonal: "gamma" in params,
    };
    // R's own bounds.
    const bounds = [1e-4, 0.9999] as const;
    const [first = 0, second = 0] = y;
    const free: Params = {
      alpha: { start: 0.5, bounds },
      l0: first,
      ...(has.trend && { trend: { start: 0.1, bounds: [1e-4, 1] }, b0: (second - first) / 4 }),
      ...(has.damped && { phi: { start: 0.9, bounds: [0.8, 0.98] } }),
      ...(has.seasonal && { season: share(0.5), a1: 0, a2: 0, a3: 0 }),
    };
    const result = await fitText(model(has), { data: { y }, params: free, restarts: 4, seed: 1 });
    const { sse = Infinity, mse = Infinity } = expected;
    const published = Math.min(sse, mse * y.length);
    expectReached(result, published, 1e-7 * published);
  });

  interface HoltWinters {
    readonly id: string;
    readonly alpha: number;
    readonly beta: number | null;
    readonly SSE: number;
    readonly y: readonly number[];
  }
  const holtWinters = readCorpus<readonly HoltWinters[]>(`${folder}/holt_winters.json`);

  test.each(holtWinters)("$id: sum of squares $SSE", async ({ beta, y, SSE }) => {
    const hasTrend = beta !== null;
    const [first = 0, second = 0] = y;
    const start = hasTrend
      ? { y: y.slice(2), l0: second, b0: second - first }
      : { y: y.slice(1), l0: first };
    const params: Params = { alpha: share(0.5), ...(hasTrend && { trend: share(0.5) }) };
    const kind = { trend: hasTrend, damped: false, seasonal: false };
    const result = await fitText(model(kind), { data: start, params });
    expectReached(result, SSE, 1e-7 * SSE);
  });
});

describeCorpus("posteriordb: the likelihood's maximum", () => {
  interface Moments {
    readonly names: readonly string[];
  }
  interface Posterior {
    readonly data: Readonly<Record<string, unknown>>;
    readonly reference_mean: Moments & { readonly mean_value: readonly number[] };
    readonly reference_mean_square: Moments & { readonly mean_squared_value: readonly number[] };
    readonly derived?: { readonly loglik: number };
  }
  const read = (name: string) => readCorpus<Posterior>(`${folder}/posteriordb/${name}.json`);

  /** Mean and standard deviation of a parameter's posterior. */
  function momentsOf({ reference_mean, reference_mean_square }: Posterior, name: string) {
    const at = reference_mean.names.indexOf(name);
    const mean = reference_mean.mean_value[at] as number;
    const square = reference_mean_square.mean_squared_value[at] as number;
    return { mean, deviation: Math.sqrt(square - mean * mean) };
  }

  /** Our parameters under their names: near the means, and not below the likelihood there. */
  function expectPosterior(
    posterior: Posterior,
    result: FitResult,
    names: Readonly<Record<string, string>>,
    deviations: number,
  ) {
    if (posterior.derived !== undefined) expectReached(result, -posterior.derived.loglik, 0);
    for (const [ours, theirs] of Object.entries(names)) {
      const { mean, deviation } = momentsOf(posterior, theirs);
      expectNear(result.best.params[ours], mean, deviations * deviation, theirs);
    }
  }

  test("AR(5)", async () => {
    const posterior = read("arK-arK");
    const source = `
      (define beta (vec b1 b2 b3 b4 b5))
      (define (mean-at t)
        (loop ((k 0) (m alpha))
          (if (= k 5) m (recur (+ k 1) (+ m (* (ref beta k) (ref y (- t k 1))))))))
      (loop ((t 5) (total 0.0))
        (if (= t (vlen y))
            total
            (recur (+ t 1)
                   (+ total
                      (* 0.5 (log (* 2 (acos -1))))
                      (log sigma)
                      (* 0.5 (square (/ (- (ref y t) (mean-at t)) sigma)))))))`;
    const lags = ["b1", "b2", "b3", "b4", "b5"];
    const result = await fitText(source, {
      data: { y: posterior.data["y"] as number[] },
      params: { alpha: 0, ...Object.fromEntries(lags.map((lag) => [lag, 0])), sigma: log(1) },
      isNegativeLogLikelihood: true,
    });
    const names = Object.fromEntries(lags.map((lag, k) => [lag, `beta[${k + 1}]`]));
    expectPosterior(posterior, result, { alpha: "alpha", sigma: "sigma", ...names }, 0.6);
  });

  test("GARCH(1,1)", async () => {
    const posterior = read("garch-garch11");
    const source = `
      (loop ((t 0) (h (square sigma1)) (total 0.0))
        (if (= t (vlen y))
            total
            (let ((e (- (ref y t) mu)))
              (recur (+ t 1)
                     (+ omega (* alpha e e) (* beta h))
                     (+ total (* 0.5 (+ (log (* 2 (acos -1))) (log h) (/ (* e e) h))))))))`;
    const { y, sigma1 } = posterior.data as { y: number[]; sigma1: number };
    const result = await fitText(source, {
      data: { y, sigma1 },
      params: { mu: 4, omega: log(1), alpha: share(0.3), beta: share(0.3) },
      isNegativeLogLikelihood: true,
    });
    const names = { mu: "mu", omega: "alpha0", alpha: "alpha1", beta: "beta1" };
    expectPosterior(posterior, result, names, 1);
  });

  const forward = (first: string, second: string) => `
    (define arrivals (mat (vec stay (- 1 leave)) (vec (- 1 stay) leave)))
    (define (densities t) (vec ${first} ${second}))
    (loop ((t 1) (forward (densities 0)) (total 0.0))
      (let ((mass (vsum forward)))
        (if (= t n)
            (- total (log mass))
            (recur (+ t 1)
                   (* (densities t) (matvec arrivals (/ forward mass)))
                   (- total (log mass))))))`;

  test("a Gaussian hidden Markov model", async () => {
    const posterior = read("hmm_example-hmm_example");
    const normal = (mu: string) =>
      `(/ (exp (* -0.5 (square (- (ref y t) ${mu})))) (sqrt (* 2 (acos -1))))`;
    const source = `(define n (vlen y)) ${forward(normal("low"), normal("high"))}`;
    const result = await fitText(source, {
      data: { y: posterior.data["y"] as number[] },
      params: { low: 2, high: 10, stay: share(0.5), leave: share(0.5) },
      isNegativeLogLikelihood: true,
    });
    const names = { low: "mu[1]", high: "mu[2]", stay: "theta1[1]", leave: "theta2[2]" };
    expectPosterior(posterior, result, names, 0.5);
  });

  test("a hidden Markov model of a basketball player's drives, with its priors", async () => {
    const posterior = read("bball_drive_event_0-hmm_drive_0");
    const { u, v, alpha } = posterior.data as { u: number[]; v: number[]; alpha: number[][] };
    const exponential = (k: number) =>
      `(* phi${k} lambda${k} (exp (- 0 (* phi${k} (ref u t)) (* lambda${k} (ref v t)))))`;
    const dirichlet = (p: string, [a = 1, b = 1]: readonly number[] = []) =>
      `(+ (* ${a - 1} (log ${p})) (* ${b - 1} (log (- 1 ${p}))))`;
    const prior = `
      (define prior
        (- (* 0.5 (+ (square phi1) (square (- phi2 3)) (square lambda1) (square (- lambda2 3))))
           ${dirichlet("stay", alpha[0])}
           ${dirichlet("leave", [...(alpha[1] ?? [])].reverse())}))`;
    const source = `
      (define n (vlen u)) ${prior} (+ prior ${inBody(forward(exponential(1), exponential(2)))})`;
    const result = await fitText(source, {
      data: { u, v },
      params: {
        phi1: log(1),
        phi2: log(5),
        lambda1: log(0.02),
        lambda2: log(0.1),
        stay: share(0.9),
        leave: share(0.9),
      },
    });
    const names = {
      phi1: "phi[1]",
      phi2: "phi[2]",
      lambda1: "lambda[1]",
      lambda2: "lambda[2]",
      stay: "theta1[1]",
      leave: "theta2[2]",
    };
    expectPosterior(posterior, result, names, 0.6);
  });
});

/** Definitions and an expression as one expression. */
function inBody(text: string): string {
  return `(let () ${text})`;
}
