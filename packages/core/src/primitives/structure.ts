/**
 * Primitives that touch no payload: lists, tests of type, equality, and the shapes of vectors and
 * matrices. The machine implements them; here are their names, arities and documentation.
 */
import { defineStructural } from "./define.js";

const variadic = Number.POSITIVE_INFINITY;

export const structuralPrimitives = [
  defineStructural({
    name: "vec",
    group: "vectors",
    arity: [0, variadic],
    doc: "A vector of its arguments; `[a b c]` reads as `(vec a b c)`.",
  }),
  defineStructural({
    name: "mat",
    group: "vectors",
    arity: [1, variadic],
    doc: "A matrix whose rows are the argument vectors.",
  }),
  defineStructural({
    name: "ref",
    group: "vectors",
    arity: [2, 3],
    doc: "`(ref v i)` is element i of a vector, `(ref M i)` row i of a matrix, `(ref M i j)` one of its elements; indices count from 0.",
  }),
  defineStructural({ name: "vlen", group: "vectors", doc: "The length of a vector." }),
  defineStructural({ name: "rows", group: "vectors", doc: "How many rows a matrix has." }),
  defineStructural({ name: "cols", group: "vectors", doc: "How many columns a matrix has." }),
  defineStructural({ name: "eye", group: "vectors", doc: "The identity matrix of size n." }),
  defineStructural({
    name: "zeros",
    group: "vectors",
    arity: [1, 2],
    doc: "`(zeros n)` is a vector, `(zeros rows cols)` a matrix of zeros.",
  }),
  defineStructural({
    name: "ones",
    group: "vectors",
    arity: [1, 2],
    doc: "`(ones n)` is a vector, `(ones rows cols)` a matrix of ones.",
  }),
  defineStructural({ name: "cons", arity: [2, 2], doc: "A new pair." }),
  defineStructural({ name: "car", doc: "The first part of a pair." }),
  defineStructural({ name: "cdr", doc: "The second part of a pair." }),
  defineStructural({ name: "list", arity: [0, variadic], doc: "A list of its arguments." }),
  defineStructural({ name: "isList", scheme: "list?", doc: "Is it a proper list?" }),
  defineStructural({ name: "length", doc: "The length of a list." }),
  defineStructural({
    name: "append",
    arity: [0, variadic],
    doc: "The lists one after the other; the last argument is shared, not copied.",
  }),
  defineStructural({ name: "reverse", doc: "The list in reverse order." }),
  defineStructural({
    name: "listRef",
    scheme: "list-ref",
    arity: [2, 2],
    doc: "Element k of a list, counted from 0.",
  }),
  defineStructural({
    name: "listTail",
    scheme: "list-tail",
    arity: [2, 2],
    doc: "The list without its first k elements.",
  }),
  defineStructural({ name: "listCopy", scheme: "list-copy", doc: "A copy of the list." }),
  defineStructural({
    name: "memq",
    arity: [2, 2],
    doc: "The part of a list that starts with the object, by `eq?`; `#f` if none.",
  }),
  defineStructural({ name: "memv", arity: [2, 2], doc: "As `memq`, by `eqv?`." }),
  defineStructural({ name: "member", arity: [2, 2], doc: "As `memq`, by `equal?`." }),
  defineStructural({
    name: "assq",
    arity: [2, 2],
    doc: "The first pair of an association list whose car is the key, by `eq?`; `#f` if none.",
  }),
  defineStructural({ name: "assv", arity: [2, 2], doc: "As `assq`, by `eqv?`." }),
  defineStructural({ name: "assoc", arity: [2, 2], doc: "As `assq`, by `equal?`." }),
  defineStructural({
    name: "apply",
    arity: [2, variadic],
    doc: "Calls a procedure with the given arguments followed by the elements of the last one, a list.",
  }),
  defineStructural({ name: "isNull", scheme: "null?", doc: "Is it the empty list?" }),
  defineStructural({ name: "isPair", scheme: "pair?", doc: "Is it a pair?" }),
  defineStructural({ name: "isSymbol", scheme: "symbol?", doc: "Is it a symbol?" }),
  defineStructural({ name: "isBoolean", scheme: "boolean?", doc: "Is it `#t` or `#f`?" }),
  defineStructural({ name: "isProcedure", scheme: "procedure?", doc: "Can it be called?" }),
  defineStructural({
    name: "isNumber",
    scheme: "number?",
    group: "numbers",
    doc: "Is it a number? Vectors and matrices are none.",
  }),
  defineStructural({
    name: "isReal",
    scheme: "real?",
    group: "numbers",
    doc: "As `number?`: every number is real.",
  }),
  defineStructural({ name: "not", doc: "`#t` for `#f`, else `#f`." }),
  defineStructural({
    name: "isEq",
    scheme: "eq?",
    arity: [2, 2],
    doc: "As `eqv?`.",
  }),
  defineStructural({
    name: "isEqv",
    scheme: "eqv?",
    arity: [2, 2],
    doc: "The same object, or equal numbers, vectors or matrices: those compare by value.",
  }),
  defineStructural({
    name: "isEqual",
    scheme: "equal?",
    arity: [2, 2],
    doc: "The same structure with `eqv?` leaves.",
  }),
] as const;

/** Procedures that the expander's prelude defines in the language itself; for the manual only. */
export const documentedElsewhere: readonly {
  readonly scheme: string;
  readonly arity: readonly [number, number];
  readonly doc: string;
}[] = [
  {
    scheme: "c[ad]{2,4}r",
    arity: [1, 1],
    doc: "`cadr`, `cddr`, `caddr` …: chains of car and cdr.",
  },
  {
    scheme: "map",
    arity: [2, variadic],
    doc: "The list of the procedure's results on the elements; with several lists, as long as the shortest.",
  },
  { scheme: "filter", arity: [2, 2], doc: "The elements for which the test holds." },
  {
    scheme: "fold-left",
    arity: [3, variadic],
    doc: "`(fold-left f init list)`: f takes the result so far, then the element.",
  },
  {
    scheme: "fold-right",
    arity: [3, variadic],
    doc: "`(fold-right f init list)`: from the right; f takes the element, then the result so far.",
  },
  {
    scheme: "reduce",
    arity: [3, 3],
    doc: "`(reduce f default list)`: f takes the element, then the result so far; `default` is the value of the empty list.",
  },
];
