/**
 * The small programs: logistic map, damped oscillator, scalar formulas and the tent map whose both
 * branches recur, each beside a JavaScript closure with a gradient written by hand. And values only
 * of a formula over rows.
 */

import { Machine } from "../src/index.js";
import {
  closureSubject,
  lineByHand,
  logisticByHand,
  michaelisByHand,
  oscillatorByHand,
  tentByHand,
} from "./support/closures.js";
import { printEnvironment } from "./support/environment.js";
import {
  line,
  logistic,
  type Model,
  michaelis,
  oscillator,
  subjectOf,
  tent,
} from "./support/programs.js";
import { ratio, SPREAD_HEADINGS, section, short, spreadCells, table } from "./support/table.js";
import { reach, type TargetName } from "./support/targets.js";
import { measure, per, type Spread } from "./support/timing.js";

printEnvironment();
const machine = await Machine.create({ precision: "f32" });

section("Scalar programs and maps, f32");
type Case = [Model, typeof lineByHand, number, TargetName?];
const cases: readonly Case[] = [
  [line, lineByHand, 1],
  [line, lineByHand, 256],
  [michaelis, michaelisByHand, 1],
  [michaelis, michaelisByHand, 256],
  [oscillator, oscillatorByHand, 1, "oscillatorOne"],
  [oscillator, oscillatorByHand, 256, "oscillatorMany"],
  [logistic, logisticByHand, 1, "logisticOne"],
  [logistic, logisticByHand, 256, "logisticMany"],
  [tent, tentByHand, 1, "tentOne"],
  [tent, tentByHand, 64, "tentSome"],
  [tent, tentByHand, 1024, "tentMany"],
];
const rows = cases.map(([model, closure, lanes, target]) => {
  const forward = subjectOf(machine, model, lanes, { isForward: true });
  const replay = subjectOf(machine, model, lanes);
  const walk = subjectOf(machine, model, lanes, { replay: false });
  const spreads = measure([closureSubject(model, closure, lanes), forward, replay, walk]);
  const [byHand, forwardCost, cost, walked] = spreads.map((one) => per(one, lanes)) as Four;
  if (target) {
    const over = ratio(cost.minimum, byHand.minimum);
    reach(target, cost.minimum, `${over} JavaScript (${short(byHand.minimum)} µs)`);
  }
  return [
    `${model.name}, ${lanes === 1 ? "1 lane" : `per lane at ${lanes}`}`,
    ...spreadCells(cost),
    short(forwardCost.minimum),
    short(cost.minimum - forwardCost.minimum),
    short(walked.minimum),
    short(byHand.minimum),
    ratio(cost.minimum, byHand.minimum),
    checked(replay.checksum(), walk.checksum()),
  ];
});
const headings = ["forward+gradient, replay", ...SPREAD_HEADINGS, "forward", "backward", "walk"];
table([...headings, "JavaScript", "over it", "checksum"], rows);

section("Element-wise forward, 6 nodes × 100 rows, f32");
const ROWS = 100;
const NODES = 6;
const formula: Model = {
  name: "(* x1 (cos (- x2 3.2)))",
  source: "(* x1 (cos (- x2 3.2)))",
  parameters: { x1: 1.3, x2: 0.7 },
};
const machineRows = subjectOf(machine, formula, ROWS, { isForward: true });
const byHand = closureSubject(
  formula,
  (p, out) => {
    out[0] = (p[0] as number) * Math.cos((p[1] as number) - 3.2);
  },
  ROWS,
);
const [here, there] = measure([machineRows, byHand]) as [Spread, Spread];
const rate = ({ minimum }: Spread) => (NODES * ROWS) / (minimum * 1e-6);
table(
  ["work", ...SPREAD_HEADINGS, "node-rows/s", "checksum"],
  [
    [formula.name, ...spreadCells(here), rate(here).toExponential(2), machineRows.checksum()],
    ["JavaScript closure", ...spreadCells(there), rate(there).toExponential(2), ""],
  ],
);
reach("elementwise", rate(here), `JavaScript ${rate(there).toExponential(1)}`);
machine.dispose();

type Four = [Spread, Spread, Spread, Spread];

function checked(replayed: string, walked: string): string {
  return replayed === walked ? replayed : `${replayed} ≠ ${walked}`;
}
