/**
 * The client that docs/contract.md builds: its two files are taken from the page, the machine is built
 * with them, and the program they make has gradients, lanes, replay and errors with spans.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import type { ParsedProgram } from "../../src/program/parsed-program.js";

const core = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(core, "../../docs/contract.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "ndvm-client-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The block of the page that starts with the name of a file. */
function blockOf(file: string): string {
  const [, text] = page.split(`\`\`\`ts\n// ${file}\n`);
  if (text === undefined) throw new Error(`the page has no ${file}`);
  return text.split("```")[0] as string;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** Builds the machine with the page's client as number 2. */
function buildMachine(): Uint8Array {
  cpSync(join(core, "wasm"), join(folder, "wasm"), { recursive: true });
  const shared = ["program/layout", "program/cells", "bytecode/codes", "fit/layout", "fit/maps"];
  for (const file of shared.map((name) => `src/${name}.ts`))
    write(file, readFileSync(join(core, file), "utf8"));
  write("wasm/clients/postfix/walk.ts", blockOf("wasm/clients/postfix/walk.ts"));
  const door = readFileSync(join(core, "wasm/index.ts"), "utf8");
  const start = "export function walk(): i32 {\n";
  expect(door).toContain(start);
  const added = "  if (imageAt(Walk.image).client == 2) return walkPostfix();\n";
  const imported = 'import { walk as walkPostfix } from "./clients/postfix/walk";\n';
  write("wasm/index.ts", imported + door.replace(start, start + added));
  const asc = join(
    dirname(createRequire(import.meta.url).resolve("assemblyscript/package.json")),
    "bin/asc.js",
  );
  const flags = ["--enable", "simd", "--runtime", "stub", "--initialMemory", "16", "--noAssert"];
  const quiet = ["--disableWarning", "112", "-O1", "--use", "real=f64"];
  const args = [asc, "wasm/index.ts", ...flags, ...quiet, "-o", "machine.wasm"];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return readFileSync(join(folder, "machine.wasm"));
}

/** The page's program, beside the built files that it imports. */
async function loadPostfix(): Promise<(text: string) => ParsedProgram> {
  cpSync(join(core, "dist"), join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const { outputText } = ts.transpileModule(blockOf("src/postfix/parsed.ts"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  write("dist/postfix/parsed.js", outputText);
  const url = pathToFileURL(join(folder, "dist/postfix/parsed.js")).href;
  const module = (await import(/* @vite-ignore */ url)) as { postfix(text: string): ParsedProgram };
  return module.postfix;
}

test("the page's client runs on the machine and inherits what the page says", async () => {
  const machine = await Machine.fromBytes(new Uint8Array(buildMachine()));
  const postfix = await loadPostfix();
  const text = "a k t * exp *";
  const program = machine.place(postfix(text), text, {});
  expect(program.inputs).toEqual(["a", "k", "t"]);
  const inputs = { a: 2, k: -0.5, t: [0, 1, 2] };
  const scheme = machine.load("(* a (exp (* k t)))").gradient(inputs);
  for (let turn = 0; turn < 2; turn++) {
    const { values, gradients, stats } = program.gradient(inputs);
    expect(values).toEqual(scheme.values);
    expect(gradients).toEqual(scheme.gradients);
    expect(stats.replays).toBe(turn);
  }
  const wrong = machine.place(postfix("a vsum"), "a vsum", {});
  try {
    wrong.evaluate({ a: 1 });
    expect.fail("nothing failed");
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    expect(error.code).toBe("E-SHAPE");
    expect(error.span).toEqual({ start: 2, end: 6 });
    expect(error.help).toBe("operands come before their operation");
  }
  machine.dispose();
});
