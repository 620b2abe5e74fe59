/**
 * Numbers, vectors and matrices that a snapshot copied: one table of all their numbers, and where
 * each begins in it. A result may have a million of them, so that none is an object of its own.
 */

import type { Machine } from "../machine.js";
import type { ByteBudget } from "./byte-budget.js";
import { type PayloadInfo, payloadInfo, readPayload } from "./payloads.js";

/** What an entry takes beside its numbers. */
const ENTRY_BYTES = 64;
const VALUES_LEAST = 64;

/** Numbers have one of two infos, which are not made anew for each of them. */
const SCALAR = { rank: 0, rows: 1, cols: 1, uniform: false } as const;
const SHARED_SCALAR = { rank: 0, rows: 1, cols: 1, uniform: true } as const;

/** The table as it travels. */
export interface PackedNumbers {
  readonly lanes: number;
  readonly starts: readonly number[];
  readonly infos: readonly PayloadInfo[];
  readonly values: Float64Array;
}

export class CopiedNumbers {
  readonly #lanes: number;
  readonly #starts: number[] = [];
  readonly #infos: PayloadInfo[] = [];
  #values: Float64Array;
  #used = 0;

  constructor(lanes: number, packed?: PackedNumbers) {
    this.#lanes = lanes;
    this.#values = packed?.values ?? new Float64Array(VALUES_LEAST);
    for (const start of packed?.starts ?? []) this.#starts.push(start);
    for (const info of packed?.infos ?? []) this.#infos.push(info);
  }

  pack(): PackedNumbers {
    const values = this.#values.slice(0, this.#used);
    return { lanes: this.#lanes, starts: this.#starts, infos: this.#infos, values };
  }

  /** Copies a payload for all lanes; returns its index here. */
  add(machine: Machine, payload: number, budget: ByteBudget): number {
    const found = payloadInfo(machine, payload);
    const info = found.rank > 0 ? found : found.uniform ? SHARED_SCALAR : SCALAR;
    const length = info.rows * info.cols * (info.uniform ? 1 : this.#lanes);
    this.#reserve(length, budget);
    readPayload(machine, payload, info, this.#lanes, this.#values, this.#used);
    this.#starts.push(this.#used);
    this.#used += length;
    return this.#infos.push(info) - 1;
  }

  #reserve(length: number, budget: ByteBudget): void {
    budget.take(ENTRY_BYTES);
    const needed = this.#used + length;
    if (needed <= this.#values.length) return;
    const grown = Math.max(needed, 2 * this.#values.length);
    budget.take((grown - this.#values.length) * Float64Array.BYTES_PER_ELEMENT);
    const values = new Float64Array(grown);
    values.set(this.#values);
    this.#values = values;
  }

  info(index: number): PayloadInfo {
    return this.#infos[index] as PayloadInfo;
  }

  /** The first number of an entry in one lane. */
  first(index: number, lane: number): number {
    return this.#values[this.#startIn(index, lane)] as number;
  }

  /** The numbers of an entry in one lane. */
  of(index: number, lane: number): Float64Array {
    const { rows, cols } = this.info(index);
    const from = this.#startIn(index, lane);
    return this.#values.slice(from, from + rows * cols);
  }

  #startIn(index: number, lane: number): number {
    const { rows, cols, uniform } = this.info(index);
    return (this.#starts[index] as number) + (uniform ? 0 : lane * rows * cols);
  }
}
