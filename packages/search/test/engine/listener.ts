/**
 * Proposers that nothing can be kept from, and a journal that a study is resumed from: what a listener says
 * depends on everything that it has heard, so that nothing can be left out, come twice or change places.
 */

import type { SettledEpoch } from "../../src/engine/journal.js";
import type { Json, Outcome, Proposal, Proposals, Proposer } from "../../src/index.js";
import { clock, MemoryJournal, sourceOf } from "./play.js";

/** Says numbers that follow from all outcomes it has heard of, and from what it has said before. */
export class Listener implements Proposer {
  heard: string[] = [];
  /** How often it was asked since it was made. */
  asked = 0;
  #hash: number;
  #turns = 0;

  constructor(
    readonly name: string,
    readonly turns: number,
    readonly most: number,
  ) {
    this.#hash = name.length;
  }

  begin(): void {}

  async propose(count: number): Promise<Proposals> {
    this.#turns += 1;
    this.asked += 1;
    const want = Math.min(count, this.#hash % (this.most + 1));
    const proposals = Array.from({ length: want }, (_, i): Proposal => {
      return { source: sourceOf((this.#hash + 17 * i) % 1000), parents: [], origin: "given" };
    });
    this.#stir(count);
    return { proposals, isExhausted: this.#turns >= this.turns };
  }

  observe(outcomes: readonly Outcome[]): void {
    this.heard.push(outcomes.map(({ visit, source }) => `${visit} ${source}`).join(", "));
    for (const { visit, r2, fits } of outcomes) this.#stir(visit + Math.round(1e6 * r2) + fits);
    this.#stir(outcomes.length);
  }

  save(): Json {
    return [this.#hash, this.#turns];
  }

  restore(state: Json): void {
    [this.#hash, this.#turns] = state as [number, number];
  }

  #stir(value: number): void {
    this.#hash = (Math.imul(this.#hash ^ (value + 1), 48271) >>> 0) % 2147483647;
  }
}

/** Notes what it is given of epochs, with the time by the clock of the test. */
export class Notes extends MemoryJournal {
  readonly epochs: string[] = [];
  readonly times: (readonly [said: number, now: number])[] = [];
  readonly #began = clock.now;

  /** Holds what an archive holds that another run goes on with. */
  goOnFrom(before: Notes, nextVisit: number): void {
    this.outcomes.push(...before.outcomes.slice(0, nextVisit));
    this.seen.push(...before.seen.filter(({ id }) => id < nextVisit));
    for (const [key, proposals] of before.said) this.said.set(key, proposals);
  }

  override settle(epoch: SettledEpoch): void {
    const { round, slot, front, frontBefore, fitsMost, proposer, firstVisit } = epoch;
    const members = front.members.map(({ visit }) => visit);
    this.epochs.push(
      JSON.stringify([round, slot, proposer, firstVisit, fitsMost, members, frontBefore]),
    );
    this.times.push([epoch.seconds, (clock.now - this.#began) / 1000]);
    super.settle(epoch);
  }
}
