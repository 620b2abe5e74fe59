/**
 * Kernels that run several records of 2 × 2 matrices at once, and operations that a trace repeats: the
 * same bits as record by record, walked, and lane by lane, whatever stands beside them.
 */
import { describe, expect, test } from "vitest";
import { Machine, type Mechanisms, type Precision } from "../../src/index.js";
import { Random } from "../fuzz/random.js";

/** Kernels have constant offsets here. */
const LANES = 128;
const extremes = [0, -0, 1, Number.NaN, Number.POSITIVE_INFINITY, 1e30, 1e-30];

const matrices = `
  (define M (mat (vec a b) (vec (* a b) c)))
  (define N (mat (vec c 1.0) (vec a (- b c))))
  (define v (vec a c))
  (define w (vec b (* c c)))`;

/** Sums, differences, inverses and products in orders that kernels for several records know, and near them. */
const programs: readonly string[] = [
  "(vsum (matmul (inv M) N))",
  "(vsum (matmul N (inv M)))",
  "(let ((i (inv M))) (vsum (+ (matmul N i) (matmul i i))))",
  "(let ((i (inv M))) (vsum (matmul i i)))",
  "(vsum (matmul (- (eye 2) M) N))",
  "(vsum (matmul (- 1.0 M) N))",
  "(let ((d (- (eye 2) M))) (vsum (matmul d d)))",
  "(let ((d (- (eye 2) M))) (vsum (+ d (matmul d M))))",
  "(let ((d (- (scale s (eye 2)) M))) (vsum (matmul d N)))",
  "(let ((d (- (mat (vec 1 2) (vec s 4)) M))) (+ s (vsum (matmul d N))))",
  "(dot v (matvec M v))",
  "(dot w (matvec M v))",
  "(let ((m (matvec M v))) (+ (dot v m) (dot m w)))",
  "(let ((m (matvec M v))) (dot m m))",
  "(vsum (+ w (matvec M v)))",
  "(let ((m (matvec M v))) (dot (+ w m) m))",
  "(vsum (+ (matvec M v) w))",
  "(let* ((S (+ M N)) (i (inv S))) (vsum (matmul M i)))",
  "(let* ((S (+ M N)) (i (inv S))) (+ (det S) (vsum (matmul M i)) (vsum N)))",
  "(let* ((S (+ M M)) (i (inv S))) (vsum (matmul M i)))",
  "(let* ((S (+ M N)) (i (inv S))) (vsum (matmul N i)))",
  "(let* ((S (+ M N)) (i (inv S))) (vsum (matmul S i)))",
  "(let* ((S (+ M (scale a (eye 2)))) (i (inv S)) (K (matmul M i))) (+ (vsum K) (vsum (matmul i K))))",
  "(let* ((x (+ w (matvec M v))) (P (matmul (- (eye 2) M) N))) (+ (dot x v) (det P)))",
  "(let* ((x (+ w (matvec M v))) (P (matmul (- (eye 2) M) M))) (+ (dot x x) (vsum P)))",
  "(let* ((m (matvec M v)) (x (+ w m)) (P (matmul (- (eye 2) M) N))) (+ (dot x m) (det P) (vsum w)))",
  "(+ (det M) (vsum (scale a (eye 2))) (dot v w))",
  "(vsum (+ (scale a (eye 2)) (+ (scale a (eye 2)) (scale b (eye 2)))))",
  "(let ((Q (scale a (eye 2)))) (vsum (matmul (matmul Q (scale a (eye 2))) (+ Q N))))",
  "(vsum (+ (matmul M N) (matmul M N)))",
  "(let ((x (matmul M N))) (+ (ref (matmul M N) 1 0) (ref x 0 1) (vsum (ref (matmul M N) 0))))",
  "(vsum (- (vec 1 2) v))",
  "(if (< a 0.5) (vsum (matmul (inv M) N)) (vsum (matmul N (inv M))))",
  `(loop ((k 0) (x v) (P M) (t 0.0))
     (if (= k 5) t
       (let* ((Q (scale a (eye 2))) (p (+ P Q)) (e (- [1 2] x)) (S (+ p (scale b (eye 2))))
              (i (inv S)) (K (matmul p i)))
         (recur (+ k 1) (+ x (matvec K e)) (matmul (- (eye 2) K) p)
           (+ t (log (+ 9.0 (det S))) (dot e (matvec i e)))))))`,
];

interface Numbers {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly c: Float64Array;
  readonly s: number;
}

function numbersFor(seed: number, isSpiced: boolean, lanes = LANES): Numbers {
  const random = new Random(seed, 1);
  const list = () =>
    Float64Array.from({ length: lanes }, () =>
      isSpiced && random.chance(0.1) ? random.pick(extremes) : random.between(-200, 200) / 100,
    );
  return { a: list(), b: list(), c: list(), s: 0.75 };
}

/** Values and gradients of the third run, which replays at a chunk's width. */
async function bitsOf(
  precision: Precision,
  source: string,
  mechanisms: Mechanisms,
  numbers: Numbers,
): Promise<{ bits: readonly unknown[]; fused: number }> {
  const machine = await Machine.create({ precision, mechanisms });
  const program = machine.load(`${matrices} (+ (* 0.5 s) ${source})`);
  const inputs = { ...numbers };
  program.gradient(inputs);
  program.gradient(inputs);
  const { values, gradients, stats } = program.gradient(inputs);
  const forward = machine.load(`${matrices} (+ (* 0.5 s) ${source})`);
  for (let i = 0; i < 2; i++) forward.evaluate(inputs);
  const alone = forward.evaluate(inputs).values;
  machine.dispose();
  return { bits: [values, gradients, alone], fused: stats.fusedCalls };
}

describe.each(["f32", "f64"] as const)("in %s", (precision) => {
  test.each(programs)("fused records have the bits of single ones: %s", async (source) => {
    for (const [lanes, isSpiced] of [
      [LANES, false],
      [LANES, true],
      [1, false],
      [7, true],
    ] as const) {
      const numbers = numbersFor(programs.indexOf(source), isSpiced, lanes);
      const { bits } = await bitsOf(precision, source, {}, numbers);
      const others: Mechanisms[] = [
        { fusing: false },
        { replay: false },
        { smallShapes: false },
        { adjointReuse: false },
      ];
      for (const off of others) {
        expect((await bitsOf(precision, source, off, numbers)).bits).toEqual(bits);
      }
    }
  });
});

test("they are at work at any number of lanes, unless they are turned off", async () => {
  const source = "(vsum (matmul (inv M) N))";
  for (const lanes of [1, 5, LANES, 300]) {
    const numbers = numbersFor(1, false, lanes);
    expect((await bitsOf("f32", source, {}, numbers)).fused).toBeGreaterThan(0);
    expect((await bitsOf("f32", source, { fusing: false }, numbers)).fused).toBe(0);
  }
});

test("what a trace repeats is computed anew when its inputs change", async () => {
  const machine = await Machine.create();
  const program = machine.load("(vsum (matmul (scale q (eye 2)) (scale q (eye 2))))");
  for (const q of [1, 2, 3, 4]) {
    const { values, gradients } = program.gradient({ q });
    expect([values[0], gradients["q"]?.[0]]).toEqual([2 * q * q, 4 * q]);
  }
  machine.dispose();
});

/** Expressions over 2 × 2 matrices and vectors, many operands used more than once. */
function compose(random: Random): string {
  const tiles = ["M", "N"];
  const vectors = ["v", "w"];
  const lines: string[] = [];
  const tile = () => random.pick(tiles.slice(-4));
  const vector = () => random.pick(vectors.slice(-3));
  const makers: readonly (() => void)[] = [
    () => push(tiles, `(+ ${tile()} ${tile()})`),
    () => push(tiles, `(inv ${tile()})`),
    () => push(tiles, `(matmul ${tile()} ${tile()})`),
    () => push(tiles, `(- (eye 2) ${tile()})`),
    () => push(tiles, `(scale ${random.pick(["a", "b"])} (eye 2))`),
    () => push(vectors, `(matvec ${tile()} ${vector()})`),
    () => push(vectors, `(+ ${vector()} ${vector()})`),
    () => push(vectors, `(- [1 2] ${vector()})`),
    () => push(["0"], `(dot ${vector()} ${vector()})`),
    () => push(["0"], `(det ${tile()})`),
  ];
  const scalars: string[] = [];
  function push(list: string[], text: string): void {
    const name = `n${lines.length}`;
    lines.push(`(${name} ${text})`);
    (list[0] === "0" ? scalars : list).push(name);
  }
  for (let i = 0; i < 14; i++) random.pick(makers)();
  const sum = [...scalars, `(vsum ${tile()})`, `(vsum ${vector()})`].join(" ");
  return `(let* (${lines.join(" ")}) (+ ${sum}))`;
}

test.each(["f32", "f64"] as const)(
  "random records in %s have the bits of a walk",
  async (precision) => {
    const random = new Random(20, 7);
    let fused = 0;
    for (let i = 0; i < 60; i++) {
      const source = compose(random);
      const numbers = numbersFor(i, i % 3 === 0, i % 2 === 0 ? LANES : random.between(1, 9));
      const on = await bitsOf(precision, source, {}, numbers);
      const walked = await bitsOf(precision, source, { replay: false }, numbers);
      expect(on.bits, source).toEqual(walked.bits);
      fused += on.fused;
    }
    expect(fused).toBeGreaterThan(100);
  },
);
