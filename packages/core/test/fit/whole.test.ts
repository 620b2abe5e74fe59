/**
 * Whole results: every field of a fit and of its predictions, for fits of every kind.
 *
 * A fit has the same bits everywhere, so these are records of numbers, not of a computer. The other test
 * files say what the numbers should be; this one sees that none of them changes unnoticed. Someone who
 * changes an optimiser reads the difference before accepting it.
 */

import { describe, expect, test } from "vitest";
import { type FitProgress, fit, fitFromJSON, Machine } from "../../src/index.js";
import { machine } from "./support.js";
import { type WholeCase, wholeCases } from "./whole.js";

const single = await Machine.create({ precision: "f32" });

/** Nine digits of every number, and no time. */
function shown(value: unknown): unknown {
  if (typeof value === "number")
    return Number.isFinite(value) ? Number(value.toPrecision(9)) : String(value);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, shown);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([key]) => key !== "milliseconds");
  return Object.fromEntries(fields.map(([key, one]) => [key, shown(one)]));
}

const lines = (value: object): string =>
  Object.entries(value)
    .map(([key, one]) => `${key}: ${JSON.stringify(shown(one))}`)
    .join("\n");

const load = ({ source, precision, load = {} }: WholeCase) =>
  (precision === "f32" ? single : machine).load(source, load);

describe("a whole result", () => {
  test.each(wholeCases)("$name", async (one) => {
    // How often a fit reports depends on the clock; the last report does not.
    let last: FitProgress | undefined;
    const onProgress = (progress: FitProgress): void => {
      last = progress;
    };
    const result = await fit(load(one), { ...one.options, onProgress });
    expect(lines(result.toJSON())).toMatchSnapshot("result");
    expect(JSON.stringify(shown(last))).toMatchSnapshot("last report");
    if (one.rows === undefined) return;
    expect(lines(result.predict(one.rows))).toMatchSnapshot("prediction");
    expect(lines(result.predict(one.rows, { level: 0.5 }))).toMatchSnapshot("at 50 %");
  });

  test.each(wholeCases)("$name: scores are those of the whole", async (one) => {
    const full = await fit(load(one), one.options);
    const scores = await fit(load(one), { ...one.options, detail: "scores" });
    const keys = ["best", "sigma", "freedom", "points", "parameters", "assumed", "fixed"] as const;
    for (const key of [...keys, "stopped", "loss", "mode", "optimiser"] as const)
      expect(scores[key], key).toEqual(full[key]);
    // Scores do not look for parameters that ran off, so only the whole denies that such a fit has converged.
    const hasRunOff = full.diagnostics.runaways.some(({ kind }) => kind === "ran off");
    const told = full.restarts.map((restart, index) =>
      hasRunOff && !restart.hasConverged
        ? { ...restart, hasConverged: scores.restarts[index]?.hasConverged }
        : restart,
    );
    expect(scores.restarts, "restarts").toEqual(told);
    expect(scores.targets.map(({ name, scale }) => [name, scale])).toEqual(
      full.targets.map(({ name, scale }) => [name, scale]),
    );
    // Each is told again as it was: a second look finds the very same object.
    for (const key of ["targets", "restarts", "diagnostics", "standardErrors"] as const)
      expect(scores[key], key).toBe(scores[key]);
  });

  test.each(wholeCases)("$name: as JSON and back", async (one) => {
    const program = load(one);
    const result = await fit(program, one.options);
    const back = fitFromJSON(program, JSON.parse(JSON.stringify(result)));
    expect(JSON.stringify(back)).toBe(JSON.stringify(result));
    const json = result.toJSON();
    const { states: _s, digests: _d, model: _m, version: _v, ...body } = json;
    for (const key of Object.keys(body) as (keyof typeof result)[])
      expect(shown(back[key]), key).toEqual(shown(result[key]));
    expect(back.best).toEqual(result.best);
    expect(back.intervals).toEqual(result.intervals);
    expect(back.covariance?.names).toEqual(result.covariance?.names);
    if (one.rows === undefined) return;
    expect(back.predict(one.rows)).toEqual(result.predict(one.rows));
    expect(back.export("scheme", groupOf(one))).toBe(result.export("scheme", groupOf(one)));
  });
});

const groupOf = ({ options }: WholeCase) =>
  options.groups === undefined ? {} : { group: "south" };
