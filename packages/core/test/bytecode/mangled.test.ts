/**
 * Any text at all: it loads, or it is refused with an NdvmError that points into it; what loads runs
 * within its budgets or fails with an NdvmError, for several lanes, with gradients and again. The seed
 * is new in every run and printed; `SEED=… npx vitest run bytecode/mangled` runs the same again.
 */

import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { instructions, knownNames } from "../../src/bytecode/instructions.js";
import { Machine, NdvmError, type Program } from "../../src/index.js";
import { workloads } from "./workloads.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const machine = await Machine.create({ memoryMax: 64 * 2 ** 20 });
afterAll(() => machine.dispose());

const words = ["x", "y", "f", "g", "a", "b", "0", "1", "2", "-1", "0.5", "nil", "true", "'s", "99"];
const names = [...knownNames, ...instructions.flatMap(({ name }) => [name, name, name])];
const word = fc.constantFrom(...words);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...names), word).map((two) => two.join(" ")) },
  { weight: 8, arbitrary: fc.constantFrom(...names) },
  { weight: 6, arbitrary: word.map((name) => `PUSH ${name}`) },
  { weight: 4, arbitrary: fc.constantFrom("LOAD x", "LOAD y", "STORE y", "DUP", "ADD", "LT") },
  { weight: 3, arbitrary: fc.constantFrom("a: DUP", "b: DROP", "JUMP a", "BRANCH b", "LOOP y b") },
  { weight: 2, arbitrary: fc.constantFrom(".proc f x", ".proc g", ".captures y", ".end", "RET") },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);

/** A workload with a line dropped, doubled, or exchanged for another. */
const spoiled = fc
  .tuple(fc.constantFrom(...workloads), fc.nat(), fc.nat(3), line)
  .map(([{ source }, at, how, other]) => {
    const lines = source.split("\n");
    const place = at % lines.length;
    const here = lines[place] as string;
    lines.splice(place, 1, ...([[], [here, here], [other], [other, here]][how] as string[]));
    return lines.join("\n");
  });

const text = fc.oneof(
  fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n")),
  spoiled,
);

function load(source: string): Program | undefined {
  try {
    return machine.loadBytecode(source);
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { start, end } = error.span as { start: number; end: number };
    expect(start).toBeGreaterThanOrEqual(0);
    expect(end).toBeLessThanOrEqual(source.length);
    expect(error.help).toBeTruthy();
    return undefined;
  }
}

let ran = 0;

function run(program: Program): void {
  const inputs = Object.fromEntries(program.inputs.map((name, i) => [name, [0.5 + i, -1, 2]]));
  for (let turn = 0; turn < 2; turn++) {
    try {
      program.gradient(inputs, { lanes: 3, stepsMax: 3000 });
      ran += 1;
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
    }
  }
}

test(`any text loads or is refused with a place, seed ${seed}`, () => {
  console.info(`mangled stack code, SEED=${seed}`);
  const property = fc.property(text, (source) => {
    const program = load(source);
    if (program === undefined) return;
    run(program);
    program.dispose();
  });
  fc.assert(property, { seed, numRuns: 3000 });
  expect(ran).toBeGreaterThan(200);
  expect(machine.loadBytecode("PUSH 1\nPUSH 2\nADD").evaluate().values[0]).toBe(3);
});
