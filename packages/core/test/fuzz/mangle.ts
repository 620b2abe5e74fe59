/**
 * Mangled programs: random programs with a few random edits, most of them wrong somehow.
 *
 * What the reference refuses, the machine must refuse with an NdvmError; what it accepts, the
 * machine gives the same value of or refuses at load, where it sees more (a free operator in code
 * that never runs). Nothing else may come out: no trap, no other exception, no silent value.
 */

import { NdvmError } from "../../src/errors.js";
import { evaluate, type RefResult } from "../reference/evaluate.js";
import { RefError } from "../reference/values.js";
import { type Failure, type Loader, machineInputs, type Verdict } from "./check.js";
import { refInputs } from "./oracle.js";
import { type FuzzProgram, sourceOf, type Tree } from "./program.js";
import type { Random } from "./random.js";

const strays: readonly Tree[] = ["1", "0", "-2", "#f", "x", "p0", "car", "v", ["quote", []], []];

/** The program with one to three edits. */
export function mangle(random: Random, program: FuzzProgram): FuzzProgram {
  let body = program.body;
  for (let edits = random.between(1, 3); edits > 0; edits--) {
    const at = random.below(body.length);
    body = body.map((tree, i) => (i === at ? edit(random, tree) : tree));
  }
  return { ...program, body };
}

/** Walks down to a random node and changes it. */
function edit(random: Random, tree: Tree): Tree {
  if (typeof tree === "string" || tree.length === 0) return random.pick(strays);
  const i = random.below(tree.length);
  if (random.chance(0.75)) return tree.map((own, k) => (k === i ? edit(random, own) : own));
  return random.pick<() => Tree>([
    () => tree.filter((_, k) => k !== i),
    () => [...tree.slice(0, i), tree[i] as Tree, ...tree.slice(i)],
    () => tree[i] as Tree,
    () => [...tree.slice(i), ...tree.slice(0, i)],
    () => random.pick(strays),
  ])();
}

/** Both opinions of a mangled program's first lane. */
export function verdictOnMangled(machine: Loader, program: FuzzProgram): Verdict {
  const expected = outcomeOf(() =>
    evaluate(sourceOf(program), refInputs(program, 0), limits(program)),
  );
  if (expected instanceof RefError && expected.code === "E-STEPS") return skip("E-STEPS");
  if (expected instanceof RangeError) return skip("depth");
  const got = outcomeOf(() => textOf(machine, program));
  const failure = disagreement(expected, got);
  return failure ? { kind: "fail", failure } : { kind: "pass" };
}

const limits = ({ domain }: FuzzProgram) => ({ domain, wrt: [], stepsMax: 20_000 });
const skip = (why: string): Verdict => ({ kind: "skip", why });

function outcomeOf<T>(run: () => T): T | Error {
  try {
    return run();
  } catch (error) {
    return error as Error;
  }
}

interface Answer {
  readonly text: string;
  readonly numbers: readonly number[];
}

function textOf(machine: Loader, program: FuzzProgram): Answer {
  const loaded = machine.load(sourceOf(program), { domain: program.domain });
  try {
    const inputs = machineInputs(loaded, program, [0]);
    const result = loaded.evaluate(inputs, { lanes: 1, stepsMax: 1e6 });
    const [failed] = result.failures;
    if (failed) throw failed.error;
    const numbers = result.shape === undefined ? [] : Array.from(result.values);
    return { text: result.print(0), numbers };
  } finally {
    loaded.dispose();
  }
}

function disagreement(expected: RefResult | Error, got: Answer | Error): Failure | undefined {
  const what = "mangled program";
  const wrong = (want: string, came: string): Failure => {
    return { check: "mangled", lane: 0, what, expected: want, got: came };
  };
  const want = expected instanceof RefError ? expected.code : "";
  if (expected instanceof Error && !(expected instanceof RefError)) throw expected;
  if (got instanceof NdvmError) return undefined;
  if (got instanceof Error) return wrong(want || "a value", `${got.name}: ${got.message}`);
  if (expected instanceof Error) return wrong(`${want}: ${expected.message}`, got.text);
  const same =
    expected.numbers.length === got.numbers.length &&
    expected.numbers.every((x, i) => isNear(x, got.numbers[i] as number));
  return same || expected.tracer.wild ? undefined : wrong(expected.text, got.text);
}

function isNear(x: number, y: number): boolean {
  return Object.is(x, y) || Math.abs(x - y) <= 1e-6 * Math.max(1, Math.abs(x));
}
