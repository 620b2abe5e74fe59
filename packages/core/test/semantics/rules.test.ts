/**
 * docs/semantics.md held to its word: the rules on the page are the rules here, each has an example
 * worked out by hand, the evaluator that they make agrees with the machine on random programs, and
 * the lemmas of the proof hold in every run.
 *
 * The seed is new in every run and printed; SEED=… runs the same programs again.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { compareTexts, doubleTolerance, isClose, machineInputs } from "../fuzz/check.js";
import {
  differentiable,
  isTame,
  type Opinion,
  opinionOf,
  refInputs,
  seedOf,
} from "../fuzz/oracle.js";
import { describeProgram, type FuzzProgram, sourceOf } from "../fuzz/program.js";
import { programAt } from "../fuzz/run.js";
import { RefError } from "../reference/values.js";
import { examples } from "./examples.js";
import { rules } from "./rules.js";
import { type Derivation, derive, gradientOf, type RuleInput, realsOf, textOf } from "./run.js";
import { Stuck } from "./values.js";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/semantics.md"), "utf8");
const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
const programs = 250;
const stepsMax = 100_000;

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create({ precision: "f64" });
});
afterAll(() => machine.dispose());

describe("the rules", () => {
  test.each(rules)("$name is on the page as it is here", ({ name, text }) => {
    expect(page).toContain(`${name.padEnd(14)} ${text}`);
  });

  test("each has an example and a case of the proof", () => {
    const names = rules.map(({ name }) => name);
    expect(examples.map(({ rule }) => rule)).toEqual(names);
    const cases = [...page.matchAll(/^\| ([A-Z][a-z-]+) \|/gm)].map(([, name]) => name);
    expect(cases.sort()).toEqual([...names].sort());
  });

  test.each(examples)("$rule: $source at $x", ({ rule, source, x, value, slope }) => {
    const derivation = derive(source, new Map([["x", x]]));
    expect(derivation.taken).toContain(rule);
    expect(realsOf(derivation.value).map(({ v }) => v)).toEqual([value]);
    expect(gradientOf(derivation, [1]).get("x")).toEqual([slope]);
    const program = machine.load(source);
    const result = program.gradient({ x }, { wrt: ["x"] });
    expect([...result.values]).toEqual([value]);
    expect([...result.gradients.x]).toEqual([slope]);
    program.dispose();
  });

  test.each([
    ["(car 5)", "E-TYPE"],
    ["(5 5)", "E-CALL"],
    ["(letrec ((a b) (b 1)) a)", "E-UNINITIALISED"],
    ["(loop () (recur))", "E-STEPS"],
  ])("%s has no next step: %s", (source, code) => {
    expect(() => derive(source, new Map(), { stepsMax: 1000 })).toThrow(
      expect.objectContaining({ code }) as Stuck,
    );
  });
});

interface Judged {
  readonly program: FuzzProgram;
  readonly derivation: Derivation;
  readonly opinion: Opinion;
}

/** One lane of a program by the rules; undefined where the program is wrong, or nobody can judge it. */
function judged(index: number): Judged | undefined {
  const program = programAt(seed, index);
  try {
    const opinion = opinionOf(program, 0);
    if (!isTame(opinion)) return undefined;
    const inputs = new Map<string, RuleInput>(Object.entries(refInputs(program, 0)));
    const options = { domain: program.domain, stepsMax };
    return { program, opinion, derivation: derive(sourceOf(program), inputs, options) };
  } catch (error) {
    if (error instanceof RefError || error instanceof RangeError) return undefined;
    if (error instanceof Stuck && error.code === "E-STEPS") return undefined;
    throw new Error(`program ${index} of seed ${seed}:\n${describeProgram(program)}`, {
      cause: error,
    });
  }
}

/** What the machine says otherwise than the rules. */
function difference({ program, derivation, opinion }: Judged): string | undefined {
  const loaded = machine.load(sourceOf(program), { domain: program.domain });
  try {
    const inputs = machineInputs(loaded, program, [0]);
    const numbers = realsOf(derivation.value);
    if (numbers.length === 0) {
      const got = loaded.evaluate(inputs, { lanes: 1 }).print(0);
      const wrong = compareTexts(got, textOf(derivation.value), 0);
      return wrong && `the machine prints ${wrong.got}, the rules ${wrong.expected}`;
    }
    const wrt = differentiable(program)
      .map(({ name }) => name)
      .filter((name) => loaded.inputs.includes(name));
    const weights = seedOf(numbers.length);
    const result = loaded.gradient(inputs, { lanes: 1, wrt, seed: weights });
    const { exact, rounded } = opinion;
    for (const [i, { v }] of numbers.entries())
      if (
        !isClose(
          result.values[i] ?? Number.NaN,
          v,
          noisy(v, exact.numbers[i], rounded?.numbers[i]),
          doubleTolerance,
        )
      )
        return `value[${i}]: the machine says ${result.values[i]}, the rules ${v}`;
    return gradientDifference({ program, derivation, opinion }, result.gradients, weights);
  } finally {
    loaded.dispose();
  }
}

/** The value in f32 steps, moved to where the rules are: its distance is the noise of rounding. */
const noisy = (v: number, exact = v, rounded = exact): number => v + (rounded - exact);

function gradientDifference(
  { derivation, opinion }: Judged,
  gradients: Readonly<Record<string, Float64Array>>,
  weights: readonly number[],
): string | undefined {
  const slopes = gradientOf(derivation, weights);
  const { exact, rounded } = opinion;
  for (const [name, got] of Object.entries(gradients)) {
    const near = seededNoise(exact.gradient[name], rounded?.gradient[name], got.length);
    for (const [i, want] of (slopes.get(name) ?? []).entries())
      if (!isClose(got[i] ?? Number.NaN, want, want + (near[i] ?? 0), doubleTolerance))
        return `gradient of ${name}[${i}]: the machine says ${got[i]}, the rules ${want}`;
  }
  return undefined;
}

function seededNoise(
  exact: readonly number[] = [],
  rounded: readonly number[] = exact,
  width: number,
): number[] {
  const weights = seedOf(width === 0 ? 0 : exact.length / width);
  return Array.from({ length: width }, (_, i) =>
    weights.reduce((sum, weight, o) => {
      const at = o * width + i;
      return sum + Math.abs(weight * ((rounded[at] ?? 0) - (exact[at] ?? 0)));
    }, 0),
  );
}

describe("the evaluator that the rules make", () => {
  test(`agrees with the machine on random programs, seed ${seed}`, () => {
    console.info(`rules: ${programs} programs, SEED=${seed}`);
    const taken = new Set<string>();
    let compared = 0;
    for (let index = 0; index < programs; index++) {
      const found = judged(index);
      if (found === undefined) continue;
      const wrong = difference(found);
      if (wrong !== undefined)
        expect.fail(
          `${wrong}\nprogram ${index} of seed ${seed}:\n${describeProgram(found.program)}`,
        );
      for (const name of found.derivation.taken) taken.add(name);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(programs * 0.5);
    const rare = new Set(["Unspecified", "None"]);
    expect(
      rules.map(({ name }) => name).filter((name) => !taken.has(name) && !rare.has(name)),
    ).toEqual([]);
  });
});

describe("the lemmas, in every run", () => {
  const near = (input: RuleInput, by: number): RuleInput => {
    if (typeof input === "number") return input * (1 + by);
    return input.map((each) => near(each, by)) as RuleInput;
  };
  const traceOf = ({ tape }: Derivation) =>
    tape.map(({ primitive, operands, result }) => [
      primitive.name,
      ...operands.map(({ cell }) => cell),
      result.cell,
    ]);

  test(`the same decisions make the same steps and the same trace, seed ${seed}`, () => {
    let same = 0;
    for (let index = 0; index < 100; index++) {
      const found = judged(index);
      if (found === undefined) continue;
      const { program, derivation } = found;
      const wrt = new Set(differentiable(program).map(({ name }) => name));
      const moved = new Map<string, RuleInput>(
        Object.entries(refInputs(program, 0)).map(([name, input]) => [
          name,
          wrt.has(name) ? near(input as RuleInput, 1e-7) : (input as RuleInput),
        ]),
      );
      const other = derive(sourceOf(program), moved, { domain: program.domain, stepsMax });
      if (String(other.decisions) !== String(derivation.decisions)) continue;
      same += 1;
      expect(other.taken, describeProgram(program)).toEqual(derivation.taken);
      expect(traceOf(other)).toEqual(traceOf(derivation));
    }
    expect(same).toBeGreaterThan(30);
  });

  test(`every operand of a record is an input or an earlier result, and a cell is written once, seed ${seed}`, () => {
    let run = 0;
    for (let index = 0; index < 100; index++) {
      const found = judged(index);
      if (found === undefined) continue;
      const { tape, cells, value } = found.derivation;
      const known = new Set([...cells.values()].flat());
      for (const { operands, result } of tape) {
        for (const { cell } of operands) if (cell !== undefined) expect(known.has(cell)).toBe(true);
        expect(known.has(result.cell as number)).toBe(false);
        known.add(result.cell as number);
      }
      for (const { cell } of realsOf(value))
        if (cell !== undefined) expect(known.has(cell)).toBe(true);
      run += 1;
    }
    expect(run).toBeGreaterThan(30);
  });
});
