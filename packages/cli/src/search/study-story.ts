/** What the page about a study tells, from its archive. */

import { own, recordOf, squaresAbout } from "@ndvm/core";
import { memberFormula, type StudyStory } from "@ndvm/report";
import {
  type Archive,
  choiceOf,
  choiceWarnings,
  type FrontMember,
  heldOutWarning,
  type Outcome,
  whyChosen,
  yardstickOf,
} from "@ndvm/search";
import { loadOf, lostLoad } from "./open-study.js";

type Columns = Readonly<Record<string, Float64Array>>;

export function storyOf(archive: Archive): StudyStory {
  const study = archive.study();
  const { train, heldOut, ...options } = study;
  const front = archive.front();
  const chosen = choiceOf(front);
  const parts = { train: columnsOf(train), heldOut: columnsOf(heldOut) };
  const target = study["target"] as string;
  const load = loadOf(study);
  return {
    file: archive.file,
    target,
    ...load,
    limits: study["limits"] as StudyStory["limits"],
    ...parts,
    options,
    front,
    chosen,
    why: whyChosen(front, (member) => memberFormula(member, load)),
    warnings: warningsOf(study, chosen, own(parts.heldOut, target) ?? new Float64Array(0)),
    counts: archive.summary(),
    failures: failuresOf(archive),
    discoveries: archive.discoveries(),
    throughput: archive.throughput(),
    timings: archive.timings(),
    lineage: chosen === undefined ? [] : archive.lineage(chosen.id),
    runs: archive.runs(),
  };
}

const columnsOf = (part: unknown): Columns =>
  recordOf(
    Object.entries(part as Record<string, number[]>).map(([name, numbers]) => [
      name,
      Float64Array.from(numbers),
    ]),
  );

function warningsOf(
  study: Readonly<Record<string, unknown>>,
  chosen: FrontMember | undefined,
  held: Float64Array,
): string[] {
  const few = heldOutWarning(held.length);
  const others = choiceWarnings(
    chosen,
    { rows: held.length, squares: squaresAbout(held) },
    yardstickOf(study as unknown as Parameters<typeof yardstickOf>[0]),
  );
  return [...lostLoad(study), ...(few === undefined ? [] : [few]), ...others];
}

/** Codes of failures, most frequent first, each with its first candidate. */
function failuresOf(archive: Archive): StudyStory["failures"] {
  const kinds = Object.entries(archive.summary().failures).sort((a, b) => b[1] - a[1]);
  const found = new Map<string, Outcome>();
  if (kinds.length > 0) {
    for (const outcome of archive.outcomes()) {
      const code = outcome.failure?.code;
      if (code === undefined || found.has(code)) continue;
      found.set(code, outcome);
      if (found.size === kinds.length) break;
    }
  }
  return kinds.map(([code, count]) => ({
    code,
    count,
    source: found.get(code)?.source ?? "",
    message: found.get(code)?.failure?.message ?? "",
  }));
}
