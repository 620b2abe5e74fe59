/**
 * Which records the kernels of 2 × 2 matrices take: all that are theirs, and none of another shape, of
 * operands that lanes share, or with an adjoint that they do not pass on. Both ways have the same bits,
 * so what they do not take by mistake shows in their counter alone.
 */
import { afterAll, describe, expect, test } from "vitest";
import { Machine, type Precision, type Program } from "../../src/index.js";
import { primitives } from "../../src/primitives/registry.js";

/** How an operand's numbers come about: one for each lane, one for all lanes, or written down. */
const kinds = ["lanes", "shared", "written"] as const;
type Kind = (typeof kinds)[number];

const sizes = [1, 2, 3];
const laneCounts = [1, 5, 128, 131];

let made = 0;
function entry(kind: Kind): string {
  const factor = ((made++ * 7) % 11) / 4 - 1.1;
  if (kind === "written") return String(factor);
  return kind === "lanes" ? `(+ ${factor} (* a b))` : `(- (* ${factor} s) t)`;
}
const numbersOf = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
const vector = (kind: Kind, count: number) =>
  `(vec ${numbersOf(count, () => entry(kind)).join(" ")})`;
const matrix = (kind: Kind, rows: number, cols: number) =>
  `(mat ${numbersOf(rows, () => vector(kind, cols)).join(" ")})`;

/** An expression of the operands X and Y whose result is used more than once. */
function programOf(x: string, y: string, body: string): string {
  return `(let* ((X ${x}) (Y ${y}) (Z ${body})) (+ (* s t) (vsum (* a Z)) (vsum (+ Z Z))))`;
}

const everyPair = kinds.flatMap((x) => kinds.map((y) => [x, y] as const));
const shapes = sizes.flatMap((rows) => sizes.map((cols) => [rows, cols] as const));

/** Every small shape and every kind of operands, in orders that kernels for several know. */
function programsOf(x: Kind, y: Kind): readonly string[] {
  return [
    ...shapes.flatMap(([rows, inner]) => {
      const [X, Y] = [matrix(x, rows, inner), matrix(y, rows, inner)];
      return [
        ...sizes.map((cols) => programOf(X, matrix(y, inner, cols), "(matmul X Y)")),
        programOf(X, vector(y, inner), "(+ 1.0 (matvec X Y))"),
        programOf(X, Y, "(+ (- X Y) (* a Y))"),
        programOf(X, Y, "(+ (scale s X) (scale b Y))"),
        programOf(X, Y, "(+ (- X b) (- s Y))"),
        programOf(X, Y, "(+ (- b X) (* Y a))"),
      ];
    }),
    ...sizes.flatMap((n) => {
      const [X, Y] = [matrix(x, n, n), matrix(y, n, n)];
      const [v, w] = [vector(x, n), vector(y, n)];
      return [
        programOf(v, w, "(+ (vec (dot X Y)) (dot X X))"),
        programOf(v, w, `(+ X (+ Y (- ${vector("shared", n)} X)))`),
        programOf(X, w, "(vec (dot Y (matvec X Y)) (det X))"),
        programOf(X, Y, "(matmul Y (inv X))"),
        programOf(X, Y, `(matmul (- (eye ${n}) X) (+ X Y))`),
        programOf(X, Y, "(matmul X (inv (+ X Y)))"),
      ];
    }),
  ];
}

const inputsFor = (lanes: number) => ({
  a: Float64Array.from({ length: lanes }, (_, i) => Math.sin(i + 1)),
  b: Float64Array.from({ length: lanes }, (_, i) => Math.cos(3 * i) - 0.3),
  s: 0.75,
  t: -1.5,
});

const inputs = Object.keys(inputsFor(1));

const machines: Machine[] = [];
afterAll(() => {
  for (const machine of machines) machine.dispose();
});
async function machineWith(precision: Precision, fusing: boolean): Promise<Machine> {
  const machine = await Machine.create({ precision, mechanisms: { fusing } });
  machines.push(machine);
  return machine;
}

/** The bits of a run that replays, with all inputs wanted and with one that all lanes share. */
function bitsOf(program: Program, lanes: number): readonly unknown[] {
  const given = inputsFor(lanes);
  return [inputs, ["s"]].map((wrt) => {
    program.gradient(given, { wrt });
    program.gradient(given, { wrt });
    const { values, gradients } = program.gradient(given, { wrt });
    return [values, gradients];
  });
}

describe.each(["f32", "f64"] as const)("in %s", (precision) => {
  test.each(everyPair)("operands of %s and %s have the bits of single records", async (x, y) => {
    const on = await machineWith(precision, true);
    const off = await machineWith(precision, false);
    for (const source of programsOf(x, y)) {
      const [fused, single] = [on.load(source, { inputs }), off.load(source, { inputs })];
      for (const lanes of laneCounts)
        expect(bitsOf(fused, lanes), source).toEqual(bitsOf(single, lanes));
      fused.dispose();
      single.dispose();
    }
  });
});

/** Records of one or several that a kernel takes, and what it runs of them: forward and back. */
const counted: readonly (readonly [source: string, calls: number])[] = [
  ["(vsum (matmul M N))", 2],
  ["(+ (det M) (det N))", 4],
  ["(vsum (matvec M v))", 2],
  ["(dot v w)", 2],
  ["(vsum (inv M))", 2],
  ["(vsum (scale a (eye 2)))", 2],
  ["(vsum (- (eye 2) M))", 2],
  ["(vsum (- [1 2] v))", 2],
  ["(vsum (matmul N (inv M)))", 3],
  ["(vsum (matmul (- (eye 2) M) N))", 3],
  ["(vsum (+ w (matvec M v)))", 2],
  ["(dot v (matvec M v))", 3],
  ["(vsum (matmul M (inv (+ M N))))", 4],
  ["(let* ((x (+ w (matvec M v))) (P (matmul (- (eye 2) M) N))) (+ (dot x v) (det P)))", 8],
  ["(let* ((P (matmul N (inv M)))) (+ (det P) (dot v w)))", 7],
  ["(let* ((P (matmul M N)) (Q (matmul M N))) (vsum (matmul P Q)))", 6],
  ["(let* ((P (inv M)) (Q (inv M))) (vsum (matmul N Q)))", 5],
  ["(let* ((s (+ M N)) (P (inv s)) (Q (matmul N P))) (+ (det s) (vsum Q)))", 5],
  ["(vsum (matmul (eye 2) M))", 0],
  ["(vsum (matmul (mat (vec a b c) (vec c b a)) (mat (vec a b) (vec c 1) (vec b a))))", 0],
  ["(dot (vec a b c) (vec c b a))", 0],
];

const defined = `
  (define M (mat (vec a b) (vec (* a b) c)))
  (define N (mat (vec c 1.0) (vec a (- b c))))
  (define v (vec a c))
  (define w (vec b (* c c)))`;

test.each(counted)("%s runs %d kernels of 2 × 2 matrices", async (source, calls) => {
  const machine = await machineWith("f64", true);
  for (const lanes of [1, 6, 128]) {
    const program = machine.load(`${defined} ${source}`, { inputs: ["a", "b", "c"] });
    const numbers = (seed: number) =>
      Float64Array.from({ length: lanes }, (_, i) => Math.sin(i + seed) + 2 * seed);
    const given = { a: numbers(1), b: numbers(2), c: numbers(3) };
    for (let i = 0; i < 3; i++) program.gradient(given);
    const { walks, replays, fusedCalls } = program.gradient(given).stats;
    expect([walks, replays, fusedCalls]).toEqual([0, 1, calls]);
    program.dispose();
  }
});

/** More operations than the table of those that a trace may repeat has places. */
const crowded = `${defined}
  (loop ((k 0) (P M) (x v) (t 0.0))
    (if (= k 150) t
      (recur (+ k 1) (+ P (* 0.01 N)) (+ x (* 0.01 w))
        (+ t (vsum (matmul M P)) (vsum (matmul P M)) (vsum (matmul N P)) (vsum (matmul P N))
           (vsum (matvec P x)) (vsum (matvec M x)) (vsum (matvec P v)) (vsum (ref P 0))
           (vsum (ref P 1)) (vsum (transpose P)) (vsum (ref (transpose P) 0))))))`;

test("operations of the same place among those that repeat are not taken for each other", async () => {
  const machine = await machineWith("f64", true);
  const program = machine.load(crowded, { inputs: ["a", "b", "c"] });
  const given = { a: [0.5, 0.25, 1], b: [0.75, -0.5, 1.5], c: [1.25, 0.5, -1] };
  const walked = program.gradient(given, { replay: false });
  for (let i = 0; i < 2; i++) program.gradient(given);
  const { values, gradients, stats } = program.gradient(given);
  expect(stats.walks).toBe(0);
  expect([values, gradients]).toEqual([walked.values, walked.gradients]);
});

test("different operations on one operand are not taken for repeats of each other", async () => {
  const machine = await machineWith("f64", true);
  const given = { a: [0.5, 0.25, 1], b: [0.75, -0.5, 1.5], c: [1.25, 0.5, -1] };
  for (const { scheme: name, kind } of primitives) {
    if (kind !== "unary" || name === undefined) continue;
    const used = `(vsum (${name} M)) (vsum (inv M)) (vsum (${name} S)) (vsum (cholesky S))`;
    const program = machine.load(
      `${defined} (define S (+ (eye 2) (matmul M (transpose M)))) (+ ${used})`,
      { inputs: ["a", "b", "c"] },
    );
    const walked = program.gradient(given, { replay: false });
    for (let i = 0; i < 2; i++) program.gradient(given);
    const { values, gradients } = program.gradient(given);
    expect([values, gradients], name).toEqual([walked.values, walked.gradients]);
    program.dispose();
  }
});

test("parts of what a trace repeats are computed anew when its inputs change", async () => {
  const sources = [
    "(let ((A (matmul M N)) (B (matmul M N))) (+ (vsum A) (vsum (ref B 0)) (ref B 1 1)))",
    "(let ((A (scale a (eye 3))) (B (scale a (eye 3)))) (+ (vsum (ref B 1)) (vsum (ref A 0)) b c))",
    "(let ((A (* v w)) (B (* v w))) (+ (ref A 0) (ref B 1) (vsum B)))",
  ];
  const machine = await machineWith("f64", true);
  for (const source of sources) {
    const program = machine.load(`${defined} ${source}`, { inputs: ["a", "b", "c"] });
    for (let turn = 1; turn <= 5; turn++) {
      const given = { a: [turn, 2], b: [turn / 2, -turn], c: [1.25, turn - 3] };
      for (const wrt of [["a"], ["b"], ["c"], ["a", "b", "c"]]) {
        const walked = program.gradient(given, { wrt, replay: false });
        const { values, gradients } = program.gradient(given, { wrt });
        expect([values, gradients], source).toEqual([walked.values, walked.gradients]);
        expect(program.evaluate(given).values, source).toEqual(walked.values);
      }
    }
    program.dispose();
  }
});

/** What each kernel for several records computes, alone. */
const several = [
  "(vsum (matmul N (inv M)))",
  "(vsum (matmul (- (eye 2) M) N))",
  "(vsum (+ w (matvec M v)))",
  "(dot v (matvec M v))",
  "(vsum (matmul M (inv (+ M N))))",
  "(let* ((x (+ w (matvec M v))) (P (matmul (- (eye 2) M) N))) (+ (dot x v) (det P)))",
];
const operands = ["M", "N", "v", "w"];
const subsets = Array.from({ length: 16 }, (_, bits) =>
  operands.filter((_name, i) => ((bits >> i) & 1) === 1),
);

test.each(["f32", "f64"] as const)(
  "adjoints that hold a sum already, and those that do not, in %s",
  async (precision) => {
    const on = await machineWith(precision, true);
    const off = await machineWith(precision, false);
    for (const source of several)
      for (const later of subsets) {
        // What comes later in the program has added to adjoints before the kernel does.
        const sums = later.map((name, i) => `(* ${i + 1}.5 (vsum ${name}))`).join(" ");
        const text = `${defined} (let ((first ${source})) (+ first ${sums} 0.0))`;
        for (const lanes of [5, 128]) {
          const { a, b } = inputsFor(lanes);
          const [fused, single] = [on, off].map((machine) => {
            const program = machine.load(text, { inputs: ["a", "b", "c"] });
            for (let i = 0; i < 2; i++) program.gradient({ a, b, c: 1.25 });
            const { values, gradients } = program.gradient({ a, b, c: 1.25 });
            program.dispose();
            return [values, gradients];
          });
          expect(fused, text).toEqual(single);
        }
      }
  },
);
