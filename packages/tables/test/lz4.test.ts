/**
 * LZ4 frames of several blocks, by a small packer of this test's own: blocks may reach back into those before
 * them, as far as 64 KiB, whatever their size and whether they are packed themselves.
 */

import {
  CompressionType,
  setCompressionCodec,
  tableFromArrays,
  tableToIPC,
} from "@uwdata/flechette";
import { expect, test } from "vitest";
import { readTable } from "../src/index.js";
import { unpackLz4 } from "../src/lz4.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

/** Numbers in [0, 1), the same for a seed. */
function drawsOf(start: number): () => number {
  let state = start;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How far a match reaches back at most. */
const REACH = 65_535;
/** A block ends in so many bytes that are no match. */
const LITERALS_LAST = 5;
const MATCH_LEAST = 4;

interface Packing {
  /** Bytes of a block before it is packed. */
  readonly blockBytes: number;
  /** Whether matches reach into earlier blocks. */
  readonly isLinked: boolean;
  /** Every so many blocks one is not packed; 0: none. */
  readonly plainEvery: number;
}

const lengthBytes = (count: number): number[] => {
  if (count < 15) return [];
  const rest = count - 15;
  return [...Array<number>(Math.floor(rest / 255)).fill(255), rest % 255];
};

/** Packs bytes from start to end, with what is before them in sight; how many matches reach there. */
function packBlock(
  all: Uint8Array,
  start: number,
  end: number,
  seen: Map<number, number>,
): { bytes: number[]; reaching: number } {
  const bytes: number[] = [];
  let reaching = 0;
  let literalsFrom = start;
  const keyAt = (at: number): number =>
    (all[at] as number) |
    ((all[at + 1] as number) << 8) |
    ((all[at + 2] as number) << 16) |
    ((all[at + 3] as number) << 24);
  const emit = (to: number, offset: number, match: number): void => {
    const literals = to - literalsFrom;
    const low = match === 0 ? 0 : match - MATCH_LEAST;
    bytes.push((Math.min(15, literals) << 4) | Math.min(15, low), ...lengthBytes(literals));
    bytes.push(...all.subarray(literalsFrom, to));
    if (match > 0) bytes.push(offset & 255, offset >> 8, ...lengthBytes(low));
  };
  const matchEnd = end - LITERALS_LAST;
  for (let at = start; at + MATCH_LEAST <= matchEnd; ) {
    const key = keyAt(at);
    const from = seen.get(key);
    seen.set(key, at);
    if (from === undefined || at - from > REACH) {
      at += 1;
      continue;
    }
    let match = MATCH_LEAST;
    while (at + match < matchEnd && all[from + match] === all[at + match]) match += 1;
    emit(at, at - from, match);
    if (from < start) reaching += 1;
    at += match;
    literalsFrom = at;
  }
  emit(end, 0, 0);
  return { bytes, reaching };
}

const word = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);

function pack(all: Uint8Array, { blockBytes, isLinked, plainEvery }: Packing) {
  const parts: number[][] = [[...word(0x184d2204), isLinked ? 0x40 : 0x60, 0x40, 0]];
  let reaching = 0;
  let seen = new Map<number, number>();
  for (let start = 0, block = 1; start < all.length; start += blockBytes, block++) {
    const end = Math.min(all.length, start + blockBytes);
    if (!isLinked) seen = new Map();
    const packed = packBlock(all, start, end, seen);
    if (plainEvery > 0 && block % plainEvery === 0)
      parts.push(word(((end - start) | 0x80000000) >>> 0), [...all.subarray(start, end)]);
    else {
      parts.push(word(packed.bytes.length), packed.bytes);
      reaching += packed.reaching;
    }
  }
  parts.push(word(0));
  const frame = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return { frame, reaching };
}

/** Bytes with something to find: copies of what came before, near and far, runs, and noise. */
function bytesWith(draw: () => number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const count = Math.min(length - at, 1 + Math.floor(600 * draw() ** 3));
    const kind = draw();
    const back = 1 + Math.floor(Math.min(at, REACH + 2000) * draw());
    const run = Math.floor(256 * draw());
    for (let i = 0; i < count; i++)
      bytes[at + i] =
        kind < 0.5 && at > 0
          ? (bytes[at + i - Math.min(back, at)] as number)
          : kind < 0.7
            ? run
            : Math.floor(256 * draw());
    at += count;
  }
  return bytes;
}

test(`blocks reach back into those before them, SEED=${seed}`, () => {
  const draw = drawsOf(seed);
  for (const [blockBytes, length] of [
    [16, 900],
    [64, 3000],
    [1000, 20_000],
    [65_536, 200_000],
  ] as const)
    for (const isLinked of [true, false])
      for (const plainEvery of [0, 2, 3])
        for (let turn = 0; turn < 3; turn++) {
          const all = bytesWith(draw, length - turn);
          const { frame, reaching } = pack(all, { blockBytes, isLinked, plainEvery });
          const what = `blocks of ${blockBytes}, ${isLinked ? "linked" : "apart"}, ${plainEvery}`;
          expect(reaching > 0, what).toBe(isLinked);
          expect(Buffer.compare(unpackLz4(frame, all.length), all), what).toBe(0);
        }
});

test("matches reach back exactly 65,535 bytes, into any block before", () => {
  for (const blockBytes of [1000, 4096, 65_536])
    for (const distance of [1, 4, 999, 1000, 1001, 65_534, REACH]) {
      const draw = drawsOf(distance);
      const all = Uint8Array.from({ length: distance + 200_000 }, () => Math.floor(256 * draw()));
      // The end repeats what stands so far before it, and nothing else repeats.
      const start = all.length - 2 * blockBytes - 300;
      for (let at = start; at < all.length; at++) all[at] = all[at - distance] as number;
      const { frame } = pack(all, { blockBytes, isLinked: true, plainEvery: 0 });
      expect(Buffer.compare(unpackLz4(frame, all.length), all), `${distance}`).toBe(0);
    }
});

test("a match before the first byte is refused in every block", () => {
  const plain = Array.from({ length: 40 }, (_, at) => at);
  for (const before of [0, 1, 2]) {
    const filled = before * plain.length;
    for (const tooFar of [1, 2, 1000]) {
      const offset = filled + 1 + tooFar;
      const match = [0x10, 65, offset & 255, offset >> 8];
      const blocks = Array.from({ length: before }, () => [...word(0x80000000 + 40), ...plain]);
      const head = [...word(0x184d2204), 0x40, 0x40, 0];
      const bytes = [...head, ...blocks.flat(), ...word(match.length), ...match, ...word(0)];
      expect(() => unpackLz4(Uint8Array.from(bytes), filled + 5)).toThrow("out of range");
    }
  }
});

test(`a Feather file of long columns has its numbers and words, SEED=${seed}`, async () => {
  const draw = drawsOf(seed);
  const rows = 30_000;
  const numbers = Float64Array.from({ length: rows }, () => Math.floor(50 * draw()) / 4);
  const words = Array.from({ length: rows }, () => `word ${Math.floor(20 * draw())}`);
  let linked = 0;
  const encode = (bytes: Uint8Array): Uint8Array => {
    const { frame, reaching } = pack(bytes, {
      blockBytes: 65_536,
      isLinked: true,
      plainEvery: 0,
    });
    linked += reaching;
    return frame;
  };
  setCompressionCodec(CompressionType.LZ4_FRAME, { encode, decode: unpackLz4 });
  const file = tableToIPC(tableFromArrays({ numbers, words }), {
    format: "file",
    codec: CompressionType.LZ4_FRAME,
  }) as Uint8Array;
  expect(linked).toBeGreaterThan(100);
  const table = await readTable(file);
  expect(table.rowCount).toBe(rows);
  expect(
    Buffer.compare(Buffer.from(table.numbers("numbers").buffer), Buffer.from(numbers.buffer)),
  ).toBe(0);
  expect(table.texts("words").join()).toBe(words.join());
});
