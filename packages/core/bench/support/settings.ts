/**
 * How much a run of the benchmarks does. `--quick` keeps every section and shrinks every amount.
 */

export const isQuick = process.argv.includes("--quick");

/** The first amount in a full run, the second with `--quick`. */
export function amount<T>(full: T, quick: T): T {
  return isQuick ? quick : full;
}
