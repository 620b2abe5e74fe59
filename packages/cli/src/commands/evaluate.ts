/** `ndvm eval` and `ndvm grad`: run a program, print its value and gradients. */

import type { Evaluation, GradientResult } from "@ndvm/core";
import { troublesOf } from "@ndvm/core/machine";
import { withinLimits } from "../limits.js";
import { budgetsOf, type LoadedProgram, openProgram, withInterrupt } from "../loaded.js";
import type { EvalOptions, GradOptions } from "../options.js";
import { csvText, jsonText, laneColumns, noteStats, tableText, warnAbout } from "../results.js";
import { print, printPieces } from "../terminal.js";

export async function evaluate(file: string | undefined, options: EvalOptions): Promise<number> {
  const loaded = await openProgram(file, options);
  const result = await withInterrupt((interrupt) =>
    withinLimits(options, interrupt, (signal) =>
      loaded.program.evaluateAsync(loaded.inputs, { ...budgetsOf(options), signal }),
    ),
  );
  return finish(loaded, result, options);
}

export async function differentiate(
  file: string | undefined,
  options: GradOptions,
): Promise<number> {
  const loaded = await openProgram(file, options);
  const result = await withInterrupt((interrupt) =>
    withinLimits(options, interrupt, (signal) =>
      loaded.program.gradientAsync(loaded.inputs, {
        ...budgetsOf(options),
        ...(options.wrt === undefined ? {} : { wrt: options.wrt }),
        ...(options.seedAdjoint === undefined ? {} : { seed: options.seedAdjoint }),
        signal,
      }),
    ),
  );
  return finish(loaded, result, options);
}

/** Prints the result; the exit code is 1 if some lane failed. */
async function finish(
  loaded: LoadedProgram,
  result: Evaluation | GradientResult,
  options: EvalOptions,
): Promise<number> {
  const report = { result, inputs: loaded.inputs, precision: options.precision };
  if (options.format === "json") await printPieces(jsonText(report, options.stats === true));
  else await printPieces(options.format === "csv" ? csvText(report) : tableText(report));
  if (options.plot && options.format === "table") await plotResult(loaded, result);
  warnAbout(result);
  if (options.stats && options.format !== "json") noteStats(result.stats);
  loaded.machine.dispose();
  return troublesOf(result).failed.count > 0 ? 1 : 0;
}

async function plotResult(
  { inputs }: LoadedProgram,
  result: Evaluation | GradientResult,
): Promise<void> {
  const [axis] = laneColumns({ result, inputs, precision: "f64" });
  if (axis === undefined || result.shape?.length !== 0) {
    print("(no plot: it needs a number in each lane and an input with one value per lane)");
    return;
  }
  const { plotText } = await import("../plot.js");
  const [name, x] = axis;
  print(`\n${plotText({ title: `value over ${name}`, x, y: result.values })}`);
  const gradients = "gradients" in result ? Object.entries(result.gradients) : [];
  for (const [by, y] of gradients.filter(([, values]) => values.length === x.length)) {
    print(`\n${plotText({ title: `d/d${by} over ${name}`, x, y })}`);
  }
}
