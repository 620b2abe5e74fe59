/**
 * L-BFGS against the same method written plainly (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6): the
 * way it takes, how often it evaluates and why it ends, on smooth losses, cliffs, kinks and losses that are
 * not what their gradient says.
 */

import { describe, expect, test } from "vitest";
import { fit, type Program } from "../../src/index.js";
import { machine } from "./support.js";

interface Place {
  readonly at: number;
  readonly value: number;
  readonly slope: number;
}

interface Pair {
  readonly step: readonly number[];
  readonly turn: readonly number[];
  readonly curvature: number;
}

type Reason = "gradient" | "loss" | "step" | "steps" | "damping" | "not finite";

const MEMORY = 10;
const TRIALS_MOST = 40;

/** How lines without memory were given up. */
const ways = new Set<string>();

const inner = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, one, j) => sum + one * (b[j] as number), 0);
const added = (a: readonly number[], by: number, b: readonly number[]): number[] =>
  a.map((one, j) => one + by * (b[j] as number));

/** One search after the other, each in its own function call: nothing is kept but point and pairs. */
class Plain {
  u: number[];
  loss = Number.NaN;
  gradient: number[] = [];
  evaluations = 0;
  steps = 0;
  #pairs: Pair[] = [];
  /** What the parabola through the first finite trial of the line promises. */
  #promise = Number.NaN;
  #nearness = 0;

  constructor(
    start: readonly number[],
    readonly evaluate: (u: readonly number[]) => { value: number; gradient: number[] },
    readonly stepsMost: number,
    readonly limits: { gradient: number; step: number; loss: number },
  ) {
    this.u = [...start];
  }

  run(): Reason {
    const { value, gradient } = this.#at(this.u);
    if (!Number.isFinite(value)) return "not finite";
    this.loss = value;
    this.gradient = gradient;
    const isFlat = this.#isFlat();
    const first = this.#line();
    if (isFlat && first === "damping" && this.evaluations === 1) return "gradient";
    if (first !== undefined) return first;
    for (;;) {
      const reason = this.#line();
      if (reason !== undefined) return reason;
    }
  }

  #at(u: readonly number[]): { value: number; gradient: number[] } {
    this.evaluations += 1;
    const { value, gradient } = this.evaluate(u);
    return { value: Number.isFinite(value) ? value : Number.POSITIVE_INFINITY, gradient };
  }

  #leastFall(): number {
    return this.limits.gradient * Math.max(1e-300, Math.abs(this.loss));
  }

  #isFlat(): boolean {
    const least = this.#leastFall();
    return this.gradient.every(
      (g, j) => Math.abs(g) * Math.max(1, Math.abs(this.u[j] as number)) <= least,
    );
  }

  #direction(): number[] {
    let direction = this.gradient.map((g) => -g);
    const weights: number[] = [];
    for (const { step, turn, curvature } of [...this.#pairs].reverse()) {
      const weight = inner(step, direction) / curvature;
      weights.unshift(weight);
      direction = added(direction, -weight, turn);
    }
    const latest = this.#pairs.at(-1);
    if (latest !== undefined) {
      const gain = latest.curvature / inner(latest.turn, latest.turn);
      direction = direction.map((one) => one * gain);
    }
    for (const [k, { step, turn, curvature }] of this.#pairs.entries())
      direction = added(
        direction,
        (weights[k] as number) - inner(turn, direction) / curvature,
        step,
      );
    return direction;
  }

  /** The largest change of a number beside its size. */
  #most(direction: readonly number[], least: number): number {
    return Math.max(
      ...direction.map((d, j) => Math.abs(d) / Math.max(least, Math.abs(this.u[j] as number))),
    );
  }

  #note(
    direction: readonly number[],
    at: number,
    slope: number,
    first: number,
    trials: number,
  ): void {
    const bend = (slope - first) / at;
    const distance = bend > 0 && trials <= 1 ? -first / bend : Number.POSITIVE_INFINITY;
    this.#promise = (-first * distance) / 2;
    this.#nearness = this.#most(direction, 1e-3) * distance;
  }

  /** One line, to its end; why the search is over with it. */
  #line(): Reason | undefined {
    let direction = this.#direction();
    let first = inner(direction, this.gradient);
    if (!(first < 0)) {
      if (this.#pairs.length === 0) return "damping";
      this.#pairs = [];
      direction = this.#direction();
      first = inner(direction, this.gradient);
      if (!(first < 0)) return "damping";
    }
    this.#promise = Number.NaN;
    let low: Place = { at: 0, value: this.loss, slope: first };
    let high: Place | undefined;
    const tenth = 0.1 / this.#most(direction, 0.1);
    let at = this.#pairs.length > 0 ? 1 : this.#isFlat() ? tenth : Math.min(1, tenth);
    for (let trials = 1; ; trials++) {
      const trial = added(this.u, at, direction);
      const { value, gradient } = this.#at(trial);
      const slope = value === Number.POSITIVE_INFINITY ? Number.NaN : inner(direction, gradient);
      const isFalling = value <= this.loss + 1e-4 * at * first;
      if (Number.isNaN(this.#promise) && !Number.isNaN(slope)) {
        this.#note(direction, at, slope, first, trials);
        if (this.#promise <= this.#leastFall() && this.#isFlat()) return "gradient";
      }
      if (isFalling && Math.abs(slope) <= -0.9 * first) return this.#accept(trial, value, gradient);
      if (trials >= TRIALS_MOST || at < 1e-20) return this.#giveUp(trial, value, gradient, slope);
      const place = { at, value, slope };
      if (!isFalling || (value >= low.value && (high !== undefined || trials > 1))) high = place;
      else if (high === undefined && slope < 0) {
        low = place;
        at *= 2.5;
        continue;
      } else {
        if (high === undefined || slope * (high.at - low.at) >= 0) high = low;
        low = place;
      }
      const width = high.at - low.at;
      if (Math.abs(width) < 1e-16 * Math.abs(low.at)) trials = TRIALS_MOST - 1;
      at = low.at + this.#share(low, high) * width;
    }
  }

  /** Where in a bracket a cubic has its minimum, off the ends. */
  #share(low: Place, high: Place): number {
    let t = Number.isFinite(high.value) ? 0.5 : 0.1;
    if (Number.isFinite(high.value) && Number.isFinite(high.slope)) {
      const d1 = low.slope + high.slope - (3 * (low.value - high.value)) / (low.at - high.at);
      const root =
        Math.sqrt(Math.max(0, d1 * d1 - low.slope * high.slope)) * (high.at > low.at ? 1 : -1);
      t = 1 - (high.slope + root - d1) / (high.slope - low.slope + 2 * root);
    }
    return t > 0.1 ? Math.min(t, 0.9) : 0.1;
  }

  #giveUp(trial: number[], value: number, gradient: number[], slope: number): Reason | undefined {
    if (value < this.loss) return this.#accept(trial, value, gradient);
    if (this.#pairs.length > 0) {
      this.#pairs = [];
      return undefined;
    }
    const [isHidden, isNear] = [
      this.#promise <= 1e-9 * Math.abs(this.loss),
      this.#nearness <= 1e-7,
    ];
    const way = isHidden ? "hidden" : isNear ? "near" : slope > 0 ? "a kink" : "not its gradient";
    ways.add(way);
    return way === "near" ? "step" : way === "not its gradient" ? "damping" : "loss";
  }

  #accept(trial: number[], value: number, gradient: number[]): Reason | undefined {
    const step = added(trial, -1, this.u);
    const turn = added(gradient, -1, this.gradient);
    const isSmall = step.every(
      (by, j) => Math.abs(by) <= this.limits.step * Math.abs(this.u[j] as number),
    );
    const curvature = inner(step, turn);
    if (curvature > 1e-16 * inner(turn, turn))
      this.#pairs = [...this.#pairs, { step, turn, curvature }].slice(-MEMORY);
    const fall = this.loss - value;
    this.u = trial;
    this.loss = value;
    this.gradient = gradient;
    this.steps += 1;
    if (this.#isFlat()) return "gradient";
    const isLevel = fall <= this.limits.loss * Math.abs(value);
    if (this.#promise === Number.POSITIVE_INFINITY && (isSmall || isLevel)) return "damping";
    if (isLevel) return "loss";
    if (isSmall) return "step";
    return this.steps >= this.stepsMost ? "steps" : undefined;
  }
}

function lossOf(program: Program): (u: readonly number[]) => { value: number; gradient: number[] } {
  const names = program.inputs;
  return (u) => {
    const inputs = Object.fromEntries(names.map((name, j) => [name, u[j] as number]));
    const { values, gradients } = program.gradient(inputs);
    return {
      value: values[0] as number,
      gradient: names.map((name) => gradients[name]?.[0] as number),
    };
  };
}

/** Losses, and where they start. */
const losses: readonly (readonly [string, string, Readonly<Record<string, number>>])[] = [
  ["a bowl", "(+ (square (- a 1)) (* 3 (square (+ b 2))))", { a: 4, b: 5 }],
  ["a valley", "(+ (square (- 1 a)) (* 100 (square (- b (* a a)))))", { a: -1.2, b: 1 }],
  [
    "a longer valley",
    "(+ (square (- 1 a)) (* 100 (square (- b (* a a)))) (square (- 1 b)) (* 100 (square (- c (* b b)))) (square (- 1 c)) (* 100 (square (- d (* c c)))))",
    { a: -1.2, b: 1, c: -1.2, d: 1 },
  ],
  ["units far apart", "(+ (square (- (* 1e6 a) 1)) (square (- (* 1e-6 b) 1)))", { a: 1, b: 1 }],
  ["a flat bottom", "(+ (expt (- a 1) 4) (expt (+ b 1) 4))", { a: 3, b: 2 }],
  ["an edge", "(- (* a a) (log (- 2 a)) (log b))", { a: -3, b: 0.01 }],
  ["an edge that cuts", "(+ (sqrt a) (square b))", { a: 1, b: 3 }],
  ["a kink", "(+ (abs (- a 1)) (square (- b 2)))", { a: 3, b: 0 }],
  ["two kinks", "(+ (abs (- a 1)) (* 2 (abs (- b 0.5))))", { a: 3, b: 5 }],
  ["a step that has no gradient", "(+ (floor (* 4 a)) (* 0.1 a) (square b))", { a: 2.1, b: 1 }],
  ["rounding", "(- (+ 100 (square (- a 100)) (square (- b 1))) 100)", { a: 90, b: 3 }],
  [
    "rounding at large numbers",
    "(- (+ 1 (square (- b 1e4)) (square (- a 0.5))) 1)",
    { b: 9e3, a: 0 },
  ],
  [
    "rounding, the second large",
    "(- (+ 1 (square (- a 0.5)) (square (- b 1e4))) 1)",
    { a: 0, b: 9e3 },
  ],
  [
    "rounding, the third large",
    "(- (+ 1 (* 0 a) (* 0 c) (square (- b 1e4))) 1)",
    { a: 1, c: 1, b: 9e3 },
  ],
  ["at a kink", "(abs a)", { a: 1e-25 }],
  ["near by its size", "(- (+ 1 (square (- a 1e4))) 1)", { a: 1e4 + 1e-9 }],
  [
    "near by the size of the second",
    "(- (+ 1 (* 0 a) (square (- b 1e4))) 1)",
    { a: 1e-9, b: 1e4 + 1e-9 },
  ],
  ["not near", "(- (+ 1 (square (- a 1e-5))) 1)", { a: 1e-5 + 1e-9 }],
  ["rounding of a line", "(- (+ 1e3 (* 1e-3 (square (- a 7)))) 1e3)", { a: 5 }],
  ["a loss that is not its gradient", "(+ (square a) (* 3 (floor (* 10 a))))", { a: -0.51 }],
  ["a gradient the wrong way", "(+ (square (- a 1)) (* -50 (floor (* 1e6 a)) 1e-6))", { a: 3 }],
  ["rounding around a loss that is not small", "(+ 50 (- (+ 1e6 (square (- a 3))) 1e6))", { a: 1 }],
  ["no bottom", "(- a)", { a: 1 }],
  ["waves", "(+ (sin (* 3 a)) (* 0.1 a a) (cos b) (* 0.1 b b))", { a: 2.5, b: 1.5 }],
  ["nothing at the start", "(log a)", { a: -1 }],
  ["already there", "(+ 5 (square (- a 2)))", { a: 2 }],
  ["nearly there", "(+ 5 (square (- a 2)))", { a: 2 + 1e-9 }],
  ["nearly there beside an edge", "(+ 5 (square (- a 2)) (* 0 (log (- 2.1 a))))", { a: 2 + 1e-9 }],
  ["a tiny slope", "(+ 5 (* 1e-200 a))", { a: 2 }],
  ["far away in large units", "(+ (square (- a 3e12)) (square (- b 1e12)))", { a: 1, b: 1 }],
  ["further than numbers show", "(square (- a 3e40))", { a: 1 }],
  ["a saddle", "(+ (* a a a a) (- (* a a)) (* b b))", { a: 1e-3, b: 2 }],
  [
    "ten together",
    `(+ ${[..."abcdefghij"].map((name, i) => `(* ${i + 1} (square (- ${name} ${i})))`).join(" ")})`,
    Object.fromEntries([..."abcdefghij"].map((name) => [name, 0.5])),
  ],
];

describe.each(losses)("%s", (_, source, start) => {
  const usual = { gradient: 1e-9, step: 1e-10, loss: 1e-13 };
  const none = { gradient: 0, step: 0, loss: 0 };
  test.each([
    [1, usual],
    [2, usual],
    [5, usual],
    [60, usual],
    [200, none],
  ])("in %d steps, within %o", async (steps, tolerances) => {
    const program = machine.load(source);
    const names = program.inputs;
    const params = Object.fromEntries(
      names.map((name) => [name, { start: start[name] as number }]),
    );
    const plain = new Plain(
      names.map((name) => start[name] as number),
      lossOf(program),
      steps,
      tolerances,
    );
    const reason = plain.run();
    const told = await fit(program, {
      ...{ params, steps, tolerances, optimiser: "lbfgs", detail: "attempt" },
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
    expect(best.loss).toBe(plain.loss);
    expect(names.map((name) => best.params[name])).toEqual(plain.u);
  });
});

test("lines were given up in every way", () => {
  expect([...ways].sort()).toEqual(["a kink", "hidden", "near", "not its gradient"]);
});
