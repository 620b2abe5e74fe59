/**
 * Every run-time mechanism can be turned off by itself; a counter shows it and no bit changes.
 */
import { describe, expect, test } from "vitest";
import { Machine, type Mechanisms, mat, type Precision, type RunStats } from "../src/index.js";

const kalman = `(loop ((k 0) (x [0 0]) (P (mat [1 0] [0 1])) (L 0.0))
  (if (= k 12) L
    (let* ((Ppred (+ P (scale q (eye 2)))) (e (- (ref obs k) x)) (S (+ Ppred (scale r (eye 2))))
           (Sinv (inv S)) (K (matmul Ppred Sinv)))
      (recur (+ k 1) (+ x (matvec K e)) (matmul (- (eye 2) K) Ppred)
        (+ L (log (det S)) (dot e (matvec Sinv e)))))))`;
const summed = "(let turn ((k 0) (s 0)) (if (= k 30) s (turn (+ k 1) (+ s (* k (sin (* 2 x)))))))";
const parting = `(loop ((z (+ x 0.0)) (k 0))
  (if (= k 8) (* 2 z)
    (if (< z 0.5) (recur (* 1.9 z) (+ k 1)) (recur (* 1.9 (- 1 z)) (+ k 1)))))`;
const mostlyAlike = Float64Array.from({ length: 256 }, (_, i) => (i % 32 === 31 ? i / 256 : 0.3));
const lanes = 300;
const q = Float64Array.from({ length: lanes }, (_, i) => 0.05 * (1 + i * 1e-3));
const observations = Array.from({ length: 12 }, (_, k) => [Math.sin(k), Math.cos(2 * k)]);

interface Observed {
  readonly bits: readonly number[];
  readonly filter: RunStats;
  readonly loop: RunStats;
  readonly parted: RunStats;
  /** Traces tried by one lane whose path differs on every call. */
  readonly tried: number;
}

/** The second run of three programs, on a machine with some mechanisms turned off. */
async function observe(precision: Precision, mechanisms: Mechanisms): Promise<Observed> {
  const machine = await Machine.create({ precision, mechanisms });
  const filter = machine.load(kalman);
  const inputs = { q, r: 0.2, obs: mat(observations) };
  filter.gradient(inputs, { wrt: ["q", "r", "obs"] });
  const first = filter.gradient(inputs, { wrt: ["q", "r", "obs"] });
  const second = machine.load(summed).gradient({ x: [1, 2, 3] });
  const tent = machine.load(parting);
  tent.gradient({ x: mostlyAlike });
  const third = tent.gradient({ x: mostlyAlike });
  const alone = machine.load(parting);
  const calls = Array.from({ length: 60 }, (_, i) => alone.gradient({ x: (i * 0.618034) % 1 }));
  const runs = [first, second, third, ...calls];
  const numbers = runs.flatMap(({ values, gradients }) => [values, ...Object.values(gradients)]);
  return {
    bits: numbers.flatMap((list) => [...list]),
    filter: first.stats,
    loop: second.stats,
    parted: third.stats,
    tried: calls.reduce((sum, { stats }) => sum + stats.replays, 0),
  };
}

const switches: [keyof Mechanisms, (seen: Observed) => number][] = [
  ["replay", ({ filter }) => filter.replays],
  ["chunks", ({ filter }) => filter.replays],
  ["loops", ({ loop }) => loop.heapObjects],
  ["smallShapes", ({ filter }) => filter.smallShapeCalls],
  ["fusing", ({ filter }) => filter.fusedCalls],
  ["adjointReuse", ({ filter }) => filter.adjointBytes],
  ["sorting", ({ parted }) => parted.sortings],
  ["paths", ({ tried }) => tried],
  ["integerPool", ({ loop }) => loop.integerPoolHits],
];

describe.each(["f32", "f64"] as const)("in %s", (precision) => {
  test.each(switches)("%s changes its counter and no bit", async (name, counter) => {
    const on = await observe(precision, {});
    const off = await observe(precision, { [name]: false });
    expect(off.bits).toEqual(on.bits);
    expect(counter(off)).not.toBe(counter(on));
  });
});

test.each([1, 3, 300])("counters of %d lanes are those of their run alone", async (count) => {
  const machine = await Machine.create();
  const matrices = machine.load(
    "(det (matmul (mat (vec a 1) (vec 2 a)) (mat (vec a 3) (vec 1 a))))",
  );
  const a = Float64Array.from({ length: count }, (_, i) => 1 + i / 7);
  const counted = ({ smallShapeCalls, fusedCalls, integerPoolHits }: RunStats) => [
    ...[smallShapeCalls, fusedCalls, integerPoolHits],
  ];
  const runs = Array.from({ length: 6 }, () => counted(matrices.gradient({ a }).stats));
  expect(new Set(runs.slice(2).map(String)).size).toBe(1);
  expect(runs.at(-1)?.[0] || runs.at(-1)?.[1]).toBeGreaterThan(0);
  for (let i = 0; i < 4; i++) {
    matrices.gradient({ a });
    expect(counted(machine.load("(* x x)").gradient({ x: a }).stats)).toEqual([0, 0, 0]);
  }
  const squares = machine.load("(* x x)");
  for (let i = 0; i < 4; i++) {
    matrices.gradient({ a });
    expect(counted(squares.gradient({ x: a }).stats)).toEqual([0, 0, 0]);
  }
  machine.dispose();
});

describe("adjoints that take over a sum's place", () => {
  const shared = "(define M (mat (vec a b) (vec (* a b) 1.0)))";
  const programs = [
    "(+ (* a b) (sin a))",
    "(let ((y (* a a))) (* (+ y y) (- y b)))",
    "(let* ((x (* a b)) (y (sin x)) (z (+ x y))) (* z (+ z x)))",
    "(let* ((y (sin a)) (x (* b y)) (z (+ x y))) (* z x))",
    "(let* ((x (exp a)) (y (- x b)) (z (- y x))) (+ z (* y z)))",
    `${shared} (let* ((y (matmul M M)) (z (+ M y))) (+ (trace (matmul z z)) (det z)))`,
    `${shared} (let* ((y (matmul M M)) (z (+ (matmul y M) y))) (vsum (* z (+ z y))))`,
    `${shared} (let* ((x (matmul M M)) (y (transpose M)) (z (+ x y)) (w (+ y x)))
       (+ (trace (matmul z w)) (dot (ref z 0) (ref w 1))))`,
    `${shared} (let* ((v (matvec M (vec b a))) (w (+ v (matvec M v)))) (dot (- w v) (+ w w)))`,
    "(loop ((k 0) (s 0.0) (p a)) (if (= k 20) s (recur (+ k 1) (+ s (+ p (* p b))) (+ p s))))",
  ];
  const lanes = 37;
  const numbers = (seed: number) =>
    Float64Array.from({ length: lanes }, (_, i) => 0.3 + Math.sin(i * 1.7 + seed) / 4);
  const inputs = { a: numbers(1), b: numbers(2) };
  test.each([
    "(vsum (scale a (vec 1 0 b -2)))",
    "(let ((s (* a b))) (vsum (* 2 (+ (scale s (vec 1 2 3 4 5 6 7 8)) (scale a (vec 1 2 3 4 5 6 7 8))))))",
    "(vsum (scale (sin a) (mat [1 -2 0] [3 1e30 b])))",
  ])("scalars before vectors have the same bits by both loops: %s", async (source) => {
    for (const precision of ["f32", "f64"] as const) {
      const off = await bitsOf(precision, source, { smallShapes: false });
      expect(await bitsOf(precision, source, {})).toEqual(off);
    }
  });
  const bitsOf = async (precision: Precision, source: string, mechanisms: Mechanisms) => {
    const machine = await Machine.create({ precision, mechanisms });
    const program = machine.load(source);
    program.gradient(inputs);
    const { values, gradients } = program.gradient(inputs);
    machine.dispose();
    return [values, gradients["a"], gradients["b"]];
  };
  test.each(programs)("have the same bits: %s", async (source) => {
    for (const precision of ["f32", "f64"] as const) {
      const off = await bitsOf(precision, source, { adjointReuse: false });
      expect(await bitsOf(precision, source, {})).toEqual(off);
      expect(await bitsOf(precision, source, { replay: false })).toEqual(off);
    }
  });
});

describe("tensors that are one row of numbers", () => {
  const programs = [
    "(vsum (* (vec a b) (- (vec 1 2) (vec b a))))",
    "(vsum (- (vec 1 2 3) (vec a b a)))",
    "(vsum (sin (* (mat (vec a b) (vec b 1)) (mat (vec 1 a) (vec b b)))))",
    "(let ((v (vec a b a))) (vsum (/ (* v v) (+ v (vec 7 8 9)))))",
  ];
  test.each(programs)("have the same bits at every number of lanes: %s", async (source) => {
    for (const precision of ["f32", "f64"] as const) {
      const machine = await Machine.create({ precision });
      const program = machine.load(source);
      for (let lanes = 1; lanes <= 9; lanes++) {
        const numbers = (seed: number) => Float64Array.from({ length: lanes }, (_, i) => i + seed);
        const inputs = { a: numbers(0.5), b: numbers(-0.75) };
        const walked = program.gradient(inputs, { replay: false });
        program.gradient(inputs);
        const { values, gradients } = program.gradient(inputs);
        expect([values, gradients]).toEqual([walked.values, walked.gradients]);
      }
      machine.dispose();
    }
  });
});

describe("recognising loops", () => {
  const programs = [
    "(let ((y (let f ((y x)) y))) (+ (* x b) (* y a) (* x c)))",
    `(define (g z) (* z a))
     (+ x (let f ((y x) (k 0)) (if (> k 2) (g y) (if (> y b) (g x) (f (* y c) (+ k 1))))))`,
  ];
  test.each(programs)("places the same identity records: %s", async (source) => {
    const on = (await Machine.create()).load(source);
    const off = (await Machine.create({ mechanisms: { loops: false } })).load(source);
    for (let i = 0; i < 200; i++) {
      const number = (j: number) => 2 * Math.sin(i * 7.13 + j * 3.7);
      const inputs = { x: number(0), a: number(1), b: number(2), c: number(3) };
      expect(off.gradient(inputs).gradients).toEqual(on.gradient(inputs).gradients);
    }
  });
});
