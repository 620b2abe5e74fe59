/**
 * The clients of the machine: what turns a text into a program. This is the one file of the machine
 * that knows which languages there are.
 */

import { assemble } from "../bytecode/assemble.js";
import { ParsedBytecode } from "../bytecode/parsed-bytecode.js";
import type { ParsedProgram } from "../program/parsed-program.js";
import { ParsedScheme } from "../program/parsed-scheme.js";
import { checkLoadOptions } from "./options.js";
import { MEMORY_MAX, requireReadable } from "./text-room.js";
import type { LoadOptions } from "./types.js";

/** Reads a text in its language, if that takes no more than `memoryMax`. */
export function readProgram(
  source: string,
  options: LoadOptions,
  memoryMax = MEMORY_MAX,
): ParsedProgram {
  checkLoadOptions(options);
  requireReadable(source, memoryMax);
  if (options.language === "bytecode") return new ParsedBytecode(assemble(source, options));
  return new ParsedScheme(source, undefined, options.inputs);
}
