/**
 * All that is said of fits that have something to be said of: families of small problems, each over its
 * starts, units, losses and precisions. What the words should be for some of them is in the other files;
 * here all of them are kept, so that no note comes, goes or names another value unseen.
 */

import { describe, expect, test } from "vitest";
import { type FitOptions, fit, Machine, NdvmError } from "../../src/index.js";
import { machine, noise, steps } from "./support.js";

const single = await Machine.create({ precision: "f32" });
const likelihood = { isNegativeLogLikelihood: true } as const;

/** Notes, runaways and what is undetermined, in lines, with how the best restart ended. */
async function toldOf(source: string, options: FitOptions, on = machine): Promise<string> {
  const program = on.load(source);
  try {
    const { best, restarts, diagnostics, identifiability } = await fit(program, options);
    const winner = restarts.find(({ index }) => index === best.restart);
    const { runaways, notes, predicateOnly, clamped, branches, instability } = diagnostics;
    const lines = [
      `${winner?.reason}${winner?.hasConverged ? "" : ", not converged"}`,
      ...(identifiability === undefined
        ? []
        : [
            `rank ${identifiability.rank} of ${identifiability.parameters}, at bounds: ${identifiability.atBounds}`,
            ...identifiability.undetermined.map(
              ({ direction, words }) => `open ${Object.keys(direction)}: ${words}`,
            ),
            ...identifiability.correlated.map(
              ([a, b, share]) => `${a} and ${b} by ${share.toFixed(3)}`,
            ),
          ]),
      ...runaways.map(
        ({ name, value, kind, words }) =>
          `${kind} ${name} at ${value.toPrecision(3)}: ${words}${notes.includes(words) ? "" : ", not noted"}`,
      ),
      ...notes.filter((note) => !runaways.some(({ words }) => words === note)),
      ...(predicateOnly.length + clamped.length + branches.length + instability === 0
        ? []
        : [JSON.stringify({ predicateOnly, clamped, branches, instability })]),
    ];
    return lines.map((line) => `    ${line}`).join("\n");
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return `    ${error.code} ${error.message} | ${error.help} | ${JSON.stringify(error.facts)}`;
  } finally {
    program.dispose();
  }
}

type Problem = readonly [name: string, source: string, options: FitOptions, on?: Machine];

async function expectTold(problems: readonly Problem[]): Promise<void> {
  const told: string[] = [];
  for (const [name, source, options, on] of problems)
    told.push(`${name}: ${source}\n${await toldOf(source, options, on)}`);
  expect(`\n${told.join("\n")}\n`).toMatchSnapshot();
}

/** One of each, with all of the others. */
function* each<A, B, C>(first: readonly A[], second: readonly B[], third: readonly C[]) {
  for (const a of first) for (const b of second) for (const c of third) yield [a, b, c] as const;
}

const kinds = [
  ["plain", {}],
  ["likelihood", likelihood],
] as const;

describe("what is said of", () => {
  test("edges of where a program is defined, from either side, near and far", async () => {
    const terms = [
      "(log (- k E))",
      "(- (log (- E k)))",
      "(* 1e-9 (sqrt (- k E)))",
      "(sqrt (- k E))",
      "(* -1e-9 (sqrt (- k E)))",
      "(square (- (sqrt (- k E)) 1e-4))",
    ];
    const problems: Problem[] = [];
    for (const [term, [edge, off], [kind, more]] of each(
      terms,
      [
        [0, 1],
        [1, 2],
        [-2, 1e-8],
        [5, 1e-3],
      ] as const,
      kinds,
    )) {
      const start = term.includes("(- E k)") ? edge - off : edge + off;
      const source = `(+ (square (- m 3)) ${term.replace("E", String(edge))})`;
      problems.push([`${kind} from ${start}`, source, { params: { m: 1, k: start }, ...more }]);
    }
    for (const most of [3, 20])
      problems.push([
        `${most} steps`,
        "(+ (square (- m 3)) (log (- k 1)))",
        { params: { m: 1, k: 2 }, steps: most },
      ]);
    await expectTold(problems);
  });

  test("what does not matter, alone or together, by losses of every kind", async () => {
    const x = steps(1, 6, 12);
    const wobble = noise(12, 0.5);
    const y = x.map((at, i) => 2 * at + (wobble[i] as number));
    const models = [
      "(* (+ a b) x)",
      "(* a b x)",
      "(* (/ a b) x)",
      "(* (- a b) x)",
      "(+ (* a x) (* 0 b))",
      "(+ (* a x) (if (< b 0) 1 0))",
      "(+ (* a x) (if (< b 7) 0 1))",
      "(* (+ a (* 2 b)) x)",
      "(+ (* a b x) (* c 0.01))",
      "(* a b c x)",
    ];
    const losses = [
      {},
      { loss: "huber", huberWidth: 0.4 },
      { loss: "(abs (- pred y))" },
      { loss: "(square (- pred y))" },
    ] as const;
    const problems: Problem[] = [];
    for (const [source, loss] of each(models, losses, [0]))
      for (const start of [1, -1])
        problems.push([
          `${JSON.stringify(loss)} from ${start}`,
          source,
          { data: { x, y }, target: "y", params: { a: 1.5, b: start }, ...loss },
        ]);
    const objectives = [
      "(square (- (+ a b) 3))",
      "(expt (- (+ a b) 3) 4)",
      "(+ (expt (- a b) 4) (square (- (+ a b) 3)))",
      "(+ (expt (- a b) 4) (expt (- (+ a b) 3) 4))",
      "(+ (expt (- a b) 3) (square (- (+ a b) 3)))",
      "(abs (- (* a b) 3))",
      "(+ (abs (- (* a b) 3)) (* 1e-3 (abs (- a 2))))",
      "(+ (abs (- a 1)) (abs (- b 2)))",
      "(+ (square (- (* a b) 3)) (if (< c 0) 1 0))",
      "(+ (square (- a b)) (* 0.01 (+ a b)))",
      "(+ (square (- a 1)) (* 0 b))",
      "(+ 5 (square (- (+ a (* 2 b)) 3)))",
      "(square (- (+ a (* 1e6 b)) 3))",
    ];
    for (const [source, [kind, more], on] of each(objectives, kinds, [machine, single]))
      problems.push([
        `${kind}${on === single ? " in f32" : ""}`,
        source,
        { params: { a: 1, b: 0.5 }, ...more },
        on,
      ]);
    await expectTold(problems);
  });

  test("hinges and steps that no row reaches any more", async () => {
    const x = steps(0, 6, 13);
    const y = x.map((at, i) => 1 + (noise(13, 0.4)[i] as number) + (at > 9 ? 1 : 0));
    const models = [
      "(+ a (max 0 (- x k)))",
      "(+ a (max 0 (- k x)))",
      "(+ a (* 0.5 (if (< x k) 1 0)))",
      "(+ a (/ 1 (+ 1 (exp (* 9 (- k x))))))",
      "(+ a (exp (- (* k x))))",
      "(+ a (* b (exp (- (* k x)))))",
      "(+ a (softplus (- k 1)))",
    ];
    const problems: Problem[] = [];
    for (const [source, k, loss] of each(models, [6.05, 7, -1, 0.5, 40], [
      {},
      { loss: "huber" },
      { loss: "(abs (- pred y))" },
    ] as const))
      problems.push([
        `${JSON.stringify(loss)} from ${k}`,
        source,
        { data: { x, y }, target: "y", params: { k }, ...loss },
      ]);
    await expectTold(problems);
  });

  test("what runs off, alone, in step or in groups", async () => {
    const x = [1, 2, 3, 4, 5, 6];
    const hits = [
      [0, 0, 0, 1, 1, 1],
      [0, 0, 1, 0, 1, 1],
      [1, 1, 1, 1, 1, 1],
      [0, 0, 0, 0, 0, 0],
      [1, 1, 0, 0, 0, 0],
    ];
    const g = ["u", "u", "u", "v", "v", "v"];
    const problems: Problem[] = [];
    for (const [y, params, model] of each(
      hits,
      [
        { a: 0, b: 0 },
        { a: -3, b: 1 },
        { a: 3, b: { start: -1, bounds: [-40, 0.5] as const } },
      ],
      ["(sigmoid (+ a (* b x)))", "(sigmoid (* b (- x a)))"],
    ))
      problems.push([
        `${y} from ${JSON.stringify(params)}`,
        model,
        { data: { x, y }, target: "y", loss: "binomial", params },
      ]);
    for (const y of hits)
      problems.push([
        `${y} in groups`,
        "(sigmoid a)",
        {
          ...{ data: { y, g }, target: "y", loss: "binomial", params: { a: 0.5 } },
          groups: { by: "g", params: ["a"] },
        },
      ]);
    for (const y of [
      [0, 0, 0, 0, 0, 0],
      [1, 0, 0, 0, 0, 0],
      [3, 2, 4, 3, 1, 2],
    ])
      for (const model of [
        "(* r x)",
        "(exp (+ a (* b x)))",
        "(exp (- a (* b b x)))",
        "(+ r 1e-12)",
      ])
        problems.push([`${y}`, model, { data: { x, y }, target: "y", loss: "poisson" }]);
    for (const loss of [{}, { loss: "huber" }, { sigma: [1, 1, 1, 1, 1, 1] }] as const)
      for (const model of [
        "(* a (- 1 (exp (- 0 (* k x)))))",
        "(/ (* a x) (+ k x))",
        "(* a (tanh (* k x)))",
      ])
        for (const y of [
          [5, 5.1, 4.9, 5, 5.05, 4.95],
          [1, 2.1, 2.9, 4, 5.1, 5.9],
          [5, 5, 5, 5, 5, 5],
        ])
          problems.push([
            `${JSON.stringify(loss)} ${y}`,
            model,
            { data: { x, y }, target: "y", params: { a: 4, k: 1 }, ...loss },
          ]);
    await expectTold(problems);
  });

  test("fits that stop short, where less or more would be better", async () => {
    const x = steps(0.1, 4, 14);
    const y = x.map(
      (at, i) => 3 / (1 + at * (1.3 + at * (0.8 + 0.4 * at))) + (noise(14, 0.05)[i] as number),
    );
    const problems: Problem[] = [];
    for (const [tolerance, k, sign] of each([0.3, 0.1, 0.03], [0.3, 0.9, 1.6, 2.5], [1, -1]))
      for (const a of sign > 0 ? [2, 9] : [-5])
        problems.push([
          `${tolerance} from ${a}, ${k}`,
          sign > 0 ? "(* a (exp (- (* k x))))" : "(- (* a (exp (* k x))))",
          {
            data: { x, y },
            ...{ target: "y", optimiser: "lm", params: { a, k: sign * k } },
            tolerances: { gradient: tolerance, step: tolerance / 10, loss: tolerance },
          },
        ]);
    for (const bounds of [[-2, 1.28] as const, [1.3, 4] as const, [1.29, 1.31] as const])
      for (const tolerance of [1e-1, 1e-9])
        problems.push([
          `${tolerance} within ${bounds}`,
          "(* a (exp (- (* k x))))",
          {
            ...{ data: { x, y }, target: "y", params: { a: 2, k: { bounds } } },
            tolerances: { loss: tolerance, step: tolerance },
          },
        ]);
    await expectTold(problems);
  });

  test("saddles, valleys and parameters of other sizes", async () => {
    const sources: [string, FitOptions["params"] & object][] = [
      ["(- (square a) (square b))", { a: 1, b: 0 }],
      ["(+ (square (- (square a) 1)) (square (- b 2)))", { a: 0, b: 0 }],
      ["(+ (square (- 1 a)) (* 100 (square (- b (* a a)))))", { a: -1.2, b: 1 }],
      ["(+ (square (- (* 1e-8 a) 1)) (square (- b 2)))", { a: 1, b: 1 }],
      ["(+ 1e9 (square (- (* 1e-6 a) 1)) (square (- b 2)))", { a: 1, b: 1 }],
      ["(- (cos a))", { a: 3.1 }],
      ["(+ (abs (- a 1)) (square b))", { a: 4, b: 2 }],
      ["(- (exp (- (square a))))", { a: 30 }],
    ];
    const problems: Problem[] = [];
    for (const [[source, params], [kind, more], on] of each(sources, kinds, [machine, single]))
      problems.push([`${kind}${on === single ? " in f32" : ""}`, source, { params, ...more }, on]);
    await expectTold(problems);
  });

  test("starts without a number, of programs and of losses, by the row of the table", async () => {
    const x = [1, 2, 3, 4, 5, 6];
    const y = [2, 4, 6, 8, 10, 12];
    const z = [1, 3, 2, -1, 4, -2];
    const two = { data: { x, y, z }, target: ["y", "z"] } as const;
    const one = { data: { x, y, z }, target: "y" } as const;
    const problems: Problem[] = [
      ["two", "[(* a x) (* b x)]", { ...two, loss: "(square (- pred (log target)))" }],
      ["two", "[(* a x) (* b (log (- x 3)))]", two],
      ["two", "[(* a x) (* b (list-ref '(1 2 3) x))]", two],
      ["two", "[(* a x) (* b x) a]", two],
      ["two", "(if (> x 1) [(* a x) (* b x)] a)", two],
      ["two", "[(* a x) (if (> z 0) (* b x) (car b))]", two],
      ["two", "[a b]", { ...two, loss: "(if (> target 0) (square (- pred target)) (car pred))" }],
      ["two, one of them text", "[(* a x) (list b)]", two],
      ["one", "(* a (log z))", one],
      ["one", "(* a (sqrt (- x b)))", { ...one, params: { b: 2.5 } }],
      ["one", "a", { ...one, loss: "(* (log z) (square (- pred y)))" }],
      ["one", "(* a x)", { ...one, loss: "(* (log z) (square (- pred y)))" }],
      ["one", "(* a x)", { ...one, loss: "(if (> z 0) (square (- pred y)) (car z))" }],
      ["one", "(* a (sqrt (* 0 x)) (if (> a 0) 1 (log a)))", one],
      ["weighed", "(* a (log z))", { ...one, weights: [1, 1, 1, 0, 1, 0] }],
      ["weighed", "(* a (log z))", { ...one, weights: [1, 1, 1, 0, 1, 1] }],
      ["attempt", "(* a (log z))", { ...one, detail: "attempt" }],
      ["attempt", "(* a (list-ref '(1 2 3) x))", { ...one, detail: "attempt" }],
      ["objective", "(+ a (vsum (log z)))", { data: { z } }],
      ["objective", "(+ a (vsum (log y)) (log (- b 1)))", { data: { y } }],
    ];
    await expectTold(problems);
  });
});
