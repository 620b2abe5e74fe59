/**
 * Programs over matrices beyond 2 × 2, and the same functions in C++ (yardsticks/matrices.cpp):
 * Kalman filters with 4 and 6 states, and the factorisations.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mat, vec } from "../../src/index.js";
import type { Model } from "./programs.js";
import { amount } from "./settings.js";
import { type Spread, spreadOf } from "./timing.js";

const STEPS = 20;

const square = (n: number, entry: (i: number, j: number) => number): number[][] =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j)));

/** A body in so many dimensions with constant velocity; its place is observed at each step. */
function filter(dimensions: number): Model {
  const n = 2 * dimensions;
  const isPair = (i: number, j: number) => Math.abs(i - j) === dimensions;
  const observed = square(n, (i, j) => Number(i === j)).slice(0, dimensions);
  const seen = Array.from({ length: STEPS }, (_, k) =>
    Array.from({ length: dimensions }, (_, i) => Math.sin(0.3 * k + i) + 0.1 * k),
  );
  return {
    name: `kalman-${n}`,
    source: `
      (loop ((k 0) (x (vec ${Array(n).fill("0.0").join(" ")})) (P (eye ${n})) (total 0.0))
        (if (= k ${STEPS})
            total
            (let* ((ahead (matvec F x))
                   (predicted (+ (matmul (matmul F P) (transpose F)) (scale q Q)))
                   (e (- (ref seen k) (matvec H ahead)))
                   (S (+ (matmul (matmul H predicted) (transpose H)) (scale r (eye ${dimensions}))))
                   (inverse (inv S))
                   (gain (matmul (matmul predicted (transpose H)) inverse))
                   (next (+ ahead (matvec gain e)))
                   (left (matmul (- (eye ${n}) (matmul gain H)) predicted))
                   (cost (+ (logdet S) (dot e (matvec inverse e)))))
              (recur (+ k 1) next left (+ total cost)))))`,
    parameters: { q: 0.05, r: 0.1 },
    fixed: {
      F: mat(square(n, (i, j) => (i === j ? 1 : isPair(i, j) && j > i ? 0.5 : 0))),
      Q: mat(square(n, (i, j) => (i === j ? 1 : isPair(i, j) ? 0.25 : 0))),
      H: mat(observed),
      seen: mat(seen),
    },
  };
}

const SOURCES: ReadonlyMap<string, string> = new Map([
  ["cholesky", "(vsum (cholesky M))"],
  ["solve", "(vsum (solve M b))"],
  ["logdet", "(logdet M)"],
]);

function factorisation([name, source]: readonly [string, string], n: number): Model {
  const base = square(n, (i, j) => 1 / (1 + Math.abs(i - j)) + Number(i === j));
  const right = name === "solve" ? { b: vec(Array(n).fill(1)) } : {};
  return {
    name: `${name}-${n}`,
    source: `(let ((M (+ A (scale t (eye ${n}))))) ${source})`,
    parameters: { t: 0.5 },
    fixed: { A: mat(base), ...right },
  };
}

/** Programs, and how many times the C++ function's cost a lane may cost at 256 lanes. */
export const matrixModels: readonly (readonly [model: Model, most: number])[] = [
  [filter(2), 1.2],
  [filter(3), 1.2],
  ...[3, 4, 6].flatMap((n) =>
    [...SOURCES].map((source) => [factorisation(source, n), 1.2] as const),
  ),
  ...[...SOURCES].map((source) => [factorisation(source, 16), 2] as const),
];

export interface NativeWork {
  /** The value, and its gradient by each parameter. */
  readonly result: readonly number[];
  readonly times: Spread;
}

/** What the C++ functions compute and take, by the names of the programs; undefined without g++. */
export function runNativeMatrices(): ReadonlyMap<string, NativeWork> | undefined {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-bench-"));
  try {
    const source = fileURLToPath(new URL("../yardsticks/matrices.cpp", import.meta.url));
    const program = join(folder, "matrices");
    if (spawnSync("g++", ["-O3", "-o", program, source]).status !== 0) return undefined;
    const text = execFileSync(program, [String(amount(100, 10)), "0.2"]).toString();
    const lines = new Map<string, number[]>();
    for (const line of text.trim().split("\n")) {
      const [name = "", kind = "", ...numbers] = line.split(" ");
      lines.set(`${name} ${kind}`, numbers.map(Number));
    }
    const work = (name: string): NativeWork => ({
      result: lines.get(`${name} result`) ?? [],
      times: spreadOf((lines.get(`${name} times`) ?? []).map((nanoseconds) => nanoseconds / 1000)),
    });
    return new Map(matrixModels.map(([{ name }]) => [name, work(name)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
