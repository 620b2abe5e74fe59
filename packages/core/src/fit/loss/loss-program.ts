/**
 * The user's own loss of a point: an expression over `pred`, the target and the columns, as text or
 * as a loaded program.
 */

import { NdvmError } from "../../errors.js";
import type { Program } from "../../machine/program.js";
import { emptyRecord } from "../../records.js";
import { nearest } from "../../syntax/suggest.js";
import { causeOf, makeError } from "../../words.js";
import { numbersOf, repeated, type Table } from "../data/columns.js";
import { ownField, setField } from "../data/fields.js";
import type { Settings } from "../settings.js";
import type { FitOptions } from "../types.js";

/** Whether a loss that is no known name is an expression. */
export const isLossText = (loss: string): boolean => loss.trimStart().startsWith("(");

/** The program of a loss, loaded beside the model where it is text; undefined for a known name. */
export function loadLoss(model: Program, loss: Settings["loss"]): Program | undefined {
  if (typeof loss !== "string") return loss;
  if (!isLossText(loss)) return undefined;
  try {
    return model.loadBeside(loss, { file: "loss" });
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, span, source, file } = error;
    const facts = { reason: "within", actual: "the loss", cause: causeOf(error) } as const;
    throw makeError(code, facts, { span, source, file });
  }
}

/** Columns that the loss reads and the model does not. Other names are refused. */
export function lossColumns(
  loss: Program,
  { columns, targets }: Table,
  names: readonly string[],
  { data = emptyRecord() }: FitOptions,
): Record<string, Float64Array> {
  const others: Record<string, Float64Array> = {};
  const known = ["pred", "target", ...Object.keys(data)];
  for (const name of loss.inputs) {
    if (name === "pred" || (names.length === 1 && name === names[0])) continue;
    if (Object.hasOwn(columns, name)) continue;
    if (Object.hasOwn(data, name) && !names.includes(name))
      setField(others, name, repeated(numbersOf(name, data[name]), targets.length));
    else if (name !== "target") throw unknown(loss, name, names, known);
  }
  if (loss.inputs.includes("pred")) return others;
  throw new NdvmError("E-INPUT", "the loss does not use pred, the prediction", {
    source: loss.source,
    help: `as in (abs (- pred ${names.length === 1 ? names[0] : "target"}))`,
  });
}

/** The columns that a loss reads beside `pred`, a number for each point; `target` is how it calls the target. */
export function columnsOfLoss(
  loss: Program,
  table: Table,
  target: string,
): Record<string, Float64Array> {
  const columns: Record<string, Float64Array> = {};
  for (const name of loss.inputs) {
    if (name === "pred") continue;
    const own = ownField(table.columns, name) ?? ownField(table.others, name);
    const column =
      name === target ? table.target : (own ?? (name === "target" ? table.target : undefined));
    if (column === undefined)
      throw new NdvmError("E-INPUT", `the loss uses ${name}, which it cannot know`, {
        help: `it may use pred, the target ${target} and the columns the program reads`,
      });
    setField(columns, name, column);
  }
  return columns;
}

function unknown(
  loss: Program,
  name: string,
  names: readonly string[],
  known: readonly string[],
): NdvmError {
  const near = nearest(name, known);
  const may =
    names.length > 1
      ? "with several targets it may use pred, target (of the same output) and columns"
      : `it may use pred, the target ${names[0]} and the columns of the data`;
  return new NdvmError("E-INPUT", `the loss uses ${name}, which it cannot know`, {
    span: loss.parsed.inputSpan(name),
    source: loss.source,
    file: loss.file,
    help: near === undefined || names.includes(near) ? may : `did you mean ${near}? ${may}`,
  });
}
