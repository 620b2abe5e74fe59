/**
 * Memory: blocks of linear memory for program images, arenas and the caller's buffers.
 *
 * A block is a header (`BlockHeader`) and its content, a multiple of 16 bytes. Blocks lie side by
 * side. Freed neighbours join, so loading and disposing programs for ever does not grow memory; the
 * last block is no block any more once it is free, so what fits does not depend on how far blocks
 * once reached.
 * Free blocks lie in bins by the highest bit of their size, so that few of them are looked at; the
 * content of a free block begins with the free block before it in its bin.
 * Invariant: no two free blocks are neighbours, and the last block is not free; every free block is
 * in the bin of its size.
 */

import { HEADER_BYTES } from "../../src/program/layout";
import { freeAt, headerAt } from "./layout";

const HEADER: usize = HEADER_BYTES;
const PAGE: usize = 65536;
const SPLIT_MIN: usize = 64;

export let memoryMax: usize = 1 << 30;
let heapStart: usize = 0;
let heapEnd: usize = 0;
/** The first free block of each bin, and a bit for each bin that has one. */
const bins: usize = memory.data(32 * 4, 16);
let filledBins: u32 = 0;
let lastBlock: usize = 0;

/** Most bytes of linear memory the machine may take; whole pages. */
export function setMemoryMax(bytes: usize): void {
  memoryMax = bytes & ~(PAGE - 1);
}

export function memoryBytes(): usize {
  return <usize>memory.size() * PAGE;
}

@inline function bytesOf(block: usize): usize {
  return headerAt(block).bytes;
}

/** Bytes of the block whose content is at an address. */
export function bytesAt(content: usize): usize {
  return bytesOf(content - HEADER);
}

@inline function nextBlock(block: usize): usize {
  return block + HEADER + bytesOf(block);
}

@inline function binOf(bytes: usize): i32 {
  return 31 - clz<u32>(<u32>bytes);
}

@inline function firstOf(bin: i32): usize {
  return load<u32>(bins + ((<usize>bin) << 2));
}

function pushFree(block: usize): void {
  const bin = binOf(bytesOf(block));
  const next = firstOf(bin);
  headerAt(block).isFree = 1;
  headerAt(block).nextFree = next;
  freeAt(block).previousFree = 0;
  if (next != 0) freeAt(next).previousFree = block;
  store<u32>(bins + ((<usize>bin) << 2), <u32>block);
  filledBins |= 1 << bin;
}

function removeFree(block: usize): void {
  const bin = binOf(bytesOf(block));
  const next = headerAt(block).nextFree;
  const before = freeAt(block).previousFree;
  headerAt(block).isFree = 0;
  if (next != 0) freeAt(next).previousFree = before;
  if (before != 0) {
    headerAt(before).nextFree = next;
    return;
  }
  store<u32>(bins + ((<usize>bin) << 2), <u32>next);
  if (next == 0) filledBins &= ~(1 << bin);
}

function setBytes(block: usize, bytes: usize): void {
  headerAt(block).bytes = bytes;
  const next = block + HEADER + bytes;
  if (next < heapEnd) headerAt(next).before = bytes;
  else lastBlock = block;
}

/** Makes memory reach to `end`, which can lie beyond what 32 bits can say. */
function growTo(end: u64): bool {
  const have = <u64>memoryBytes();
  if (end <= have) return true;
  if (end > <u64>memoryMax) return false;
  // Grow by at least an eighth, so that many small requests stay cheap.
  const want = min<u64>(max<u64>(end, have + (have >> 3)), <u64>memoryMax);
  const pages = <i32>((want - have + <u64>PAGE - 1) / <u64>PAGE);
  return memory.grow(pages) >= 0;
}

/** Appends a block at the end of memory. */
function extend(bytes: usize): usize {
  if (heapStart == 0) {
    heapStart = (__heap_base + 15) & ~15;
    heapEnd = heapStart;
  }
  const block = heapEnd;
  if (!growTo(<u64>block + <u64>HEADER + <u64>bytes)) return 0;
  heapEnd = block + HEADER + bytes;
  headerAt(block).before = lastBlock == 0 ? 0 : bytesOf(lastBlock);
  headerAt(block).isFree = 0;
  setBytes(block, bytes);
  return block;
}

/** The smallest free block of a bin that is large enough, the lowest of several; 0: none is. */
function smallestIn(bin: i32, bytes: usize): usize {
  let best: usize = 0;
  for (let block = firstOf(bin); block != 0; block = headerAt(block).nextFree) {
    if (bytesOf(block) < bytes) continue;
    const isBetter =
      best == 0 ||
      bytesOf(block) < bytesOf(best) ||
      (bytesOf(block) == bytesOf(best) && block < best);
    if (isBetter) best = block;
  }
  return best;
}

/** The smallest free block that is large enough: of the bin of that size, else of the next one. */
function smallestFitting(bytes: usize): usize {
  const bin = binOf(bytes);
  const block = smallestIn(bin, bytes);
  if (block != 0) return block;
  // Shifted twice, because a shift by 32 is none.
  const larger = (filledBins >> bin) >> 1;
  return larger == 0 ? 0 : smallestIn(bin + 1 + ctz<u32>(larger), bytes);
}

/** A block of at least `size` bytes, aligned to 16; 0 where the memory budget does not allow it. */
export function allocate(size: usize): usize {
  if (size > 0xc0000000) return 0;
  const bytes = max<usize>((size + 15) & ~15, 16);
  let block = smallestFitting(bytes);
  if (block == 0) {
    block = extend(bytes);
    return block == 0 ? 0 : block + HEADER;
  }
  removeFree(block);
  const rest = bytesOf(block) - bytes;
  if (rest >= SPLIT_MIN) {
    setBytes(block, bytes);
    const tail = nextBlock(block);
    headerAt(tail).before = bytes;
    setBytes(tail, rest - HEADER);
    pushFree(tail);
  }
  return block + HEADER;
}

/** Gives a block back. */
export function free(ptr: usize): void {
  if (ptr == 0) return;
  let block = ptr - HEADER;
  let bytes = bytesOf(block);
  const next = block + HEADER + bytes;
  if (next < heapEnd && headerAt(next).isFree != 0) {
    removeFree(next);
    bytes += HEADER + bytesOf(next);
  }
  if (block > heapStart) {
    const before = block - HEADER - headerAt(block).before;
    if (headerAt(before).isFree != 0) {
      removeFree(before);
      bytes += HEADER + bytesOf(before);
      block = before;
    }
  }
  if (block + HEADER + bytes == heapEnd) {
    heapEnd = block;
    lastBlock = block == heapStart ? 0 : block - HEADER - headerAt(block).before;
    return;
  }
  setBytes(block, bytes);
  pushFree(block);
}
