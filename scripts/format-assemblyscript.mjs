/**
 * Holds AssemblyScript (packages/core/wasm) to the format and the width of the rest.
 *
 *   node scripts/format-assemblyscript.mjs            writes files as the formatter has them
 *   node scripts/format-assemblyscript.mjs --check    writes nothing; exits 1 and names what differs
 *
 * The formatter reads TypeScript, and AssemblyScript differs from that in two ways that matter to it:
 * functions and variables have decorators, and `1.0` is another number than `1`. Both are put behind
 * comments and numbers of the same length while it works, so that lines break where they would.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const WIDTH = 100;
const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const args = process.argv.slice(2);
const isCheck = args.includes("--check");
const root = resolve(args.find((arg) => !arg.startsWith("--")) ?? home);
const folder = join(root, "packages/core/wasm");

/** What is generated has its own form. */
const isOwn = (name) =>
  name.endsWith(".ts") && !name.startsWith("generated/") && !name.endsWith("/layout.ts");

/** A whole number of `length` digits that stands nowhere in the text, nor for anything else. */
function standIn(length, text, taken) {
  const least = 10 ** Math.min(length - 1, 6);
  for (let number = least; number < 10 * least; number++) {
    const digits = String(number).padEnd(length, "7");
    if (!taken.has(digits) && !text.includes(digits)) return digits;
  }
  throw new Error(`no number of ${length} digits is left to stand for another`);
}

/** A comment as long as a decorator, which a formatter leaves where it is. */
const commentFor = (decorator) => `/*${decorator.slice(1, -3)}*/`;

/** The text with everything hidden that the formatter would misread, and how to bring it back. */
function hide(text) {
  const source = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
  const shown = new Map();
  const edits = [];
  const stands = new Map();
  const visit = (node) => {
    if (ts.isNumericLiteral(node) && node.getText().includes(".")) {
      const number = node.getText();
      const by = stands.get(number) ?? standIn(number.length, text, shown);
      stands.set(number, by);
      shown.set(by, number);
      edits.push([node.getStart(), node.getEnd(), by]);
    }
    if (ts.isFunctionDeclaration(node) || ts.isVariableStatement(node))
      for (const each of (node.modifiers ?? []).filter(ts.isDecorator)) {
        const by = commentFor(each.getText());
        shown.set(by, each.getText());
        edits.push([each.getStart(), each.getEnd(), by]);
      }
    ts.forEachChild(node, visit);
  };
  visit(source);
  let hidden = text;
  for (const [from, to, by] of edits.sort((a, b) => b[0] - a[0]))
    hidden = hidden.slice(0, from) + by + hidden.slice(to);
  // Whole numbers and whole comments: one stand-in may lie inside another.
  const show = (formatted) =>
    formatted.replace(/\b\d+\b|\/\*\w+\*\//g, (by) => shown.get(by) ?? by);
  return { hidden, show };
}

function formatAll(texts) {
  const place = mkdtempSync(join(tmpdir(), "ndvm-format-"));
  try {
    const { formatter } = JSON.parse(readFileSync(join(home, "biome.json"), "utf8"));
    const config = { root: true, formatter, linter: { enabled: false } };
    writeFileSync(join(place, "biome.json"), JSON.stringify(config));
    const hidden = new Map();
    for (const [name, text] of texts) {
      hidden.set(name, hide(text));
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), hidden.get(name).hidden);
    }
    const biome = join(home, "node_modules/@biomejs/biome/bin/biome");
    const run = spawnSync(process.execPath, [biome, "check", "--write", "."], {
      cwd: place,
      encoding: "utf8",
    });
    if (run.status !== 0) throw new Error(run.stderr + run.stdout);
    return new Map(
      [...hidden].map(([name, { show }]) => [name, show(readFileSync(join(place, name), "utf8"))]),
    );
  } finally {
    rmSync(place, { recursive: true });
  }
}

const names = readdirSync(folder, { recursive: true })
  .map((name) => String(name).replaceAll("\\", "/"))
  .filter(isOwn)
  .sort();
const texts = new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
const formatted = formatAll(texts);
const problems = [];
for (const [name, text] of formatted) {
  const path = `packages/core/wasm/${name}`;
  if (text !== texts.get(name)) {
    if (isCheck) problems.push(`${path} is not formatted`);
    else writeFileSync(join(folder, name), text);
  }
  text.split("\n").forEach((line, i) => {
    if (line.length > WIDTH) problems.push(`${path}:${i + 1}: ${line.length} columns`);
  });
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  if (isCheck) console.error("run `node scripts/format-assemblyscript.mjs`");
  process.exit(1);
}
console.log(`${names.length} files of AssemblyScript have the format of the rest`);
