/**
 * Replay along an optimiser's trajectory: the Kalman fit of the paper, 1000 steps of Adam, walked
 * and replayed, must agree in every bit, also where a branch flips on the way.
 *
 * Observations come from the external cases where NDVM_CORPUS names them, else are generated.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Machine, mat, type Precision, type RunOptions } from "../../src/index.js";
import { bitsOf, machinesOf, precisions } from "../machine/support.js";
import { spread } from "./support.js";

const steps = 1000;

function observations(): { readonly rows: number; readonly data: readonly number[] } {
  const path = join(process.env["NDVM_CORPUS"] ?? "", "reference", "five_programs.json");
  if (process.env["NDVM_CORPUS"] === undefined || !existsSync(path))
    return { rows: 80, data: spread(160) };
  const cases = JSON.parse(readFileSync(path, "utf8")) as readonly {
    name: string;
    matrices: Record<string, { rows: number; data: number[] }>;
  }[];
  const { matrices } = cases.find(({ name }) => name === "kalman2d_T80") as (typeof cases)[0];
  return matrices["obs"] as { rows: number; data: number[] };
}

/** The paper's Kalman likelihood, with a term of our own added to it. */
const kalman = (rows: number, penalty: string): string => `
  (+ ${penalty}
     (loop ((k 0) (x (vec 0.0 0.0)) (P (mat (vec 1.0 0.0) (vec 0.0 1.0))) (L 0.0))
       (if (= k ${rows})
           L
           (let* ((Q (scale q (eye 2)))
                  (R (scale r (eye 2)))
                  (Ppred (+ P Q))
                  (y (ref obs k))
                  (e (- y x))
                  (S (+ Ppred R))
                  (Sinv (inv S))
                  (Kg (matmul Ppred Sinv))
                  (xnew (+ x (matvec Kg e)))
                  (Pnew (matmul (- (eye 2) Kg) Ppred))
                  (nll (+ (log (det S)) (dot e (matvec Sinv e)))))
             (recur (+ k 1) xnew Pnew (+ L nll))))))`;

interface Trajectory {
  /** Parameters, loss and gradient of every step. */
  readonly numbers: readonly number[];
  readonly replays: number;
  readonly walks: number;
  readonly guardFailures: number;
  /** The parameters of each lane, step by step. */
  readonly q: readonly number[][];
}

/** Adam by hand, one lane for each start. */
function follow(machine: Machine, source: string, options: RunOptions): Trajectory {
  const { rows, data } = observations();
  const obs = mat(Array.from({ length: rows }, (_, i) => data.slice(2 * i, 2 * i + 2)));
  const program = machine.load(source);
  const starts = [
    [0.05, 0.1],
    [0.9, 0.4],
    [0.2, 1.5],
  ] as const;
  const state = { q: starts.map(([q]) => q as number), r: starts.map(([, r]) => r as number) };
  const moments = { q: starts.map(() => [0, 0]), r: starts.map(() => [0, 0]) };
  const trajectory = { numbers: [] as number[], replays: 0, walks: 0, guardFailures: 0 };
  const path: number[][] = [];
  for (let step = 1; step <= steps; step++) {
    const inputs = { q: [...state.q], r: [...state.r], obs };
    const result = program.gradient(inputs, { ...options, wrt: ["q", "r"] });
    path.push([...state.q]);
    for (const name of ["q", "r"] as const) {
      const gradient = result.gradients[name] as Float64Array;
      trajectory.numbers.push(...state[name], ...gradient);
      adam(state[name], moments[name], gradient, step);
    }
    trajectory.numbers.push(...result.values);
    trajectory.replays += result.stats.replays;
    trajectory.walks += result.stats.walks;
    trajectory.guardFailures += result.stats.guardFailures;
  }
  program.dispose();
  return { ...trajectory, q: path };
}

/** One step, with parameters kept above 0.001. */
function adam(at: number[], moments: number[][], gradient: Float64Array, step: number): void {
  const [rate, b1, b2] = [0.01, 0.9, 0.999];
  for (const [i, g] of gradient.entries()) {
    const [m, v] = moments[i] as [number, number];
    const next = [b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g] as const;
    moments[i] = [...next];
    const slope = next[0] / (1 - b1 ** step);
    const size = Math.sqrt(next[1] / (1 - b2 ** step)) + 1e-8;
    at[i] = Math.max(0.001, (at[i] as number) - (rate * slope) / size);
  }
}

let machines: Readonly<Record<Precision, Machine>>;
beforeAll(async () => {
  machines = await machinesOf();
});
afterAll(() => {
  machines.f32.dispose();
  machines.f64.dispose();
});

/** How often a lane's q crosses the threshold. */
function flips(path: readonly number[][], threshold: number): number {
  const sides = path.map((lanes) => lanes.map((q) => q > threshold));
  const changes = sides.slice(1).map((now, i) => now.filter((side, k) => side !== sides[i]?.[k]));
  return changes.flat().length;
}

describe.each(precisions)("a fit in %s", (precision) => {
  const { rows } = observations();

  test("replays from the second step on, and equals the walked fit", () => {
    const source = kalman(rows, "0");
    const walked = follow(machines[precision], source, { replay: false });
    const replayed = follow(machines[precision], source, {});
    expect(bitsOf(replayed.numbers)).toEqual(bitsOf(walked.numbers));
    expect(walked).toMatchObject({ walks: steps, replays: 0 });
    expect(replayed).toMatchObject({ walks: 1, replays: steps - 1, guardFailures: 0 });
  });

  test("equals the walked fit across a branch that flips", () => {
    const source = kalman(
      rows,
      "(if (> q 0.3) (* 40 (square (- q 0.29))) (if (< q 0.15) (/ 1 q) 0))",
    );
    const walked = follow(machines[precision], source, { replay: false });
    const replayed = follow(machines[precision], source, {});
    expect(bitsOf(replayed.numbers)).toEqual(bitsOf(walked.numbers));
    expect(flips(replayed.q, 0.3) + flips(replayed.q, 0.15)).toBeGreaterThan(0);
    expect(replayed.replays).toBeGreaterThan(steps / 2);
  });

  test("equals the walked fit where a flip changes structure", () => {
    const source = kalman(
      rows,
      "(apply + (if (> q 0.3) (list (* 40 (square (- q 0.29))) r) (list q)))",
    );
    const walked = follow(machines[precision], source, { replay: false });
    const replayed = follow(machines[precision], source, {});
    expect(bitsOf(replayed.numbers)).toEqual(bitsOf(walked.numbers));
    expect(flips(replayed.q, 0.3)).toBeGreaterThan(0);
    expect(replayed.guardFailures).toBeGreaterThan(0);
  });
});
