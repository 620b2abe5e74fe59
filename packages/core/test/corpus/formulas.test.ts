/**
 * Formulas of the symbolic-regression benchmarks at their test points, and NIST's nonlinear
 * regression models at the certified parameters: residual sum of squares from the values, certified
 * standard deviations from the per-lane gradients (the rows of the Jacobian).
 */

import { expect, test } from "vitest";
import { describeCorpus, readCorpus } from "./corpus.js";
import { expectClose, isClose, matrix, withProgram } from "./support.js";

interface Formula {
  readonly id: string;
  readonly scheme: string;
  readonly derived_test_points: readonly {
    readonly in: Readonly<Record<string, number>>;
    readonly out: number;
  }[];
}

/** A cosine of numbers near 10³⁸: the last bit of the argument decides about every digit. */
const illConditioned: readonly string[] = ["Livermore2-Vars7-12"];

/** Every point is a lane. */
async function valuesOf({ scheme, derived_test_points: points }: Formula): Promise<number[]> {
  const names = Object.keys(points[0]?.in ?? {});
  return withProgram("f64", scheme, { inputs: names }, (program) => {
    const inputs = names.map((name) => [name, points.map((point) => point.in[name] ?? Number.NaN)]);
    return [...program.evaluate(Object.fromEntries(inputs)).values];
  });
}

describeCorpus("formulas of the symbolic-regression benchmarks", () => {
  const files: readonly (readonly [string, readonly Formula[]])[] = [
    ["feynman", readCorpus("sr_benchmarks/feynman.json")],
    [
      "srsd_feynman",
      readCorpus<{ problems: readonly Formula[] }>("sr_benchmarks/srsd_feynman.json").problems,
    ],
    ["classic_sr", readCorpus("sr_benchmarks/classic_sr.json")],
    ["class_sr", readCorpus("sr_benchmarks/class_sr.json")],
  ];

  test.each(files)("%s: every formula has its value at every test point", async (_, formulas) => {
    const wrong: string[] = [];
    for (const formula of formulas) {
      const values = await valuesOf(formula);
      formula.derived_test_points.forEach(({ out }, lane) => {
        const given = values[lane] ?? Number.NaN;
        // 2e-10: a tanh of a tiny argument is spelt out with exponentials in the corpus.
        const tolerance = { relative: 3e-10, absolute: 1e-300 };
        if (isClose(given, out, tolerance)) return;
        if (illConditioned.includes(formula.id) && Number.isFinite(given)) return;
        wrong.push(`${formula.id} point ${lane}: ${given} for ${out}: ${formula.scheme}`);
      });
    }
    expect(wrong).toEqual([]);
    expect(formulas.length).toBeGreaterThan(5);
  });
});

interface Regression {
  readonly name: string;
  readonly scheme: string;
  readonly params: readonly string[];
  readonly inputs: readonly string[];
  readonly certified: readonly number[];
  readonly certified_sd: readonly number[];
  readonly rss: number;
  readonly dof: number;
  /** One number an observation, or a row of one number for each input. */
  readonly x: readonly (number | readonly number[])[];
  readonly y: readonly number[];
  readonly y_model?: readonly number[];
  readonly check: { readonly rel_err_vs_certified: number };
}

describeCorpus("NIST's nonlinear regression at the certified parameters", () => {
  const problems = readCorpus<readonly Regression[]>("nist_strd/nist_strd.json");

  async function linearise(problem: Regression) {
    const columns = problem.inputs.map((name, i) => [
      name,
      problem.x.map((row) => (typeof row === "number" ? row : (row[i] ?? Number.NaN))),
    ]);
    const parameters = problem.params.map((name, i) => [name, problem.certified[i] ?? Number.NaN]);
    const inputs = Object.fromEntries([...columns, ...parameters]);
    const options = { inputs: [...problem.inputs, ...problem.params] };
    return withProgram("f64", problem.scheme, options, (program) => {
      const { values, gradients } = program.gradient(inputs, { wrt: problem.params });
      return { values, columns: problem.params.map((name) => [...(gradients[name] ?? [])]) };
    });
  }

  function residualSum({ y, y_model }: Regression, values: Float64Array): number {
    const observed = y_model ?? y;
    return observed.reduce((sum, value, i) => sum + (value - (values[i] ?? Number.NaN)) ** 2, 0);
  }

  test.each(problems)("$name: residual sum of squares $rss", async (problem) => {
    const { values } = await linearise(problem);
    // Parameters are printed to 11 digits: where the fit is perfect (Lanczos1, RSS 1.4e-25) those
    // digits leave 4e-21, and the corpus says how far a float64 evaluation comes out.
    const relative = Math.max(1e-9, 1.01 * Math.abs(problem.check.rel_err_vs_certified));
    expectClose(residualSum(problem, values), problem.rss, { relative }, "RSS");
  });

  test.each(problems)(
    "$name: certified standard deviations from the gradients",
    async (problem) => {
      const { columns } = await linearise(problem);
      // Columns of length one: the normal matrix is then as well conditioned as scaling can make it.
      const lengths = columns.map((column) => Math.hypot(...column));
      const scaled = columns.map((column, i) => column.map((entry) => entry / (lengths[i] ?? 1)));
      const inverse = await withProgram("f64", "(inv (matmul Jt (transpose Jt)))", {}, (program) =>
        program.evaluate({ Jt: matrix(scaled) }),
      );
      const deviation = Math.sqrt(problem.rss / problem.dof);
      problem.certified_sd.forEach((certified, i) => {
        const variance = inverse.values[i * columns.length + i] ?? Number.NaN;
        const given = (deviation * Math.sqrt(variance)) / (lengths[i] ?? 1);
        expectClose(given, certified, { relative: 1e-6 }, problem.params[i] ?? "");
      });
    },
  );
});
