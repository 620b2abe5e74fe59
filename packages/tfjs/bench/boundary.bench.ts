/**
 * What the way through TensorFlow.js costs: value and gradient of a program as an operation, beside core
 * alone in the same run, at 1, 256 and 10⁵ lanes, f32, CPU backend.
 */

import { createRequire } from "node:module";
import { Machine, type Program, type TensorInput } from "@ndvm/core";
import type { Scalar, Tensor } from "@tensorflow/tfjs";
import { Checksum } from "../../core/bench/support/checksum.js";
import { printEnvironment } from "../../core/bench/support/environment.js";
import { kalman, type Model, oscillator } from "../../core/bench/support/programs.js";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, ratio, section, short, table } from "../../core/bench/support/table.js";
import { measure, type Spread } from "../../core/bench/support/timing.js";
import { operation } from "../src/index.js";

const tf = createRequire(import.meta.url)("@tensorflow/tfjs") as typeof import("@tensorflow/tfjs");
tf.enableProdMode();
await tf.setBackend("cpu");

const LANES = amount([1, 256, 100_000], [1, 256]);
/** The paper's boundary to PyTorch: milliseconds of a call at one lane, and a lane at 256. */
const PAPER = { call: 0.63, lane: 0.029 } as const;

printEnvironment();
const machine = await Machine.create({ precision: "f32" });
section("Through TensorFlow.js, value and gradient, f32");
const rows: string[][] = [];
for (const model of [oscillator, kalman]) for (const lanes of LANES) rows.push(row(model, lanes));
table(["program", "lanes", "core µs", "operation µs", "per lane", "over core", "checksum"], rows);
note(
  `paper, its boundary to PyTorch: ${PAPER.call * 1000} µs at one lane, ${PAPER.lane * 1000} µs a lane at 256`,
);
machine.dispose();

function row(model: Model, lanes: number): string[] {
  const program = machine.load(model.source);
  const names = Object.keys(model.parameters);
  const columns = names.map((name) =>
    Float32Array.from({ length: lanes }, (_, lane) => at(model, name, lane, lanes)),
  );
  const core = coreCall(program, model, names, columns);
  const ours = operationCall(program, model, names, columns);
  const sums = [core, ours].map((call) => new Checksum().add(call(0)).toString());
  if (sums[0] !== sums[1]) throw new Error(`${model.name}: the operation has other bits than core`);
  const [alone, through] = measure([
    { name: "core", call: core },
    { name: "operation", call: ours },
  ]) as [Spread, Spread];
  program.dispose();
  return [
    model.name,
    count(lanes),
    short(alone.minimum),
    short(through.minimum),
    short(through.minimum / lanes),
    ratio(through.minimum, alone.minimum),
    sums[0] ?? "",
  ];
}

function at({ parameters }: Model, name: string, lane: number, lanes: number): number {
  return (parameters[name] as number) * (1 + (0.1 * lane) / lanes);
}

type Call = (turn: number) => Float64Array;

function coreCall(
  program: Program,
  model: Model,
  wrt: readonly string[],
  columns: readonly Float32Array[],
): Call {
  const inputs = {
    ...model.fixed,
    ...Object.fromEntries(wrt.map((name, i) => [name, columns[i]])),
  };
  return () => {
    const { gradients } = program.gradient(inputs as never, { wrt });
    return Float64Array.from(gradients[wrt[0] as string] as Float64Array);
  };
}

function operationCall(
  program: Program,
  model: Model,
  wrt: readonly string[],
  columns: readonly Float32Array[],
): Call {
  const matrices = Object.entries(model.fixed ?? {}).map(([name, input]) => {
    const { data, rows, cols } = input as TensorInput;
    return [name, tf.tensor2d(Float32Array.from(data), [rows, cols])] as const;
  });
  const kinds = Object.fromEntries(matrices.map(([name]) => [name, "matrix" as const]));
  const op = operation(program, { wrt, inputs: kinds });
  const given = columns.map((column) => tf.tensor1d(column));
  const loss = (...values: Tensor[]) => {
    const named = wrt.map((name, i) => [name, values[i]] as const);
    return op(Object.fromEntries([...named, ...matrices]) as never).sum() as Scalar;
  };
  const gradients = tf.grads(loss);
  return () => {
    const found = tf.tidy(() => gradients(given)[0] as Tensor);
    const numbers = Float64Array.from(found.dataSync());
    found.dispose();
    return numbers;
  };
}
