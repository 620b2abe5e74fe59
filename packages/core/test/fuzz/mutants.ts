/**
 * Planted bugs: the machine built again from its own sources with one mistake put in.
 *
 * Sources are read through a filter and nothing is written to disk. A mutation that does not find
 * its text is an error, so that a mutant can never quietly be the right machine.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "assemblyscript/asc";

export interface Mutant {
  readonly name: string;
  /** The source to change, from packages/core. */
  readonly file: string;
  /** The function to change; every occurrence in it is replaced. */
  readonly inside: string;
  readonly replace: string | RegExp;
  readonly by: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: "the product's two adjoints are swapped",
    file: "wasm/generated/binary.ts",
    inside: "mulAdjoint",
    replace: /v128\.mul<real>\(gv, yv\)(\)[^;]*;\n.*)v128\.mul<real>\(gv, xv\)/g,
    by: "v128.mul<real>(gv, xv)$1v128.mul<real>(gv, yv)",
  },
  {
    name: "the sum's adjoint overwrites its target instead of adding to it",
    file: "wasm/generated/binary.ts",
    inside: "addAdjoint",
    replace: /v128\.add<real>\(v128\.and\(v128\.load\(.*?\), g[xy]Kept\), gv\)/g,
    by: "gv",
  },
  {
    name: "a closure captures the variable before the one it names",
    file: "wasm/clients/scheme/walk.ts",
    inside: "makeClosure",
    replace: "load<u64>(Walk.framePtr + ((<usize>index) << 3))",
    by: "load<u64>(Walk.framePtr + (<usize>(index > 0 ? index - 1 : 0) << 3))",
  },
];

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The mutant's machine for f64. */
export async function buildMutant(mutant: Mutant): Promise<Uint8Array<ArrayBuffer>> {
  let binary: Uint8Array<ArrayBuffer> | undefined;
  let applied = false;
  const flags = ["-O1", "--noAssert", "--enable", "simd", "--runtime", "stub"];
  const quiet = ["--initialMemory", "16", "--disableWarning", "112"];
  const { error, stderr } = await main(
    ["wasm/index.ts", "--use", "real=f64", ...flags, ...quiet, "-o", "m.wasm"],
    {
      readFile: (name) => {
        const text = readIfThere(join(root, name));
        if (text === null || name !== mutant.file) return text;
        applied = true;
        return mutated(text, mutant);
      },
      writeFile: (name, contents) => {
        if (name.endsWith(".wasm")) binary = contents as Uint8Array<ArrayBuffer>;
      },
      listFiles: () => null,
    },
  );
  if (error || !binary) throw new Error(`the mutant does not build: ${stderr}`);
  if (!applied) throw new Error(`nothing reads ${mutant.file}`);
  return binary;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

function mutated(text: string, { file, inside, replace, by }: Mutant): string {
  const start = text.indexOf(`function ${inside}(`);
  const end = text.indexOf("\n}\n", start);
  const whole = text.slice(start, end);
  const changed = whole.replaceAll(replace, by);
  if (start < 0 || changed === whole) throw new Error(`${file}: ${inside} has nothing to change`);
  return text.slice(0, start) + changed + text.slice(end);
}
