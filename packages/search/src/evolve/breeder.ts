/**
 * The breeder: makes the programs of an epoch from a population as it was.
 *
 * The first programs are the user's, then some drawn from the grammar; after that every program is a
 * child of programs that were fitted. A child starts from its parents' fitted numbers, is simplified,
 * and is proposed only if its skeleton is new. All chance of an epoch comes from its seed, so the same
 * epoch of the same population has the same programs wherever it is bred.
 */

import { emptyRecord, recordOf } from "@ndvm/core";
import { foldRates } from "../choice/aliases.js";
import type { Lattice } from "../choice/yardstick.js";
import type { Reading } from "../epoch/reading.js";
import type { Proposal, StudyBrief } from "../types.js";
import { Chance } from "./chance.js";
import { Draft } from "./draft.js";
import { firstCount, firstProgram } from "./first.js";
import { Grammar } from "./grammar.js";
import {
  loopIslandOf,
  type Member,
  type PopulationOptions,
  type PopulationView,
  select,
} from "./population.js";
import { Dead, simplify } from "./simplify.js";
import { hasOddUnits, startInUnits, startParameters } from "./starts.js";
import { fill, operatorOf, readSeeds, type Seeds } from "./templates.js";
import { type Names, readTree, writeTree } from "./text.js";
import { paramsOf, sizeOf, type Tree } from "./tree.js";
import { cross, variations } from "./vary.js";

export interface EvolveOptions {
  /** Default "evolve". */
  readonly name?: string;
  /** Programs to start from, and templates whose holes (`_`, `?name`) are filled: templates.ts. */
  readonly seeds?: readonly string[];
  /** Default: the study's, which is 4 where nothing is said. */
  readonly islands?: number;
  /** Programs on an island. Default 40. */
  readonly islandSize?: number;
  /** Programs that are drawn from the grammar before the first children. Default 300. */
  readonly draws?: number;
  /** Candidates between two migrations from island to island. Default 200; 0: there are none. */
  readonly migrateEvery?: number;
  /**
   * Share of parents that are one of the best of their size, whichever island they come from: the
   * other way in which islands learn of each other. Default 0.2.
   */
  readonly bestShare?: number;
}

/** All that decides what is bred. `islands` is the study's number. */
export const withDefaults = (
  options: EvolveOptions,
  islands: number,
): Required<Omit<EvolveOptions, "name">> => ({
  seeds: options.seeds ?? [],
  islands: options.islands ?? islands,
  islandSize: options.islandSize ?? 40,
  draws: options.draws ?? 300,
  migrateEvery: options.migrateEvery ?? MIGRATE_EVERY,
  bestShare: options.bestShare ?? 0.2,
});

const MIGRATE_EVERY = 200;

/** Whether members go to other islands, now that so many candidates are folded in. */
export const isMigrationDue = (
  { migrateEvery = MIGRATE_EVERY }: EvolveOptions,
  candidates: number,
): boolean => migrateEvery > 0 && candidates % migrateEvery === 0;

/** What one epoch is to breed. */
export interface BreedingTask {
  readonly seed: number;
  readonly count: number;
  /** Programs that were asked for before, in all epochs, if each was given. */
  readonly before: number;
  readonly island: number;
}

/** Whether programs were seen, and what their texts show. */
export interface BreedingAids {
  read(source: string): Reading;
  /** Whether the study, or the epoch, has a program of this skeleton. */
  isSeen(reading: Reading): boolean;
  /** Notes a program that the epoch proposes. */
  see(reading: Reading): void;
}

export interface Bred {
  readonly proposal: Proposal;
  readonly reading: Reading;
}

/** A child on its way: what it is made of, and how. */
interface Made {
  readonly draft: Draft;
  readonly tree: Tree;
  readonly parents: readonly number[];
  readonly origin: string;
}

const triesMax = 60;
const paramsMax = 12;
/** Members that a population needs before anything is bred. */
const membersLeast = 8;
const weights = variations.map((variation) => [variation, variation[2]] as const);

export const populationOptions = (
  options: EvolveOptions,
  { operators, islands: usual }: Pick<StudyBrief, "operators" | "islands">,
): PopulationOptions => {
  const { islands, islandSize } = withDefaults(options, usual);
  const hasLoopIsland = operators.includes("loop") && islands > 1;
  return { islands, islandSize, hasLoopIsland };
};

export class Breeder {
  readonly #brief: StudyBrief;
  readonly #grammar: Grammar;
  readonly #names: Names;
  /** Trees of members that were parents. */
  readonly #trees = new WeakMap<Member, Tree>();
  /** Members that were looked at for aliases: their starts at the lowest ones, if there are any. */
  readonly #folded = new WeakMap<Member, { readonly starts: Proposal["params"] }>();
  readonly #seeds: Seeds;
  readonly #operators: ReadonlySet<string>;
  readonly #draws: number;
  readonly #bestShare: number;
  readonly #loopIsland: number;
  /** Whether starts must be drawn in the units of the columns. */
  readonly #isOdd: boolean;
  readonly #lattices: ReadonlyMap<string, Lattice>;
  #view!: PopulationView;
  #aids!: BreedingAids;
  #chance = new Chance(0);
  #island = 0;
  /** Which program of the study's this is, from 1. */
  #made = 0;

  constructor(options: EvolveOptions, brief: StudyBrief) {
    this.#brief = brief;
    this.#operators = new Set(brief.operators);
    this.#grammar = new Grammar(brief, this.#chance);
    this.#names = { inputs: new Set(this.#grammar.inputs), target: brief.target.name };
    const { seeds, draws, bestShare } = withDefaults(options, brief.islands);
    this.#seeds = readSeeds(seeds, this.#names);
    this.#draws = draws;
    this.#bestShare = bestShare;
    this.#loopIsland = loopIslandOf(populationOptions(options, brief));
    this.#isOdd = hasOddUnits(brief);
    this.#lattices = new Map(
      brief.inputs.flatMap(({ name, lattice }) => (lattice ? [[name, lattice] as const] : [])),
    );
  }

  breed(view: PopulationView, task: BreedingTask, aids: BreedingAids): Bred[] {
    this.#view = view;
    this.#aids = aids;
    this.#island = task.island;
    this.#chance.begin(task.seed);
    const bred: Bred[] = [];
    for (let i = 0; i < task.count; i++) {
      this.#made = task.before + i + 1;
      const one = this.#next();
      if (one !== undefined) bred.push(one);
    }
    return bred;
  }

  /** Whether children can be made of a program. */
  canVary(source: string): boolean {
    return readTree(source, this.#names) !== undefined;
  }

  #next(): Bred | undefined {
    const { programs } = this.#seeds;
    const first = firstProgram(this.#made - 1, programs, this.#brief, this.#names, this.#chance);
    if (first !== undefined) {
      const reading = this.#aids.read(first.source);
      this.#aids.see(reading);
      return { proposal: first, reading };
    }
    for (let i = 0; i < triesMax; i++) {
      const bred = this.#attempt(i);
      if (bred !== undefined) return bred;
    }
    return undefined;
  }

  #attempt(tries: number): Bred | undefined {
    try {
      const isEarly =
        this.#made <= this.#draws + firstCount(this.#seeds.programs) ||
        this.#view.count < membersLeast;
      const isLoops = this.#island === this.#loopIsland;
      const drawsNow =
        isEarly || this.#chance.happens(isLoops ? 0.3 : 0.03) || tries > triesMax / 2;
      if (!drawsNow && this.#chance.happens(isLoops ? 0.12 : 0.06)) return this.#revisit();
      const made = drawsNow ? this.#draw() : this.#breed();
      return made === undefined ? undefined : this.#finish(made);
    } catch (error) {
      if (error instanceof Dead) return undefined;
      throw error;
    }
  }

  #draw(): Made {
    const draft = new Draft(this.#grammar.hasAlgebra);
    const { templates } = this.#seeds;
    if (templates.length > 0 && this.#chance.happens(0.7)) {
      const tree = fill(this.#chance.pick(templates), draft, this.#grammar);
      return { draft, tree, parents: [], origin: "fill" };
    }
    const isLoops = this.#made > this.#draws && this.#island === this.#loopIsland;
    const tree = isLoops ? this.#grammar.loop(draft, []) : this.#grammar.program(draft);
    return { draft, tree, parents: [], origin: "draw" };
  }

  #parent(): Member | undefined {
    const { best, islands } = this.#view;
    const isLoops = this.#island === this.#loopIsland;
    const isBest = !isLoops && best.length > 0 && this.#chance.happens(this.#bestShare);
    if (isBest) return this.#chance.pick(best);
    return select(islands, this.#island, this.#chance);
  }

  #treeOf(member: Member, draft: Draft): Tree | undefined {
    const tree = this.#trees.get(member) ?? readTree(member.source, this.#names);
    if (tree === undefined) return undefined;
    this.#trees.set(member, tree);
    return draft.adopt(tree, member.params);
  }

  #breed(): Made | undefined {
    const grammar = this.#grammar;
    const chance = this.#chance;
    const draft = new Draft(grammar.hasAlgebra);
    const parent = this.#parent();
    const tree = parent === undefined ? undefined : this.#treeOf(parent, draft);
    if (parent === undefined || tree === undefined) return undefined;
    if (chance.happens(0.2)) {
      const mate = this.#parent();
      const donor = mate === undefined ? undefined : this.#treeOf(mate, draft);
      if (mate === undefined || donor === undefined) return undefined;
      const child = cross({ draft, grammar, tree }, donor);
      const parents = [parent.id, mate.id];
      return child === undefined ? undefined : { draft, tree: child, parents, origin: "cross" };
    }
    let child: Tree = tree;
    const steps = chance.happens(0.25) ? 2 : 1;
    const names: string[] = [];
    for (let i = 0; i < steps; i++) {
      const [name, vary] = chance.weighted(weights);
      const next = vary({ draft, grammar, tree: child });
      if (next === undefined) continue;
      child = next;
      names.push(name);
    }
    if (names.length === 0) return undefined;
    return { draft, tree: child, parents: [parent.id], origin: names.join("+") };
  }

  /** A fitted program again, its rates at their lowest alias; undefined where they are. */
  #fold(member: Member): Bred | undefined {
    const known = this.#folded.get(member) ?? { starts: this.#lowStarts(member) };
    this.#folded.set(member, known);
    const { starts } = known;
    if (starts === undefined) return undefined;
    const { id, source } = member;
    const proposal: Proposal = {
      source,
      parents: [id],
      origin: "fold",
      params: starts,
      isRevisit: true,
    };
    return { proposal, reading: this.#aids.read(source) };
  }

  /** Starts with every rate at its lowest alias; undefined where all of them are. */
  #lowStarts({ source, params }: Member): Proposal["params"] {
    const low = foldRates(source, params, this.#grammar.inputs, this.#lattices);
    if (low === undefined) return undefined;
    return recordOf(Object.entries(low).map(([name, start]) => [name, { start }] as const));
  }

  /** A fitted program again, from other starts. */
  #revisit(): Bred | undefined {
    const member = this.#parent();
    const folded = member === undefined ? undefined : this.#fold(member);
    if (folded !== undefined) return folded;
    const draft = new Draft(this.#grammar.hasAlgebra);
    const tree = member === undefined ? undefined : this.#treeOf(member, draft);
    if (member === undefined || tree === undefined || paramsOf(tree).length === 0) return undefined;
    for (const name of paramsOf(tree)) {
      const value = draft.valueOf(name);
      const size = Math.abs(value) + 0.1;
      const isFar = this.#chance.happens(0.4);
      const moved = isFar
        ? this.#chance.normal() * 2 * size
        : value + 0.3 * size * this.#chance.normal();
      draft.starts.set(name, { value: moved, range: [-3 * size, 3 * size] });
    }
    startParameters(tree, draft, this.#grammar);
    const { source, params } = writeTree(tree, this.#names);
    const proposal: Proposal = {
      source,
      parents: [member.id],
      origin: "restart",
      params: this.#starts(draft, params),
      isRevisit: true,
    };
    return { proposal, reading: this.#aids.read(source) };
  }

  #finish({ draft, tree, parents, origin }: Made): Bred | undefined {
    const simple = simplify(tree, draft);
    if (sizeOf(simple) > this.#brief.complexityMax) return undefined;
    if (!this.#isAllowed(simple)) return undefined;
    const names = paramsOf(simple);
    if (names.length > Math.min(paramsMax, this.#brief.rows / 2)) return undefined;
    startParameters(simple, draft, this.#grammar);
    if (this.#isOdd) startInUnits(simple, draft, this.#brief, this.#chance);
    const { source, params } = writeTree(simple, this.#names);
    const reading = this.#aids.read(source);
    if (this.#aids.isSeen(reading)) return undefined;
    this.#aids.see(reading);
    return { proposal: { source, parents, origin, params: this.#starts(draft, params) }, reading };
  }

  #starts(draft: Draft, params: ReadonlyMap<string, string>): Proposal["params"] & object {
    const starts: Record<string, { start: number; range?: readonly [number, number] }> =
      emptyRecord();
    for (const [name, written] of params) {
      const { value, range } = draft.starts.get(name) ?? { value: 1 };
      starts[written] = range === undefined ? { start: value } : { start: value, range };
    }
    return starts;
  }

  #isAllowed(tree: Tree): boolean {
    const name = operatorOf(tree);
    const isKnown = name === "" || this.#operators.has(name) || this.#seeds.operators.has(name);
    return isKnown && tree.args.every((arg) => this.#isAllowed(arg));
  }
}
