/** zstd frames, as parts of Arrow files are packed, by fzstd. */

import { Decompress } from "fzstd";

/** Bytes that an unpacker may have to look back: zstd itself takes no more unless it is told to. */
const WINDOW_MAX = 2 ** 27;

/**
 * Unpacks into exactly so many bytes, or fails: part by part, since an unpacker that is given the output
 * does not say how much of it there was.
 */
export function unpackZstd(input: Uint8Array, length: number): Uint8Array {
  // The head of a frame: magic 4 | flags 1 | window 1, where the flags do not say that there is none.
  const [, , , , flags = 0, window = 0] = input;
  const largest =
    (flags & 0x20) === 0 ? 2 ** (10 + (window >> 3)) * (1 + (window & 7) / 8) : length;
  if (largest > WINDOW_MAX) throw new Error(`zstd looks back ${largest} bytes`);
  const output = new Uint8Array(length);
  let filled = 0;
  const unpacker = new Decompress((part) => {
    if (filled + part.length > length) throw new Error(`zstd gave more than ${length} bytes`);
    output.set(part, filled);
    filled += part.length;
  });
  unpacker.push(input, true);
  if (filled !== length) throw new Error(`zstd gave ${filled} bytes instead of ${length}`);
  return output;
}
