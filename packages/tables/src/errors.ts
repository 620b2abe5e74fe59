/**
 * The errors of reading a table: E-FILE, with facts that say which row, column and text; E-OPTION
 * for an option that no table can be read with.
 */

import { type ErrorFacts, NdvmError } from "@ndvm/core";

export function tableError(
  name: string,
  message: string,
  facts: ErrorFacts,
  help?: string,
): NdvmError {
  return new NdvmError("E-FILE", `${name}: ${message}`, { facts, help });
}

export const EMPTY_HELP = "a table has a row of names and then rows of numbers";
export const TWICE_HELP = "rename one of them in the file's first row";

/** A text cut to what a message has room for. */
export const shortened = (text: string): string =>
  text.length > 40 ? `${text.slice(0, 39)}…` : text;

/** Refuses marks between cells that are more than one character, or mean something in a cell. */
export function requireDelimiter(mark: string | undefined): void {
  if (mark === undefined || /^[^"\r\n0-9.-]$/.test(mark)) return;
  throw new NdvmError("E-OPTION", `the delimiter cannot be ${JSON.stringify(mark)}`, {
    facts: { reason: "option", option: "delimiter", actual: mark },
    help: "it is one character, and no quote, line break, digit, point or minus sign",
  });
}
