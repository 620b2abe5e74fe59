/** Pools: the same results as one machine, whatever happens to workers. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Evaluation,
  type GradientResult,
  type Inputs,
  int,
  Machine,
  mat,
  over,
  type Pool,
  vec,
} from "../src/index.js";
import { bitsOf, caughtLater } from "./machine/support.js";

const spread = (lanes: number, from: number, to: number): Float64Array =>
  Float64Array.from({ length: lanes }, (_, i) => from + ((to - from) * ((i * 37) % lanes)) / lanes);

/** Everything a caller sees of a result, bits included. */
function seen(out: Evaluation): Record<string, unknown> {
  const { gradients, inactive, reduced } = out as Partial<GradientResult>;
  return {
    lanes: out.lanes,
    axes: out.axes,
    shape: out.shape,
    values: out.shape === undefined ? undefined : bitsOf(out.values),
    failures: out.failures.map(({ lane, error }) => [lane, error.code, error.message, error.span]),
    nonFinite: out.nonFinite
      .map(({ lane, value }) => [lane, value])
      .sort(([a = 0], [b = 0]) => a - b),
    gradients: Object.entries(gradients ?? {}).map(([name, values]) => [name, bitsOf(values)]),
    inactive,
    reduced: reduced && { axes: reduced.gradientAxes, nanLanes: reduced.nanLanes },
  };
}

const branches = `
  (define (walk x n) (if (< x limit) (walk (+ (* x x) 0.5) (+ n 1)) (+ x (* n 0.25))))
  (if (> x 1.9) (car x) (if (< x -1.5) (log x) (walk x 0)))`;

const matrixWalk = `
  (loop ((k 0) (v start) (total 0.0))
    (if (= k steps) total
        (let ((next (matvec turn v)))
          (recur (+ k 1) (scale q next) (+ total (dot next next))))))`;

const turn = mat([
  [0.9, -0.2],
  [0.3, 0.8],
]);

interface PoolCase {
  readonly name: string;
  readonly source: string;
  readonly inputs: Inputs;
}

const lanes = 5000;
const cases: readonly PoolCase[] = [
  {
    name: "numbers per lane and shared",
    source: "(* a (* (exp (- 0 (* b t))) (cos (* w t))))",
    inputs: { a: spread(lanes, 0, 2), b: 0.3, w: 2, t: [...spread(lanes, 0, 10)] },
  },
  {
    name: "lanes that part, fail and are not finite",
    source: branches,
    inputs: { x: spread(lanes, -2, 2), limit: 4 },
  },
  {
    name: "vectors, matrices and integers",
    source: matrixWalk,
    inputs: {
      q: spread(100, 0.5, 1),
      steps: int(12),
      turn,
      start: Array.from({ length: 100 }, (_, i) => vec([i / 7, 1 - i / 50])),
    },
  },
  {
    name: "named axes",
    source: "(* a (exp (* k t)))",
    inputs: {
      a: over("restart", spread(70, -1, 1)),
      k: over("restart", [...spread(70, -0.5, 0.5)]),
      t: over("data", spread(90, 0, 3)),
    },
  },
  {
    name: "more parts than workers",
    source: "(if (> x 1) (/ k x) (* x k))",
    inputs: { x: spread(20_001, -3, 3), k: spread(20_001, 0, 1) },
  },
  { name: "fewer lanes than workers", source: "(* x x)", inputs: { x: [1, 2] } },
];

describe.each([true, false])("with shared memory: %s", (sharedMemory) => {
  let machine: Machine;
  let pool: Pool;
  beforeAll(async () => {
    machine = await Machine.create();
    pool = await machine.pool({ workers: 3, sharedMemory });
  });
  afterAll(async () => {
    await pool.dispose();
    machine.dispose();
  });

  describe.each(["f32", "f64"] as const)("results in %s are those of one machine", (precision) => {
    let alone: Machine;
    let many: Pool;
    beforeAll(async () => {
      alone = await Machine.create({ precision });
      many = await alone.pool({ workers: 3, sharedMemory });
    });
    afterAll(async () => {
      await many.dispose();
      alone.dispose();
    });

    test.each(cases)("$name", async ({ source, inputs }) => {
      const program = alone.load(source);
      const evaluated = seen(program.evaluate(inputs));
      const differentiated = seen(program.gradient(inputs));
      const reduced = seen(program.gradient(inputs, { reduce: true }));
      for (const given of [program, source]) {
        expect(seen(await many.evaluate(given, inputs))).toEqual(evaluated);
        expect(seen(await many.gradient(given, inputs))).toEqual(differentiated);
        expect(seen(await many.gradient(given, inputs, { reduce: true }))).toEqual(reduced);
      }
      program.dispose();
    });
  });

  describe("a pool", () => {
    test("has as many workers as there are cores unless told", async () => {
      const all = await machine.pool();
      expect(all.workers).toBeGreaterThan(0);
      await all.dispose();
      expect((await caughtLater(machine.pool({ workers: 0 }))).code).toBe("E-OPTION");
    });

    test("is not made of a disposed machine", async () => {
      const gone = await Machine.create();
      gone.dispose();
      expect((await caughtLater(gone.pool())).code).toBe("E-DISPOSED");
    });

    test("returns structure, and different things in different lanes", async () => {
      const x = Array.from({ length: 40 }, (_, i) => i);
      const lists = await pool.evaluate("(list x 'a #t [x 2])", { x });
      expect(lists.datum(39)).toEqual([39, "a", true, Float64Array.of(39, 2)]);
      const program = machine.load("(list x 'a #t [x 2])");
      expect(lists.print(39)).toBe(program.evaluate({ x }).print(39));
      expect(lists.shape).toBeUndefined();
      expect(() => lists.values).toThrow("the program returned a list, not numbers");
      const mixed = await pool.evaluate("(if (< x 20) x (vec x x))", { x });
      expect(mixed.datum(1)).toBe(1);
      expect(mixed.datum(39)).toEqual(Float64Array.of(39, 39));
      expect(() => mixed.values).toThrow("different things in different lanes");
      expect(() => mixed.datum(40)).toThrow("there is no lane 40");
      program.dispose();
    });

    test("cuts a seed with the lanes", async () => {
      const inputs = { x: spread(60, 1, 2), y: spread(60, 3, 4) };
      const source = "(vec (* x y) (/ x y))";
      const seed = spread(120, -1, 1);
      const program = machine.load(source);
      const expected = seen(program.gradient(inputs, { seed }));
      expect(seen(await pool.gradient(source, inputs, { seed }))).toEqual(expected);
      const short = await caughtLater(pool.gradient(source, inputs, { seed: [1, 2, 3] }));
      expect(short.code).toBe("E-INPUT");
      const none = await caughtLater(pool.gradient(source, inputs));
      expect(none.code).toBe("E-RESULT");
      program.dispose();
    });

    test("refuses what one machine refuses, with the program's text", async () => {
      const syntax = await caughtLater(pool.evaluate("(+ 1", {}));
      expect([syntax.code, syntax.source]).toEqual(["E-SYNTAX", "(+ 1"]);
      const input = await caughtLater(pool.evaluate("(+ x y)", { x: 1 }));
      expect([input.code, input.message]).toEqual(["E-INPUT", "input y has no value"]);
      const wrt = await caughtLater(pool.gradient("(+ x 1)", { x: [1, 2] }, { wrt: ["z"] }));
      expect(wrt.code).toBe("E-INPUT");
      const all = await caughtLater(pool.evaluate("(car x)", { x: [1, 2, 3] }));
      expect([all.code, all.source]).toEqual(["E-TYPE", "(car x)"]);
      const time = await caughtLater(
        pool.evaluate("(loop ((k x)) (recur (+ k 1)))", { x: [1, 2] }, { timeMax: 20 }),
      );
      expect(time.code).toBe("E-TIME");
    });

    test("loads text as it is told to", async () => {
      const inputs = { x: [-1, 4], scale: [2, 3] };
      const load = { domain: "clamp", inputs: ["scale"] } as const;
      const { values } = await pool.evaluate("(* scale (sqrt x))", inputs, { load });
      const program = machine.load("(* scale (sqrt x))", load);
      expect(bitsOf(values)).toEqual(bitsOf(program.evaluate(inputs).values));
      const again = await pool.evaluate(program, inputs);
      expect(bitsOf(again.values)).toEqual(bitsOf(values));
      program.dispose();
    });

    test("runs several calls at once, and more programs than a worker keeps", async () => {
      const programs = Array.from({ length: 40 }, (_, i) => machine.load(`(* x ${i})`));
      for (let round = 0; round < 2; round++) {
        const all = await Promise.all(
          programs.map((program) => pool.evaluate(program, { x: [3] })),
        );
        expect(all.map(({ values }) => values[0])).toEqual(programs.map((_, i) => 3 * i));
      }
      for (const program of programs) program.dispose();
    });

    test("takes the numbers as they are when it is called", async () => {
      const x = spread(lanes, 0, 1);
      const expected = bitsOf(x.map((value) => value * value));
      const running = pool.evaluate("(* x x)", { x });
      x.fill(7);
      expect(bitsOf((await running).values)).toEqual(expected);
    });
  });

  describe("a pool whose work is ended", () => {
    const endless = "(loop ((k x)) (if (< k 0) k (recur (+ k 1))))";

    test("refuses with E-ABORTED and goes on", async () => {
      const abort = new AbortController();
      const running = pool.evaluate(endless, { x: [1, 2, 3, 4] }, { signal: abort.signal });
      setTimeout(() => abort.abort(), 20);
      expect((await caughtLater(running)).code).toBe("E-ABORTED");
      const out = await pool.evaluate("(* x 2)", { x: spread(lanes, 0, 1) });
      expect(out.failures).toEqual([]);
      const late = pool.evaluate("(* x 2)", { x: 1 }, { signal: abort.signal });
      expect((await caughtLater(late)).code).toBe("E-ABORTED");
    });

    test("ends only the call whose signal fired", async () => {
      const abort = new AbortController();
      const ended = pool.evaluate(endless, { x: [1, 2] }, { signal: abort.signal });
      const others = Array.from({ length: 6 }, (_, i) => pool.evaluate("(+ x 1)", { x: [i] }));
      setTimeout(() => abort.abort(), 20);
      expect((await caughtLater(ended)).code).toBe("E-ABORTED");
      const values = await Promise.all(others);
      expect(values.map((out) => out.values[0])).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test("refuses with E-DISPOSED once it is disposed, calls under way included", async () => {
      const short = await machine.pool({ workers: 2, sharedMemory });
      const running = caughtLater(short.evaluate(endless, { x: [1, 2, 3] }));
      await short.dispose();
      expect((await running).code).toBe("E-DISPOSED");
      expect((await caughtLater(short.evaluate("1"))).code).toBe("E-DISPOSED");
      await short.dispose();
    });
  });

  describe("a pool whose workers die", () => {
    const workerUrl = new URL("./pool/dying-worker.mjs", import.meta.url);
    let folder: string;
    let mortal: Pool;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "ndvm-pool-"));
      mortal = await machine.pool({ workers: 2, workerUrl, sharedMemory });
    });
    afterAll(async () => {
      await mortal.dispose();
      rmSync(folder, { recursive: true });
    });

    test("tries a part again when its worker died once", async () => {
      const source = `; dies once ${join(folder, "once")}\n(* x x)`;
      const out = await mortal.gradient(source, { x: spread(lanes, 0, 1) });
      expect(out.failures).toEqual([]);
      expect(bitsOf(out.gradients["x"] ?? [])).toEqual(bitsOf(spread(lanes, 0, 2)));
    });

    test("reports the lanes of a part that killed two workers, and goes on", async () => {
      const x = Array.from({ length: 32 }, (_, i) => i);
      const out = await mortal.gradient("; dies at 20\n(* x x)", { x });
      expect(out.failures.map(({ lane }) => lane)).toEqual(x.slice(16));
      expect(out.failures[0]?.error.code).toBe("E-WORKER");
      expect(out.failures[0]?.error.message).toContain("the worker that ran this lane ended");
      expect([...out.values.slice(0, 16)]).toEqual(x.slice(0, 16).map((value) => value * value));
      expect(out.values.slice(16).every(Number.isNaN)).toBe(true);
      expect(out.gradients["x"]?.slice(16).every(Number.isNaN)).toBe(true);
      const next = await mortal.evaluate("(* x x)", { x });
      expect([...next.values]).toEqual(x.map((value) => value * value));
    });

    test("refuses a call whose parts all died", async () => {
      const error = await caughtLater(mortal.evaluate("; dies at 1\n(* x x)", { x: [1, 1] }));
      expect(error.code).toBe("E-WORKER");
    });

    test("is not made of workers that never say they are ready", async () => {
      const silent = new URL("./pool/silent-worker.mjs", import.meta.url);
      const options = { workers: 2, workerUrl: silent, startTimeMax: 40 };
      const error = await caughtLater(machine.pool(options));
      expect(error.code).toBe("E-WORKER");
      expect(error.message).toContain("not ready after 40 ms");
    });

    test("is not made of workers that say something else", async () => {
      const stranger = new URL("./pool/strange-worker.mjs", import.meta.url);
      const error = await caughtLater(machine.pool({ workers: 2, workerUrl: stranger }));
      expect(error.code).toBe("E-WORKER");
      expect(error.message).toContain("not that of a pool's worker");
    });

    test("reports the lanes of a worker whose replacement is of no use", async () => {
      const workerUrl = new URL("./pool/one-life-worker.mjs", import.meta.url);
      const pool = await machine.pool({ workers: 1, workerUrl, sharedMemory });
      process.env["NDVM_TEST_STRANGE_WORKER"] = "1";
      try {
        const error = await caughtLater(pool.evaluate("; dies at 1\n(* x x)", { x: [1] }));
        expect(error.code).toBe("E-WORKER");
      } finally {
        delete process.env["NDVM_TEST_STRANGE_WORKER"];
        await pool.dispose();
      }
    });

    test("refuses a time to start that is none", async () => {
      for (const startTimeMax of [0, -1, Number.NaN, "1"] as number[]) {
        const error = await caughtLater(machine.pool({ workers: 1, startTimeMax }));
        expect(error.code).toBe("E-OPTION");
      }
    });

    test("is not made where its workers do not start", async () => {
      const nowhere = new URL("./pool/nowhere.mjs", import.meta.url);
      const error = await caughtLater(machine.pool({ workers: 2, workerUrl: nowhere }));
      expect(error.code).toBe("E-WORKER");
      expect(error.help).toContain("workerUrl");
    });
  });
});
