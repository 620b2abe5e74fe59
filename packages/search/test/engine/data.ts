/**
 * Data that the tests of the engine search.
 */

const rows = 40;
const x = Array.from({ length: rows }, (_, i) => 0.1 + i / 8);

/** A decaying oscillation, without noise. */
export const oscillation = {
  x,
  y: x.map((t) => 2 * Math.exp(-0.3 * t) * Math.cos(1.7 * t + 0.4)),
};
/** A line with a little structure left over. */
export const line = { x, y: x.map((t, i) => 3 * t - 1 + 0.05 * ((i * 7) % 5)) };
