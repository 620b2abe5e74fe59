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

test("procedures that call each other from within lambdas reach the procedures they name", async () => {
  const machine = await Machine.create();
  const wraps: readonly ((call: string) => string)[] = [
    (call) => call,
    (call) => `((lambda () ${call}))`,
    (call) => `(later (lambda () ${call}))`,
    (call) => `(later (lambda () (later (lambda () ${call}))))`,
  ];
  type Call = readonly [target: 0 | 1, wrap: (call: string) => string];
  const calls = wraps.flatMap((wrap): Call[] => [
    [0, wrap],
    [1, wrap],
  ]);
  const pairs = calls.flatMap((first) => calls.map((second) => [first, second] as const));
  const texts = pairs.map(([[first, within], [second, inside]]) => {
    const one = within(`(${"fg"[first]} (- n 1))`);
    return `(+ (* 2 ${one}) (* -3 ${inside(`(${"fg"[second]} (- n 1))`)}))`;
  });
  const wrong: string[] = [];
  for (const [i, ofF] of pairs.entries())
    for (const [j, ofG] of pairs.entries()) {
      const expected = (which: 0 | 1, n: number): number => {
        const [[first], [second]] = which === 0 ? ofF : ofG;
        if (n < 1) return which === 0 ? 5 : 7;
        return 2 * expected(first, n - 1) - 3 * expected(second, n - 1);
      };
      const source = `(define (later p) (p))
        (letrec ((f (lambda (n) (if (< n 1) 5 ${texts[i]})))
                 (g (lambda (n) (if (< n 1) 7 ${texts[j]}))))
          (+ (f k) (* 1000 (g k))))`;
      const program = machine.load(source);
      const value = program.evaluate({ k: 2 }).values[0];
      if (value !== expected(0, 2) + 1000 * expected(1, 2)) wrong.push(source);
      program.dispose();
    }
  expect(wrong).toEqual([]);
  machine.dispose();
});
