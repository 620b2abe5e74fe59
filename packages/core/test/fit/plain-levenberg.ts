/**
 * Levenberg and Marquardt's method, written plainly: with the Jacobian's own columns, and damped steps by
 * Gram and Schmidt's factors of it. Parameters may be fitted by their logarithm.
 */

import { expect } from "vitest";
import { fit, type Program } from "../../src/index.js";
import { machine } from "./support.js";

export type Reason = "gradient" | "loss" | "step" | "steps" | "damping" | "not finite";

export interface Linear {
  readonly loss: number;
  readonly residuals: readonly number[];
  /** Columns of the Jacobian. */
  readonly columns: readonly (readonly number[])[];
}

const inner = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, one, i) => sum + one * (b[i] as number), 0);
const normOf = (a: readonly number[]): number => Math.sqrt(inner(a, a));
const isAll = (numbers: readonly number[]): boolean => numbers.every(Number.isFinite);

/** The step d that makes ‖J d + r‖² + Σ (damping_j d_j)² least; a column of zeros gets none. */
export function dampedStep({ columns, residuals }: Linear, damping: readonly number[]): number[] {
  const size = columns.length;
  const used = [...columns.keys()].filter((j) => normOf(columns[j] as number[]) > 0);
  const below = (j: number) => columns.map((_, k) => (k === j ? (damping[j] as number) : 0));
  const wide = used.map((j) => [...(columns[j] as number[]), ...below(j)]);
  const goal = [...residuals.map((r) => -r), ...columns.map(() => 0)];
  const units: number[][] = [];
  const upper = wide.map(() => new Array<number>(used.length).fill(0));
  for (const [k, column] of wide.entries()) {
    let rest = column;
    // Twice is enough.
    for (let turn = 0; turn < 2; turn++)
      for (const [i, unit] of units.entries()) {
        const share = inner(unit, rest);
        rest = rest.map((one, at) => one - share * (unit[at] as number));
        const row = upper[i] as number[];
        row[k] = (row[k] as number) + share;
      }
    const norm = normOf(rest);
    (upper[k] as number[])[k] = norm;
    units.push(rest.map((one) => one / norm));
  }
  const step = new Array<number>(size).fill(0);
  for (let k = used.length - 1; k >= 0; k--) {
    let left = inner(units[k] as number[], goal);
    for (let i = k + 1; i < used.length; i++)
      left -= (upper[k]?.[i] as number) * (step[used[i] as number] as number);
    step[used[k] as number] = left / (upper[k]?.[k] as number);
  }
  return step;
}

/** The largest cosine between the residuals and a column. */
const cosineOf = ({ columns, residuals, loss }: Linear): number =>
  Math.max(
    0,
    ...columns.map((column) => {
      const norm = normOf(column);
      return norm > 0 ? Math.abs(inner(column, residuals)) / (norm * Math.sqrt(loss)) : 0;
    }),
  );

export class Plain {
  u: number[];
  best: Linear = { loss: Number.NaN, residuals: [], columns: [] };
  steps = 0;
  evaluations = 0;
  /** The most vetoes in a row. */
  vetoesMost = 0;
  readonly seen = new Set<string>();
  #radius = 1e4;
  #shrink = 2;
  #vetoes = 0;
  #scales: number[] = [];

  constructor(
    start: readonly number[],
    readonly evaluate: (u: readonly number[]) => Linear,
    readonly stepsMost: number,
    readonly limits: { gradient: number; step: number; loss: number },
    readonly unit = 1,
    readonly toUser = (u: readonly number[]): readonly number[] => u,
  ) {
    this.u = [...start];
  }

  run(): Reason {
    const first = this.#at(this.u);
    if (!Number.isFinite(first.loss)) return "not finite";
    this.best = first;
    this.#scales = first.columns.map((column) => 1 / (this.unit + normOf(column)));
    let reason = this.#flat();
    while (reason === undefined) {
      if (this.steps >= this.stepsMost) return "steps";
      reason = this.#turn();
    }
    return reason;
  }

  #at(u: readonly number[]): Linear {
    this.evaluations += 1;
    const linear = this.evaluate(u);
    const isGood = isAll(linear.residuals) && linear.columns.every(isAll);
    return isGood ? linear : { ...linear, loss: Number.NaN };
  }

  #flat(): Reason | undefined {
    if (this.best.loss === 0) return "gradient";
    return cosineOf(this.best) <= this.limits.gradient ? "gradient" : undefined;
  }

  #step(): number[] {
    const damping = this.best.columns.map((column, j) => {
      const scale = this.#scales[j] as number;
      const square = Math.min(1e32, Math.max(1e-6, (normOf(column) * scale) ** 2));
      return Math.sqrt(square / this.#radius) / scale;
    });
    return dampedStep(this.best, damping);
  }

  #predicted(step: readonly number[]): number {
    const { columns, residuals } = this.best;
    const moved = residuals.map((_, i) =>
      columns.reduce((sum, column, j) => sum + (column[i] as number) * (step[j] as number), 0),
    );
    return -moved.reduce((sum, m, i) => sum + m * ((residuals[i] as number) + m / 2), 0);
  }

  #isSmall(step: readonly number[]): boolean {
    return step.every(
      (by, j) => !(Math.abs(by) > this.limits.step * Math.abs(this.u[j] as number)),
    );
  }

  /** False where the radius can become no smaller. */
  #shrunk(): boolean {
    this.#radius /= this.#shrink;
    this.#shrink *= 2;
    return !(this.#radius < 1e-32);
  }

  #isVetoed(trial: Linear): boolean {
    if (this.#vetoes >= 12) return false;
    const isLost = trial.columns.some(
      (column, j) => normOf(column) < 1e-4 * normOf(this.best.columns[j] as number[]),
    );
    if (isLost) this.#vetoes += 1;
    this.vetoesMost = Math.max(this.vetoesMost, this.#vetoes);
    return isLost;
  }

  /** Whether the loss is the same to rounding and the gradient smaller. */
  #isPolish(trial: Linear, predicted: number): boolean {
    const { loss } = this.best;
    if (!(trial.loss <= loss * (1 + 1e-13)) || 2 * predicted > 1e-12 * loss) return false;
    return cosineOf(trial) < cosineOf(this.best) / 2;
  }

  /** The next step whose promise and end are finite. */
  #proposed(): { step: number[]; predicted: number } | undefined {
    do {
      const step = this.#step();
      const predicted = this.#predicted(step);
      const users = this.toUser(this.u.map((one, j) => one + (step[j] as number)));
      if (Number.isFinite(predicted) && isAll(users)) return { step, predicted };
      this.seen.add("no place");
    } while (this.#shrunk());
    return undefined;
  }

  /** One trial. */
  #turn(): Reason | undefined {
    const proposed = this.#proposed();
    if (proposed === undefined) return "damping";
    const { step, predicted } = proposed;
    if (!(predicted > 0)) return "gradient";
    const u = this.u.map((one, j) => one + (step[j] as number));
    const trial = this.#at(u);
    this.steps += 1;
    const before = this.best.loss;
    const fall = (before - trial.loss) / 2;
    const isGood = fall / predicted > 1e-3;
    if (isGood && !this.#isVetoed(trial)) {
      const isSmall = this.#accepted(u, trial, step);
      const swing = 2 * (fall / predicted) - 1;
      this.#radius = Math.min(1e16, this.#radius / Math.max(1 / 3, 1 - swing ** 3));
      this.#shrink = 2;
      this.#vetoes = 0;
      this.seen.add("good");
      const least = this.limits.loss * before;
      const isLevel = 2 * fall <= least && 2 * predicted <= least;
      return this.#flat() ?? (isLevel ? "loss" : isSmall ? "step" : undefined);
    }
    if (this.#isPolish(trial, predicted)) {
      this.#accepted(u, trial, step);
      this.seen.add("polished");
      return this.#flat();
    }
    this.seen.add(Number.isFinite(trial.loss) ? (isGood ? "vetoed" : "bad") : "not finite");
    const isSmall = Number.isFinite(trial.loss) && this.#isSmall(step);
    const reason = 2 * predicted <= 1e-15 * before ? "loss" : isSmall ? "step" : undefined;
    const isOver = !this.#shrunk();
    return reason ?? (isOver ? "damping" : undefined);
  }

  /** Whether the step was small beside the point that it leads to. */
  #accepted(u: number[], trial: Linear, step: readonly number[]): boolean {
    this.u = u;
    this.best = trial;
    return this.#isSmall(step);
  }
}

export interface Problem {
  readonly source: string;
  readonly data: Readonly<Record<string, number[]>>;
  readonly start: Readonly<Record<string, number>>;
  readonly weights?: number[];
  /** Parameters that are fitted by their logarithm. */
  readonly logs?: readonly string[];
  /** What a column's norm is seen beside: 1 where data and parameters are of ordinary size. */
  readonly unit?: number;
}

/** The parameters in the user's units. */
const usersOf =
  (names: readonly string[], logs: readonly string[] = []) =>
  (u: readonly number[]): number[] =>
    u.map((one, j) => (logs.includes(names[j] as string) ? Math.exp(one) : one));

function linearOf(
  program: Program,
  names: readonly string[],
  { data, weights, logs = [] }: Problem,
): (u: readonly number[]) => Linear {
  const { y, ...columns } = data;
  const roots = weights?.map(Math.sqrt) ?? (y as number[]).map(() => 1);
  return (u) => {
    const users = usersOf(names, logs)(u);
    const slopes = names.map((name, j) => (logs.includes(name) ? (users[j] as number) : 1));
    const params = Object.fromEntries(names.map((name, j) => [name, users[j] as number]));
    const out = program.gradient({ ...columns, ...params }, { wrt: names });
    const lane = <T>(of: ArrayLike<T>, i: number) => of[of.length === 1 ? 0 : i] as T;
    const residuals = roots.map((w, i) => w * (lane(out.values, i) - (y?.[i] as number)));
    return {
      loss: inner(residuals, residuals),
      residuals,
      columns: names.map((name, j) =>
        roots.map(
          (w, i) => w * (slopes[j] as number) * lane(out.gradients[name] as Float64Array, i),
        ),
      ),
    };
  };
}

export interface Ends {
  readonly steps: number;
  readonly tolerances: { gradient: number; step: number; loss: number };
}

const expectNear = (got: number | undefined, want: number, within: number): void =>
  expect(
    Math.abs((got as number) - want) <= within * (Math.abs(want) + 1e-9),
    `${got} ${want}`,
  ).toBe(true);

/** Fits a problem both ways, expects the same of them, and returns the plain one and its end. */
export async function expectSameWay(
  problem: Problem,
  { steps, tolerances }: Ends,
): Promise<{ readonly plain: Plain; readonly reason: Reason }> {
  const { source, data, start, weights, logs = [], unit } = problem;
  const program = machine.load(source);
  const names = Object.keys(start).sort(
    (p, q) => program.inputs.indexOf(p) - program.inputs.indexOf(q),
  );
  const from = names.map((name) =>
    logs.includes(name) ? Math.log(start[name] as number) : (start[name] as number),
  );
  const toUser = usersOf(names, logs);
  const plain = new Plain(from, linearOf(program, names, problem), steps, tolerances, unit, toUser);
  const reason = plain.run();
  const params = Object.fromEntries(
    names.map((name) => [
      name,
      { start: start[name] as number, ...(logs.includes(name) ? { scale: "log" as const } : {}) },
    ]),
  );
  const told = await fit(program, {
    ...{ data, target: "y", params, steps, tolerances, optimiser: "lm", detail: "attempt" },
    ...(weights === undefined ? {} : { weights }),
  }).then(
    ({ restarts: [only], best }) => ({ only, best }),
    (error: Error) => error,
  );
  program.dispose();
  if (reason === "not finite") {
    expect(told).toBeInstanceOf(Error);
    return { plain, reason };
  }
  if (told instanceof Error) throw told;
  const { only, best } = told;
  expect({ reason: only?.reason, steps: only?.steps, evaluations: only?.evaluations }).toEqual({
    ...{ reason, steps: plain.steps, evaluations: plain.evaluations },
  });
  expectNear(best.loss, plain.best.loss, 1e-9);
  for (const [j, name] of names.entries())
    expectNear(best.params[name], toUser(plain.u)[j] as number, 1e-6);
  return { plain, reason };
}
