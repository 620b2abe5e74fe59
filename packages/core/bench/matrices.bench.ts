/**
 * Matrices beyond 2 × 2, value and gradient, per lane at 256 lanes: Kalman filters with 4 and 6
 * states and the factorisations, beside the same functions written and differentiated by hand in
 * C++, one lane at a time, with sizes known when it is compiled.
 */

import { Machine } from "../src/index.js";
import { printEnvironment } from "./support/environment.js";
import { matrixModels, runNativeMatrices } from "./support/matrices.js";
import { inputsOf, type Model, subjectOf } from "./support/programs.js";
import { note, ratio, SPREAD_HEADINGS, section, spreadCells, table } from "./support/table.js";
import { measure, per, type Spread } from "./support/timing.js";

const LANES = 256;

printEnvironment();
section("Matrices, value and gradient, f32, per lane at 256");
const machine = await Machine.create({ precision: "f32" });
const before = runNativeMatrices();
if (before === undefined) note("C++ by hand: not measured, there is no g++");
for (const [model] of matrixModels) check(model);
const subjects = matrixModels.map(([model]) => subjectOf(machine, model, LANES));
const spreads = measure(subjects);
const after = runNativeMatrices();
table(
  ["work", ...SPREAD_HEADINGS, "C++ min µs", "beside C++", "bound", "", "checksum"],
  matrixModels.map(([{ name }, most], i) => {
    const cost = per(spreads[i] as Spread, LANES);
    const native = nativeMinimum(name);
    const beside =
      native === undefined
        ? ["", "", "", ""]
        : [
            native.toFixed(3),
            ratio(cost.minimum, native),
            `${most}×`,
            cost.minimum <= most * native ? "met" : "missed",
          ];
    return [name, ...spreadCells(cost), ...beside, subjects[i]?.checksum() ?? ""];
  }),
);
machine.dispose();

/** The faster of two runs of the yardstick, one before and one after the machine's. */
function nativeMinimum(name: string): number | undefined {
  const both = [before, after].flatMap((run) => run?.get(name)?.times.minimum ?? []);
  return both.length === 0 ? undefined : Math.min(...both);
}

/** Both compute the same. */
function check(model: Model): void {
  const theirs = before?.get(model.name)?.result;
  if (theirs === undefined) return;
  const wrt = Object.keys(model.parameters);
  const program = machine.load(model.source);
  const inputs = { ...inputsOf(model, 1), ...model.parameters };
  const { values, gradients } = program.gradient(inputs, { wrt });
  const ours = [values[0], ...wrt.map((name) => gradients[name]?.[0])] as number[];
  program.dispose();
  const apart = Math.max(...ours.map((x, i) => Math.abs(x / (theirs[i] as number) - 1)));
  if (!(apart < 1e-4)) throw new Error(`the yardstick of ${model.name} computes something else`);
}
