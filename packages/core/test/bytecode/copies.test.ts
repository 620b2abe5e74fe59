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
      .tuple(tie("pieces"), fc.integer({ min: 1, max: 3 }))
      .map(([body, turns]) => `PUSH ${turns}\nSTORE #k\n#n:\nLOOP #k #e\n${body}\nJUMP #n\n#e:`),
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

const programOf = (body: string): string =>
  [
    ".input a b",
    ...LOCALS.flatMap((name, i) => [`LOAD ${i === 1 ? "b" : "a"}`, `STORE ${name}`]),
    named(body),
    ...["LOAD p", "LOAD q", "ADD", "LOAD r", "ADD", "RET"],
  ].join("\n");

/** Everything that a search for copies finds. */
function found(copies: Copies, { flow, procedure }: Verified): unknown {
  const edges = flow.blocks.flatMap(({ next }, from) =>
    next.map((to) => {
      const arrival = copies.arrival(from, to);
      const sorted = (slots?: ReadonlySet<number>) => [...(slots ?? [])].sort((a, b) => a - b);
      return [from, to, sorted(arrival?.copies), sorted(arrival?.dying)];
    }),
  );
  const key = ([from, to]: readonly unknown[]) => Number(from) * 1e6 + Number(to);
  const distinct = new Map(edges.map((edge) => [key(edge), edge]));
  const order = [...distinct.entries()].sort(([a], [b]) => a - b).map(([, edge]) => edge);
  return [order, procedure.code.map((_, at) => copies.before(at))];
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

describe("identity records", () => {
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

  test("a counter that is read behind a loop of one turn is changed on one way only", () => {
    const source = ".input s\nLOAD s\nSTORE k\nLOOP k out\nPUSH 1\nDROP\nout:\nLOAD k";
    const [verified, procedures] = verifiedOf(source);
    const copies = findCopies(verified, procedures);
    const [first, body, out] = [0, 1, 2];
    expect(verified.flow.blocks.map(({ next }) => next)).toEqual([[body, out], [out], []]);
    for (const from of [first, body])
      expect([...(copies.arrival(from, out)?.copies ?? [])]).toEqual([0]);
  });
});
