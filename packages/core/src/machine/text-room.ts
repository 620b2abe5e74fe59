/**
 * How long a program's text may be. Reading it makes datums, core forms and the words of an image, all
 * outside of the machine: they may take `memoryMax` once more. Whether they do is told by the text's
 * length, before anything goes through it twice.
 *
 * What a character takes was measured (node 22): 30 to 270 bytes in lists, calls and forms of any
 * kind, 870 for a quotation mark, which is a list of two datums by itself.
 */

import { makeError } from "../words.js";

/** What a machine takes that is told nothing. */
export const MEMORY_MAX = 2 ** 30;

const CHARACTER_BYTES = 192;
const MARK_BYTES = 880;
const QUOTE = 39;
const BACKQUOTE = 96;
const COMMA = 44;

/** Refuses a text that takes more than `memoryMax` when it is read. */
export function requireReadable(source: string, memoryMax: number): void {
  if (source.length * MARK_BYTES <= memoryMax) return;
  if (source.length * CHARACTER_BYTES <= memoryMax && bytesOf(source) <= memoryMax) return;
  throw makeError(
    "E-MEMORY",
    { reason: "long", option: "memoryMax", limit: memoryMax },
    {
      message:
        `the program's text takes more than the memory budget of ${memoryMax} bytes ` +
        "when it is read",
    },
  );
}

function bytesOf(source: string): number {
  let marks = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === QUOTE || code === BACKQUOTE || code === COMMA) marks += 1;
  }
  return (source.length - marks) * CHARACTER_BYTES + marks * MARK_BYTES;
}
