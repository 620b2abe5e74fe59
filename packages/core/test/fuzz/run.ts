/**
 * A run of the fuzzer: many programs, one seed, the first failure shrunk and described.
 */

import { type Failure, type Machines, type Verdict, verdictOn } from "./check.js";
import { generate } from "./generate.js";
import { mangle, verdictOnMangled } from "./mangle.js";
import { describeProgram, type FuzzProgram } from "./program.js";
import { Random } from "./random.js";
import { shrink } from "./shrink.js";

export interface FuzzOptions {
  readonly seed: number;
  readonly programs: number;
  /** The first program's number. */
  readonly from?: number;
  readonly onProgram?: (index: number) => void;
}

export interface FuzzReport {
  readonly passed: number;
  /** Programs that said nothing, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly failure?: Found;
}

export interface Found {
  readonly index: number;
  readonly program: FuzzProgram;
  readonly shrunk: FuzzProgram;
  readonly failure: Failure;
  /** For people: the shrunk program, its inputs, what was expected and what came. */
  readonly text: string;
}

/** Every other program has tests that may differ between lanes. */
export const programAt = (seed: number, index: number): FuzzProgram =>
  generate(seed, index, index % 2 === 1 ? { divergence: true, asking: 0.1 } : {});

/** One way to check programs, and the program to check. */
interface Trial {
  readonly program: FuzzProgram;
  readonly verdictOn: (program: FuzzProgram) => Verdict;
}

/** The program itself, and of every fourth also a mangled version. */
function trialsAt(machines: Machines, seed: number, index: number): Trial[] {
  const program = programAt(seed, index);
  const whole: Trial = { program, verdictOn: (own) => verdictOn(machines, own) };
  if (index % 4 !== 0) return [whole];
  const mangled = mangle(new Random(seed, 2 ** 31 + index), program);
  return [whole, { program: mangled, verdictOn: (own) => verdictOnMangled(machines.double, own) }];
}

/** Checks programs until one fails. */
export function fuzz(machines: Machines, options: FuzzOptions): FuzzReport {
  const { seed, programs, from = 0 } = options;
  const skipped: Record<string, number> = {};
  let passed = 0;
  for (let index = from; index < from + programs; index++) {
    for (const trial of trialsAt(machines, seed, index)) {
      const verdict = trial.verdictOn(trial.program);
      if (verdict.kind === "skip") skipped[verdict.why] = (skipped[verdict.why] ?? 0) + 1;
      else if (verdict.kind === "pass") passed += 1;
      else return { passed, skipped, failure: shrunkFailure(trial, verdict.failure, seed, index) };
    }
    options.onProgram?.(index);
  }
  return { passed, skipped };
}

/** The kind of a failure; of an exception also what was thrown, so that shrinking keeps to it. */
function kindOf({ check, got, expected }: Failure): string {
  if (check === "mangled") return `mangled ${String(expected).split(":")[0]}`;
  return check === "threw" ? `threw ${String(got).split(":")[0]}` : check;
}

function shrunkFailure(trial: Trial, original: Failure, seed: number, index: number): Found {
  const { program } = trial;
  const kind = kindOf(original);
  const failureOf = (candidate: FuzzProgram): Failure | undefined => {
    const verdict = trial.verdictOn(candidate);
    return verdict.kind === "fail" ? verdict.failure : undefined;
  };
  const shrunk = shrink(program, (candidate) => {
    const failure = failureOf(candidate);
    return failure !== undefined && kindOf(failure) === kind;
  });
  const failure = failureOf(shrunk) ?? original;
  const { check, lane, what, expected, got } = failure;
  const text = [
    `program ${index} of seed ${seed} fails the check "${check}"; shrunk to:`,
    describeProgram(shrunk),
    `${what} in lane ${lane}: expected ${expected}, got ${got}`,
    `before shrinking: ${original.what}: expected ${original.expected}, got ${original.got}`,
    `replay: SEED=${seed} npm run fuzz -- --from ${index} --programs 1`,
  ].join("\n");
  return { index, program, shrunk, failure, text };
}
