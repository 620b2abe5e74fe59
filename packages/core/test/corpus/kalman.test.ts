/**
 * Kalman log-likelihoods of other programs (KFAS, Stata, GAUSS, R), by one filter written in our
 * Scheme (examples/kalman.scm), by the ARMA likelihood of examples/arma.scm, and the published
 * score of the Nile's local level model (examples/nile.scm).
 *
 * Tolerances are the corpus's own: each case says how far a plain filter comes out from the
 * published digits (check_abs_err) and what those digits allow (tolerance_note).
 */

import { expect, test } from "vitest";
import { int } from "../../src/index.js";
import type { Inputs } from "../../src/machine/types.js";
import { describeCorpus, readCorpus, readExample } from "./corpus.js";
import { expectAllClose, expectClose, matrix, vector, withProgram } from "./support.js";
import { usUnemployment } from "./us-unemployment.js";

type Rows = readonly (readonly number[])[];

interface System {
  readonly design: Rows;
  readonly obs_intercept: readonly number[] | Rows;
  readonly obs_cov: Rows;
  readonly transition: Rows;
  readonly state_intercept: readonly number[] | Rows;
  readonly selection: Rows;
  readonly state_cov: Rows;
}
/** Matrices of the one time-varying case: transition and selection stand transposed in it. */
interface TimeVaryingSystem {
  readonly design: readonly Rows[];
  readonly obs_intercept: number;
  readonly obs_cov: readonly number[];
  readonly transition: Rows;
  readonly state_intercept: readonly number[];
  readonly selection: Rows;
  readonly state_cov: Rows;
}
interface KalmanCase {
  readonly id: string;
  readonly n: number;
  readonly burn: number;
  readonly initial_state: readonly number[];
  readonly initial_state_cov: Rows;
  readonly system: System | null;
  readonly system_time_varying?: TimeVaryingSystem;
  readonly same_system_as?: string;
  readonly q_diffuse?: number;
  readonly expected_loglik: number;
  readonly check_abs_err: number;
  readonly tolerance_note: string;
  readonly y?: readonly number[];
  readonly data_ref?: string;
}

function transposed(rows: Rows): Rows {
  return (rows[0] ?? []).map((_, c) => rows.map((row) => row[c] ?? Number.NaN));
}

function product(a: Rows, b: Rows): Rows {
  const columns = transposed(b);
  return a.map((row) =>
    columns.map((column) => row.reduce((sum, x, k) => sum + x * (column[k] ?? Number.NaN), 0)),
  );
}

function isRows(values: readonly number[] | Rows): values is Rows {
  return Array.isArray(values[0]);
}

/** R Q R′: the covariance that reaches the state. */
function stateCovariance(selection: Rows, covariance: Rows): Rows {
  return product(product(selection, covariance), transposed(selection));
}

function systemInputs(each: KalmanCase): Inputs {
  const varying = each.system_time_varying;
  if (varying !== undefined) {
    return {
      Z: matrix(varying.design.map(([row]) => row ?? [])),
      d: vector([varying.obs_intercept]),
      H: varying.obs_cov[0] ?? Number.NaN,
      T: matrix(transposed(varying.transition)),
      c: matrix([varying.state_intercept]),
      V: matrix(stateCovariance(transposed(varying.selection), varying.state_cov)),
    };
  }
  const system = each.system;
  if (system === null) throw new Error(`${each.id} has no system`);
  const { obs_intercept: d, state_intercept: c } = system;
  return {
    Z: matrix(system.design),
    d: vector(isRows(d) ? (d[0] ?? []) : d),
    H: system.obs_cov[0]?.[0] ?? Number.NaN,
    T: matrix(system.transition),
    c: matrix(isRows(c) ? transposed(c) : [c]),
    V: matrix(stateCovariance(system.selection, system.state_cov)),
  };
}

function observationsOf(each: KalmanCase): readonly number[] {
  if (each.y !== undefined) return each.y;
  expect(each.data_ref).toBe("macrodata.csv:unemp");
  return usUnemployment;
}

function allowedError(each: KalmanCase): number {
  return /1e-3/.test(each.tolerance_note) ? 1e-3 : 1.5 * each.check_abs_err + 1e-7;
}

describeCorpus("Kalman filters", () => {
  const cases = readCorpus<readonly KalmanCase[]>("kalman_refs/kalman_cases.json");

  test.each(cases)("$id: log-likelihood $expected_loglik", async (each) => {
    const systemCase = cases.find(({ id }) => id === each.same_system_as) ?? each;
    const y = observationsOf(each);
    expect(y.length).toBe(each.n);
    const inputs: Inputs = {
      ...systemInputs(systemCase),
      y: vector(y),
      a1: vector(systemCase.initial_state),
      P1: matrix(systemCase.initial_state_cov),
      burn: int(each.burn),
    };
    await withProgram("f64", readExample("kalman.scm"), {}, (program) => {
      const [value] = program.evaluate(inputs).values;
      // An exact diffuse start is the limit of P1 = κI as κ grows, less the κ it brings along.
      const kappa = systemCase.initial_state_cov[0]?.[0] ?? Number.NaN;
      const count = each.q_diffuse ?? 0;
      const diffuse = count === 0 ? 0 : 0.5 * count * Math.log(2 * Math.PI * kappa);
      const absolute = allowedError(each);
      expectClose((value ?? Number.NaN) + diffuse, each.expected_loglik, { absolute }, each.id);
    });
  });
});

/** A local level model with gaps, and the same likelihood as one multivariate normal density. */
describeCorpus("missing observations", () => {
  const dense = `
    (define (sum-of-squares) (dot y (solve S y)))
    (* -0.5 (+ (* (vlen y) (log (* 2 (acos -1)))) (logdet S) (sum-of-squares)))`;

  test("a gap anywhere gives the density of the observations that are there", async () => {
    const { y: flow } = readCorpus<Nile>("kalman_refs/nile_local_level.json");
    const series = flow.slice(0, 12).map((value) => value - 1000);
    const gaps = [0, 4, 5, 11];
    const there = series.map((_, t) => t).filter((t) => !gaps.includes(t));
    const [H, V, P1] = [15099, 1469.1, 20000];
    const covariance = there.map((s) =>
      there.map((t) => P1 + V * Math.min(s, t) + (s === t ? H : 0)),
    );
    const present = there.map((t) => series[t] ?? Number.NaN);
    const expected = await withProgram("f64", dense, {}, (program) =>
      program.evaluate({ y: vector(present), S: matrix(covariance) }),
    );
    const y = series.map((value, t) => (gaps.includes(t) ? Number.NaN : value));
    await withProgram("f64", readExample("kalman.scm"), {}, (program) => {
      const inputs = {
        y: vector(y),
        Z: matrix([[1]]),
        d: vector([0]),
        H,
        T: matrix([[1]]),
        c: matrix([[0]]),
        V: matrix([[V]]),
        a1: vector([0]),
        P1: matrix([[P1]]),
        burn: int(0),
      };
      const result = program.gradient(inputs, { wrt: ["H", "V"] });
      expectAllClose(result.values, expected.values, { relative: 1e-12 }, "log-likelihood");
      expect(Number.isFinite(result.gradients["H"]?.[0])).toBe(true);
      expect(Number.isFinite(result.gradients["V"]?.[0])).toBe(true);
    });
  });
});

interface ArimaCase {
  readonly id: string;
  readonly series: string;
  readonly transform: "identity" | "log" | "log10";
  readonly model: string;
  readonly xreg: string;
  readonly coef: Readonly<Record<string, number>>;
  readonly sigma2: number;
  readonly loglik: number;
  readonly check_abs_err: number;
  readonly y_raw: readonly number[];
  readonly ar: readonly number[];
  readonly ma_expanded: readonly number[];
}

/** The series a model is about: transformed, and differenced where the model says so. */
function arimaSeries(each: ArimaCase): readonly number[] {
  const transform = { identity: (y: number) => y, log: Math.log, log10: Math.log10 };
  let y = each.y_raw.map(transform[each.transform]);
  if (!/differenced/.test(each.model)) return y;
  const [, difference] = /ARIMA\(\d,(\d),\d\)/.exec(each.model) ?? [];
  const [, seasonal, period] = /\(\d,(\d),\d\)(\d+)/.exec(each.model) ?? [];
  const lags = [
    ...Array<number>(Number(difference ?? 0)).fill(1),
    ...Array<number>(Number(seasonal ?? 0)).fill(Number(period ?? 1)),
  ];
  for (const lag of lags) {
    y = y.slice(lag).map((value, t) => value - (y[t] ?? Number.NaN));
  }
  return y;
}

/** Regressors and coefficients; a model without any gets a column of zeros. */
function regression(each: ArimaCase, n: number): { readonly X: Rows; readonly beta: number[] } {
  const time = Array.from({ length: n }, (_, t) => t);
  if (each.xreg === "none") return { X: time.map(() => [0]), beta: [0] };
  const intercept = each.coef["intercept"] ?? Number.NaN;
  if (each.xreg === "intercept") return { X: time.map(() => [1]), beta: [intercept] };
  expect(each.xreg).toBe("intercept, time-1920 (time=1875..1972)");
  const slope = each.coef["time(LakeHuron) - 1920"] ?? Number.NaN;
  return { X: time.map((t) => [1, 1875 + t - 1920]), beta: [intercept, slope] };
}

function padded(values: readonly number[], length: number): readonly number[] {
  return [...values, ...Array<number>(length - values.length).fill(0)];
}

describeCorpus("ARIMA likelihoods of R", () => {
  const cases = readCorpus<readonly ArimaCase[]>("kalman_refs/r_arima.json");

  test.each(cases)("$id: $model of $series, log-likelihood $loglik", async (each) => {
    const y = arimaSeries(each);
    const { X, beta } = regression(each, y.length);
    const m = Math.max(each.ar.length, each.ma_expanded.length + 1);
    const inputs: Inputs = {
      y: vector(y),
      ar: vector(padded(each.ar, m)),
      ma: vector(padded(each.ma_expanded, m)),
      sigma2: each.sigma2,
      X: matrix(X),
      beta: vector(beta),
    };
    await withProgram("f64", readExample("arma.scm"), {}, (program) => {
      const absolute = 1.5 * each.check_abs_err + 1e-9;
      const result = program.gradient(inputs, { wrt: ["sigma2", "beta", "ar", "ma"] });
      expectClose(result.values[0], each.loglik, { absolute }, each.id);
      // R stops at a maximum: in units of one standard error (√(2/n) of sigma2) nothing is gained.
      const perSigma = (result.gradients["sigma2"]?.[0] ?? Number.NaN) * each.sigma2;
      expectClose(perSigma * Math.sqrt(2 / y.length), 0, { absolute: 2e-2 }, "by sigma2");
    });
  });
});

interface Nile {
  readonly y: readonly number[];
  readonly published: readonly {
    readonly rows?: readonly {
      readonly psi: number;
      readonly q: number;
      readonly score: number;
      readonly loglik: number;
    }[];
  }[];
  readonly derived: {
    readonly optimum: { readonly q: number; readonly concentrated_diffuse_loglik: number };
    readonly scores: Readonly<Record<string, number>>;
    readonly loglik_at_15099_1469_1: { readonly skip_first_term_P1_1e15: number };
  };
}

describeCorpus("the Nile's local level", () => {
  const nile = readCorpus<Nile>("kalman_refs/nile_local_level.json");
  const y = vector(nile.y);
  const rows = nile.published.flatMap((entry) => entry.rows ?? []);

  test("the table has five rows", () => {
    expect(rows.length).toBe(5);
  });

  test.each(rows)("psi = $psi: score $score and log-likelihood $loglik", async (row) => {
    await withProgram("f64", readExample("nile.scm"), {}, (program) => {
      // The last rows print psi with fewer digits than q.
      const psi = row.q > 0.09 && row.q < 0.1 ? Math.log(row.q) : row.psi;
      const result = program.gradient({ psi, y }, { wrt: ["psi"] });
      expectClose(result.gradients["psi"]?.[0], row.score, { absolute: 6e-3 }, "score");
      expectClose(result.values[0], row.loglik, { absolute: 6e-3 }, "log-likelihood");
    });
  });

  test("three lanes give the recomputed scores", async () => {
    await withProgram("f64", readExample("nile.scm"), {}, (program) => {
      const result = program.gradient({ psi: [0, -3.32, -2.6], y }, { wrt: ["psi"] });
      const { scores } = nile.derived;
      const expected = [scores["psi=0"], scores["psi=-3.32"], scores["psi=-2.60"]];
      expected.forEach((score, lane) => {
        const what = `lane ${lane}`;
        expectClose(result.gradients["psi"]?.[lane], score ?? Number.NaN, { absolute: 1e-7 }, what);
      });
    });
  });

  test("the score vanishes at the maximum", async () => {
    await withProgram("f64", readExample("nile.scm"), {}, (program) => {
      const { q, concentrated_diffuse_loglik: maximum } = nile.derived.optimum;
      const result = program.gradient({ psi: Math.log(q), y }, { wrt: ["psi"] });
      const n = nile.y.length;
      const constants = 0.5 * n * Math.log(2 * Math.PI) + 0.5 * (n - 1);
      expectClose(
        (result.values[0] ?? Number.NaN) - constants,
        maximum,
        { absolute: 1e-9 },
        "value",
      );
      expectClose(result.gradients["psi"]?.[0], 0, { absolute: 1e-6 }, "score");
    });
  });
});
