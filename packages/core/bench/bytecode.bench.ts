/**
 * The second client: the paper's table of the stack machine. Four workloads with fused and with split
 * values at one lane, split values per lane at 256, and what the split is worth; then the workloads
 * that the paper's machine could not run, beside the same mathematics in Scheme.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Machine } from "../src/index.js";
import { printEnvironment, repositoryRoot } from "./support/environment.js";
import { fuse, TAG } from "./support/fused.js";
import { kalman, type Model, subjectOf } from "./support/programs.js";
import { note, ratio, section, short, table } from "./support/table.js";
import { measure, type Spread } from "./support/timing.js";

const LANES = 256;

const read = (file: string): string =>
  readFileSync(join(repositoryRoot, "examples/bytecode", file), "utf8");

/** As w4-matrix.ndasm, by the instructions that the paper's machine has: DOT, row by row. */
const rows = `
        LOAD a
        LOAD b
        LOAD t
        MUL
        PUSH 1.0
        VEC 3
        STORE v
        PUSH 1.0
        PUSH 2.0
        PUSH 0.5
        VEC 3
        LOAD v
        DOT
        PUSH 0.25
        PUSH -1.0
        PUSH 3.0
        VEC 3
        LOAD v
        DOT
        ADD
`;

const paper: readonly Model[] = [
  {
    name: "W1 scalar expression",
    source: read("w1-expression.ndasm"),
    language: "bytecode",
    parameters: { a: 2, k: 0.5, b: 1.1, t: 0.7 },
  },
  {
    name: "W2 counted loop",
    source: read("w2-loop.ndasm"),
    language: "bytecode",
    parameters: { k: 0.8, c: 2, x0: 0.3 },
  },
  {
    name: "W3 branch",
    source: read("w3-branch.ndasm"),
    language: "bytecode",
    parameters: { a: 3, b: 5, x: 3 },
  },
  {
    name: "W4 matrix-vector",
    source: rows,
    language: "bytecode",
    parameters: { a: 2, b: 3, t: 0.7 },
  },
];

const fusedOf = (model: Model): Model => ({
  ...model,
  source: fuse(model.source),
  parameters: { ...model.parameters, [TAG]: 1 },
});

const both: readonly (readonly [string, Model, Model])[] = [
  [
    "W5 Kalman, 80 steps",
    { ...kalman, source: read("w5-kalman.ndasm"), language: "bytecode" },
    kalman,
  ],
  [
    "W6 fold with a closure",
    {
      name: "W6",
      source: read("w6-fold.ndasm"),
      language: "bytecode",
      parameters: { a: 2, b: 3, c: 4, x: 0.7 },
    },
    {
      name: "W6",
      source: "(fold-left (lambda (sum c) (+ (* sum x) c)) 0.0 (list a b c))",
      parameters: { a: 2, b: 3, c: 4, x: 0.7 },
    },
  ],
  [
    "W7 divergent lanes",
    {
      name: "W7",
      source: read("w7-divergence.ndasm"),
      language: "bytecode",
      parameters: { a: 9, b: 3 },
      spread: 1.8,
    },
    {
      name: "W7",
      source: `
        (define (root guess)
          (if (<= (abs (- (* guess guess) a)) (* 1e-5 a))
              guess
              (root (* 0.5 (+ guess (/ a guess))))))
        (let ((s (root a)))
          (if (<= s 3.0) (* b s) (* b (+ 3.0 (* (* s (- s 3.0)) 0.1)))))`,
      parameters: { a: 9, b: 3 },
      spread: 1.8,
    },
  ],
];

printEnvironment();
const machine = await Machine.create({ precision: "f32" });
section("Stack machine: fused and split values, forward+gradient, f32");
table(
  [
    "workload",
    "fused walk µs",
    "split walk µs",
    "split is",
    "fused replay µs",
    "split replay µs",
    "split is",
    `per lane at ${LANES}`,
    "one lane / lane",
    "checksum",
  ],
  paper.map(paperRow),
);
note("");
note("fused: every stack value a [tag, payload] pair on the tape; the same evaluator and kernels");

section("Stack machine beside Scheme, forward+gradient, f32");
table(
  ["workload", "stack walk µs", "Scheme walk µs", "stack is", `stack per lane at ${LANES}`, "bits"],
  both.map(clientRow),
);
machine.dispose();

function paperRow(model: Model): string[] {
  const fusedModel = fusedOf(model);
  const walkFused = subjectOf(machine, fusedModel, 1, { replay: false });
  const walkSplit = subjectOf(machine, model, 1, { replay: false });
  const replayFused = subjectOf(machine, fusedModel, 1);
  const replaySplit = subjectOf(machine, model, 1);
  const wide = subjectOf(machine, model, LANES);
  const wanted = Object.keys(model.parameters);
  const checksum = replaySplit.checksum(wanted);
  if (replayFused.checksum(wanted) !== checksum)
    throw new Error(`${model.name}: fused and split differ`);
  const subjects = [walkFused, walkSplit, replayFused, replaySplit, wide];
  const spreads = measure(subjects) as [Spread, Spread, Spread, Spread, Spread];
  const [a, b, c, d, all] = spreads.map(({ minimum }) => minimum) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return [
    model.name,
    short(a),
    short(b),
    ratio(a, b),
    short(c),
    short(d),
    ratio(c, d),
    short(all / LANES),
    ratio(d, all / LANES),
    checksum,
  ];
}

function clientRow([name, stack, scheme]: readonly [string, Model, Model]): string[] {
  const one = subjectOf(machine, stack, 1, { replay: false });
  const other = subjectOf(machine, scheme, 1, { replay: false });
  const wide = subjectOf(machine, stack, LANES);
  const wideScheme = subjectOf(machine, scheme, LANES);
  const isSame = wide.checksum() === wideScheme.checksum();
  const [a, b, c] = measure([one, other, wide]) as [Spread, Spread, Spread];
  return [
    name,
    short(a.minimum),
    short(b.minimum),
    ratio(a.minimum, b.minimum),
    short(c.minimum / LANES),
    isSame ? wide.checksum() : "differ",
  ];
}
