/** `ndvm fit`: the constants of a program from a table, how sure they are, and a picture. */

import { type FitResult, fileWord, fit as fitProgram, inOneLine, NdvmError } from "@ndvm/core";
import {
  fitReport,
  type HeldOutScore,
  offScaleWords,
  picturesOf,
  summaryText,
  warningsOf,
} from "@ndvm/report";
import { type Context, inCommandWords } from "../command-words.js";
import { type Export, type ExportedModel, parseExports, writeModels } from "../fit/export.js";
import { checkHeldOut, scoreHeldOut } from "../fit/held-out.js";
import type { FitCommandOptions } from "../fit/options.js";
import { type FitProblem, openProblem } from "../fit/problem.js";
import { viewProgress } from "../fit/progress.js";
import { resultJson } from "../fit/result-json.js";
import { terminalPlot } from "../fit/terminal-plot.js";
import { referencedFiles, UsageError } from "../inputs.js";
import { requireOutputs } from "../output-files.js";
import { note, out, print, reportError, warn } from "../terminal.js";
import { writeTextFile } from "../text-file.js";
import { typedCommand } from "../typed-command.js";
import { commandVersion } from "./versions.js";

/** Exit code of a fit that Ctrl-C ended: its result is the best so far. */
const INTERRUPTED = 130;

/** Exit code of a fit whose best restart has not converged, by its steps or its time for instance. */
const NOT_CONVERGED = 3;

const hasConverged = ({ restarts, best }: FitResult): boolean =>
  restarts.find(({ index }) => index === best.restart)?.hasConverged === true;

export async function fit(file: string | undefined, options: FitCommandOptions): Promise<number> {
  const exports = checkExports(options);
  requireFitOutputs(file, options, exports);
  const problem = await openProblem(file, options).catch((error: unknown) => {
    throw error instanceof NdvmError ? inCommandWords(error, { command: "fit" }) : error;
  });
  try {
    ofHeldOut(problem, () => checkHeldOut(problem));
    const result = await runFit(problem, options);
    const scores = ofHeldOut(problem, () => scoreHeldOut(result, problem));
    const models = writeModels(result, exports, options.exportGroup);
    await showResult({ result, problem, scores, models, options });
    const failed = models.flatMap(({ error }) => error ?? []);
    for (const error of failed) reportError(error);
    if (result.stopped === "aborted") return INTERRUPTED;
    if (failed.length > 0) return 1;
    return hasConverged(result) ? 0 : NOT_CONVERGED;
  } catch (error) {
    throw error instanceof NdvmError ? inCommandWords(error, contextOf(problem)) : error;
  } finally {
    problem.machine.dispose();
  }
}

/** The result that a fit goes on from may be replaced by what it comes to. */
function requireFitOutputs(
  file: string | undefined,
  { out, report, data, resume, set = [] }: FitCommandOptions,
  exports: readonly Export[],
): void {
  requireOutputs(
    [
      { as: "--out", file: out },
      { as: "--report", file: report },
      ...exports.map((one) => ({ as: "--export", file: one.file })),
    ],
    [
      { as: "the program", file },
      { as: "--data", file: data },
      ...referencedFiles(set).map((one) => ({ as: "--set", file: one })),
      ...(out === resume ? [] : [{ as: "--resume", file: resume }]),
    ],
  );
}

/** Runs what looks at the rows that are held out: its errors are about these. */
function ofHeldOut<T>(problem: FitProblem, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message, help, facts } = error;
    // An error that names no row says whose it is.
    throw facts.reason === undefined
      ? new NdvmError(code, `of the rows held out, ${message}`, { help })
      : inCommandWords(error, contextOf(problem, problem.rows?.heldOut));
  }
}

/** What errors say about the rows and columns of the file: of those that are fitted, or of others. */
function contextOf(
  { table, rows, targets, columns }: FitProblem,
  some: Int32Array | undefined = rows?.taken,
): Context {
  if (table === undefined || rows === undefined || some === undefined) return { command: "fit" };
  return {
    command: "fit",
    // Rows are counted without those left out; the file's own numbers help more.
    rows: (named, more) =>
      table.rowsInWords(
        named.map((row) => some[row] ?? 0),
        more,
      ),
    hasTarget: targets.length > 0,
    unusedColumn: table.names.find((name) => !columns.includes(name)),
    rowCount: table.rowCount,
    rowsLeftOut: rows.filtered + rows.missing + rows.heldOut.length,
  };
}

function checkExports(options: FitCommandOptions): Export[] {
  const exports = parseExports(options.export);
  if (exports.length > 0 && options.group !== undefined && options.exportGroup === undefined) {
    throw new UsageError("a fit with groups exports one of them: name it with --export-group");
  }
  return exports;
}

/** The first Ctrl-C asks for the best so far; a second one ends the process. */
async function runFit(problem: FitProblem, options: FitCommandOptions): Promise<FitResult> {
  const controller = new AbortController();
  const onInterrupt = (): void => controller.abort();
  process.once("SIGINT", onInterrupt);
  const view = viewProgress(options.quiet === true);
  try {
    return await fitProgram(problem.program, {
      ...problem.options,
      signal: controller.signal,
      onProgress: (progress) => view.update(progress),
    });
  } finally {
    view.stop();
    process.off("SIGINT", onInterrupt);
  }
}

interface Shown {
  readonly result: FitResult;
  readonly problem: FitProblem;
  readonly scores: readonly HeldOutScore[];
  readonly models: readonly ExportedModel[];
  readonly options: FitCommandOptions;
}

async function showResult(shown: Shown): Promise<void> {
  const { result, problem, scores, options, models } = shown;
  const printed = models.filter(({ file, text }) => file === undefined && text !== "");
  if (options.json) print(JSON.stringify(resultJson(result, problem, scores, models)));
  else {
    // A model on standard output stands alone there, so that it can go into a file.
    const say = printed.length > 0 ? note : print;
    say(summaryText(result, problem, scores, out));
    showPlot(shown, say);
    for (const { text } of printed) print(text.trimEnd());
  }
  if (!options.quiet) for (const warning of warningsOf(result, problem)) warn(warning);
  await writeFiles(shown);
  if (result.stopped !== "done" && options.out !== undefined && !options.quiet) {
    note(`go on with --resume ${fileWord(options.out)}`);
  }
}

function showPlot({ result, problem, scores, options }: Shown, say: (text: string) => void): void {
  const isWanted = options.plot ?? (process.stdout.isTTY === true && options.quiet !== true);
  if (!isWanted) return;
  const words = offScaleWords(result, problem);
  if (words !== undefined && options.plot === true) say(`\n${words}`);
  for (const picture of picturesOf(result, problem, scores, options.x)) {
    say(`\n${terminalPlot(picture, options.x !== undefined)}`);
  }
}

async function writeFiles({ result, problem, scores, models, options }: Shown): Promise<void> {
  const written: string[] = [];
  const write = async (file: string, text: string): Promise<void> => {
    await writeTextFile(file, text);
    written.push(file);
  };
  for (const { file, text, error } of models) {
    if (file !== undefined && error === undefined) await write(file, text);
  }
  if (options.out !== undefined) {
    const json = JSON.stringify(resultJson(result, problem, scores, models));
    await write(options.out, `${json}\n`);
  }
  if (options.report !== undefined) {
    const maker = `ndvm ${commandVersion()}, Node ${process.versions.node}; made ${minuteText()} UTC`;
    await write(
      options.report,
      await fitReport({ result, problem, scores, x: options.x, command: typedCommand(), maker }),
    );
  }
  if (written.length > 0 && !options.quiet) note(inOneLine(`wrote ${written.join(", ")}`));
}

/** "2024-03-01 12:30" */
const minuteText = (): string => new Date().toISOString().slice(0, 16).replace("T", " ");
