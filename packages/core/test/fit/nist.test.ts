/**
 * NIST's reference problems of nonlinear regression: every one, from both starts, by a single
 * start, to 6 digits of every parameter and 4 of every standard deviation.
 */

import { expect, test } from "vitest";
import { describeCorpus, readCorpus } from "../corpus/corpus.js";
import { fitText } from "./support.js";

interface Problem {
  readonly name: string;
  readonly scheme: string;
  readonly params: readonly string[];
  readonly inputs: readonly string[];
  readonly start1: readonly number[];
  readonly start2: readonly number[];
  readonly certified: readonly number[];
  readonly certified_sd: readonly number[];
  readonly rss: number;
  readonly residual_sd: number;
  readonly x: readonly number[] | readonly (readonly number[])[];
  readonly y: readonly number[];
  readonly y_model?: readonly number[];
}

/** Its residuals are rounding errors, so the deviations need more than double precision. */
const WITHOUT_DEVIATIONS = ["Lanczos1"];

const digits = (value: number, certified: number): number =>
  value === certified ? Infinity : -Math.log10(Math.abs(value - certified) / Math.abs(certified));

function dataOf({ inputs, x, y, y_model }: Problem): Record<string, readonly number[]> {
  const data: Record<string, readonly number[]> = { y: y_model ?? y };
  for (const [k, name] of inputs.entries())
    data[name] =
      inputs.length === 1
        ? (x as readonly number[])
        : (x as readonly (readonly number[])[]).map((row) => row[k] as number);
  return data;
}

describeCorpus("NIST's nonlinear regression problems", () => {
  const problems = readCorpus<Problem[]>("nist_strd/nist_strd.json");
  const cases = problems.flatMap((problem) => [
    { name: problem.name, from: 1, start: problem.start1, problem },
    { name: problem.name, from: 2, start: problem.start2, problem },
  ]);
  test.each(cases)("$name from start $from", async ({ name, start, problem }) => {
    const params = Object.fromEntries(
      problem.params.map((label, j) => [label, { start: start[j] as number }]),
    );
    const data = dataOf(problem);
    const result = await fitText(problem.scheme, { data, target: "y", params }, [
      ...problem.inputs,
    ]);
    expect(result.restarts[0]?.hasConverged).toBe(true);
    for (const [j, label] of problem.params.entries()) {
      const value = result.best.params[label] as number;
      const error = result.standardErrors[label] as number;
      expect(digits(value, problem.certified[j] as number), label).toBeGreaterThanOrEqual(6);
      if (!WITHOUT_DEVIATIONS.includes(name))
        expect(digits(error, problem.certified_sd[j] as number), label).toBeGreaterThanOrEqual(4);
    }
    if (WITHOUT_DEVIATIONS.includes(name)) return;
    expect(digits(result.best.loss, problem.rss)).toBeGreaterThanOrEqual(6);
    expect(digits(result.sigma, problem.residual_sd)).toBeGreaterThanOrEqual(6);
  });
});
