/**
 * Budgets at their boundaries, and the history of one program: exactly enough is enough, one less is
 * an error, one more changes nothing, whether a run is walked, replayed or a session's, and whatever
 * the same program ran before.
 */

import { describe, expect, test } from "vitest";
import {
  type GradientOptions,
  type Inputs,
  Machine,
  mat,
  NdvmError,
  type Program,
  vec,
} from "../../src/index.js";
import type { Trace } from "../../src/machine/run/traces.js";
import { Random } from "../fuzz/random.js";
import { bitsOf } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
console.info(`boundaries: SEED=${seed}`);

const sources = [
  "(* a (sin a))",
  "(loop ((i 0) (x a)) (if (= i 40) x (recur (+ i 1) (* 1.01 (sin x)))))",
  "(if (> a 0) (vsum (scale a (ones 70))) (* a a))",
  "(fold-left + 0 (map (lambda (e) (* e a)) '(1 2 3 4)))",
];

/** Bits of value and gradient, or the code of the error. */
function outcome(
  run: () => { values: Float64Array; gradients: Readonly<Record<string, Float64Array>> },
): string {
  try {
    const { values, gradients } = run();
    return JSON.stringify([bitsOf(values), Object.values(gradients).map(bitsOf)]);
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return error.code;
  }
}

/** The least whole number from 1 on for which `isEnough` holds. */
function least(isEnough: (limit: number) => boolean, most: number): number {
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

describe.each(["stepsMax", "tapeBytesMax"] as const)("%s", (option) => {
  const code = option === "stepsMax" ? "E-STEPS" : "E-TAPE";

  test.each(sources)(
    "holds at its boundary, walked, replayed and in a session: %s",
    async (source) => {
      const machine = await Machine.create();
      const fresh = (limit: number, replay: boolean): string => {
        const program = machine.load(source);
        const found = outcome(() => program.gradient({ a: [0.7] }, { [option]: limit, replay }));
        program.dispose();
        return found;
      };
      const unlimited = fresh(2 ** 30, true);
      const enough = least((limit) => fresh(limit, true) === unlimited, 2 ** 22);
      const warm = machine.load(source);
      warm.gradient({ a: [0.4] });
      for (let i = 0; i < 3; i++) {
        for (const [limit, want] of [
          [enough, unlimited],
          [enough - 1, code],
          [enough + 1, unlimited],
        ] as const) {
          const options: GradientOptions = { [option]: limit };
          expect(fresh(limit, true), `walked, ${limit}`).toBe(want);
          expect(
            outcome(() => warm.gradient({ a: [0.7] }, options)),
            `replayed, ${limit}`,
          ).toBe(want);
          const session = warm.session({ a: [0.4] }, { ...options, wrt: ["a"] });
          session.set("a", 0.7);
          const inSession = (): string =>
            outcome(() => {
              session.run();
              const { values, gradients } = session;
              return {
                values: Float64Array.from(values),
                gradients: { a: Float64Array.from(gradients["a"] as Float64Array) },
              };
            });
          expect(inSession(), `in a session, ${limit}`).toBe(want);
          expect(inSession(), `in a session again, ${limit}`).toBe(want);
        }
      }
      machine.dispose();
    },
  );
});

describe("a budget that a kept trace meets exactly", () => {
  const laneCounts = [1, 2, 5, 40, 300];
  const chunks = [undefined, 2, 8] as const;
  const numbersOf = (lanes: number): number[] =>
    Array.from({ length: lanes }, (_, i) => 0.3 + i / 700);

  /** A program that has run until it keeps its traces, and what the largest of them took. */
  function warm(
    machine: Machine,
    source: string,
    run: (program: Program, options: GradientOptions) => unknown,
  ): { program: Program; stepsMax: number; tapeBytesMax: number } {
    const program = machine.load(source);
    for (let i = 0; i < 3; i++) run(program, {});
    const kept = [...program.traces.matching("la;"), ...program.traces.matching("l;")];
    expect(kept.length, source).toBeGreaterThan(0);
    const most = (of: (trace: Trace) => number): number => Math.max(...kept.map(of));
    const [stepsMax, tapeBytesMax] = [most((one) => one.steps), most((one) => one.recordedBytes)];
    return { program, stepsMax, tapeBytesMax };
  }

  test.each(sources)("is enough for a replay, and one less is not: %s", async (source) => {
    const machine = await Machine.create();
    for (const lanes of laneCounts)
      for (const chunk of chunks)
        for (const kind of ["gradient", "evaluate"] as const) {
          const own = chunk === undefined ? {} : { chunk };
          const run = (program: Program, options: GradientOptions) =>
            program[kind]({ a: numbersOf(lanes) }, { ...own, ...options });
          const walks = (option: "stepsMax" | "tapeBytesMax", less: number): number | string => {
            const found = warm(machine, source, run);
            try {
              return run(found.program, { [option]: found[option] - less }).stats.walks;
            } catch (error) {
              if (!(error instanceof NdvmError)) throw error;
              return error.code;
            } finally {
              found.program.dispose();
            }
          };
          const what = `${kind}, ${lanes} lanes, chunks of ${chunk}`;
          expect(walks("stepsMax", 0), `steps, ${what}`).toBe(0);
          expect(walks("stepsMax", 1), `a step less, ${what}`).toBe("E-STEPS");
          expect(walks("tapeBytesMax", 0), `bytes, ${what}`).toBe(0);
          // Without gradients a trace is no part of the budget.
          if (kind === "evaluate") expect(walks("tapeBytesMax", 1), what).toBe(0);
          else expect(walks("tapeBytesMax", 1), `a byte less, ${what}`).not.toBe(0);
        }
    machine.dispose();
  });

  test.each(sources)(
    "lets work inside the machine enter it, and one less does not: %s",
    async (source) => {
      const machine = await Machine.create();
      for (const lanes of [1, 2, 40]) {
        const inputs = { a: numbersOf(lanes) };
        const open = (program: Program, options: GradientOptions) =>
          program.session(inputs, { wrt: ["a"], ...options });
        const found = warm(machine, source, (program) => open(program, {}).run());
        const { program, stepsMax, tapeBytesMax } = found;
        const before = program.traces.matching("la;")[0];
        for (const [limits, isEnough] of [
          [{ stepsMax, tapeBytesMax }, true],
          [{ stepsMax: stepsMax - 1 }, false],
          [{ tapeBytesMax: tapeBytesMax - 1 }, false],
        ] as const) {
          const what = `${lanes} lanes, ${JSON.stringify(limits)}`;
          expect(open(program, limits).enter()?.trace, what).toBe(isEnough ? before : undefined);
        }
        program.dispose();
      }
      machine.dispose();
    },
  );

  test("holds on every path that a lane is led to", async () => {
    const machine = await Machine.create();
    // Four ways of other lengths, found one from the other at their guards.
    const source = `(define (f n x) (if (= n 0) x (f (- n 1) (* 1.01 (sin x)))))
      (if (< a 0.5) (if (< a 0.25) (f 3 a) (f 9 a)) (if (< a 0.75) (f 5 a) (f 14 a)))`;
    const places = [0.1, 0.3, 0.6, 0.9];
    const alone = places.map((a) => {
      const program = machine.load(source);
      program.gradient({ a: [a] }, { chunk: 1 });
      const { steps, recordedBytes } = program.traces.matching("la;")[0] as Trace;
      program.dispose();
      return { stepsMax: steps, tapeBytesMax: recordedBytes };
    });
    for (const option of ["stepsMax", "tapeBytesMax"] as const)
      for (const from of places)
        for (const [index, to] of places.entries())
          for (const less of [0, 1]) {
            const program = machine.load(source);
            for (let round = 0; round < 3; round++)
              for (const a of places) program.gradient({ a: [a] });
            for (let i = 0; i < 3; i++) program.gradient({ a: [from] });
            const limit = (alone[index]?.[option] as number) - less;
            const what = `from ${from} to ${to}, ${option} ${limit}`;
            const run = () => program.gradient({ a: [to] }, { [option]: limit });
            if (less === 0) expect(run().stats.walks, what).toBe(0);
            else if (option === "stepsMax") expect(outcome(run), what).toBe("E-STEPS");
            else expect(walksOf(run), what).not.toBe(0);
            program.dispose();
          }
    machine.dispose();
  });
});

/** How often a run walked, or the code of its error. */
function walksOf(run: () => { readonly stats: { readonly walks: number } }): number | string {
  try {
    return run().stats.walks;
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return error.code;
  }
}

test("a trace of eight lanes or fewer is kept however many bytes it takes", async () => {
  const machine = await Machine.create();
  const numbers = 60_000;
  for (const lanes of [1, 4, 8, 16]) {
    const program = machine.load(`(vsum (* a (ones ${numbers})))`);
    const a = Array.from({ length: lanes }, (_, i) => i + 1);
    const session = program.session({ a }, { wrt: ["a"] });
    for (let run = 0; run < 3; run++) session.run();
    expect([...session.values], `${lanes} lanes`).toEqual(a.map((each) => each * numbers));
    const widths = program.traces.matching("la;").map(({ width }) => width);
    expect(widths, `${lanes} lanes`).toEqual([Math.min(lanes, 8)]);
    program.dispose();
  }
  machine.dispose();
});

test("memoryMax holds at its boundary, on the first run and on a replay", async () => {
  const source =
    "(length (loop ((i 0) (l '())) (if (= i 60000) l (recur (+ i 1) (cons (* a i) l)))))";
  const attempt = async (memoryMax: number): Promise<string> => {
    const machine = await Machine.create({ memoryMax });
    const program = machine.load(source);
    const run = (): string => {
      try {
        return program.evaluate({ a: 1.5 }).print();
      } catch (error) {
        if (!(error instanceof NdvmError)) throw error;
        return error.code;
      }
    };
    const both = [run(), run()];
    machine.dispose();
    expect(both[1], `the second run with ${memoryMax}`).toBe(both[0]);
    return both[0] as string;
  };
  let [low, high] = [4 * 2 ** 20, 64 * 2 ** 20];
  expect(await attempt(low)).toBe("E-MEMORY");
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await attempt(middle)) === "60000") high = middle;
    else low = middle;
  }
  expect(await attempt(high + 1)).toBe("60000");
  expect(await attempt(high - 1)).toBe("E-MEMORY");
});

describe("the history of one program", () => {
  const matrices = [
    mat([
      [1, 2, 3],
      [4, 5, 7],
    ]),
    mat([
      [1, 2],
      [3, 4],
      [5, 7],
    ]),
    mat([
      [2, 1],
      [1, 3],
    ]),
  ];
  const cases: readonly (readonly [string, readonly Inputs[]])[] = [
    [
      "(vsum (matmul M (transpose M)))",
      [...matrices.map((M): Inputs => ({ M })), { M: [matrices[0], matrices[0]] as never }],
    ],
    [
      "(+ (vsum (* v v)) (if (> b 0) b (* b (vlen v))))",
      [
        { v: vec([1, 2]), b: [0.5, -1] },
        { v: vec([1, 2, 3]), b: -0.5 },
        { v: vec([4]), b: [1, 2, -3, 4, 5] },
        { v: [vec([1, 2]), vec([3, 5])], b: [2, -2] },
      ],
    ],
    // As below, on one side of a branch whose other side ends well.
    [
      `(if (> a 0) (let ((y (if (> b 0) (vsum (* b (ones 640))) b))) (vsum (* y (ones 3200))))
        (* a a b))`,
      [
        { a: [1, 1, -1, -2, 3], b: [1, -1, 2, -3, 4] },
        { a: [-1, 2, 3], b: [1, 2, -3] },
        { a: [2, 2, -2, 1, 1], b: [-1, 1, 2, -3, 4] },
        { a: [2], b: [3] },
      ],
    ],
    // A side costs sixty steps, and a primitive that all lanes come to passes the budget of some.
    [
      "(let ((y (if (> b 0) (vsum (* b (ones 640))) b))) (+ y (vsum (* y (ones 3200)))))",
      [
        { b: [1, -1, 2] },
        { b: [-1, -2, 3, -4] },
        { b: [1, 2] },
        { b: [-0.5] },
        { b: Array.from({ length: 40 }, (_, i) => ((i * 7) % 5) - 1.5) },
      ],
    ],
    [
      "(loop ((i 0) (x a)) (if (> (abs x) 3) (+ x i) (recur (+ i 1) (* x -1.7))))",
      [
        { a: 1 },
        { a: [0.1, 2, -0.4] },
        { a: [5] },
        { a: Array.from({ length: 40 }, (_, i) => 0.2 + i / 9) },
      ],
    ],
  ];
  const budgets: readonly GradientOptions[] = [
    {},
    {},
    { stepsMax: 30 },
    { stepsMax: 200 },
    { stepsMax: 340 },
    { tapeBytesMax: 400 },
    { tapeBytesMax: 20_000 },
    { replay: false },
    { chunk: 2 },
  ];

  const lanesOf = (
    run: () => {
      lanes: number;
      values: Float64Array;
      gradients: object;
      failures: readonly { lane: number; error: NdvmError }[];
    },
  ): string => {
    try {
      const { values, gradients, failures } = run();
      const slopes = Object.values(gradients).map((numbers) => bitsOf(numbers as Float64Array));
      return JSON.stringify([
        bitsOf(values),
        slopes,
        failures.map(({ lane, error }) => [lane, error.code]),
      ]);
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      return error.code;
    }
  };

  test.each(cases)(`does not show, seed ${seed}: %s`, async (source, uses) => {
    const random = new Random(seed, 7);
    const machine = await Machine.create();
    const old = machine.load(source);
    for (let i = 0; i < 120; i++) {
      const inputs = random.pick(uses);
      const options = random.pick(budgets);
      const what = `use ${i} of SEED=${seed}: ${JSON.stringify(inputs)} ${JSON.stringify(options)}`;
      const fresh = machine.load(source);
      const want = lanesOf(() => fresh.gradient(inputs, options));
      expect(
        lanesOf(() => old.gradient(inputs, options)),
        what,
      ).toBe(want);
      if (random.chance(0.3)) expectSession(old, fresh, inputs, what);
      fresh.dispose();
    }
    machine.dispose();
  });

  /** Sessions of an old and a fresh program, run in turn with plain runs. */
  function expectSession(old: Program, fresh: Program, inputs: Inputs, what: string): void {
    const [a, b] = [old, fresh].map((program) => program.session(inputs));
    for (let run = 0; run < 3; run++) {
      a?.run();
      if (run === 1) old.evaluate(inputs);
      b?.run();
      expect(bitsOf(a?.values ?? []), `${what}, session`).toEqual(bitsOf(b?.values ?? []));
    }
  }
});
