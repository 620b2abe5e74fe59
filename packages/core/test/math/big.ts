/**
 * Binary floating point in long integers, the arithmetic of the oracle: a number is m·2^e, kept to
 * 256 bits. Roundings truncate; every function here is good to about 240 bits.
 */

export interface Big {
  readonly m: bigint;
  readonly e: number;
}

const kept = 256;

export const bitLength = (m: bigint): number => (m < 0n ? -m : m).toString(16).length * 4 - lead(m);

/** Unused bits of the first hexadecimal digit. */
function lead(m: bigint): number {
  const digit = Number.parseInt((m < 0n ? -m : m).toString(16).charAt(0), 16);
  return Math.clz32(digit) - 28;
}

const shift = (m: bigint, by: number): bigint => (by >= 0 ? m << BigInt(by) : m >> BigInt(-by));

export function big(m: bigint, e = 0): Big {
  const extra = bitLength(m) - kept;
  return extra > 0 ? { m: m >> BigInt(extra), e: e + extra } : { m, e };
}

export const zero: Big = { m: 0n, e: 0 };
export const one: Big = { m: 1n, e: 0 };

const words = new DataView(new ArrayBuffer(8));

/** A finite double, exactly. */
export function fromNumber(x: number): Big {
  words.setFloat64(0, x);
  const bits = words.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const m = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  return big(x < 0 ? -m : m, Math.max(exponent, 1) - 1075);
}

/** The double next to a, or next but one. */
export function toNumber(a: Big): number {
  const extra = bitLength(a.m) - 60;
  const m = extra > 0 ? a.m >> BigInt(extra) : a.m;
  const e = extra > 0 ? a.e + extra : a.e;
  const half = Math.trunc(e / 2);
  return Number(m) * 2 ** half * 2 ** (e - half);
}

/** The exponent of the leading bit; -Infinity for 0. */
export const exponentOf = (a: Big): number =>
  a.m === 0n ? Number.NEGATIVE_INFINITY : bitLength(a.m) + a.e - 1;

export const neg = (a: Big): Big => ({ m: -a.m, e: a.e });
export const abs = (a: Big): Big => (a.m < 0n ? neg(a) : a);
export const mul = (a: Big, b: Big): Big => big(a.m * b.m, a.e + b.e);
export const twice = (a: Big, power = 1): Big => ({ m: a.m, e: a.e + power });

export function add(a: Big, b: Big): Big {
  if (a.m === 0n) return b;
  if (b.m === 0n) return a;
  const gap = exponentOf(a) - exponentOf(b);
  if (gap > 2 * kept) return a;
  if (gap < -2 * kept) return b;
  const e = Math.min(a.e, b.e);
  return big(shift(a.m, a.e - e) + shift(b.m, b.e - e), e);
}

export const sub = (a: Big, b: Big): Big => add(a, neg(b));

export function div(a: Big, b: Big): Big {
  const by = Math.max(0, kept + 8 + bitLength(b.m) - bitLength(a.m));
  return big((a.m << BigInt(by)) / b.m, a.e - b.e - by);
}

export function sqrt(a: Big): Big {
  if (a.m === 0n) return zero;
  let by = Math.max(0, 2 * kept - bitLength(a.m));
  if ((a.e - by) % 2 !== 0) by++;
  const n = a.m << BigInt(by);
  let root = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return big(root, (a.e - by) / 2);
}

/** floor(a·2^scale), the fixed-point form. */
export const toFixed = (a: Big, scale: number): bigint => shift(a.m, a.e + scale);

/** The integer nearest to a. */
export const nearest = (a: Big): bigint => (toFixed(a, 1) + 1n) >> 1n;

export const isNegative = (a: Big): boolean => a.m < 0n;
export const fromInt = (n: number | bigint): Big => big(BigInt(n));
