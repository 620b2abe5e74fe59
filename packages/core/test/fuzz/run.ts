/**
 * A run of the fuzzer: many programs, one seed, the first failure shrunk and described.
 */

import { checkProgram, type Failure, judge, type Machines } from "./check.js";
import { generate } from "./generate.js";
import { describeProgram, type FuzzProgram } from "./program.js";
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
  generate(seed, index, { divergence: index % 2 === 1 });

/** Checks programs until one fails. */
export function fuzz(machines: Machines, options: FuzzOptions): FuzzReport {
  const { seed, programs, from = 0 } = options;
  const skipped: Record<string, number> = {};
  let passed = 0;
  for (let index = from; index < from + programs; index++) {
    const program = programAt(seed, index);
    const verdict = judge(machines, program);
    if (verdict.kind === "skip") skipped[verdict.why] = (skipped[verdict.why] ?? 0) + 1;
    else if (verdict.kind === "pass") passed += 1;
    else {
      const failure = shrunkFailure(machines, program, verdict.failure, seed, index);
      return { passed, skipped, failure };
    }
    options.onProgram?.(index);
  }
  return { passed, skipped };
}

/** The kind of a failure; of an exception also what was thrown, so that shrinking keeps to it. */
function kindOf({ check, got }: Failure): string {
  return check === "threw" ? `threw ${String(got).split(":")[0]}` : check;
}

function shrunkFailure(
  machines: Machines,
  program: FuzzProgram,
  original: Failure,
  seed: number,
  index: number,
): Found {
  const kind = kindOf(original);
  const shrunk = shrink(program, (candidate) => {
    const failure = checkProgram(machines, candidate);
    return failure !== undefined && kindOf(failure) === kind;
  });
  const failure = checkProgram(machines, shrunk) ?? original;
  const { check, lane, what, expected, got } = failure;
  const text = [
    `program ${index} of seed ${seed} fails the check "${check}"; shrunk to:`,
    describeProgram(shrunk),
    `${what} in lane ${lane}: expected ${expected}, got ${got}`,
    `replay: SEED=${seed} npm run fuzz -- --from ${index} --programs 1`,
  ].join("\n");
  return { index, program, shrunk, failure, text };
}
