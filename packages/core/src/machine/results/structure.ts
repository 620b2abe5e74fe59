/**
 * Results that are structure, or numbers of another shape than the first: a snapshot for each chunk
 * that had such, and by lane which of them it is in.
 */

import { print } from "../../syntax/print.js";
import { type LaneSet, laneAt } from "../run/chunk.js";
import type { DatumValue } from "../types.js";
import type { ByteBudget } from "./byte-budget.js";
import { type PackedSnapshot, Snapshot } from "./snapshot.js";

/** Structure as it travels: shared parts once, as in the machine, and no text. */
export interface PackedStructure {
  readonly snapshots: readonly PackedSnapshot[];
  readonly snapshotOf: Uint32Array;
  readonly placeOf: Uint32Array;
}

export class Structure {
  readonly #snapshots: Snapshot[];
  /** Of each lane, 1 + the number of its snapshot; 0 where it has none. */
  readonly #snapshotOf: Uint32Array;
  /** Position of a lane in its snapshot. */
  readonly #placeOf: Uint32Array;

  constructor(lanes: number, packed?: PackedStructure) {
    this.#snapshots = packed?.snapshots.map((snapshot) => Snapshot.unpack(snapshot)) ?? [];
    this.#snapshotOf = packed?.snapshotOf ?? new Uint32Array(lanes);
    this.#placeOf = packed?.placeOf ?? new Uint32Array(lanes);
  }

  /** What the results are, in words. */
  get kinds(): readonly string[] {
    return this.#snapshots.map(({ kind }) => kind);
  }

  /** Adds the live lanes of a set. */
  add(snapshot: Snapshot, set: LaneSet, live: Uint8Array): void {
    const number = this.#snapshots.push(snapshot);
    for (let i = 0; i < live.length; i++) {
      if (live[i] !== 1) continue;
      const lane = laneAt(set, i);
      this.#snapshotOf[lane] = number;
      this.#placeOf[lane] = i;
    }
  }

  has(lane: number): boolean {
    return (this.#snapshotOf[lane] ?? 0) > 0;
  }

  datum(lane: number, budget: ByteBudget): DatumValue {
    return this.#snapshotIn(lane).value(this.#placeOf[lane] as number, budget);
  }

  print(lane: number, budget: ByteBudget): string {
    return print(this.#snapshotIn(lane).datum(this.#placeOf[lane] as number, budget));
  }

  pack(): PackedStructure {
    return {
      snapshots: this.#snapshots.map((snapshot) => snapshot.pack()),
      snapshotOf: this.#snapshotOf,
      placeOf: this.#placeOf,
    };
  }

  #snapshotIn(lane: number): Snapshot {
    return this.#snapshots[(this.#snapshotOf[lane] as number) - 1] as Snapshot;
  }
}
