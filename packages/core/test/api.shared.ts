/**
 * The public API as one list of cases that Node and Chromium both run.
 *
 * A case uses the machine as a caller would and returns everything it saw: numbers, whose bits
 * must be the same in both places, and texts. Checks throw plain errors, because Node also runs
 * the cases outside of any test to learn the bits that the browser must reproduce.
 */

import {
  type Inputs,
  int,
  Machine,
  mat,
  NdvmError,
  over,
  type Precision,
  type Program,
  vec,
} from "../src/index.js";

export type Seen = Readonly<Record<string, ArrayLike<number> | string>>;

export interface ApiCase {
  readonly name: string;
  run(machine: Machine, precision: Precision): Promise<Seen> | Seen;
}

/** The value of one lane run by itself, NaN where it fails. */
function aloneOrNaN(machine: Machine, source: string, x0: number): number {
  try {
    return machine.load(source).evaluate({ x0, r: 1.9 }, { replay: false }).values[0] as number;
  } catch (error) {
    if (error instanceof NdvmError) return Number.NaN;
    throw error;
  }
}

export const precisions: readonly Precision[] = ["f32", "f64"];

// ---- checks -----------------------------------------------------------------------------------

function check(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

function close(actual: ArrayLike<number>, expected: readonly number[], relative: number): void {
  check(actual.length === expected.length, `${actual.length} numbers, not ${expected.length}`);
  expected.forEach((value, index) => {
    const found = actual[index] ?? Number.NaN;
    const isSame =
      Object.is(found, value) || Math.abs(found - value) <= relative * (1 + Math.abs(value));
    check(isSame, `number ${index} is ${found}, not ${value}`);
  });
}

const tolerance = (precision: Precision): number => (precision === "f64" ? 1e-12 : 2e-6);

/** Runs `work`, which must throw an NdvmError with this code; returns the error. */
function refused(code: string, work: () => unknown): NdvmError {
  try {
    work();
  } catch (error) {
    if (error instanceof NdvmError && error.code === code) return error;
    throw error;
  }
  throw new Error(`nothing was thrown, ${code} was due`);
}

async function refusedLater(code: string, work: () => Promise<unknown>): Promise<NdvmError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof NdvmError && error.code === code) return error;
    throw error;
  }
  throw new Error(`nothing was thrown, ${code} was due`);
}

// ---- the paper's five programs ----------------------------------------------------------------

/** Numbers in [-1, 1) that only need exact arithmetic: the same on every host. */
function pseudoRandom(count: number): number[] {
  let state = 12345;
  return Array.from({ length: count }, () => {
    state = (state * 1103 + 12347) % 65536;
    return state / 32768 - 1;
  });
}

const kalman = `
  (loop ((k 0) (mean (vec 0.0 0.0)) (P (eye 2)) (total 0.0))
    (if (= k 80)
        total
        (let* ((prior (+ P (scale q (eye 2))))
               (S (+ prior (scale r (eye 2))))
               (weight (inv S))
               (e (- (ref obs k) mean))
               (gain (matmul prior weight)))
          (recur (+ k 1)
                 (+ mean (matvec gain e))
                 (matmul (- (eye 2) gain) prior)
                 (+ total (log (det S)) (dot e (matvec weight e)))))))`;

interface PaperProgram {
  readonly name: string;
  readonly source: string;
  readonly scalars: Readonly<Record<string, number>>;
  readonly others?: Inputs;
}

const paperPrograms: readonly PaperProgram[] = [
  { name: "scalar mul-add", source: "(+ (* a x) b)", scalars: { a: 2, b: 1, x: 1.5 } },
  { name: "Michaelis-Menten", source: "(/ (* v s) (+ m s))", scalars: { v: 2, m: 0.5, s: 1.5 } },
  {
    name: "damped oscillator",
    source: "(* a (* (exp (- 0 (* b t))) (cos (* w t))))",
    scalars: { a: 1, b: 0.3, w: 2, t: 1.5 },
  },
  {
    name: "logistic map",
    source: "(loop ((x x0) (k 0)) (if (= k 16) x (recur (* r (* x (- 1 x))) (+ k 1))))",
    scalars: { r: 3.2, x0: 0.4 },
  },
  {
    name: "Kalman filter, 80 steps",
    source: kalman,
    scalars: { q: 0.05, r: 0.1 },
    others: {
      obs: mat(
        Array.from({ length: 80 }, (_, row) => pseudoRandom(160).slice(2 * row, 2 * row + 2)),
      ),
    },
  },
];

/** d value / d name by central differences of the machine's own values. */
function slope(program: Program, inputs: Inputs, name: string, at: number): number {
  const h = 1e-6 * (1 + Math.abs(at));
  const value = (x: number): number => program.evaluate({ ...inputs, [name]: x }).values[0] ?? NaN;
  return (value(at + h) - value(at - h)) / (2 * h);
}

function paperCase({ name, source, scalars, others = {} }: PaperProgram): ApiCase {
  return {
    name: `the paper's program: ${name}`,
    run(machine, precision) {
      const program = machine.load(source);
      const wrt = Object.keys(scalars);
      const one = program.gradient({ ...others, ...scalars }, { wrt });
      const lanes = [0, 1, 2, 3, 4];
      const spread = Object.entries(scalars).map(([key, value]) => [
        key,
        lanes.map((lane) => value * (1 + lane / 80)),
      ]);
      const many = program.gradient({ ...others, ...Object.fromEntries(spread) }, { wrt });
      const seen: Record<string, ArrayLike<number>> = { value: one.values, values: many.values };
      for (const key of wrt) {
        const gradient = one.gradients[key] ?? [];
        seen[`d/d${key}`] = gradient;
        seen[`d/d${key} over lanes`] = many.gradients[key] ?? [];
        if (precision === "f64") {
          close(
            gradient,
            [slope(program, { ...others, ...scalars }, key, scalars[key] ?? 0)],
            1e-5,
          );
        }
        check(many.gradients[key]?.[0] === gradient[0], `lane 0 of five differs in d/d${key}`);
      }
      program.dispose();
      return seen;
    },
  };
}

// ---- everything else --------------------------------------------------------------------------

const unary = [
  "exp log sin cos tan asin acos atan sinh cosh tanh log1p expm1 sqrt",
  "sigmoid softplus erf lgamma abs floor ceiling round truncate square",
]
  .join(" ")
  .split(" ");

const sweep = [
  ...pseudoRandom(40).map((x) => 20 * x),
  ...[0, -0, 0.5, 1, -1, 1e-30, -1e-30, 700, -700, 1e10, Number.POSITIVE_INFINITY, Number.NaN],
];

const cases: readonly ApiCase[] = [
  {
    name: "a program has its free names as inputs and evaluates over lanes",
    run(machine, precision) {
      const program = machine.load("(* a (exp (* k t)))");
      check(program.inputs.join() === "a,k,t", `inputs are ${program.inputs}`);
      const { values, lanes, shape } = program.evaluate({ a: 2, k: -0.5, t: [0, 1, 2] });
      check(lanes === 3 && shape?.length === 0, "three lanes of numbers");
      close(values, [2, 2 * Math.exp(-0.5), 2 * Math.exp(-1)], tolerance(precision));
      return { values };
    },
  },
  {
    name: "gradients are per lane, for the inputs asked for",
    run(machine, precision) {
      const program = machine.load("(* a (exp (* k t)))");
      const inputs = { a: 2, k: -0.5, t: Float64Array.of(0, 1, 2) };
      const { gradients } = program.gradient(inputs, { wrt: ["a", "k"] });
      check(Object.keys(gradients).sort().join() === "a,k", "gradients of a and k only");
      const { a = [], k = [] } = gradients;
      close(a, [1, Math.exp(-0.5), Math.exp(-1)], tolerance(precision));
      close(k, [0, 2 * Math.exp(-0.5), 4 * Math.exp(-1)], tolerance(precision));
      return { a, k };
    },
  },
  {
    name: "typed arrays of either kind and arrays mean the same",
    run(machine) {
      const program = machine.load("(/ x 3)");
      const a = program.evaluate({ x: [1, 2, 3] }).values.slice();
      const b = program.evaluate({ x: Float64Array.of(1, 2, 3) }).values.slice();
      const c = program.evaluate({ x: Float32Array.of(1, 2, 3) }).values.slice();
      close(b, [...a], 0);
      close(c, [...a], 0);
      return { a };
    },
  },
  {
    name: "vectors and matrices go in and come out, with gradients of their shape",
    run(machine, precision) {
      const A = mat([
        [4, 1],
        [1, 3],
      ]);
      const program = machine.load("(+ (logdet A) (dot v (solve A v)))");
      const { values, gradients } = program.gradient({ A, v: vec([1, 2]) });
      close(values, [Math.log(11) + 15 / 11], tolerance(precision));
      close(gradients["v"] ?? [], [2 / 11, 14 / 11], 10 * tolerance(precision));
      check(gradients["A"]?.length === 4, "four elements of A");
      const factor = machine.load("(cholesky A)").evaluate({ A });
      check(factor.shape?.join() === "2,2", `shape is ${factor.shape}`);
      close(factor.values, [2, 0, 0.5, Math.sqrt(2.75)], tolerance(precision));
      return { values, A: gradients["A"] ?? [], factor: factor.values };
    },
  },
  {
    name: "a seed makes a vector-Jacobian product, and jacobian gives all rows",
    run(machine, precision) {
      const program = machine.load("(* v (sin a))");
      const inputs = { v: vec([1, 2, 3]), a: 0.5 };
      const seeded = program.gradient(inputs, { wrt: ["a"], seed: [0, 1, 0] });
      close(seeded.gradients["a"] ?? [], [2 * Math.cos(0.5)], tolerance(precision));
      const { jacobians } = program.jacobian(inputs);
      const rows = [1, 2, 3].map((x) => x * Math.cos(0.5));
      close(jacobians["a"] ?? [], rows, tolerance(precision));
      const s = Math.sin(0.5);
      close(jacobians["v"] ?? [], [s, 0, 0, 0, s, 0, 0, 0, s], tolerance(precision));
      refused("E-RESULT", () => program.gradient(inputs));
      return { a: jacobians["a"] ?? [], v: jacobians["v"] ?? [] };
    },
  },
  {
    name: "every unary function and its derivative over a sweep of arguments",
    run(machine) {
      const seen: Record<string, ArrayLike<number>> = {};
      for (const name of unary) {
        const program = machine.load(`(${name} x)`);
        const { values, gradients } = program.gradient({ x: sweep });
        seen[name] = values.slice();
        seen[`${name}'`] = gradients["x"]?.slice() ?? [];
        program.dispose();
      }
      return seen;
    },
  },
  {
    name: "results that are not numbers come back as JavaScript values and as text",
    run(machine) {
      const result = machine.load("(list 1 #t 'name (list 2.5) '())").evaluate({});
      check(result.shape === undefined, "a list has no shape");
      check(Array.isArray(result.datum()), "a list is an array");
      check(result.print() === "(1 #t name (2.5) ())", `printed ${result.print()}`);
      return { text: result.print() };
    },
  },
  {
    name: "a structural integer drives a loop, and counters count",
    run(machine) {
      const program = machine.load("(loop ((i 0) (x a)) (if (= i n) x (recur (+ i 1) (* x a))))");
      const { values, gradients, stats } = program.gradient({ a: 1.25, n: int(6) });
      // Six products, and the identity that x gets where it leaves through the if.
      check(stats.tapeRecords === 7, `${stats.tapeRecords} records`);
      close(values, [1.25 ** 7], 1e-6);
      const counters = [stats.steps, stats.payloads, stats.tapeRecords, stats.activePayloads];
      return { values, a: gradients["a"] ?? [], counters };
    },
  },
  {
    name: "lanes that are not finite are reported and touch no other lane",
    run(machine) {
      const result = machine.load("(sqrt x)").gradient({ x: [4, -1, 9] });
      close(result.values, [2, Number.NaN, 3], 1e-7);
      check(result.nonFinite.map(({ lane }) => lane).join() === "1", "lane 1 is reported");
      const clamped = machine.load("(sqrt x)", { domain: "clamp" }).gradient({ x: [4, -1, 9] });
      close(clamped.values, [2, 1e-4, 3], 1e-6);
      close(clamped.gradients["x"] ?? [], [0.25, 0, 1 / 6], 1e-6);
      return { values: result.values, x: clamped.gradients["x"] ?? [] };
    },
  },
  {
    name: "lanes that part, merge, loop apart and fail have the bits they have alone, replayed too",
    run(machine) {
      const sources = [
        `(loop ((x x0) (k 0)) (if (= k 16) x
           (if (< x 0.5) (recur (* r x) (+ k 1)) (recur (* r (- 1 x)) (+ k 1)))))`,
        "(loop ((z (+ 0.5 x0)) (k 0)) (if (> z 9) (* z r) (recur (* z (+ 1.2 x0)) (+ k 1))))",
        "(apply * r (if (< x0 0.4) (list x0 r) (list x0 x0 2)))",
        "(if (> x0 0.9) (car '()) (ref [r x0 3] (floor (* 3 x0))))",
      ];
      const x0 = pseudoRandom(37).map(Math.abs);
      const seen: Record<string, ArrayLike<number>> = {};
      sources.forEach((source, i) => {
        const program = machine.load(source);
        for (const turn of [0, 1, 2]) {
          const lanes = x0.map((x) => (x + turn * 0.137) % 1);
          const { values, gradients } = program.gradient({ x0: lanes, r: 1.9 });
          const alone = Array.from(lanes, (x) => aloneOrNaN(machine, source, x));
          close(values, alone, 0);
          seen[`${i}/${turn}`] = [...values, ...(gradients["x0"] ?? []), ...(gradients["r"] ?? [])];
        }
      });
      return seen;
    },
  },
  {
    name: "errors carry code, span and help, and the machine goes on",
    run(machine) {
      const seen: Record<string, string> = {};
      const note = (error: NdvmError): void => {
        const { code, message, span, help } = error;
        seen[code] = [message, `${span?.start}-${span?.end}`, help ?? ""].join(" | ");
      };
      note(refused("E-SYNTAX", () => machine.load("(+ 1 (* 2 3)")));
      note(refused("E-UNBOUND", () => machine.load("(sinn 1)")));
      note(refused("E-REFUSED", () => machine.load("(set! x 1)")));
      note(refused("E-ARITY", () => machine.load("((lambda (x) x))").evaluate({})));
      note(refused("E-CALL", () => machine.load("(let ((f 2)) (f 1))").evaluate({})));
      note(refused("E-TYPE", () => machine.load("(car 5)").evaluate({})));
      note(refused("E-SHAPE", () => machine.load("(dot [1 2] [1 2 3])").evaluate({})));
      note(refused("E-RANGE", () => machine.load("(ref [1 2] 2)").evaluate({})));
      note(refused("E-INPUT", () => machine.load("(* a b)").evaluate({ a: 1 })));
      const endless = machine.load("(loop ((x 1.0)) (recur (+ x 1.0)))");
      note(refused("E-STEPS", () => endless.evaluate({}, { stepsMax: 1e5 })));
      check(machine.load("(+ 1 2)").evaluate({}).values[0] === 3, "the machine still adds");
      return seen;
    },
  },
  {
    name: "time limits and aborts end an endless loop",
    async run(machine) {
      const endless = machine.load("(loop ((x 1.0)) (recur (+ x 1.0)))");
      const stepsMax = 1e15;
      refused("E-TIME", () => endless.evaluate({}, { stepsMax, timeMax: 50 }));
      await refusedLater("E-TIME", () => endless.evaluateAsync({}, { stepsMax, timeMax: 50 }));
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      const { signal } = controller;
      await refusedLater("E-ABORTED", () => endless.evaluateAsync({}, { stepsMax, signal }));
      const { values } = await machine.load("(* 6 x)").evaluateAsync({ x: 7 });
      close(values, [42], 0);
      return { values };
    },
  },
  {
    name: "what is disposed cannot be used",
    async run(_, precision) {
      const machine = await Machine.create({ precision });
      const program = machine.load("(* 2 x)");
      program.dispose();
      refused("E-DISPOSED", () => program.evaluate({ x: 1 }));
      machine.dispose();
      refused("E-DISPOSED", () => machine.load("1"));
      return {};
    },
  },
  {
    name: "stack code has the bits of Scheme where lanes part and meet",
    run(machine) {
      const inputs = { x: pseudoRandom(29), r: 1.9 };
      const program = machine.loadBytecode(tentMap);
      const first = program.gradient(inputs);
      const again = program.gradient(inputs);
      const { values, gradients } = machine
        .load(
          `(loop ((x x) (n 12))
             (if (> n 0) (if (< x 0.5) (recur (* r x) (- n 1)) (recur (* r (- 1 x)) (- n 1))) x))`,
        )
        .gradient(inputs);
      const { x = [], r = [] } = gradients;
      check(first.stats.divergentBranches > 5, "lanes part");
      for (const run of [first, again]) {
        close(run.values, [...values], 0);
        close(run.gradients["x"] ?? [], [...x], 0);
        close(run.gradients["r"] ?? [], [...r], 0);
      }
      return { values: again.values, x, r, listing: program.parsed.print() };
    },
  },
  {
    name: "a pool has the bits of one machine, over named axes",
    async run(machine) {
      const source = "(if (> (* a t) 1) (log (* a t)) (* a (exp (* k t))))";
      const inputs = {
        a: over("restart", pseudoRandom(23)),
        k: -0.5,
        t: over(
          "data",
          pseudoRandom(41).map((t) => 3 * t),
        ),
      };
      const program = machine.load(source);
      const alone = program.gradient(inputs, { reduce: ["k"] });
      const pool = await machine.pool({ workers: 2 });
      const { values, gradients } = await pool.gradient(program, inputs, { reduce: ["k"] });
      await pool.dispose();
      const { a = [], k = [] } = gradients;
      close(values, [...alone.values], 0);
      close(a, [...(alone.gradients["a"] ?? [])], 0);
      close(k, [...(alone.gradients["k"] ?? [])], 0);
      return { values, a, k };
    },
  },
];

/** Twelve steps of the tent map, whose branch lanes take differently at every step. */
const tentMap = `
        LOAD x
        STORE y
        PUSH 12
        STORE n
again:  LOOP n done
        LOAD y
        PUSH 0.5
        LT
        BRANCH low
        LOAD r
        PUSH 1
        LOAD y
        SUB
        MUL
        STORE y
        JUMP again
low:    LOAD r
        LOAD y
        MUL
        STORE y
        JUMP again
done:   LOAD y
`;

export const apiCases: readonly ApiCase[] = [...paperPrograms.map(paperCase), ...cases];

/** The bits of everything a case saw: texts as they are, numbers as hexadecimal doubles. */
export function bitsOf(seen: Seen): Record<string, string> {
  return Object.fromEntries(
    Object.entries(seen).map(([key, value]) => {
      if (typeof value === "string") return [key, value];
      const view = new DataView(new ArrayBuffer(8));
      const hex = Array.from(value, (number) => {
        view.setFloat64(0, number);
        return view.getBigUint64(0).toString(16).padStart(16, "0");
      });
      return [key, hex.join(" ")];
    }),
  );
}

/** Runs a case on a machine of its own; returns its bits. */
export async function runCase(
  apiCase: ApiCase,
  precision: Precision,
): Promise<Record<string, string>> {
  const machine = await Machine.create({ precision });
  try {
    return bitsOf(await apiCase.run(machine, precision));
  } finally {
    machine.dispose();
  }
}

export const keyOf = (apiCase: ApiCase, precision: Precision): string =>
  `${precision}: ${apiCase.name}`;
