/**
 * The js and ts blocks as modules: compiled together under the strictest settings, each run by itself.
 *
 * `expression; // => value` claims a value: the module fails where it is another one. Typed arrays
 * are written as plain ones.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type Block, root } from "./blocks.js";

const folder = join(root, "build/documents");

const CHECK = `import { deepStrictEqual as isSame } from "node:assert";
const told = (value: unknown): unknown =>
  ArrayBuffer.isView(value) ? Array.from(value as Float64Array)
  : Array.isArray(value) ? value.map(told)
  : value instanceof Map ? Object.fromEntries(value)
  : typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, told(one)])) : value;
export const claim = (value: unknown, said: unknown): void => isSame(told(value), said);
`;

const CLAIM = /^(\s*)(.+?);\s*\/\/ => (.*)$/gm;
const IMPORT = /^import .*?;(?:\s*\/\/.*)?$/gms;

/** One module of a block and those that it goes on from, in scopes of their own. */
function moduleOf(blocks: readonly Block[]): string {
  const imports = new Set<string>();
  let body = "";
  for (const { given, text } of blocks) {
    const code = `${given}\n${text}`.replaceAll(IMPORT, (line) => {
      imports.add(line.replace(/\s*\/\/.*$/, ""));
      return "";
    });
    body += `{\n${code.replaceAll(CLAIM, "$1claim($2, $3);")}\n`;
  }
  const heads = ['import { claim } from "./claim.js";', ...imports];
  return `${heads.join("\n")}\n${body}${"}\n".repeat(blocks.length)}export {};\n`;
}

export interface Compiled {
  readonly block: Block;
  /** The module to run. */
  readonly file: string;
  /** What the compiler says against it. */
  readonly complaints: readonly string[];
}

export function compileAll(blocks: readonly Block[]): Compiled[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "claim.ts"), CHECK);
  const files = blocks.map((block, index) => {
    const file = join(folder, `block-${index}.ts`);
    writeFileSync(file, moduleOf(chainOf(blocks, index)));
    return { block, file };
  });
  const program = ts.createProgram(
    files.map(({ file }) => file),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      outDir: folder,
      rootDir: folder,
    },
  );
  program.emit();
  return files.map(({ block, file }) => ({
    block,
    file: file.replace(/\.ts$/, ".js"),
    complaints: ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
  }));
}

/** A block after those of its page that it goes on from. */
function chainOf(blocks: readonly Block[], index: number): Block[] {
  const block = blocks[index] as Block;
  const before = blocks[index - 1];
  if (!block.goesOn) return [block];
  if (before?.page !== block.page) throw new Error(`${block.place} has nothing to go on from`);
  return [...chainOf(blocks, index - 1), block];
}
