/**
 * LZ4 frames, as Feather files are packed by default. Checksums are passed over: Arrow's own sizes
 * are checked by the caller.
 *
 *   frame   magic | flags | block descriptor | [content size 8] [dictionary 4] | check 1 | blocks | 0
 *   block   size 4 (top bit: not packed) | bytes | [check 4]
 *   bytes   token (literals << 4 | match − 4) | [more literals] | literals | offset 2 | [more match]
 */

const MAGIC = 0x184d2204;
const FLAG_BLOCK_CHECK = 0x10;
const FLAG_SIZE = 0x08;
const FLAG_DICTIONARY = 0x01;
const NOT_PACKED = 0x80000000;

/** Unpacks a frame into exactly so many bytes, or fails. */
export function unpackLz4(input: Uint8Array, length: number): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw new Error("it is not an LZ4 frame");
  const flags = view.getUint8(4);
  if ((flags & FLAG_DICTIONARY) !== 0) throw new Error("LZ4 with a dictionary is not supported");
  let at = 7 + ((flags & FLAG_SIZE) === 0 ? 0 : 8);
  const output = new Uint8Array(length);
  let filled = 0;
  for (;;) {
    const size = view.getUint32(at, true);
    at += 4;
    if (size === 0) break;
    const bytes = size & ~NOT_PACKED;
    // Behind a block there is the size of the next one.
    if (at + bytes + 4 > input.length) throw new Error("an LZ4 block is cut off");
    const block = input.subarray(at, at + bytes);
    if (size >= NOT_PACKED) {
      output.set(block, filled);
      filled += bytes;
    } else filled = unpackBlock(block, output, filled);
    at += bytes + ((flags & FLAG_BLOCK_CHECK) === 0 ? 0 : 4);
  }
  if (filled !== length) throw new Error(`LZ4 gave ${filled} bytes instead of ${length}`);
  return output;
}

/** Unpacks a block behind what is there already; where it ends. */
function unpackBlock(input: Uint8Array, output: Uint8Array, start: number): number {
  let from = 0;
  let to = start;
  const more = (count: number): number => {
    let all = count;
    for (let byte = 255; byte === 255; all += byte) byte = input[from++] ?? 0;
    return all;
  };
  while (from < input.length) {
    const token = input[from++] as number;
    const literals = token >> 4 === 15 ? more(15) : token >> 4;
    if (from + literals > input.length || to + literals > output.length)
      throw new Error("LZ4 literals are cut off");
    output.set(input.subarray(from, from + literals), to);
    from += literals;
    to += literals;
    if (from >= input.length) break;
    const offset = (input[from] as number) | ((input[from + 1] ?? 0) << 8);
    from += 2;
    const match = ((token & 15) === 15 ? more(15) : token & 15) + 4;
    if (offset === 0 || offset > to || to + match > output.length)
      throw new Error("an LZ4 match is out of range");
    for (let i = 0; i < match; i++, to++) output[to] = output[to - offset] as number;
  }
  return to;
}
