/**
 * What lanes cost: forward time over the batch on the eager backends and on the machine, cost of a
 * lane of the Kalman program, the same beside staged and hand-written code, and through
 * TensorFlow.js.
 */

import { createRequire } from "node:module";
import { operation } from "@ndvm/tfjs";
import type { Scalar, Tensor } from "@tensorflow/tfjs";
import {
  distance,
  handWide,
  isWithin,
  machineRun,
  machines,
  type Outcome,
  SINGLE,
  stagedLanes,
  stagedWasm,
} from "../baselines/backends.js";
import {
  EAGER,
  eagerBatch,
  eagerName,
  jaxLanes,
  jaxPlatforms,
  whyNot,
} from "../baselines/external.js";
import { NO_REFERENCE, runReference } from "../baselines/native/reference.js";
import type { Subject } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
import { type Case, five, kalman, namesOf, tablesOf, VARIANTS } from "../programs.js";

const tf = createRequire(import.meta.url)("@tensorflow/tfjs") as typeof import("@tensorflow/tfjs");

export const BATCHES = [1, 8, 64, 256, 1024] as const;

const BATCH_HOW = "forward, 1 call a sample, one thread, processor time";

export const batch: Definition = {
  name: "batch",
  weight: 3,
  run(context) {
    const { recorder } = context;
    const four = five.slice(0, 4);
    const pace = {
      seconds: context.milliseconds / 1000 / 100,
      least: context.amount(12, 2),
      most: context.amount(60, 4),
    };
    for (const encoding of EAGER) {
      const reason = whyNot(encoding);
      const found = reason === undefined ? eagerBatch(four, encoding, BATCHES, pace) : {};
      for (const one of four)
        for (const lanes of BATCHES) {
          const key = `${one.name}/${eagerName(encoding)}/${lanes}`;
          const samples = found[`${one.name}/${lanes}`];
          if (samples === undefined) recorder.missing(key, reason ?? "was not run");
          else recorder.samples(key, "µs", samples, BATCH_HOW);
        }
    }
    for (const one of four) {
      const subjects = BATCHES.flatMap((lanes): Subject[] => [
        {
          key: `${one.name}/ndvm walked/${lanes}`,
          call: machineRun(one, lanes, { isForward: true, replay: false }).call,
        },
        {
          key: `${one.name}/ndvm/${lanes}`,
          call: machineRun(one, lanes, { isForward: true, replay: true }).call,
        },
      ]);
      context.time(subjects, 8);
    }
  },
};

/** The outcome in one lane of columns: values, then gradients. */
const outcomeAt = (columns: readonly ArrayLike<number>[], lane: number): Outcome => {
  const [value, ...gradients] = columns.map((column) => column[lane] as number);
  return { value: value as number, gradients };
};

interface Wide {
  readonly name: string;
  readonly call: (turn: number) => void;
  readonly columns: () => readonly ArrayLike<number>[];
}

function machineWide(one: Case, lanes: number, replay: boolean): Wide {
  const { session, call } = machineRun(one, lanes, { isForward: false, replay });
  return {
    name: replay ? "ndvm" : "ndvm walked",
    call,
    columns: () => [
      session.values,
      ...namesOf(one).map((name) => session.gradients[name] as Float32Array),
    ],
  };
}

function stagedWide(one: Case, lanes: number): Wide[] {
  const run = stagedLanes(one, false);
  const tables = tablesOf(one, lanes);
  const out = [0, ...namesOf(one)].map(() => new Float64Array(lanes));
  const scripts: Wide = {
    name: "staged JavaScript",
    call: (turn) =>
      run(
        lanes,
        tables.map((table) => table[turn % VARIANTS] as Float32Array),
        out,
      ),
    columns: () => out,
  };
  const wasm = [false, true].map((isSimd): Wide => {
    const { program, call } = stagedWasm(one, lanes, false, isSimd);
    return {
      name: isSimd ? "staged f32x4" : "staged WebAssembly",
      call,
      columns: () => program.outputs,
    };
  });
  // Four lanes at a time make no sense for one.
  return lanes < 4 ? [scripts, ...wasm.slice(0, 1)] : [scripts, ...wasm];
}

/** Through TensorFlow.js: the deployed way of the paper is through PyTorch. */
function throughTensors(one: Case, lanes: number): Wide {
  const program = machines.single.load(one.source);
  const wrt = namesOf(one);
  const matrices = Object.entries(one.matrices).map(
    ([name, { data, rows, cols }]) => [name, tf.tensor2d([...data], [rows, cols])] as const,
  );
  const kinds = Object.fromEntries(matrices.map(([name]) => [name, "matrix" as const]));
  const op = operation(program, { wrt: [...wrt], inputs: kinds });
  const tables = tablesOf(one, lanes).map((table) => table.map((column) => tf.tensor1d(column)));
  const loss = (...values: Tensor[]) => {
    const named = wrt.map((name, i) => [name, values[i]] as const);
    return op(Object.fromEntries([...named, ...matrices]) as never).sum() as Scalar;
  };
  const gradients = tf.grads(loss);
  let latest: Float32Array[] = [];
  return {
    name: "ndvm through TensorFlow.js",
    call: (turn) => {
      latest = tf.tidy(() =>
        gradients(tables.map((table) => table[turn % VARIANTS] as Tensor)).map(
          (each) => each.dataSync() as Float32Array,
        ),
      );
    },
    columns: () => latest,
  };
}

function check(wide: Wide, truth: readonly ArrayLike<number>[], lanes: number): void {
  wide.call(0);
  const columns = wide.columns();
  // A way that gives gradients only is held against gradients only.
  const wanted = columns.length === truth.length ? truth : truth.slice(1);
  for (const lane of new Set([0, lanes - 1])) {
    const found = distance(outcomeAt(columns, lane), outcomeAt(wanted, lane));
    const allowed = columns.length === truth.length ? SINGLE : { value: 2e-3, gradient: 2e-3 };
    if (!isWithin(found, allowed)) throw new Error(`${wide.name} at ${lanes} lanes fails the gate`);
  }
}

export const lanes: Definition = {
  name: "lanes",
  weight: 4,
  run(context) {
    const sizes = context.amount([1, 8, 64, 256, 1024, 16384], [1, 64, 256]);
    vectorised(context, sizes);
    for (const size of sizes) {
      const truth = machineWide(kalman, size, false);
      truth.call(0);
      const ways = [
        machineWide(kalman, size, true),
        machineWide(kalman, size, false),
        ...(size <= 1024 ? stagedWide(kalman, size) : []),
        ...(size >= 4 && size <= 1024 ? [byHand(kalman, size)] : []),
        ...(size <= 1024 ? [throughTensors(kalman, size)] : []),
      ];
      for (const way of ways) check(way, truth.columns(), size);
      const subjects = ways.map(({ name, call }) => ({ key: `kalman/${name}/${size}`, call }));
      context.time(subjects, sizes.length, size);
      authors(context, size);
      unmeasured(context, size);
    }
  },
};

const WIDEST = "a sweep of the others ends at 1024 lanes";
const RIVALS = [
  "staged JavaScript",
  "staged WebAssembly",
  "staged f32x4",
  "by hand in f32x4",
  "ndvm through TensorFlow.js",
  "JAX, vmap",
  "JAX on a GPU, vmap",
  "author's runtime",
] as const;

/** Why a way has no figure at so many lanes. */
function unmeasured({ recorder }: Context, size: number): void {
  const put = (name: string, reason: string) => recorder.missing(`kalman/${name}/${size}`, reason);
  if (size > 1024) for (const name of RIVALS) put(name, WIDEST);
  else if (size < 256) put("JAX on a GPU, vmap", "few lanes are not what a GPU is for");
  if (size < 4)
    for (const name of ["staged f32x4", "by hand in f32x4"])
      put(name, "it runs four lanes at a time");
}

/** JAX, vmapped: what a user of it would write for a population. */
function vectorised(context: Context, sizes: readonly number[]): void {
  const columnsOf = (size: number) => {
    const tables = tablesOf(kalman, size);
    const named = namesOf(kalman).map((name, i) => [name, [...(tables[i]?.[0] ?? [])]]);
    return [size, Object.fromEntries(named) as Record<string, number[]>] as const;
  };
  const pace = { seconds: context.milliseconds / 40_000, least: context.amount(12, 2) };
  for (const { name, platform, missing } of jaxPlatforms()) {
    // Each size is compiled by itself, and few lanes are not what a GPU is for.
    const used = sizes.filter((size) => size <= 1024 && (platform === "cpu" || size >= 256));
    const columns = Object.fromEntries(used.map(columnsOf));
    const found = missing === undefined ? jaxLanes(kalman, platform, columns, pace) : {};
    for (const size of used) {
      const key = `kalman/${name}, vmap/${size}`;
      const result = found[size];
      if (result === undefined) {
        context.recorder.missing(key, missing ?? "was not run");
        continue;
      }
      checkEnds(key, size, result.ends);
      const samples = result.samples.map((each) => each / size);
      context.recorder.samples(key, "µs", samples, `10 calls a sample, divided by ${size} lanes`);
    }
  }
}

/** The first and the last lane of a way in Python against the machine. */
function checkEnds(key: string, size: number, ends: readonly (readonly number[])[]): void {
  const truth = machineWide(kalman, size, false);
  truth.call(0);
  for (const [i, lane] of [0, size - 1].entries()) {
    const [value, ...gradients] = ends[i] as readonly number[];
    const found = distance({ value: value as number, gradients }, outcomeAt(truth.columns(), lane));
    if (!isWithin(found, SINGLE)) throw new Error(`${key} fails the gate`);
  }
}

function authors({ recorder, isQuick }: Context, size: number): void {
  const key = `kalman/author's runtime/${size}`;
  if (size > 1024) return;
  const found = runReference(kalman, size, isQuick ? 2 : 12, size > 100 ? 1 : 4);
  if (found === undefined) recorder.missing(key, NO_REFERENCE);
  else
    recorder.samples(
      key,
      "µs",
      found.gradient.map((each) => each / size),
      "a process of its own",
    );
}

function byHand(one: Case, size: number): Wide {
  const { outputs, call } = handWide(one, size);
  return { name: "by hand in f32x4", call, columns: () => outputs };
}
