/**
 * Every option of a call counts on every way of calling: at once, with pauses, and in a pool with shared
 * memory and without. What is told is compared whole, so that an option which one of the ways loses shows;
 * that an option changes anything at all is looked at too.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Evaluation,
  type GradientOptions,
  type GradientResult,
  type Inputs,
  Machine,
  NdvmError,
  over,
  type Pool,
  type Program,
  vec,
} from "../../src/index.js";
import { Crowd } from "../pool/threads.js";
import { caught } from "./support.js";

let crowd = new Crowd();
vi.mock("../../src/workers/host.js", async (original) => ({
  ...(await original<typeof import("../../src/workers/host.js")>()),
  hostStarter: async () => crowd.startHost,
}));

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());
beforeEach(() => {
  crowd = new Crowd();
});

const poolOf = (workers: number, sharedMemory: boolean): Promise<Pool> =>
  crowd.poolOf(machine, workers, sharedMemory);
const after = <T>(call: Promise<T>): Promise<T> => crowd.after(call);

const worded = ({ code, message, help, facts, span, source, file }: NdvmError): object => ({
  ...{ code, message, help, facts, span, source, file },
});

/** All that a result tells but for its counters. */
function whole(out: Evaluation & Partial<GradientResult>): object {
  const { lanes, axes, shape, failures, nonFinite, gradients, reduced, inactive } = out;
  return {
    ...{ lanes, axes, shape, nonFinite, gradients: { ...gradients }, reduced },
    inactive: inactive && [...inactive].sort(),
    values: shape === undefined ? undefined : out.values,
    failures: failures.map(({ lane, error }) => [lane, worded(error)]),
  };
}

async function told(run: () => Evaluation | Promise<Evaluation>): Promise<object> {
  try {
    return whole(await run());
  } catch (error) {
    if (error instanceof NdvmError) return worded(error);
    throw error;
  }
}

// Lanes take steps by their numbers, one of them fails, and one input reaches a test only.
const source = `(define (grow s n) (if (> s t) (* s (vsum (* v k))) (grow (+ s 0.5) (+ n 1))))
  (if (> a 5) (car a) (if (> idle 0) (grow a 0) (log (- a a 1))))`;
const inputs: Inputs = {
  a: over("r", [1, 2.5, 7, 0.25]),
  t: over("d", [0.5, 2, 9]),
  v: vec([1, -2, 4]),
  k: over("d", [2, -1, 0.5]),
  idle: over("r", [1, 1, 1, -1]),
};
const lanes = 12;

/** Options, and whether they change what is told (not only how it is found). */
const options: readonly (readonly [GradientOptions, boolean])[] = [
  [{}, false],
  [{ wrt: ["a"] }, true],
  [{ wrt: ["v", "k"] }, true],
  [{ wrt: ["idle"] }, true],
  [{ wrt: ["nobody"] }, true],
  [{ seed: 3 }, true],
  [{ seed: Float64Array.from({ length: lanes }, (_, i) => i - 4) }, true],
  [{ seed: Array.from({ length: lanes }, (_, i) => 2 + i) }, true],
  [{ reduce: true }, true],
  [{ reduce: false }, false],
  [{ reduce: ["a", "v", "k"] }, true],
  [{ reduce: ["a"], wrt: ["a", "t"], seed: 2 }, true],
  [{ reduce: ["t"], wrt: ["a"] }, true],
  [{ stepsMax: 60 }, true],
  [{ stepsMax: 10 }, true],
  [{ stepsMax: -1 }, true],
  [{ tapeBytesMax: 100 }, true],
  [{ timeMax: 1e9 }, false],
  [{ timeMax: 0 }, true],
  [{ chunk: 3 }, false],
  [{ chunk: 0 }, true],
  [{ replay: false }, false],
  [{ lanes: 12 }, false],
  [{ lanes: 11 }, true],
];

type Way = (program: Program, given: Inputs, own: GradientOptions) => Promise<Evaluation>;

describe("an option of a gradient", () => {
  const plain: Way = async (program, given, own) => program.gradient(given, own);
  const paused: Way = (program, given, own) => program.gradientAsync(given, own);

  test("changes what it is for", async () => {
    const without = await told(() => machine.load(source).gradient(inputs));
    for (const [own, changes] of options) {
      const got = await told(() => plain(machine.load(source), inputs, own));
      const isSame = JSON.stringify(got) === JSON.stringify(without);
      expect(isSame, JSON.stringify(own)).toBe(!changes);
    }
  });

  test.each([0, 1, 4])("counts where it runs with pauses, after %i calls", async (calls) => {
    for (const [own] of options) {
      const [one, other] = [machine.load(source), machine.load(source)];
      for (let call = 0; call < calls; call++)
        for (const each of [one, other]) each.gradient(inputs);
      const what = JSON.stringify(own);
      const wanted = await told(() => plain(one, inputs, own));
      expect(await told(() => paused(other, inputs, own)), what).toEqual(wanted);
      one.dispose();
      other.dispose();
    }
  });

  test.each([true, false])("counts in a pool with shared memory: %s", async (sharedMemory) => {
    for (const workers of [1, 3]) {
      crowd = new Crowd();
      const pool = await poolOf(workers, sharedMemory);
      const program = machine.load(source, { file: "grow.scm" });
      for (const [own] of options) {
        const wanted = await told(() => plain(program, inputs, own));
        const got = await told(() => after(pool.gradient(program, inputs, own)));
        expect(got, `${JSON.stringify(own)}, ${workers} workers`).toEqual(wanted);
      }
      await pool.dispose();
    }
  });
});

test("an option counts whatever was called before it, right or wrong", async () => {
  const wanted = await Promise.all(
    options.map(([own]) => told(() => machine.load(source).gradient(inputs, own))),
  );
  const program = machine.load(source);
  // Each after each other one, by turns with pauses and without.
  for (let step = 1; step < options.length; step++)
    for (let turn = 0, at = step; turn < 4; turn++, at = (at + step) % options.length) {
      const [own] = options[at] as (typeof options)[number];
      const got = await told(() =>
        (turn + step) % 3 === 0
          ? program.gradientAsync(inputs, own)
          : program.gradient(inputs, own),
      );
      expect(got, `${JSON.stringify(own)}, step ${step}, turn ${turn}`).toEqual(wanted[at]);
    }
  program.dispose();
});

describe("an option of an evaluation", () => {
  const own = options.filter(([{ wrt, seed, reduce }]) => !(wrt ?? seed ?? reduce));

  test("counts where it runs with pauses, and in a pool", async () => {
    for (const sharedMemory of [true, false]) {
      crowd = new Crowd();
      const pool = await poolOf(2, sharedMemory);
      const program = machine.load(source);
      for (const [each] of own) {
        const wanted = await told(() => program.evaluate(inputs, each));
        const what = JSON.stringify(each);
        expect(await told(() => program.evaluateAsync(inputs, each)), what).toEqual(wanted);
        expect(await told(() => after(pool.evaluate(program, inputs, each))), what).toEqual(wanted);
      }
      await pool.dispose();
    }
  });
});

test("counters of a run with pauses tell what its options asked for", async () => {
  for (const [own] of options) {
    const program = machine.load(source);
    for (let turn = 0; turn < 3; turn++) {
      const out = await program.gradientAsync(inputs, own).catch(() => undefined);
      if (out === undefined) break;
      const { walks, replays, traces, chunkWidth } = out.stats;
      const what = `${JSON.stringify(own)}, turn ${turn}`;
      expect(walks + replays, what).toBeGreaterThan(0);
      if (own.replay === false) expect([replays, traces], what).toEqual([0, 0]);
      else if (turn > 0 && own.stepsMax === undefined) expect(replays, what).toBeGreaterThan(0);
      expect(chunkWidth, what).toBeLessThanOrEqual(own.chunk ?? lanes);
    }
    program.dispose();
  }
});

describe("options of the other ways", () => {
  const scalars = { a: [1, 2.5, 0.25], t: [0.5, 2, 9], v: vec([1, -2, 4]), k: 2, idle: 1 };
  const shared = { a: 2.5, t: 2, v: vec([1, -2, 4]), k: 2, idle: 1 };
  const choices: GradientOptions[] = [
    {},
    { wrt: ["a"] },
    { wrt: ["k", "v"] },
    { stepsMax: 60 },
    { stepsMax: 10 },
    { tapeBytesMax: 100 },
    { chunk: 2 },
    { replay: false },
    { lanes: 3 },
    { lanes: 2 },
  ];

  test("count in a run that is differentiated later, in a Jacobian and in a session", async () => {
    for (const given of [scalars, shared])
      for (const own of choices) {
        const program = machine.load(source);
        const what = `${JSON.stringify(own)} of ${JSON.stringify(given.a)}`;
        const wanted = await told(() => program.gradient(given, own));
        const later = () => {
          const run = program.run(given, own);
          return Object.assign(run, { gradients: run.backward(), inactive: undefined });
        };
        const slopes = () => {
          const found = program.jacobian(given, own);
          return Object.assign(found, { gradients: found.jacobians });
        };
        for (const way of [later, slopes]) {
          const got = await told(way as () => Evaluation);
          expect({ ...got, inactive: 0 }, what).toEqual({ ...wanted, inactive: 0 });
        }
        const wrt = own.wrt ?? ["a", "t", "v", "k", "idle"];
        if ("code" in wanted) {
          const failed = () => program.session(given, { ...own, wrt }).run();
          expect(worded(caught(failed)), what).toEqual(wanted);
          continue;
        }
        const session = program.session(given, { ...own, wrt });
        for (let turn = 0; turn < 3; turn++) {
          session.run();
          const { values, gradients } = wanted as GradientResult;
          const failed = session.failures.map(({ lane, error }) => [lane, worded(error)]);
          expect(failed, what).toEqual((wanted as { failures: unknown }).failures);
          const isLost = (i: number, per: number) =>
            failed.some(([lane]) => lane === Math.floor(i / per));
          const alive = (all: ArrayLike<number>) =>
            Array.from(all, (one, i) => (isLost(i, all.length / session.lanes) ? Number.NaN : one));
          expect([...session.values], what).toEqual(alive(values));
          expect(Object.keys(session.gradients).sort()).toEqual([...wrt].sort());
          for (const name of wrt)
            expect([...(session.gradients[name] ?? [])], `${name}, ${what}`).toEqual(
              alive(gradients[name] as Float64Array),
            );
        }
        program.dispose();
      }
  });

  test("without names a session has no gradients, and a run all of them", () => {
    const program = machine.load("(* a k)");
    const session = program.session({ a: [1, 2], k: 3 });
    for (let turn = 0; turn < 3; turn++) session.run();
    expect([[...session.values], Object.keys(session.gradients)]).toEqual([[3, 6], []]);
    expect(Object.keys(program.run({ a: [1, 2], k: 3 }).backward()).sort()).toEqual(["a", "k"]);
    // Nothing is recorded where nobody asks for slopes.
    expect(program.evaluate({ a: [1, 2], k: 3 }, { replay: false }).stats.tapeRecords).toBe(0);
    program.dispose();
  });

  test("count in diagnoses and explanations", () => {
    const program = machine.load("(if (> x b) (* a x) [1 a])");
    expect(caught(() => program.diagnose({ x: 2, b: 1, a: 3 }, { seed: [1, 2] })).message).toBe(
      "the seed has 2 numbers, the result has 1",
    );
    expect(caught(() => program.explain({ x: 2, b: 1, a: 3 }, { seed: [1, 2] })).message).toBe(
      "the seed has 2 numbers, the result has 1",
    );
    const given = { x: 2, b: 1, a: 3 };
    expect(program.diagnose(given).predicateOnly).toEqual(["b"]);
    expect(program.diagnose(given, { wrt: ["a"] }).predicateOnly).toEqual(["x", "b"]);
    expect(program.diagnose(given, { lanes: 3 }).paths).toHaveLength(3);
    expect(caught(() => program.diagnose(given, { stepsMax: 1 })).code).toBe("E-STEPS");
    const active = (own: GradientOptions) =>
      program.explain(given, own).inputs.map(({ payload, active: is }) => [payload >= 0, is]);
    expect(active({})).toEqual([[true, true], [true, false], [true, true]]); // biome-ignore format: rows
    expect(active({ wrt: ["a"] })).toEqual([[false, false], [false, false], [true, true]]); // biome-ignore format: rows
    expect(program.explain(given, { lanes: 4 }).stats.lanes).toBe(4);
    program.dispose();
  });

  test("a run that tells where its first infinite number comes from walks once and tells no other", () => {
    const program = machine.load("(/ 1 x)");
    const x = [1, 0, 0, 2, 0];
    for (let turn = 0; turn < 3; turn++) {
      const { nonFinite, stats } = program.evaluateTraced({ x }, {});
      expect(nonFinite.map(({ lane, cause }) => [lane, cause])).toEqual([
        [1, "first made so by (/ 1 x)"],
        [2, ""],
        [4, ""],
      ]);
      expect(stats.walks + stats.replays).toBe(1);
    }
    program.dispose();
  });
});

test("time is up on every way that pauses", async () => {
  const long = machine.load("(loop ((i 0) (s x)) (if (= i 300000) s (recur (+ i 1) (+ s 1.0))))");
  const given = { x: [1, 2] };
  const pools = [await poolOf(1, true), await poolOf(1, false)];
  const ways: ((own: GradientOptions) => Promise<unknown>)[] = [
    async (own) => long.evaluate(given, own),
    async (own) => long.gradient(given, own),
    (own) => long.evaluateAsync(given, own),
    (own) => long.gradientAsync(given, own),
    async (own) => long.run(given, own),
    async (own) => long.jacobian(given, own),
    async (own) => long.session(given, own).run(),
    async (own) => long.diagnose(given, own),
    ...pools.map((pool) => (own: GradientOptions) => after(pool.evaluate(long, given, own))),
    ...pools.map((pool) => (own: GradientOptions) => after(pool.gradient(long, given, own))),
  ];
  for (const [index, way] of ways.entries())
    for (const replay of [false, true]) {
      const refused = await way({ timeMax: 1e-6, replay }).then(
        () => undefined,
        (error) => error as NdvmError,
      );
      expect(refused?.code, `way ${index}`).toBe("E-TIME");
      expect(refused?.message, `way ${index}`).toBe("the program ran longer than 0.000001 ms");
    }
  for (const pool of pools) await pool.dispose();
});
