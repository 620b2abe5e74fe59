/** `Machine.create({ wasm })`: code that the caller gives, by its place or as bytes. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, expectTypeOf, test } from "vitest";
import { Machine, type MachineOptions, NdvmError } from "../src/index.js";

const place = (precision: string): URL =>
  new URL(`../build/ndvm-${precision}.wasm`, import.meta.url);

async function errorOf(options: MachineOptions): Promise<NdvmError> {
  try {
    (await Machine.create(options)).dispose();
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error("the machine was made");
}

const f64 = place("f64");
test.each([
  ["a URL", f64],
  ["a URL as text", f64.href],
  ["a path", fileURLToPath(f64)],
  ["bytes", readFileSync(f64)],
  ["a buffer", new Uint8Array(readFileSync(f64)).buffer],
] as const)("code given as %s runs", async (_, wasm) => {
  const machine = await Machine.create({ wasm });
  expect(machine.load("(* x x)").gradient({ x: 3 }).gradients["x"]).toEqual(Float64Array.of(6));
  machine.dispose();
});

test("the workers of a pool get the code that was given", async () => {
  const machine = await Machine.create({ precision: "f32", wasm: readFileSync(place("f32")) });
  const pool = await machine.pool({ workers: 1 });
  expect([...(await pool.evaluate("(+ x 1)", { x: [1, 2] })).values]).toEqual([2, 3]);
  await pool.dispose();
  machine.dispose();
});

test("code of the other precision is refused, and so is what is no code of ours", async () => {
  const other = await errorOf({ precision: "f32", wasm: f64 });
  expect(other.code).toBe("E-OPTION");
  expect(other.facts).toEqual({ reason: "wasm", option: "wasm" });
  expect(other.message).toContain("not that of precision f32");
  expect((await errorOf({ wasm: Uint8Array.of(1, 2, 3) })).message).toContain("not WebAssembly");
  const empty = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
  expect((await errorOf({ wasm: empty })).message).toContain("does not run");
});

test("code that is not there is named with its place", async () => {
  const error = await errorOf({ wasm: new URL("missing.wasm", import.meta.url) });
  expect(error.code).toBe("E-FILE");
  expect(error.message).toContain("missing.wasm");
});

test("names given as wrt are known to have a gradient", async () => {
  const machine = await Machine.create();
  const program = machine.load("(* a (exp (* k t)))");
  const inputs = { a: 2, k: 0, t: 3 };
  const { gradients } = program.gradient(inputs, { wrt: ["a", "k"] });
  expectTypeOf(gradients.a).toEqualTypeOf<Float64Array>();
  expect(gradients.a[0]).toBe(1);
  const { jacobians } = program.jacobian(inputs, { wrt: ["k"] });
  expectTypeOf(jacobians.k).toEqualTypeOf<Float64Array>();
  expect(jacobians.k[0]).toBe(6);
  const anything = program.gradient(inputs).gradients;
  expectTypeOf(anything["t"]).toEqualTypeOf<Float64Array | undefined>();
  machine.dispose();
});
