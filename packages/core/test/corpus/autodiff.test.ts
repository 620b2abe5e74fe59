/**
 * Gradients that others published: adjoints of matrix functions in exact arithmetic, and two
 * objectives of ADBench written as Scheme programs (examples/gmm.scm, bundle-adjustment.scm).
 */

import { expect, test } from "vitest";
import { describeCorpus, readCorpus, readExample } from "./corpus.js";
import { expectAllClose, expectClose, matrix, vector, withProgram } from "./support.js";

type Rows = readonly (readonly number[])[];
interface MatrixCase {
  readonly id: string;
  readonly A: Rows;
  readonly det: number;
  readonly ddet_dA: Rows;
  readonly logabsdet: number;
  readonly dlogdet_dA: Rows;
  readonly inv: Rows;
  readonly W: Rows;
  readonly trace_Wt_inv: number;
  readonly d_trace_Wt_inv_dA: Rows;
  readonly b: readonly number[];
  readonly solve_x: readonly number[];
  readonly g: readonly number[];
  readonly gx: number;
  readonly d_gx_db: readonly number[];
  readonly d_gx_dA: Rows;
  readonly quad_b_inv_b: number;
  readonly d_quad_dA: Rows;
  readonly d_quad_db: readonly number[];
}

const tolerance = { relative: 1e-10, absolute: 1e-13 };

/** Value and gradients of a program in A, b, W and g against the case's. */
async function expectAdjoints(
  each: MatrixCase,
  source: string,
  value: number,
  gradients: { readonly A: Rows; readonly b?: readonly number[] },
): Promise<void> {
  const known = { A: matrix(each.A), b: vector(each.b), W: matrix(each.W), g: vector(each.g) };
  await withProgram("f64", source, {}, (program) => {
    const inputs = Object.fromEntries(
      Object.entries(known).filter(([name]) => program.inputs.includes(name)),
    );
    const result = program.gradient(inputs, { wrt: Object.keys(gradients) });
    expectAllClose(result.values, [value], { relative: 1e-10, absolute: 1e-11 }, "value");
    expectAllClose(result.gradients["A"], gradients.A.flat(), tolerance, "by A");
    if (gradients.b !== undefined) {
      expectAllClose(result.gradients["b"], gradients.b, tolerance, "by b");
    }
  });
}

describeCorpus("adjoints of matrix functions", () => {
  const { cases } = readCorpus<{ readonly cases: readonly MatrixCase[] }>(
    "autodiff_refs/matrix_adjoints.json",
  );

  test.each(cases)("$id: det", async (each) => {
    await expectAdjoints(each, "(det A)", each.det, { A: each.ddet_dA });
  });

  test.each(cases)("$id: logdet", async (each) => {
    await expectAdjoints(each, "(logdet A)", each.logabsdet, { A: each.dlogdet_dA });
  });

  test.each(cases)("$id: inverse", async (each) => {
    await withProgram("f64", "(inv A)", {}, (program) => {
      const out = program.evaluate({ A: matrix(each.A) });
      expectAllClose(out.values, each.inv.flat(), tolerance, "inverse");
    });
    const source = "(vsum (* W (inv A)))";
    await expectAdjoints(each, source, each.trace_Wt_inv, { A: each.d_trace_Wt_inv_dA });
  });

  test.each(cases)("$id: solve", async (each) => {
    await withProgram("f64", "(solve A b)", {}, (program) => {
      const out = program.evaluate({ A: matrix(each.A), b: vector(each.b) });
      expectAllClose(out.values, each.solve_x, tolerance, "solution");
    });
    const gradients = { A: each.d_gx_dA, b: each.d_gx_db };
    await expectAdjoints(each, "(dot g (solve A b))", each.gx, gradients);
  });

  test.each(cases)("$id: quadratic form", async (each) => {
    const gradients = { A: each.d_quad_dA, b: each.d_quad_db };
    await expectAdjoints(each, "(dot b (solve A b))", each.quad_b_inv_b, gradients);
    await expectAdjoints(each, "(dot b (matvec (inv A) b))", each.quad_b_inv_b, gradients);
  });
});

interface GaussianMixture {
  readonly id: string;
  readonly input: {
    readonly alphas: readonly number[];
    readonly means: Rows;
    readonly icf: Rows;
    readonly x: Rows;
    readonly wishart_gamma: number;
    readonly wishart_m: number;
  };
  readonly expected_objective: number;
  readonly expected_gradient: readonly number[];
}
interface BundleAdjustment {
  readonly id: string;
  readonly input: {
    readonly cam: readonly number[];
    readonly X: readonly number[];
    readonly w: number;
    readonly feat: readonly number[];
  };
  readonly expected_reproj_err: readonly number[];
  readonly expected_w_err: number;
  readonly expected_jacobian: readonly number[];
  readonly expected_dw_err_dw: number;
}

describeCorpus("ADBench", () => {
  const cases = readCorpus<readonly { readonly id: string }[]>("autodiff_refs/adbench.json");
  function find<T>(id: string): T {
    const found = cases.find((each) => each.id === id);
    if (found === undefined) throw new Error(`${id} is missing`);
    return found as T;
  }

  test("Gaussian mixture: objective and all 18 gradient entries", async () => {
    const { input, ...expected } = find<GaussianMixture>("adbench_gmm_test");
    await withProgram("f64", readExample("gmm.scm"), {}, (program) => {
      const result = program.gradient(
        {
          alphas: vector(input.alphas),
          means: matrix(input.means),
          icf: matrix(input.icf),
          x: matrix(input.x),
          gamma: input.wishart_gamma,
          m: input.wishart_m,
        },
        { wrt: ["alphas", "means", "icf"] },
      );
      expectClose(result.values[0], expected.expected_objective, { relative: 1e-12 }, "objective");
      const { alphas, means, icf } = result.gradients;
      const gradient = [...(alphas ?? []), ...(means ?? []), ...(icf ?? [])];
      expected.expected_gradient.forEach((entry, i) => {
        expectClose(gradient[i], entry, { relative: 1e-10 }, `gradient entry ${i}`);
      });
      expect(gradient.length).toBe(18);
    });
  });

  test("bundle adjustment: residuals and the 2 × 15 Jacobian", async () => {
    const { input, ...expected } = find<BundleAdjustment>("adbench_ba_test");
    const inputs = {
      cam: vector(input.cam),
      X: vector(input.X),
      w: input.w,
      feat: vector(input.feat),
    };
    await withProgram("f64", readExample("bundle-adjustment.scm"), {}, (program) => {
      const result = program.jacobian(inputs, { wrt: ["cam", "X", "w"] });
      // The residual is a difference of numbers near 526, so its own scale would ask too much.
      const residual = { absolute: 1e-10 };
      expectAllClose(result.values, expected.expected_reproj_err, residual, "residual");
      const { cam, X, w } = result.jacobians;
      for (const row of [0, 1]) {
        const given = [
          ...(cam?.slice(row * 11, row * 11 + 11) ?? []),
          ...(X?.slice(row * 3, row * 3 + 3) ?? []),
          ...(w?.slice(row, row + 1) ?? []),
        ];
        const wanted = expected.expected_jacobian.slice(row * 15, row * 15 + 15);
        expectAllClose(given, wanted, { relative: 1e-10 }, `row ${row}`);
      }
    });
  });

  test("bundle adjustment: the weight's own error 1 − w²", async () => {
    const { input, ...expected } = find<BundleAdjustment>("adbench_ba_test");
    await withProgram("f64", "(- 1 (square w))", {}, (program) => {
      const result = program.gradient({ w: input.w });
      expectClose(result.values[0], expected.expected_w_err, { relative: 1e-12 }, "value");
      expectClose(
        result.gradients["w"]?.[0],
        expected.expected_dw_err_dw,
        { relative: 1e-12 },
        "w",
      );
    });
  });
});
