/**
 * How long a program's text may be. Reading it makes datums, core forms and the words of an image, all
 * outside of the machine: they may take `memoryMax` once more, and as much as a million characters take
 * however little that is. Whether they do is told by the text's length, before anything goes through it twice.
 *
 * What a character takes was measured (node 22): up to 210 bytes in lists, calls and forms of any kind that
 * have words of one letter, 30 in a list of numbers of 17 digits, and 870 for a quotation mark, which
 * is a list of two datums by itself.
 */

import { Class, classOf } from "../syntax/characters.js";
import { makeError } from "../words.js";

/** What a machine takes that is told nothing. */
export const MEMORY_MAX = 2 ** 30;

/** Of a character in a long word or after another blank, and of any other. */
const FOLLOWING_BYTES = 16;
const CHARACTER_BYTES = 192;
const MARK_BYTES = 880;
/** What a text may take on the smallest machine: a program of 1 MiB is read by any. */
const LEAST_BYTES = 2 ** 20 * CHARACTER_BYTES;
/** Characters of a word of which each counts as much as a word of one letter does. */
const WORD_BEGINNING = 2;
const QUOTE = 39;
const BACKQUOTE = 96;
const COMMA = 44;

/** Refuses a text that takes more than `memoryMax` when it is read, and more than a million characters do. */
export function requireReadable(source: string, memoryMax: number): void {
  const limit = Math.max(memoryMax, LEAST_BYTES);
  if (source.length * MARK_BYTES <= limit) return;
  if (source.length * FOLLOWING_BYTES <= limit && bytesOf(source) <= limit) return;
  const message = `the program's text takes more than the memory budget of ${limit} bytes when it is read`;
  throw makeError("E-MEMORY", { reason: "long", option: "memoryMax", limit }, { message });
}

/** Comments and |names| count as what they look like: text that hides as one is no shorter. */
function bytesOf(source: string): number {
  let bytes = 0;
  let before: Class | undefined;
  let length = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    const kind = classOf(code);
    length = kind === before ? length + 1 : 1;
    before = kind;
    if (code === QUOTE || code === BACKQUOTE || code === COMMA) bytes += MARK_BYTES;
    else if (kind === Class.Space && length > 1) bytes += FOLLOWING_BYTES;
    else if (kind === Class.Constituent && length > WORD_BEGINNING) bytes += FOLLOWING_BYTES;
    else bytes += CHARACTER_BYTES;
  }
  return bytes;
}
