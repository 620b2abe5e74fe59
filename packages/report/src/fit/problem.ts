/** What a report needs to know of the problem that was fitted, as plain data. */

import type { Data } from "@ndvm/core";

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
  readonly options: { readonly groups?: { readonly by: string } };
  /** Milliseconds that reading the data took. */
  readonly readMilliseconds: number;
}

/** How well a fit predicts rows that it did not see. */
export interface HeldOutScore {
  readonly target: string;
  readonly rows: number;
  readonly rmse: number;
  readonly mae: number;
  readonly r2: number;
  /** The loss that was minimised, a row's mean, without weights. */
  readonly loss: number;
  readonly observed: Float64Array;
}
