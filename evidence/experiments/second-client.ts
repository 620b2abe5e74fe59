/**
 * The second client: four workloads as stack code, with every value fused into a [tag, payload]
 * pair on the tape, and split, on the same machine.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Machine } from "@ndvm/core";
import { fuse, TAG } from "../../packages/core/bench/support/fused.js";
import type { Subject } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
import { repositoryRoot } from "../harness/tools.js";

interface Workload {
  readonly name: string;
  readonly source: string;
  readonly parameters: Readonly<Record<string, number>>;
}

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

const WORKLOADS: readonly Workload[] = [
  {
    name: "W1 scalar expression",
    source: read("w1-expression.ndasm"),
    parameters: { a: 2, k: 0.5, b: 1.1, t: 0.7 },
  },
  {
    name: "W2 counted loop",
    source: read("w2-loop.ndasm"),
    parameters: { k: 0.8, c: 2, x0: 0.3 },
  },
  { name: "W3 branch", source: read("w3-branch.ndasm"), parameters: { a: 3, b: 5, x: 3 } },
  { name: "W4 matrix-vector", source: rows, parameters: { a: 2, b: 3, t: 0.7 } },
];

const LANES = 256;

interface Run {
  readonly call: (turn: number) => void;
  readonly outcome: () => number[];
}

function runOf(
  machine: Machine,
  source: string,
  { parameters }: Workload,
  lanes: number,
  replay: boolean,
): Run {
  const isFused = source.includes(TAG);
  const given = isFused ? { ...parameters, [TAG]: 1 } : parameters;
  const program = machine.load(source, { language: "bytecode" });
  const names = Object.keys(given).filter((name) => program.inputs.includes(name));
  const numbers = (turn: number, name: string) =>
    (given[name] as number) * (name === TAG ? 1 : 1 + 1e-4 * (turn % 8));
  const inputs = Object.fromEntries(
    names.map((name) => [
      name,
      lanes === 1 ? numbers(0, name) : new Float32Array(lanes).fill(numbers(0, name)),
    ]),
  );
  const session = program.session(inputs, {
    wrt: names,
    lanes,
    ...(replay ? {} : { replay: false }),
  });
  const call = (turn: number): void => {
    for (const name of names) (session.inputs[name] as Float32Array).fill(numbers(turn, name));
    session.run();
  };
  const outcome = () => {
    call(0);
    return [
      session.values[0] as number,
      ...Object.keys(parameters).map((name) => session.gradients[name]?.[0] ?? 0),
    ];
  };
  return { call, outcome };
}

/** Gradients against central differences of the machine's own values, in f64. */
async function slopeError({ source, parameters }: Workload): Promise<number> {
  const machine = await Machine.create({ precision: "f64" });
  const program = machine.load(source, { language: "bytecode" });
  const names = Object.keys(parameters).filter((name) => program.inputs.includes(name));
  const { gradients } = program.gradient(parameters, { wrt: names });
  let worst = 0;
  for (const name of names) {
    const h = 1e-6;
    const value = (by: number) =>
      program.evaluate({ ...parameters, [name]: (parameters[name] as number) + by })
        .values[0] as number;
    const slope = (value(h) - value(-h)) / (2 * h);
    worst = Math.max(worst, Math.abs((gradients[name]?.[0] as number) - slope));
  }
  machine.dispose();
  return worst;
}

async function measure(context: Context, machine: Machine, workload: Workload): Promise<void> {
  const { recorder } = context;
  const fused = fuse(workload.source);
  const runs = {
    "fused walked": runOf(machine, fused, workload, 1, false),
    "split walked": runOf(machine, workload.source, workload, 1, false),
    fused: runOf(machine, fused, workload, 1, true),
    split: runOf(machine, workload.source, workload, 1, true),
    wide: runOf(machine, workload.source, workload, LANES, true),
  };
  const [first, ...others] = Object.values(runs).map(({ outcome }) => outcome());
  const isSame = others.every((each) => each.every((x, i) => Object.is(x, first?.[i])));
  recorder.count(`${workload.name}/same bits`, isSame ? 1 : 0);
  const worst = await slopeError(workload);
  recorder.count(`${workload.name}/slope error`, worst, "absolute", "at most 1e-5");
  if (!isSame || worst > 1e-5) throw new Error(`${workload.name} fails its gate`);
  const subjects = Object.entries(runs).map(
    ([name, { call }]): Subject => ({ key: `${workload.name}/${name}`, call }),
  );
  context.time(subjects, WORKLOADS.length);
}

/** Lines of code, without comments and blank lines. */
function linesOf(files: readonly string[]): number {
  return files
    .flatMap((file) => readFileSync(join(repositoryRoot, file), "utf8").split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(\/\/|\/\*|\*)/.test(line)).length;
}

export const secondClient: Definition = {
  name: "second-client",
  weight: 1.5,
  async run(context) {
    const machine = await Machine.create({ precision: "f32" });
    for (const workload of WORKLOADS) await measure(context, machine, workload);
    machine.dispose();
    const files = [
      "codes",
      "instructions",
      "program",
      "assemble",
      "encode",
      "verify",
      "disassemble",
    ];
    const own = files.map((name) => `packages/core/src/bytecode/${name}.ts`);
    const evaluator = "packages/core/wasm/clients/stack/walk.ts";
    const exist = [...own, evaluator].filter((file) => isThere(file));
    context.recorder.count("lines", linesOf(exist), "lines", exist.join(", "));
  },
};

function isThere(file: string): boolean {
  try {
    readFileSync(join(repositoryRoot, file));
    return true;
  } catch {
    return false;
  }
}
