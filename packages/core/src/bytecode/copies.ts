/**
 * Identity records, and what happens where the ways of a branch meet.
 *
 * Adjoints add up in the order of the tape, so an active number that is older than a branch and
 * leaves through it must have a record of its own whether or not lanes diverge there (docs/lanes.md,
 * "Copies"). Here that is decided by position alone:
 *
 *   - on an edge to the place where a branch's ways meet, a slot is copied that some way may have
 *     changed and that, coming along this edge, can hold a number older than the last branch;
 *   - what RET leaves is copied if it can be older;
 *   - so is an argument of TAILCALL, unless all tail calls of the procedure pass the same unchanged
 *     parameter, captured value or input in that position.
 *
 * A number is fresh while it is the result of an instruction since the last branch and lies in one
 * slot only. Locals that nobody reads after the meeting place die on the edges to it.
 */

import { BitRows } from "./bits.js";
import { type Block, EXIT, type Flow } from "./flow.js";
import { effectOf, type Instruction, type Procedure } from "./program.js";
import type { Verified } from "./verify.js";

/** What an edge does before it arrives. Slots count from the first parameter. */
export interface Arrival {
  readonly copies: ReadonlySet<number>;
  readonly dying: ReadonlySet<number>;
}

export interface Copies {
  /** The edges on which a side of a branch can arrive where its ways meet. */
  arrival(from: number, to: number): Arrival | undefined;
  /** Slots that are copied before a RET or TAILCALL. */
  before(instruction: number): readonly number[];
}

// What is known of a slot's value: fresh, or older, or (from 0 on) a name that never changes.
const FRESH = -1;
const OLDER = -2;
const INPUT = 1 << 20;
const CAPTURED = 1 << 25;

/** Blocks that all searches for a branch's region may visit; beyond it every slot counts as changed. */
const VISITS_MAX = 4_000_000;

interface Edge {
  readonly copies: Set<number>;
  readonly dying: Set<number>;
}

interface TailCall {
  readonly at: number;
  readonly from: number;
  readonly states: readonly number[];
}

export function findCopies(verified: Verified, procedures: readonly Procedure[]): Copies {
  return new CopyFinder(verified, procedures);
}

class CopyFinder implements Copies {
  readonly #verified: Verified;
  readonly #procedures: readonly Procedure[];
  readonly #flow: Flow;
  readonly #locals: number;
  readonly #size: number;
  /** Slots that no STORE or LOOP changes. */
  readonly #isConstant: boolean[];
  /** State of every slot at the start and at the end of each block. */
  readonly #states: (Int32Array | undefined)[];
  readonly #ends: (Int32Array | undefined)[];
  /** Slots that each block writes. */
  readonly #writes: BitRows;
  readonly #edges = new Map<number, Edge>();
  readonly #before = new Map<number, number[]>();
  #visits = 0;

  constructor(verified: Verified, procedures: readonly Procedure[]) {
    const { procedure, flow, heightMax } = verified;
    this.#verified = verified;
    this.#procedures = procedures;
    this.#flow = flow;
    this.#locals = procedure.slots.length;
    this.#size = this.#locals + heightMax;
    this.#isConstant = procedure.slots.map(() => true);
    for (const code of procedure.code)
      if (code.kind === "store" || code.kind === "loop") this.#isConstant[code.slot] = false;
    this.#states = flow.blocks.map(() => undefined);
    this.#ends = flow.blocks.map(() => undefined);
    this.#writes = new BitRows(flow.blocks.length + 1, this.#size);
    this.#follow();
    this.#collectWrites();
    for (let block = 0; block < flow.blocks.length; block++) this.#meet(block);
    this.#leaveProcedure();
  }

  arrival(from: number, to: number): Arrival | undefined {
    return this.#edges.get(this.#key(from, to));
  }

  before(instruction: number): readonly number[] {
    return this.#before.get(instruction) ?? [];
  }

  #key(from: number, to: number): number {
    return from * this.#flow.blocks.length + to;
  }

  /** Follows states through all blocks until nothing changes any more. */
  #follow(): void {
    const start = new Int32Array(this.#size).fill(FRESH);
    this.#isConstant.forEach((isConstant, slot) => {
      start[slot] = isConstant ? slot : OLDER;
    });
    this.#states[0] = start;
    const work = [0];
    for (let block = work.pop(); block !== undefined; block = work.pop()) {
      const state = (this.#states[block] as Int32Array).slice();
      this.#run(block, state);
      this.#ends[block] = state;
      for (const to of this.#flow.blocks[block]?.next ?? [])
        if (this.#join(to, state)) work.push(to);
    }
  }

  #join(to: number, state: Int32Array): boolean {
    const known = this.#states[to];
    if (known === undefined) {
      this.#states[to] = state.slice();
      return true;
    }
    let changed = false;
    for (let i = 0; i < known.length; i++) {
      if (known[i] === state[i] || known[i] === OLDER) continue;
      known[i] = OLDER;
      changed = true;
    }
    return changed;
  }

  /** Takes a state through a block; `leaving` sees it before an instruction that leaves. */
  #run(block: number, state: Int32Array, leaving?: (at: number, height: number) => void): void {
    const { start, end } = this.#flow.blocks[block] as Block;
    for (let i = start; i < end; i++) {
      const code = this.#verified.procedure.code[i] as Instruction;
      const height = this.#locals + (this.#verified.heights[i] as number);
      leaving?.(i, height);
      this.#step(code, state, height);
    }
  }

  /** `height` is the first free slot. */
  #step(code: Instruction, state: Int32Array, height: number): void {
    switch (code.kind) {
      case "local":
        state[height] = this.#share(state, code.slot);
        return;
      case "pick":
        state[height] = this.#share(state, height - 1 - code.depth);
        return;
      case "input":
        state[height] = INPUT + code.index;
        return;
      case "captured":
        state[height] = CAPTURED + code.index;
        return;
      case "store":
        state[code.slot] = state[height - 1] as number;
        return;
      case "swap": {
        const upper = state[height - 1] as number;
        state[height - 1] = state[height - 2] as number;
        state[height - 2] = upper;
        return;
      }
      case "branch":
      case "loop":
        for (let i = 0; i < state.length; i++) if (state[i] === FRESH) state[i] = OLDER;
        return;
      default: {
        // One that leaves nothing marks a free slot, and no state is read above the height.
        const [taken] = effectOf(code, this.#procedures);
        state[height - taken] = mayBeOlder(code) ? OLDER : FRESH;
      }
    }
  }

  /** Two slots hold it from now on, so neither is fresh. */
  #share(state: Int32Array, slot: number): number {
    if (state[slot] === FRESH) state[slot] = OLDER;
    return state[slot] as number;
  }

  #collectWrites(): void {
    const { procedure, heights } = this.#verified;
    this.#flow.blocks.forEach(({ start, end }, block) => {
      if (this.#flow.isReachable[block] === 0) return;
      for (let i = start; i < end; i++) {
        const code = procedure.code[i] as Instruction;
        const height = this.#locals + (heights[i] as number);
        if (code.kind === "store" || code.kind === "loop") this.#writes.add(block, code.slot);
        else if (code.kind === "pick") this.#writes.add(block, height);
        else {
          const [taken, left] = effectOf(code, this.#procedures);
          for (let k = 0; k < left; k++) this.#writes.add(block, height - taken + k);
        }
      }
    });
  }

  /** Notes the edges on which the two ways of a block's branch come together. */
  #meet(block: number): void {
    const { next } = this.#flow.blocks[block] as Block;
    const join = this.#flow.meets[block] as number;
    if (next.length < 2 || join === EXIT || this.#flow.isReachable[block] === 0) return;
    const changed = this.#flow.blocks.length;
    this.#writes.clearRow(changed);
    const edges = this.#region(block, join, changed);
    const { start } = this.#flow.blocks[join] as Block;
    const height = this.#locals + (this.#verified.heights[start] as number);
    for (const from of edges) {
      const edge = this.#edgeTo(from, join);
      const state = this.#ends[from] as Int32Array;
      for (let slot = 0; slot < height; slot++) {
        if (!this.#writes.has(changed, slot)) continue;
        const isDead = slot < this.#locals && !this.#verified.live.has(join, slot);
        if (isDead) edge.dying.add(slot);
        else if (state[slot] !== FRESH) edge.copies.add(slot);
      }
    }
  }

  #edgeTo(from: number, to: number): Edge {
    const known = this.#edges.get(this.#key(from, to));
    if (known !== undefined) return known;
    const edge = { copies: new Set<number>(), dying: new Set<number>() };
    this.#edges.set(this.#key(from, to), edge);
    return edge;
  }

  /**
   * Blocks between a branch and the place where its ways meet: adds what they write to row `into`,
   * and returns those from which an edge leads to that place.
   */
  #region(block: number, join: number, into: number): Iterable<number> {
    const { blocks, before } = this.#flow;
    const edges = new Set<number>();
    const seen = new Set<number>();
    const work: number[] = [];
    const visit = (from: number) => {
      for (const to of blocks[from]?.next ?? []) {
        if (to === join) edges.add(from);
        else if (!seen.has(to)) {
          seen.add(to);
          work.push(to);
        }
      }
    };
    // LOOP takes one from its counter on the way into the loop.
    const last = this.#verified.procedure.code[(blocks[block] as Block).end - 1] as Instruction;
    if (last.kind === "loop") this.#writes.add(into, last.slot);
    visit(block);
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      this.#visits += 1;
      if (this.#visits > VISITS_MAX) {
        for (let slot = 0; slot < this.#size; slot++) this.#writes.add(into, slot);
        return before[join] ?? [];
      }
      this.#writes.addRow(into, this.#writes, at);
      visit(at);
    }
    return edges;
  }

  /** Results and tail calls. */
  #leaveProcedure(): void {
    const calls: TailCall[] = [];
    const { code } = this.#verified.procedure;
    this.#flow.blocks.forEach((_, block) => {
      const start = this.#states[block];
      if (start === undefined) return;
      const state = start.slice();
      this.#run(block, state, (at, height) => {
        const instruction = code[at] as Instruction;
        if (instruction.kind === "return" && state[height - 1] !== FRESH)
          this.#before.set(at, [height - 1]);
        if (instruction.kind !== "call" || !instruction.isTail) return;
        const from = height - instruction.count;
        calls.push({ at, from, states: [...state.slice(from, height)] });
      });
    });
    const passed = calls.reduce<number[]>((all, { states }) => {
      states.forEach((state, k) => {
        all[k] = all[k] === undefined || all[k] === state ? state : OLDER;
      });
      return all;
    }, []);
    for (const { at, from, states } of calls) {
      const copied = states.flatMap((state, k) =>
        state === FRESH || (passed[k] as number) >= 0 ? [] : [from + k],
      );
      this.#before.set(at, copied);
    }
  }
}

/** Whether an instruction can leave a number that existed before it ran. */
function mayBeOlder(code: Instruction): boolean {
  if (code.kind !== "primitive") return false;
  const { name, kind } = code.primitive;
  const isFoldOfOne = code.count === 1 && kind === "binary";
  return isFoldOfOne || name === "car" || name === "cdr" || name === "listRef";
}
