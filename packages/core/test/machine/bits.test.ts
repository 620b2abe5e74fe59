/**
 * Values and gradients keep their bits: a digest over generated programs, recorded before the
 * machine's rooms are rebuilt. A change of a kernel's arithmetic may change it, and says so; a change
 * of how lanes are scheduled must not.
 */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Machine, NdvmError, type Precision } from "../../src/index.js";
import { machineInputs } from "../fuzz/check.js";
import { sourceOf } from "../fuzz/program.js";
import { laneProgram } from "../lanes/run.js";
import { bitsOf } from "./support.js";

const PROGRAMS = 250;
const SEED = 20_261_116;

async function digest(precision: Precision): Promise<string> {
  const machine = await Machine.create({ precision });
  const hash = createHash("sha256");
  for (let index = 0; index < PROGRAMS; index++) {
    const program = laneProgram(SEED, index);
    const loaded = machine.load(sourceOf(program));
    const lanes = program.inputs.find(({ kind }) => kind !== "int");
    const count = lanes !== undefined && "lanes" in lanes ? lanes.lanes.length : 1;
    const inputs = machineInputs(
      loaded,
      program,
      Array.from({ length: count }, (_, lane) => lane),
    );
    for (let run = 0; run < 2; run++) {
      try {
        const { values, gradients, failures } = loaded.gradient(inputs, { stepsMax: 400_000 });
        hash.update(bitsOf(values).join());
        for (const name of loaded.inputs) hash.update(bitsOf(gradients[name] ?? []).join());
        hash.update(failures.map(({ lane, error }) => `${lane}${error.code}`).join());
      } catch (error) {
        if (!(error instanceof NdvmError)) throw error;
        hash.update(error.code);
      }
    }
    loaded.dispose();
  }
  machine.dispose();
  return hash.digest("hex");
}

test("values and gradients of generated programs have the recorded bits", async () => {
  expect({ f32: await digest("f32"), f64: await digest("f64") }).toEqual(RECORDED);
});

const RECORDED = {
  f32: "8a291fa786d2172af3adb58eb1e1325dc07724df88232d45148cc69926c35754",
  f64: "495b2ba09ab4961554fb91f2069667df16aa0acf186ac76feab1c5d36b73d50e",
};
