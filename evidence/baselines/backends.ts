/**
 * The ways to run one of the five programs, each with the tolerance that its results must meet
 * against the machine in f64 before anything of it is timed.
 *
 * Those of this process take turns under the clock; Python and C++ bring their own samples
 * (`external.ts`).
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Machine } from "@ndvm/core";
import { buildAssemblyScript, repositoryRoot } from "../harness/tools.js";
import { type Case, inputsOf, namesOf, STEPS, tablesOf, VARIANTS } from "../programs.js";
import { eagerProgram } from "./eager/tensorflow.js";
import { boxedScript } from "./native/boxed.js";
import { type LaneCall, laneSource, makeFunction } from "./staging/javascript.js";
import { stage } from "./staging/stage.js";
import { instantiate } from "./staging/wasm.js";

export interface Outcome {
  readonly value: number;
  /** By the order of the parameters; empty where the baseline has no gradient. */
  readonly gradients: readonly number[];
}

export interface Runner {
  /** At the middle of the parameters. */
  result(): Outcome;
  forward?(turn: number): void;
  gradient?(turn: number): void;
}

export interface Tolerance {
  readonly value: number;
  readonly gradient: number;
}

/** The paper's gates G1 and G2, for single precision. */
export const SINGLE: Tolerance = { value: 1e-4, gradient: 2e-3 };
export const DOUBLE: Tolerance = { value: 1e-9, gradient: 1e-9 };

export interface Backend {
  readonly name: string;
  readonly tolerance: Tolerance;
  /** Undefined where the baseline is of other programs only. */
  make(one: Case): Runner | undefined;
}

export const machines = {
  single: await Machine.create({ precision: "f32" }),
  double: await Machine.create({ precision: "f64" }),
};

/** A session of the machine, with other numbers at each call. */
export function machineRun(
  one: Case,
  lanes: number,
  options: { readonly isForward: boolean; readonly replay: boolean },
  machine: Machine = machines.single,
) {
  const program = machine.load(one.source);
  const wrt = options.isForward ? [] : namesOf(one);
  const session = program.session(inputsOf(one, lanes), {
    wrt: [...wrt],
    lanes,
    ...(options.replay ? {} : { replay: false }),
  });
  const tables = tablesOf(one, lanes);
  const slots = namesOf(one).map((name) => session.inputs[name] as Float32Array);
  const call = (turn: number): void => {
    for (let i = 0; i < slots.length; i++) {
      const from = (tables[i] as readonly Float32Array[])[turn % VARIANTS] as Float32Array;
      if (lanes === 1) (slots[i] as Float32Array)[0] = from[0] as number;
      else (slots[i] as Float32Array).set(from);
    }
    session.run();
  };
  return { program, session, call };
}

function machineBackend(replay: boolean): Backend {
  return {
    name: replay ? "ndvm" : "ndvm walked",
    tolerance: SINGLE,
    make: (one) => {
      const forward = machineRun(one, 1, { isForward: true, replay });
      const gradient = machineRun(one, 1, { isForward: false, replay });
      return {
        result: () => {
          gradient.call(0);
          const { values, gradients } = gradient.session;
          return {
            value: values[0] as number,
            gradients: namesOf(one).map((name) => gradients[name]?.[0] as number),
          };
        },
        forward: forward.call,
        gradient: gradient.call,
      };
    },
  };
}

const middle = (one: Case): number[] =>
  namesOf(one).map((name) => Math.fround(one.parameters[name] as number));

export const arraysOf = ({ matrices }: Case): Map<string, Float64Array> =>
  new Map(Object.entries(matrices).map(([name, { data }]) => [name, Float64Array.from(data)]));

export function stagedLanes(one: Case, isForward: boolean): LaneCall {
  const wrt = isForward ? [] : namesOf(one);
  const arrays = arraysOf(one);
  const staged = stage(one.source, { wrt, matrices: one.matrices });
  const source = laneSource(staged, namesOf(one), [...arrays.keys()], wrt);
  return makeFunction<LaneCall>(source, arrays);
}

const stagedJavaScript: Backend = {
  name: "staged JavaScript",
  tolerance: DOUBLE,
  make: (one) => {
    const run = (isForward: boolean) => {
      const call = stagedLanes(one, isForward);
      const out = [0, ...namesOf(one)].map(() => new Float64Array(1));
      const columns = namesOf(one).map(() => new Float64Array(1));
      const tables = tablesOf(one, 1);
      return {
        out,
        at: (numbers: readonly number[]) => {
          numbers.forEach((x, i) => {
            (columns[i] as Float64Array)[0] = x;
          });
          call(1, columns, out);
        },
        call: (turn: number) => {
          for (let i = 0; i < columns.length; i++)
            (columns[i] as Float64Array)[0] = tables[i]?.[turn % VARIANTS]?.[0] as number;
          call(1, columns, out);
        },
      };
    };
    const forward = run(true);
    const gradient = run(false);
    return {
      result: () => {
        gradient.at(middle(one));
        const [value, ...gradients] = gradient.out.map((each) => each[0] as number);
        return { value: value as number, gradients };
      },
      forward: forward.call,
      gradient: gradient.call,
    };
  },
};

export function stagedWasm(one: Case, lanes: number, isForward: boolean, isSimd: boolean) {
  const wrt = isForward ? [] : namesOf(one);
  const staged = stage(one.source, { wrt, matrices: one.matrices });
  const arrays = new Map(Object.entries(one.matrices).map(([name, { data }]) => [name, data]));
  const options = { order: namesOf(one), wrt, lanesMost: lanes, arrays, isSimd };
  const program = instantiate(staged, options);
  const tables = tablesOf(one, lanes);
  const call = (turn: number): void => {
    for (let i = 0; i < tables.length; i++)
      program.inputs[i]?.set(tables[i]?.[turn % VARIANTS] as Float32Array);
    program.run(lanes);
  };
  return { program, call };
}

const stagedWebAssembly: Backend = {
  name: "staged WebAssembly",
  tolerance: SINGLE,
  make: (one) => {
    const forward = stagedWasm(one, 1, true, false);
    const gradient = stagedWasm(one, 1, false, false);
    return {
      result: () => {
        gradient.call(0);
        const [value, ...gradients] = gradient.program.outputs.map((each) => each[0] as number);
        return { value: value as number, gradients };
      },
      forward: forward.call,
      gradient: gradient.call,
    };
  },
};

function tensorFlow(kind: "tagged" | "tuned"): Backend {
  return {
    name: `${kind} TensorFlow.js`,
    tolerance: SINGLE,
    make: (one) => {
      const program = eagerProgram(one, kind);
      const numbers = tablesOf(one, 1);
      const at = (turn: number) => numbers.map((table) => table[turn % VARIANTS]?.[0] as number);
      return {
        result: () => program.gradient(middle(one)),
        forward: (turn) => void program.forward(at(turn)),
        gradient: (turn) => void program.gradient(at(turn)),
      };
    },
  };
}

const boxedAssemblyScript: Backend = {
  name: "boxed AssemblyScript",
  tolerance: SINGLE,
  make: (one) => {
    const program = boxedScript(one);
    return {
      result: () => ({ value: program.at(middle(one)), gradients: [] }),
      forward: (turn) => program.call(turn),
    };
  },
};

interface HandExports {
  readonly memory: WebAssembly.Memory;
  observationsAt(): number;
  forward(q: number, r: number, steps: number): number;
  gradient(q: number, r: number, steps: number): number;
  readonly byQ: WebAssembly.Global;
  readonly byR: WebAssembly.Global;
}

const yardsticks = join(repositoryRoot, "packages/core/bench/yardsticks");
export const kalmanCpp = join(yardsticks, "kalman.cpp");

const handAssemblyScript: Backend = {
  name: "by hand in AssemblyScript",
  tolerance: SINGLE,
  make: (one) => {
    if (one.name !== "kalman") return undefined;
    const file = buildAssemblyScript(join(yardsticks, "kalman.as.ts"), "stub");
    const module = new WebAssembly.Module(readFileSync(file));
    const exports = new WebAssembly.Instance(module, { env: {} }).exports as unknown as HandExports;
    const data = one.matrices["obs"]?.data as readonly number[];
    new Float32Array(exports.memory.buffer, exports.observationsAt(), data.length).set(data);
    const factor = (turn: number) => 1 + 1e-4 * (turn % VARIANTS);
    return {
      result: () => {
        const value = exports.gradient(0.05, 0.1, STEPS);
        return { value, gradients: [exports.byQ.value as number, exports.byR.value as number] };
      },
      forward: (turn) => void exports.forward(0.05 * factor(turn), 0.1 * factor(turn), STEPS),
      gradient: (turn) => void exports.gradient(0.05 * factor(turn), 0.1 * factor(turn), STEPS),
    };
  },
};

interface WideExports {
  readonly memory: WebAssembly.Memory;
  observationsAt(): number;
  qsAt(): number;
  rsAt(): number;
  valuesAt(): number;
  byQAt(): number;
  byRAt(): number;
  forward(lanes: number, steps: number): void;
  gradient(lanes: number, steps: number): void;
}

/** The f32x4 function written by hand, for so many lanes. */
export function handWide(one: Case, lanes: number) {
  const file = buildAssemblyScript(join(yardsticks, "kalman4.as.ts"), "stub");
  const module = new WebAssembly.Module(readFileSync(file));
  const exports = new WebAssembly.Instance(module, { env: {} }).exports as unknown as WideExports;
  const { buffer } = exports.memory;
  const data = one.matrices["obs"]?.data as readonly number[];
  new Float32Array(buffer, exports.observationsAt(), data.length).set(data);
  const inputs = [exports.qsAt(), exports.rsAt()].map((at) => new Float32Array(buffer, at, lanes));
  const outputs = [exports.valuesAt(), exports.byQAt(), exports.byRAt()].map(
    (at) => new Float32Array(buffer, at, lanes),
  );
  const tables = tablesOf(one, lanes);
  const call = (turn: number): void => {
    inputs.forEach((into, i) => {
      into.set(tables[i]?.[turn % VARIANTS] as Float32Array);
    });
    exports.gradient(lanes, STEPS);
  };
  return { outputs, call };
}

export const backends: readonly Backend[] = [
  machineBackend(true),
  machineBackend(false),
  stagedJavaScript,
  stagedWebAssembly,
  tensorFlow("tagged"),
  tensorFlow("tuned"),
  boxedAssemblyScript,
  handAssemblyScript,
];

/** What the machine says in f64. */
export function truthOf(one: Case): Outcome {
  const program = machines.double.load(one.source);
  const { values, gradients } = program.gradient(inputsOf(one, 1), { wrt: [...namesOf(one)] });
  const found = namesOf(one).map((name) => gradients[name]?.[0] as number);
  program.dispose();
  return { value: values[0] as number, gradients: found };
}

/** How far two outcomes lie apart: |a − b| / (1 + |b|), the worst of values and of gradients. */
export function distance(a: Outcome, b: Outcome): Tolerance {
  const apart = (x: number, y: number) => Math.abs(x - y) / (1 + Math.abs(y));
  const gradients = a.gradients.map((x, i) => apart(x, b.gradients[i] as number));
  return { value: apart(a.value, b.value), gradient: Math.max(0, ...gradients) };
}

export const isWithin = (found: Tolerance, allowed: Tolerance): boolean =>
  found.value <= allowed.value && found.gradient <= allowed.gradient;
