/**
 * Adam on the mean of squares, 0.05 a step, betas 0.9 and 0.999, as the paper's co-search fits: on
 * the machine by `fit`, and on staged code.
 */

import { fit as calibrate, type Machine, NdvmError, type Program } from "@ndvm/core";
import type { StreamCandidate, StreamTask } from "./external.js";
import { StagingRefused } from "./staging/ir.js";
import {
  type LaneCall,
  type LossCall,
  laneSource,
  lossSource,
  makeFunction,
} from "./staging/javascript.js";
import { stage } from "./staging/stage.js";
import { instantiate, type WasmProgram } from "./staging/wasm.js";

export const STEPS_OF_FIT = 50;
const RATE = 0.05;

/** Numbers of a normal distribution, the same for the same seed, as eager.py draws them. */
export function normals(seed: number): () => number {
  let state = seed >>> 0 || 1;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += uniform();
    return sum;
  };
}

export interface Columns {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly heldX: Float64Array;
  readonly heldY: Float64Array;
}

export const columnsOf = (task: StreamTask): Columns => ({
  x: Float64Array.from(task.x),
  y: Float64Array.from(task.y),
  heldX: Float64Array.from(task.heldX),
  heldY: Float64Array.from(task.heldY),
});

export function rSquared(values: ArrayLike<number>, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += y[i] as number;
  const mean = sum / y.length;
  let [rest, all] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    rest += ((y[i] as number) - (values[i] as number)) ** 2;
    all += ((y[i] as number) - mean) ** 2;
  }
  return 1 - rest / all;
}

export interface Fitted {
  /** R² on held-out rows. */
  readonly score: number;
  /** The least mean of squares on the way. */
  readonly loss: number;
}

/** A fit of one candidate from given starts; undefined where it fails. */
export type Fitter = (
  candidate: StreamCandidate,
  starts: readonly number[],
  columns: Columns,
) => Promise<Fitted | undefined> | Fitted | undefined;

export function machineFitter(machine: Machine): Fitter {
  return async (candidate, starts, columns) => {
    try {
      const program = machine.load(candidate.source, { domain: "clamp" });
      try {
        return await fitLoaded(program, candidate, starts, columns);
      } finally {
        program.dispose();
      }
    } catch (error) {
      if (error instanceof NdvmError) return undefined;
      throw error;
    }
  };
}

async function fitLoaded(
  program: Program,
  { params }: StreamCandidate,
  starts: readonly number[],
  { x, y, heldX, heldY }: Columns,
): Promise<Fitted> {
  const used = params.flatMap((name, i) =>
    program.inputs.includes(name) ? [[name, { start: starts[i] as number }] as const] : [],
  );
  const { predict, best } = await calibrate(program, {
    data: { x, y },
    target: "y",
    params: Object.fromEntries(used),
    optimiser: "adam",
    steps: STEPS_OF_FIT,
    restarts: 1,
    seed: 0,
    detail: "scores",
  });
  // The machine's loss is the sum of squares.
  return { score: rSquared(predict({ x: heldX }).values, heldY), loss: best.loss / x.length };
}

/**
 * Adam over a few parameters; `gradient` gives the loss and fills `slopes`. The point with the
 * least loss is what is left in `p`, as `fit` keeps it. Returns that loss.
 */
export function adamSteps(
  p: Float64Array,
  slopes: Float64Array,
  gradient: () => number,
  steps = STEPS_OF_FIT,
): number {
  const m = new Float64Array(p.length);
  const v = new Float64Array(p.length);
  const best = Float64Array.from(p);
  let least = Number.POSITIVE_INFINITY;
  let [b1, b2] = [1, 1];
  for (let step = 0; step <= steps; step++) {
    const loss = gradient();
    if (loss < least) {
      least = loss;
      best.set(p);
    }
    if (step === steps) break;
    b1 *= 0.9;
    b2 *= 0.999;
    for (let i = 0; i < p.length; i++) {
      const g = slopes[i] as number;
      m[i] = 0.9 * (m[i] as number) + 0.1 * g;
      v[i] = 0.999 * (v[i] as number) + 0.001 * g * g;
      const rate = (RATE * (m[i] as number)) / (1 - b1);
      p[i] = (p[i] as number) - rate / (Math.sqrt((v[i] as number) / (1 - b2)) + 1e-8);
    }
  }
  p.set(best);
  return least;
}

export interface StagedFit {
  readonly loss: LossCall;
  readonly predict: LaneCall;
}

/** Text → functions of loss with gradient and of prediction. */
export function stageFit({ source, params }: StreamCandidate, salt: number): StagedFit {
  const staged = stage(source, { wrt: params, isClamped: true });
  const plain = stage(source, { wrt: [], isClamped: true });
  const none = new Map<string, Float64Array>();
  return {
    loss: makeFunction<LossCall>(`${lossSource(staged, params, "x")}\n//${salt}`, none),
    predict: makeFunction<LaneCall>(
      `${laneSource(plain, ["x", ...params], [], [])}\n//${salt}`,
      none,
    ),
  };
}

export function runStaged(
  { loss, predict }: StagedFit,
  starts: readonly number[],
  { x, y, heldX, heldY }: Columns,
): Fitted {
  const p = Float64Array.from(starts);
  const slopes = new Float64Array(p.length);
  const least = adamSteps(p, slopes, () => loss(p, x, y, slopes));
  const values = new Float64Array(heldX.length);
  const columns = [...p].map((each) => new Float64Array(heldX.length).fill(each));
  predict(heldX.length, [heldX, ...columns], [values]);
  return { score: rSquared(values, heldY), loss: least };
}

let salt = 0;

export const javaScriptFitter: Fitter = (candidate, starts, columns) => {
  try {
    return runStaged(stageFit(candidate, salt++), starts, columns);
  } catch (error) {
    if (error instanceof StagingRefused) return undefined;
    throw error;
  }
};

/** A WebAssembly module for each candidate: rows are lanes, the loss is added up by JavaScript. */
export function stageWasm({ source, params }: StreamCandidate, rows: number): WasmProgram {
  const staged = stage(source, { wrt: params, isClamped: true });
  const options = { order: ["x", ...params], wrt: params, lanesMost: rows, arrays: new Map() };
  const isSimd = rows % 4 === 0;
  try {
    return instantiate(staged, { ...options, isSimd, salt: salt++ });
  } catch (error) {
    if (!(error instanceof StagingRefused)) throw error;
    return instantiate(staged, { ...options, isSimd: false, salt: salt++ });
  }
}

export function runWasm(
  program: WasmProgram,
  starts: readonly number[],
  { x, y, heldX, heldY }: Columns,
): Fitted {
  const rows = x.length;
  const p = Float64Array.from(starts);
  const slopes = new Float64Array(p.length);
  const [values, ...gradients] = program.outputs as [Float32Array, ...Float32Array[]];
  const setParameters = () =>
    p.forEach((each, i) => {
      program.inputs[i + 1]?.fill(each);
    });
  program.inputs[0]?.set(x);
  const loss = adamSteps(p, slopes, () => {
    setParameters();
    program.run(rows);
    slopes.fill(0);
    let total = 0;
    for (let row = 0; row < rows; row++) {
      const error = (values[row] as number) - (y[row] as number);
      const residual = (2 * error) / rows;
      total += error * error;
      for (let i = 0; i < p.length; i++)
        slopes[i] =
          (slopes[i] as number) + residual * ((gradients[i] as Float32Array)[row] as number);
    }
    return total / rows;
  });
  setParameters();
  program.inputs[0]?.set(heldX);
  program.run(heldX.length);
  return { score: rSquared(values, heldY), loss };
}

export const wasmFitter: Fitter = (candidate, starts, columns) => {
  try {
    return runWasm(stageWasm(candidate, columns.x.length), starts, columns);
  } catch (error) {
    if (error instanceof StagingRefused) return undefined;
    throw error;
  }
};
