/** Data against prediction. */

import type { XY } from "./chart.js";

/** The line on which prediction and data agree, over the range of both. */
export function agreement(observed: Float64Array, predicted: Float64Array): XY[] {
  let [low, high] = [Infinity, -Infinity];
  for (const values of [observed, predicted]) {
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return Array.from({ length: 100 }, (_, index) => {
    const value = low + ((high - low) * index) / 99;
    return [value, value] as const;
  });
}
