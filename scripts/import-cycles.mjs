/**
 * Cycles among the imports of a set of files. Types are erased before anything runs, so that files
 * which know each other by type alone are in no cycle.
 */
import { posix } from "node:path";
import ts from "typescript";

const isErased = (statement) => {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const clause = statement.importClause;
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
};

/** The files of `files` that a file imports for more than their types. */
function importedBy(file, text, files) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = [];
  for (const statement of source.statements) {
    const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement);
    if (!isImport || statement.moduleSpecifier === undefined || isErased(statement)) continue;
    const specifier = statement.moduleSpecifier.text;
    if (!specifier.startsWith(".")) continue;
    const path = posix.join(posix.dirname(file), specifier).replace(/\.(js|ts)$/, "");
    const target = [`${path}.ts`, `${path}.tsx`].find((name) => files.has(name));
    if (target !== undefined) found.push(target);
  }
  return found;
}

/** Sets of files that reach each other (Tarjan's algorithm), each in the order of their names. */
export function cyclesIn(texts) {
  const files = new Set(texts.keys());
  const order = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  const visit = (file) => {
    order.set(file, order.size);
    low.set(file, order.get(file));
    stack.push(file);
    for (const other of importedBy(file, texts.get(file), files)) {
      if (!order.has(other)) visit(other);
      if (stack.includes(other)) low.set(file, Math.min(low.get(file), low.get(other)));
    }
    if (low.get(file) !== order.get(file)) return;
    const members = stack.splice(stack.indexOf(file));
    if (members.length > 1) cycles.push(members.sort());
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return cycles;
}
