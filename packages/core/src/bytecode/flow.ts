/**
 * The flow of control in one procedure: basic blocks, and for every branch the block where its two
 * ways meet again, its nearest post-dominator. Plain loops over arrays; nothing recurses.
 */

import type { Instruction } from "./program.js";

export interface Block {
  /** First instruction, and one past the last. */
  readonly start: number;
  readonly end: number;
  /** Blocks that can follow: for a branch first where the test is true, then where it is false. */
  readonly next: readonly number[];
}

/** Stands for leaving the procedure. */
export const EXIT = -1;

export class Flow {
  readonly blocks: readonly Block[];
  readonly isReachable: Uint8Array;
  readonly before: readonly (readonly number[])[];
  /** The nearest block that every way out of a block passes; EXIT where there is none. */
  readonly meets: Int32Array;

  constructor(code: readonly Instruction[]) {
    this.blocks = makeBlocks(code);
    this.isReachable = this.#reach();
    this.before = this.#predecessors();
    this.meets = this.#postDominators();
  }

  #reach(): Uint8Array {
    const isReachable = new Uint8Array(this.blocks.length);
    const work = [0];
    isReachable[0] = 1;
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      for (const next of this.blocks[block]?.next ?? []) {
        if (isReachable[next] === 1) continue;
        isReachable[next] = 1;
        work.push(next);
      }
    }
    return isReachable;
  }

  #predecessors(): number[][] {
    const before: number[][] = this.blocks.map(() => []);
    this.blocks.forEach(({ next }, block) => {
      if (this.isReachable[block] === 0) return;
      for (const to of new Set(next)) before[to]?.push(block);
    });
    return before;
  }

  /** Cooper, Harvey and Kennedy's iteration, from the exit backwards. */
  #postDominators(): Int32Array {
    const order = this.#orderFromExit();
    const place = new Int32Array(this.blocks.length).fill(-1);
    order.forEach((block, i) => {
      place[block] = i;
    });
    const unknown = -2;
    const meets = new Int32Array(this.blocks.length).fill(unknown);
    const intersect = (a: number, b: number): number => {
      let x = a;
      let y = b;
      while (x !== y) {
        if (x === EXIT || y === EXIT) return EXIT;
        if ((place[x] as number) > (place[y] as number)) x = meets[x] as number;
        else y = meets[y] as number;
      }
      return x;
    };
    for (let changed = true; changed; ) {
      changed = false;
      for (const block of order) {
        const { next } = this.blocks[block] as Block;
        let meet = next.length === 0 ? EXIT : unknown;
        for (const to of next) {
          // A way that never ends does not say where the others meet.
          if ((place[to] as number) < 0 || meets[to] === unknown) continue;
          meet = meet === unknown ? to : intersect(meet, to);
        }
        if (meet === meets[block] || meet === unknown) continue;
        meets[block] = meet;
        changed = true;
      }
    }
    return meets.map((meet) => (meet === unknown ? EXIT : meet));
  }

  /** Reachable blocks from which the exit can be reached: those nearer to it first. */
  #orderFromExit(): number[] {
    const isSeen = new Uint8Array(this.blocks.length);
    const finished: number[] = [];
    const ends = this.blocks
      .map(({ next }, block) => (next.length === 0 && this.isReachable[block] === 1 ? block : -1))
      .filter((block) => block >= 0);
    for (const end of ends) {
      const work: { readonly block: number; at: number }[] = [{ block: end, at: 0 }];
      isSeen[end] = 1;
      for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
        const previous = this.before[top.block]?.[top.at++];
        if (previous === undefined) {
          finished.push(top.block);
          work.pop();
        } else if (isSeen[previous] === 0) {
          isSeen[previous] = 1;
          work.push({ block: previous, at: 0 });
        }
      }
    }
    return finished.reverse();
  }
}

/** Whether nothing follows the instruction in the text's order. */
export function leaves(code: Instruction): boolean {
  return code.kind === "return" || (code.kind === "call" && code.isTail);
}

function makeBlocks(code: readonly Instruction[]): Block[] {
  const isLeader = new Uint8Array(code.length + 1);
  isLeader[0] = 1;
  code.forEach((instruction, i) => {
    if (!endsBlock(instruction)) return;
    isLeader[i + 1] = 1;
    if ("target" in instruction) isLeader[instruction.target] = 1;
  });
  const starts: number[] = [];
  const blockAt = new Int32Array(code.length);
  for (let i = 0; i < code.length; i++) {
    if (isLeader[i] === 0) continue;
    blockAt[i] = starts.length;
    starts.push(i);
  }
  return starts.map((start, block) => {
    const end = starts[block + 1] ?? code.length;
    return { start, end, next: followers(code[end - 1] as Instruction, end, blockAt) };
  });
}

function endsBlock(instruction: Instruction): boolean {
  return "target" in instruction || leaves(instruction);
}

function followers(last: Instruction, end: number, blockAt: Int32Array): number[] {
  if (leaves(last)) return [];
  const below = blockAt[end] as number;
  if (last.kind === "jump") return [blockAt[last.target] as number];
  if (last.kind === "loop") return [below, blockAt[last.target] as number];
  if (last.kind !== "branch") return [below];
  const away = blockAt[last.target] as number;
  return last.when ? [away, below] : [below, away];
}
