/**
 * Maximum likelihood of state-space models: every case of kalman_refs is fitted from a start that
 * knows nothing of the answer, and none ends below the published likelihood by more than its
 * printed digits.
 */

import { expect, test } from "vitest";
import { type Data, type FitOptions, int, mat, vec } from "../../src/index.js";
import { asNumber, describeCorpus, readCorpus } from "../corpus/corpus.js";
import { usUnemployment } from "../corpus/us-unemployment.js";
import { armaText, type Lags, matrixText, negated, stationaryText } from "./state-space.js";
import { fitText } from "./support.js";

type Rows = readonly (readonly number[])[];
type Params = NonNullable<FitOptions["params"]>;

interface KalmanCase {
  readonly id: string;
  readonly model: string;
  readonly params: readonly number[];
  readonly burn: number;
  readonly initial_state: readonly number[];
  readonly initial_state_cov: Rows;
  readonly system?: {
    readonly design: Rows;
    readonly obs_cov: Rows;
    readonly transition: Rows;
    readonly selection: Rows;
    readonly state_cov: Rows;
  } | null;
  readonly same_system_as?: string;
  readonly q_diffuse?: number;
  readonly expected_loglik: number;
  /** How far a recomputation at the published parameters is from the published value. */
  readonly check_abs_err: number;
  readonly y?: readonly number[];
}

interface ModelText {
  readonly source: string;
  readonly data: Data;
  readonly params: Params;
  readonly restarts: number;
}

/** What the published digits leave open. */
function digitsOf(value: number): number {
  const [, decimals = ""] = String(value).split(".");
  return 0.5 * 10 ** -decimals.length;
}

async function expectReached(model: ModelText, loglik: number, more = 0) {
  const { source, data, params, restarts } = model;
  const result = await fitText(source, { data, params, restarts, seed: 1 });
  const reached = -result.best.loss;
  const allowed = Math.max(digitsOf(loglik), 1e-9 * Math.abs(loglik)) + more;
  expect(reached).toBeGreaterThanOrEqual(loglik - allowed);
  return result;
}

const variance = (from: number, to: number) => ({ range: [from, to], scale: "log" }) as const;
const partial = { range: [-0.9, 0.9], bounds: [-1, 1] } as const;

/** The variances of an unobserved components model: each stands where its published value does. */
function componentsOf(each: KalmanCase, y: readonly number[]): ModelText {
  const { design, transition, selection, state_cov, obs_cov } = each.system as NonNullable<
    KalmanCase["system"]
  >;
  const names = each.params.map((_, i) => `variance${i}`);
  const nameOf = (value: number | undefined) => names[each.params.indexOf(value ?? 0)] ?? "0.0";
  const covariance = state_cov.map((row) => row.map(nameOf));
  const text = (rows: Rows) => matrixText(rows.map((row) => row.map(String)));
  const source = negated(`
    (define H ${nameOf(obs_cov[0]?.[0])})
    (define R ${text(selection)})
    (define V (matmul R (matmul ${matrixText(covariance)} (transpose R))))
    (define T ${text(transition)})
    (define Z ${text(design)})
    (define c (mat (zeros ${transition.length})))
    (define d (vec 0.0))`);
  return {
    source,
    data: {
      y,
      a1: vec(each.initial_state),
      P1: mat(each.initial_state_cov),
      burn: int(each.burn),
    },
    params: Object.fromEntries(names.map((name) => [name, variance(1e-3, 10)])),
    restarts: 4,
  };
}

/** Clark's trend and cycle of output: a random walk with a drift that wanders, and an AR(2). */
function clarkOf(each: KalmanCase): ModelText {
  const source = negated(`
    ${stationaryText(["phi1", "phi2"], ["r1", "r2"])}
    (define T (mat (vec 1.0 0.0 0.0 1.0)
                   (vec 0.0 phi1 phi2 0.0)
                   (vec 0.0 1.0 0.0 0.0)
                   (vec 0.0 0.0 0.0 1.0)))
    (define V (mat (vec trend 0.0 0.0 0.0)
                   (vec 0.0 cycle 0.0 0.0)
                   (zeros 4)
                   (vec 0.0 0.0 0.0 drift)))
    (define P1 (matmul T (matmul (scale 100 (eye 4)) (transpose T))))
    (define Z (mat (vec 1.0 1.0 0.0 0.0)))
    (define H 0.0)
    (define c (mat (zeros 4)))
    (define d (vec 0.0))`);
  return {
    source,
    data: { y: each.y ?? [], a1: vec(each.initial_state), burn: int(each.burn) },
    params: {
      r1: partial,
      r2: partial,
      trend: variance(1e-6, 1e-3),
      cycle: variance(1e-6, 1e-3),
      drift: variance(1e-9, 1e-5),
    },
    restarts: 12,
  };
}

interface Orders {
  readonly ar: number;
  readonly ma: number;
  readonly seasonalAr: number;
  readonly seasonalMa: number;
  readonly period: number;
  /** Powers of time in the mean. */
  readonly powers: readonly number[];
  readonly diffuse?: number;
}

const named = (name: string, count: number) =>
  Array.from({ length: count }, (_, k) => `${name}${k + 1}`);

/**
 * Puts coefficients at multiples of a period; with both kinds the polynomials are multiplied, where
 * those of an autoregression have minus signs: (1 − φL)(1 − ΦLˢ).
 */
function lagsOf(
  plain: readonly string[],
  seasonal: readonly string[],
  period: number,
  sign: "+" | "-",
): Lags {
  const lags: (string | undefined)[] = [...plain];
  seasonal.forEach((name, k) => {
    const at = (k + 1) * period - 1;
    lags[at] = name;
    plain.forEach((other, j) => {
      lags[at + j + 1] = sign === "+" ? `(* ${name} ${other})` : `(- (* ${name} ${other}))`;
    });
  });
  return Array.from(lags);
}

/** A seasonal ARMA model of a series, about a polynomial in time. */
function armaOf(orders: Orders, y: readonly number[], restarts: number): ModelText {
  const { powers, period, diffuse } = orders;
  const [ar, ma] = [named("ar", orders.ar), named("ma", orders.ma)];
  const [sar, sma] = [named("sar", orders.seasonalAr), named("sma", orders.seasonalMa)];
  const means = powers.map((power) => `mean${power}`);
  const mean = `(+ ${["(zeros (vlen y))", ...means.map((name, k) => `(scale ${name} t${powers[k]})`)].join(" ")})`;
  const [partials, spartials] = [named("r", ar.length), named("s", sar.length)];
  const isStationary = diffuse === undefined;
  const coefficients = isStationary
    ? `${stationaryText(ar, partials)}\n${stationaryText(sar, spartials)}`
    : "";
  const text = armaText(lagsOf(ar, sar, period, "-"), lagsOf(ma, sma, period, "+"), mean, diffuse);
  const there = y.filter((each) => !Number.isNaN(each));
  const level = there.reduce((sum, each) => sum + each, 0) / there.length;
  const spread = there.reduce((sum, each) => sum + (each - level) ** 2, 0) / there.length;
  const size = Math.max(1, y.length);
  const time = powers.map((power) => [`t${power}`, y.map((_, t) => ((t + 1) / size) ** power)]);
  const free = isStationary ? [...partials, ...spartials] : [...ar, ...sar];
  return {
    source: `${coefficients}\n${text}`,
    data: { y: vec(y), burn: int(0), ...Object.fromEntries(time) },
    params: {
      ...Object.fromEntries(
        free.map((name) => [name, isStationary ? partial : { range: [-0.5, 0.5] }]),
      ),
      ...Object.fromEntries([...ma, ...sma].map((name) => [name, { range: [-0.6, 0.6] }])),
      ...Object.fromEntries(means.map((name, k) => [name, k === 0 ? level : 0])),
      sigma2: variance(spread / 1000, spread),
    },
    restarts,
  };
}

/** The orders that a case of Stata's coverage table writes in words. */
function stataOrders(model: string): Orders {
  const numbers = (pattern: RegExp) =>
    (pattern.exec(model)?.[1] ?? "").split(",").map((word) => Number(word.trim()) || 0);
  const [ar = 0, , ma = 0] = numbers(/'order': \(([^)]*)\)/);
  const [seasonalAr = 0, , seasonalMa = 0, period = 0] = numbers(/'seasonal_order': \(([^)]*)\)/);
  const trend = /'trend': ('\w+'|\[[^\]]*\])/.exec(model)?.[1] ?? "";
  const named: Readonly<Record<string, readonly number[]>> = {
    "'c'": [0],
    "'t'": [1],
    "'ct'": [0, 1],
  };
  const powers =
    named[trend] ?? (trend.match(/\d+/g) ?? []).flatMap((w, k) => (w === "0" ? [] : [k]));
  const diffuse = /approximate_diffuse/.test(model) ? { diffuse: 1e9 } : {};
  return { ar, ma, seasonalAr, seasonalMa, period, powers, ...diffuse };
}

/** Why a case cannot be fitted here. */
function reasonAgainst(each: KalmanCase, cases: readonly KalmanCase[]): string | undefined {
  if (each.id === "clark1987_uc_gdp") return undefined;
  if (each.id.startsWith("stata"))
    return /exog|measurement|hamilton_representation|time_varying/.test(each.model)
      ? "its regressors are not in the file"
      : undefined;
  if (!each.id.startsWith("ucm")) return "its parameters enter in a way that is not written here";
  const { system, params } = cases.find(({ id }) => id === each.same_system_as) ?? each;
  if (system === undefined || system === null)
    return "its parameters are chosen, not estimated, and its matrices change in time";
  const variances = [...system.state_cov, ...system.obs_cov].flat();
  if (params.some((value) => !variances.includes(value)))
    return "some of its parameters are no variances";
  return undefined;
}

describeCorpus("state-space models of KFAS, GAUSS and Stata", () => {
  const cases = readCorpus<readonly KalmanCase[]>("kalman_refs/kalman_cases.json");
  const refused = cases.map((each) => ({ ...each, reason: reasonAgainst(each, cases) }));
  const others = refused.filter(({ reason }) => reason !== undefined);
  const fitted = cases.filter((_, i) => refused[i]?.reason === undefined);

  test.each(others)("$id is not fitted: $reason", ({ id }) => {
    expect(fitted.some((each) => each.id === id)).toBe(false);
    expect(fitted.length).toBeGreaterThan(0);
  });

  test.each(fitted)("$id: log-likelihood $expected_loglik", async (each) => {
    if (each.id.startsWith("clark")) {
      await expectReached(clarkOf(each), each.expected_loglik, 0);
      return;
    }
    if (each.id.startsWith("stata")) {
      const orders = stataOrders(each.model);
      // A large start and a common factor make a ridge with many ends.
      const restarts = orders.period > 0 ? 4 : orders.diffuse === undefined ? 8 : 32;
      const more = each.check_abs_err;
      await expectReached(armaOf(orders, each.y ?? [], restarts), each.expected_loglik, more);
      return;
    }
    const system = cases.find(({ id }) => id === each.same_system_as) ?? each;
    const diffuse = each.q_diffuse ?? 0;
    const kappa = system.initial_state_cov[0]?.[0] ?? 0;
    const shift = diffuse === 0 ? 0 : 0.5 * diffuse * Math.log(2 * Math.PI * kappa);
    const model = componentsOf(system, each.y ?? usUnemployment);
    await expectReached(model, each.expected_loglik - shift, 1e-6);
  });
});

interface ArimaCase {
  readonly id: string;
  readonly series: string;
  readonly transform: "identity" | "log" | "log10";
  readonly model: string;
  readonly xreg: string;
  readonly coef: Readonly<Record<string, number>>;
  readonly loglik: number;
  readonly check_abs_err: number;
  readonly y_raw: readonly (number | string | null)[];
}

function differenced(y: readonly number[], lag: number): number[] {
  return y.slice(lag).map((value, t) => value - (y[t] as number));
}

describeCorpus("R's ARIMA models", () => {
  const cases = readCorpus<readonly ArimaCase[]>("kalman_refs/r_arima.json");

  test.each(cases)("$id: $model of $series, log-likelihood $loglik", async (each) => {
    const transform = { identity: (y: number) => y, log: Math.log, log10: Math.log10 };
    const raw = each.y_raw.map((value) => (value === null ? Number.NaN : asNumber(value)));
    let y = raw.map(transform[each.transform]);
    const isDifferenced = /differenced/.test(each.model);
    const [, plain = "0"] = /ARIMA\(\d,(\d),\d\)/.exec(each.model) ?? [];
    const [, seasonal = "0", period = "1"] = /\(\d,(\d),\d\)(\d+)/.exec(each.model) ?? [];
    for (let k = 0; isDifferenced && k < Number(plain); k++) y = differenced(y, 1);
    for (let k = 0; isDifferenced && k < Number(seasonal); k++) y = differenced(y, Number(period));
    const count = (prefix: RegExp) =>
      Object.keys(each.coef).filter((name) => prefix.test(name)).length;
    const orders: Orders = {
      ar: count(/^ar\d/),
      ma: count(/^ma\d/),
      seasonalAr: count(/^sar\d/),
      seasonalMa: count(/^sma\d/),
      period: Number(period),
      powers: each.xreg === "none" ? [] : /time/.test(each.xreg) ? [0, 1] : [0],
    };
    // R starts differenced models with a large variance; the corpus says how far that is off.
    const result = await expectReached(
      armaOf(orders, y, 4),
      each.loglik,
      each.check_abs_err + 1e-6,
    );
    expect(-result.best.loss - each.loglik).toBeLessThan(2 * each.check_abs_err + 1e-3);
  });
});
