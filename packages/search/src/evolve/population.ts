/**
 * The population: islands of programs, and the best program of every size.
 *
 * A program's merit is the logarithm of the share of variance it leaves, plus a price per node that
 * differs from island to island: some breed small programs, others exact ones. On an island there is
 * at most one program of a shape (a skeleton whose fractions are all alike), the better one. A
 * newcomer to a full island takes the place of one of a few members that is bad or old. The best of
 * every size are kept aside; from there they come back to the islands.
 *
 * Recurrences have an island of their own. Most are poor until their step and their turns are nearly
 * right, so among expressions they would die out before they get there.
 */

import type { Outcome } from "../types.js";
import type { Chance } from "./chance.js";

export interface Member {
  readonly id: number;
  readonly source: string;
  readonly params: Readonly<Record<string, number>>;
  /** Share of the training variance that is left: 1 − R². */
  readonly rest: number;
  readonly complexity: number;
  readonly shape: string;
  readonly island: number;
  readonly born: number;
}

/** The least share that counts: beyond it, rounding decides. */
const restLeast = 1e-13;
/** Prices of a node, island by island, in units of log share. */
const prices = [0.02, 0.06, 0.12, 0.1];
const ageWeight = 1;
const tournament = 4;

export interface PopulationOptions {
  readonly islands: number;
  readonly islandSize: number;
  /** Whether the last island is for programs with loops only. */
  readonly hasLoopIsland: boolean;
}

export interface PopulationState {
  readonly islands: readonly (readonly Member[])[];
  readonly front: readonly Member[];
  readonly born: number;
}

export class Population {
  #members: Member[][];
  /** By complexity. */
  #front = new Map<number, Member>();
  #born = 0;

  constructor(private readonly options: PopulationOptions) {
    this.#members = Array.from({ length: options.islands }, () => []);
  }

  get count(): number {
    return this.#members.reduce((sum, island) => sum + island.length, 0);
  }

  meritOf(member: Member, island: number): number {
    const price = prices[island % prices.length] as number;
    return Math.log(Math.max(restLeast, member.rest)) + price * member.complexity;
  }

  /** Takes a scored candidate in. */
  add(outcome: Outcome, chance: Chance): void {
    const rest = 1 - outcome.trainR2;
    if (!Number.isFinite(rest)) return;
    const { id, source, params, complexity } = outcome;
    const island = this.#islandOf(outcome);
    const shape = shapeOf(outcome.skeleton);
    const born = this.#born++;
    const member = { id, source, params, rest, complexity, shape, island, born };
    const known = this.#front.get(complexity);
    if (known === undefined || rest < known.rest) this.#front.set(complexity, member);
    this.#settle(member, island, chance);
  }

  /** Where loops live among themselves; −1 where there is no such island. */
  get loopIsland(): number {
    return this.options.hasLoopIsland ? this.options.islands - 1 : -1;
  }

  /** The island of a parent that still lives there, else one by number. */
  #islandOf({ id, parents, skeleton }: Outcome): number {
    const isLoop = isRecurrence(skeleton);
    const at = this.#members.findIndex((island) => island.some((m) => parents.includes(m.id)));
    if (at >= 0 && (at !== this.loopIsland || isLoop)) return at;
    if (isLoop && this.loopIsland >= 0 && parents.length === 0) return this.loopIsland;
    return id % (this.options.islands - (this.options.hasLoopIsland ? 1 : 0));
  }

  #settle(member: Member, at: number, chance: Chance): void {
    if (at === this.loopIsland && !isRecurrence(member.shape)) return;
    const island = this.#members[at] as Member[];
    const twin = island.findIndex(({ shape }) => shape === member.shape);
    if (twin >= 0) {
      if (member.rest < (island[twin] as Member).rest) island[twin] = member;
      return;
    }
    if (island.length < this.options.islandSize) {
      island.push(member);
      return;
    }
    let worst = -1;
    let worstMerit = -Infinity;
    for (let i = 0; i < 6; i++) {
      const index = chance.below(island.length);
      const one = island[index] as Member;
      const age = (this.#born - one.born) / (this.options.islandSize * this.options.islands);
      const merit = this.meritOf(one, at) + ageWeight * Math.min(3, age);
      if (merit <= worstMerit) continue;
      worst = index;
      worstMerit = merit;
    }
    if (this.meritOf(member, at) <= worstMerit + 1) island[worst] = member;
  }

  /** The best of a few members of an island. */
  select(at: number, chance: Chance): Member | undefined {
    const island = this.#members[at] as Member[];
    let best: Member | undefined;
    for (let i = 0; i < tournament && island.length > 0; i++) {
      const one = chance.pick(island);
      if (best === undefined || this.meritOf(one, at) < this.meritOf(best, at)) best = one;
    }
    return best;
  }

  /** The members of which none smaller is better, the smallest first. */
  front(): Member[] {
    const members = [...this.#front.values()].sort((a, b) => a.complexity - b.complexity);
    let least = Infinity;
    return members.filter((member) => {
      const isBetter = member.rest < least * 0.999;
      if (isBetter) least = member.rest;
      return isBetter;
    });
  }

  /** Brings some of another island's members and of the front's to every island. */
  migrate(chance: Chance): void {
    const front = this.front();
    for (let to = 0; to < this.#members.length; to++) {
      const from = this.select((to + 1) % this.#members.length, chance);
      if (from !== undefined) this.#settle({ ...from, island: to, born: this.#born }, to, chance);
      if (front.length === 0) continue;
      const best = chance.pick(front);
      this.#settle({ ...best, island: to, born: this.#born }, to, chance);
    }
  }

  save(): PopulationState {
    return {
      islands: this.#members.map((island) => [...island]),
      front: [...this.#front.values()],
      born: this.#born,
    };
  }

  restore({ islands, front, born }: PopulationState): void {
    this.#members = islands.map((island) => [...island]);
    this.#front = new Map(front.map((member) => [member.complexity, member]));
    this.#born = born;
  }
}

const isRecurrence = (skeleton: string): boolean => skeleton.startsWith("(loop ");

/** A skeleton whose fractions are all alike. */
function shapeOf(skeleton: string): string {
  return skeleton.replace(/(?<=[ (])-?\d*\.\d+(e[+-]?\d+)?(?=[ )])/g, "C");
}
