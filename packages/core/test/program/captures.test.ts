/**
 * What lambdas capture: every small program of lambdas that are called at once, or passed on and called
 * later, against a plain evaluator. Among them are those whose first nodes are captured already.
 */
import { expect, test } from "vitest";
import { Machine } from "../../src/index.js";

interface Term {
  readonly text: string;
  readonly value: (environment: readonly number[]) => number;
}

const NAMES = ["p", "q", "r", "s"];

/** All terms of a size over the first names, each once. */
function terms(size: number, names: number): Term[] {
  if (size === 1)
    return [
      { text: "7", value: () => 7 },
      ...NAMES.slice(0, names).map((text, i) => ({
        text,
        value: (environment: readonly number[]) => environment[i] as number,
      })),
    ];
  const called = terms(size - 1, names).map(({ text, value }) => ({
    text: `((lambda () ${text}))`,
    value,
  }));
  return [...called, ...splits(size - 1).flatMap(([some, others]) => pairs(some, others, names))];
}

const splits = (size: number): [number, number][] =>
  Array.from({ length: size - 1 }, (_, i) => [i + 1, size - 1 - i]);

function pairs(some: number, others: number, names: number): Term[] {
  const name = NAMES[names] as string;
  const inner = names < NAMES.length ? terms(some, names + 1) : [];
  const bound = inner.flatMap((body) =>
    terms(others, names).flatMap((given): Term[] => {
      const value = (environment: readonly number[]) =>
        body.value([...environment.slice(0, names), given.value(environment)]);
      return [
        { text: `((lambda (${name}) ${body.text}) ${given.text})`, value },
        { text: `(let ((${name} ${given.text})) ${body.text})`, value },
        { text: `(((lambda (${name}) (lambda () ${body.text})) ${given.text}))`, value },
        {
          text: `(letrec ((f (lambda (${name}) (lambda () ${body.text})))) ((f ${given.text})))`,
          value,
        },
      ];
    }),
  );
  const sums = terms(some, names).flatMap((left) =>
    terms(others, names).map((right) => ({
      text: `(- ${left.text} (* 10 ${right.text}))`,
      value: (environment: readonly number[]) =>
        left.value(environment) - 10 * right.value(environment),
    })),
  );
  return [...bound, ...sums];
}

test.each([1, 2, 3, 4, 5])(
  "every program of %i lambdas, lets and sums has its value",
  async (size) => {
    const machine = await Machine.create();
    for (const { text, value } of terms(size, 0)) {
      const source = text.startsWith("(begin (define") ? text.slice(7, -1) : text;
      if (source.includes("(begin (define")) continue;
      const program = machine.load(source);
      expect(program.evaluate().values[0], source).toBe(value([]));
      program.dispose();
    }
  },
);
