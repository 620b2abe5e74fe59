/**
 * Shrinking: smaller programs that still fail the same check.
 *
 * Any edit of the tree is tried; the reference throws out what is not a program any more, so edits
 * need not respect types or scopes.
 */

import { withUsedInputs } from "./generate.js";
import type { FuzzInput, FuzzProgram, Tree } from "./program.js";

type StillFails = (program: FuzzProgram) => boolean;

/**
 * A program that fails like the given one and that no single edit makes smaller. After an edit that
 * works, the search goes on where it was, and ends when a whole round brought nothing.
 */
export function shrink(program: FuzzProgram, stillFails: StillFails, triesMax = 8000): FuzzProgram {
  let best = program;
  let candidates = [...candidatesOf(best)];
  let at = 0;
  let fruitless = 0;
  for (let tries = 0; tries < triesMax && fruitless < candidates.length; tries++) {
    const candidate = withUsedInputs(candidates[at % candidates.length] as FuzzProgram);
    if (stillFails(candidate)) {
      best = candidate;
      candidates = [...candidatesOf(best)];
      fruitless = 0;
    } else {
      at += 1;
      fruitless += 1;
    }
  }
  return best;
}

function* candidatesOf(program: FuzzProgram): Generator<FuzzProgram> {
  yield* fewerLanes(program);
  const { body } = program;
  for (let i = 0; i < body.length - 1; i++) {
    yield { ...program, body: body.filter((_, k) => k !== i) };
  }
  for (const [i, tree] of body.entries()) {
    for (const edited of editsOf(tree)) {
      yield { ...program, body: body.map((own, k) => (k === i ? edited : own)) };
    }
  }
  yield* simplerInputs(program);
}

function* fewerLanes(program: FuzzProgram): Generator<FuzzProgram> {
  if (program.lanes === 1) return;
  for (let lane = 0; lane < program.lanes; lane++) {
    const inputs = program.inputs.map((input) => ({
      ...input,
      lanes: input.lanes.length === 1 ? input.lanes : [input.lanes[lane] as readonly number[]],
    }));
    yield { ...program, inputs, lanes: 1 };
  }
  for (let lane = 0; lane < program.lanes && program.lanes > 2; lane++) {
    const inputs = program.inputs.map((input) => ({
      ...input,
      lanes: input.lanes.length === 1 ? input.lanes : input.lanes.filter((_, k) => k !== lane),
    }));
    yield { ...program, inputs, lanes: program.lanes - 1 };
  }
}

const isLiteral = (tree: Tree): boolean => typeof tree === "string" && /^[-\d.]/.test(tree);

/** Trees with one edit, the largest parts first. */
function* editsOf(tree: Tree): Generator<Tree> {
  if (typeof tree === "string") {
    if (!isLiteral(tree)) yield "1";
    else if (tree.length > 2) yield tree.startsWith("-") ? "-1" : "2";
    return;
  }
  yield "1";
  for (const part of tree) if (typeof part !== "string" || !isLiteral(part)) yield part;
  for (let i = 1; i < tree.length; i++) yield tree.filter((_, k) => k !== i);
  for (const [i, part] of tree.entries()) {
    for (const edited of editsOf(part)) yield tree.map((own, k) => (k === i ? edited : own));
  }
}

function* simplerInputs(program: FuzzProgram): Generator<FuzzProgram> {
  for (const [i, input] of program.inputs.entries()) {
    for (const lanes of simplerLanes(input)) {
      const inputs = program.inputs.map((own, k) => (k === i ? { ...own, lanes } : own));
      yield { ...program, inputs };
    }
  }
}

/** Values with fewer digits. */
function* simplerLanes({ kind, lanes }: FuzzInput): Generator<readonly (readonly number[])[]> {
  if (kind === "int") return;
  for (const digits of [1, 10]) {
    const round = (x: number): number => Math.round(x * digits) / digits || 1;
    const simpler = lanes.map((lane) => lane.map(round));
    if (String(simpler) !== String(lanes)) yield simpler;
  }
}
