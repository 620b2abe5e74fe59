/** zstd frames that hold more or fewer bytes than they should, in one block or several. */

import { describe, expect, test } from "vitest";
import { unpackZstd } from "../src/zstd.js";

const byteAt = (at: number): number => (at * 37) % 251;

/** A frame of blocks that are not packed. Without a window byte, all of it is the window. */
function frame(sizes: readonly number[], window: number | null = 0): Uint8Array {
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const head = window === null ? [0x20, all] : [0, window];
  let at = 0;
  const blocks = sizes.flatMap((size, index) => {
    const isLast = index === sizes.length - 1 ? 1 : 0;
    const bytes = Array.from({ length: size }, () => byteAt(at++));
    return [((size << 3) | isLast) & 0xff, (size >> 5) & 0xff, size >> 13, ...bytes];
  });
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, ...head, ...blocks);
}

describe("zstd", () => {
  test.each([[[5]], [[5, 3]], [[3, 4, 5]], [[1, 200, 7]], [[0, 6]]])("blocks of %j", (sizes) => {
    const length = sizes.reduce((sum, size) => sum + size, 0);
    const bytes = frame(sizes);
    expect([...unpackZstd(bytes, length)]).toEqual(Array.from({ length }, (_, at) => byteAt(at)));
    for (let said = 0; said < length; said++)
      expect(() => unpackZstd(bytes, said)).toThrow(`zstd gave more than ${said} bytes`);
    expect(() => unpackZstd(bytes, length + 1)).toThrow(
      `zstd gave ${length} bytes instead of ${length + 1}`,
    );
  });

  test("looks back no more than 128 MiB, as the head of a frame says it", () => {
    // Five bits of exponent from 10 on, three bits of eighths.
    expect(unpackZstd(frame([4], 17 << 3), 4)).toHaveLength(4);
    for (const [window, bytes] of [
      [(17 << 3) | 1, 2 ** 27 * 1.125],
      [18 << 3, 2 ** 28],
      [255, 2 ** 41 * 1.875],
    ] as const)
      expect(() => unpackZstd(frame([4], window), 4)).toThrow(`zstd looks back ${bytes} bytes`);
    expect(unpackZstd(frame([255], null), 255)).toHaveLength(255);
    expect(() => unpackZstd(frame([255], null), 2 ** 27 + 1)).toThrow("looks back");
  });
});
