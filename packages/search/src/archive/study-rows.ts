/**
 * The options of a study, checked: each is what belongs there, and the columns that the target and the
 * inputs name are in both parts of the rows.
 */

import { own, recordOf } from "@ndvm/core";
import { isNames, isRecord, isText } from "../shapes.js";
import { damage, parse, readRows, type Source } from "./checked-rows.js";
import { shapeOf } from "./row-shapes.js";

/** All options that the archive has; a salvaged one may have lost some. */
export function readStudy(source: Source): Readonly<Record<string, unknown>> {
  const study = recordOf(
    [...readRows(source, "study")].map((row) => {
      const isGood = shapeOf("study", "value", row);
      if (isGood === undefined) throw new Error("values of options have a shape");
      return [row.key, parse(source, "study", row, "value", isGood)] as const;
    }),
  );
  requireColumns(source, study);
  return study;
}

function requireColumns(source: Source, study: Readonly<Record<string, unknown>>): void {
  const { target, inputs } = study;
  const names = [...(isText(target) ? [target] : []), ...(isNames(inputs) ? inputs : [])];
  for (const part of ["train", "heldOut"]) {
    const columns = own(study, part);
    if (!isRecord(columns)) continue;
    const missing = names.find((name) => !Object.hasOwn(columns, name));
    if (missing === undefined) continue;
    const { file } = source.database;
    throw damage(file, "json", "study", [part], `it has no column ${missing}`);
  }
}
