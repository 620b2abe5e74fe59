/**
 * The command line: `[--quick] [--only LABEL]… [--out DIR] [--minutes N] [--page]
 * [--from RUN --out DIR]`.
 */

import { parseArgs } from "node:util";

export interface Options {
  /** Every label with small amounts; figures are not to be quoted. */
  readonly isQuick: boolean;
  /** Labels of the paper, or names of experiments; empty means all. */
  readonly only: readonly string[];
  /** Folder of `results/`, `figures/` and `EVIDENCE.md`. */
  readonly out: string | undefined;
  /** About how long all of it may take. */
  readonly minutes: number;
  /** Makes the page from the results that are there, and measures nothing. */
  readonly isPageOnly: boolean;
  /** A run of another computer, a folder or an archive of it, that is kept in `out`. */
  readonly from: string | undefined;
}

const MINUTES = { quick: 1, full: 20 } as const;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      out: { type: "string" },
      minutes: { type: "string" },
      page: { type: "boolean", default: false },
      from: { type: "string" },
    },
  });
  if (values.from !== undefined && values.out === undefined)
    throw new Error("--from keeps a run in the folder that --out names");
  const given = values.minutes === undefined ? undefined : Number(values.minutes);
  if (given !== undefined && !(given > 0))
    throw new Error(`--minutes takes a positive number, not ${values.minutes}`);
  return {
    isQuick: values.quick,
    only: values.only,
    out: values.out,
    minutes: given ?? (values.quick ? MINUTES.quick : MINUTES.full),
    isPageOnly: values.page || values.from !== undefined,
    from: values.from,
  };
}
