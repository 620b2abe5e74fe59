/**
 * The report's figures, for clients that show results: HTML that stands inside another page.
 */

import { type Data, type FitOptions, type FitResult, own, type Program } from "@ndvm/core";
import type { FittedProblem, StudyMember, StudyRows } from "@ndvm/report";
import type { Answer, CallContext } from "./call.js";
import { frontShape, memberShape, studyShape } from "./shapes.js";
import { dataOf, type Fields, field, mapFields, refuse, unworded } from "./values.js";

/** A fit that was made, with what it was made of. */
export interface Fitted {
  readonly result: FitResult;
  readonly options: FitOptions;
  readonly program: Program;
}

export async function drawFit({ result, options, program }: Fitted): Promise<string> {
  const { fitFigures } = await import("@ndvm/report");
  const { data = {}, target, groups, trials } = options;
  const targets = target === undefined ? [] : typeof target === "string" ? [target] : target;
  const { columns, drawn } = columnsOf(data as Readonly<Record<string, unknown>>);
  const problem: FittedProblem = {
    source: { text: program.source, file: program.file },
    targets,
    columns: program.inputs.filter((name) => columns.has(name)),
    data: drawn,
    heldOut: undefined,
    table: undefined,
    rows: undefined,
    options: {
      ...(groups === undefined ? {} : { groups: { by: groups.by } }),
      ...(trials === undefined ? {} : { trials }),
    },
    readMilliseconds: 0,
  };
  return fitFigures(result, problem);
}

/** Columns of numbers as doubles, beside whatever else the data are. */
function columnsOf(data: Readonly<Record<string, unknown>>) {
  const columns = new Set<string>();
  const drawn = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(data)) {
    const isColumn = value instanceof Float64Array || value instanceof Float32Array;
    if (isColumn) columns.add(name);
    drawn[name] = isColumn ? Float64Array.from(value) : value;
  }
  return { columns, drawn: drawn as Data };
}

/** The figures of a search: its rows, the members of its front, and which of them was chosen. */
export async function drawSearch(fields: Fields, { arrays }: CallContext): Promise<Answer> {
  const { searchFigures } = await import("@ndvm/report");
  const { target, inputs, domain = "ieee" } = fields as Partial<StudyRows>;
  if (typeof target !== "string" || !Array.isArray(inputs))
    throw refuse("searchFigures takes a target and a list of inputs");
  studyShape(fields, "");
  const named = mapFields(field(fields, "data") ?? {}, "data", (one, name) =>
    dataOf(one, name, arrays),
  );
  const { drawn } = columnsOf(named);
  const train = Object.create(null) as Record<string, Float64Array>;
  const { length } = columnIn(drawn, target);
  for (const name of [...inputs, target]) train[name] = columnIn(drawn, name, length);
  const front = unworded(field(fields, "front"));
  frontShape(front, "front");
  const chosen = field(fields, "chosen") ?? undefined;
  const member = chosen === undefined ? undefined : unworded(chosen);
  if (member !== undefined) memberShape(member, "chosen");
  const rows = { target, inputs, domain, train, heldOut: {} };
  const html = await searchFigures(
    rows,
    front as readonly StudyMember[],
    member as StudyMember | undefined,
  );
  return { fields: { html } };
}

/** A column of numbers, as long as the target. */
function columnIn(data: Data, name: string, rows?: number): Float64Array {
  const column = own(data, name);
  if (!(column instanceof Float64Array) || column.length === 0)
    throw refuse(`searchFigures needs numbers in a column ${name}`);
  if (rows === undefined || column.length === rows) return column;
  throw refuse(`column ${name} has ${column.length} rows, the target has ${rows}`);
}
