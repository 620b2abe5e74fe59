/**
 * Fitted programs that are proposed again: at the lowest alias of their rates, or from other starts; and how
 * many parameters a program may have.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { foldRates } from "../../src/choice/aliases.js";
import { Breeder, type BreedingAids } from "../../src/evolve/breeder.js";
import { Chance } from "../../src/evolve/chance.js";
import { evolve } from "../../src/evolve/evolve.js";
import { emptyView, type Member } from "../../src/evolve/population.js";
import type { Proposal } from "../../src/types.js";
import { briefOf } from "./brief.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const lattice = { origin: 0, step: 0.5 };
const brief = briefOf({
  inputs: [
    { name: "x", min: 0, max: 5, mean: 2.5, deviation: 1.4, lattice },
    { name: "z", min: -1, max: 1, mean: 0, deviation: 0.5 },
  ],
});
const lattices = new Map([["x", lattice]]);

const SOURCES: readonly (readonly [string, Readonly<Record<string, number>>])[] = [
  ["(* a (sin (* w x)))", { a: 2, w: 14 }],
  ["(* a (sin (* w x)))", { a: 2, w: 1.5 }],
  // No rows of z are missing between its values, so its rates have no alias.
  ["(* a (sin (* w z)))", { a: 2, w: 14 }],
  ["(+ a (cos (+ c (* w x))))", { a: -3, c: 0.25, w: -11 }],
  ["(+ a (* b x))", { a: 1, b: -2 }],
  ["(sin x)", {}],
];
const members = SOURCES.map(
  ([source, params], id): Member => ({ id: 100 + id, source, params, rest: 0.5, complexity: 5 }),
);
const ofId = (id: number | undefined): Member => members[(id ?? 0) - 100] as Member;

/** Revisits are what is left where no new program may be proposed. */
function revisits(count: number) {
  const reading = (source: string) => ({ source }) as never;
  const read = vi.fn(reading);
  const see = vi.fn();
  const aids: BreedingAids = { read, isSeen: () => true, see };
  // Neither of the best nor far: what is by chance is asked for in this order.
  const breeder = new Breeder({ draws: 0, islands: 1 }, brief);
  const view = { ...emptyView(), islands: [members], best: [], count: 20 };
  const bred = breeder.breed(view, { seed: 4, count, before: 1000, island: 0 }, aids);
  for (const { proposal, reading: of } of bred) expect(of).toEqual({ source: proposal.source });
  return { proposals: bred.map(({ proposal }) => proposal), see };
}

describe("a fitted program", () => {
  const { proposals, see } = revisits(300);
  const of = (origin: string) => proposals.filter((each) => each.origin === origin);
  const parentsOf = (origin: string) =>
    [...new Set(of(origin).map(({ parents }) => parents.join()))].toSorted();

  test("whose rate has a lower alias is proposed there, as itself", () => {
    expect(parentsOf("fold")).toEqual(["100", "103"]);
    for (const proposal of of("fold")) {
      const { id, source, params } = ofId(proposal.parents[0]);
      const low = foldRates(source, params, ["x", "z"], lattices) ?? {};
      const starts = Object.entries(low).map(([name, start]) => [name, { start }]);
      expect(proposal).toEqual({
        ...{ source, parents: [id], origin: "fold", isRevisit: true },
        params: Object.fromEntries(starts),
      });
    }
  });

  test("whose rates are the lowest is proposed from other starts, unless it has no parameters", () => {
    expect(parentsOf("restart")).toEqual(["101", "102", "104"]);
    for (const { isRevisit, parents, params, source } of of("restart")) {
      const member = ofId(parents[0]);
      expect(isRevisit).toBe(true);
      // Names are those that breeding gives, in order of appearance.
      expect(source).toBe(member.source.replaceAll(/\b[abw]\b/g, (name) => nameIn(member, name)));
      for (const [name, value] of Object.entries(member.params)) {
        const start = params?.[nameIn(member, name)];
        expect(start).toMatchObject({ start: expect.any(Number), range: expect.any(Array) });
        expect(start).not.toMatchObject({ start: value });
      }
    }
  });

  test("is all that is proposed where nothing is new, and is not seen as new", () => {
    expect(proposals.length).toBeGreaterThan(200);
    expect(of("fold").length + of("restart").length).toBe(proposals.length);
    expect(see).not.toHaveBeenCalled();
  });
});

const nameIn = ({ params }: Member, name: string): string =>
  `p${Object.keys(params).indexOf(name)}`;

test("the first programs are seen, so that nothing like them is proposed as new", () => {
  const see = vi.fn();
  const seeds = ["(* a x)", "(erf x)"];
  const breeder = new Breeder({ seeds, draws: 0 }, brief);
  const read = (source: string) => ({ source }) as never;
  const aids: BreedingAids = { read, isSeen: () => false, see };
  breeder.breed(emptyView(), { seed: 1, count: 3, before: 0, island: 0 }, aids);
  expect(see.mock.calls).toEqual([...seeds, "p0"].map((source) => [{ source }]));
});

test("programs that are asked for before any outcome is heard of are numbered on", async () => {
  const seeds = ["(* a x)", "(+ a x)", "(erf x)"];
  const proposer = evolve({ seeds });
  proposer.begin(brief);
  const sources: string[] = [];
  for (const count of [1, 2, 1]) {
    const { proposals } = await proposer.propose(count, new AbortController().signal);
    sources.push(...proposals.map(({ source }) => source));
  }
  expect(sources).toEqual([...seeds, "p0"]);
});

test("a program has twelve parameters at most, however many rows there are", () => {
  const waves = ["sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "atan", "asin", "acos", "sinh"];
  const terms = waves.map((name, i) => `(* a${i} (${name} x))`).join(" ");
  vi.spyOn(Chance.prototype, "happens").mockReturnValue(true);
  const options = { seeds: [`(+ ${terms} _)`], draws: 9999, islands: 1 };
  const breeder = new Breeder(options, briefOf({ rows: 1000, complexityMax: 200 }));
  const read = (source: string) => ({ source }) as never;
  const aids: BreedingAids = { read, isSeen: () => false, see: () => {} };
  const bred = breeder.breed(emptyView(), { seed: 1, count: 80, before: 10, island: 0 }, aids);
  const counts = bred.map(({ proposal }) => countOf(proposal));
  expect([Math.min(...counts), Math.max(...counts)]).toEqual([11, 12]);
});

const countOf = ({ params }: Proposal): number => Object.keys(params ?? {}).length;
