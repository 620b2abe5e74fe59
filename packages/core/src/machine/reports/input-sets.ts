/**
 * Which inputs each payload of a tape depends on.
 *
 * A tape has many payloads and few different sets of inputs, so each set is kept once, and a payload
 * has the number of its set: four bytes, where a set of its own would take hundreds.
 */

import type { ByteBudget } from "../results/byte-budget.js";

/** The number of the set without members. */
export const NO_INPUTS = 0;

/** About what a set and a pair of sets take besides their members. */
const ENTRY_BYTES = 128;
const MEMBER_BYTES = 16;

export class InputSets {
  readonly #budget: ByteBudget;
  readonly #members: (readonly number[])[] = [[]];
  readonly #byMembers = new Map<string, number>([["", NO_INPUTS]]);
  readonly #byPair = new Map<string, number>();
  #setOfPayload = new Uint32Array(1024);

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  members(set: number): readonly number[] {
    return this.#members[set] as readonly number[];
  }

  of(payload: number): number {
    return this.#setOfPayload[payload] ?? NO_INPUTS;
  }

  add(payload: number, set: number): void {
    if (payload >= this.#setOfPayload.length) {
      const grown = new Uint32Array(Math.max(payload + 1, 2 * this.#setOfPayload.length));
      this.#budget.take(grown.byteLength - this.#setOfPayload.byteLength);
      grown.set(this.#setOfPayload);
      this.#setOfPayload = grown;
    }
    this.#setOfPayload[payload] = this.union(this.of(payload), set);
  }

  single(input: number): number {
    return this.#intern([input]);
  }

  union(a: number, b: number): number {
    if (a === b || b === NO_INPUTS) return a;
    if (a === NO_INPUTS) return b;
    const pair = a < b ? `${a} ${b}` : `${b} ${a}`;
    const known = this.#byPair.get(pair);
    if (known !== undefined) return known;
    this.#budget.take(ENTRY_BYTES);
    const all = new Set([...this.members(a), ...this.members(b)]);
    const set = this.#intern([...all].sort((x, y) => x - y));
    this.#byPair.set(pair, set);
    return set;
  }

  #intern(members: readonly number[]): number {
    const key = members.join(" ");
    const known = this.#byMembers.get(key);
    if (known !== undefined) return known;
    this.#budget.take(ENTRY_BYTES + MEMBER_BYTES * members.length);
    const set = this.#members.length;
    this.#members.push(members);
    this.#byMembers.set(key, set);
    return set;
  }
}
