/**
 * Fails where a user's name is looked up in an object that may have a prototype: `constructor` and
 * `__proto__` are names like any other, and would find what nobody put there.
 *
 *   record[name]           read: use own(record, name), or ask Object.hasOwn(record, name) first
 *   record[name] = value   write: `record` must come from emptyRecord() or Object.create(null)
 *   { [name]: value }      the same as a write: use recordOf([[name, value]])
 *   Object.fromEntries(…)  makes an object with a prototype: use recordOf(…)
 *   name in record         asks the prototype too: use Object.hasOwn(record, name)
 *
 * A name is an expression of type string; a key of a closed list ("lm" | "adam") or a number is
 * none. A record is an object with an index signature for strings.
 *
 *   node scripts/check-names.mjs [root]
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
/** Where the helpers are made. */
const HELPERS = new Set(["packages/core/src/records.ts", "packages/core/src/fit/data/fields.ts"]);
const MAKERS = new Set(["emptyRecord", "recordOf", "smallRecord"]);

const files = existsSync(join(root, "packages"))
  ? readdirSync(join(root, "packages")).flatMap((name) => {
      const folder = join(root, "packages", name, "src");
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true })
        .map((file) => join(folder, String(file)))
        .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"));
    })
  : [];

const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
  types: existsSync(join(root, "node_modules/@types/node")) ? ["node"] : [],
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
});
const checker = program.getTypeChecker();

/** A string that is not one of a closed list. */
function isName(node) {
  const type = checker.getTypeAtLocation(node);
  const parts = type.isUnion() ? type.types : [type];
  return parts.some((part) => (part.flags & ts.TypeFlags.String) !== 0 || constraintIsString(part));
}

function constraintIsString(type) {
  if ((type.flags & ts.TypeFlags.TypeParameter) === 0) return false;
  const constraint = type.getConstraint();
  return constraint !== undefined && (constraint.flags & ts.TypeFlags.String) !== 0;
}

/** An object with an index signature for strings, or one that a string may index by force. */
function isRecord(node) {
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  const parts = type.isUnion() ? type.types : [type];
  return parts.some((part) => checker.getIndexInfoOfType(part, ts.IndexKind.String) !== undefined);
}

/** True where `Object.hasOwn(record, name)` was asked in the same expression. */
function isGuarded(node) {
  const wanted = `Object.hasOwn(${node.expression.getText()}, ${node.argumentExpression.getText()})`;
  for (let at = node.parent; at !== undefined && !ts.isBlock(at); at = at.parent) {
    const test = ts.isConditionalExpression(at)
      ? at.condition
      : ts.isBinaryExpression(at)
        ? at.left
        : undefined;
    if (test?.getText().includes(wanted)) return true;
  }
  return false;
}

const isAssigned = (node) => {
  const { parent } = node;
  if (ts.isBinaryExpression(parent) && parent.left === node) {
    const kind = parent.operatorToken.kind;
    return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
  }
  return ts.isDeleteExpression(parent);
};

/** True for a variable that was made without a prototype. */
function isMadeBare(node) {
  const symbol = checker.getSymbolAtLocation(node);
  const declaration = symbol?.valueDeclaration;
  const initializer = declaration?.initializer;
  if (initializer === undefined) return false;
  const made = ts.isAsExpression(initializer) ? initializer.expression : initializer;
  if (!ts.isCallExpression(made)) return false;
  const callee = made.expression.getText();
  return (
    MAKERS.has(callee) || (callee === "Object.create" && made.arguments[0]?.getText() === "null")
  );
}

function problemOf(node) {
  if (ts.isElementAccessExpression(node)) {
    if (!isName(node.argumentExpression) || !isRecord(node.expression)) return undefined;
    if (isMadeBare(node.expression)) return undefined;
    if (isAssigned(node)) return "make the record by emptyRecord() before names are written to it";
    return isGuarded(node) ? undefined : "read it by own(record, name)";
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    if (ts.isPrivateIdentifier(node.left)) return undefined;
    return isName(node.left) ? "ask Object.hasOwn(record, name)" : undefined;
  }
  if (ts.isComputedPropertyName(node) && ts.isPropertyAssignment(node.parent)) {
    return isName(node.expression) ? "make the record by recordOf([[name, value]])" : undefined;
  }
  if (ts.isCallExpression(node) && node.expression.getText() === "Object.fromEntries") {
    return "make the record by recordOf(entries)";
  }
  return undefined;
}

let count = 0;
const problems = [];
for (const file of files) {
  const source = program.getSourceFile(file);
  const name = relative(root, file).split(sep).join("/");
  if (source === undefined || HELPERS.has(name)) continue;
  const visit = (node) => {
    if (ts.isElementAccessExpression(node)) count += 1;
    const reason = problemOf(node);
    if (reason !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      problems.push(`${name}:${line + 1}: ${node.getText().split("\n")[0]}: ${reason}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
const where = relative(process.cwd(), root) || ".";
console.log(`${count} look-ups in ${where}, none of a name in an object with a prototype`);
