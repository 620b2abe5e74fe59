/**
 * What staging costs: text to the first value and gradient, on the machine (which stages nothing),
 * as generated JavaScript, as a WebAssembly module of its own, and by JAX where it is.
 *
 * Engines remember code by its text and bytes, so every staging gets a text of its own.
 */

import { distance, isWithin, machines, SINGLE, truthOf } from "../baselines/backends.js";
import { hasJax, jaxSuite, NO_JAX } from "../baselines/external.js";
import { type LaneCall, laneSource, makeFunction } from "../baselines/staging/javascript.js";
import { stage } from "../baselines/staging/stage.js";
import { instantiate } from "../baselines/staging/wasm.js";
import type { Subject } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
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

function jax(context: Context): void {
  const { recorder } = context;
  if (!hasJax()) {
    for (const one of five)
      for (const part of ["staging", "forward", "gradient"])
        recorder.missing(`${one.name}/JAX/${part}`, NO_JAX);
    return;
  }
  const found = jaxSuite(five, {
    seconds: context.milliseconds / 1000 / 30,
    least: context.amount(12, 3),
    stagings: context.amount(12, 2),
  });
  for (const one of five) {
    const result = found[one.name];
    if (result === undefined) continue;
    if (!isWithin(distance(result, truthOf(one)), SINGLE))
      throw new Error(`${one.name} by JAX fails the gate`);
    for (const part of ["staging", "forward", "gradient"] as const)
      recorder.samples(`${one.name}/JAX/${part}`, "µs", result[part]);
  }
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
    jax(context);
  },
};
