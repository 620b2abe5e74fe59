/**
 * Division with remainder in exact arithmetic: a number is an integer of units of 2⁻¹⁰⁷⁴, so that
 * BigInt divides any two of them without rounding.
 */

const UNITS = 1074n;

/** A finite number in units of 2⁻¹⁰⁷⁴. */
function unitsOf(x: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const bits = view.getBigUint64(0);
  const field = bits >> 52n;
  const mantissa = bits & 0xfffffffffffffn;
  const units = field === 0n ? mantissa : (mantissa | (1n << 52n)) << (field - 1n);
  return x < 0 ? -units : units;
}

/** The number nearest to so many units. */
function numberOf(units: bigint): number {
  const size = units < 0n ? -units : units;
  const extra = BigInt(Math.max(0, size.toString(2).length - 60));
  // Sixty bits and whether any follow decide how 53 bits are rounded.
  const isMore = (size >> extra) << extra !== size;
  const top = Number((size >> extra) | (isMore ? 1n : 0n));
  const power = Number(extra - UNITS);
  const half = Math.trunc(power / 2);
  const value = top * 2 ** half * 2 ** (power - half);
  return units < 0n ? -value : value;
}

const isRefused = (x: number, y: number): boolean =>
  !Number.isFinite(x) || Number.isNaN(y) || y === 0;

/** x − y·trunc(x/y). */
export function exactRemainder(x: number, y: number): number {
  if (isRefused(x, y)) return Number.NaN;
  return Number.isFinite(y) ? numberOf(unitsOf(x) % unitsOf(y)) : x;
}

/** trunc(x/y), as near as a number comes to it. */
export function exactQuotient(x: number, y: number): number {
  if (isRefused(x, y)) return Number.NaN;
  return Number.isFinite(y) ? Number(unitsOf(x) / unitsOf(y)) : 0;
}

const isMoved = (x: number, y: number): boolean => {
  const rest = Number.isFinite(y) ? unitsOf(x) % unitsOf(y) : unitsOf(x);
  return rest !== 0n && rest < 0n !== y < 0;
};

/** ⌊x/y⌋, as near as a number comes to it. */
export function exactFloor(x: number, y: number): number {
  if (isRefused(x, y)) return Number.NaN;
  if (!Number.isFinite(y)) return isMoved(x, y) ? -1 : 0;
  return Number(unitsOf(x) / unitsOf(y) - (isMoved(x, y) ? 1n : 0n));
}

/** x − y·⌊x/y⌋, rounded once. */
export function exactModulo(x: number, y: number): number {
  if (isRefused(x, y)) return Number.NaN;
  if (!Number.isFinite(y)) return isMoved(x, y) ? y : x;
  const rest = unitsOf(x) % unitsOf(y);
  return numberOf(isMoved(x, y) ? rest + unitsOf(y) : rest);
}
