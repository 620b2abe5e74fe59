/** What a report needs to know of the problem that was fitted, as plain data. */

import { type Column, type Data, type FitOptions, own, type RowScore } from "@ndvm/core";

export interface FittedProblem {
  /** The program, and the file it came from. */
  readonly source: { readonly text: string; readonly file?: string | undefined };
  readonly targets: readonly string[];
  /** Columns that the program reads. */
  readonly columns: readonly string[];
  /** Data of the rows that were fitted, and of those held out. */
  readonly data: Data;
  readonly heldOut: Data | undefined;
  /** The table that they come from, and which of its rows were used. */
  readonly table:
    | { readonly name: string; readonly rowCount: number; readonly names: readonly string[] }
    | undefined;
  readonly rows:
    | {
        readonly taken: { readonly length: number };
        readonly heldOut: { readonly length: number };
        readonly filtered: number;
        readonly missing: number;
      }
    | undefined;
  readonly options: {
    readonly groups?: { readonly by: string };
    readonly trials?: string | Column;
    readonly weights?: NonNullable<FitOptions["weights"]>;
    readonly sigma?: NonNullable<FitOptions["sigma"]>;
  };
  /** Milliseconds that reading the data took. */
  readonly readMilliseconds: number;
}

/** How well a fit predicts rows that it did not see. */
export interface HeldOutScore extends RowScore {
  readonly target: string;
  /** The loss that was minimised: the weighted mean of the rows. */
  readonly loss: number;
  /** What predictions are compared with. */
  readonly observed: Float64Array;
  /** Rows for which the program has no finite prediction: nothing above says how well they are predicted. */
  readonly unpredicted: number;
}

/**
 * The trials of some rows: a column of theirs, one number for all, or a number for each of the rows
 * that were fitted. Of other rows these say nothing: NaN.
 */
export function trialsOf(
  { trials }: FittedProblem["options"],
  data: Data,
  rows: number,
): Float64Array | undefined {
  if (trials === undefined) return undefined;
  if (typeof trials === "string") return own(data, trials) as Float64Array;
  const one = sameOfAll(trials);
  if (one !== undefined) return new Float64Array(rows).fill(one);
  return trials.length === rows
    ? Float64Array.from(trials, Number)
    : new Float64Array(rows).fill(Number.NaN);
}

/**
 * How much each row counts for one target, from the options of these rows; deviations count as weights of their
 * inverse squares. Undefined where all rows count alike.
 */
export function weightsOf(
  { weights, sigma }: Pick<FitOptions, "weights" | "sigma">,
  target: string,
  data: Data,
): Float64Array | undefined {
  const given = sideOf(weights ?? sigma, target);
  if (given === undefined) return undefined;
  const column = typeof given === "string" ? (own(data, given) as Column) : given;
  const numbers = Float64Array.from(column, Number);
  return weights === undefined ? numbers.map((deviation) => 1 / deviation ** 2) : numbers;
}

/** What an option says about one target: a column, a number for each row, or nothing. */
function sideOf(side: FitOptions["weights"], target: string): string | Column | undefined {
  if (side === undefined || typeof side === "string") return side;
  if (Array.isArray(side) || ArrayBuffer.isView(side)) return side as Column;
  return own(side as Readonly<Record<string, string | Column>>, target);
}

/** How the share of successes is called: y / n, or the probability of y. */
export function shareLabel(target: string, trials: FittedProblem["options"]["trials"]): string {
  if (trials === undefined) return `probability of ${target}`;
  return `${target} / ${typeof trials === "string" ? trials : (sameOfAll(trials) ?? "trials")}`;
}

/** The number that all are; undefined where they differ. */
function sameOfAll(numbers: Column): number | undefined {
  const [first, ...others] = Array.from(numbers, Number);
  return others.every((number) => number === first) ? first : undefined;
}
