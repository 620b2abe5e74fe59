/**
 * The data of a search: the rows of a table that are used, as columns, and which are held out.
 */

import { NdvmError, recordOf } from "@ndvm/core";
import type { Table } from "@ndvm/tables";
import { readTableFile } from "@ndvm/tables/node";
import { chooseRows, textColumns } from "../fit/rows.js";
import { UsageError } from "../inputs.js";
import { tableOptions } from "../table-options.js";
import { note } from "../terminal.js";
import type { SearchCommandOptions } from "./options.js";

export interface StudyData {
  readonly data: Readonly<Record<string, Float64Array>>;
  readonly inputs: readonly string[];
  /** Rows of `data` that are held out; undefined: the search chooses. */
  readonly holdOut: readonly number[] | undefined;
}

export async function readStudyData(options: SearchCommandOptions): Promise<StudyData> {
  const where = options.where ?? [];
  const texts = textColumns(where, options.holdOut, undefined);
  const table = await readTableFile(options.data, { texts, ...tableOptions(options) });
  const inputs = inputsOf(table, options);
  const used = [...inputs, options.target];
  const rows = await chooseRows(table, {
    numbers: used,
    groups: undefined,
    where,
    holdOut: options.holdOut,
    missing: "omit",
    seed: options.seed ?? 0,
  });
  if (rows.missing > 0 && !options.quiet) {
    note(`${rows.missing} of ${table.rowCount} rows have missing values and are left out`);
  }
  const taken = [...rows.taken, ...rows.heldOut];
  if (taken.length === 0) throw new UsageError(`no row of ${table.name} is left`);
  const data = recordOf(
    used.map((name) => {
      const numbers = table.numbers(name);
      const bad = taken.find((row) => !Number.isFinite(numbers[row]));
      if (bad !== undefined)
        throw new NdvmError(
          "E-INPUT",
          `column ${name} holds ${numbers[bad]} in ${table.rowsInWords([bad])}`,
          { help: `leave such rows out: --where '(finite? ${name})'` },
        );
      return [name, Float64Array.from(taken, (row) => numbers[row] ?? Number.NaN)];
    }),
  );
  const held = Array.from(rows.heldOut, (_, index) => rows.taken.length + index);
  return { data, inputs, holdOut: options.holdOut === undefined ? undefined : held };
}

/** The columns asked for; else every column of numbers but the target. */
function inputsOf(table: Table, { inputs, target }: SearchCommandOptions): readonly string[] {
  table.numbers(target, ", which is to be the target");
  if (inputs !== undefined) {
    for (const name of inputs) table.numbers(name, ", which is to be an input");
    return inputs;
  }
  const others = table.names.filter((name) => name !== target && table.isNumeric(name));
  if (others.length > 0) return others;
  throw new UsageError(`${table.name} has no column of numbers besides ${target}`);
}
