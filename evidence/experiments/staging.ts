/**
 * What staging costs: text to the first value and gradient, on the machine (which stages nothing),
 * as generated JavaScript, as a WebAssembly module of its own, and by JAX and CasADi where they are.
 *
 * Engines remember code by its text and bytes, so every staging gets a text of its own.
 */

import {
  DOUBLE,
  distance,
  isWithin,
  machines,
  SINGLE,
  type Tolerance,
  truthOf,
} from "../baselines/backends.js";
import {
  CASADI_WAYS,
  casadiSuite,
  jaxPlatforms,
  jaxSuite,
  NO_CASADI,
  NO_CPP,
  type StagedResult,
} from "../baselines/external.js";
import { type LaneCall, laneSource, makeFunction } from "../baselines/staging/javascript.js";
import { stage } from "../baselines/staging/stage.js";
import { instantiate } from "../baselines/staging/wasm.js";
import type { Subject } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
import { pythonModule } from "../harness/tools.js";
import { type Case, five, inputsOf, namesOf } from "../programs.js";

function firstByMachine(one: Case): () => void {
  const inputs = inputsOf(one, 1);
  const wrt = [...namesOf(one)];
  return () => {
    const program = machines.single.load(one.source);
    program.gradient(inputs, { wrt });
    program.dispose();
  };
}

let salt = 0;

function firstByJavaScript(one: Case): () => void {
  const wrt = namesOf(one);
  const arrays = new Map(
    Object.entries(one.matrices).map(([name, { data }]) => [name, Float64Array.from(data)]),
  );
  const columns = wrt.map((name) => Float64Array.of(one.parameters[name] as number));
  const out = [0, ...wrt].map(() => new Float64Array(1));
  return () => {
    const staged = stage(one.source, { wrt, matrices: one.matrices });
    const source = laneSource(staged, wrt, [...arrays.keys()], wrt);
    makeFunction<LaneCall>(`${source}\n//${salt++}`, arrays)(1, columns, out);
  };
}

function firstByWasm(one: Case): () => void {
  const wrt = namesOf(one);
  const arrays = new Map(Object.entries(one.matrices).map(([name, { data }]) => [name, data]));
  return () => {
    const staged = stage(one.source, { wrt, matrices: one.matrices });
    const options = { order: wrt, wrt, lanesMost: 1, arrays, isSimd: false, salt: salt++ };
    const program = instantiate(staged, options);
    wrt.forEach((name, i) => {
      (program.inputs[i] as Float32Array)[0] = one.parameters[name] as number;
    });
    program.run(1);
  };
}

const PARTS = ["staging", "forward", "gradient"] as const;
const HOWS = {
  staging: "1 staging a sample, a cleared cache",
  forward: "calls in a row of hot code, averaged",
  gradient: "calls in a row of hot code, averaged",
} as const;

function record(
  { recorder }: Context,
  way: string,
  found: Readonly<Record<string, StagedResult>>,
  missing: string | undefined,
  tolerance: Tolerance,
): void {
  for (const one of five) {
    const result = found[one.name];
    const key = `${one.name}/${way}`;
    if (result === undefined) {
      for (const part of PARTS) recorder.missing(`${key}/${part}`, missing ?? "was not run");
      continue;
    }
    const apart = distance(result, truthOf(one));
    if (!isWithin(apart, tolerance))
      throw new Error(`${key} fails the gate: ${apart.value}, ${apart.gradient}`);
    recorder.count(`${key}/value error`, apart.value, "relative", `at most ${tolerance.value}`);
    for (const part of PARTS) {
      const slow = result[part].length < 12 ? ", few, since one takes seconds" : "";
      recorder.samples(`${key}/${part}`, "µs", result[part], `one thread, ${HOWS[part]}${slow}`);
    }
  }
}

function inPython(context: Context): void {
  const pace = {
    seconds: context.milliseconds / 1000 / 40,
    least: context.amount(12, 3),
    stagings: context.amount(12, 2),
    stagingsLeast: context.amount(12, 1),
  };
  for (const { name, platform, missing } of jaxPlatforms()) {
    // For a GPU a program takes seconds to compile.
    const stagingsLeast = platform === "cpu" ? pace.stagingsLeast : context.amount(3, 1);
    const found = missing === undefined ? jaxSuite(five, platform, { ...pace, stagingsLeast }) : {};
    record(context, name, found, missing, SINGLE);
  }
  const has = pythonModule("casadi") !== undefined;
  const found = has ? casadiSuite(five, pace) : {};
  for (const way of CASADI_WAYS)
    record(context, way, found[way] ?? {}, has ? NO_CPP : NO_CASADI, DOUBLE);
}

export const staging: Definition = {
  name: "staging",
  weight: 2,
  run(context) {
    context.recorder.condition("staging", "text to the first value and gradient, warm process");
    for (const one of five) {
      const subjects: Subject[] = [
        { key: `${one.name}/ndvm/staging`, call: firstByMachine(one) },
        { key: `${one.name}/staged JavaScript/staging`, call: firstByJavaScript(one) },
        { key: `${one.name}/staged WebAssembly/staging`, call: firstByWasm(one) },
      ];
      context.time(subjects, five.length + 1);
    }
    inPython(context);
  },
};
