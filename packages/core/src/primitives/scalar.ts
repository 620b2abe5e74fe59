/**
 * Element-wise primitives, each declared once. Forward and adjoint are written over the algebra `k`
 * (algebra.ts), so these lines are the reference, the SIMD kernels and the formulas of the manual.
 * In formulas g is the adjoint of the result, z the result, x and y the operands.
 *
 * Invariants: an adjoint that would be 0·∞ where it must be 0 uses `andMask`, never a product with
 * 0. What an adjoint adds to one operand depends on no other operand being active.
 * The order of the arrays is the order of the op codes.
 */
import type { Algebra } from "./algebra.js";
import { definePrimitive, type Param } from "./define.js";

const infinity = Number.POSITIVE_INFINITY;
const variadic = infinity;
const anything: Param = {
  fuzz: [-20, 20],
  edges: [0, -0, 1, -1, 0.5, infinity, -infinity, Number.NaN],
};
const moderate: Param = { fuzz: [-3, 3], edges: [0, -0, 1, -1, infinity, -infinity, Number.NaN] };
const nonZero: Param = { fuzz: [0.2, 20], edges: [1, -1, 0, -0, infinity, Number.NaN] };
const integers: Param = { fuzz: [-40, 40], edges: [0, 1, -1, 2, -7, 12, 4096] };
const inUnit: Param = { fuzz: [-0.95, 0.95], edges: [0, 0.5, -0.5, 1, -1, 1.5, Number.NaN] };

export const neg = definePrimitive({
  name: "neg",
  scheme: null,
  doc: "The negative; `-` with one argument.",
  params: { x: anything },
  forward: (k, { x }) => k.neg(x),
  adjoint: (k, { g }) => ({ x: k.neg(g) }),
});

export const abs = definePrimitive({
  name: "abs",
  doc: "Absolute value.",
  domain: "The gradient at 0 is 0.",
  params: { x: anything },
  forward: (k, { x }) => k.abs(x),
  adjoint: (k, { g, x }) => ({
    x: k.andMask(k.select(k.lt(x, k.num(0)), k.neg(g), g), k.ne(x, k.num(0))),
  }),
});

export const floor = definePrimitive({
  name: "floor",
  doc: "The largest integer not above x.",
  params: { x: anything },
  forward: (k, { x }) => k.floor(x),
  adjoint: "none",
});

export const ceiling = definePrimitive({
  name: "ceiling",
  doc: "The smallest integer not below x.",
  params: { x: anything },
  forward: (k, { x }) => k.ceil(x),
  adjoint: "none",
});

export const round = definePrimitive({
  name: "round",
  doc: "The nearest integer, ties to even.",
  params: { x: { ...anything, edges: [...anything.edges, 1.5, 2.5, -0.5, -1.5] } },
  forward: (k, { x }) => k.nearest(x),
  adjoint: "none",
});

export const truncate = definePrimitive({
  name: "truncate",
  doc: "The integer part, towards 0.",
  params: { x: anything },
  forward: (k, { x }) => k.trunc(x),
  adjoint: "none",
});

export const square = definePrimitive({
  name: "square",
  doc: "x times x.",
  params: { x: anything },
  forward: (k, { x }) => k.mul(x, x),
  adjoint: (k, { g, x }) => ({ x: k.mul(g, k.add(x, x)) }),
});

export const sqrt = definePrimitive({
  name: "sqrt",
  doc: "Square root.",
  domain: "NaN below 0.",
  params: { x: { atLeast: 1e-8, fuzz: [0.05, 20], edges: [0, 1e-8, -1, infinity, Number.NaN] } },
  forward: (k, { x }) => k.sqrt(x),
  adjoint: (k, { g, z }) => ({ x: k.div(k.mul(k.num(0.5), g), z) }),
});

export const exp = definePrimitive({
  name: "exp",
  doc: "The exponential function.",
  params: { x: { ...moderate, edges: [...moderate.edges, 800, -800] } },
  forward: (k, { x }) => k.exp(x),
  adjoint: (k, { g, z }) => ({ x: k.mul(g, z) }),
});

export const log = definePrimitive({
  name: "log",
  arity: [1, 2],
  doc: "Natural logarithm; `(log x b)` to base b.",
  domain: "NaN below 0, −∞ at 0.",
  params: { x: { atLeast: 1e-8, fuzz: [0.05, 20], edges: [1, 0, 1e-8, -1, infinity, Number.NaN] } },
  forward: (k, { x }) => k.log(x),
  adjoint: (k, { g, x }) => ({ x: k.div(g, x) }),
});

export const sin = definePrimitive({
  name: "sin",
  doc: "Sine, in radians.",
  params: { x: anything },
  forward: (k, { x }) => k.sin(x),
  adjoint: (k, { g, x }) => ({ x: k.mul(g, k.cos(x)) }),
});

export const cos = definePrimitive({
  name: "cos",
  doc: "Cosine, in radians.",
  params: { x: anything },
  forward: (k, { x }) => k.cos(x),
  adjoint: (k, { g, x }) => ({ x: k.neg(k.mul(g, k.sin(x))) }),
});

export const tan = definePrimitive({
  name: "tan",
  doc: "Tangent, in radians.",
  params: { x: { fuzz: [-1.4, 1.4], edges: [0, -0, 1, infinity, Number.NaN] } },
  forward: (k, { x }) => k.tan(x),
  adjoint: (k, { g, z }) => ({ x: k.mul(g, k.add(k.num(1), k.mul(z, z))) }),
});

export const asin = definePrimitive({
  name: "asin",
  doc: "Arc sine, in radians.",
  domain: "NaN outside [−1, 1].",
  params: { x: inUnit },
  forward: (k, { x }) => k.asin(x),
  adjoint: (k, { g, x }) => {
    const one = k.num(1);
    return { x: k.div(g, k.sqrt(k.mul(k.sub(one, x), k.add(one, x)))) };
  },
});

export const acos = definePrimitive({
  name: "acos",
  doc: "Arc cosine, in radians.",
  domain: "NaN outside [−1, 1].",
  params: { x: inUnit },
  forward: (k, { x }) => k.acos(x),
  adjoint: (k, { g, x }) => {
    const one = k.num(1);
    return { x: k.neg(k.div(g, k.sqrt(k.mul(k.sub(one, x), k.add(one, x))))) };
  },
});

export const atan = definePrimitive({
  name: "atan",
  arity: [1, 2],
  doc: "Arc tangent, in radians; `(atan y x)` is the angle of the point (x, y).",
  params: { x: anything },
  forward: (k, { x }) => k.atan(x),
  adjoint: (k, { g, x }) => ({ x: k.div(g, k.add(k.num(1), k.mul(x, x))) }),
});

export const sinh = definePrimitive({
  name: "sinh",
  doc: "Hyperbolic sine.",
  params: { x: moderate },
  forward: (k, { x }) => k.sinh(x),
  adjoint: (k, { g, x }) => ({ x: k.mul(g, k.cosh(x)) }),
});

export const cosh = definePrimitive({
  name: "cosh",
  doc: "Hyperbolic cosine.",
  params: { x: moderate },
  forward: (k, { x }) => k.cosh(x),
  adjoint: (k, { g, x }) => ({ x: k.mul(g, k.sinh(x)) }),
});

export const tanh = definePrimitive({
  name: "tanh",
  doc: "Hyperbolic tangent.",
  params: { x: moderate },
  forward: (k, { x }) => k.tanh(x),
  adjoint: (k, { g, z }) => ({ x: k.mul(g, k.sub(k.num(1), k.mul(z, z))) }),
});

export const log1p = definePrimitive({
  name: "log1p",
  doc: "log(1 + x), accurate near 0.",
  domain: "NaN below −1, −∞ at −1.",
  params: { x: { fuzz: [-0.9, 10], edges: [0, -0, 1e-12, -1, -2, infinity, Number.NaN] } },
  forward: (k, { x }) => k.log1p(x),
  adjoint: (k, { g, x }) => ({ x: k.div(g, k.add(k.num(1), x)) }),
});

export const expm1 = definePrimitive({
  name: "expm1",
  doc: "exp(x) − 1, accurate near 0.",
  params: { x: { ...moderate, edges: [...moderate.edges, 1e-12] } },
  forward: (k, { x }) => k.expm1(x),
  adjoint: (k, { g, z }) => ({ x: k.mul(g, k.add(z, k.num(1))) }),
});

export const sigmoid = definePrimitive({
  name: "sigmoid",
  doc: "The logistic function 1/(1 + exp(−x)).",
  params: { x: { ...moderate, edges: [...moderate.edges, 100, -100] } },
  forward: (k, { x }) => k.sigmoid(x),
  adjoint: (k, { g, z }) => ({ x: k.mul(g, k.mul(z, k.sub(k.num(1), z))) }),
});

export const softplus = definePrimitive({
  name: "softplus",
  doc: "log(1 + exp(x)), without overflow.",
  params: { x: { ...moderate, edges: [...moderate.edges, 1000, -1000] } },
  forward: (k, { x }) => k.softplus(x),
  adjoint: (k, { g, x }) => ({ x: k.mul(g, k.sigmoid(x)) }),
});

export const erf = definePrimitive({
  name: "erf",
  doc: "The error function.",
  params: { x: moderate },
  forward: (k, { x }) => k.erf(x),
  adjoint: (k, { g, x }) => ({
    x: k.mul(g, k.mul(k.num(2 / Math.sqrt(Math.PI)), k.exp(k.neg(k.mul(x, x))))),
  }),
});

export const lgamma = definePrimitive({
  name: "lgamma",
  doc: "The logarithm of the gamma function's absolute value.",
  domain: "Infinite at 0 and the negative integers.",
  params: { x: { fuzz: [0.1, 20], edges: [1, 2, 0.5, infinity, Number.NaN] } },
  forward: (k, { x }) => k.lgamma(x),
  adjoint: (k, { g, x }) => ({ x: k.mul(g, k.digamma(x)) }),
});

export const exact = definePrimitive({
  name: "exact",
  doc: "The number itself: integers are a representation, and there are no rationals.",
  params: { x: anything },
  forward: (_, { x }) => x,
  adjoint: (_, { g }) => ({ x: g }),
});

export const inexact = definePrimitive({
  name: "inexact",
  doc: "The number itself: integers are a representation, and there are no rationals.",
  params: { x: anything },
  forward: (_, { x }) => x,
  adjoint: (_, { g }) => ({ x: g }),
});

export const copy = definePrimitive({
  name: "copy",
  scheme: null,
  doc: "The identity record of a payload that leaves a branch.",
  params: { x: anything },
  forward: (_, { x }) => x,
  adjoint: (_, { g }) => ({ x: g }),
});

export const add = definePrimitive({
  name: "add",
  scheme: "+",
  arity: [0, variadic],
  doc: "Sum, from the left; `(+)` is 0.",
  params: { x: anything, y: anything },
  forward: (k, { x, y }) => k.add(x, y),
  adjoint: (_, { g }) => ({ x: g, y: g }),
});

export const sub = definePrimitive({
  name: "sub",
  scheme: "-",
  arity: [1, variadic],
  doc: "Difference, from the left; `(- x)` is the negative.",
  params: { x: anything, y: anything },
  forward: (k, { x, y }) => k.sub(x, y),
  adjoint: (k, { g }) => ({ x: g, y: k.neg(g) }),
});

export const mul = definePrimitive({
  name: "mul",
  scheme: "*",
  arity: [0, variadic],
  doc: "Product, from the left and element by element; `(*)` is 1.",
  params: { x: anything, y: anything },
  forward: (k, { x, y }) => k.mul(x, y),
  adjoint: (k, { g, x, y }) => ({ x: k.mul(g, y), y: k.mul(g, x) }),
});

export const div = definePrimitive({
  name: "div",
  scheme: "/",
  arity: [1, variadic],
  doc: "Quotient, from the left; `(/ x)` is 1/x; `(/ 1 2)` is 0.5.",
  domain: "Infinite or NaN where y is 0, and reported.",
  params: { x: anything, y: nonZero },
  forward: (k, { x, y }) => k.div(x, y),
  adjoint: (k, { g, y, z }) => {
    const slope = k.div(g, y);
    return { x: slope, y: k.neg(k.mul(slope, z)) };
  },
});

export const min = definePrimitive({
  name: "min",
  arity: [1, variadic],
  doc: "The smallest argument; NaN if any is NaN.",
  domain: "The gradient goes to the realised argument, the first on a tie.",
  params: { x: anything, y: anything },
  forward: (k, { x, y }) => k.min(x, y),
  adjoint: (k, { g, x, y }) => {
    const first = k.le(x, y);
    return { x: k.andMask(g, first), y: k.andMask(g, k.not(first)) };
  },
});

export const max = definePrimitive({
  name: "max",
  arity: [1, variadic],
  doc: "The largest argument; NaN if any is NaN.",
  domain: "The gradient goes to the realised argument, the first on a tie.",
  params: { x: anything, y: anything },
  forward: (k, { x, y }) => k.max(x, y),
  adjoint: (k, { g, x, y }) => {
    const first = k.ge(x, y);
    return { x: k.andMask(g, first), y: k.andMask(g, k.not(first)) };
  },
});

export const pow = definePrimitive({
  name: "pow",
  aliases: ["expt"],
  doc: "x to the power y.",
  domain: "NaN for a negative x and a fractional y. At x = 0 with y > 0, y gets no gradient.",
  params: {
    x: { fuzz: [0.1, 5], edges: [0, 1, 2, -2, infinity, Number.NaN] },
    y: { fuzz: [-3, 3], edges: [0, 1, 2, 3, -1, 0.5] },
  },
  forward: (k, { x, y }) => k.pow(x, y),
  adjoint: (k, { g, x, y, z }) => {
    const zero = k.num(0);
    const slope = k.mul(k.mul(g, y), k.pow(x, k.sub(y, k.num(1))));
    const atZero = k.and(k.eq(x, zero), k.gt(y, zero));
    return {
      x: k.andMask(slope, k.ne(y, zero)),
      y: k.andMask(k.mul(k.mul(g, z), k.log(x)), k.not(atZero)),
    };
  },
});

export const atan2 = definePrimitive({
  name: "atan2",
  scheme: null,
  doc: "The angle of the point (y, x): `atan` with two arguments, of which x is the first.",
  params: { x: anything, y: nonZero },
  forward: (k, { x, y }) => k.atan2(x, y),
  adjoint: (k, { g, x, y }) => {
    const slope = k.div(g, k.add(k.mul(x, x), k.mul(y, y)));
    return { x: k.mul(slope, y), y: k.neg(k.mul(slope, x)) };
  },
});

export const quotient = definePrimitive({
  name: "quotient",
  doc: "x/y truncated to an integer.",
  domain:
    "Exact for integers up to 2⁵³ (2²⁴ in f32); else x/y is rounded first: `(quotient 1 0.1)` is 10, though 0.1 is a little more than a tenth and `remainder` leaves 0.0999…. NaN or infinite where y is 0, and reported.",
  params: { x: integers, y: { fuzz: [0.5, 9], edges: [1, -1, 3, -3] } },
  // A quotient of integers is an integer, which has no −0.
  forward: (k, { x, y }) => k.add(k.trunc(k.div(x, y)), k.num(0)),
  adjoint: "none",
});

const divisor: Param = { fuzz: [0.5, 9], edges: [1, -1, 3, -3, 1e-3, 1e17, infinity, -infinity] };

export const remainder = definePrimitive({
  name: "remainder",
  doc: "What `quotient` leaves; it has the sign of x.",
  domain: "Exact for all numbers; x for an infinite y. NaN where y is 0, and reported.",
  params: { x: integers, y: divisor },
  // An integer has no −0.
  forward: (k, { x, y }) => k.add(k.rem(x, y), k.num(0)),
  adjoint: (k, { g, x, y, z }) => ({
    x: g,
    y: k.neg(k.mul(g, k.nearest(k.div(k.sub(x, z), y)))),
  }),
});

/** Whether division rounded down leaves y more than the remainder. */
const isOfOtherSign = <V, M>(k: Algebra<V, M>, rest: V, y: V): M => {
  const zero = k.num(0);
  const isBelow = k.and(k.lt(rest, zero), k.gt(y, zero));
  const isAbove = k.and(k.gt(rest, zero), k.lt(y, zero));
  return k.or(isBelow, isAbove);
};

export const modulo = definePrimitive({
  name: "modulo",
  doc: "What division rounded down leaves; it has the sign of y.",
  domain:
    "The exact number, rounded once; x or y for an infinite y. NaN where y is 0, and reported.",
  params: { x: integers, y: divisor },
  forward: (k, { x, y }) => {
    const rest = k.add(k.rem(x, y), k.num(0));
    return k.add(rest, k.andMask(y, isOfOtherSign(k, rest, y)));
  },
  adjoint: (k, { g, x, y }) => {
    const rest = k.rem(x, y);
    const one = k.andMask(k.num(1), isOfOtherSign(k, rest, y));
    return { x: g, y: k.neg(k.mul(g, k.sub(k.nearest(k.div(k.sub(x, rest), y)), one))) };
  },
});

export const gcd = definePrimitive({
  name: "gcd",
  arity: [0, variadic],
  doc: "Greatest common divisor of integers, not negative; `(gcd)` is 0.",
  params: { x: integers, y: integers },
  forward: (k, { x, y }) => k.gcd(x, y),
  adjoint: "none",
});

export const lcm = definePrimitive({
  name: "lcm",
  arity: [0, variadic],
  doc: "Least common multiple of integers, not negative; `(lcm)` is 1.",
  params: { x: integers, y: integers },
  forward: (k, { x, y }) => {
    const divisor = k.gcd(x, y);
    const isZero = k.eq(divisor, k.num(0));
    return k.select(isZero, k.num(0), k.abs(k.mul(k.div(x, divisor), y)));
  },
  adjoint: "none",
});
