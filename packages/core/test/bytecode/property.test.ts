/**
 * Random stack programs: values and gradients against a second opinion, batches against their lanes
 * alone in both precisions and without each mechanism, and text that comes back from its listing. The
 * seed is new in every run and printed; `SEED=… npx vitest run bytecode/property` runs the same again.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { assemble } from "../../src/bytecode/assemble.js";
import { disassemble } from "../../src/bytecode/disassemble.js";
import type { Machine, Program } from "../../src/index.js";
import { machineInputs } from "../fuzz/check.js";
import { describeProgram } from "../fuzz/program.js";
import { Decomposition, nothingSeen } from "../lanes/decomposition.js";
import { LaneMachines } from "../lanes/run.js";
import { generateStack, type StackProgram } from "./generate.js";
import { expectedLane } from "./oracle.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
const programs = Number(process.env["PROGRAMS"] ?? 200);

let machines: LaneMachines;
beforeAll(async () => {
  machines = await LaneMachines.create();
});
afterAll(() => machines.dispose());

const tell = (program: StackProgram, index: number, what: unknown): string =>
  `SEED=${seed}, program ${index}: ${JSON.stringify(what)}\n${describeProgram(program)}`;

test(`stack programs give a batch the bits of its lanes alone, seed ${seed}`, () => {
  console.info(`stack code: ${programs} programs, SEED=${seed}`);
  const seen = nothingSeen();
  let passed = 0;
  for (let index = 0; index < programs; index++) {
    const program = generateStack(seed, index);
    for (const bench of machines.benchesFor(index)) {
      const verdict = new Decomposition(bench, program, seen).verdict(index);
      if (verdict.kind === "fail") expect.fail(tell(program, index, verdict.failure));
      if (verdict.kind === "pass") passed += 1;
    }
  }
  expect(passed).toBeGreaterThan(2.8 * programs);
  for (const name of ["walks", "replays", "guardFailures", "divergentBranches", "merges"] as const)
    expect(seen[name], name).toBeGreaterThan(0);
});

const isNear = (got: number, expected: number, relative: number): boolean =>
  Math.abs(got - expected) <= relative * Math.max(1, Math.abs(expected));

/** The lanes in which machine and second opinion could be compared, or what differs. */
function compare(machine: Machine, program: StackProgram): number | string {
  const bytecode = assemble(program.bytecode);
  const loaded: Program = machine.loadBytecode(program.bytecode);
  const all = Array.from({ length: program.lanes }, (_, lane) => lane);
  const inputs = machineInputs(loaded, program, all);
  const { values, gradients } = loaded.gradient(inputs, { lanes: program.lanes });
  loaded.dispose();
  let compared = 0;
  for (const lane of all) {
    const numbers = bytecode.inputs.map(
      (name) => program.inputs.find((one) => one.name === name)?.lanes[lane]?.[0] as number,
    );
    const opinion = expectedLane(bytecode, numbers);
    const size = Math.max(...[opinion?.v ?? Infinity, ...(opinion?.d ?? [])].map(Math.abs));
    if (opinion === undefined || !(size < 1e6)) continue;
    compared += 1;
    if (!isNear(values[lane] as number, opinion.v, 1e-9))
      return `lane ${lane}: value ${values[lane]}, expected ${opinion.v}`;
    for (const [i, name] of bytecode.inputs.entries()) {
      const got = gradients[name]?.[lane] as number;
      if (!isNear(got, opinion.d[i] as number, 1e-6))
        return `lane ${lane}: d/d${name} ${got}, expected ${opinion.d[i]}`;
    }
  }
  return compared;
}

test(`stack programs have the values and gradients of a second opinion, seed ${seed}`, () => {
  const { plain } = machines.benchesFor(0)[0] as { readonly plain: Machine };
  let compared = 0;
  for (let index = 0; index < 2 * programs; index++) {
    const program = generateStack(seed, index);
    const outcome = compare(plain, program);
    if (typeof outcome === "string") expect.fail(tell(program, index, outcome));
    compared += outcome;
  }
  expect(compared).toBeGreaterThan(3 * programs);
});

test(`a listing assembles to the same listing, seed ${seed}`, () => {
  for (let index = 0; index < 2 * programs; index++) {
    const { bytecode } = generateStack(seed, index);
    const listed = disassemble(assemble(bytecode));
    expect(disassemble(assemble(listed)), bytecode).toBe(listed);
  }
});
