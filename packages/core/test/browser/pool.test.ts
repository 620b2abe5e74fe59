/**
 * Pools of Web Workers in Chromium: the bits of one machine, aborts, workers that die or do not start.
 * Runs on a page that may share memory with workers, and on one that may not.
 */

import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Machine, NdvmError, over, type Pool } from "../../src/index.js";

declare module "vitest" {
  export interface ProvidedContext {
    isIsolated: boolean;
  }
}

let machine: Machine;
let pool: Pool;
beforeAll(async () => {
  machine = await Machine.create();
  pool = await machine.pool({ workers: 2 });
});
afterAll(async () => {
  await pool.dispose();
  machine.dispose();
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof NdvmError) return error.code;
    throw error;
  }
  return "none";
}

const bits = (numbers: Float64Array | undefined): BigUint64Array =>
  new BigUint64Array((numbers ?? new Float64Array()).slice().buffer);

const source = `
  (if (> x 1.75) (car x)
      (loop ((k 0) (y x)) (if (> (* y y) limit) (+ y (* 0.25 k)) (recur (+ k 1) (+ (exp y) 0.1)))))`;

test("has the bits of one machine, with lanes that part and fail", async () => {
  const x = Float64Array.from({ length: 3000 }, (_, i) => -2 + i / 768);
  const limit = Float64Array.of(2, 5, 9);
  const inputs = { x: over("point", x), limit: over("limit", limit) };
  const alone = machine.load(source).gradient(inputs);
  const together = await pool.gradient(source, inputs);
  expect(together.axes).toEqual(alone.axes);
  expect(bits(together.values)).toEqual(bits(alone.values));
  expect(bits(together.gradients["x"])).toEqual(bits(alone.gradients["x"]));
  expect(bits(together.gradients["limit"])).toEqual(bits(alone.gradients["limit"]));
  expect(together.failures.length).toBeGreaterThan(0);
  expect(together.failures.map(({ lane }) => lane)).toEqual(alone.failures.map(({ lane }) => lane));
});

test("shares memory where the page may", async () => {
  const isIsolated = inject("isIsolated");
  expect(crossOriginIsolated).toBe(isIsolated);
  expect(pool.sharedMemory).toBe(isIsolated);
  const wanted = machine.pool({ workers: 1, sharedMemory: true });
  expect(await codeOf(wanted)).toBe(isIsolated ? "none" : "E-OPTION");
  if (isIsolated) await (await wanted).dispose();
});

test("has the same bits when numbers are copied", async () => {
  const copying = await machine.pool({ workers: 2, sharedMemory: false });
  const x = Float64Array.from({ length: 9000 }, (_, i) => -2 + i / 2500);
  const alone = machine.load(source).gradient({ x, limit: 3 });
  for (const each of [pool, copying]) {
    const { values, gradients } = await each.gradient(source, { x, limit: 3 });
    expect(bits(values)).toEqual(bits(alone.values));
    expect(bits(gradients["x"])).toEqual(bits(alone.gradients["x"]));
  }
  await copying.dispose();
});

test("reports the lanes over which two workers died, and goes on", async () => {
  const workerUrl = new URL("./dying-worker.mjs", import.meta.url);
  const mortal = await machine.pool({ workers: 2, workerUrl });
  const x = Array.from({ length: 32 }, (_, i) => i);
  const out = await mortal.evaluate("; dies at 20\n(* x x)", { x });
  expect(out.failures.map(({ lane, error }) => [lane, error.code])).toEqual(
    x.slice(16).map((lane) => [lane, "E-WORKER"]),
  );
  expect([...out.values.slice(0, 16)]).toEqual(x.slice(0, 16).map((value) => value * value));
  expect((await mortal.evaluate("(* x x)", { x })).failures).toEqual([]);
  await mortal.dispose();
});

test("ends a call whose signal fires, and goes on", async () => {
  const abort = new AbortController();
  const endless = "(loop ((k x)) (if (< k 0) k (recur (+ k 1))))";
  const running = codeOf(pool.evaluate(endless, { x: [1, 2, 3] }, { signal: abort.signal }));
  setTimeout(() => abort.abort(), 20);
  expect(await running).toBe("E-ABORTED");
  expect([...(await pool.evaluate("(* x 2)", { x: [1, 2, 3] })).values]).toEqual([2, 4, 6]);
});

test("is not made where its workers do not start", async () => {
  const workerUrl = new URL("/no-such-worker.js", location.href);
  expect(await codeOf(machine.pool({ workers: 1, workerUrl }))).toBe("E-WORKER");
});

test("has as many workers as there are cores unless told", async () => {
  const all = await machine.pool();
  expect(all.workers).toBe(navigator.hardwareConcurrency);
  await all.dispose();
  expect(await codeOf(all.evaluate("1"))).toBe("E-DISPOSED");
});
