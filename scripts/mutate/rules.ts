/**
 * The kinds of bug, one rule each: a node in, replacements of text out.
 */
import ts from "typescript";

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

export interface FileFacts {
  readonly text: string;
  /** Members read of each owner (`this`, `Op`), in the order of the text. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

export type Rule = (node: ts.Node, facts: FileFacts) => readonly Edit[];

const replace = (node: ts.Node, after: string): Edit => ({
  start: node.getStart(),
  end: node.getEnd(),
  after,
});

/** Puts another operator between the same operands. */
function operatorRule(swaps: ReadonlyMap<string, readonly string[]>): Rule {
  return (node) => {
    if (!ts.isBinaryExpression(node)) return [];
    const others = swaps.get(node.operatorToken.getText()) ?? [];
    if (hasText(node.left) || hasText(node.right)) return [];
    return others.map((other) => replace(node.operatorToken, other));
  };
}

const hasText = (node: ts.Node): boolean =>
  ts.isStringLiteral(node) ||
  ts.isTemplateExpression(node) ||
  ts.isNoSubstitutionTemplateLiteral(node);

const boundary = operatorRule(
  new Map([
    ["<", ["<="]],
    ["<=", ["<"]],
    [">", [">="]],
    [">=", [">"]],
  ]),
);

const arithmetic = operatorRule(
  new Map([
    ["+", ["-"]],
    ["-", ["+"]],
    ["*", ["/"]],
    ["/", ["*"]],
    ["%", ["/"]],
    ["<<", [">>"]],
    [">>", ["<<"]],
    [">>>", ["<<"]],
    ["&", ["|"]],
    ["|", ["&"]],
    ["+=", ["-="]],
    ["-=", ["+="]],
  ]),
);

/** `x += y` that overwrites instead of adding. */
const overwrite = operatorRule(
  new Map(["+=", "-=", "*=", "|=", "&=", "??="].map((operator) => [operator, ["="]])),
);

const EQUALITY = new Map([
  ["===", "!=="],
  ["!==", "==="],
  ["==", "!="],
  ["!=", "=="],
]);

/** A condition turned round. Comparisons of size are left to `boundary`. */
const negated: Rule = (node) => {
  if (ts.isBinaryExpression(node)) {
    const other = EQUALITY.get(node.operatorToken.getText());
    return other === undefined ? [] : [replace(node.operatorToken, other)];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [replace(node, node.operand.getText())];
  }
  const condition = conditionOf(node);
  if (!condition || ts.isBinaryExpression(condition) || ts.isPrefixUnaryExpression(condition)) {
    return [];
  }
  return condition.kind === ts.SyntaxKind.TrueKeyword
    ? []
    : [replace(condition, `!(${condition.getText()})`)];
};

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  if (ts.isConditionalExpression(node)) return node.condition;
  return undefined;
}

/** `&&` for `||`, and one of the two conditions forgotten. */
const logic: Rule = (node) => {
  if (!ts.isBinaryExpression(node)) return [];
  const operator = node.operatorToken.getText();
  const [left, right] = [node.left.getText(), node.right.getText()];
  if (operator === "??") return [replace(node, right)];
  if (operator !== "&&" && operator !== "||") return [];
  const other = operator === "&&" ? "||" : "&&";
  return [replace(node.operatorToken, other), replace(node, left), replace(node, right)];
};

/** Whole numbers that are one too large, lengths and `x + 1` that are one too small. */
const offByOne: Rule = (node) => {
  if (ts.isNumericLiteral(node) && /^(0|[1-9]\d*)$/.test(node.getText())) {
    return isMemberName(node) ? [] : [replace(node, String(Number(node.text) + 1))];
  }
  if (ts.isBinaryExpression(node) && isOne(node.right) && /^[+-]$/.test(operatorOf(node))) {
    return [replace(node, node.left.getText())];
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === "length" && !isWritten(node)) {
    return [replace(node, `(${node.getText()} - 1)`)];
  }
  return [];
};

const operatorOf = (node: ts.BinaryExpression): string => node.operatorToken.getText();
const isOne = (node: ts.Node): boolean => ts.isNumericLiteral(node) && node.text === "1";
const isMemberName = (node: ts.Node): boolean =>
  (ts.isPropertyAssignment(node.parent) || ts.isEnumMember(node.parent)) &&
  node.parent.name === node;
const isWritten = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node.parent) &&
  node.parent.left === node &&
  node.parent.operatorToken.getText().endsWith("=") &&
  !EQUALITY.has(node.parent.operatorToken.getText());

const sign: Rule = (node) => {
  if (ts.isPrefixUnaryExpression(node)) {
    const operand = node.operand.getText();
    if (node.operator === ts.SyntaxKind.MinusToken) return [replace(node, operand)];
    if (node.operator === ts.SyntaxKind.PlusPlusToken) return [replace(node, `--${operand}`)];
    if (node.operator === ts.SyntaxKind.MinusMinusToken) return [replace(node, `++${operand}`)];
  }
  if (ts.isPostfixUnaryExpression(node) && !ts.isForStatement(node.parent)) {
    const other = node.operator === ts.SyntaxKind.PlusPlusToken ? "--" : "++";
    return [replace(node, `${node.operand.getText()}${other}`)];
  }
  return [];
};

const flag: Rule = (node) => {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replace(node, "false")];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [replace(node, "true")];
  return [];
};

/** An assignment, a call, a step of a counter, a `break` or a `continue` left out. */
const dropped: Rule = (node) => {
  if (ts.isExpressionStatement(node)) {
    const text = node.getText();
    return text.startsWith("super(") || hasText(node.expression) ? [] : [replace(node, ";")];
  }
  const isInLoop = !ts.isCaseOrDefaultClause(node.parent) && !ts.isSourceFile(node.parent);
  return (ts.isBreakStatement(node) || ts.isContinueStatement(node)) && isInLoop
    ? [replace(node, ";")]
    : [];
};

/** `if (…) return …;` and its like left out. */
const guard: Rule = (node) => {
  if (!ts.isIfStatement(node) || node.elseStatement) return [];
  const then = node.thenStatement;
  const only = ts.isBlock(then) && then.statements.length === 1 ? then.statements[0] : then;
  const leaves =
    only !== undefined &&
    (ts.isReturnStatement(only) ||
      ts.isThrowStatement(only) ||
      ts.isContinueStatement(only) ||
      ts.isBreakStatement(only));
  return leaves ? [replace(node, ";")] : [];
};

/** A procedure that returns before its last statement, a loop that ends after its first round. */
const early: Rule = (node) => {
  if (!ts.isBlock(node)) return [];
  const last = node.statements.at(-1);
  if (!last) return [];
  const { parent } = node;
  const start = last.getStart();
  const isProcedure =
    (ts.isFunctionDeclaration(parent) || ts.isMethodDeclaration(parent)) &&
    parent.type?.kind === ts.SyntaxKind.VoidKeyword;
  if (isProcedure && node.statements.length > 1) return [{ start, end: start, after: "return; " }];
  if (!ts.isIterationStatement(parent, false) || leaves(last)) return [];
  return [{ start: last.getEnd(), end: last.getEnd(), after: " break;" }];
};

const leaves = (node: ts.Statement): boolean =>
  ts.isReturnStatement(node) || ts.isBreakStatement(node) || ts.isThrowStatement(node);

const COMMUTATIVE = /(^|\.)(max|min|add|mul|and|or|xor|eq|ne|imul|hypot)$/;

/** Neighbouring arguments exchanged, or the first of two given twice. */
const argument: Rule = (node) => {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return [];
  const given = node.arguments ?? [];
  const edits: Edit[] = [];
  for (let index = 0; index + 1 < given.length; index++) {
    const [first, second] = [given[index], given[index + 1]];
    if (!first || !second || ts.isSpreadElement(first) || ts.isSpreadElement(second)) continue;
    if (isFunction(first) || isFunction(second) || hasText(first) || hasText(second)) continue;
    const [a, b] = [first.getText(), second.getText()];
    if (a === b) continue;
    const [start, end] = [first.getStart(), second.getEnd()];
    if (!COMMUTATIVE.test(node.expression.getText()))
      edits.push({ start, end, after: `${b}, ${a}` });
    edits.push(replace(second, a));
  }
  return edits;
};

const isFunction = (node: ts.Node): boolean =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node);

/** Neighbouring entries of an object that have each other's value. */
const entry: Rule = (node) => {
  if (!ts.isObjectLiteralExpression(node)) return [];
  const edits: Edit[] = [];
  for (let index = 0; index + 1 < node.properties.length; index++) {
    const [first, second] = [node.properties[index], node.properties[index + 1]];
    const [a, b] = [entryValue(first), entryValue(second)];
    if (!first || !second || a === undefined || b === undefined || a === b) continue;
    const after = `${first.name?.getText()}: ${b}, ${second.name?.getText()}: ${a}`;
    edits.push({ start: first.getStart(), end: second.getEnd(), after });
  }
  return edits;
};

function entryValue(property: ts.ObjectLiteralElementLike | undefined): string | undefined {
  if (property && ts.isShorthandPropertyAssignment(property)) return property.name.text;
  if (!property || !ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) {
    return undefined;
  }
  return isFunction(property.initializer) ? undefined : property.initializer.getText();
}

const isCallee = (node: ts.Node): boolean =>
  ts.isCallExpression(node.parent) && node.parent.expression === node;

/** Another member of the same owner: `this.#start` for `this.#end`, `Op.Sub` for `Op.Add`. */
const member: Rule = (node, { members }) => {
  if (!ts.isPropertyAccessExpression(node) || isCallee(node)) return [];
  const owner = node.expression.getText();
  if (owner !== "this" && !/^[A-Z]\w*$/.test(owner)) return [];
  const list = members.get(owner) ?? [];
  const at = list.indexOf(node.name.text);
  const other = list[(at + 1) % list.length];
  return at < 0 || other === undefined ? [] : [replace(node.name, other)];
};

const METHODS = new Map([
  ["max", "min"],
  ["min", "max"],
  ["some", "every"],
  ["every", "some"],
  ["ceil", "floor"],
  ["floor", "ceil"],
  ["unshift", "push"],
  ["shift", "pop"],
  ["pop", "shift"],
  ["add", "sub"],
  ["sub", "add"],
  ["mul", "add"],
  ["div", "mul"],
  ["lt", "le"],
  ["le", "lt"],
  ["gt", "ge"],
  ["ge", "gt"],
  ["eq", "ne"],
  ["ne", "eq"],
  ["and", "or"],
  ["or", "and"],
  ["andnot", "and"],
  ["any_true", "all_true"],
  ["all_true", "any_true"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["has", "delete"],
]);
const WITHOUT = new Set(["slice", "filter", "sort", "toSorted", "reverse", "trim", "concat"]);

/** A method that does nearly the same, or a step of a chain left out. */
const method: Rule = (node) => {
  if (!ts.isCallExpression(node)) return [];
  const called = node.expression;
  if (ts.isIdentifier(called)) {
    const other = called.text === "min" ? "max" : called.text === "max" ? "min" : undefined;
    return other === undefined ? [] : [replace(called, other)];
  }
  if (!ts.isPropertyAccessExpression(called)) return [];
  const name = called.name.text;
  if (WITHOUT.has(name)) return [replace(node, called.expression.getText())];
  const other = METHODS.get(name);
  return other === undefined ? [] : [replace(called.name, other)];
};

/** A copy that is none: `[...list]` as the list itself. */
const copy: Rule = (node) => {
  if (!ts.isArrayLiteralExpression(node) || node.elements.length !== 1) return [];
  const only = node.elements[0];
  return only && ts.isSpreadElement(only) ? [replace(node, only.expression.getText())] : [];
};

/** Every rule by the name that reports give it. */
export const describedRules: readonly (readonly [kind: string, rule: Rule])[] = [
  ["boundary", boundary],
  ["arithmetic", arithmetic],
  ["overwrite", overwrite],
  ["negated", negated],
  ["logic", logic],
  ["off by one", offByOne],
  ["sign", sign],
  ["flag", flag],
  ["dropped", dropped],
  ["guard", guard],
  ["early", early],
  ["argument", argument],
  ["entry", entry],
  ["member", member],
  ["method", method],
  ["copy", copy],
];
