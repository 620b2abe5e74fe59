/**
 * From a command line to a run: finds the program's text, loads it, binds the inputs, and turns
 * Ctrl-C into an abort of the running evaluation.
 */

import { type Datum, Machine, type Program, read, requireReadable } from "@ndvm/core/machine";
import { readInputs, type SetInputs, UsageError } from "./inputs.js";
import { clockOf } from "./limits.js";
import type { ProgramOptions } from "./options.js";
import { PROGRAM_BYTES_MOST, readStandardInput, readTextFile } from "./text-file.js";

export interface Source {
  readonly text: string;
  /** How messages call it; undefined for -e. */
  readonly file: string | undefined;
}

export async function readSource(
  file: string | undefined,
  options: Pick<ProgramOptions, "eval">,
): Promise<Source> {
  if (options.eval !== undefined) {
    if (file !== undefined) {
      throw new UsageError(`the program comes twice: from -e and from ${file}`);
    }
    return { text: options.eval, file: undefined };
  }
  if (file !== undefined && file !== "-")
    return { text: await readTextFile(file, PROGRAM_BYTES_MOST), file };
  if (file === undefined && process.stdin.isTTY) {
    throw new UsageError("no program: name a file, give -e 'text', or pipe it in");
  }
  return { text: await readStandardInput(), file: "stdin" };
}

interface Names {
  /** All names in the text; what a comment says is none of them. */
  readonly all: ReadonlySet<string>;
  /** Those that stand first in a list: procedures that are called, names that are bound. */
  readonly first: ReadonlySet<string>;
}

function namesIn(text: string): Names {
  const all = new Set<string>();
  const first = new Set<string>();
  let open: Datum[] = [];
  try {
    open = read(text);
  } catch {
    // Loading the text tells what is wrong with it.
  }
  for (let datum = open.pop(); datum !== undefined; datum = open.pop()) {
    if (datum.kind === "symbol") all.add(datum.name);
    if ("items" in datum) for (const item of datum.items) open.push(item);
    if (datum.kind !== "list") continue;
    if (datum.items[0]?.kind === "symbol") first.add(datum.items[0].name);
    if (datum.tail !== undefined) open.push(datum.tail);
  }
  return { all, first };
}

/** A file's name says what it is written in: .ndasm is stack code. */
const isStackCode = ({ file }: Source): boolean => file !== undefined && /\.ndasm$/i.test(file);

/**
 * Loads the text of a model. A name that the caller set and that the text mentions is an input even
 * where a primitive has the same name (`--set scale=2`). So is a column's name, unless the text
 * calls a procedure of that name: a table may have a column `max` that the program does not read.
 */
export function loadProgram(
  machine: Machine,
  source: Source,
  options: Pick<ProgramOptions, "domain">,
  names: readonly string[],
  columns: readonly string[] = [],
): Program {
  const file = source.file === undefined ? {} : { file: source.file };
  // Stack code reads variables by LOAD alone, so none of its names can mean a primitive.
  if (isStackCode(source))
    return machine.loadBytecode(source.text, { domain: options.domain, ...file });
  requireReadable(source.text, machine.memoryMax);
  const isOurs = (name: string) => isBuiltin(machine, name);
  const inputs = declaredInputs(source.text, names.filter(isOurs), columns.filter(isOurs));
  return machine.load(source.text, { inputs, domain: options.domain, ...file });
}

/** Of names that mean something in the language, those that are inputs all the same. */
function declaredInputs(
  text: string,
  names: readonly string[],
  columns: readonly string[],
): readonly string[] {
  if (names.length === 0 && columns.length === 0) return [];
  const { all, first } = namesIn(text);
  return [
    ...names.filter((name) => all.has(name)),
    ...columns.filter((name) => all.has(name) && !first.has(name)),
  ];
}

const builtins = new Map<string, boolean>();

/** Whether a name means a primitive or a form of the language; others are inputs anyway. */
function isBuiltin(machine: Machine, name: string): boolean {
  let known = builtins.get(name);
  if (known === undefined) {
    known = true;
    try {
      // As part of a formula: most names are not builtin, and formulas are read with less code.
      const program = machine.load(`(+ 0 ${name})`);
      known = program.inputs.length === 0;
      program.dispose();
    } catch {
      // The name of a form is not a program.
    }
    builtins.set(name, known);
  }
  return known;
}

export interface LoadedProgram {
  readonly machine: Machine;
  readonly program: Program;
  readonly source: Source;
  readonly inputs: SetInputs;
}

export function openMachine(options: ProgramOptions): Promise<Machine> {
  return Machine.create({
    precision: options.precision,
    ...(options.memory === undefined ? {} : { memoryMax: options.memory }),
    ...clockOf(options),
  });
}

export async function openProgram(
  file: string | undefined,
  options: ProgramOptions,
): Promise<LoadedProgram> {
  const source = await readSource(file, options);
  const inputs = await readInputs(options.set, options.int);
  const machine = await openMachine(options);
  const program = loadProgram(machine, source, options, Object.keys(inputs));
  return { machine, program, source, inputs };
}

export function budgetsOf(options: ProgramOptions): { stepsMax?: number; timeMax?: number } {
  return {
    ...(options.steps === undefined ? {} : { stepsMax: options.steps }),
    ...(options.timeout === undefined ? {} : { timeMax: options.timeout }),
  };
}

/** Runs `work` with a signal that the first Ctrl-C fires; a second one ends the process. */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onInterrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", onInterrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}
