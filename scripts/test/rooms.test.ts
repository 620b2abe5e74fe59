/**
 * What Node loads of @ndvm/core: the same package as its modules, of which a process reads only the
 * rooms it uses.
 */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const index = join(root, "packages/core/dist/node/index.js");

/** The rooms that a script has opened in a process of its own, after what it printed. */
function roomsOf(script: string): string[] {
  const text = `
    import { createRequire } from "node:module";
    import { basename } from "node:path";
    import * as core from ${JSON.stringify(index)};
    const machine = await core.Machine.create();
    ${script}
    const { cache } = createRequire(import.meta.url);
    console.log(JSON.stringify(Object.keys(cache).map((file) => basename(file, ".cjs"))));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", text], {
    encoding: "utf8",
  });
  return JSON.parse(out) as string[];
}

describe("a process reads", () => {
  const FORMULA = `const program = machine.load("(* a (exp (* k t)))");`;

  test("no room for the first value and gradient of a formula", () => {
    expect(roomsOf(`${FORMULA} program.gradient({ a: 2, k: -0.5, t: 1 });`)).toEqual([]);
  });

  test("the language for a program that is no formula", () => {
    const script = `machine.load("(let ((u a)) (* u u))").gradient({ a: 2 });`;
    expect(roomsOf(script)).toEqual(["language"]);
  });

  test("runs for several lanes", () => {
    expect(roomsOf(`${FORMULA} program.gradient({ a: [1, 2], k: 1, t: 0 });`)).toEqual(["runs"]);
  });

  test("stack code without Scheme's rooms", () => {
    const script = `machine.loadBytecode("LOAD a\\nDUP\\nMUL\\nRET").gradient({ a: 2 });`;
    expect(roomsOf(script)).toEqual(["bytecode"]);
  });

  test("exports when a fit is exported, not when it is made", () => {
    const fit = `${FORMULA} const result = await core.fit(program, {
      data: { t: [0, 1, 2], y: [2, 1, 0.5] }, target: "y", params: { a: 1, k: -1 } });`;
    expect(roomsOf(fit)).not.toContain("exports");
    expect(roomsOf(`${fit} result.export("latex");`)).toContain("exports");
  });
});

describe("the package in rooms", () => {
  test("exports what its modules export, and the same kinds of things", async () => {
    const kindsIn = (core: Readonly<Record<string, unknown>>) =>
      Object.entries(core)
        .map(([name, value]) => `${name}: ${typeof value}`)
        .sort();
    const modules = await import(join(root, "packages/core/dist/index.js"));
    const rooms = await import(index);
    expect(kindsIn(rooms)).toEqual(kindsIn(modules));
    const light = await import(join(root, "packages/core/dist/light.js"));
    expect(Object.keys(rooms)).toEqual(expect.arrayContaining(Object.keys(light)));
  });

  test("throws its own errors from every room", () => {
    const tries = [
      `() => machine.load("(foo")`,
      `() => machine.load("a", { language: "bytecode" })`,
      `() => machine.load("a").evaluate({ a: core.vec([1]), b: 2 })`,
      `() => core.exportModel({ program: "a", params: {} }, "nothing")`,
      `() => core.fitFromJSON(machine.load("a"), {})`,
    ];
    const script = `for (const attempt of [${tries.join(", ")}]) {
      try { attempt(); } catch (error) {
        if (error instanceof core.NdvmError) continue;
        throw error;
      }
      throw new Error("no error: " + attempt);
    }`;
    expect(roomsOf(script).length).toBeGreaterThan(4);
  });
});
