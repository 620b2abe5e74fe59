/**
 * Closed forms: numbers, names, functions of them, and choices between them.
 */

export type Formula = NumberFormula | NameFormula | ApplyFormula | ChoiceFormula;

export interface NumberFormula {
  readonly kind: "number";
  readonly value: number;
  /** Whether it was written as an integer. */
  readonly exact: boolean;
}
export interface NameFormula {
  readonly kind: "name";
  readonly name: string;
}
/** `+ - * /` and `pow` have two operands, `neg` one, `min` and `max` two or more. */
export interface ApplyFormula {
  readonly kind: "apply";
  readonly op: string;
  readonly operands: readonly Formula[];
}
export interface ChoiceFormula {
  readonly kind: "choice";
  readonly test: Test;
  readonly yes: Formula;
  readonly no: Formula;
}

export type Comparison = "=" | "<" | ">" | "<=" | ">=";

export type Test =
  | {
      readonly kind: "compare";
      readonly op: Comparison;
      readonly left: Formula;
      readonly right: Formula;
    }
  | { readonly kind: "all" | "any"; readonly tests: readonly Test[] }
  | { readonly kind: "not"; readonly test: Test };

/** A closed form of a program: one formula, or one for each element of a vector. */
export interface ClosedForm {
  readonly formulas: readonly Formula[];
  readonly isVector: boolean;
  /** Names that occur, in the order of the program's inputs. */
  readonly names: readonly string[];
}

export const numberFormula = (value: number, exact = false): NumberFormula => ({
  kind: "number",
  value,
  exact,
});

/** Formulas and tests right below one. */
export function partsOf(of: Formula | Test): readonly (Formula | Test)[] {
  switch (of.kind) {
    case "apply":
      return of.operands;
    case "choice":
      return [of.test, of.yes, of.no];
    case "compare":
      return [of.left, of.right];
    case "all":
    case "any":
      return of.tests;
    case "not":
      return [of.test];
    default:
      return [];
  }
}

/** How many formulas a formula is made of, written out; shared parts count each time. */
export function sizeOf(formula: Formula | Test, known = new Map<object, number>()): number {
  const before = known.get(formula);
  if (before !== undefined) return before;
  let size = 1;
  for (const part of partsOf(formula)) size += sizeOf(part, known);
  known.set(formula, size);
  return size;
}

/** A formula without its sign, if it has one to give: −x, −2, −2·x. */
export function withoutSign(formula: Formula): Formula | undefined {
  if (formula.kind === "number")
    return formula.value < 0 ? { ...formula, value: -formula.value } : undefined;
  if (formula.kind !== "apply") return undefined;
  if (formula.op === "neg") return formula.operands[0];
  if (formula.op !== "*" && formula.op !== "/") return undefined;
  const [first, ...rest] = formula.operands as readonly [Formula, ...Formula[]];
  const positive = withoutSign(first);
  return positive && { ...formula, operands: [positive, ...rest] };
}

/** The same function as people write it: x·exp(u) for x/exp(−u), and x − 2 for −2 + x. */
export function asPeopleWrite(formula: Formula): Formula {
  if (formula.kind !== "apply") return formula;
  if (formula.op === "/") return withoutDecayBelow(formula);
  return formula.op === "+" ? withoutSignInFront(formula) : formula;
}

/** 1/exp(−u) is exp(u). */
function withoutDecayBelow(formula: ApplyFormula): Formula {
  const [above, below] = formula.operands as readonly [Formula, Formula];
  if (below.kind !== "apply" || below.op !== "exp") return formula;
  const positive = withoutSign(below.operands[0] as Formula);
  if (positive === undefined) return formula;
  const growth = { ...below, operands: [positive] };
  const isOne = above.kind === "number" && above.value === 1;
  return isOne ? growth : { ...formula, op: "*", operands: [above, growth] };
}

/** A sum keeps its order where both terms have a sign, or none. */
function withoutSignInFront(formula: ApplyFormula): Formula {
  const [first, second] = formula.operands as readonly [Formula, Formula];
  const positive = withoutSign(first);
  if (positive === undefined || withoutSign(second) !== undefined) return formula;
  return { ...formula, op: "-", operands: [second, positive] };
}
