/**
 * Where identity records are needed does not depend on the order in which the ways of a program are
 * followed, nor on how many other branches it has.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { type Copies, findCopies } from "../../src/bytecode/copies.js";
import type { Block, Flow } from "../../src/bytecode/flow.js";
import { type Verified, verify } from "../../src/bytecode/verify.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const LOCALS = ["p", "q", "r"] as const;

/** A piece of a program that leaves the stack as it is. */
const { piece } = fc.letrec<{ piece: string; pieces: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    fc.constantFrom(...LOCALS).map((name) => `LOAD ${name}\nPUSH 2.5\nMUL\nSTORE ${name}`),
    fc
      .tuple(fc.constantFrom(...LOCALS), fc.constantFrom(...LOCALS, "a", "b"))
      .map(([to, from]) => `LOAD ${from}\nSTORE ${to}`),
    fc
      .tuple(tie("pieces"), tie("pieces"), fc.constantFrom("BRANCH", "BRANCHNOT"))
      .map(
        ([yes, no, how]) =>
          `LOAD a\nLOAD p\nGT\n${how} #n\n${yes}\nJUMP #e\n#n:\n${no}\n#e:\nPUSH 1\nDROP`,
      ),
    fc
      .tuple(tie("pieces"), fc.integer({ min: 1, max: 3 }), fc.constantFrom("#k", ...LOCALS))
      .map(
        ([body, turns, counter]) =>
          `PUSH ${turns}\nSTORE #k\n#n:\nLOOP ${counter} #e\n${body}\nJUMP #n\n#e:`,
      ),
  ),
  pieces: fc.array(tie("piece"), { maxLength: 3 }).map((list) => list.join("\n")),
}));

/** Gives every branch and every loop labels and a counter of its own. */
function named(text: string): string {
  const open: number[] = [];
  let count = 0;
  return text
    .split("\n")
    .map((line) => {
      if (/^(STORE #k|BRANCH(NOT)? #n)$/.test(line)) open.push(count++);
      const own = open.at(-1);
      if (line === "#e:") open.pop();
      return line.replaceAll("#", `l${own}`);
    })
    .join("\n");
}

/** A program with a body, and further locals that the body does not know. */
const programOf = (body: string, unused = 0): string =>
  [
    ".input a b",
    ...LOCALS.flatMap((name, i) => [`LOAD ${i === 1 ? "b" : "a"}`, `STORE ${name}`]),
    named(body),
    ...Array.from({ length: unused }, (_, i) => `PUSH 1\nSTORE unused${i}`),
    ...["LOAD p", "LOAD q", "ADD", "LOAD r", "ADD", "RET"],
  ].join("\n");

/** Everything that a search for copies finds. */
function found(copies: Copies, verified: Verified): unknown {
  return [edgesOf(copies, verified), verified.procedure.code.map((_, at) => copies.before(at))];
}

function edgesOf(copies: Copies, { flow }: Verified): unknown {
  const edges = flow.blocks.flatMap(({ next }, from) =>
    next.map((to) => {
      const arrival = copies.arrival(from, to);
      const sorted = (slots?: ReadonlySet<number>) => [...(slots ?? [])].sort((a, b) => a - b);
      return [from, to, sorted(arrival?.copies), sorted(arrival?.dying)];
    }),
  );
  const key = ([from, to]: readonly unknown[]) => Number(from) * 1e6 + Number(to);
  const distinct = new Map(edges.map((edge) => [key(edge), edge]));
  return [...distinct.entries()].sort(([a], [b]) => a - b).map(([, edge]) => edge);
}

/** The same flow, its ways followed in another order. */
function turned(verified: Verified): Verified {
  const { flow } = verified;
  const blocks = flow.blocks.map((block): Block => ({ ...block, next: [...block.next].reverse() }));
  const { isReachable, before, meets } = flow;
  return { ...verified, flow: { blocks, isReachable, before, meets } as unknown as Flow };
}

function verifiedOf(source: string): [Verified, ReturnType<typeof assemble>["procedures"]] {
  const { procedures } = assemble(source);
  return [verify(procedures.at(-1) as (typeof procedures)[0], procedures), procedures];
}

/** Slots of locals that a block writes. */
function writtenIn({ procedure }: Verified, { start, end }: Block): number[] {
  return procedure.code
    .slice(start, end)
    .flatMap((code) => (code.kind === "store" || code.kind === "loop" ? [code.slot] : []));
}

/** The blocks between a branch and the place where its ways meet. */
function between({ flow }: Verified, branch: number, join: number): Set<number> {
  const inside = new Set<number>();
  const visit = (block: number): void => {
    if (block === join || inside.has(block)) return;
    inside.add(block);
    flow.blocks[block]?.next.forEach(visit);
  };
  flow.blocks[branch]?.next.forEach(visit);
  return inside;
}

/** Whether some way to the end of a block passes a branch after which nobody stores into the slot. */
function isFromBefore(verified: Verified, slot: number, block: number): boolean {
  const { flow, procedure } = verified;
  const seen = new Set<number>();
  const search = (at: number): boolean => {
    if (seen.has(at)) return false;
    seen.add(at);
    const own = flow.blocks[at] as Block;
    if (own.next.length > 1) return true;
    const code = procedure.code.slice(own.start, own.end);
    if (code.some((one) => one.kind === "store" && one.slot === slot)) return false;
    return flow.before[at]?.some(search) ?? false;
  };
  return search(block);
}

/** Holds the edges on which a branch's ways meet to what they change; how many slots must be copied. */
function checkMeeting(verified: Verified, copies: Copies, branch: number): number {
  let copied = 0;
  const { flow, live } = verified;
  const join = flow.meets[branch] as number;
  if ((flow.blocks[branch]?.next.length ?? 0) < 2 || join < 0) return 0;
  const inside = between(verified, branch, join);
  const changed = new Set(
    [...inside].flatMap((block) => writtenIn(verified, flow.blocks[block] as Block)),
  );
  for (const from of [...inside, branch]) {
    if (flow.blocks[from]?.next.includes(join) !== true) continue;
    const arrival = copies.arrival(from, join);
    for (const slot of changed) {
      const isLive = live.has(join, slot);
      expect(arrival?.dying.has(slot)).toBe(!isLive);
      if (!isLive) expect(arrival?.copies.has(slot)).toBe(false);
      else if (isFromBefore(verified, slot, from)) {
        expect(arrival?.copies.has(slot)).toBe(true);
        copied += 1;
      }
    }
  }
  return copied;
}

describe("identity records", () => {
  test(`are made where the ways of a branch meet, for what one of them changes, SEED=${seed}`, () => {
    let copied = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (list) => {
        const [verified, procedures] = verifiedOf(programOf(list.join("\n")));
        const copies = findCopies(verified, procedures);
        for (let block = 0; block < verified.flow.blocks.length; block++)
          if (verified.flow.isReachable[block] === 1)
            copied += checkMeeting(verified, copies, block);
      }),
      { seed, numRuns: 200 },
    );
    expect(copied).toBeGreaterThan(50);
  });

  test(`are the same in whichever order ways are followed, SEED=${seed}`, () => {
    let copied = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (list) => {
        const source = programOf(list.join("\n"));
        const [verified, procedures] = verifiedOf(source);
        const one = found(findCopies(verified, procedures), verified);
        expect(found(findCopies(turned(verified), procedures), verified), source).toEqual(one);
        if (JSON.stringify(one).includes("[3")) copied += 1;
      }),
      { seed, numRuns: 300 },
    );
    expect(copied).toBeGreaterThan(50);
  });

  test(`are the same beside locals that fill whole words of bits, SEED=${seed}`, () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (list) => {
        const body = list.join("\n");
        const edges = (unused: number) => {
          const [verified, procedures] = verifiedOf(programOf(body, unused));
          return edgesOf(findCopies(verified, procedures), verified);
        };
        const [{ procedure, heightMax }] = verifiedOf(programOf(body));
        const size = procedure.slots.length + heightMax;
        const alone = edges(0);
        for (const full of [31, 32, 33, 64])
          expect(edges(full - size), `${full} slots\n${body}`).toEqual(alone);
      }),
      { seed, numRuns: 150 },
    );
  });

  test.each([
    [
      "fresh, in a slot of its own",
      "LOAD a\nPUSH 2\nMUL\nSTORE p\nLOAD a\nPUSH 2\nMUL\nSTORE q",
      [],
    ],
    ["left in two slots by DUP", "LOAD a\nPUSH 2\nMUL\nDUP\nSTORE p\nSTORE q", ["p", "q"]],
    [
      "left in two slots by PICK",
      "LOAD a\nPUSH 2\nMUL\nPUSH 3\nPICK 1\nSTORE p\nDROP\nSTORE q",
      ["p", "q"],
    ],
    ["left in two slots by LOAD", "LOAD a\nPUSH 2\nMUL\nSTORE p\nLOAD p\nSTORE q", ["p", "q"]],
    ["left on the stack and in a slot", "LOAD a\nPUSH 2\nMUL\nDUP\nSTORE p\nSIN\nSTORE q", ["p"]],
  ])("of a side's number that is %s", (_, side, expected) => {
    const [verified, procedures] = verifiedOf(`.input a b
      LOAD a\nSTORE p\nLOAD b\nSTORE q\nLOAD a\nLOAD b\nGT\nBRANCH yes
      ${side}\nJUMP end\nyes:\nPUSH 1\nDROP\nend:\nLOAD p\nLOAD q\nADD\nRET`);
    const copies = findCopies(verified, procedures);
    const [branch, no, yes, end] = [0, 1, 2, 3];
    expect(verified.flow.blocks.map(({ next }) => [...next].sort())).toEqual([
      [no, yes],
      [end],
      [end],
      [],
    ]);
    const named = (from: number) =>
      [...(copies.arrival(from, end)?.copies ?? [])]
        .map((slot) => verified.procedure.slots[slot])
        .sort();
    expect(named(branch)).toEqual([]);
    expect(named(no)).toEqual(expected);
    expect(named(yes)).toEqual(["p", "q"]);
  });

  test("a counter that is read behind a loop of one turn is changed on one way only", () => {
    const source = ".input s\nLOAD s\nSTORE k\nLOOP k out\nPUSH 1\nDROP\nout:\nLOAD k";
    const [verified, procedures] = verifiedOf(source);
    const copies = findCopies(verified, procedures);
    const [first, body, out] = [0, 1, 2];
    expect(verified.flow.blocks.map(({ next }) => next)).toEqual([[body, out], [out], []]);
    for (const from of [first, body])
      expect([...(copies.arrival(from, out)?.copies ?? [])]).toEqual([0]);
  });

  test("are made for what a side changes that stands behind the end of the text's main way", () => {
    const source = `.input a b
      LOAD a\nSTORE p\nLOAD b\nSTORE q\nLOAD a\nLOAD b\nGT\nBRANCH far
      LOAD p\nPUSH 2\nMUL\nSTORE p
      back:\nLOAD a\nLOAD b\nLT\nBRANCH other
      end:\nLOAD p\nLOAD q\nADD\nRET
      other:\nLOAD q\nSTORE p\nJUMP end
      far:\nLOAD p\nSTORE q\nJUMP back`;
    const [verified, procedures] = verifiedOf(source);
    const copies = findCopies(verified, procedures);
    const copied = verified.flow.blocks.map((_, block) => checkMeeting(verified, copies, block));
    expect(copied.filter((count) => count > 0).length).toBe(2);
  });

  test("a counter that is passed on is none of the values that stay the same", () => {
    const { procedures } = assemble(`.proc f k x
      LOOP k out\nLOAD k\nLOAD x\nTAILCALL f
      out: LOAD x\nRET\n.end\nPUSH 3\nPUSH 1.5\nCALL f`);
    const f = procedures.find(({ name }) => name === "f") as (typeof procedures)[0];
    const copies = findCopies(verify(f, procedures), procedures);
    const call = f.code.findIndex(({ kind }) => kind === "call");
    // Behind the parameters k and x: k, which the loop has counted down, and not x.
    expect(copies.before(call)).toEqual([2]);
  });
});
