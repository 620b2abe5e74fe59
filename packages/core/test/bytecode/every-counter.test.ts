/**
 * Locals that only LOOP reads: every small program of stores, reads and jumps against a walk along all of its
 * ways, and counters that sides of a branch store, counted down after the sides have met, against the second
 * opinion.
 */

import { afterAll, expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { Machine, NdvmError } from "../../src/index.js";
import { expectedLane } from "./oracle.js";

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

interface Item {
  readonly kind: "store" | "read" | "loop" | "branch" | "jump";
  /** Of those that lead elsewhere: the first item, the one after the next, or the end. */
  readonly to?: "first" | "skip" | "end";
}

const ITEMS: readonly Item[] = [
  { kind: "store" },
  { kind: "read" },
  ...(["loop", "branch", "jump"] as const).flatMap((kind) =>
    (["first", "skip", "end"] as const).map((to): Item => ({ kind, to })),
  ),
];

const programsOf = (length: number): Item[][] =>
  length === 0
    ? [[]]
    : programsOf(length - 1).flatMap((program) => ITEMS.map((item) => [...program, item]));

const placeOf = ({ to }: Item, at: number, length: number): number =>
  to === "first" ? 0 : to === "skip" ? Math.min(at + 2, length) : length;

function textOf(program: readonly Item[]): string {
  const lines = program.map((item, at) => {
    const label = `at${placeOf(item, at, program.length)}`;
    const text = {
      store: "PUSH 2\nSTORE k",
      read: "LOAD k\nDROP",
      loop: `LOOP k ${label}`,
      branch: `LOAD x\nPUSH 0\nLT\nBRANCH ${label}`,
      jump: `JUMP ${label}`,
    }[item.kind];
    return `at${at}:\n${text}`;
  });
  return `${lines.join("\n")}\nat${program.length}:\nPUSH 1`;
}

/** Whether some way reads k before it is stored. */
function readsTooSoon(program: readonly Item[]): boolean {
  // Where nothing makes it a local, it is an input.
  if (!program.some(({ kind }) => kind === "store" || kind === "loop")) return false;
  const seen = new Set<string>();
  const ways: [at: number, isStored: boolean][] = [[0, false]];
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const [at, isStored] = way;
    const item = program[at];
    if (item === undefined || seen.has(`${at} ${isStored}`)) continue;
    seen.add(`${at} ${isStored}`);
    const isReading = item.kind === "read" || item.kind === "loop";
    if (isReading && !isStored) return true;
    if (item.to !== undefined) ways.push([placeOf(item, at, program.length), isStored]);
    if (item.kind !== "jump") ways.push([at + 1, isStored || item.kind === "store"]);
  }
  return false;
}

test.each([1, 2, 3, 4])(
  "of %i steps, those are refused that may read or count a local before it is stored",
  (length) => {
    const wrong: string[] = [];
    for (const program of programsOf(length)) {
      const text = textOf(program);
      let code = "";
      try {
        machine.loadBytecode(text).dispose();
      } catch (error) {
        if (!(error instanceof NdvmError)) throw error;
        code = error.code;
      }
      if (code !== (readsTooSoon(program) ? "E-UNINITIALISED" : "")) wrong.push(`${text}: ${code}`);
    }
    expect(wrong).toEqual([]);
  },
);

test("a counter is counted down whether or not something lies between the ways of its loop", () => {
  const lanes = { x: [3, 1, 0, -1, 2.5] };
  // Before the loop there may be other ways that end where the loop's do.
  for (const first of ["", "LOAD x\nPUSH 2\nLT\nBRANCH low\nPUSH 1\nDROP\nlow:\n"])
    for (const between of ["", "PUSH 1\nDROP\n", "LOAD n\nDROP\n"])
      for (const again of ["", "LOOP n last\nlast:\n"]) {
        const source = `.input x\n${first}LOAD x\nSTORE n\nLOOP n on\n${between}on:\n${again}LOAD n`;
        const bytecode = assemble(source);
        const program = machine.loadBytecode(source);
        const want = lanes.x.map((x) => expectedLane(bytecode, [x])?.v);
        expect([...program.evaluate(lanes).values], source).toEqual(want);
        for (const [lane, x] of lanes.x.entries())
          expect(program.evaluate({ x }).values[0], `${source} at ${x}`).toEqual(want[lane]);
        program.dispose();
      }
});

test("counters that sides have stored are counted down after the sides have met", () => {
  const sides = ["", "PUSH 3\nSTORE k\n", "LOAD c\nSTORE k\n", "LOAD c\nPUSH 1\nADD\nSTORE k\n"];
  const grow = "LOAD s\nPUSH 2\nMUL\nPUSH 1\nADD\nSTORE s\n";
  const bodies = [
    grow,
    `LOAD s\nPUSH 5\nLT\nBRANCH more\n${grow}more:\nLOAD s\nPUSH 1\nADD\nSTORE s\n`,
    `${grow}LOAD s\nPUSH 20\nLT\nBRANCH more\nPUSH 0\nSTORE k\nmore:\n`,
  ];
  const ends = ["LOAD s", "LOAD s\nLOAD k\nADD"];
  const lanes = { x: [-1, 1, 2, -2, 3, -3], c: [1, 2, 4, 0, 3, 2] };
  for (const left of sides)
    for (const right of sides)
      for (const body of bodies)
        for (const between of ["", "LOAD s\nPUSH 1\nADD\nSTORE s\n"])
          for (const end of ends) {
            const source = `.input x
.input c
PUSH 2
STORE k
LOAD x
STORE s
LOAD x
PUSH 0
LT
BRANCH below
${left}JUMP on
below:
${right}on:
${between}again:
LOOP k done
${body}JUMP again
done:
${end}`;
            const bytecode = assemble(source);
            const want = lanes.x.map(
              (x, lane) => expectedLane(bytecode, [x, lanes.c[lane] as number])?.v,
            );
            const program = machine.loadBytecode(source);
            const got = program.evaluate(lanes, { lanes: lanes.x.length });
            expect([...got.values], source).toEqual(want);
            program.dispose();
          }
});
