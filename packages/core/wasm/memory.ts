/**
 * Memory: blocks of linear memory for program images, arenas and the caller's buffers.
 *
 *   block   | bytes u32 | bytes of the block before u32 | free u32 | next free u32 | content … |
 *
 * Blocks lie side by side; `bytes` counts the content, a multiple of 16. Freed neighbours join, so
 * loading and disposing programs for ever does not grow memory.
 * Invariant: no two free blocks are neighbours; every free block is on the free list.
 */

const HEADER: usize = 16;
const PAGE: usize = 65536;
const SPLIT_MIN: usize = 64;

export let memoryMax: usize = 1 << 30;
let heapStart: usize = 0;
let heapEnd: usize = 0;
let freeList: usize = 0;
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

function pushFree(block: usize): void {
  store<u32>(block, 1, 8);
  store<u32>(block, <u32>freeList, 12);
  freeList = block;
}

function removeFree(block: usize): void {
  store<u32>(block, 0, 8);
  if (freeList == block) {
    freeList = load<u32>(block, 12);
    return;
  }
  let at = freeList;
  while (<usize>load<u32>(at, 12) != block) at = load<u32>(at, 12);
  store<u32>(at, load<u32>(block, 12), 12);
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

/** The smallest free block that is large enough, the lowest of several; 0 where none is. */
function smallestFitting(bytes: usize): usize {
  let best: usize = 0;
  for (let block = freeList; block != 0; block = load<u32>(block, 12)) {
    if (bytesOf(block) < bytes) continue;
    const isBetter =
      best == 0 || bytesOf(block) < bytesOf(best) || (bytesOf(block) == bytesOf(best) && block < best);
    if (isBetter) best = block;
  }
  return best;
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
