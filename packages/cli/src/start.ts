/**
 * `npm start`: a tour in one screen. Loads the bundled model, shows its text, its values and
 * gradients over time, two plots, and how fast that was.
 *
 *   node dist/start.js ../../examples/damped-oscillator.scm
 */

import { basename } from "node:path";
import { Machine, NdvmError, type Program } from "@ndvm/core";
import { expandRange, type SetInputs } from "./inputs.js";
import { countText, shortText, timeText } from "./numbers.js";
import { plotText } from "./plot.js";
import { formatTable, type TextColumn } from "./tables.js";
import { endQuietlyOnBrokenPipe, out, print, reportError } from "./terminal.js";
import { readTextFile } from "./text-file.js";

/** Seconds at which the table shows a row. */
const SHOWN = [0, 1, 2, 4, 6, 8, 10];
const WRT = ["a", "k", "w"];
/** How long the speed is measured, in milliseconds. */
const MEASURE_MS = 300;

function showTable(program: Program, inputs: SetInputs): void {
  const { values, gradients } = program.gradient({ ...inputs, t: SHOWN }, { wrt: WRT });
  const column = (title: string, numbers: ArrayLike<number>): TextColumn => ({
    title,
    align: "right",
    cell: (row) => shortText(numbers[row] ?? Number.NaN, 5),
  });
  const columns = [
    column("t", SHOWN),
    column("value", values),
    ...WRT.map((name) => column(`d/d${name}`, gradients[name] ?? [])),
  ];
  print(`${formatTable(columns, SHOWN.length, "rows")}\n`);
}

function showPlots(program: Program, inputs: SetInputs, t: Float64Array): void {
  const { values, gradients } = program.gradient({ ...inputs, t }, { wrt: WRT });
  print(plotText({ title: "value over t", x: t, y: values }));
  print(`\n${plotText({ title: "d value / d k over t", x: t, y: gradients["k"] ?? [] })}\n`);
}

function showSpeed(program: Program, inputs: SetInputs, t: Float64Array): void {
  let best = Number.POSITIVE_INFINITY;
  const end = performance.now() + MEASURE_MS;
  while (performance.now() < end) {
    const start = performance.now();
    program.gradient({ ...inputs, t }, { wrt: WRT });
    best = Math.min(best, performance.now() - start);
  }
  const { stats } = program.gradient({ ...inputs, t }, { wrt: WRT });
  print(
    `${stats.lanes} lanes, value and ${WRT.length} gradients each: ${timeText(best)} a run, ` +
      `${timeText(best / stats.lanes)} a lane ` +
      `(${countText(stats.tapeRecords)} tape records, replayed)\n`,
  );
}

async function start(file: string): Promise<void> {
  const source = await readTextFile(file);
  const machine = await Machine.create({ precision: "f64" });
  const program = machine.load(source, { file: basename(file) });
  const inputs: SetInputs = { a: 1, k: 0.25, w: 2 };
  print(`${out.bold(file)}\n${out.cyan(source.trimEnd())}\n`);
  print(`at a = 1, k = 0.25, w = 2:\n`);
  showTable(program, inputs);
  const t = expandRange("t", "0:10:0.1");
  showPlots(program, inputs, t);
  showSpeed(program, inputs, t);
  print(`Next:
  npx ndvm grad ${file} --set a=1 --set k=0.25 --set w=2 --set t=0:10:0.5
  npx ndvm explain ${file} --set a=1 --set k=0.25 --set w=2 --set t=3
  npx ndvm repl
  npx ndvm --help`);
  machine.dispose();
}

endQuietlyOnBrokenPipe();
try {
  await start(process.argv[2] ?? "examples/damped-oscillator.scm");
} catch (error) {
  if (!(error instanceof NdvmError)) throw error;
  reportError(error);
  process.exitCode = 1;
}
