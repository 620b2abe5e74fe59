/**
 * Which rows of a table a fit takes: those that pass every `--where`, hold no missing value in a
 * column that is used, and are not held out.
 *
 * A test is an expression of the language over the columns, evaluated for all rows at once, or
 * `column=word` and `column!=word`.
 */

import { emptyRecord, Machine, NdvmError, type Program, Random, recordOf } from "@ndvm/core";
import type { Table } from "@ndvm/tables";
import { UsageError } from "../inputs.js";
import { loadProgram } from "../loaded.js";
import { parseEnds } from "./options.js";
import { orderTest, wordTest } from "./word-test.js";

export interface RowsWanted {
  /** Columns of numbers that the fit reads. */
  readonly numbers: readonly string[];
  /** The column that names groups. */
  readonly groups: string | undefined;
  readonly where: readonly string[];
  readonly holdOut: string | undefined;
  readonly missing: "omit" | "error";
  readonly seed: number;
}

export interface Rows {
  /** Rows (counted from 0) to fit to, and rows to score only. */
  readonly taken: Int32Array;
  readonly heldOut: Int32Array;
  /** How many rows were left out, and why. */
  readonly filtered: number;
  readonly missing: number;
}

/** t > 2, which is written (> t 2). */
const isExpression = (text: string): boolean => text.trimStart().startsWith("(");

/** Columns whose text must be kept for these options. */
export function textColumns(
  where: readonly string[],
  holdOut: string | undefined,
  groups: string | undefined,
): Set<string> {
  const names = where.flatMap((test) => (isExpression(test) ? [] : (wordTest(test)?.[0] ?? [])));
  if (holdOut !== undefined && !isExpression(holdOut)) names.push(holdOut.trim());
  if (groups !== undefined) names.push(groups);
  return new Set(names);
}

export async function chooseRows(table: Table, wanted: RowsWanted): Promise<Rows> {
  const tests = new Tests(table);
  try {
    const keep = new Uint8Array(table.rowCount).fill(1);
    for (const text of wanted.where) intersect(keep, await tests.where(text));
    const filtered = table.rowCount - countOf(keep);
    // Before missing values are looked for: the columns of this test count, too.
    const tested = await heldByTest(wanted, tests);
    const missing = leaveOutMissing(table, wanted, keep, tests);
    const held = holdOut(table, wanted, keep, tested);
    return {
      taken: rowsWhere((row) => keep[row] === 1 && held[row] === 0, table.rowCount),
      heldOut: rowsWhere((row) => keep[row] === 1 && held[row] === 1, table.rowCount),
      filtered,
      missing,
    };
  } finally {
    tests.dispose();
  }
}

function intersect(keep: Uint8Array, other: Uint8Array): void {
  for (let row = 0; row < keep.length; row++) if (other[row] === 0) keep[row] = 0;
}

const countOf = (marks: Uint8Array): number => marks.reduce((sum, mark) => sum + mark, 0);

function rowsWhere(holds: (row: number) => boolean, count: number): Int32Array {
  const rows = new Int32Array(count);
  let length = 0;
  for (let row = 0; row < count; row++) if (holds(row)) rows[length++] = row;
  return rows.subarray(0, length);
}

/** Unmarks rows with missing values; how many there were. */
function leaveOutMissing(table: Table, wanted: RowsWanted, keep: Uint8Array, tests: Tests): number {
  const before = countOf(keep);
  const unmark = (name: string, isMissing: (row: number) => boolean): void => {
    const bad: number[] = [];
    for (let row = 0; row < keep.length; row++)
      if (keep[row] === 1 && isMissing(row)) bad.push(row);
    if (bad.length > 0 && wanted.missing === "error") {
      throw new NdvmError(
        "E-FILE",
        `${table.name}: column ${name} has no value in ${table.rowsInWords(bad)}`,
        { help: "fill them in, or leave these rows out: --missing omit" },
      );
    }
    for (const row of bad) keep[row] = 0;
  };
  for (const name of new Set([...wanted.numbers, ...tests.columns])) {
    const numbers = table.numbers(name);
    unmark(name, (row) => Number.isNaN(numbers[row]));
  }
  for (const name of tests.words) {
    const texts = table.texts(name);
    unmark(name, (row) => texts[row] === "");
  }
  if (wanted.groups !== undefined) {
    const texts = table.texts(wanted.groups, ", which is to name the groups");
    unmark(wanted.groups, (row) => texts[row] === "");
  }
  return before - countOf(keep);
}

/** Rows for which a test says that they are held out; undefined where no test was given. */
async function heldByTest(
  { holdOut: wanted }: RowsWanted,
  tests: Tests,
): Promise<Uint8Array | undefined> {
  if (wanted === undefined || !isExpression(wanted)) return undefined;
  return tests.expression(wanted, "--hold-out");
}

function holdOut(
  table: Table,
  { holdOut: wanted, seed }: RowsWanted,
  keep: Uint8Array,
  tested: Uint8Array | undefined,
): Uint8Array {
  if (wanted === undefined) return new Uint8Array(table.rowCount);
  const held = tested ?? heldRows(table, wanted, keep, seed);
  const count = held.reduce((sum, mark, row) => sum + (mark & (keep[row] as number)), 0);
  if (count > 0 && count < countOf(keep)) return held;
  throw new UsageError(
    `--hold-out ${wanted} holds out ${count === 0 ? "no row" : "every row"} of ${countOf(keep)}`,
  );
}

function heldRows(table: Table, wanted: string, keep: Uint8Array, seed: number): Uint8Array {
  if (table.has(wanted)) return heldByColumn(table, wanted);
  const ends = parseEnds(wanted);
  if (ends !== undefined) {
    const [first = 1, last = table.rowCount] = ends;
    return Uint8Array.from(keep, (_, row) => (row + 1 >= first && row + 1 <= last ? 1 : 0));
  }
  const isPercent = wanted.trim().endsWith("%");
  const share = Number(isPercent ? wanted.trim().slice(0, -1) : wanted) / (isPercent ? 100 : 1);
  if (share > 0 && share < 1) return drawRows(keep, share, seed);
  if (!Number.isNaN(share)) {
    throw new UsageError(`--hold-out needs a share between 0 and 1, got ${wanted}`);
  }
  table.numbers(wanted, ", which is to say what is held out");
  throw new UsageError(`--hold-out cannot use ${wanted}`);
}

const HELD = /^(true|yes|y|1|test|testing|validation|valid|held|hold-?out)$/i;

/** A column of numbers holds out where it is not 0; one of words where they say so. */
function heldByColumn(table: Table, name: string): Uint8Array {
  if (table.isNumeric(name)) {
    return Uint8Array.from(table.numbers(name), (value) =>
      value !== 0 && !Number.isNaN(value) ? 1 : 0,
    );
  }
  return Uint8Array.from(table.texts(name), (text) => (HELD.test(text) ? 1 : 0));
}

/** Draws a share of the marked rows, the same ones for one seed. */
function drawRows(keep: Uint8Array, share: number, seed: number): Uint8Array {
  const rows = rowsWhere((row) => keep[row] === 1, keep.length);
  const wanted = Math.max(1, Math.round(share * rows.length));
  const held = new Uint8Array(keep.length);
  const random = new Random(seed);
  for (let at = 0; at < wanted && at < rows.length; at++) {
    const other = at + random.below(rows.length - at);
    const row = rows[other] as number;
    rows[other] = rows[at] as number;
    rows[at] = row;
    held[row] = 1;
  }
  return held;
}

/**
 * Tests of rows, on a machine of their own that is made when the first one is met. Rows whose tested
 * cell is missing pass: whatever the test says of other cells, they are left out as missing.
 */
class Tests {
  readonly #table: Table;
  #machine: Machine | undefined;
  /** Columns that expressions read. */
  readonly columns = new Set<string>();
  /** Columns that are compared with a word. */
  readonly words = new Set<string>();

  constructor(table: Table) {
    this.#table = table;
  }

  dispose(): void {
    this.#machine?.dispose();
  }

  async where(text: string): Promise<Uint8Array> {
    if (isExpression(text)) return this.expression(text, "--where");
    const [left, order, right] = orderTest(text) ?? [];
    if (order !== undefined)
      throw new UsageError(`--where needs a test '(${order} ${left} ${right})', got "${text}"`);
    const [name = "", sign, word = ""] = wordTest(text) ?? [];
    if (sign === undefined)
      throw new UsageError(`--where needs a test such as '(> t 2)' or cell=word, got "${text}"`);
    if (sign === "=" && word.startsWith("="))
      throw new UsageError(`--where has one =: ${name}=${word.slice(1)}, got "${text}"`);
    const number = word === "" ? Number.NaN : Number(word);
    const cells = this.#table.texts(name, " (--where)");
    // Who compares with nothing asks for missing cells.
    if (word !== "") this.words.add(name);
    return Uint8Array.from(cells, (cell) => {
      if (cell === "" && word !== "") return 1;
      const isEqual = cell === word || (cell !== "" && Number(cell) === number);
      return isEqual === (sign === "=") ? 1 : 0;
    });
  }

  async expression(text: string, option: string): Promise<Uint8Array> {
    this.#machine ??= await Machine.create();
    const table = this.#table;
    const source = { text, file: option };
    const program = loadProgram(this.#machine, source, { domain: "ieee" }, [], table.names);
    const columns: Record<string, Float64Array> = emptyRecord();
    for (const name of program.inputs) {
      columns[name] = table.numbers(name, `, which ${option} uses`);
      this.columns.add(name);
    }
    if (program.inputs.length === 0) {
      throw new UsageError(`${option} '${text}' uses no column of ${table.name}`);
    }
    requireTest(program, columns, text, option);
    const marker = loadProgram(
      this.#machine,
      { text: `(if ${text}\n 1 0)`, file: option },
      { domain: "ieee" },
      [],
      table.names,
    );
    const { values, failures: all } = marker.evaluate(columns);
    const isMissing = (row: number): boolean =>
      program.inputs.some((name) => Number.isNaN((columns[name] as Float64Array)[row]));
    const failures = all.filter(({ lane }) => !isMissing(lane));
    const [failure] = failures;
    if (failure !== undefined) {
      const rows = table.rowsInWords(failures.map(({ lane }) => lane));
      throw new NdvmError(
        failure.error.code,
        `${option} fails on ${rows}: ${failure.error.message}`,
      );
    }
    return Uint8Array.from(values, (value, row) => (isMissing(row) ? 1 : value));
  }
}

/** Refuses an expression whose value is no boolean: every number counts as true. */
function requireTest(
  program: Program,
  columns: Readonly<Record<string, Float64Array>>,
  text: string,
  option: string,
): void {
  const first = Object.entries(columns).map(([name, values]) => [name, values[0] ?? 0] as const);
  const value = program.evaluate(recordOf(first)).datum(0);
  if (typeof value === "boolean") return;
  throw new UsageError(
    `${option} '${text}' is not a test: its value is a number, not true or false`,
  );
}
