/**
 * How noisy an observation of a row is, for bands of observations.
 *
 * Without weights all rows of a target are alike, and the residuals tell how noisy. With weights the variance of a
 * row is that over its weight. Known deviations (`sigma`) are those of the observations themselves. A row that is
 * predicted has its weight or deviation from the column that the fit had it from, or as a row of the fit, or
 * because all rows of the fit have the same. Of another row no deviation is known, and its weight counts as 1.
 */

import { isColumn, SELECTOR, type Table } from "../data/columns.js";
import { ownField } from "../data/fields.js";
import { Digest } from "../math/digest.js";
import { commonOf } from "../quality/deviations.js";
import type { Column, Data, FitOptions } from "../types.js";

/** What a fit was told of the noise of one target's rows. */
export interface RowNoise {
  readonly kind: "sigma" | "weights";
  /** The column it came from; undefined where it was given as numbers. */
  readonly column: string | undefined;
  /** What all rows of the fit have; undefined where they differ. */
  readonly common: number | undefined;
  /** What each row of the fit has, where they differ. */
  readonly told?: ArrayLike<number> | undefined;
}

/** Of each target; undefined where nothing was told. */
export function noiseTold(
  { weights, sigma }: FitOptions,
  table: Table | undefined,
): readonly RowNoise[] | undefined {
  const given = sigma ?? weights;
  if (given === undefined || table === undefined) return undefined;
  const kind = sigma === undefined ? "weights" : "sigma";
  return table.targets.map(({ name }, t) => {
    const common = commonOf(table, t);
    const told = common === undefined ? table.told?.[t] : undefined;
    return { kind, column: columnFor(given, name), common, told };
  });
}

function columnFor(given: NonNullable<FitOptions["weights"]>, target: string) {
  const own =
    typeof given === "string" || isColumn(given)
      ? given
      : ownField(given as Readonly<Record<string, string | Column>>, target);
  return typeof own === "string" ? own : undefined;
}

/** What is known of the rows of one target that are predicted, as standard deviations of observations. */
export interface Deviations {
  /** NaN where none is known. */
  readonly at: (row: number) => number;
  /** What to say of bands of observations; undefined where they are what they seem. */
  readonly note: string | undefined;
}

/** `isOwn` says whether the rows are those of the fit; `sigma` is the deviation of a row of weight 1. */
export function deviationsOf(
  noise: RowNoise | undefined,
  data: Data,
  rows: number,
  isOwn: boolean,
  sigma: number,
): Deviations {
  if (noise === undefined) return { at: () => sigma, note: undefined };
  const { kind, column, common, told } = noise;
  const brought = column === undefined ? undefined : columnIn(data, column);
  const known = brought?.length === rows ? brought : isOwn ? told : undefined;
  if (known === undefined && common === undefined)
    return unknownDeviations(noise, brought?.length, sigma);
  const numberOf = (row: number): number | undefined => {
    const number = known === undefined ? common : known[row];
    return typeof number === "number" && number > 0 && number < Infinity ? number : undefined;
  };
  let open = 0;
  for (let row = 0; row < rows; row++) if (numberOf(row) === undefined) open += 1;
  const what = kind === "sigma" ? "deviations" : "weights";
  return {
    at: (row) => {
      const number = numberOf(row) ?? Number.NaN;
      return kind === "sigma" ? number : sigma / Math.sqrt(number);
    },
    note:
      open === 0
        ? undefined
        : `no band for new observations of ${open} of ${rows} rows: their ${what} are not numbers above 0`,
  };
}

/** Where neither the rows nor the fit say; `length` is that of a column that is not one of these rows. */
function unknownDeviations(
  { kind, column }: RowNoise,
  length: number | undefined,
  sigma: number,
): Deviations {
  const lacking =
    length === undefined
      ? `they have no column ${column}`
      : `column ${column} has ${length} rows, and one is predicted`;
  const where = column === undefined ? "" : `: ${lacking}`;
  return kind === "sigma"
    ? {
        at: () => Number.NaN,
        note: `no band for new observations, since the deviations of these rows are not known${where}`,
      }
    : {
        at: () => sigma,
        note: `the band for new observations is that of weight 1, since the weights of these rows are not known${where}`,
      };
}

/** A column of the rows that are predicted; a number or a vector of another kind is none. */
export function columnIn(data: Data, name: string): Column | undefined {
  const column = ownField(data, name);
  return isColumn(column) ? column : undefined;
}

/**
 * What the rows of a fit are recognised by when they are predicted, also by a result from JSON: a digest of all that
 * the program reads of them. Undefined where it reads nothing that tells rows apart.
 */
export function markOf({ columns, rows, rowGroups }: Table): string | undefined {
  const names = Object.keys(columns).filter((name) => name !== SELECTOR);
  if (names.length === 0 && rowGroups.length === 0) return undefined;
  const digest = new Digest();
  for (const name of names) {
    const column = ownField(columns, name) as Float64Array;
    // 0 and −0 are the same row.
    for (let row = 0; row < rows; row++) digest.add((column[row] as number) + 0);
  }
  for (let row = 0; row < Math.min(rows, rowGroups.length); row++)
    digest.add(rowGroups[row] as number);
  return `${rows}:${digest.text}`;
}
