/** The errors of reading a table: E-FILE, with facts that say which row, column and text. */

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
