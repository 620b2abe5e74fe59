/**
 * The fuzzer on the command line: `npm run fuzz -- --programs 100000 --seed 7 --from 0`.
 *
 * Without --seed, SEED from the environment, else a new one. Ends with 1 at the first failure.
 * With --lanes, batches of diverging lanes are compared with their lanes alone, bit for bit.
 */

import { parseArgs } from "node:util";
import { Machine } from "../../src/index.js";
import { checkLanes, LaneMachines } from "../lanes/run.js";
import { fuzz } from "./run.js";

const { values } = parseArgs({
  options: {
    programs: { type: "string", default: "1000" },
    from: { type: "string", default: "0" },
    seed: { type: "string" },
    lanes: { type: "boolean", default: false },
  },
});

const { SEED } = process.env;
const seed = Number(values.seed ?? SEED ?? Math.floor(Math.random() * 2 ** 32));
const programs = Number(values.programs);
const from = Number(values.from);
console.log(`seed ${seed}: programs ${from} to ${from + programs - 1}`);

const machines = {
  double: await Machine.create({ precision: "f64" }),
  single: await Machine.create({ precision: "f32" }),
};
const started = performance.now();
const onProgram = (index: number): void => {
  const done = index - from + 1;
  if (done % 5000 === 0) console.log(`${done} programs, ${seconds()} s`);
};
const options = { seed, programs, from, onProgram };
const { passed, skipped, text } = values.lanes ? await runLanes() : runPrograms();
const reasons = Object.entries(skipped).map(([why, count]) => `, ${count} passed over (${why})`);
console.log(`${passed} programs agree${reasons.join("")}, ${seconds()} s`);
if (text !== undefined) {
  console.error(text);
  process.exitCode = 1;
}
machines.double.dispose();
machines.single.dispose();

function runPrograms() {
  const { passed, skipped, failure } = fuzz(machines, options);
  return { passed, skipped, text: failure?.text };
}

async function runLanes() {
  const laneMachines = await LaneMachines.create();
  const { passed, skipped, seen, failure } = checkLanes(laneMachines, options);
  console.log(
    Object.entries(seen)
      .map(([name, count]) => `${name} ${count}`)
      .join(", "),
  );
  return { passed, skipped, text: failure };
}

function seconds(): string {
  return ((performance.now() - started) / 1000).toFixed(1);
}
