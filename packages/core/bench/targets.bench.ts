/**
 * The figures to reach beside what the files before this one measured.
 */

import { printEnvironment } from "./support/environment.js";
import { isQuick } from "./support/settings.js";
import { note, section, short, table } from "./support/table.js";
import { isMet, reached, TARGETS, type TargetName } from "./support/targets.js";

printEnvironment();
section("Targets");
const rows = (Object.keys(TARGETS) as TargetName[]).map((name) => {
  const { work, reference, bound, unit } = TARGETS[name];
  const sign = "isLeast" in TARGETS[name] ? "≥" : "≤";
  const target = `${sign} ${short(bound)}`;
  const found = reached(name);
  if (found === undefined) return [work, unit, reference, target, "", "not measured", ""];
  const verdict = isMet(name, found.value) ? "met" : "not met";
  return [work, unit, reference, target, short(found.value), verdict, found.yardstick];
});
table(["work", "unit", "reference", "target", "here", "verdict", "yardstick in this run"], rows);
if (isQuick) note("\nquick mode: too few and too short runs to judge a target by");
