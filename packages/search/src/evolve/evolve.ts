/**
 * `evolve`: typed genetic programming over the language, as a proposer.
 *
 * The first programs are the user's, then some drawn from the grammar; after that every program is a
 * child of programs that were fitted. A child starts from its parents' fitted numbers, is simplified,
 * and is proposed only if its skeleton is new. All chance comes from one generator, and all state
 * goes through `save` and `restore`, so the same outcomes lead to the same proposals.
 */

import { emptyRecord } from "@ndvm/core";
import { foldRates } from "../choice/aliases.js";
import type { Lattice } from "../choice/yardstick.js";
import { skeletonOf } from "../skeleton.js";
import type { Json, Outcome, Proposal, ProposalBatch, Proposer, StudyBrief } from "../types.js";
import { Chance } from "./chance.js";
import { Draft } from "./draft.js";
import { firstCount, firstProgram } from "./first.js";
import { Grammar } from "./grammar.js";
import { type Member, Population, type PopulationState } from "./population.js";
import { Seen } from "./seen.js";
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
  /** Default 4. */
  readonly islands?: number;
  /** Programs on an island. Default 40. */
  readonly islandSize?: number;
  /** Programs that are drawn from the grammar before the first children. Default 300. */
  readonly draws?: number;
}

interface Saved {
  readonly chance: readonly number[];
  readonly seen: string;
  readonly population: PopulationState;
  readonly made: number;
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
const migrationEvery = 200;
const weights = variations.map((variation) => [variation, variation[2]] as const);

export function evolve(options: EvolveOptions = {}): Proposer {
  return new Evolve(options);
}

class Evolve implements Proposer {
  readonly name: string;
  #brief!: StudyBrief;
  #chance = new Chance(0);
  #grammar!: Grammar;
  #names: Names = { inputs: new Set() };
  /** Trees of members that were parents. */
  #trees = new WeakMap<Member, Tree>();
  #population!: Population;
  #seen = new Seen();
  #seeds: Seeds = { programs: [], templates: [], operators: new Set() };
  #operators: ReadonlySet<string> = new Set();
  /** Whether starts must be drawn in the units of the columns. */
  #isOdd = false;
  #lattices: ReadonlyMap<string, Lattice> = new Map();
  /** How often a program was asked for. */
  #made = 0;
  readonly #draws: number;
  readonly #islands: number;

  constructor(private readonly options: EvolveOptions) {
    this.name = options.name ?? "evolve";
    this.#draws = options.draws ?? 300;
    this.#islands = options.islands ?? 4;
  }

  begin(brief: StudyBrief): void {
    this.#brief = brief;
    this.#operators = new Set(brief.operators);
    this.#isOdd = hasOddUnits(brief);
    this.#lattices = new Map(
      brief.inputs.flatMap(({ name, lattice }) => (lattice ? [[name, lattice] as const] : [])),
    );
    this.#chance = new Chance(brief.seed);
    this.#grammar = new Grammar(brief, this.#chance);
    this.#names = { inputs: new Set(this.#grammar.inputs) };
    this.#seeds = readSeeds(this.options.seeds ?? [], this.#names);
    this.#population = new Population({
      islands: this.#islands,
      islandSize: this.options.islandSize ?? 40,
      hasLoopIsland: this.#grammar.hasLoop && this.#islands > 1,
    });
  }

  propose(count: number): Promise<ProposalBatch> {
    const proposals: Proposal[] = [];
    while (proposals.length < count) {
      const proposal = this.#next();
      if (proposal === undefined) break;
      proposals.push(proposal);
    }
    return Promise.resolve({ proposals });
  }

  observe(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      if (outcome.skeleton !== "") this.#seen.add(outcome.skeleton);
      if (outcome.status !== "scored") continue;
      if (outcome.complexity > this.#brief.complexityMax) continue;
      if (readTree(outcome.source, this.#names) === undefined) continue;
      this.#population.add(outcome, this.#chance);
    }
  }

  save(): Json {
    const saved: Saved = {
      chance: this.#chance.save(),
      seen: this.#seen.save(),
      population: this.#population.save(),
      made: this.#made,
    };
    return saved as unknown as Json;
  }

  restore(state: Json): void {
    const saved = state as unknown as Saved;
    this.#chance.restore(saved.chance);
    this.#seen.restore(saved.seen);
    this.#population.restore(saved.population);
    this.#made = saved.made;
  }

  #next(): Proposal | undefined {
    const { programs } = this.#seeds;
    const first = firstProgram(this.#made, programs, this.#brief, this.#names, this.#chance);
    this.#made += 1;
    if (first !== undefined) {
      this.#seen.add(skeletonOf(first.source, this.#grammar.inputs));
      return first;
    }
    if (this.#made % migrationEvery === 0) this.#population.migrate(this.#chance);
    for (let i = 0; i < triesMax; i++) {
      const proposal = this.#attempt(i);
      if (proposal !== undefined) return proposal;
    }
    return undefined;
  }

  #attempt(tries: number): Proposal | undefined {
    try {
      const isEarly =
        this.#made <= this.#draws + firstCount(this.#seeds.programs) || this.#population.count < 8;
      const isLoops = this.#island === this.#population.loopIsland;
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

  get #island(): number {
    return this.#made % this.#islands;
  }

  #draw(): Made {
    const draft = new Draft(this.#grammar.hasAlgebra);
    const { templates } = this.#seeds;
    if (templates.length > 0 && this.#chance.happens(0.7)) {
      const tree = fill(this.#chance.pick(templates), draft, this.#grammar);
      return { draft, tree, parents: [], origin: "fill" };
    }
    const isLoops = this.#made > this.#draws && this.#island === this.#population.loopIsland;
    const tree = isLoops ? this.#grammar.loop(draft, []) : this.#grammar.program(draft);
    return { draft, tree, parents: [], origin: "draw" };
  }

  #parent(): Member | undefined {
    const { chance } = this.#grammar;
    const isLoops = this.#island === this.#population.loopIsland;
    if (!isLoops && chance.happens(0.2)) {
      const front = this.#population.front();
      if (front.length > 0) return chance.pick(front);
    }
    return this.#population.select(this.#island, chance);
  }

  #treeOf(member: Member, draft: Draft): Tree | undefined {
    const tree = this.#trees.get(member) ?? readTree(member.source, this.#names);
    if (tree === undefined) return undefined;
    this.#trees.set(member, tree);
    return draft.adopt(tree, member.params);
  }

  #breed(): Made | undefined {
    const grammar = this.#grammar;
    const { chance } = grammar;
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
  #fold({ id, source, params }: Member): Proposal | undefined {
    const low = foldRates(source, params, this.#grammar.inputs, this.#lattices);
    if (low === undefined) return undefined;
    const starts = Object.fromEntries(
      Object.entries(low).map(([name, start]) => [name, { start }]),
    );
    return { source, parents: [id], origin: "fold", params: starts, isRevisit: true };
  }

  /** A fitted program again, from other starts. */
  #revisit(): Proposal | undefined {
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
    return {
      source,
      parents: [member.id],
      origin: "restart",
      params: this.#starts(draft, params),
      isRevisit: true,
    };
  }

  #finish({ draft, tree, parents, origin }: Made): Proposal | undefined {
    const simple = simplify(tree, draft);
    if (sizeOf(simple) > this.#brief.complexityMax) return undefined;
    if (!this.#isAllowed(simple)) return undefined;
    const names = paramsOf(simple);
    if (names.length > Math.min(paramsMax, this.#brief.rows / 2)) return undefined;
    startParameters(simple, draft, this.#grammar);
    if (this.#isOdd) startInUnits(simple, draft, this.#brief, this.#chance);
    const { source, params } = writeTree(simple, this.#names);
    const skeleton = skeletonOf(source, this.#grammar.inputs);
    if (this.#seen.has(skeleton)) return undefined;
    this.#seen.add(skeleton);
    return { source, parents, origin, params: this.#starts(draft, params) };
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
