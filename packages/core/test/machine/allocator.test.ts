/**
 * Blocks of linear memory against a plain list: every request gets the smallest free block that is
 * large enough, the lowest of several; what is left over stays free; freed neighbours join, and those
 * at the end are no blocks any more.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { HEADER_BYTES } from "../../src/program/layout.js";
import { Random } from "../fuzz/random.js";
import { precisions } from "./support.js";

interface Exports {
  readonly memory: WebAssembly.Memory;
  allocate(bytes: number): number;
  free(address: number): void;
  setMemoryMax(bytes: number): void;
  memoryBytes(): number;
}

interface Block {
  /** Where its content begins. */
  at: number;
  bytes: number;
  isFree: boolean;
}

/** A free rest of fewer bytes stays with its block. */
const SPLIT_MIN = 64;
const PAGE = 65_536;

class PlainMemory {
  readonly blocks: Block[] = [];

  constructor(
    readonly start: number,
    readonly bytesMax: number,
  ) {}

  allocate(size: number): number {
    const bytes = Math.max(Math.ceil(size / 16) * 16, 16);
    const fitting = this.blocks.filter((block) => block.isFree && block.bytes >= bytes);
    const [best] = fitting.sort((a, b) => a.bytes - b.bytes || a.at - b.at);
    if (best === undefined) return this.#extend(bytes);
    best.isFree = false;
    const rest = best.bytes - bytes;
    if (rest >= SPLIT_MIN) {
      best.bytes = bytes;
      const tail = {
        at: best.at + bytes + HEADER_BYTES,
        bytes: rest - HEADER_BYTES,
        isFree: true,
      };
      this.blocks.splice(this.blocks.indexOf(best) + 1, 0, tail);
    }
    return best.at;
  }

  #extend(bytes: number): number {
    const last = this.blocks.at(-1);
    const at = (last ? last.at + last.bytes : this.start) + HEADER_BYTES;
    if (at + bytes > this.bytesMax) return 0;
    this.blocks.push({ at, bytes, isFree: false });
    return at;
  }

  free(at: number): void {
    const index = this.blocks.findIndex((block) => block.at === at);
    (this.blocks[index] as Block).isFree = true;
    this.#join(index);
    if (index > 0) this.#join(index - 1);
    if (this.blocks.at(-1)?.isFree) this.blocks.pop();
  }

  #join(index: number): void {
    const [block, next] = this.blocks.slice(index, index + 2);
    if (!block?.isFree || !next?.isFree) return;
    block.bytes += HEADER_BYTES + next.bytes;
    this.blocks.splice(index + 1, 1);
  }
}

/** Sizes on both sides of every bound: of a block, of a rest that is split off, of a bin. */
function sizeOf(random: Random): number {
  const power = 2 ** random.between(4, 16);
  return random.chance(0.3) ? random.between(0, 200) : Math.max(0, power + random.between(-40, 40));
}

describe.each(precisions)("in %s", (precision) => {
  const file = new URL(`../../build/ndvm-${precision}.wasm`, import.meta.url);
  const module = new WebAssembly.Module(readFileSync(file));

  test.each([1, 2, 3, 4])("blocks lie where those of a plain list do, %d", (seed) => {
    const exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    const bytesMax = 2 ** 20 + 7 * PAGE;
    exports.setMemoryMax(bytesMax + 5);
    const first = exports.allocate(1);
    const plain = new PlainMemory(first - HEADER_BYTES, bytesMax);
    expect(plain.allocate(1)).toBe(first);
    const random = new Random(seed, 9);
    const held: { at: number; size: number; mark: number }[] = [];
    let refused = 0;
    for (let turn = 0; turn < 3000; turn++) {
      // Memory fills up and empties in turns.
      const isFilling = turn % 1000 < 600;
      if (held.length > 0 && random.chance(isFilling ? 0.3 : 0.7)) {
        const [{ at, size, mark }] = held.splice(random.below(held.length), 1) as [
          (typeof held)[0],
        ];
        const content = new Uint8Array(exports.memory.buffer, at, size);
        expect(content.every((byte) => byte === mark)).toBe(true);
        exports.free(at);
        plain.free(at);
        continue;
      }
      const size = sizeOf(random);
      const at = exports.allocate(size);
      expect(at).toBe(plain.allocate(size));
      if (at === 0) refused += 1;
      else {
        const mark = turn & 255;
        new Uint8Array(exports.memory.buffer, at, size).fill(mark);
        held.push({ at, size, mark });
      }
    }
    expect(refused).toBeGreaterThan(0);
    expect(exports.memoryBytes()).toBeLessThanOrEqual(bytesMax);
    for (const { at } of held.splice(0)) {
      exports.free(at);
      plain.free(at);
    }
    exports.free(first);
    exports.free(0);
    expect(plain.blocks).toHaveLength(1);
    expect(exports.allocate(bytesMax - first + 16)).toBe(0);
    expect(exports.allocate(bytesMax - first)).toBe(first);
    expect(exports.allocate(0xc0000001)).toBe(0);
  });
});
