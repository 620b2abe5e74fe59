/**
 * Finds every small bug that can be planted in a source file, with the TypeScript parser. The
 * machine's AssemblyScript has the same syntax, so one planter serves both.
 *
 * Each rule looks at one node and offers replacements of its text. Rules know nothing about types:
 * what does not compile afterwards is thrown out later. Left alone are types, imports, what is only
 * said in a thrown error, assertions, which builds leave out, and what a primitive's declaration says to
 * tests alone (`fuzz`, `edges`).
 */
import ts from "typescript";
import type { Mutant } from "./mutant.js";
import { describedRules, type Edit, type FileFacts, type Rule } from "./rules.js";

/** Every mutant of a file, in the order of its text. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);
  const facts = factsOf(source);
  const found: Mutant[] = [];
  const visit = (node: ts.Node, inside: string): void => {
    if (isLeftAlone(node)) return;
    const here = nameOf(node) ?? inside;
    for (const [kind, rule] of describedRules) {
      for (const edit of editsOf(rule, node, facts)) {
        found.push(mutantAt(source, file, here, kind, edit));
      }
    }
    ts.forEachChild(node, (child) => visit(child, here));
  };
  ts.forEachChild(source, (node) => visit(node, ""));
  return distinct(found).sort((a, b) => a.start - b.start || a.end - b.end);
}

function editsOf(rule: Rule, node: ts.Node, facts: FileFacts): readonly Edit[] {
  return rule(node, facts).filter(({ start, end, after }) => {
    return facts.text.slice(start, end) !== after;
  });
}

function mutantAt(
  source: ts.SourceFile,
  file: string,
  inside: string,
  kind: string,
  { start, end, after }: Edit,
): Mutant {
  const { line } = source.getLineAndCharacterOfPosition(start);
  const from = source.getPositionOfLineAndCharacter(line, 0);
  const lineText = source.text.slice(from).split("\n", 1)[0]?.trim() ?? "";
  const before = source.text.slice(start, end);
  return { file, inside, kind, line: line + 1, start, end, before, after, lineText };
}

/** Two rules may come to the same text; the first one keeps it. */
function distinct(mutants: readonly Mutant[]): Mutant[] {
  const byText = new Map<string, Mutant>();
  for (const mutant of mutants) {
    const key = `${mutant.start} ${mutant.end} ${mutant.after}`;
    if (!byText.has(key)) byText.set(key, mutant);
  }
  return [...byText.values()];
}

function isLeftAlone(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    return true;
  }
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isThrowStatement(node) || ts.isEnumDeclaration(node)) return true;
  if (ts.isPropertyAssignment(node) && /^(fuzz|edges)$/.test(node.name.getText())) return true;
  if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
    return node.expression.expression.getText() === "assert";
  }
  return false;
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.name?.getText();
  if (ts.isGetAccessor(node) || ts.isSetAccessor(node)) return node.name.getText();
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer)) {
    return node.name.getText();
  }
  return undefined;
}

/** Which members are read of `this` and of each capitalised name, in the order of the text. */
function factsOf(source: ts.SourceFile): FileFacts {
  const members = new Map<string, string[]>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && !isCalled(node)) {
      const owner = node.expression.getText();
      const list = members.get(owner) ?? [];
      members.set(owner, list);
      if (!list.includes(node.name.text)) list.push(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { text: source.text, members };
}

function isCalled(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && node.parent.expression === node;
}
