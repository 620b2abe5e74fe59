/**
 * The public face of @ndvm/core/machine: programs, their values and gradients, and the errors. It
 * loads no code of fits and exports, for processes that shall start fast. Everything here is the
 * same object as in @ndvm/core.
 */

export { type ErrorCode, type ErrorFacts, NdvmError, type Reason, type Span } from "./errors.js";
export { over } from "./machine/inputs/axes.js";
export { int, mat, vec } from "./machine/inputs/inputs.js";
export { Machine } from "./machine/machine.js";
export type { Program, Run } from "./machine/program.js";
export { troublesOf } from "./machine/results/troubles.js";
export type { Session, SessionStats } from "./machine/run/session.js";
export { requireReadable } from "./machine/text-room.js";
export type * from "./machine/types.js";
export { emptyRecord, own, recordOf } from "./records.js";
export type { Datum } from "./syntax/datum.js";
export { type FormatErrorOptions, formatError } from "./syntax/format-error.js";
export { read } from "./syntax/read.js";
export { inOneLine, replaceUnseen, visible } from "./syntax/seen.js";
export { fileWord, shellWord } from "./syntax/shell-word.js";
export { nearest } from "./syntax/suggest.js";
export { makeError, type Speech, type Words, wordsFor } from "./words.js";
