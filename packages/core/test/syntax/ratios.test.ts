/**
 * Numbers that are written as quotients of whole numbers: the nearest number to the quotient, however many
 * digits there are, against whole numbers without an end.
 */

import { expect, test } from "vitest";
import { parseNumber } from "../../src/syntax/number-text.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const value = (text: string): number | undefined => parseNumber(text)?.value;

test("a numerator was rounded before it was divided", () => {
  expect(value("9007199254740993/3")).toBe(3002399751580331);
  expect(value("-9007199254740993/3")).toBe(-3002399751580331);
  expect(value("+27021597764222979/9007199254740993")).toBe(3);
});

test("a quotient of numbers beyond the largest is a number all the same", () => {
  const large = `1${"0".repeat(400)}`;
  expect(value(`${large}/${large}`)).toBe(1);
  expect(value(`3${large}/${large}`)).toBeCloseTo(31, 12);
  expect(value(`1/${large}`)).toBe(0);
  expect(value(`${large}/1`)).toBe(Number.POSITIVE_INFINITY);
  expect(value("0/0")).toBeUndefined();
});

/** Whether no other number is nearer to x/y; a tie goes to the number whose last bit is 0. */
function isNearest(size: number, x: bigint, y: bigint): boolean {
  const bits = new BigUint64Array(new Float64Array([size]).buffer)[0] as bigint;
  const at = (own: bigint): number =>
    new Float64Array(new BigUint64Array([own]).buffer)[0] as number;
  // In units of half of the least number, in which the middles of neighbours are whole.
  const units = (number: number): bigint => {
    const own = new BigUint64Array(new Float64Array([number]).buffer)[0] as bigint;
    const exponent = own >> 52n;
    const fraction = own & (2n ** 52n - 1n);
    const scaled = exponent === 0n ? fraction : (fraction | (2n ** 52n)) << (exponent - 1n);
    return scaled << 1n;
  };
  const wanted = x << 1075n;
  const isEven = (bits & 1n) === 0n;
  const above = ((units(size) + units(at(bits + 1n))) / 2n) * y;
  if (wanted > above || (wanted === above && !isEven)) return false;
  if (size === 0) return true;
  const below = ((units(size) + units(at(bits - 1n))) / 2n) * y;
  return wanted > below || (wanted === below && isEven);
}

test(`no other number is nearer to a quotient, SEED=${seed}`, () => {
  const random = new Random(seed);
  const whole = (bits: number): bigint => {
    let number = 1n;
    for (let bit = 0; bit < bits; bit++) number = 2n * number + BigInt(random.between(0, 1));
    return number;
  };
  for (let turn = 0; turn < 3000; turn++) {
    const y = whole(random.pick([1, 3, 40, 53, 60, 200, 1000, 1070, 1090, 1130]));
    // Half of them lie at or beside the middle of two numbers.
    const isTie = random.chance(0.5);
    const x = isTie
      ? y * (2n * whole(52) + 1n) + BigInt(random.between(-1, 1))
      : whole(random.pick([1, 30, 53, 64, 100, 990]));
    const size = value(`${x}/${y}`) as number;
    if (Number.isFinite(size)) expect(isNearest(size, x, y), `${x}/${y} is ${size}`).toBe(true);
  }
});
