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
 *
 * Merits are compared and never printed, so they are kept as the powers of e that they stand for:
 * share × factor^nodes, which takes multiplications only.
 */

import { exp, NdvmError } from "@ndvm/core";
import { isCount, isNumber, isNumberMap, isText, listOf, objectOf, type Shape } from "../shapes.js";
import type { Outcome } from "../types.js";
import type { Chance } from "./chance.js";

/** A program that children are made from: what whoever breeds needs to know of it. */
export interface Member {
  readonly id: number;
  readonly source: string;
  readonly params: Readonly<Record<string, number>>;
  /** Share of the training variance that is left: 1 − R². */
  readonly rest: number;
  readonly complexity: number;
}

/** A population as those who breed see it. */
export interface PopulationView {
  islands: Member[][];
  /** The members of which none smaller is better, the smallest first. */
  best: readonly Member[];
  /** Members of all islands. */
  count: number;
}

/**
 * Nodes that a letter of a program may stand for, at most: nothing may take work by the size of a member
 * that is not backed by its text.
 */
const NODES_A_LETTER = 16;

const isAnyMember: Shape<Member> = objectOf<Member>({
  id: isCount,
  source: isText,
  params: isNumberMap,
  rest: isNumber,
  complexity: isCount,
});

/** Whether that is a member that children can be made from. */
export const isMember = (value: unknown): value is Member =>
  isAnyMember(value) && value.complexity <= NODES_A_LETTER * value.source.length;

export const emptyView = (): PopulationView => ({ islands: [], best: [], count: 0 });

/** A member where it lives. */
interface Resident {
  readonly member: Member;
  readonly shape: string;
  readonly born: number;
}

/** The least share that counts: beyond it, rounding decides. */
const restLeast = 1e-13;
/** Prices of a node, island by island, in units of log share. */
const prices = [0.02, 0.06, 0.12, 0.1];
/** By how much of the log share a bad newcomer may be worse, and the most that age counts. */
const graceMax = 1;
const ageMax = 3;
const tournament = 4;
const victims = 6;

/** Powers of e that prices stand for, island by island and size by size. */
const factors = prices.map((price) => {
  const powers = [1];
  const factor = exp(price);
  return (nodes: number): number => {
    while (powers.length <= nodes) powers.push((powers.at(-1) as number) * factor);
    return powers[nodes] as number;
  };
});
const grace = exp(graceMax);
const agedMost = exp(ageMax);

/** What a member costs its island: less is better. */
export function costOf({ rest, complexity }: Member, island: number): number {
  const factor = factors[island % factors.length] as (nodes: number) => number;
  return Math.max(restLeast, rest) * factor(complexity);
}

/** The best of a few members of an island. */
export function select(
  islands: readonly (readonly Member[])[],
  at: number,
  chance: Chance,
): Member | undefined {
  const island = islands[at] ?? [];
  let best: Member | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < tournament && island.length > 0; i++) {
    const one = chance.pick(island);
    const cost = costOf(one, at);
    if (cost < least) best = one;
    least = Math.min(least, cost);
  }
  return best;
}

export interface PopulationOptions {
  readonly islands: number;
  readonly islandSize: number;
  /** Whether the last island is for programs with loops only. */
  readonly hasLoopIsland: boolean;
}

export interface PopulationState {
  readonly islands: readonly (readonly Resident[])[];
  readonly front: readonly Resident[];
  readonly born: number;
}

const isResidents: Shape<readonly Resident[]> = listOf(
  objectOf<Resident>({ member: isMember, shape: isText, born: isCount }),
);

/** Whether that is what a population has saved. */
export const isPopulationState: Shape<PopulationState> = objectOf<PopulationState>({
  islands: listOf(isResidents),
  front: isResidents,
  born: isCount,
});

/** The island where loops live among themselves; −1 where there is none. */
export const loopIslandOf = ({ hasLoopIsland, islands }: PopulationOptions): number =>
  hasLoopIsland ? islands - 1 : -1;

export class Population {
  #residents: Resident[][];
  /** Where the shapes of an island's members are, island by island. */
  #places: Map<string, number>[];
  /** By complexity. */
  #front = new Map<number, Resident>();
  #born = 0;
  /** What `agedBy` says, by births: powers of e take long while their code is cold. */
  readonly #aged: number[] = [];
  /** Changes with every newcomer to the best of all sizes. */
  #best: readonly Resident[] | undefined;

  constructor(private readonly options: PopulationOptions) {
    this.#residents = Array.from({ length: options.islands }, () => []);
    this.#places = this.#residents.map(placesOf);
  }

  get count(): number {
    return this.#residents.reduce((sum, island) => sum + island.length, 0);
  }

  /** Takes a scored candidate in, to the island that it was bred for if it has one. */
  add(outcome: Outcome, bredFor: number | undefined, chance: Chance): void {
    const rest = 1 - outcome.trainR2;
    if (!Number.isFinite(rest)) return;
    const { id, source, params, complexity } = outcome;
    const member = { id, source, params, rest, complexity };
    const shape = shapeOf(outcome.skeleton);
    const resident = { member, shape, born: this.#born++ };
    const known = this.#front.get(complexity);
    if (known === undefined || rest < known.member.rest) {
      this.#front.set(complexity, resident);
      this.#best = undefined;
    }
    this.#settle(resident, this.#islandOf(outcome, bredFor), chance);
  }

  get #loopIsland(): number {
    return loopIslandOf(this.options);
  }

  #islandOf({ id, parents, skeleton }: Outcome, bredFor: number | undefined): number {
    const isLoop = isRecurrence(skeleton);
    const loops = this.#loopIsland;
    if (isLoop && loops >= 0 && parents.length === 0) return loops;
    if (bredFor !== undefined && (bredFor !== loops || isLoop)) return bredFor;
    return id % (this.options.islands - (loops >= 0 ? 1 : 0));
  }

  #settle(resident: Resident, at: number, chance: Chance): void {
    if (at === this.#loopIsland && !isRecurrence(resident.shape)) return;
    const island = this.#residents[at] as Resident[];
    const places = this.#places[at] as Map<string, number>;
    const twin = places.get(resident.shape);
    if (twin !== undefined) {
      const { rest } = (island[twin] as Resident).member;
      if (resident.member.rest < rest) island[twin] = resident;
      return;
    }
    if (island.length < this.options.islandSize) {
      places.set(resident.shape, island.length);
      island.push(resident);
      return;
    }
    let worst = -1;
    let worstCost = -1;
    for (let i = 0; i < victims; i++) {
      const index = chance.below(island.length);
      const { member, born } = island[index] as Resident;
      const cost = costOf(member, at) * this.#agedBy(this.#born - born);
      if (cost <= worstCost) continue;
      worst = index;
      worstCost = cost;
    }
    if (costOf(resident.member, at) > worstCost * grace) return;
    places.delete((island[worst] as Resident).shape);
    places.set(resident.shape, worst);
    island[worst] = resident;
  }

  /** How many times worse a member counts when so many were born after it. */
  #agedBy(births: number): number {
    const generation = this.options.islandSize * this.options.islands;
    if (births >= ageMax * generation) return agedMost;
    for (let n = this.#aged.length; n <= births; n++) this.#aged.push(exp(n / generation));
    return this.#aged[births] as number;
  }

  /** The members of which none smaller is better, the smallest first. */
  #bestOfAll(): readonly Resident[] {
    if (this.#best !== undefined) return this.#best;
    const sorted = [...this.#front.values()].sort(
      (a, b) => a.member.complexity - b.member.complexity,
    );
    let least = Infinity;
    this.#best = sorted.filter(({ member: { rest } }) => {
      const isBetter = rest < least * 0.999;
      if (isBetter) least = rest;
      return isBetter;
    });
    return this.#best;
  }

  /** Brings one of the next island's members and one of the best of all sizes to every island. */
  migrate(chance: Chance): void {
    const best = this.#bestOfAll();
    const { islands } = this.view();
    const count = this.#residents.length;
    for (let to = 0; to < count; to++) {
      const from = (to + 1) % count;
      const chosen = select(islands, from, chance);
      const resident = this.#residents[from]?.find(({ member }) => member === chosen);
      if (resident !== undefined) this.#settle({ ...resident, born: this.#born }, to, chance);
      if (best.length === 0) continue;
      this.#settle({ ...chance.pick(best), born: this.#born }, to, chance);
    }
  }

  /** The population as it is now; it does not change when this one does. */
  view(): PopulationView {
    return {
      islands: this.#residents.map((island) => island.map(({ member }) => member)),
      best: this.#bestOfAll().map(({ member }) => member),
      count: this.count,
    };
  }

  save(): PopulationState {
    return {
      islands: this.#residents.map((island) => [...island]),
      front: [...this.#front.values()],
      born: this.#born,
    };
  }

  restore({ islands, front, born }: PopulationState): void {
    if (islands.length !== this.options.islands) throw otherIslands(islands, this.options);
    this.#residents = islands.map((island) => [...island]);
    this.#places = this.#residents.map(placesOf);
    this.#front = new Map(front.map((resident) => [resident.member.complexity, resident]));
    this.#best = undefined;
    this.#born = born;
  }
}

const otherIslands = (islands: PopulationState["islands"], now: PopulationOptions): NdvmError =>
  new NdvmError(
    "E-ARCHIVE",
    `the archive holds another study: its proposer has ${islands.length} islands, not ${now.islands}`,
    { help: "resume with the same options", facts: { reason: "study", option: "islands" } },
  );

const isRecurrence = (skeleton: string): boolean => skeleton.startsWith("(loop ");

const placesOf = (island: readonly Resident[]): Map<string, number> =>
  new Map(island.map(({ shape }, place) => [shape, place]));

/** A skeleton whose fractions are all alike. */
function shapeOf(skeleton: string): string {
  if (!skeleton.includes(".")) return skeleton;
  return skeleton.replace(/(?<=[ (])-?\d*\.\d+(e[+-]?\d+)?(?=[ )])/g, "C");
}
