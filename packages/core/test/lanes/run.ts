/**
 * A run of the lane property over generated programs with divergence: one seed, both precisions,
 * the first failure shrunk and described.
 */

import { Machine, type Mechanisms, type Precision } from "../../src/index.js";
import type { Failure } from "../fuzz/check.js";
import { generate } from "../fuzz/generate.js";
import { describeProgram, type FuzzProgram } from "../fuzz/program.js";
import { Random } from "../fuzz/random.js";
import { shrink } from "../fuzz/shrink.js";
import { type Bench, Decomposition, nothingSeen, type Seen } from "./decomposition.js";

export interface LanesOptions {
  readonly seed: number;
  readonly programs: number;
  readonly from?: number;
  /** How often a number depends on whether two things are the same. */
  readonly asking?: number;
  readonly onProgram?: (index: number) => void;
}

export interface LanesReport {
  readonly passed: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly seen: Seen;
  /** For people: the shrunk program, its inputs, what was expected and what came. */
  readonly failure?: string;
}

const extremes = [0, -0, 1, -1, 1e-30, 1e30, 1e308, Infinity, -Infinity, Number.NaN];

/** Two calls' worth of lanes: 1 to 7 each, now and then up to 40. Some hold extreme numbers. */
export function laneProgram(seed: number, index: number, asking = 0): FuzzProgram {
  const random = new Random(seed, 2 ** 30 + index);
  const lanes = 2 * random.between(1, random.chance(0.1) ? 40 : 7);
  const parting = random.pick([0, 0.3, 0.6]);
  const program = generate(seed, index, { divergence: true, lanes, parting, asking });
  if (!random.chance(0.2)) return program;
  const spice = (value: number): number => (random.chance(0.15) ? random.pick(extremes) : value);
  const inputs = program.inputs.map((input) =>
    input.kind === "int" ? input : { ...input, lanes: input.lanes.map((lane) => lane.map(spice)) },
  );
  return { ...program, inputs };
}

const mechanisms: readonly Mechanisms[] = [
  { replay: false },
  { chunks: false },
  { loops: false },
  { smallShapes: false },
  { fusing: false },
  { adjointReuse: false },
  { integerPool: false },
  { sorting: false },
  { paths: false },
];
const precisions: readonly Precision[] = ["f64", "f32"];

/** Machines of both precisions: with all mechanisms, and without each one of them. */
export class LaneMachines {
  readonly #plain: readonly Machine[];
  readonly #lacking: readonly Bench[];

  private constructor(plain: readonly Machine[], lacking: readonly Bench[]) {
    this.#plain = plain;
    this.#lacking = lacking;
  }

  static async create(): Promise<LaneMachines> {
    const plain = await Promise.all(precisions.map((precision) => Machine.create({ precision })));
    const wanted = mechanisms.flatMap((own) => plain.map((one) => [own, one] as const));
    const lacking = wanted.map(async ([own, one]): Promise<Bench> => {
      const machine = await Machine.create({ precision: one.precision, mechanisms: own });
      return { machine, plain: one };
    });
    return new LaneMachines(plain, await Promise.all(lacking));
  }

  /** Both precisions, and one machine that lacks a mechanism. */
  benchesFor(index: number): readonly Bench[] {
    const lacking = this.#lacking[index % this.#lacking.length] as Bench;
    return [...this.#plain.map((plain) => ({ machine: plain, plain })), lacking];
  }

  dispose(): void {
    for (const { machine } of this.#lacking) machine.dispose();
    for (const machine of this.#plain) machine.dispose();
  }
}

/** Checks programs until one fails. */
export function checkLanes(machines: LaneMachines, options: LanesOptions): LanesReport {
  const { seed, programs, from = 0, asking = 0.1 } = options;
  const seen = nothingSeen();
  const skipped: Record<string, number> = {};
  let passed = 0;
  for (let index = from; index < from + programs; index++) {
    const program = laneProgram(seed, index, asking);
    for (const bench of machines.benchesFor(index)) {
      const verdict = new Decomposition(bench, program, seen).verdict(index);
      if (verdict.kind === "skip") skipped[verdict.why] = (skipped[verdict.why] ?? 0) + 1;
      else if (verdict.kind === "pass") passed += 1;
      else {
        const again =
          options.asking === undefined
            ? `npm run fuzz -- --lanes --from ${index} --programs 1`
            : "npx vitest run lanes/sameness";
        const told = describeFailure(bench, program, verdict.failure, index);
        const failure = `program ${index} of seed ${seed} ${told}\nreplay: SEED=${seed} ${again}`;
        return { passed, skipped, seen, failure };
      }
    }
    options.onProgram?.(index);
  }
  return { passed, skipped, seen };
}

function describeFailure(
  bench: Bench,
  program: FuzzProgram,
  original: Failure,
  index: number,
): string {
  const failureOf = (candidate: FuzzProgram): Failure | undefined => {
    const verdict = new Decomposition(bench, candidate, nothingSeen()).verdict(index);
    return verdict.kind === "fail" ? verdict.failure : undefined;
  };
  const kindOf = ({ check, what }: Failure): string => (check === "threw" ? check : what);
  const shrunk = shrink(program, (candidate) => {
    try {
      const failure = failureOf(candidate);
      return failure !== undefined && kindOf(failure) === kindOf(original);
    } catch {
      return false; // the edit made something that is not a program
    }
  });
  const { precision, mechanisms: lacking } = bench.machine;
  const { check, lane, what, expected, got } = failureOf(shrunk) ?? original;
  return [
    `fails the check "${check}" in ${precision}:`,
    `mechanisms ${JSON.stringify(lacking)}`,
    describeProgram(shrunk),
    `${what} in lane ${lane}: expected ${expected}, got ${got}`,
    `before shrinking: ${original.check}: expected ${original.expected}, got ${original.got}`,
  ].join("\n");
}
