/**
 * Fails on code that reads facts out of sentences: a search, a cut or a comparison in an error's
 * message or help. Errors carry facts (docs/design/0017-shared-formats.md); code reads those.
 *
 *   error.message.includes("busy")       refused, as are match, replace, split, slice, startsWith …
 *   /busy/.test(error.message)           refused
 *   error.message === "busy"             refused
 *   `${name}: ${error.message}`          fine: a sentence goes on as a whole
 *
 * A name counts as a sentence where it is called `message` or `help`, alone or as a property.
 *
 *   node scripts/check-messages.mjs [root]
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
const SENTENCES = new Set(["message", "help"]);
const CUTS = new Set([
  "at",
  "charAt",
  "charCodeAt",
  "codePointAt",
  "endsWith",
  "includes",
  "indexOf",
  "lastIndexOf",
  "localeCompare",
  "match",
  "matchAll",
  "replace",
  "replaceAll",
  "search",
  "slice",
  "split",
  "startsWith",
  "substring",
  "substr",
]);
const READERS = new Set(["exec", "test"]);
const COMPARISONS = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

const sourcesOf = (folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true })
        .map((name) => posix.join(folder, String(name).split(sep).join("/")))
        .filter((name) => name.endsWith(".ts") || name.endsWith(".tsx"))
    : [];

/** The expression inside parentheses, casts and defaults such as `(error.help ?? "")`. */
function inner(node) {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return inner(node.expression);
  const isDefault =
    ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
  if (isDefault) return inner(node.left);
  // A copy that is cut afterwards: error.message.trim().split(" ").
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return isSentence(inner(node.expression.expression)) ? inner(node.expression.expression) : node;
  return node;
}

function isSentence(node) {
  if (ts.isIdentifier(node)) return SENTENCES.has(node.text);
  if (ts.isPropertyAccessExpression(node)) return SENTENCES.has(node.name.text);
  return (
    ts.isElementAccessExpression(node) &&
    ts.isStringLiteralLike(node.argumentExpression) &&
    SENTENCES.has(node.argumentExpression.text)
  );
}

/** Messages between threads are compared, too, but as a whole and not as a property. */
const isProperty = (node) => !ts.isIdentifier(inner(node)) && isSentence(inner(node));
/** An empty text says only that there is no sentence. */
const isWords = (node) =>
  (ts.isStringLiteralLike(node) && node.text !== "") || isSentence(inner(node));

/** Why a node is refused; undefined where it is fine. */
function problemOf(node) {
  if (ts.isBinaryExpression(node) && COMPARISONS.has(node.operatorToken.kind)) {
    const { left, right } = node;
    const isCompared = isProperty(left) ? isWords(right) : isProperty(right) && isWords(left);
    return isCompared ? "compares a sentence" : undefined;
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression))
    return undefined;
  const { name, expression } = node.expression;
  if (CUTS.has(name.text) && isSentence(inner(expression)))
    return `takes a sentence apart by ${name.text}`;
  const isRead = READERS.has(name.text) && node.arguments.some((one) => isSentence(inner(one)));
  return isRead ? "searches in a sentence" : undefined;
}

function problemsIn(file) {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const problems = [];
  const visit = (node) => {
    const problem = problemOf(node);
    if (problem !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      problems.push(`${file}:${line + 1}: ${problem}: read the error's facts instead`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

const packages = existsSync(join(root, "packages")) ? readdirSync(join(root, "packages")) : [];
const files = packages.flatMap((name) => sourcesOf(posix.join("packages", name, "src")));
const problems = files.flatMap(problemsIn);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(
  `${files.length} files in ${relative(process.cwd(), root) || "."}, none reads a sentence`,
);
