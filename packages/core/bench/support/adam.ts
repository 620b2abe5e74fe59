/**
 * A simple Adam loop over a session: a program's parameters against points, mean squared error.
 *
 * Points are lanes. With restarts, lanes are restarts × points: each start has numbers of its own.
 * Sums run in a fixed order; only + − × ÷ and sqrt, so that bits agree everywhere.
 */

import type { Machine } from "../../src/index.js";

export interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

interface FitTask {
  readonly source: string;
  readonly parameters: readonly string[];
  readonly points: Points;
  readonly restarts: number;
  readonly steps: number;
  /** The next starting number. */
  start(): number;
}

interface Fitted {
  /** Start after start of parameters. */
  readonly parameters: Float64Array;
  /** Mean squared error of each start before its last step. */
  readonly losses: Float64Array;
}

const RATE = 0.05;
const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

/** Loads a program, fits it and disposes it. Throws what the program throws. */
export function fit(machine: Machine, task: FitTask): Fitted {
  const { parameters, points, restarts, steps } = task;
  const count = points.x.length;
  const lanes = restarts * count;
  const program = machine.load(task.source, { domain: "clamp" });
  try {
    const wrt = parameters.filter((name) => program.inputs.includes(name));
    const isShared = restarts === 1;
    const blank = isShared ? 0 : new Float64Array(lanes);
    const x = isShared ? points.x : repeated(points.x, restarts);
    const inputs = Object.fromEntries(wrt.map((name) => [name, blank]));
    const given = program.inputs.includes("x") ? { x, ...inputs } : inputs;
    const session = program.session(given, { wrt, lanes });
    const optimiser = new Adam(wrt.length * restarts, task.start);
    const losses = new Float64Array(restarts);
    const slots = wrt.map((name) => session.inputs[name] as Float32Array);
    const gradients = wrt.map((name) => session.gradients[name] as Float32Array);
    for (let step = 0; step < steps; step++) {
      const { values, slopes } = optimiser;
      spreadOut(slots, values, restarts, isShared ? 1 : count);
      session.run();
      for (let restart = 0; restart < restarts; restart++)
        losses[restart] = gather(
          session.values as Float32Array,
          gradients,
          points.y,
          slopes,
          restart,
        );
      optimiser.step();
    }
    return { parameters: optimiser.values, losses };
  } finally {
    program.dispose();
  }
}

function repeated(numbers: Float64Array, times: number): Float64Array {
  const all = new Float64Array(numbers.length * times);
  for (let i = 0; i < times; i++) all.set(numbers, i * numbers.length);
  return all;
}

/** Writes each start's parameters to its lanes. */
function spreadOut(
  slots: readonly Float32Array[],
  values: Float64Array,
  restarts: number,
  width: number,
): void {
  for (let p = 0; p < slots.length; p++) {
    const slot = slots[p] as Float32Array;
    for (let restart = 0; restart < restarts; restart++) {
      const value = values[restart * slots.length + p] as number;
      if (width === 1) slot[restart] = value;
      else slot.fill(value, restart * width, (restart + 1) * width);
    }
  }
}

/** Sums the slopes of one start's squared error; returns the error. */
function gather(
  values: Float32Array,
  gradients: readonly Float32Array[],
  y: Float64Array,
  slopes: Float64Array,
  restart: number,
): number {
  const count = y.length;
  const from = restart * count;
  let loss = 0;
  for (let i = 0; i < count; i++) {
    const residual = (values[from + i] as number) - (y[i] as number);
    residuals[i] = residual;
    loss += residual * residual;
  }
  for (let p = 0; p < gradients.length; p++) {
    const gradient = gradients[p] as Float32Array;
    let slope = 0;
    for (let i = 0; i < count; i++)
      slope += (residuals[i] as number) * (gradient[from + i] as number);
    slopes[restart * gradients.length + p] = (2 * slope) / count;
  }
  return loss / count;
}

const residuals = new Float64Array(1024);

class Adam {
  readonly values: Float64Array;
  readonly slopes: Float64Array;
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  #power1 = 1;
  #power2 = 1;

  constructor(count: number, start: () => number) {
    this.values = Float64Array.from({ length: count }, start);
    this.slopes = new Float64Array(count);
    this.#first = new Float64Array(count);
    this.#second = new Float64Array(count);
  }

  step(): void {
    this.#power1 *= BETA1;
    this.#power2 *= BETA2;
    const { values, slopes } = this;
    for (let i = 0; i < values.length; i++) {
      const slope = slopes[i] as number;
      const first = BETA1 * (this.#first[i] as number) + (1 - BETA1) * slope;
      const second = BETA2 * (this.#second[i] as number) + (1 - BETA2) * slope * slope;
      this.#first[i] = first;
      this.#second[i] = second;
      const size = Math.sqrt(second / (1 - this.#power2)) + EPSILON;
      values[i] = (values[i] as number) - (RATE * (first / (1 - this.#power1))) / size;
    }
  }
}

/** Numbers of a normal distribution, the same for the same seed (sum of twelve uniform ones). */
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
