/** `Machine.create({ wasm })`: code that the caller gives, by its place or as bytes. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { Machine, type MachineOptions, NdvmError } from "../src/index.js";

const place = (precision: string): URL =>
  new URL(`../build/ndvm-${precision}.wasm`, import.meta.url);

/** The error of a machine, of these modules or of some that were loaded anew. */
async function errorOf(
  options: MachineOptions,
  core: { Machine: typeof Machine; NdvmError: typeof NdvmError } = { Machine, NdvmError },
): Promise<NdvmError> {
  try {
    (await core.Machine.create(options)).dispose();
  } catch (error) {
    if (error instanceof core.NdvmError) return error;
    throw error;
  }
  throw new Error("the machine was made");
}

const f64 = place("f64");

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("the machine's own code", () => {
  test.each(["f64", "f32"] as const)(
    "of %s that could not be read once was never read again",
    async (precision) => {
      // What was read once is not read again: these modules have read nothing.
      vi.resetModules();
      const core = await import("../src/index.js");
      const read = vi.fn((_: URL): Uint8Array => {
        throw new Error("the disk is asleep");
      });
      vi.spyOn(process, "getBuiltinModule").mockReturnValue({ readFileSync: read } as never);
      const refused = await Promise.all([
        errorOf({ precision }, core),
        errorOf({ precision }, core),
      ]);
      for (const { code, message, facts } of refused) {
        expect([code, facts]).toEqual(["E-FILE", { reason: "wasm" }]);
        expect(message).toBe(
          `the machine's code could not be read from ${place(precision)}: the disk is asleep`,
        );
      }
      expect(read).toHaveBeenCalledTimes(1);
      read.mockImplementation((url) => new Uint8Array(readFileSync(url)));
      for (let turn = 0; turn < 3; turn++) {
        const machine = await core.Machine.create({ precision });
        const third = precision === "f32" ? Math.fround(1 / 3) : 1 / 3;
        expect(machine.load("(/ 1 x)").evaluate({ x: 3 }).values[0]).toBe(third);
        machine.dispose();
      }
      expect(read.mock.calls.map(([url]) => url.href)).toEqual([
        place(precision).href,
        place(precision).href,
      ]);
    },
  );
});

describe("on a page", () => {
  const bytes = readFileSync(f64);
  const page = "https://page.example/app/index.html";
  const answers: Readonly<Record<string, () => Promise<Response>>> = {
    "https://page.example/app/code/f64.wasm": async () => new Response(bytes),
    "https://page.example/f64.wasm": async () => new Response(bytes),
    "https://page.example/app/none.wasm": async () => new Response("no", { status: 404 }),
    "https://page.example/app/broken.wasm": async () => new Response("no", { status: 500 }),
    "https://else.example/f64.wasm": async () => {
      throw new TypeError("the network is down");
    },
  };
  const open = (): void => {
    vi.stubGlobal("location", { href: page });
    vi.stubGlobal("fetch", (url: URL) => {
      const answer = answers[url.href];
      if (answer === undefined) throw new TypeError(`nobody knows ${url}`);
      return answer();
    });
  };

  test.each(["code/f64.wasm", "/f64.wasm", "https://page.example/f64.wasm", f64.href])(
    "code at %s is fetched, from the page's own place where it has no other",
    async (wasm) => {
      open();
      const machine = await Machine.create({ wasm });
      expect(machine.load("(* x x)").evaluate({ x: 3 }).values[0]).toBe(9);
      machine.dispose();
    },
  );

  test.each([
    ["none.wasm", "https://page.example/app/none.wasm: status 404"],
    ["broken.wasm", "https://page.example/app/broken.wasm: status 500"],
    ["https://else.example/f64.wasm", "https://else.example/f64.wasm: the network is down"],
  ])("code at %s that does not come is named with its place", async (wasm, why) => {
    open();
    const error = await errorOf({ wasm });
    expect([error.code, error.facts]).toEqual(["E-FILE", { reason: "wasm" }]);
    expect(error.message).toBe(`the machine's code could not be read from ${why}`);
    expect(error.help).toContain("pass its bytes or its URL as `wasm`");
  });
});

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

test("a machine of given code has the options of every machine", async () => {
  const clock = () => 7;
  const own = { memoryMax: 2 ** 23, mechanisms: { replay: false }, clock };
  for (const machine of [
    await Machine.create({ ...own, wasm: place("f32"), precision: "f32" }),
    await Machine.create({ ...own, precision: "f32" }),
    await Machine.fromBytes(readFileSync(place("f32")), { ...own, precision: "f32" }),
  ]) {
    const { memoryMax, mechanisms, precision } = machine;
    expect({ memoryMax, mechanisms, clock: machine.clock, precision }).toEqual({
      ...{ ...own, precision: "f32" },
    });
    const program = machine.load("(/ 1 x)");
    expect(program.precision).toBe("f32");
    for (let turn = 0; turn < 3; turn++) {
      const { values, stats } = program.evaluate({ x: [3] });
      expect([values[0], stats.replays]).toEqual([Math.fround(1 / 3), 0]);
    }
    machine.dispose();
  }
  const usual = await Machine.create();
  expect([usual.precision, usual.memoryMax, usual.mechanisms]).toEqual(["f64", 2 ** 30, {}]);
  const program = usual.load("(log x)");
  expect([program.precision, program.file, program.loadOptions, program.runs]).toEqual([
    ...["f64", undefined, {}, 0],
  ]);
  expect(program.evaluate({ x: -1 }).values[0]).toBeNaN();
  usual.dispose();
});

test("what looks at given code leaves nothing in the machine", async () => {
  const machine = await Machine.create({ wasm: f64 });
  expect([machine.traceCount(), machine.load("(* x x)").place]).toEqual([0, 0]);
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
