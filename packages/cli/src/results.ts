/**
 * A result as table, JSON or CSV.
 *
 *   table   for eyes: numbers rounded, long results cut ("… 990 more lanes")
 *   csv     one row a lane, every digit, nothing cut; a tensor's elements are columns x[0], x[0,1]
 *   json    one object, every digit, nothing cut; numbers JSON cannot write are the strings
 *           "NaN", "Infinity" and "-Infinity"
 */

import type {
  DatumValue,
  Evaluation,
  GradientResult,
  Input,
  NdvmError,
  Precision,
  RunStats,
} from "@ndvm/core";
import { own, recordOf } from "@ndvm/core/machine";
import {
  bytesText,
  countText,
  exactText,
  formatGrid,
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

/** A number, (nested) bracketed numbers for a tensor: [1 2], [[1 0] [0 1]]. */
export function tensorText(
  values: ArrayLike<number>,
  start: number,
  shape: readonly number[],
  text: NumberText,
): string {
  const [rows = 1, cols] = shape;
  if (shape.length === 0) return text(values[start] ?? Number.NaN);
  const row = (from: number, count: number): string =>
    `[${Array.from({ length: count }, (_, i) => text(values[from + i] ?? Number.NaN)).join(" ")}]`;
  if (cols === undefined) return row(start, rows);
  return `[${Array.from({ length: rows }, (_, i) => row(start + i * cols, cols)).join(" ")}]`;
}

const gradientsOf = (result: Report["result"]): [string, Float64Array][] =>
  "gradients" in result ? Object.entries(result.gradients) : [];

function failedLanes(result: Report["result"]): Map<number, NdvmError> {
  return new Map(result.failures.map(({ lane, error }) => [lane, error]));
}

// ---- table ------------------------------------------------------------------------------------

export function tableText(report: Report): string {
  const { result } = report;
  if (result.lanes > 1) return lanesTable(report);
  const gradients = gradientsOf(result);
  if (gradients.length === 0) return singleValue(report);
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
  const table = formatTable(columns, gradients.length, "inputs", true);
  return `value  ${singleValue(report)}\n\n${table}`;
}

function singleValue({ result, precision }: Report): string {
  const [rows = 1, cols] = result.shape ?? [];
  if (result.shape === undefined) return result.print(0);
  const text: NumberText = (value) => exactText(value, precision);
  if (cols === undefined) return tensorText(result.values, 0, result.shape, text);
  return formatGrid(
    Array.from({ length: rows }, (_, row) =>
      Array.from({ length: cols }, (_, col) => text(result.values[row * cols + col] ?? Number.NaN)),
    ),
  );
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
  columns.push(right("value", (row) => failed.get(row)?.code ?? laneText(result, row)));
  for (const [name, values] of gradientsOf(result)) {
    const shape = shapeOfInput(own(report.inputs, name));
    const count = elementsOf(shape);
    columns.push(right(`d/d${name}`, (row) => tensorText(values, row * count, shape, shortText)));
  }
  return formatTable(columns, result.lanes, "lanes");
}

function laneText(result: Evaluation, lane: number): string {
  if (result.shape === undefined) return result.print(lane);
  return tensorText(result.values, lane * elementsOf(result.shape), result.shape, shortText);
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

interface CsvColumn {
  readonly title: string;
  cell(lane: number): string;
}

function csvColumns(
  title: string,
  values: ArrayLike<number>,
  shape: readonly number[],
  text: NumberText,
): CsvColumn[] {
  const count = elementsOf(shape);
  return Array.from({ length: count }, (_, element) => ({
    title: title + indexText(shape, element),
    cell: (lane) => text(values[lane * count + element] ?? Number.NaN),
  }));
}

/** CSV in pieces of many rows, so that a million lanes need no single string. */
export function* csvText(report: Report): Generator<string> {
  const { result, inputs, precision } = report;
  const text: NumberText = (value) => exactText(value, precision);
  const columns = laneColumns(report).flatMap(([name, values]) =>
    csvColumns(name, values, [], (value) => exactText(value, "f64")),
  );
  if (result.shape === undefined) {
    const failed = failedLanes(result);
    columns.push({ title: "value", cell: (lane) => (failed.has(lane) ? "" : result.print(lane)) });
  } else {
    columns.push(...csvColumns("value", result.values, result.shape, text));
  }
  for (const [name, values] of gradientsOf(result)) {
    columns.push(...csvColumns(`d/d${name}`, values, shapeOfInput(own(inputs, name)), text));
  }
  let lines = [columns.map((column) => quoteCell(column.title)).join(",")];
  for (let lane = 0; lane < result.lanes; lane++) {
    lines.push(columns.map((column) => quoteCell(column.cell(lane))).join(","));
    if (lines.length >= 4096) {
      yield `${lines.join("\n")}\n`;
      lines = [];
    }
  }
  if (lines.length > 0) yield `${lines.join("\n")}\n`;
}

// ---- json -------------------------------------------------------------------------------------

/** A number as JSON can carry it, with no more digits than its precision has. */
export function jsonNumber(value: number, precision: Precision): number | string {
  return Number.isFinite(value) ? Number(exactText(value, precision)) : String(value);
}

function jsonTensor(
  values: ArrayLike<number>,
  start: number,
  shape: readonly number[],
  precision: Precision,
): unknown {
  const [extent, ...rest] = shape;
  if (extent === undefined) return jsonNumber(values[start] ?? Number.NaN, precision);
  const step = elementsOf(rest);
  return Array.from({ length: extent }, (_, index) =>
    jsonTensor(values, start + index * step, rest, precision),
  );
}

function jsonDatum(value: DatumValue, precision: Precision): unknown {
  if (typeof value === "number") return jsonNumber(value, precision);
  if (typeof value === "symbol") return value.description ?? "";
  if (value instanceof Float64Array || Array.isArray(value)) {
    return Array.from(value as readonly DatumValue[], (item) => jsonDatum(item, precision));
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value as Record<string, DatumValue>);
  return recordOf(fields.map(([key, item]) => [key, jsonDatum(item, precision)]));
}

export function jsonText(report: Report, withStats: boolean): string {
  const { result, inputs, precision } = report;
  const { shape } = result;
  const failed = failedLanes(result);
  const perLane = (cell: (lane: number) => unknown): unknown[] =>
    Array.from({ length: result.lanes }, (_, lane) => cell(lane));
  const object: Record<string, unknown> = { lanes: result.lanes, shape: shape ?? null };
  object["values"] = perLane((lane) => {
    if (shape === undefined)
      return failed.has(lane) ? null : jsonDatum(result.datum(lane), precision);
    return jsonTensor(result.values, lane * elementsOf(shape), shape, precision);
  });
  if ("gradients" in result) {
    object["gradients"] = recordOf(
      gradientsOf(result).map(([name, values]) => {
        const inner = shapeOfInput(own(inputs, name));
        const count = elementsOf(inner);
        return [name, perLane((lane) => jsonTensor(values, lane * count, inner, precision))];
      }),
    );
    object["inactive"] = result.inactive;
  }
  object["failures"] = result.failures.map(({ lane, error }) => ({
    lane,
    code: error.code,
    message: error.message,
    facts: error.facts,
  }));
  object["nonFinite"] = result.nonFinite.map(({ lane, value, message, span }) => ({
    lane,
    value: String(value),
    message,
    span: span ?? null,
  }));
  if (withStats) object["stats"] = result.stats;
  return JSON.stringify(object);
}

// ---- what goes to stderr ----------------------------------------------------------------------

/** Warns of lanes that failed or are not finite, and of inputs that gradients do not reach. */
export function warnAbout(result: Evaluation | GradientResult): void {
  const some = (messages: readonly string[], noun: string): void => {
    for (const message of messages.slice(0, WARNINGS_MAX)) warn(message);
    const rest = messages.length - WARNINGS_MAX;
    if (rest > 0) warn(`… and ${rest} more ${noun}`);
  };
  some(
    result.failures.map(
      ({ lane, error }) => `lane ${lane} failed: ${error.code}: ${error.message}`,
    ),
    "failed lanes",
  );
  some(
    result.nonFinite.map(({ message }) => message),
    "lanes that are not finite",
  );
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
