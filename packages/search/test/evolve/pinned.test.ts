/**
 * What breeding makes of fixed seeds, pinned. The other tests say what must hold of every program; this
 * one notices when another program is bred: a constant that moved, a draw too many, a case that is never
 * reached. Each part has a hash of all that it made, and a few of the texts for people.
 *
 * Whoever changes breeding on purpose writes it anew: vitest -u, and says so in the commit.
 */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { complexityOf } from "../../src/complexity.js";
import type { EvolveOptions } from "../../src/evolve/breeder.js";
import { Chance } from "../../src/evolve/chance.js";
import { Draft } from "../../src/evolve/draft.js";
import { evolve } from "../../src/evolve/evolve.js";
import { Grammar } from "../../src/evolve/grammar.js";
import { Population } from "../../src/evolve/population.js";
import { Dead, simplify } from "../../src/evolve/simplify.js";
import { startInUnits, startParameters } from "../../src/evolve/starts.js";
import { readTree, writeTree } from "../../src/evolve/text.js";
import type { Tree } from "../../src/evolve/tree.js";
import { cross, variations } from "../../src/evolve/vary.js";
import { skeletonOf } from "../../src/skeleton.js";
import type { Outcome, Proposal, StudyBrief } from "../../src/types.js";
import { briefOf } from "./brief.js";

const inputs = ["x", "z"];
const names = { inputs: new Set(inputs) };
const columns = [
  { name: "x", min: 0, max: 5, mean: 2.5, deviation: 1.4 },
  { name: "z", min: -20, max: 10, mean: 0, deviation: 6 },
];
const sample = [
  { x: 0.5, z: -3, y: 1 },
  { x: 2, z: 7, y: 0.5 },
  { x: 4.5, z: 0, y: 2 },
];
const brief = (changes: Partial<StudyBrief> = {}): StudyBrief =>
  briefOf({ inputs: columns, sample, ...changes });

/** Studies in which some operators are missing, or columns have odd units. */
const BRIEFS: Readonly<Record<string, StudyBrief>> = {
  all: brief(),
  plain: brief({ operators: ["+", "-", "*", "/"] }),
  noPlus: brief({ operators: ["*", "sin", "exp", "if"] }),
  noTimes: brief({ operators: ["+", "sin", "expt", "let"] }),
  one: brief({ operators: ["cos"] }),
  loops: brief({ operators: ["+", "-", "*", "loop", "cos"] }),
  odd: brief({
    target: { name: "y", min: -1e6, max: 3e7, mean: 1e7, deviation: 8e6 },
    inputs: [
      { ...columns[0], max: 5e-4, deviation: 1e-4 } as (typeof columns)[0],
      columns[1] as never,
    ],
  }),
};

const PARENTS: readonly string[] = [
  "x",
  "a",
  "(+ x 2)",
  "(* a (exp (* b x)))",
  "(+ (* a x) (* b (sin (+ (* c x) d))))",
  "(/ (- x z) (+ a (* x x)))",
  "(if (< x 2.5) (* a x) (+ b z))",
  "(let ((u (+ x a))) (* u (sin u)))",
  "(loop ((s x) (k 0)) (if (= k 4) (* a s) (recur (cos (* b s)) (+ k 1))))",
  "(loop ((s x) (t 1) (k 0)) (if (= k 3) s (recur (+ s (* a t)) (- t s) (+ k 1))))",
  "(expt (+ x a) 3)",
  "(* (+ x z) (cos (+ x z)))",
  "(- (log (+ a x)) (sqrt z))",
];
const VALUES = { a: 1.01, b: -0.37, c: 2.005, d: 0 };

const shorten = (value: number): string => Number(value.toPrecision(12)).toString();

/** A program with where its parameters start. */
function told(tree: Tree, draft: Draft): string {
  const { source, params } = writeTree(tree, names);
  const starts = [...params].map(([own, name]) => {
    const start = draft.starts.get(own);
    const range = start?.range?.map(shorten).join("..") ?? "";
    return `${name}=${start === undefined ? "?" : shorten(start.value)}${range && ` in ${range}`}`;
  });
  return [source, ...starts].join(" ");
}

/** All lines as one hash, how many there are, and some of them. */
function pinned(lines: readonly string[]) {
  const made = lines.filter((line) => line !== "");
  const hash = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
  const some = [0.2, 0.5, 0.9].map((part) => made[Math.floor(part * made.length)] ?? "");
  return { made: `${made.length} of ${lines.length}`, hash, some };
}

function adopted(source: string, draft: Draft): Tree {
  return draft.adopt(readTree(source, names) as Tree, VALUES);
}

test.each(variations)("the variation %s", (_name, vary) => {
  for (const [study, each] of Object.entries(BRIEFS)) {
    const lines: string[] = [];
    const grammar = new Grammar(each, new Chance(0));
    for (const source of PARENTS)
      for (let seed = 0; seed < (study === "all" ? 24 : 6); seed++) {
        grammar.chance.begin(seed);
        const draft = new Draft(grammar.hasAlgebra);
        const child = vary({ draft, grammar, tree: adopted(source, draft) });
        lines.push(child === undefined ? "" : told(child, draft));
      }
    expect(pinned(lines)).toMatchSnapshot(study);
  }
});

test("crossing", () => {
  const grammar = new Grammar(BRIEFS["all"] as StudyBrief, new Chance(0));
  const lines: string[] = [];
  for (const source of PARENTS)
    for (const other of PARENTS)
      for (let seed = 0; seed < 4; seed++) {
        grammar.chance.begin(seed);
        const draft = new Draft(true);
        const tree = adopted(source, draft);
        const child = cross({ draft, grammar, tree }, adopted(other, draft));
        lines.push(child === undefined ? "" : told(child, draft));
      }
  expect(pinned(lines)).toMatchSnapshot();
});

test.each(Object.entries(BRIEFS))(
  "drawing, starting and simplifying in the study %s",
  (_, each) => {
    const grammar = new Grammar(each, new Chance(0));
    const [drawn, started, simple]: string[][] = [[], [], []];
    for (let seed = 0; seed < 300; seed++) {
      grammar.chance.begin(seed);
      const draft = new Draft(grammar.hasAlgebra);
      const tree =
        grammar.hasLoop && seed % 5 === 0 ? grammar.loop(draft, []) : grammar.program(draft);
      drawn?.push(told(tree, draft));
      try {
        const less = simplify(tree, draft);
        simple?.push(told(less, draft));
        startParameters(less, draft, grammar);
        startInUnits(less, draft, each, grammar.chance);
        started?.push(told(less, draft));
      } catch (error) {
        if (!(error instanceof Dead)) throw error;
        simple?.push("");
      }
    }
    expect(pinned(drawn ?? [])).toMatchSnapshot("drawn");
    expect(pinned(simple ?? [])).toMatchSnapshot("simplified");
    expect(pinned(started ?? [])).toMatchSnapshot("started");
  },
);

/** A number in [0, 1) that a text always has. */
const scoreOf = (text: string): number =>
  createHash("sha256").update(text).digest().readUInt32LE() / 2 ** 32;

function outcomeOf(proposal: Proposal, id: number): Outcome {
  const { source, parents, origin } = proposal;
  const skeleton = skeletonOf(source, inputs);
  const score = scoreOf(skeleton);
  const params: Record<string, number> = {};
  for (const name of Object.keys(proposal.params ?? {})) params[name] = 3 * scoreOf(name + source);
  return {
    id,
    visit: id,
    round: 0,
    slot: 0,
    proposer: "evolve",
    origin,
    source,
    parents,
    skeleton,
    complexity: complexityOf(source, inputs),
    status: score < 0.1 ? "failed" : "scored",
    rung: 0,
    fits: 1,
    params,
    loss: 1 - score,
    trainR2: score < 0.15 ? Number.NaN : score,
    r2: score,
    bic: 0,
  };
}

const TALKS: readonly (readonly [string, EvolveOptions, StudyBrief])[] = [
  ["of its own", {}, brief()],
  ["of a small population", { draws: 20, islands: 2, islandSize: 5, migrateEvery: 16 }, brief()],
  ["of loops", { draws: 20, islands: 3, islandSize: 6 }, BRIEFS["loops"] as StudyBrief],
  ["in odd units", { draws: 20, islands: 1 }, BRIEFS["odd"] as StudyBrief],
  [
    "from seeds and templates",
    {
      draws: 30,
      seeds: ["(* a (erf x))", "(+ a (* b x))", "(car x)", "(+ (* a x) _)", "(- ?f (* ?f _))"],
    },
    brief({ rows: 8, complexityMax: 14 }),
  ],
];

test.each(TALKS)("whole batches %s", async (_, options, each) => {
  const proposer = evolve(options);
  proposer.begin(each);
  const { signal } = new AbortController();
  let next = 0;
  const batches: string[][] = [];
  for (let batch = 0; batch < 24; batch++) {
    const { proposals } = await proposer.propose(16, signal);
    const outcomes = proposals.map((proposal, i) => outcomeOf(proposal, next + i));
    next += proposals.length;
    proposer.observe(outcomes);
    const lines = proposals.map((proposal) => JSON.stringify(proposal));
    if (batch % 8 === 0) batches.push([]);
    batches.at(-1)?.push(...lines);
  }
  expect(batches.map(pinned)).toMatchSnapshot();
  const state = createHash("sha256").update(JSON.stringify(proposer.save())).digest("hex");
  expect(state.slice(0, 16)).toMatchSnapshot("what it saves");
});

test("a population, newcomer by newcomer", () => {
  const population = new Population({ islands: 3, islandSize: 6, hasLoopIsland: true });
  const chance = new Chance(5);
  const shapes = [
    "(* x P0)",
    "(+ x 0.25)",
    "(+ x 0.75)",
    "(loop ((s x) (k 0)) s)",
    "(sin x)",
    "(* 2 x)",
    "(exp x)",
    "(cos (* 1e-3 x))",
  ];
  const lines: string[] = [];
  for (let id = 0; id < 400; id++) {
    const skeleton = `${shapes[chance.below(shapes.length)]}${id % 3 === 0 ? ` ; ${id}` : ""}`;
    const outcome = {
      ...outcomeOf({ source: `p${id}`, parents: id % 2 ? [1] : [], origin: "draw" }, id),
      skeleton,
      complexity: 1 + chance.below(9),
      trainR2: id % 29 === 0 ? Number.NaN : 1 - chance.logUniform(1e-15, 1),
    };
    population.add(outcome, id % 4 === 3 ? undefined : id % 4, chance);
    if (id % 50 === 49) population.migrate(chance);
    const { islands, best, count } = population.view();
    const ids = (members: readonly { id: number }[]) => members.map((member) => member.id).join();
    lines.push(`${count}: ${islands.map(ids).join(" | ")} best ${ids(best)}`);
    if (id === 200) population.restore(JSON.parse(JSON.stringify(population.save())));
  }
  expect(pinned(lines)).toMatchSnapshot();
});
