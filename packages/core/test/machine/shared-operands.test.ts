/**
 * Straight programs whose numbers are used several times, in any order: a backward pass lets adjoints
 * share a place where it can, and must not where one of them is added to in between. Numbers are small
 * and whole, so a plain backward pass agrees to the last bit.
 */

import { expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`shared operands: SEED=${seed}`);

interface Step {
  readonly op: "+" | "-" | "*";
  readonly left: number;
  readonly right: number;
}

const inputs = ["a", "b", "c"];
const nameOf = (index: number): string => inputs[index] ?? `t${index}`;

/** Steps that read inputs and earlier steps, then steps that add up what nobody has read. */
function stepsOf(random: Random, count: number): Step[] {
  const steps: Step[] = [];
  const unread = new Set<number>();
  const push = (op: Step["op"], left: number, right: number) => {
    steps.push({ op, left, right });
    unread.delete(left);
    unread.delete(right);
    unread.add(inputs.length + steps.length - 1);
  };
  for (let made = 0; made < count; made++) {
    const known = inputs.length + steps.length;
    push(random.pick(["+", "+", "-", "*"] as const), random.below(known), random.below(known));
  }
  while (unread.size > 1) {
    const [left = 0, right = 0] = unread;
    push("+", left, right);
  }
  return steps;
}

function textOf(steps: readonly Step[], close: (last: string) => string): string {
  const bindings = steps.map(
    ({ op, left, right }, at) =>
      `(${nameOf(inputs.length + at)} (${op} ${nameOf(left)} ${nameOf(right)}))`,
  );
  return `(let* (${bindings.join(" ")}) ${close(nameOf(inputs.length + steps.length - 1))})`;
}

const results: Record<Step["op"], (x: number, y: number) => number> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
};

/** The value, the slopes for all inputs, and the largest number on the way. */
function plainly(steps: readonly Step[], at: readonly number[]) {
  const values = [...at];
  for (const { op, left, right } of steps)
    values.push(results[op](values[left] as number, values[right] as number));
  const slopes = values.map(() => 0);
  slopes[values.length - 1] = 1;
  const add = (to: number, more: number) => {
    slopes[to] = (slopes[to] as number) + more;
  };
  for (let index = steps.length - 1; index >= 0; index--) {
    const { op, left, right } = steps[index] as Step;
    const slope = slopes[inputs.length + index] as number;
    add(left, op === "*" ? slope * (values[right] as number) : slope);
    add(right, op === "*" ? slope * (values[left] as number) : op === "-" ? -slope : slope);
  }
  return {
    value: values.at(-1) as number,
    slopes: slopes.slice(0, inputs.length).map((slope) => slope + 0),
    largest: Math.max(...values.map(Math.abs), ...slopes.map(Math.abs)),
  };
}

const LANES = 5;
const RUNS = 4;

test.each([4, 7, 11])("gradients of %i steps are those of a plain backward pass", async (count) => {
  const random = new Random(seed + count);
  const machine = await Machine.create();
  for (let round = 0; round < 400; round++) {
    const steps = stepsOf(random, count);
    const columns = inputs.map(() => Array.from({ length: LANES }, () => random.below(7) - 3));
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      plainly(
        steps,
        columns.map((column) => column[lane] as number),
      ),
    );
    if (lanes.some(({ largest }) => largest > 2 ** 40)) continue;
    const numbers = machine.load(
      textOf(steps, (last) => last),
      { inputs },
    );
    const vectors = machine.load(
      textOf(steps, (last) => `(vsum ${last})`).replace(
        "(let* (",
        `(let* (${inputs.map((name) => `(${name} (vec ${name} ${name}))`).join(" ")} `,
      ),
      { inputs },
    );
    const given = Object.fromEntries(inputs.map((name, at) => [name, columns[at] as number[]]));
    for (const [program, times] of [
      [numbers, 1],
      [vectors, 2],
    ] as const) {
      for (let run = 0; run < RUNS; run++) {
        const { values, gradients } = program.gradient(given);
        expect([...values], program.source).toEqual(lanes.map(({ value }) => times * value));
        for (const [at, name] of inputs.entries())
          expect(
            [...(gradients[name] ?? [])].map((slope) => slope + 0),
            program.source,
          ).toEqual(lanes.map(({ slopes }) => times * (slopes[at] as number) + 0));
      }
    }
    numbers.dispose();
    vectors.dispose();
  }
  machine.dispose();
});
