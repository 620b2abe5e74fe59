/**
 * Which mutants a run plants: the same ones for the same seed and sources. Kinds of bug take turns, so
 * that a kind with few places is not drowned by one with many.
 */
import type { Mutant } from "./mutant.js";

/** All mutants in the order in which a run takes them. */
export function inTurns(mutants: readonly Mutant[], seed: number): Mutant[] {
  const next = generator(seed);
  const byKind = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    byKind.set(mutant.kind, [...(byKind.get(mutant.kind) ?? []), mutant]);
  }
  const queues = [...byKind.keys()].sort().map((kind) => shuffled(byKind.get(kind) ?? [], next));
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, turn) =>
    queues.flatMap((queue) => queue[turn] ?? []),
  ).flat();
}

function shuffled(list: readonly Mutant[], next: () => number): Mutant[] {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1));
    const [a, b] = [result[last], result[other]];
    if (a && b) [result[last], result[other]] = [b, a];
  }
  return result;
}

/** Mulberry32: numbers from 0 up to 1. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
