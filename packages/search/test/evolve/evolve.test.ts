/**
 * The proposer alone: what it proposes, that it repeats itself bit by bit, and how it starts.
 */

import { type Datum, Machine, NdvmError, print, read } from "@ndvm/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { complexityOf } from "../../src/complexity.js";
import { type EvolveOptions, evolve } from "../../src/evolve/evolve.js";
import { skeletonOf } from "../../src/skeleton.js";
import type { Json, Outcome, Proposal, Proposer, StudyBrief } from "../../src/types.js";
import { briefOf } from "./brief.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const { signal } = new AbortController();

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** A number in [0, 1) that a text always has. */
function scoreOf(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return hash / 2 ** 32;
}

/** An outcome with made-up scores and fitted numbers. */
function outcomeOf(proposal: Proposal, id: number, round: number): Outcome {
  const { source, parents, origin } = proposal;
  const skeleton = skeletonOf(source, ["x"]);
  const score = origin === "seed" ? 0.999 : scoreOf(skeleton);
  const params: Record<string, number> = {};
  for (const name of Object.keys(proposal.params ?? {})) params[name] = 3 * scoreOf(name + source);
  return {
    id,
    visit: id,
    round,
    slot: 0,
    proposer: "evolve",
    origin,
    source,
    parents,
    skeleton,
    complexity: complexityOf(source, ["x"]),
    status: score < 0.1 ? "failed" : "scored",
    rung: 0,
    fits: 1,
    params,
    loss: 1 - score,
    trainR2: score,
    r2: score,
    bic: 0,
  };
}

interface Talk {
  readonly proposer: Proposer;
  readonly proposals: Proposal[];
  next: number;
}

function begin(options: EvolveOptions, brief: StudyBrief): Talk {
  const proposer = evolve(options);
  proposer.begin(brief);
  return { proposer, proposals: [], next: 0 };
}

/** Batches of 32, each observed before the next. */
async function talk(with_: Talk, batches: number): Promise<void> {
  for (let b = 0; b < batches; b++) {
    const { proposals } = await with_.proposer.propose(32, signal);
    with_.proposals.push(...proposals);
    with_.proposer.observe(proposals.map((p, i) => outcomeOf(p, with_.next + i, b)));
    with_.next += proposals.length;
  }
}

/** All names in operator position. */
const operatorsOf = (source: string): string[] =>
  [...source.matchAll(/\(([^\s()]+)/g)].map((match) => match[1] as string);

describe("evolve", () => {
  it("proposes programs that load, within the operators and the complexity", async () => {
    console.info(`evolve: SEED=${seed}`);
    const brief = briefOf({ seed });
    const session = begin({}, brief);
    await talk(session, 40);
    const allowed = new Set([...brief.operators, "<", "=", "recur"]);
    for (const { source, params } of session.proposals) {
      const program = machine.load(source, { inputs: ["x"] });
      const free = program.inputs.filter((name) => name !== "x");
      expect(free.toSorted(), source).toEqual(Object.keys(params ?? {}).toSorted());
      program.dispose();
      expect(complexityOf(source, ["x"]), source).toBeLessThanOrEqual(brief.complexityMax);
      const used = operatorsOf(source).filter((name) => !/^[ksu]\d+$/.test(name));
      expect(used.filter((name) => !allowed.has(name), source)).toEqual([]);
    }
    expect(session.proposals).toHaveLength(40 * 32);
  });

  it("breeds branches, loops and lets, and says how each child was made", async () => {
    const session = begin({}, briefOf());
    await talk(session, 60);
    const texts = session.proposals.map(({ source }) => source).join("\n");
    for (const form of ["(if (<", "(loop ((", "(let (("]) expect(texts).toContain(form);
    const origins = new Set(session.proposals.map(({ origin }) => origin));
    for (const origin of ["draw", "cross", "restart", "loosen", "threshold", "turns", "remove"]) {
      expect([...origins]).toContain(origin);
    }
    const children = session.proposals.filter(({ origin }) => origin !== "draw");
    for (const { parents } of children) expect(parents.length).toBeGreaterThan(0);
  });

  it("never proposes a skeleton twice, unless to fit it again from elsewhere", async () => {
    const session = begin({}, briefOf({ seed }));
    await talk(session, 40);
    const fresh = session.proposals.filter(({ isRevisit }) => isRevisit !== true);
    const skeletons = fresh.map(({ source }) => skeletonOf(source, ["x"]));
    expect(new Set(skeletons).size).toBe(skeletons.length);
    const revisits = session.proposals.filter(({ isRevisit }) => isRevisit === true);
    expect(revisits.length).toBeGreaterThan(0);
    for (const { source } of revisits) expect(skeletons).toContain(skeletonOf(source, ["x"]));
  });

  it("starts children from their parents' fitted numbers", async () => {
    const session = begin({}, briefOf());
    await talk(session, 40);
    const fitted = new Map<number, number[]>();
    session.proposals.forEach((proposal, id) => {
      fitted.set(id, Object.values(outcomeOf(proposal, id, 0).params));
    });
    const grown = session.proposals.filter(({ origin }) => origin === "loosen");
    expect(grown.length).toBeGreaterThan(0);
    const kept = grown.filter(({ parents, params }) => {
      const before = fitted.get(parents[0] as number) ?? [];
      const after = Object.values(params ?? {}).map((spec) =>
        typeof spec === "number" ? spec : (spec.start ?? Number.NaN),
      );
      return after.some((value) => before.includes(value));
    });
    expect(kept.length / grown.length).toBeGreaterThan(0.5);
  });

  it("proposes the same for the same seed and outcomes, and other things for another seed", async () => {
    const [one, two, other] = [1, 1, 2].map((n) => begin({}, briefOf({ seed: n }))) as [
      Talk,
      Talk,
      Talk,
    ];
    for (const session of [one, two, other]) await talk(session, 20);
    expect(two.proposals).toEqual(one.proposals);
    expect(other.proposals).not.toEqual(one.proposals);
  });

  it("goes on after save and restore as if nothing had happened", async () => {
    const whole = begin({}, briefOf());
    await talk(whole, 30);
    const first = begin({}, briefOf());
    await talk(first, 17);
    const text = JSON.stringify(first.proposer.save());
    const second = begin({}, briefOf());
    second.proposer.restore(JSON.parse(text) as Json);
    second.next = first.next;
    await talk(second, 13);
    expect([...first.proposals, ...second.proposals]).toEqual(whole.proposals);
  });

  it("keeps its saved state to one size however long it runs", async () => {
    const session = begin({}, briefOf());
    await talk(session, 40);
    const early = JSON.stringify(session.proposer.save()).length;
    await talk(session, 60);
    expect(JSON.stringify(session.proposer.save()).length).toBeLessThan(1.3 * early);
  });

  it("works with few operators, with many inputs and with none of the forms", async () => {
    const inputs = ["x", "p0", "s0"].map((name) => ({
      name,
      min: 0,
      max: 1,
      mean: 0.5,
      deviation: 0.3,
    }));
    for (const operators of [["+"], ["sin"], ["*", "max"], ["+", "loop"], ["-", "if"]]) {
      const session = begin({}, briefOf({ operators, inputs, complexityMax: 20 }));
      await talk(session, 5);
      expect(session.proposals.length).toBeGreaterThan(3);
      const allowed = new Set([...operators, "<", "=", "recur"]);
      for (const { source } of session.proposals) {
        // A loop counts its turns by + and ends by if.
        const plain = source.replaceAll(/\(\+ k\d+ 1\)|\(if \(= k\d+ \d+\)/g, "");
        const used = operatorsOf(plain).filter((name) => !/^[ksu]\d+$/.test(name));
        expect(used.filter((name) => !allowed.has(name))).toEqual([]);
      }
    }
  });
});

const partsOf = (datum: Datum | undefined): readonly Datum[] =>
  datum?.kind === "list" ? datum.items : [];
const textOf = (datum: Datum | undefined): string => (datum === undefined ? "" : print(datum));

describe("seeds", () => {
  it("come first, as they are, whatever they are made of", async () => {
    const seeds = ["(* a (exp (* b x)))", "(fold-left + a (list x 1))"];
    const session = begin({ seeds }, briefOf());
    await talk(session, 20);
    expect(session.proposals.slice(0, 2).map(({ source }) => source)).toEqual(seeds);
    expect(session.proposals[0]?.origin).toBe("seed");
    const children = session.proposals.filter(({ parents }) => parents.includes(0));
    expect(children.length).toBeGreaterThan(0);
  });

  it("with holes are filled in many ways, equal names by equal expressions", async () => {
    const session = begin({ seeds: ["(- (sin ?inner) (erf ?inner))"] }, briefOf());
    await talk(session, 9);
    const filled = session.proposals.filter(({ origin }) => origin === "fill");
    expect(filled.length).toBeGreaterThan(50);
    const pairs = filled.flatMap(({ source }) => {
      const [, wave, step] = partsOf(read(source)[0]);
      const [sin, inner] = partsOf(wave);
      const [erf, same] = partsOf(step);
      return textOf(sin) === "sin" && textOf(erf) === "erf" ? [[textOf(inner), textOf(same)]] : [];
    });
    expect(pairs.length).toBeGreaterThan(10);
    // Names are of their own at every place, and so are parameters for folded constants.
    const alike = (text = "") => text.replaceAll(/[pusk]\d+/g, "p");
    for (const [inner, same] of pairs) expect(alike(same)).toBe(alike(inner));
  });

  it("see bound names in a hole inside a loop", async () => {
    const template = "(loop ((s x) (k 0)) (if (= k 8) s (recur (cos _) (+ k 1))))";
    const session = begin({ seeds: [template] }, briefOf());
    await talk(session, 9);
    const filled = session.proposals.filter(({ origin }) => origin === "fill");
    expect(filled.some(({ source }) => /\(cos [^x]*s0/.test(source))).toBe(true);
  });

  it.each([
    ["(+ x", "E-SYNTAX", /seed 1: this \( is never closed/],
    ["(sinn x)", "E-UNBOUND", /seed 1: .*sinn/],
    ["(map _ '(1 2))", "E-OPTION", /cannot fill the holes of seed 1/],
  ])("refuses %s", (source, code, message) => {
    try {
      evolve({ seeds: [source] }).begin(briefOf());
    } catch (error) {
      expect(error).toBeInstanceOf(NdvmError);
      expect((error as NdvmError).code).toBe(code);
      expect((error as NdvmError).message).toMatch(message);
      expect((error as NdvmError).help).toBeTruthy();
      return;
    }
    throw new Error("it was not refused");
  });
});
