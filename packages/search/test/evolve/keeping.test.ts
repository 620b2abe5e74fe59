/**
 * What breeding keeps: populations that are saved while they go on, the table of skeletons seen of late
 * against a plain one, and how often a breeder tries before it gives up.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { Breeder, type BreedingAids, type EvolveOptions } from "../../src/evolve/breeder.js";
import { Chance } from "../../src/evolve/chance.js";
import { Draft } from "../../src/evolve/draft.js";
import { Grammar } from "../../src/evolve/grammar.js";
import { emptyView, type Member, Population } from "../../src/evolve/population.js";
import { Seen } from "../../src/evolve/seen.js";
import { simplify } from "../../src/evolve/simplify.js";
import { readTree, writeTree } from "../../src/evolve/text.js";
import type { Tree } from "../../src/evolve/tree.js";
import type { Outcome } from "../../src/types.js";
import { briefOf } from "./brief.js";

const seed = Number(process.env["SEED"] ?? 20261118);

afterEach(() => {
  vi.restoreAllMocks();
});

/** A candidate of one of some shapes, so that twins, better ones and newcomers come in turn. */
function outcomeOf(id: number, chance: Chance): Outcome {
  const shape = chance.below(14);
  const isLoop = shape === 13;
  return {
    ...{ id, visit: id, round: 0, slot: 0, proposer: "evolve", origin: "draw" },
    source: `p${id}`,
    parents: chance.happens(0.5) ? [0] : [],
    skeleton: isLoop ? `(loop ((s x) (k 0)) ${id % 3})` : `(shape${shape} x)`,
    complexity: 1 + chance.below(6),
    ...{ status: "scored", rung: 0, fits: 1, params: { a: id }, loss: 1, r2: 0, bic: 0 },
    trainR2: 1 - chance.logUniform(1e-6, 1),
  };
}

const OPTIONS = { islands: 3, islandSize: 5, hasLoopIsland: true };

/** Takes some candidates in, with migrations between them. */
function go(population: Population, from: number, to: number, chance: Chance): void {
  for (let id = from; id < to; id++) {
    population.add(outcomeOf(id, chance), id % 4 === 3 ? undefined : id % 3, chance);
    if (id % 20 === 19) population.migrate(chance);
  }
}

describe("a population", () => {
  test(`that was saved or looked at stays as it was while it goes on (SEED=${seed})`, () => {
    for (let at = 0; at < 60; at += 3) {
      const population = new Population(OPTIONS);
      go(population, 0, at, new Chance(seed));
      const [state, view] = [population.save(), population.view()];
      const [savedText, seenText] = [JSON.stringify(state), JSON.stringify(view)];
      go(population, at, at + 40, new Chance(seed + 1));
      expect(JSON.stringify(state)).toBe(savedText);
      expect(JSON.stringify(view)).toBe(seenText);
      expect(JSON.stringify(population.save())).not.toBe(savedText);

      // One that is made of the saved state goes on alike, and does not change the state either.
      const other = new Population(OPTIONS);
      go(other, 500, 530, new Chance(3));
      other.view();
      other.restore(state);
      expect(JSON.stringify(other.view())).toBe(seenText);
      go(other, at, at + 40, new Chance(seed + 1));
      expect(other.save()).toEqual(population.save());
      expect(other.view()).toEqual(population.view());
      expect(JSON.stringify(state)).toBe(savedText);
    }
  });

  test("has the best of every size that is better than a smaller one by more than a thousandth", () => {
    const population = new Population(OPTIONS);
    const chance = new Chance(seed);
    const rests = [1, 0.999, 0.998, 0.5, 0.499_9, 0.6, 0];
    for (const [i, rest] of rests.entries()) {
      const outcome = { ...outcomeOf(i, chance), complexity: i + 1, trainR2: 1 - rest };
      expect(1 - outcome.trainR2).toBeCloseTo(rest, 15);
      population.add(outcome, 0, chance);
    }
    expect(1 - (1 - 0.999)).toBe(0.999);
    expect(population.view().best.map(({ complexity }) => complexity)).toEqual([1, 3, 4, 7]);
  });

  test("has one member of a shape on an island, the better one, and no more than fit", () => {
    const population = new Population(OPTIONS);
    const chance = new Chance(seed);
    for (let id = 0; id < 300; id++) {
      go(population, id, id + 1, chance);
      const { islands } = population.save();
      for (const island of islands) {
        const shapes = island.map(({ shape }) => shape);
        expect(new Set(shapes).size).toBe(shapes.length);
        expect(shapes.length).toBeLessThanOrEqual(OPTIONS.islandSize);
      }
      expect(islands[2]?.every(({ shape }) => shape.includes("loop"))).toBe(true);
      expect(population.count).toBe(islands.flat().length);
    }
  });
});

describe("skeletons seen of late", () => {
  /** Where the table changes when a text is added to an empty one. */
  function placeOf(text: string): number {
    const seen = new Seen();
    seen.add(text);
    const words = new Int32Array(Uint8Array.from(Buffer.from(seen.save(), "base64")).buffer);
    return words.findIndex((word) => word !== 0);
  }

  /** FNV-1a with its upper half mixed in, to find texts that share a place. */
  function hashOf(text: string): number {
    let hash = 0x811c9dc5;
    for (const character of text)
      hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
    return (hash ^ (hash >>> 15)) & 0x7ffc;
  }

  test("are known until four newer ones share their place, and no others are", () => {
    const rows = new Map<number, string[]>();
    for (let i = 0; i < 30_000; i++) {
      const text = `(+ x ${i})`;
      rows.set(hashOf(text), [...(rows.get(hashOf(text)) ?? []), text]);
    }
    const crowded = [...rows.values()].filter((texts) => texts.length >= 10).slice(0, 5);
    for (const [place, ...others] of crowded.map((texts) => texts.map(placeOf))) {
      expect((place as number) % 4).toBe(0);
      expect(others.every((other) => other === place)).toBe(true);
    }
    expect(crowded.length).toBeGreaterThan(0);
    const seen = new Seen();
    for (const texts of crowded) {
      const known: string[] = [];
      for (const text of [...texts, texts[2] as string, texts[0] as string]) {
        expect(seen.has(text)).toBe(known.includes(text));
        seen.add(text);
        seen.add(text);
        // One that is still known keeps its place among the others.
        if (!known.includes(text)) known.unshift(text);
        known.splice(4);
        expect(texts.filter((each) => seen.has(each)).sort()).toEqual([...known].sort());
      }
    }
  });

  test("are saved and read back, and a table of another size is refused", () => {
    const [seen, other] = [new Seen(), new Seen()];
    for (let i = 0; i < 50; i++) seen.add(`(* ${i} x)`);
    const text = seen.save();
    seen.add("later");
    other.add("before");
    other.restore(text);
    expect(other.save()).toBe(text);
    expect([0, 49].map((i) => other.has(`(* ${i} x)`))).toEqual([true, true]);
    expect(["later", "before"].map((each) => other.has(each))).toEqual([false, false]);
    const bytes = Buffer.from(text, "base64");
    for (const part of [
      bytes.subarray(4),
      Buffer.concat([bytes, Buffer.alloc(4)]),
      Buffer.alloc(0),
    ])
      expect(() => other.restore(part.toString("base64"))).toThrow("another size");
    expect(other.save()).toBe(text);
  });
});

describe("a breeder", () => {
  const member = (id: number): Member => ({
    id,
    source: `(+ (* a x) ${id})`,
    params: { a: id },
    ...{ rest: 0.5, complexity: 5 },
  });
  const view = (count: number) => {
    const members = Array.from({ length: count }, (_, id) => member(id));
    return { ...emptyView(), islands: [members], best: members.slice(0, 1), count };
  };
  const aids = (isSeen: boolean): BreedingAids => ({
    read: (source) => ({ source }) as never,
    isSeen: () => isSeen,
    see: () => {},
  });
  const options: EvolveOptions = { draws: 0, islands: 1, seeds: ["(* a x)"] };
  /** Far behind the first programs. */
  const task = { seed: 1, count: 1, before: 1000, island: 0 };

  test("gives up after sixty programs that are not new, the last half of them drawn", () => {
    const drawn = vi.spyOn(Grammar.prototype, "program");
    const breeder = new Breeder({ ...options, draws: 9999 }, briefOf());
    expect(breeder.breed(view(20), task, aids(true))).toEqual([]);
    expect(drawn).toHaveBeenCalledTimes(60);
    drawn.mockClear();
    // Nothing else happens by chance: programs are bred, then drawn from the thirty-second on.
    vi.spyOn(Chance.prototype, "happens").mockReturnValue(false);
    const later = new Breeder(options, briefOf());
    expect(later.breed(view(20), task, aids(true))).toEqual([]);
    expect(drawn).toHaveBeenCalledTimes(29);
  });

  test("breeds from eight members on, and draws before", () => {
    vi.spyOn(Chance.prototype, "happens").mockReturnValue(false);
    for (const count of [0, 1, 7, 8, 9]) {
      const breeder = new Breeder(options, briefOf());
      const bred = breeder.breed(view(count), { ...task, count: 5 }, aids(false));
      const isDrawn = bred.every(({ proposal }) => proposal.origin === "draw");
      expect(bred.length).toBeGreaterThan(0);
      expect(isDrawn, `${count} members`).toBe(count < 8);
      for (const { proposal } of bred)
        expect(proposal.parents.length).toBe(proposal.origin === "draw" ? 0 : 1);
    }
  });
});

test.each([
  [2, true],
  [1e-307, true],
  [1.2e-308, true],
  [6e-309, true],
  [5e-309, false],
  [0, false],
])("a sum below the line whose coefficient is %f has its scale taken out: %s", (b, isTaken) => {
  const draft = new Draft(true);
  const names = { inputs: new Set(["x"]) };
  const tree = readTree("(/ a (+ c (* b x)))", names) as Tree;
  const simple = simplify(draft.adopt(tree, { a: 3, b, c: 1 }), draft);
  const { source, params } = writeTree(simple, names);
  expect([source, params.size]).toEqual(
    isTaken ? [expect.not.stringContaining("*"), 2] : [expect.stringContaining("*"), 3],
  );
});

describe("the shapes of drawn expressions", () => {
  /** The weights that a shape has at a size, inside a function or not. */
  function weightsOf(operators: readonly string[], size: number, around = "") {
    const chance = new Chance(1);
    const grammar = new Grammar(briefOf({ operators: [...operators] }), chance);
    let seen: readonly (readonly [unknown, number])[] = [];
    vi.spyOn(chance, "weighted").mockImplementationOnce((entries) => {
      seen = entries;
      return "leaf" as never;
    });
    grammar.expression(new Draft(true), size, [], around);
    return Object.fromEntries(seen);
  }
  const all = ["+", "-", "*", "/", "sin", "if", "let", "loop"];

  test("are functions and operations, and from their sizes on branches, names and loops", () => {
    for (let size = 2; size <= 30; size++) {
      const wanted = {
        ...{ unary: size === 2 ? 1 : 0.3, binary: 0.7, leaf: 0.001 },
        ...{ if: size < 7 ? 0 : 0.05, let: size < 7 ? 0 : 0.03, loop: size < 14 ? 0 : 0.05 },
      };
      expect(weightsOf(all, size), `size ${size}`).toEqual(wanted);
      expect(weightsOf(all, size, "sin")).toEqual({ ...wanted, unary: 0.08 });
      expect(weightsOf(all, size, "+")).toEqual(wanted);
    }
    expect(weightsOf(all, 1)).toEqual({ read: 0.6, parameter: 0.32, integer: 0.08 });
  });

  test("are none that a study does not have", () => {
    for (const [missing, shape] of [
      ["sin", "unary"],
      ["if", "if"],
      ["let", "let"],
      ["loop", "loop"],
    ] as const) {
      const left = all.filter((name) => name !== missing);
      for (const size of [2, 20]) {
        const weights = weightsOf(left, size);
        expect(weights[shape], missing).toBe(0);
        const others = Object.keys(weights).filter((name) => name !== shape);
        for (const other of others) expect(weights[other]).toBe(weightsOf(all, size)[other]);
      }
    }
    expect(weightsOf(["sin", "if"], 9)["binary"]).toBe(0);
  });
});
