/**
 * A result as table, JSON or CSV.
 *
 *   table   for eyes: numbers rounded, long results cut ("… 990 more lanes")
 *   csv     one row a lane, every digit, nothing cut; a tensor's elements are columns x[0], x[0,1]
 *   json    one object, every digit, nothing cut; numbers JSON cannot write are the strings
 *           "NaN", "Infinity" and "-Infinity"
 *
 * Texts are made in pieces, number after number: a result may be as large as `--memory` allows, and
 * its text is many times as large.
 */

import type {
  DatumValue,
  Evaluation,
  GradientResult,
  Input,
  LaneFailure,
  NdvmError,
  Precision,
  RunStats,
} from "@ndvm/core";
import { own, troublesOf } from "@ndvm/core/machine";
import {
  bytesText,
  countText,
  exactText,
  gridLines,
  shortText,
  type TextColumn,
} from "@ndvm/report/text";
import { laneValues, type SetInputs } from "./inputs.js";
import { formatTable } from "./tables.js";
import { note, warn } from "./terminal.js";

export interface Report {
  readonly result: Evaluation | GradientResult;
  readonly inputs: SetInputs;
  readonly precision: Precision;
}

/** How many warnings of a kind are written out before the rest is only counted. */
const WARNINGS_MAX = 5;

const elementsOf = (shape: readonly number[]): number =>
  shape.reduce((count, extent) => count * extent, 1);

/** Shape of an input's gradient: the shape of the input. */
export function shapeOfInput(input: Input | undefined): readonly number[] {
  if (input === undefined || typeof input === "number") return [];
  const tensor = "kind" in input ? input : Array.isArray(input) ? input[0] : undefined;
  if (typeof tensor !== "object" || tensor.kind !== "tensor") return [];
  return tensor.rank === 1 ? [tensor.rows * tensor.cols] : [tensor.rows, tensor.cols];
}

/** Element e of a tensor of this shape as [i] or [i,j]; "" for a number. */
function indexText(shape: readonly number[], element: number): string {
  if (shape.length === 0) return "";
  const cols = shape[1];
  return cols === undefined ? `[${element}]` : `[${Math.floor(element / cols)},${element % cols}]`;
}

type NumberText = (value: number) => string;

/** Characters of a piece that is written at once. */
const PIECE_LENGTH = 2 ** 16;

/** How rows of numbers are written: what opens and closes one, what stands between two. */
type Brackets = readonly [open: string, between: string, close: string];
const SCHEME: Brackets = ["[", " ", "]"];
const JSON_ARRAY: Brackets = ["[", ",", "]"];

/** A number, or the numbers of a tensor in nested brackets, piece by piece. */
function* tensorTexts(
  values: ArrayLike<number>,
  start: number,
  shape: readonly number[],
  text: NumberText,
  brackets: Brackets = SCHEME,
): Generator<string> {
  const [extent, ...rest] = shape;
  if (extent === undefined) {
    yield text(values[start] ?? Number.NaN);
    return;
  }
  const [open, between, close] = brackets;
  const step = elementsOf(rest);
  let piece = open;
  for (let index = 0; index < extent; index++) {
    if (index > 0) piece += between;
    if (rest.length === 0) piece += text(values[start + index] ?? Number.NaN);
    if (rest.length === 0 && piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
    if (rest.length > 0) yield* tensorTexts(values, start + index * step, rest, text, brackets);
  }
  yield piece + close;
}

/** A number, (nested) bracketed numbers for a tensor: [1 2], [[1 0] [0 1]]. */
export function tensorText(
  values: ArrayLike<number>,
  start: number,
  shape: readonly number[],
  text: NumberText,
): string {
  return [...tensorTexts(values, start, shape, text)].join("");
}

/** Many short texts as fewer, longer ones. */
export function* inPieces(texts: Iterable<string>): Generator<string> {
  let piece: string[] = [];
  let length = 0;
  for (const text of texts) {
    piece.push(text);
    length += text.length;
    if (length < PIECE_LENGTH) continue;
    yield piece.join("");
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield piece.join("");
}

const gradientsOf = (result: Report["result"]): [string, Float64Array][] =>
  "gradients" in result ? Object.entries(result.gradients) : [];

/** The codes of lanes that failed. */
const failedLanes = (result: Report["result"]): Map<number, NdvmError["code"]> =>
  new Map([...troublesOf(result).failed].map(({ lane, error }) => [lane, error.code]));

// ---- table ------------------------------------------------------------------------------------

export function tableText(report: Report): Generator<string> {
  return inPieces(tableTexts(report));
}

function* tableTexts(report: Report): Generator<string> {
  const { result } = report;
  if (result.lanes > 1) {
    yield `${lanesTable(report)}\n`;
    return;
  }
  const gradients = gradientsOf(result);
  if (gradients.length > 0) yield "value  ";
  yield* singleValue(report);
  yield "\n";
  if (gradients.length > 0) yield `\n${gradientTable(report, gradients)}\n`;
}

function gradientTable(report: Report, gradients: readonly [string, Float64Array][]): string {
  const digits: NumberText = (value) => exactText(value, report.precision);
  const columns: TextColumn[] = [
    { title: "input", align: "left", cell: (row) => gradients[row]?.[0] ?? "" },
    { title: "at", align: "left", cell: (row) => inputText(report, gradients[row]?.[0] ?? "") },
    {
      title: "gradient",
      align: "left",
      cell: (row) => {
        const [name = "", values = []] = gradients[row] ?? [];
        return tensorText(values, 0, shapeOfInput(own(report.inputs, name)), digits);
      },
    },
  ];
  return formatTable(columns, gradients.length, "inputs", true);
}

function* singleValue({ result, precision }: Report): Generator<string> {
  const { shape } = result;
  if (shape === undefined) {
    yield result.print(0);
    return;
  }
  const { values } = result;
  const text: NumberText = (value) => exactText(value, precision);
  const [rows = 1, cols] = shape;
  if (cols === undefined) {
    yield* tensorTexts(values, 0, shape, text);
    return;
  }
  let separator = "";
  const cell = (row: number, col: number): string => text(values[row * cols + col] ?? Number.NaN);
  for (const line of gridLines(rows, cols, cell)) {
    yield separator + line;
    separator = "\n";
  }
}

function inputText({ inputs, precision }: Report, name: string): string {
  const input = own(inputs, name);
  if (input === undefined) return "";
  if (typeof input === "number") return exactText(input, precision);
  const lanes = laneValues(input);
  if (lanes !== undefined) return exactText(lanes[0] ?? Number.NaN, precision);
  return "kind" in input && input.kind === "tensor"
    ? tensorText(input.data, 0, shapeOfInput(input), shortText)
    : "";
}

function lanesTable(report: Report): string {
  const { result } = report;
  const failed = failedLanes(result);
  const right = (title: string, cell: (row: number) => string): TextColumn => ({
    title,
    align: "right",
    cell,
  });
  const columns = [right("lane", String)];
  for (const [name, values] of laneColumns(report)) {
    columns.push(right(name, (row) => shortText(values[row] ?? Number.NaN)));
  }
  columns.push(right("value", (row) => failed.get(row) ?? laneText(result, row)));
  for (const [name, values] of gradientsOf(result)) {
    const shape = shapeOfInput(own(report.inputs, name));
    const count = elementsOf(shape);
    columns.push(right(`d/d${name}`, (row) => tensorText(values, row * count, shape, shortText)));
  }
  return formatTable(columns, result.lanes, "lanes");
}

/** Numbers of one lane that a table shows, and characters of structure. */
const LANE_NUMBERS = 1000;
const LANE_CHARACTERS = 20_000;

function laneText(result: Evaluation, lane: number): string {
  const { shape } = result;
  if (shape === undefined) return cutText(result.print(lane));
  const count = elementsOf(shape);
  if (count <= LANE_NUMBERS) return tensorText(result.values, lane * count, shape, shortText);
  const first = tensorText(result.values, lane * count, [LANE_NUMBERS], shortText).slice(0, -1);
  return `${shape.length > 1 ? "[" : ""}${first} … ${count - LANE_NUMBERS} more numbers`;
}

/** The first characters of a long text, as a text of its own: a slice would keep all of it. */
function cutText(text: string): string {
  if (text.length <= LANE_CHARACTERS) return text;
  const rest = text.length - LANE_CHARACTERS;
  return `${Array.from(text.slice(0, LANE_CHARACTERS)).join("")}… ${rest} more characters`;
}

export function laneColumns({ inputs, result }: Report): [string, ArrayLike<number>][] {
  return Object.entries(inputs).flatMap(([name, input]) => {
    const values = laneValues(input);
    return values === undefined || values.length !== result.lanes ? [] : [[name, values]];
  });
}

// ---- csv --------------------------------------------------------------------------------------

const quoteCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Columns of numbers, one for each element of a shape, or one of text. */
interface CsvColumns {
  readonly title: string;
  readonly shape: readonly number[];
  cell(lane: number, element: number): string;
}

function numberColumns(
  title: string,
  values: ArrayLike<number>,
  shape: readonly number[],
  text: NumberText,
): CsvColumns {
  const count = elementsOf(shape);
  const cell = (lane: number, element: number): string =>
    text(values[lane * count + element] ?? Number.NaN);
  return { title, shape, cell };
}

function csvColumns(report: Report): CsvColumns[] {
  const { result, inputs, precision } = report;
  const text: NumberText = (value) => exactText(value, precision);
  const columns = laneColumns(report).map(([name, values]) =>
    numberColumns(name, values, [], (value) => exactText(value, "f64")),
  );
  if (result.shape === undefined) {
    const failed = failedLanes(result);
    const cell = (lane: number): string => (failed.has(lane) ? "" : result.print(lane));
    columns.push({ title: "value", shape: [], cell });
  } else {
    columns.push(numberColumns("value", result.values, result.shape, text));
  }
  for (const [name, values] of gradientsOf(result)) {
    columns.push(numberColumns(`d/d${name}`, values, shapeOfInput(own(inputs, name)), text));
  }
  return columns;
}

/** CSV in pieces, so that a million lanes or elements need no single string. */
export function csvText(report: Report): Generator<string> {
  return inPieces(csvTexts(report));
}

function* csvTexts(report: Report): Generator<string> {
  const columns = csvColumns(report);
  yield* csvLine(columns, ({ title, shape }, element) => title + indexText(shape, element));
  for (let lane = 0; lane < report.result.lanes; lane++)
    yield* csvLine(columns, (column, element) => column.cell(lane, element));
}

function* csvLine(
  columns: readonly CsvColumns[],
  text: (column: CsvColumns, element: number) => string,
): Generator<string> {
  let separator = "";
  for (const column of columns) {
    const count = elementsOf(column.shape);
    for (let element = 0; element < count; element++) {
      yield separator + quoteCell(text(column, element));
      separator = ",";
    }
  }
  yield "\n";
}

// ---- json -------------------------------------------------------------------------------------

/** A number as JSON can carry it, with no more digits than its precision has. */
export function jsonNumber(value: number, precision: Precision): number | string {
  return Number.isFinite(value) ? Number(exactText(value, precision)) : String(value);
}

/** A piece of JSON among values that are still to be written. */
class Piece {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const COMMA = new Piece(",");
const CLOSE_LIST = new Piece("]");
const CLOSE_RECORD = new Piece("}");

/** A datum as JSON, piece by piece and without recursion: lists may be large and deep. */
function* datumTexts(datum: DatumValue, precision: Precision): Generator<string> {
  const number: NumberText = (value) => JSON.stringify(jsonNumber(value, precision));
  const work: (DatumValue | Piece)[] = [datum];
  while (work.length > 0) {
    const next = work.pop() as DatumValue | Piece;
    if (next instanceof Piece) yield next.text;
    else if (typeof next === "number") yield number(next);
    else if (typeof next === "symbol") yield JSON.stringify(next.description ?? "");
    else if (next instanceof Float64Array)
      yield* tensorTexts(next, 0, [next.length], number, JSON_ARRAY);
    else if (typeof next !== "object" || next === null) yield JSON.stringify(next);
    else yield openDatum(next, work);
  }
}

/** How a list or a record begins; what is in it is put on the stack, its end below it. */
function openDatum(datum: DatumValue & object, work: (DatumValue | Piece)[]): string {
  if (Array.isArray(datum)) {
    work.push(CLOSE_LIST);
    for (let i = datum.length - 1; i >= 0; i--) {
      work.push(datum[i] as DatumValue);
      if (i > 0) work.push(COMMA);
    }
    return "[";
  }
  work.push(CLOSE_RECORD);
  const fields = Object.entries(datum as Record<string, DatumValue>);
  for (const [i, [key, item]] of [...fields.entries()].reverse())
    work.push(item, new Piece(`${i > 0 ? "," : ""}${JSON.stringify(key)}:`));
  return "{";
}

/** One JSON object in pieces. */
export function jsonText(report: Report, withStats: boolean): Generator<string> {
  return inPieces(jsonTexts(report, withStats));
}

function* jsonTexts(report: Report, withStats: boolean): Generator<string> {
  const { result, inputs, precision } = report;
  const shape = result.shape ?? null;
  yield `{"lanes":${result.lanes},"shape":${JSON.stringify(shape)},"values":`;
  if (shape === null) yield* jsonData(result, precision);
  else yield* jsonLanes(result.lanes, result.values, shape, precision);
  if ("gradients" in result) {
    yield ',"gradients":{';
    let separator = "";
    for (const [name, values] of gradientsOf(result)) {
      yield `${separator}${JSON.stringify(name)}:`;
      yield* jsonLanes(result.lanes, values, shapeOfInput(own(inputs, name)), precision);
      separator = ",";
    }
    yield `},"inactive":${JSON.stringify(result.inactive)}`;
  }
  yield* jsonTroubles(result);
  if (withStats) yield `,"stats":${JSON.stringify(result.stats)}`;
  yield "}\n";
}

/** The numbers of every lane. */
function jsonLanes(
  lanes: number,
  values: ArrayLike<number>,
  shape: readonly number[],
  precision: Precision,
): Generator<string> {
  const text: NumberText = (value) => JSON.stringify(jsonNumber(value, precision));
  return tensorTexts(values, 0, [lanes, ...shape], text, JSON_ARRAY);
}

/** The structure of every lane. */
function* jsonData(result: Evaluation, precision: Precision): Generator<string> {
  const failed = failedLanes(result);
  let separator = "[";
  for (let lane = 0; lane < result.lanes; lane++) {
    yield separator;
    yield* datumTexts(failed.has(lane) ? null : result.datum(lane), precision);
    separator = ",";
  }
  yield "]";
}

/** The lanes that failed and those that are not finite. */
function* jsonTroubles(result: Report["result"]): Generator<string> {
  const { failed, notFinite } = troublesOf(result);
  let separator = ',"failures":[';
  for (const { lane, error } of failed) {
    const { code, message, facts } = error;
    yield separator + JSON.stringify({ lane, code, message, facts });
    separator = ",";
  }
  yield failed.count === 0 ? `${separator}]` : "]";
  separator = ',"nonFinite":[';
  for (const { lane, value, message, span } of notFinite) {
    yield separator + JSON.stringify({ lane, value: String(value), message, span: span ?? null });
    separator = ",";
  }
  yield notFinite.count === 0 ? `${separator}]` : "]";
}

// ---- what goes to stderr ----------------------------------------------------------------------

/** Warns of the first entries of a list, and counts the others. */
function warnOfSome<Entry>(
  entries: Iterable<Entry> & { readonly count: number },
  messageOf: (entry: Entry) => string,
  noun: string,
): void {
  let told = 0;
  for (const entry of entries) {
    if (told === WARNINGS_MAX) break;
    warn(messageOf(entry));
    told += 1;
  }
  if (entries.count > told) warn(`… and ${entries.count - told} more ${noun}`);
}

/** Warns of lanes that failed or are not finite, and of inputs that gradients do not reach. */
export function warnAbout(result: Evaluation | GradientResult): void {
  const { failed, notFinite } = troublesOf(result);
  const failure = ({ lane, error: { code, message } }: LaneFailure) =>
    `lane ${lane} failed: ${code}: ${message}`;
  warnOfSome(failed, failure, "failed lanes");
  warnOfSome(notFinite, ({ message }) => message, "lanes that are not finite");
  if ("inactive" in result && result.inactive.length > 0) {
    warn(
      `${result.inactive.join(", ")} reach${result.inactive.length === 1 ? "es" : ""} the result ` +
        "through tests only, or not at all: the gradient is zero",
    );
  }
}

export function statsText(stats: RunStats): string {
  const rows: [string, string][] = [
    ["lanes", countText(stats.lanes)],
    ["steps", countText(stats.steps)],
    [
      "payloads",
      `${countText(stats.payloads)} (${countText(stats.uniformPayloads)} uniform, ` +
        `${countText(stats.activePayloads)} active)`,
    ],
    ["tape records", `${countText(stats.tapeRecords)} (${bytesText(stats.tapeBytes)})`],
    ["primals", bytesText(stats.primalBytes)],
    ["adjoints", bytesText(stats.adjointBytes)],
    [
      "heap",
      `${countText(stats.heapObjects)} objects (${bytesText(stats.heapBytes)}), ` +
        `${countText(stats.compactions)} compactions`,
    ],
    ["memory held", bytesText(stats.memoryBytes)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(13)} ${value}`).join("\n");
}

export function noteStats(stats: RunStats): void {
  note(statsText(stats));
}
