/**
 * The reference's opinion of a fuzzed program, lane by lane, with what is known about its accuracy.
 */

import { evaluate, type RefInput, type RefOptions, type RefResult } from "../reference/evaluate.js";
import { type FuzzInput, type FuzzProgram, sourceOf } from "./program.js";

export interface Opinion {
  readonly exact: RefResult;
  /** The same in f32 steps; undefined where it took another path. */
  readonly rounded: RefResult | undefined;
}

const stepsMax = 200_000;

export function opinionOf(program: FuzzProgram, lane: number): Opinion {
  const source = sourceOf(program);
  const inputs = refInputs(program, lane);
  const wrt = differentiable(program).map(({ name }) => name);
  const options = { wrt, stepsMax, domain: program.domain };
  const exact = evaluate(source, inputs, options);
  return { exact, rounded: roundedOpinion(source, inputs, options, exact) };
}

/** In f32 a program may take another path, even one that ends in an error: then it says nothing. */
function roundedOpinion(
  source: string,
  inputs: Record<string, RefInput>,
  options: RefOptions,
  exact: RefResult,
): RefResult | undefined {
  try {
    const rounded = evaluate(source, inputs, { ...options, single: true });
    const { path, control } = rounded.tracer;
    return path === exact.tracer.path && control === exact.tracer.control ? rounded : undefined;
  } catch {
    return undefined;
  }
}

const sizeMax = 1e8;

/** Decisions closer than this depend on how the last bits were rounded. */
const marginLeast = 1e-11;

/** Whether the reference can judge the lane: every number finite, none huge, no close decision. */
export function isTame({ exact, rounded }: Opinion): boolean {
  const numbers = [...exact.numbers, ...Object.values(exact.gradient).flat()];
  const finite = !exact.tracer.wild && numbers.every((x) => Math.abs(x) < sizeMax);
  // A tie that is one in f32 too is a tie by construction, and has its rule.
  const tied = exact.tracer.margin === 0 && rounded?.tracer.margin === 0;
  return finite && (tied || exact.tracer.margin >= marginLeast);
}

/** The inputs a gradient can be asked for. */
export function differentiable(program: FuzzProgram): FuzzInput[] {
  return program.inputs.filter(({ kind }) => kind !== "int");
}

/** The elements of an input in one lane. */
export function elementsIn(input: FuzzInput, lane: number): readonly number[] {
  return (input.lanes[lane] ?? input.lanes[0]) as readonly number[];
}

export function refInputs(program: FuzzProgram, lane: number): Record<string, RefInput> {
  const inputs: Record<string, RefInput> = {};
  for (const input of program.inputs) {
    const { name, kind, rows, cols } = input;
    const elements = elementsIn(input, lane);
    if (kind === "vector") inputs[name] = elements;
    else if (kind === "matrix") inputs[name] = rowsFrom(elements, rows, cols);
    else inputs[name] = elements[0] as number;
  }
  return inputs;
}

export function rowsFrom(elements: readonly number[], rows: number, cols: number): number[][] {
  return Array.from({ length: rows }, (_, i) => elements.slice(i * cols, (i + 1) * cols));
}

/** Weights of the output elements, the same in every lane: what a gradient is seeded with. */
export function seedOf(elements: number): number[] {
  return Array.from({ length: elements }, (_, i) => 1 - 0.4375 * i);
}

/** The gradient of the weighted sum of output elements by one input's elements. */
export function seededGradient(result: RefResult, name: string): number[] {
  const jacobian = result.gradient[name] ?? [];
  const outputs = result.numbers.length;
  const width = jacobian.length / outputs;
  const seed = seedOf(outputs);
  return Array.from({ length: width }, (_, i) =>
    seed.reduce((sum, weight, o) => sum + weight * (jacobian[o * width + i] as number), 0),
  );
}
