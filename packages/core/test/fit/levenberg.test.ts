/**
 * Levenberg and Marquardt's method against the same method written plainly, with the Jacobian's own
 * columns and damped steps by Gram and Schmidt's factors of it: the way it takes, what it counts and why it
 * ends, on problems that need damping, vetoes and retreats.
 */

import { describe, expect, test } from "vitest";
import { fit, type Program } from "../../src/index.js";
import { machine, noise, steps as spaced } from "./support.js";

type Reason = "gradient" | "loss" | "step" | "steps" | "damping" | "not finite";

interface Linear {
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
function dampedStep({ columns, residuals }: Linear, damping: readonly number[]): number[] {
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

class Plain {
  u: number[];
  best: Linear = { loss: Number.NaN, residuals: [], columns: [] };
  steps = 0;
  evaluations = 0;
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
  ) {
    this.u = [...start];
  }

  run(): Reason {
    const first = this.#at(this.u);
    if (!Number.isFinite(first.loss)) return "not finite";
    this.best = first;
    this.#scales = first.columns.map((column) => 1 / (1 + normOf(column)));
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
    return isLost;
  }

  /** One trial. */
  #turn(): Reason | undefined {
    const step = this.#step();
    const predicted = this.#predicted(step);
    if (!(predicted > 0)) return "gradient";
    const u = this.u.map((one, j) => one + (step[j] as number));
    const trial = this.#at(u);
    this.steps += 1;
    const before = this.best.loss;
    const fall = (before - trial.loss) / 2;
    if (fall / predicted > 1e-3 && !this.#isVetoed(trial)) {
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
    this.seen.add(Number.isFinite(trial.loss) ? (fall > 0 ? "vetoed" : "bad") : "not finite");
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

interface Problem {
  readonly source: string;
  readonly data: Readonly<Record<string, number[]>>;
  readonly start: Readonly<Record<string, number>>;
  readonly weights?: number[];
}

function linearOf(
  program: Program,
  names: readonly string[],
  { data, weights }: Problem,
): (u: readonly number[]) => Linear {
  const { y, ...columns } = data;
  const roots = weights?.map(Math.sqrt) ?? (y as number[]).map(() => 1);
  return (u) => {
    const params = Object.fromEntries(names.map((name, j) => [name, u[j] as number]));
    const out = program.gradient({ ...columns, ...params }, { wrt: names });
    const lane = <T>(of: ArrayLike<T>, i: number) => of[of.length === 1 ? 0 : i] as T;
    const residuals = roots.map((w, i) => w * (lane(out.values, i) - (y?.[i] as number)));
    return {
      loss: inner(residuals, residuals),
      residuals,
      columns: names.map((name) =>
        roots.map((w, i) => w * lane(out.gradients[name] as Float64Array, i)),
      ),
    };
  };
}

const x = spaced(0.1, 4, 24);
const wobble = noise(24, 0.05);
const noisy = (f: (x: number) => number): number[] =>
  x.map((at, i) => f(at) + (wobble[i] as number));

const problems: Readonly<Record<string, Problem>> = {
  "a line": {
    source: "(+ a (* b x))",
    data: { x, y: noisy((t) => 1 + 2 * t) },
    start: { a: 1, b: 1 },
  },
  "a decay": {
    source: "(* a (exp (- (* k x))))",
    data: { x, y: noisy((t) => 3 * Math.exp(-0.8 * t)) },
    start: { a: 1, k: 1 },
  },
  "a decay from far away": {
    source: "(+ c (* a (exp (- (* k x)))))",
    data: { x, y: noisy((t) => 0.5 + 3 * Math.exp(-0.8 * t)) },
    start: { a: 20, k: 5, c: -4 },
  },
  weights: {
    source: "(/ (* v x) (+ m x))",
    data: { x, y: noisy((t) => (2 * t) / (0.7 + t)) },
    start: { v: 1, m: 5 },
    weights: x.map((_, i) => (i % 4) / 2),
  },
  waves: {
    source: "(* a (sin (+ (* w x) p)))",
    data: { x, y: noisy((t) => 2 * Math.sin(1.7 * t + 0.4)) },
    start: { a: 1, w: 2.4, p: -0.5 },
  },
  "a factor that all but vanishes": {
    source: "(* a (exp (- (* k x))))",
    data: { x, y: x.map((t, i) => 1e-5 * (Math.exp(-t) + (wobble[i] as number))) },
    start: { a: 10, k: 0.1 },
  },
  "a peak that would slip between the rows": {
    source: "(+ a (exp (- (* 50 (square (- x c))))))",
    data: { x: [0, 1, 2, 3, 4, 5], y: [0.01, 0.02, 0.015, 0.01, 0.02, 0.03] },
    start: { a: 0.1, c: 1.98 },
  },
  "an influence that grows": {
    source: "(+ a (* b (exp (* k x x x))))",
    data: { x, y: noisy((t) => 1 + 0.2 * Math.exp(0.05 * t * t * t)) },
    start: { a: 0, b: 1, k: 0.3 },
  },
  "an edge": {
    source: "(* a (log (- x b)))",
    data: { x, y: noisy((t) => 2 * Math.log(t + 0.01)) },
    start: { a: 1, b: -3 },
  },
  "a parameter that does nothing": {
    source: "(+ a (* 0 b) (* c x))",
    data: { x, y: noisy((t) => 1 + t) },
    start: { a: 5, b: 2, c: -1 },
  },
  "units far apart": {
    source: "(+ (* 1e6 a) (* 1e-6 b x) (* c x x))",
    data: { x, y: noisy((t) => 1 + t - 0.5 * t * t) },
    start: { a: 1, b: 1, c: 1 },
  },
  "nothing at the start": {
    source: "(* a (log b) x)",
    data: { x, y: noisy((t) => t) },
    start: { a: 1, b: -1 },
  },
};

const all = new Set<string>();

describe.each(Object.entries(problems))("%s", (_, problem) => {
  test.each([1, 2, 3, 5, 8, 100])("in %d steps", async (steps) => {
    const { source, data, start, weights } = problem;
    const program = machine.load(source);
    const names = Object.keys(start).sort(
      (p, q) => program.inputs.indexOf(p) - program.inputs.indexOf(q),
    );
    // Wide enough that rounding decides nothing.
    const tolerances = { gradient: 1e-6, step: 1e-6, loss: 1e-8 };
    const from = names.map((name) => start[name] as number);
    const plain = new Plain(from, linearOf(program, names, problem), steps, tolerances);
    const reason = plain.run();
    for (const one of plain.seen) all.add(one);
    const told = await fit(program, {
      ...{ data, target: "y", params: start, steps, tolerances, optimiser: "lm", detail: "scores" },
      ...(weights === undefined ? {} : { weights }),
    }).then(
      ({ restarts: [only], best }) => ({ only, best }),
      (error: Error) => error,
    );
    program.dispose();
    if (reason === "not finite") {
      expect(told).toBeInstanceOf(Error);
      return;
    }
    if (told instanceof Error) throw told;
    const { only, best } = told;
    expect({ reason: only?.reason, steps: only?.steps, evaluations: only?.evaluations }).toEqual({
      ...{ reason, steps: plain.steps, evaluations: plain.evaluations },
    });
    const near = (got: number | undefined, want: number, within: number) =>
      expect(
        Math.abs((got as number) - want) <= within * (Math.abs(want) + 1e-9),
        `${got} ${want}`,
      ).toBe(true);
    near(best.loss, plain.best.loss, 1e-9);
    for (const [j, name] of names.entries()) near(best.params[name], plain.u[j] as number, 1e-6);
  });
});

test("steps were good, bad, vetoed and not finite", () => {
  expect([...all].sort()).toEqual(["bad", "good", "not finite", "vetoed"]);
});
