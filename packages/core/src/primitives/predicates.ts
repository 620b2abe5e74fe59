/**
 * Numeric tests, element-wise over lanes: the result is a mask, all ones where the test holds. They
 * pass no gradient. The order of the arrays is the order of the op codes.
 */
import { definePredicate, type Param } from "./define.js";

const infinity = Number.POSITIVE_INFINITY;
const anything: Param = {
  fuzz: [-20, 20],
  edges: [0, -0, 1, -1, 2, -3, 0.5, 1e9, infinity, -infinity, Number.NaN],
};
const both = { x: anything, y: anything };
const chain: readonly [number, number] = [1, infinity];

export const unaryPredicates = [
  definePredicate({
    name: "isZero",
    scheme: "zero?",
    doc: "Is it 0?",
    params: { x: anything },
    forward: (k, { x }) => k.eq(x, k.num(0)),
  }),
  definePredicate({
    name: "isPositive",
    scheme: "positive?",
    doc: "Is it above 0?",
    params: { x: anything },
    forward: (k, { x }) => k.gt(x, k.num(0)),
  }),
  definePredicate({
    name: "isNegative",
    scheme: "negative?",
    doc: "Is it below 0?",
    params: { x: anything },
    forward: (k, { x }) => k.lt(x, k.num(0)),
  }),
  definePredicate({
    name: "isFinite",
    scheme: "finite?",
    doc: "Neither infinite nor NaN?",
    params: { x: anything },
    forward: (k, { x }) => k.lt(k.abs(x), k.num(infinity)),
  }),
  definePredicate({
    name: "isInfinite",
    scheme: "infinite?",
    doc: "Is it +∞ or −∞?",
    params: { x: anything },
    forward: (k, { x }) => k.eq(k.abs(x), k.num(infinity)),
  }),
  definePredicate({
    name: "isNan",
    scheme: "nan?",
    doc: "Is it NaN?",
    params: { x: anything },
    forward: (k, { x }) => k.ne(x, x),
  }),
  definePredicate({
    name: "isInteger",
    scheme: "integer?",
    doc: "Is it a finite number without a fraction?",
    params: { x: anything },
    forward: (k, { x }) => k.and(k.eq(k.floor(x), x), k.lt(k.abs(x), k.num(infinity))),
  }),
  definePredicate({
    name: "isEven",
    scheme: "even?",
    doc: "Is it an even integer?",
    domain: "The argument must be an integer.",
    params: { x: anything },
    forward: (k, { x }) => {
      const half = k.mul(x, k.num(0.5));
      const isInteger = k.and(k.eq(k.floor(x), x), k.lt(k.abs(x), k.num(infinity)));
      return k.and(isInteger, k.eq(k.floor(half), half));
    },
  }),
  definePredicate({
    name: "isOdd",
    scheme: "odd?",
    doc: "Is it an odd integer?",
    domain: "The argument must be an integer.",
    params: { x: anything },
    forward: (k, { x }) => {
      const half = k.mul(x, k.num(0.5));
      return k.and(k.eq(k.floor(x), x), k.ne(k.floor(half), half));
    },
  }),
] as const;

export const binaryPredicates = [
  definePredicate({
    name: "numEqual",
    scheme: "=",
    arity: chain,
    doc: "Are all arguments equal?",
    params: both,
    forward: (k, { x, y }) => k.eq(x, y),
  }),
  definePredicate({
    name: "less",
    scheme: "<",
    arity: chain,
    doc: "Is each argument below the next?",
    params: both,
    forward: (k, { x, y }) => k.lt(x, y),
  }),
  definePredicate({
    name: "greater",
    scheme: ">",
    arity: chain,
    doc: "Is each argument above the next?",
    params: both,
    forward: (k, { x, y }) => k.gt(x, y),
  }),
  definePredicate({
    name: "lessEqual",
    scheme: "<=",
    arity: chain,
    doc: "Is no argument above the next?",
    params: both,
    forward: (k, { x, y }) => k.le(x, y),
  }),
  definePredicate({
    name: "greaterEqual",
    scheme: ">=",
    arity: chain,
    doc: "Is no argument below the next?",
    params: both,
    forward: (k, { x, y }) => k.ge(x, y),
  }),
] as const;
