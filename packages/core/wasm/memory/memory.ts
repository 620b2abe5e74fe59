/**
 * Memory: blocks of linear memory for program images, arenas and the caller's buffers.
 *
 *   block   | bytes u32 | bytes of the block before u32 | free u32 | next free u32 | content … |
 *
 * Blocks lie side by side; `bytes` counts the content, a multiple of 16. Freed neighbours join, so
 * loading and disposing programs for ever does not grow memory. Free blocks lie in bins by the
 * highest bit of their size, so that few of them are looked at; the content of a free block begins
 * with the free block before it in its bin.
 * Invariant: no two free blocks are neighbours; every free block is in the bin of its size.
 */

const HEADER: usize = 16;
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
  return load<u32>(block);
}

@inline function nextBlock(block: usize): usize {
  return block + HEADER + bytesOf(block);
}

@inline function binOf(bytes: usize): i32 {
  return 31 - clz<u32>(<u32>bytes);
}

@inline function firstOf(bin: i32): usize {
  return load<u32>(bins + (<usize>bin << 2));
}

function pushFree(block: usize): void {
  const bin = binOf(bytesOf(block));
  const next = firstOf(bin);
  store<u32>(block, 1, 8);
  store<u32>(block, <u32>next, 12);
  store<u32>(block, 0, HEADER);
  if (next != 0) store<u32>(next, <u32>block, HEADER);
  store<u32>(bins + (<usize>bin << 2), <u32>block);
  filledBins |= 1 << bin;
}

function removeFree(block: usize): void {
  const bin = binOf(bytesOf(block));
  const next = <usize>load<u32>(block, 12);
  const before = <usize>load<u32>(block, HEADER);
  store<u32>(block, 0, 8);
  if (next != 0) store<u32>(next, <u32>before, HEADER);
  if (before != 0) {
    store<u32>(before, <u32>next, 12);
    return;
  }
  store<u32>(bins + (<usize>bin << 2), <u32>next);
  if (next == 0) filledBins &= ~(1 << bin);
}

function setBytes(block: usize, bytes: usize): void {
  store<u32>(block, <u32>bytes);
  const next = block + HEADER + bytes;
  if (next < heapEnd) store<u32>(next, <u32>bytes, 4);
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

/** Appends a block at the end of memory, or lengthens the last one if it is free. */
function extend(bytes: usize): usize {
  if (heapStart == 0) {
    heapStart = (__heap_base + 15) & ~15;
    heapEnd = heapStart;
  }
  if (lastBlock != 0 && load<u32>(lastBlock, 8) != 0) {
    const block = lastBlock;
    if (!growTo(<u64>block + <u64>HEADER + <u64>bytes)) return 0;
    removeFree(block);
    heapEnd = block + HEADER + bytes;
    setBytes(block, bytes);
    return block;
  }
  const block = heapEnd;
  if (!growTo(<u64>block + <u64>HEADER + <u64>bytes)) return 0;
  heapEnd = block + HEADER + bytes;
  store<u32>(block, lastBlock == 0 ? 0 : <u32>bytesOf(lastBlock), 4);
  store<u32>(block, 0, 8);
  setBytes(block, bytes);
  return block;
}

/** The smallest free block of a bin that is large enough, the lowest of several; 0: none is. */
function smallestIn(bin: i32, bytes: usize): usize {
  let best: usize = 0;
  for (let block = firstOf(bin); block != 0; block = load<u32>(block, 12)) {
    if (bytesOf(block) < bytes) continue;
    const isBetter =
      best == 0 || bytesOf(block) < bytesOf(best) || (bytesOf(block) == bytesOf(best) && block < best);
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
    store<u32>(tail, <u32>bytes, 4);
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
  if (next < heapEnd && load<u32>(next, 8) != 0) {
    removeFree(next);
    bytes += HEADER + bytesOf(next);
  }
  if (block > heapStart) {
    const before = block - HEADER - <usize>load<u32>(block, 4);
    if (load<u32>(before, 8) != 0) {
      removeFree(before);
      bytes += HEADER + bytesOf(before);
      block = before;
    }
  }
  setBytes(block, bytes);
  pushFree(block);
}
