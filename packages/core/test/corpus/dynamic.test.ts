/**
 * Dynamic models at published parameters: log-likelihoods of GARCH, hidden Markov, Markov-switching,
 * autoregressive and predator-prey models, sums of squares of exponential smoothing and of R's nls,
 * each a short program in our Scheme. Gradients are held against the corpus's where it has them,
 * and against zero where the published parameters are a maximum.
 */

import { expect, test } from "vitest";
import type { Inputs } from "../../src/machine/types.js";
import { describeCorpus, readCorpus } from "./corpus.js";
import { expectAllClose, expectClose, matrix, vector, withProgram } from "./support.js";

const garch = `
  (define log-two-pi (log (* 2 (acos -1))))
  (loop ((t 0) (h h1) (total 0.0))
    (if (= t (vlen y))
        total
        (let ((e (- (ref y t) mu)))
          (recur (+ t 1)
                 (+ omega (* alpha e e) (* beta h))
                 (- total (* 0.5 (+ log-two-pi (log h) (/ (* e e) h))))))))`;

const hiddenMarkov = `
  (define root-two-pi (sqrt (* 2 (acos -1))))
  (define (densities at) (/ (exp (* -0.5 (square (- at mu)))) root-two-pi))
  (define arrivals (transpose theta))
  (loop ((t 1) (forward (densities (ref y 0))) (total 0.0))
    (let ((mass (vsum forward)))
      (if (= t (vlen y))
          (+ total (log mass))
          (recur (+ t 1)
                 (* (densities (ref y t)) (matvec arrivals (/ forward mass)))
                 (+ total (log mass))))))`;

const markovSwitching = `
  (define root-two-pi (sqrt (* 2 (acos -1))))
  (define (density e s) (/ (exp (* -0.5 (square (/ e s)))) (* s root-two-pi)))
  (loop ((t 0) (first (/ p10 (+ (- 1 p00) p10))) (total 0.0))
    (if (= t (vlen y))
        total
        (let* ((at (lambda (c b s) (density (- (ref y t) c (* b (ref x t))) s)))
               (joint0 (* first (at c0 b0 s0)))
               (joint1 (* (- 1 first) (at c1 b1 s1)))
               (mass (+ joint0 joint1)))
          (recur (+ t 1)
                 (/ (+ (* p00 joint0) (* p10 joint1)) mass)
                 (+ total (log mass))))))`;

const autoregressive = `
  (define order (vlen beta))
  (define (mean-at t)
    (loop ((k 0) (m alpha))
      (if (= k order) m (recur (+ k 1) (+ m (* (ref beta k) (ref y (- t k 1))))))))
  (loop ((t order) (total 0.0))
    (if (= t (vlen y))
        total
        (recur (+ t 1)
               (- total
                  (* 0.5 (log (* 2 (acos -1))))
                  (log sigma)
                  (* 0.5 (square (/ (- (ref y t) (mean-at t)) sigma)))))))`;

const predatorPrey = `
  (define (slope z)
    (let ((u (ref z 0)) (v (ref z 1)))
      (vec (* (- (ref theta 0) (* (ref theta 1) v)) u)
           (* (- (* (ref theta 3) u) (ref theta 2)) v))))
  (define (step z h)
    (let* ((k1 (slope z))
           (k2 (slope (+ z (* (/ h 2) k1))))
           (k3 (slope (+ z (* (/ h 2) k2))))
           (k4 (slope (+ z (* h k3)))))
      (+ z (* (/ h 6) (+ k1 (* 2 k2) (* 2 k3) k4)))))
  (define (year z)
    (loop ((i 0) (z z)) (if (= i 200) z (recur (+ i 1) (step z 0.005)))))
  (define (log-density z at)
    (- (* -0.5 (vsum (square (/ (- (log at) (log z)) sigma))))
       (vsum (log (* at sigma)))
       (log (* 2 (acos -1)))))
  (loop ((t 0) (z start) (total (log-density start initial)))
    (if (= t (rows y))
        total
        (let ((next (year z)))
          (recur (+ t 1) next (+ total (log-density next (ref y t)))))))`;

const smoothing = `
  (loop ((t 0) (l l0) (b b0) (s1 a1) (s2 a2) (s3 a3) (s4 (- 0 a1 a2 a3)) (sum 0.0))
    (if (= t (vlen y))
        sum
        (let* ((drift (* phi b))
               (e (- (ref y t) (+ l drift s4))))
          (recur (+ t 1) (+ l drift (* alpha e)) (+ drift (* beta e))
                 (+ s4 (* gamma e)) s1 s2 s3
                 (+ sum (* e e))))))`;

/** Value and gradients by the named inputs, in one lane. */
async function differentiate(source: string, inputs: Inputs, wrt: readonly string[]) {
  return withProgram("f64", source, { inputs: Object.keys(inputs) }, (program) => {
    const result = program.gradient(inputs, { wrt });
    return { value: result.values[0] ?? Number.NaN, gradients: result.gradients };
  });
}

interface Posterior {
  readonly data: Readonly<Record<string, unknown>>;
  readonly derived: {
    readonly loglik: number;
    readonly point: Readonly<Record<string, number>>;
    readonly grad: Readonly<Record<string, number>>;
  };
}

describeCorpus("log-likelihoods and gradients at posteriordb's means", () => {
  const read = (name: string): Posterior =>
    readCorpus<Posterior>(`dynamic_calibration/posteriordb/${name}.json`);

  /** A program's gradients against the corpus's: for each of our inputs its names there. */
  async function expectPosterior(
    { derived }: Posterior,
    source: string,
    inputs: Inputs,
    names: Readonly<Record<string, readonly string[]>>,
    relative: number,
  ): Promise<void> {
    const { value, gradients } = await differentiate(source, inputs, Object.keys(names));
    expectClose(value, derived.loglik, { relative }, "log-likelihood");
    for (const [input, theirs] of Object.entries(names)) {
      const expected = theirs.map((name) => derived.grad[name] ?? Number.NaN);
      expectAllClose(gradients[input], expected, { relative }, `by ${input}`);
    }
  }
  const at = ({ derived }: Posterior, names: readonly string[]): number[] =>
    names.map((name) => derived.point[name] ?? Number.NaN);
  const numbered = (name: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${name}[${i + 1}]`);

  test("AR(5)", async () => {
    const posterior = read("arK-arK");
    const beta = numbered("beta", 5);
    const [alpha, sigma] = at(posterior, ["alpha", "sigma"]) as [number, number];
    const y = vector(posterior.data["y"] as number[]);
    const inputs = { y, alpha, sigma, beta: vector(at(posterior, beta)) };
    const names = { alpha: ["alpha"], sigma: ["sigma"], beta };
    await expectPosterior(posterior, autoregressive, inputs, names, 1e-10);
  });

  test("GARCH(1,1)", async () => {
    const posterior = read("garch-garch11");
    const names = ["mu", "alpha0", "alpha1", "beta1"];
    const [mu, omega, alpha, beta] = at(posterior, names) as [number, number, number, number];
    const h1 = (posterior.data["sigma1"] as number) ** 2;
    const inputs = { y: vector(posterior.data["y"] as number[]), h1, mu, omega, alpha, beta };
    const theirs = { mu: ["mu"], omega: ["alpha0"], alpha: ["alpha1"], beta: ["beta1"] };
    await expectPosterior(posterior, garch, inputs, theirs, 1e-10);
  });

  test("a hidden Markov model of two states", async () => {
    const posterior = read("hmm_example-hmm_example");
    const rows = [numbered("theta1", 2), numbered("theta2", 2)];
    const mu = numbered("mu", 2);
    const inputs = {
      y: vector(posterior.data["y"] as number[]),
      theta: matrix(rows.map((row) => at(posterior, row))),
      mu: vector(at(posterior, mu)),
    };
    await expectPosterior(posterior, hiddenMarkov, inputs, { theta: rows.flat(), mu }, 1e-10);
  });

  test("lynx and hare, a differential equation solved inside the program", async () => {
    const posterior = read("hudson_lynx_hare-lotka_volterra");
    const names = { theta: numbered("theta", 4), start: numbered("z_init", 2) };
    const sigma = numbered("sigma", 2);
    const inputs = {
      y: matrix(posterior.data["y"] as number[][]),
      initial: vector(posterior.data["y_init"] as number[]),
      theta: vector(at(posterior, names.theta)),
      start: vector(at(posterior, names.start)),
      sigma: vector(at(posterior, sigma)),
    };
    await expectPosterior(posterior, predatorPrey, inputs, { ...names, sigma }, 1e-7);
  });
});

interface Garch {
  readonly fgarch: Readonly<Record<"mu" | "omega" | "alpha" | "beta" | "loglik", number>>;
  readonly derived: { readonly optimum: readonly number[]; readonly loglik: number };
  readonly y: readonly number[];
}

describeCorpus("GARCH(1,1) of the DEM/GBP benchmark", () => {
  const { y, fgarch, derived } = readCorpus<Garch>("dynamic_calibration/garch_dem2gbp.json");
  const names = ["mu", "omega", "alpha", "beta"];
  // The presample variance is the mean square about mu, so it has a part in the gradient by mu.
  const source = `
    (define presample (let ((e (- y mu))) (/ (dot e e) (vlen y))))
    (define h1 (+ omega (* (+ alpha beta) presample)))
    ${garch}`;

  test("R's log-likelihood at R's estimates", async () => {
    const { loglik, ...parameters } = fgarch;
    const { value } = await differentiate(source, { ...parameters, y: vector(y) }, names);
    expectClose(value, loglik, { absolute: 1e-7 }, "log-likelihood");
  });

  test("the score vanishes at the benchmark's maximum", async () => {
    const parameters = names.map((name, i) => [name, derived.optimum[i] ?? Number.NaN]);
    const inputs = { ...Object.fromEntries(parameters), y: vector(y) };
    const { value, gradients } = await differentiate(source, inputs, names);
    expectClose(value, derived.loglik, { absolute: 1e-8 }, "log-likelihood");
    for (const name of names) {
      expectClose(gradients[name]?.[0], 0, { absolute: 2e-2 }, `score by ${name}`);
    }
  });
});

interface Switching {
  readonly id: string;
  readonly expected_loglik: number;
  readonly check_abs_err: number;
  readonly params: Readonly<Record<string, number>>;
  readonly y?: readonly number[];
  readonly series?: readonly number[];
}

describeCorpus("Markov switching", () => {
  const cases = readCorpus<readonly Switching[]>("dynamic_calibration/markov_switching.json");
  const fedfunds = cases[0]?.y ?? [];

  test.each(cases)("$id: log-likelihood $expected_loglik", async (each) => {
    const lagged = "b0" in each.params;
    const series = each.series ?? fedfunds;
    const { p00 = 0, p10 = 0, sigma = 0, sigma0 = sigma, sigma1 = sigma, ...means } = each.params;
    const { mu0 = 0, mu1 = 0, c0 = mu0, c1 = mu1, b0 = 0, b1 = 0 } = means;
    const y = vector(lagged ? series.slice(1) : series);
    const x = vector(lagged ? series.slice(0, -1) : series.map(() => 0));
    const inputs = { y, x, p00, p10, c0, c1, b0, b1, s0: sigma0, s1: sigma1 };
    const wrt = ["p00", "p10", "c0", "c1"];
    const { value, gradients } = await differentiate(markovSwitching, inputs, wrt);
    const absolute = 1.5 * each.check_abs_err + 1e-6;
    expectClose(value, each.expected_loglik, { absolute }, "log-likelihood");
    for (const name of wrt) expect(Number.isFinite(gradients[name]?.[0])).toBe(true);
  });
});

interface Ets {
  readonly cases: readonly {
    readonly id: string;
    readonly params: Readonly<Record<string, number>>;
    readonly expected: { readonly sse?: number; readonly llf?: number; readonly mse?: number };
    readonly y: readonly number[];
  }[];
}
interface HoltWinters {
  readonly id: string;
  readonly alpha: number;
  readonly beta: number | null;
  readonly SSE: number;
  readonly y: readonly number[];
}

describeCorpus("exponential smoothing", () => {
  const { cases } = readCorpus<Ets>("dynamic_calibration/ets.json");
  const plain = { b0: 0, phi: 1, beta: 0, gamma: 0, a1: 0, a2: 0, a3: 0 };

  test.each(cases)("$id", async ({ params, expected, y }) => {
    const { alpha = 0, beta_star, l0 = 0, s0_0 = 0, s0_1 = 0, s0_2 = 0 } = params;
    const inputs = {
      ...plain,
      y: vector(y),
      alpha,
      l0,
      beta: params["beta"] ?? alpha * (beta_star ?? 0),
      b0: params["b0"] ?? 0,
      phi: params["phi"] ?? 1,
      gamma: params["gamma"] ?? 0,
      a1: s0_0,
      a2: s0_1,
      a3: s0_2,
    };
    const { value } = await differentiate(smoothing, inputs, ["alpha"]);
    const { sse, llf, mse } = expected;
    const relative = 1e-11;
    if (sse !== undefined) expectClose(value, sse, { relative }, "sum of squares");
    if (mse !== undefined) expectClose(value / y.length, mse, { relative }, "mean square");
    if (llf !== undefined) {
      expectClose((-y.length / 2) * Math.log(value), llf, { relative }, "log-likelihood");
    }
  });

  const holtWinters = readCorpus<readonly HoltWinters[]>("dynamic_calibration/holt_winters.json");

  test.each(holtWinters)("$id: sum of squares $SSE", async ({ alpha, beta, y, SSE }) => {
    const [first = 0, second = 0] = y;
    const start =
      beta === null
        ? { l0: first, y: vector(y.slice(1)) }
        : { l0: second, b0: second - first, beta: alpha * beta, y: vector(y.slice(2)) };
    const { value } = await differentiate(smoothing, { ...plain, alpha, ...start }, ["alpha"]);
    expectClose(value, SSE, { relative: 1e-12 }, "sum of squares");
  });
});

interface LeastSquares {
  readonly id: string;
  readonly scheme: string;
  readonly data: Readonly<Record<string, readonly number[]>>;
  readonly inputs: readonly string[];
  readonly response: string;
  readonly estimates: Readonly<Record<string, number>>;
  readonly std_errors: Readonly<Record<string, number>>;
  readonly rss: number;
  readonly df: number;
}

describeCorpus("R's nonlinear least squares", () => {
  const fits = readCorpus<readonly LeastSquares[]>("dynamic_calibration/nls_models.json");

  test.each(fits)("$id: residual sum of squares $rss and standard errors", async (fit) => {
    const names = Object.keys(fit.estimates);
    const columns = fit.inputs.map((name) => [name, fit.data[name] ?? []]);
    const inputs: Inputs = { ...Object.fromEntries(columns), ...fit.estimates };
    const options = { inputs: [...fit.inputs, ...names] };
    const { values, rows } = await withProgram("f64", fit.scheme, options, (program) => {
      const result = program.gradient(inputs, { wrt: names });
      return {
        values: result.values,
        rows: names.map((name) => [...(result.gradients[name] ?? [])]),
      };
    });
    const observed = fit.data[fit.response] ?? [];
    const squares = observed.map((value, i) => (value - (values[i] ?? Number.NaN)) ** 2);
    const sum = squares.reduce((total, square) => total + square, 0);
    expectClose(sum, fit.rss, { relative: 1e-11 }, "residual sum of squares");
    const covariance = await withProgram("f64", "(inv (matmul Jt (transpose Jt)))", {}, (program) =>
      program.evaluate({ Jt: matrix(rows) }),
    );
    names.forEach((name, i) => {
      const variance = (covariance.values[i * names.length + i] ?? Number.NaN) * (sum / fit.df);
      const error = fit.std_errors[name] ?? Number.NaN;
      expectClose(Math.sqrt(variance), error, { relative: 1e-6 }, `standard error of ${name}`);
    });
  });
});
