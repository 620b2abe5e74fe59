/**
 * The report's figures, for clients that show results: HTML that stands inside another page.
 */

import { type Data, type FitOptions, type FitResult, own, type Program } from "@ndvm/core";
import type { FittedProblem, StudyMember, StudyRows } from "@ndvm/report";
import type { Answer, CallContext } from "./call.js";
import { dataOf, type Fields, field, isFields, mapFields, refuse, unworded } from "./values.js";

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
  const named = mapFields(field(fields, "data") ?? {}, "data", (one, name) =>
    dataOf(one, name, arrays),
  );
  const { drawn } = columnsOf(named);
  const train = Object.create(null) as Record<string, Float64Array>;
  for (const name of [...inputs, target]) train[name] = own(drawn, name) as Float64Array;
  const front = unworded(field(fields, "front")) as readonly StudyMember[];
  const chosen = field(fields, "chosen");
  const rows = { target, inputs, domain, train, heldOut: {} };
  const member = isFields(chosen) ? (unworded(chosen) as StudyMember) : undefined;
  return { fields: { html: await searchFigures(rows, front, member) } };
}
