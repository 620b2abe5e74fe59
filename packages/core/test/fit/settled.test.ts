/**
 * Fits by absolute deviations end where a plain search of all pairs of rows ends, whatever options they were
 * given, and what settles them shows in nothing but the numbers of evaluations.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, type FitProgress, fit, Machine } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const x = steps(-2, 3, 21);
const away = noise(21, 3);
const y = x.map((at, i) => 1.5 + 0.5 * at + (away[i] as number) * (i % 4 === 0 ? 3 : 0.3));
const sigma = x.map((_, i) => 0.2 + 0.3 * ((i * 7) % 5));
const weights = sigma.map((one) => 1 / (one * one));
const line = "(+ a (* b x))";

/** The least sum of absolute deviations of a line: it goes through two of the rows. */
function leastOf(weight: readonly number[], slope: (b: number) => number = (b) => b): number {
  let least = Number.POSITIVE_INFINITY;
  const lossOf = (a: number, b: number) =>
    x.reduce(
      (sum, at, i) => sum + (weight[i] as number) * Math.abs((y[i] as number) - a - b * at),
      0,
    );
  for (let i = 0; i < x.length; i++)
    for (let j = 0; j < x.length; j++) {
      const between = ((y[j] as number) - (y[i] as number)) / ((x[j] as number) - (x[i] as number));
      // One slope that is kept, too: then one row is enough.
      const b = slope(i === j ? 0 : between);
      if (!Number.isFinite(b)) continue;
      least = Math.min(least, lossOf((y[i] as number) - b * (x[i] as number), b));
    }
  return least;
}

const ones = x.map(() => 1);
const base: FitOptions = { data: { x, y, s: sigma, w: weights }, target: "y", loss: "absolute" };

const given: readonly (readonly [name: string, options: FitOptions, least: number])[] = [
  ["nothing else", {}, leastOf(ones)],
  ["weights", { weights }, leastOf(weights)],
  ["the name of a column of weights", { weights: "w" }, leastOf(weights)],
  ["deviations, which were refused beside the weights", { sigma }, leastOf(weights)],
  ["the name of a column of deviations", { sigma: "s" }, leastOf(weights)],
  ["deviations by the target's name", { sigma: { y: "s" } }, leastOf(weights)],
  ["loose tolerances", { tolerances: { loss: 1e-2, step: 1e-2, gradient: 1e-2 } }, leastOf(ones)],
  ["restarts", { restarts: 3, params: { a: { range: [-3, 3] } } }, leastOf(ones)],
  ["a limit of what runs together", { restarts: 3, together: 1, chunk: 4 }, leastOf(ones)],
  ["time", { timeMax: 60_000 }, leastOf(ones)],
  ["a signal", { signal: new AbortController().signal }, leastOf(ones)],
  ["scores alone", { detail: "scores", sigma }, leastOf(weights)],
  [
    "bounds",
    { params: { b: { bounds: [0.6, 2], start: 1 } } },
    leastOf(ones, (b) => Math.min(2, Math.max(0.6, b))),
  ],
  ["a fixed slope", { params: { b: { fixed: 0.25 } } }, leastOf(ones, () => 0.25)],
  ["a log scale", { params: { b: { start: 1, scale: "log" } } }, leastOf(ones)],
  [
    "a log scale and bounds",
    { params: { b: { start: 1, scale: "log", bounds: [0.6, 5] } } },
    leastOf(ones, (b) => Math.max(0.6, b)),
  ],
];

describe("absolute deviations of a line are the least with", () => {
  test.each(given)("%s", async (_, options, least) => {
    const result = await fitText(line, { ...base, ...options });
    expect(result.best.loss / least).toBeGreaterThan(1 - 1e-9);
    expect(result.best.loss / least).toBeLessThan(1 + 3e-5);
    expect(result.loss).toBe("absolute");
    expect(result.optimiser).toBe("lbfgs");
    const best = result.restarts[result.best.restart];
    expect(best?.loss).toBe(result.best.loss);
    expect(best?.params).toEqual(
      Object.fromEntries(result.parameters.map((name) => [name, result.best.params[name]])),
    );
  });

  test("what settles them counts as evaluations of a restart, and reports nothing", async () => {
    const reports: FitProgress[] = [];
    const settled = await fitText(line, {
      ...base,
      ...{ restarts: 3, params: { a: { range: [-3, 3] }, b: { range: [-3, 3] } } },
      onProgress: (progress) => reports.push(progress),
    });
    expect(reports.every(({ restarts }) => restarts === 3)).toBe(true);
    expect(reports.filter(({ restartsRunning }) => restartsRunning === 0)).toHaveLength(1);
    const of = settled.restarts.map(({ evaluations }) => evaluations);
    expect(settled.counters.evaluations).toBe(of.reduce((sum, one) => sum + one, 0));
  });

  test("a resumed fit ends where the uninterrupted one does", async () => {
    const params = { a: 9, b: -4 };
    const whole = await fitText(line, { ...base, params, sigma });
    const ended = await fitText(line, { ...base, params, sigma, timeMax: 0 }).catch(
      () => undefined,
    );
    const controller = new AbortController();
    const cut = await fitText(line, {
      ...{ ...base, params, sigma, signal: controller.signal },
      onProgress: () => controller.abort(),
    });
    for (const part of [ended, cut, whole]) {
      if (part === undefined) continue;
      const on = await fitText(line, { ...base, params, sigma, resume: part.toJSON() });
      expect(on.best.loss / whole.best.loss).toBeLessThan(1 + 3e-5);
    }
  });

  test("memory of the machine is what it was when a fit has been settled", async () => {
    const own = await Machine.create();
    const program = own.load(line);
    const bytes = () => program.evaluate({ a: 1, b: 1, x: 1 }).stats.memoryBytes;
    for (let turn = 0; turn < 3; turn++) await fit(program, base);
    const before = bytes();
    for (let turn = 0; turn < 10; turn++) await fit(program, { ...base, sigma });
    expect(bytes()).toBe(before);
    own.dispose();
  });
});

test("a fit by absolute deviations is as good in other units", async () => {
  const program = machine.load(line);
  const wanted = (await fit(program, base)).best.loss;
  for (const unit of [1e-6, 1e6]) {
    const data = { x, y: y.map((one) => one * unit) };
    const params = { a: unit, b: unit };
    const { best } = await fit(program, { ...base, data, params });
    expect(best.loss / unit / wanted).toBeCloseTo(1, 4);
  }
  program.dispose();
});

test("in single precision, a parameter that was left next to its bound was told to have run off", async () => {
  const single = await Machine.create({ precision: "f32" });
  const rows = {
    x: [1.23475, 0.45285, 3.08209, 0.6638, 0.4181, 2.95191, 0.73575],
    y: [3.44486, 1.79223, 7.15146, 2.47245, 1.89589, 7.01545, 2.47015],
  };
  const params: FitOptions["params"] = { a: 0.5, b: { start: 0.5, bounds: [0, 1.5] } };
  for (let turn = 0; turn < 40; turn++) {
    const data = { x: rows.x, y: rows.y.map((each, i) => each + 1e-3 * ((turn * (i + 3)) % 11)) };
    const result = await fit(single.load(line), { data, target: "y", loss: "absolute", params });
    expect(result.best.params["b"], `turn ${turn}`).toBeCloseTo(1.5, 6);
    expect(result.diagnostics.notes, `turn ${turn}`).toEqual(["b is at a bound"]);
  }
  single.dispose();
});
