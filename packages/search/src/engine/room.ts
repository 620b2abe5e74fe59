/**
 * Room: how many candidates the budget leaves to a round, as far as the round knows of others.
 */

import type { History } from "../epoch/knowledge.js";
import type { Study } from "../study.js";
import type { Budget, StopCause } from "../types.js";
import { isLimited, limitInTheWay, roomBeside } from "./budget.js";
import { Round } from "./rounds.js";

export interface RoomParts {
  readonly study: Study;
  readonly budget: Budget;
  readonly history: History;
  /** Epochs of a round that is begun and not observed. */
  epochsAt(index: number): readonly { readonly size: number }[];
}

export class Room {
  readonly #parts: RoomParts;

  constructor(parts: RoomParts) {
    this.#parts = parts;
  }

  /** How many candidates the next epoch of a round may have. */
  in(round: Round): number {
    const { study, budget, history } = this.#parts;
    if (!isLimited(budget)) return study.epoch;
    const { counts } = history.at(round.version);
    return roomBeside(this.#beside(round), budget, counts, study);
  }

  /** Candidates that all slots of a proposer may have together. */
  ofSlots(round: Round): number {
    const { slots } = this.#parts.study;
    const trial = new Round(round.index, round.version);
    for (const { slot, place, size } of round.jobs) trial.add(slot, place, size, undefined);
    let most = 0;
    for (let k = 0; k < slots; k++) {
      const size = this.in(trial);
      if (size === 0) break;
      trial.add(k, 0, size, undefined);
      most += size;
    }
    return most;
  }

  /** The limit that leaves a round no room at all. */
  limitOf(round: Round): StopCause | undefined {
    if (this.in(round) > 0) return undefined;
    const { study, budget, history } = this.#parts;
    const { counts } = history.at(round.version);
    return limitInTheWay(1, this.#beside(round), budget, counts, study);
  }

  /** Sizes of epochs of a round, and of those before it that it does not know of. */
  #beside(round: Round): readonly number[] {
    const underWay: number[] = round.jobs.map(({ size }) => size);
    for (let index = round.version; index < round.index; index++)
      for (const { size } of this.#parts.epochsAt(index)) underWay.push(size);
    return underWay;
  }
}
