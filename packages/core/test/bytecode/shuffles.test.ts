/**
 * Values that only change places in branches that lanes take both ways, and in loops whose turns lanes may
 * differ in: SWAP, PICK, DUP, DROP, STORE and LOAD of slots and locals that are all read afterwards. A plain interpreter of the few instructions says
 * what each lane must get, value and gradient.
 */

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Machine } from "../../src/index.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`shuffles: SEED=${seed}`);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

const INPUTS = ["a", "b", "c", "d"] as const;
const LOCALS = ["p", "q", "r"] as const;
type Local = (typeof LOCALS)[number];

/** Moves leave the stack as high as it was, so that they can stand in any arm. */
type Move =
  | { readonly kind: "swap" }
  | { readonly kind: "pick"; readonly depth: number; readonly local: Local }
  | { readonly kind: "store"; readonly local: Local }
  | { readonly kind: "load"; readonly local: Local }
  | { readonly kind: "fresh"; readonly local: Local }
  | {
      readonly kind: "branch";
      readonly on: number;
      readonly yes: readonly Move[];
      readonly no: readonly Move[];
    }
  | { readonly kind: "loop"; readonly turns: number | "s"; readonly body: readonly Move[] };

const local = fc.constantFrom(...LOCALS);
const { moves } = fc.letrec<{ moves: Move[]; move: Move }>((tie) => ({
  move: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constant<Move>({ kind: "swap" }),
    fc.record({ kind: fc.constant("pick" as const), depth: fc.nat(3), local }),
    fc.record({ kind: fc.constant("store" as const), local }),
    fc.record({ kind: fc.constant("load" as const), local }),
    fc.record({ kind: fc.constant("fresh" as const), local }),
    fc.record({
      kind: fc.constant("branch" as const),
      on: fc.nat(2),
      yes: tie("moves"),
      no: tie("moves"),
    }),
    fc.record({
      kind: fc.constant("loop" as const),
      turns: fc.constantFrom<(number | "s")[]>("s", "s", 0, 1, 2, 3),
      body: tie("moves"),
    }),
  ),
  moves: fc.array(tie("move"), { maxLength: 4 }),
}));

const fresh = (name: Local): Move => ({ kind: "fresh", local: name });
const copied = (from: Local, to: Local): readonly Move[] => [
  { kind: "load", local: from },
  { kind: "store", local: to },
];
const branched = (yes: readonly Move[], no: readonly Move[]): Move => ({
  ...{ kind: "branch", on: 1, yes, no },
});

/**
 * Loops in which a value is fresh at the first turn and a copy of another at the next: what holds at the
 * second turn reaches every block of the loop, also those behind a branch.
 */
const turning: readonly (readonly Move[])[] = LOCALS.flatMap((to) =>
  LOCALS.filter((from) => from !== to).flatMap((from) =>
    [
      [branched([fresh(to)], []), ...copied(from, to)],
      [branched([], [fresh(to)]), ...copied(from, to)],
      [branched([fresh(to)], []), branched([], [fresh(to)]), ...copied(from, to)],
      [branched([], copied(from, to)), branched([fresh(to)], []), branched([], [fresh(from)])],
      [branched([branched([fresh(to)], [])], [fresh(from)]), ...copied(from, to)],
    ].map((body): readonly Move[] => [
      ...[fresh(to), fresh(from)],
      { kind: "loop", turns: 3, body },
      branched([fresh(from)], [fresh(to)]),
    ]),
  ),
);

/** The program's text: four values on the stack, three locals, and all of them read at the end. */
function textOf(list: readonly Move[]): string {
  const lines: string[] = [".input a b c d s"];
  for (const [at, name] of LOCALS.entries()) lines.push(`LOAD ${INPUTS[at]}`, `STORE ${name}`);
  for (const name of INPUTS) lines.push(`LOAD ${name}`);
  let labels = 0;
  const write = (part: readonly Move[]): void => {
    for (const move of part) {
      if (move.kind === "swap") lines.push("SWAP");
      // The top is kept in a local, and another value comes in its place.
      if (move.kind === "pick") lines.push(`PICK ${move.depth}`, "SWAP", `STORE ${move.local}`);
      if (move.kind === "store") lines.push("DUP", `STORE ${move.local}`);
      if (move.kind === "load") lines.push("DROP", `LOAD ${move.local}`);
      if (move.kind === "fresh")
        lines.push(`LOAD ${move.local}`, "PUSH 2.5", "MUL", `STORE ${move.local}`);
      if (move.kind === "loop") {
        const [count, again, out] = [`k${labels}`, `t${labels}`, `d${labels++}`];
        lines.push(move.turns === "s" ? "LOAD s" : `PUSH ${move.turns}`, `STORE ${count}`);
        lines.push(`${again}:`, `LOOP ${count} ${out}`);
        write(move.body);
        lines.push(`JUMP ${again}`, `${out}:`);
      }
      if (move.kind !== "branch") continue;
      const [no, end] = [`n${labels}`, `e${labels++}`];
      lines.push("LOAD s", `PUSH ${move.on}`, "GT", `BRANCHNOT ${no}`);
      write(move.yes);
      lines.push(`JUMP ${end}`, `${no}:`);
      write(move.no);
      lines.push(`${end}:`);
    }
  };
  write(list);
  // Weights that tell every place from every other.
  for (const [at, name] of LOCALS.entries()) {
    lines.push(`LOAD ${name}`, `PUSH ${10 ** (at + 1)}.0`, "MUL", "ADD");
  }
  lines.push("PUSH 3.0", "MUL", "ADD", "PUSH 7.0", "MUL", "ADD", "PUSH 11.0", "MUL", "ADD");
  return lines.join("\n");
}

/** A value and its slopes by a, b, c and d: everything is linear. */
type Linear = readonly number[];

const unit = (at: number): Linear => INPUTS.map((_, i) => (i === at ? 1 : 0));
const times = (value: Linear, factor: number): Linear => value.map((each) => each * factor);
const plus = (one: Linear, other: Linear): Linear =>
  one.map((each, i) => each + (other[i] as number));

function opinion(list: readonly Move[], s: number): Linear {
  const stack: Linear[] = INPUTS.map((_, at) => unit(at));
  const locals = new Map<Local, Linear>(LOCALS.map((name, at) => [name, unit(at)]));
  const run = (part: readonly Move[]): void => {
    for (const move of part) {
      const top = stack.at(-1) as Linear;
      if (move.kind === "swap") stack.push(stack.pop() as Linear, ...stack.splice(-1));
      if (move.kind === "pick") {
        const picked = stack.at(-1 - move.depth) as Linear;
        locals.set(move.local, top);
        stack[stack.length - 1] = picked;
      }
      if (move.kind === "store") locals.set(move.local, top);
      if (move.kind === "load") stack[stack.length - 1] = locals.get(move.local) as Linear;
      if (move.kind === "fresh")
        locals.set(move.local, times(locals.get(move.local) as Linear, 2.5));
      if (move.kind === "branch") run(s > move.on ? move.yes : move.no);
      if (move.kind === "loop")
        for (let turn = move.turns === "s" ? s : move.turns; turn > 0; turn--) run(move.body);
    }
  };
  run(list);
  let sum = stack.pop() as Linear;
  for (const [at, name] of LOCALS.entries())
    sum = plus(sum, times(locals.get(name) as Linear, 10 ** (at + 1)));
  for (const weight of [3, 7, 11]) sum = plus(stack.pop() as Linear, times(sum, weight));
  return sum;
}

const lanes = {
  a: [1.5, -2, 3, 0.25],
  b: [7, 8.5, -9, 10],
  c: [0.1, 0.2, 0.3, -0.4],
  d: [100, 200, 300, 400],
  s: [0, 1, 2, 3],
};

function check(list: readonly Move[]): void {
  const program = machine.loadBytecode(textOf(list));
  // Twice: a walk, and what is kept of it.
  for (let turn = 0; turn < 2; turn++) {
    const { values, gradients } = program.gradient(lanes, { wrt: [...INPUTS] });
    for (let lane = 0; lane < 4; lane++) {
      const slopes = opinion(list, lanes.s[lane] as number);
      const wanted = slopes.reduce(
        (sum, slope, at) => sum + slope * (lanes[INPUTS[at] as "a"][lane] as number),
        0,
      );
      const size = 1 + Math.max(...slopes.map(Math.abs));
      expect((values[lane] as number) / size).toBeCloseTo(wanted / size, 9);
      for (const [at, name] of INPUTS.entries()) {
        const slope = gradients[name]?.[lane] as number;
        expect(slope / size, `d/d${name}`).toBeCloseTo((slopes[at] as number) / size, 9);
      }
    }
  }
  program.dispose();
}

test("slots and locals that change places in branches and loops are each lane's own", () => {
  fc.assert(fc.property(moves, check), { seed, numRuns: 400 });
});

test("what becomes of a value in one turn of a loop is known in all blocks of the next", () => {
  for (const list of turning) check(list);
});
