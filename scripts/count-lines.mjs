/**
 * Prints how many lines of code each client of the machine has, and how many all clients share.
 * Blank lines and comments do not count, nor does what is generated.
 *
 *   npm run lines
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const core = fileURLToPath(new URL("../packages/core", import.meta.url));

/** Files of Scheme's rooms that every client uses: formats, and how values are written. */
const notation = [
  "src/program/parsed-program.ts",
  "src/syntax/characters.ts",
  "src/syntax/datum.ts",
  "src/syntax/format-error.ts",
  "src/syntax/number-text.ts",
  "src/syntax/position.ts",
  "src/syntax/print.ts",
];

/** Files that are generated outside of the folders of that name. */
const GENERATED = /^(layout|structures)\.ts$/;

/** Every .ts file below a folder, or the file itself, but for what is generated. */
function filesOf(path) {
  if (statSync(join(core, path)).isFile()) return [path];
  return readdirSync(join(core, path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return entry.name === "generated" ? [] : filesOf(`${path}/${entry.name}`);
    const isWritten = entry.name.endsWith(".ts") && !GENERATED.test(entry.name);
    return isWritten ? [`${path}/${entry.name}`] : [];
  });
}

/** Lines that hold more than space and comments. */
function linesOf(file) {
  const text = readFileSync(join(core, file), "utf8");
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
  const lines = new Set();
  const lineStarts = ts.computeLineStarts(text);
  const lineAt = (position) => ts.computeLineAndCharacterOfPosition(lineStarts, position).line;
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    const last = lineAt(scanner.getTokenEnd());
    for (let line = lineAt(scanner.getTokenStart()); line <= last; line++) lines.add(line);
  }
  return lines.size;
}

const isIn = (folders) => (file) => folders.some((folder) => file.startsWith(`${folder}/`));
const isScheme = (file) => isIn(["src/syntax", "src/program"])(file) && !notation.includes(file);
const wasm = filesOf("wasm");
const parts = [
  ["shared, WebAssembly", wasm.filter((file) => !isIn(["wasm/clients"])(file))],
  [
    "shared, TypeScript",
    [...filesOf("src/machine"), ...notation, "src/errors.ts", "src/nearest.ts"],
  ],
  ["Scheme, evaluator", filesOf("wasm/clients/scheme")],
  [
    "Scheme, reader to encoder",
    [...filesOf("src/syntax"), ...filesOf("src/program")].filter(isScheme),
  ],
  ["stack machine, evaluator", filesOf("wasm/clients/stack")],
  ["stack machine, assembler to encoder", filesOf("src/bytecode")],
];

for (const [name, files] of parts) {
  const total = files.reduce((sum, file) => sum + linesOf(file), 0);
  console.log(`${name.padEnd(36)} ${String(total).padStart(6)} lines in ${files.length} files`);
}
