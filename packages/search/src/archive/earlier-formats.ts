/**
 * Tables of earlier formats in the shape of today's, as queries. They can be looked at and not gone on
 * with. Format 2 numbered batches instead of epochs, noted proposals before they were fitted, and had
 * neither checksums nor counts; what was not settled is left out here, as readers always did.
 */

import type { Table } from "./schema.js";

/** Formats before today's that can be read. */
export const EARLIER_FORMATS: readonly number[] = [2];

const SETTLED = "(SELECT json_extract(CAST(state AS BLOB), '$.settled') FROM state)";
const NEXT = `coalesce((SELECT max(first_visit + json_array_length(candidates)) FROM batches WHERE batch < ${SETTLED}), 0)`;

const FORMAT_2: Readonly<Partial<Record<Table, string>>> = {
  epochs: `SELECT batch AS round, 0 AS slot, proposer, first_visit,
    json_array_length(candidates) AS visits, candidates, front, fits_most, '{}' AS counts,
    '' AS digests FROM batches WHERE batch < ${SETTLED}`,
  candidates: `SELECT id, batch AS round, 0 AS slot, proposer, origin, source, skeleton, complexity,
    parents, params, prompt, duplicate_of, is_revisit FROM candidates WHERE batch < ${SETTLED}`,
  revisits: `SELECT visit, candidate, origin, source, NULL AS skeleton, NULL AS complexity, parents,
    params, prompt FROM revisits WHERE visit < ${NEXT}`,
  failures: "SELECT *, NULL AS facts FROM failures",
  members: `SELECT visit, NULL AS length, NULL AS parts, NULL AS params, intervals,
    NULL AS undetermined, NULL AS simple, NULL AS hidden, NULL AS source, NULL AS complexity,
    NULL AS scores, NULL AS twin_of
    FROM intervals`,
  timings: "SELECT *, batch AS round, 0 AS slot FROM timings",
  pending: "SELECT 0 AS round, 0 AS slot, '' AS body WHERE 0",
};

/** What stands after FROM to read a table of today in a file of an earlier format. */
export function earlierTable(_format: number, table: Table): string {
  const query = FORMAT_2[table];
  return query === undefined ? table : `(${query})`;
}
