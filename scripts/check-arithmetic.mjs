/**
 * Fails where a search or a fit calculates with functions whose last bits JavaScript leaves to the
 * engine, or draws from Math.random: fits and studies must have the same bits everywhere. Allowed are
 * + − × ÷, square roots and functions made of them (exp, log, atan, logGamma and Random of @ndvm/core,
 * and packages/search/src/evolve/arithmetic.ts).
 *
 *   Math.exp(x), Math.log(x) …   use exp, log … of @ndvm/core or evolve/arithmetic.ts
 *   Math.random()                use Random of @ndvm/core
 *   x ** y                       use power(x, y), or multiply; 2 ** 20 is exact everywhere
 *
 *   node scripts/check-arithmetic.mjs [root]
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
/** Rooms and files whose numbers decide what a study is. */
const PLACES = ["packages/search/src", "packages/core/src/fit"].map((name) => join(root, name));
/** Functions of Math that every engine rounds in the same way. */
const EXACT = new Set(
  "abs ceil floor round trunc sign min max sqrt fround imul clz32 PI E LN2 SQRT2 SQRT1_2".split(
    " ",
  ),
);

const files = PLACES.filter((place) => existsSync(place)).flatMap((place) =>
  statSync(place).isFile()
    ? [place]
    : readdirSync(place, { recursive: true })
        .map((name) => join(place, String(name)))
        .filter((name) => name.endsWith(".ts")),
);

/** 2 ** 20, 2 ** -46: both numbers are written out. */
const isPowerOfTwo = ({ left, right }) => left.getText() === "2" && /^-?\d+$/.test(right.getText());

const problems = [];
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const complain = (node, what) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    const where = relative(root, file).split(sep).join("/");
    problems.push(`${where}:${line + 1}: ${what}: its last bits differ between engines`);
  };
  const visit = (node) => {
    const isMath = ts.isIdentifier(node) && node.text === "Math";
    if (isMath && ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node) {
      const { name } = node.parent;
      if (!EXACT.has(name.text)) complain(node, `Math.${name.text}`);
    } else if (isMath) complain(node, "Math by another name");
    const isPower =
      ts.isBinaryExpression(node) &&
      [ts.SyntaxKind.AsteriskAsteriskToken, ts.SyntaxKind.AsteriskAsteriskEqualsToken].includes(
        node.operatorToken.kind,
      );
    if (isPower && !isPowerOfTwo(node)) complain(node, node.operatorToken.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} files calculate with what is the same everywhere`);
