/**
 * Step budgets count along each lane's own path: a lane that needs N steps alone gets its result
 * with a budget of N in any batch, and one that needs more fails alone.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GradientResult,
  type Inputs,
  Machine,
  NdvmError,
  type RunOptions,
} from "../../src/index.js";
import { caught } from "../machine/support.js";
import { checkBatch, spread } from "./support.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

const programs: readonly (readonly [string, string])[] = [
  ["a branch", "(if (> x 0) (* x x x) (+ (sin x) (* x (exp x)) 1))"],
  ["a convergence loop", "(loop ((z x) (k 0)) (if (< (abs z) 0.1) k (recur (* 0.7 z) (+ k 1))))"],
  [
    "recur in both branches",
    `(loop ((z (abs x)) (k 0))
       (if (= k 9) z (if (< z 0.5) (recur (* 1.9 z) (+ k 1)) (recur (* 1.9 (- 1 z)) (+ k 1)))))`,
  ],
  ["recursion", "(define (f a) (if (< (abs a) 0.2) a (+ a (f (* 0.6 a))))) (f x)"],
  [
    "tail calls to different procedures",
    `(define (f a n) (if (= n 0) a (if (> a 0) (g (- a 0.4) (- n 1)) (f (+ a 0.3) (- n 1)))))
     (define (g a n) (if (= n 0) (* a a a) (f (* -1.1 a) (- n 1))))
     (f x 6)`,
  ],
  ["structure", "(apply + (if (> x 0) (list x x x x) (map (lambda (e) (* e e)) (list x 1))))"],
  ["a heavy primitive on one side", "(if (> x 0) (vsum (ones 200)) x)"],
  [
    "nested loops",
    `(let outer ((i 0) (s 0))
       (if (= i 3) s
           (let inner ((t 0))
             (if (> t (abs x)) (outer (+ i 1) (+ s t)) (inner (+ t 0.3))))))`,
  ],
];

const x = spread(9).map((value) => 1.5 * value);

/** Steps that each lane takes alone. */
function stepsAlone(source: string): number[] {
  const program = machine.load(source);
  const steps = x.map((own) => program.gradient({ x: [own] }, { replay: false }).stats.steps);
  program.dispose();
  return steps;
}

describe("a budget of exactly a lane's steps", () => {
  test.each(programs)("is enough alone, one less is not: %s", (_, source) => {
    const program = machine.load(source);
    for (const [i, steps] of stepsAlone(source).entries()) {
      const inputs = { x: [x[i] as number] };
      expect(codesOf(source, inputs, { stepsMax: steps, replay: false })).toEqual(["ok"]);
      expect(codesOf(source, inputs, { stepsMax: steps - 1, replay: false })).toEqual(["E-STEPS"]);
    }
    program.dispose();
  });

  test.each(programs)("is enough in a batch, whatever the others need: %s", (_, source) => {
    const steps = stepsAlone(source);
    for (const stepsMax of new Set(steps.flatMap((own) => [own, own - 1]))) {
      const expected = steps.map((own) => (own <= stepsMax ? "ok" : "E-STEPS"));
      for (const options of [{ replay: false }, {}, { chunk: 2 }, { chunk: 4, replay: false }])
        expect(codesOf(source, { x }, { ...options, stepsMax }), `${stepsMax}`).toEqual(expected);
    }
  });

  test.each(programs)("holds for a replay: %s", (_, source) => {
    const steps = stepsAlone(source);
    const program = machine.load(source);
    program.gradient({ x });
    program.gradient({ x });
    for (const stepsMax of new Set(steps.flatMap((own) => [own, own - 1]))) {
      const expected = steps.map((own) => (own <= stepsMax ? "ok" : "E-STEPS"));
      const result = attempt(() => program.gradient({ x }, { stepsMax }));
      expect(result, `${stepsMax}`).toEqual(expected);
    }
    program.dispose();
  });
});

describe("sides that lanes have taken one by one", () => {
  // A trace of lanes that take one dear side each has all of them; a lane that takes several pays for each.
  const source = `(+ (if (> a 0) (vsum (* a (ones 640))) a) (if (> b 0) (vsum (* b (ones 1600))) b)
    (if (> c 0) (vsum (* c (ones 4000))) c))`;
  const kinds = [0, 1, 2, 4, 3, 5, 6, 7];
  const repeated = (some: readonly number[], count: number): number[] =>
    Array.from({ length: count }, (_, i) => some[i % some.length] as number);
  /** Lanes of one dear side come first, so many of them, and those of several later. */
  const layouts: readonly (readonly [lanes: readonly number[], chunk: number | undefined])[] = [
    [[...repeated(kinds.slice(0, 4), 4), ...repeated(kinds, 12)], 4],
    [[...repeated(kinds.slice(0, 4), 4), ...repeated(kinds, 5)], 2],
    [[...repeated(kinds.slice(0, 4), 8), ...repeated(kinds, 16)], 8],
    [[...repeated(kinds.slice(0, 4), 64), ...repeated(kinds, 70)], 64],
    [[...repeated(kinds.slice(0, 4), 128), ...repeated(kinds, 40)], undefined],
    // All lanes of the first walk go together, and only the second one is of lanes that part.
    [[...repeated([4], 128), ...repeated([1, 2, 4], 48), ...repeated(kinds, 80)], undefined],
    [[...repeated([4], 8), ...repeated([1, 2, 4], 24), ...repeated(kinds, 40)], 8],
  ];
  const inputsOf = (lanes: readonly number[]) => {
    const of = (bit: number) =>
      lanes.map((kind, i) => ((kind & bit) === 0 ? -1 : 1) * (1 + i / 64));
    return { a: of(1), b: of(2), c: of(4) };
  };

  test("cost a lane what it would cost alone, in every chunk, on a replay and in a session", () => {
    const alone = new Map(
      kinds.map((kind) => {
        const program = machine.load(source);
        const own = { a: kind & 1 ? 1 : -1, b: kind & 2 ? 1 : -1, c: kind & 4 ? 1 : -1 };
        const { steps } = program.gradient(own, { replay: false }).stats;
        program.dispose();
        return [kind, steps] as const;
      }),
    );
    const budgets = [...new Set([...alone.values()].flatMap((own) => [own - 1, own]))];
    for (const [lanes, chunk] of layouts) {
      const inputs = inputsOf(lanes);
      const warm = machine.load(source);
      const unlimited = warm.gradient(inputs, { replay: false });
      for (let run = 0; run < 2; run++) warm.gradient(inputs, chunk === undefined ? {} : { chunk });
      for (const stepsMax of budgets) {
        const expected = lanes.map((kind) =>
          (alone.get(kind) as number) <= stepsMax ? "ok" : "E-STEPS",
        );
        const options = { stepsMax, ...(chunk === undefined ? {} : { chunk }) };
        const what = `${lanes.length} lanes, chunks of ${chunk}, ${stepsMax} steps`;
        const fresh = machine.load(source);
        for (const [how, program] of Object.entries({ fresh, again: fresh, warm })) {
          const codes = attempt(() => program.gradient(inputs, options), lanes.length);
          expect(codes, `${how}, ${what}`).toEqual(expected);
        }
        const session = fresh.session(inputs, { ...options, wrt: ["a"] });
        const inSession = () => {
          session.run();
          return session;
        };
        for (let run = 0; run < 2; run++)
          expect(attempt(inSession, lanes.length), `session, ${what}`).toEqual(expected);
        // What was kept of runs that ended early is no trace for lanes that did not.
        const after = fresh.gradient(inputs, chunk === undefined ? {} : { chunk });
        expect(after.failures, `afterwards, ${what}`).toEqual([]);
        expect(after.values, `afterwards, ${what}`).toEqual(unlimited.values);
        expect(after.gradients, `afterwards, ${what}`).toEqual(unlimited.gradients);
        fresh.dispose();
      }
      warm.dispose();
    }
  });
});

function codesOf(source: string, inputs: Inputs, options: RunOptions): string[] {
  const program = machine.load(source);
  try {
    return attempt(() => program.gradient(inputs, options), (inputs["x"] as number[]).length);
  } finally {
    program.dispose();
  }
}

/** "ok" or an error's code for each lane. */
function attempt(
  run: () => { failures: readonly { lane: number; error: NdvmError }[] },
  lanes = x.length,
): string[] {
  const codes = Array.from({ length: lanes }, () => "ok");
  try {
    for (const { lane, error } of run().failures) codes[lane] = error.code;
    return codes;
  } catch (error) {
    if (error instanceof NdvmError) return codes.map(() => error.code);
    throw error;
  }
}

describe("a lane that never ends", () => {
  const options = { stepsMax: 3000 };

  test("fails alone; the others converge", async () => {
    const source = `
      (loop ((z x) (k 0)) (if (< (abs z) 0.1) (* z y) (recur (* z (if (> x 2) 1 0.5)) (+ k 1))))`;
    const inputs = { x: [1, 3, 0.5, 0, -2, 1.5], y: [1, 2, 3, 4, 5, 6] };
    const { lanes } = await checkBatch(source, { inputs, options });
    expect(lanes.map((lane) => typeof lane)).toEqual([
      "object",
      "string",
      "object",
      "object",
      "object",
      "object",
    ]);
    expect(lanes[1]).toBe("E-STEPS");
  });

  test("in a recursion, a named let, and by NaN that satisfies no test", async () => {
    const inputs = { x: [1, -1, 0.5, 4, -3, 0.2, 0] };
    const sources = [
      "(define (f a) (if (< a 0) (f a) (* a a))) (f x)",
      "(let go ((a x)) (if (> a 3) (go a) (if (> a 0) a (go (+ a 1)))))",
      "(let go ((z (sqrt x))) (if (< z 0.1) z (if (> z 0.1) (go (* 0.5 z)) (go z))))",
    ];
    for (const source of sources) {
      const { lanes } = await checkBatch(source, { inputs, options });
      expect(new Set(lanes.map((lane) => typeof lane)).size).toBe(2);
    }
  });

  test("next to one that fails and one that is done at once", async () => {
    const source = "(loop ((z x)) (cond ((> z 2) (car 5)) ((> z 1) (recur z)) (else (* z z))))";
    const { lanes } = await checkBatch(source, { inputs: { x: [3, 1.5, 0.5, 1.2, -1] }, options });
    expect(lanes).toEqual(["E-TYPE", "E-STEPS", [0.25, 1], "E-STEPS", [1, -2]]);
  });
});

describe("a lane that takes all the memory", () => {
  test.each([
    ["by recursion", "(define (f n) (if (< n 0) x (+ 1 (f (- n x))))) (f 10)"],
    ["by a list", "(loop ((l '()) (n 10)) (if (< n 0) (length l) (recur (cons n l) (- n x))))"],
  ])("reports it alone: %s", async (_, source) => {
    const small = await Machine.create({ memoryMax: 2 ** 24 });
    const single = small.load(source);
    const program = small.load(source);
    const lanes = [1, 0, 3, 0.5, 2];
    const alone = lanes.map((own) => {
      const run = () => single.gradient({ x: [own] }, { replay: false });
      return own === 0 ? caught(run).code : numbersOf(run(), 0);
    });
    expect(["E-MEMORY", "E-RECURSION"]).toContain(alone[1]);
    for (const options of [{}, {}, { replay: false }, { chunk: 2 }]) {
      const result = program.gradient({ x: lanes }, options);
      const [failure] = result.failures;
      const batch = lanes.map((own, i) => (own === 0 ? failure?.error.code : numbersOf(result, i)));
      expect(result.failures.map(({ lane }) => lane)).toEqual([1]);
      expect(batch).toEqual(alone);
    }
    small.dispose();
  });
});

describe("lanes that take all the memory among many", () => {
  const source = "(define (f n) (if (< n 0) x (+ 1 (f (- n x))))) (f 10)";

  test("leave the others their wide chunks", async () => {
    const small = await Machine.create({ memoryMax: 2 ** 23 });
    const x = Array.from({ length: 300 }, (_, i) => (i === 70 || i === 210 ? 0 : 1 + (i % 2)));
    const program = small.load(source);
    const { failures, values, stats } = program.gradient({ x });
    expect(failures.map(({ lane }) => lane)).toEqual([70, 210]);
    const alone = small.load(source);
    const one = alone.gradient({ x: [1] }).values[0] as number;
    const two = alone.gradient({ x: [2] }).values[0] as number;
    expect([...values]).toEqual(x.map((own) => (own === 0 ? Number.NaN : own === 1 ? one : two)));
    // One by one it would be 300.
    expect(stats.walks + stats.replays).toBeLessThan(100);
    small.dispose();
  });
});

describe("memory that is short for a backward pass", () => {
  const source = `(loop ((k 0) (v [x 1 x]) (s 0.0))
    (if (= k 30) (+ s (vsum v))
      (if (> (ref v 0) y) (recur (+ k 1) (scale 0.9 v) (+ s x))
                          (recur (+ k 1) (+ v [y x y]) (+ s y)))))`;
  const lanes = 512;
  const inputs = { x: spread(lanes), y: spread(lanes, 3) };

  test("narrows the chunk, whatever the memory is", async () => {
    const large = machine.load(source).gradient(inputs);
    const expected = [large.values, ...Object.values(large.gradients)].map((own) => [...own]);
    const walks = new Set<number>();
    for (let pages = 64; pages < 160; pages += 3) {
      const small = await Machine.create({ memoryMax: pages * 65536 });
      const result = small.load(source).gradient(inputs, { chunk: lanes });
      expect(result.failures, `${pages} pages`).toEqual([]);
      walks.add(result.stats.walks);
      const got = [result.values, ...Object.values(result.gradients)].map((own) => [...own]);
      expect(got, `${pages} pages`).toEqual(expected);
      small.dispose();
    }
    expect(walks).toContain(1);
    expect(walks.size).toBeGreaterThan(1);
  });
});

const numbersOf = ({ values, gradients }: GradientResult, lane: number) => [
  values[lane],
  gradients["x"]?.[lane],
];
