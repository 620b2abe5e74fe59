/**
 * Numbers read from where they stand in a longer text, without cutting them out.
 *
 * Only -12.345 and the like: up to 15 digits make a whole number that is exact, and so is the power
 * of ten, so that their quotient is the number nearest to the decimal, as `Number` gives it.
 */

const DIGITS_MAX = 15;
const POWERS = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, power) => 10 ** power);
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

export class PlainNumber {
  /** Where the number that was read last ends. */
  end = 0;

  /** The number from `from` up to the mark or `to`; NaN for anything else than a plain number. */
  read(text: string, from: number, to: number, mark: number): number {
    let at = from;
    const isNegative = text.charCodeAt(at) === MINUS;
    if (isNegative) at += 1;
    const first = at;
    let point = -1;
    let magnitude = 0;
    for (; at < to; at++) {
      const code = text.charCodeAt(at);
      const digit = code - ZERO;
      if (digit >= 0 && digit <= 9) magnitude = magnitude * 10 + digit;
      else if (code === POINT && point < 0) point = at;
      else break;
    }
    const digits = at - first - (point < 0 ? 0 : 1);
    const isEnd = at === to || text.charCodeAt(at) === mark;
    if (!isEnd || digits === 0 || digits > DIGITS_MAX) return Number.NaN;
    this.end = at;
    const value = point < 0 ? magnitude : magnitude / (POWERS[at - point - 1] as number);
    return isNegative ? -value : value;
  }
}
