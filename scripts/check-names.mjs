/**
 * Fails where a user's name is looked up in an object that may have a prototype: `constructor` and
 * `__proto__` are names like any other, and would find what nobody put there.
 *
 *   record[name]           read: use own(record, name), or ask Object.hasOwn(record, name) first
 *   record[name] = value   write: `record` must come from emptyRecord() or Object.create(null)
 *   { [name]: value }      the same as a write: use recordOf([[name, value]])
 *   { [name]: a } = record reads: use own(record, name)
 *   Reflect.get(record, name), Reflect.has, Reflect.set: the same as those
 *   Object.assign(a, record)   sets the prototype of `a` where there is a name __proto__
 *   record.hasOwnProperty(…)   is a number where somebody calls a column so
 *   Object.fromEntries(…)  makes an object with a prototype: use recordOf(…)
 *   name in record         asks the prototype too: use Object.hasOwn(record, name)
 *
 * A name is an expression of type string, also one that is called a key of a closed list (`name as
 * Key`); a key of a closed list ("lm" | "adam") or a number is none. A record is an object with an index
 * signature for strings. `Object.hasOwn` counts if the look-up is reached only where it holds.
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

/** An expression without brackets and without what is only said of its type. */
function bare(node) {
  let at = node;
  while (
    ts.isParenthesizedExpression(at) ||
    ts.isAsExpression(at) ||
    ts.isNonNullExpression(at) ||
    ts.isSatisfiesExpression(at)
  )
    at = at.expression;
  return at;
}

const partsOf = (type) => (type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type]);

/** What a type is at least: of a parameter of types what it extends. */
function leastOf(type) {
  const isOpen = (type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.IndexedAccess)) !== 0;
  return (isOpen && checker.getBaseConstraintOfType(type)) || type;
}

const NAMES = ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.StringMapping;

/** A string that is not one of a closed list, or anything at all; also if it is called one of a list. */
function isName(node) {
  return [node, bare(node)].some((one) =>
    partsOf(leastOf(checker.getTypeAtLocation(one))).some(
      ({ flags }) => (flags & (NAMES | ts.TypeFlags.Any)) !== 0,
    ),
  );
}

/** A name that is only called one of a closed list. */
const isCast = (node) => bare(node) !== node && isName(node);

/** An object with an index signature for strings, or one of which nothing is known. */
function isRecord(node) {
  const type = leastOf(checker.getNonNullableType(checker.getTypeAtLocation(node)));
  return partsOf(type).some(
    (part) =>
      (part.flags & ts.TypeFlags.Any) !== 0 ||
      checker.getIndexInfoOfType(part, ts.IndexKind.String) !== undefined,
  );
}

/** True where a test's outcome says that `Object.hasOwn(record, name)` holds. */
function isSaid(test, outcome, record, name) {
  const at = bare(test);
  if (ts.isPrefixUnaryExpression(at) && at.operator === ts.SyntaxKind.ExclamationToken)
    return isSaid(at.operand, !outcome, record, name);
  if (ts.isBinaryExpression(at)) {
    const joins = outcome ? ts.SyntaxKind.AmpersandAmpersandToken : ts.SyntaxKind.BarBarToken;
    const sides = at.operatorToken.kind === joins ? [at.left, at.right] : [];
    return sides.some((side) => isSaid(side, outcome, record, name));
  }
  if (!ts.isCallExpression(at) || at.expression.getText() !== "Object.hasOwn") return false;
  const [of, asked] = at.arguments.map((one) => bare(one).getText());
  return outcome && of === record && asked === name;
}

/** True where an expression is reached only if `Object.hasOwn(record, name)` holds. */
function isGuarded(node, record, name) {
  const said = (test, outcome) =>
    isSaid(test, outcome, bare(record).getText(), bare(name).getText());
  for (let at = node; at.parent !== undefined && !ts.isBlock(at.parent); at = at.parent) {
    const { parent } = at;
    if (ts.isConditionalExpression(parent) && at !== parent.condition) {
      if (said(parent.condition, at === parent.whenTrue)) return true;
    }
    if (ts.isIfStatement(parent) && at !== parent.expression) {
      if (said(parent.expression, at === parent.thenStatement)) return true;
    }
    if (!ts.isBinaryExpression(parent) || at !== parent.right) continue;
    const { kind } = parent.operatorToken;
    if (kind === ts.SyntaxKind.AmpersandAmpersandToken && said(parent.left, true)) return true;
    if (kind === ts.SyntaxKind.BarBarToken && said(parent.left, false)) return true;
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

/** True for a constant that was made without a prototype. */
function isMadeBare(node) {
  const declaration = checker.getSymbolAtLocation(bare(node))?.valueDeclaration;
  const { initializer } = declaration ?? {};
  if (initializer === undefined || !isConstant(declaration)) return false;
  const made = bare(initializer);
  if (!ts.isCallExpression(made)) return false;
  const callee = made.expression.getText();
  return (
    MAKERS.has(callee) || (callee === "Object.create" && made.arguments[0]?.getText() === "null")
  );
}

const isConstant = (declaration) =>
  ts.isVariableDeclaration(declaration)
    ? (declaration.parent.flags & ts.NodeFlags.Const) !== 0
    : (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Readonly) !== 0;

/** Methods that ask an object by a name, and whether they ask the prototype too. */
const REFLECTED = new Set(["Reflect.get", "Reflect.has", "Reflect.set"]);
/** Methods of every object: a record that holds a name like these has something else there. */
const INHERITED = new Set(["hasOwnProperty", "propertyIsEnumerable", "isPrototypeOf"]);

function problemOfCall(node) {
  const callee = node.expression.getText();
  const [record, name] = node.arguments;
  if (callee === "Object.fromEntries") return "make the record by recordOf(entries)";
  if (REFLECTED.has(callee) && name !== undefined && isName(name))
    return isGuarded(node, record, name) ? undefined : "read it by own(record, name)";
  if (callee === "Object.assign" && node.arguments.slice(1).some(isRecord) && !isMadeBare(record))
    return "__proto__ would set the prototype: make the record by recordOf(entries)";
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name: method } = node.expression;
  return INHERITED.has(method.text) && isRecord(expression)
    ? "ask Object.hasOwn(record, name)"
    : undefined;
}

function problemOf(node) {
  if (ts.isElementAccessExpression(node)) {
    const { expression: record, argumentExpression: name } = node;
    if (!isName(name) || !(isRecord(record) || isCast(name))) return undefined;
    if (isMadeBare(record)) return undefined;
    if (isAssigned(node)) return "make the record by emptyRecord() before names are written to it";
    return isGuarded(node, record, name) ? undefined : "read it by own(record, name)";
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword) {
    if (ts.isPrivateIdentifier(node.left)) return undefined;
    return isName(node.left) ? "ask Object.hasOwn(record, name)" : undefined;
  }
  if (ts.isComputedPropertyName(node) && isName(node.expression)) {
    if (ts.isBindingElement(node.parent)) return "read it by own(record, name)";
    return ts.isObjectLiteralExpression(node.parent.parent)
      ? "make the record by recordOf([[name, value]])"
      : undefined;
  }
  return ts.isCallExpression(node) ? problemOfCall(node) : undefined;
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
