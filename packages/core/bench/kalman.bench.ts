/**
 * The Kalman likelihood: forward and gradient at one and at 256 lanes beside the same function
 * written and differentiated by hand, and the cost of a lane from 1 to 10⁶ lanes.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Machine } from "../src/index.js";
import { printEnvironment, repositoryRoot } from "./support/environment.js";
import { handKalman, type Result, runNative, wideKalman } from "./support/native.js";
import { plotSvg, plotText } from "./support/plot.js";
import { inputsOf, kalman, subjectOf, type Way } from "./support/programs.js";
import { amount } from "./support/settings.js";
import {
  count,
  note,
  ratio,
  SPREAD_HEADINGS,
  section,
  short,
  spreadCells,
  table,
} from "./support/table.js";
import { reach } from "./support/targets.js";
import { measure, per, type Spread } from "./support/timing.js";

printEnvironment();
const machine = await Machine.create({ precision: "f32" });
section("Kalman T=80, by q and r, f32");
const hand = handKalman();
const wide = wideKalman(256);
const before = runNative();
checkYardsticks();

const ways: readonly [string, number, Way][] = [
  ["forward, walk", 1, { isForward: true, replay: false }],
  ["forward, replay", 1, { isForward: true }],
  ["forward+gradient, walk", 1, { replay: false }],
  ["forward+gradient, replay", 1, {}],
  ["forward, walk", 256, { isForward: true, replay: false }],
  ["forward, replay", 256, { isForward: true }],
  ["forward+gradient, walk", 256, { replay: false }],
  ["forward+gradient, replay", 256, {}],
];
const subjects = ways.map(([, lanes, way]) => subjectOf(machine, kalman, lanes, way));
const [handForward, handGradient, handWide, ...spreads] = measure([
  hand.forward,
  hand.gradient,
  wide,
  ...subjects,
]) as [Spread, Spread, Spread, ...Spread[]];
const after = runNative();
printRows();
machine.dispose();
await printPopulations();

function checkYardsticks(): void {
  const program = machine.load(kalman.source);
  const { values, gradients } = program.gradient(
    { ...inputsOf(kalman, 1), q: 0.05, r: 0.1 },
    { wrt: ["q", "r"] },
  );
  const ours = [values[0], gradients["q"]?.[0], gradients["r"]?.[0]] as number[];
  const check = (name: string, { value, byQ, byR }: Result) => {
    const theirs = [value, byQ, byR];
    const apart = ours.map((x, i) => Math.abs(x / (theirs[i] as number) - 1));
    const worst = Math.max(...apart);
    note(`${name}: value and gradients within ${worst.toExponential(1)} of the machine's`);
    if (!(worst < 1e-4)) throw new Error(`the yardstick ${name} computes something else`);
  };
  check("AssemblyScript by hand", hand.result);
  if (before) check("C++ by hand, g++ -O3", before.result);
  else note("C++ by hand: not measured, there is no g++");
  checkWide();
  note("");
}

/** The function for four lanes at a time says what the machine says, lane by lane. */
function checkWide(): void {
  const program = machine.load(kalman.source);
  const { values, gradients } = program.gradient(inputsOf(kalman, 256), { wrt: ["q", "r"] });
  const ours = [values, gradients["q"], gradients["r"]] as Float64Array[];
  const apart = ours.map((list, i) =>
    list.reduce((most, x, lane) => {
      const theirs = wide.results[i]?.[lane] as number;
      return Math.max(most, Math.abs(x / theirs - 1));
    }, 0),
  );
  const worst = Math.max(...apart);
  note(`${wide.name}: 256 lanes within ${worst.toExponential(1)} of the machine's`);
  if (!(worst < 1e-3)) throw new Error(`the yardstick ${wide.name} computes something else`);
}

/** The faster of two runs of the yardstick, one before and one after the machine's. */
function native(kind: "forward" | "gradient"): Spread | undefined {
  if (before === undefined || after === undefined) return undefined;
  return before[kind].minimum < after[kind].minimum ? before[kind] : after[kind];
}

function printRows(): void {
  const cpp = { forward: native("forward"), gradient: native("gradient") };
  const beside = (value: number, kind: "forward" | "gradient") => {
    const yardstick = cpp[kind];
    const script = kind === "forward" ? handForward : handGradient;
    return [yardstick ? ratio(value, yardstick.minimum) : "", ratio(value, script.minimum)];
  };
  const rows = ways.map(([name, lanes], i) => {
    const spread = per(spreads[i] as Spread, lanes);
    const kind = name.includes("gradient") ? "gradient" : "forward";
    const sum = (subjects[i] as (typeof subjects)[number]).checksum();
    const cells = [...spreadCells(spread), ...beside(spread.minimum, kind), sum];
    return [`${name}, ${lanes === 1 ? "1 lane" : `per lane at ${lanes}`}`, ...cells];
  });
  const minimum = (i: number) => (spreads[i] as Spread).minimum;
  const backward = (i: number, lanes: number) => short((minimum(i + 1) - minimum(i - 1)) / lanes);
  rows.push(["backward (replay difference), 1 lane", backward(2, 1)]);
  rows.push(["backward (replay difference), per lane at 256", backward(6, 256)]);
  for (const kind of ["forward", "gradient"] as const) {
    const script = kind === "forward" ? handForward : handGradient;
    const cells = [...spreadCells(script), ...beside(script.minimum, kind)];
    rows.push([`by hand in AssemblyScript, ${kind}`, ...cells]);
    const yardstick = cpp[kind];
    if (yardstick) {
      const others = [...spreadCells(yardstick), ...beside(yardstick.minimum, kind)];
      rows.push([`by hand in C++, ${kind}`, ...others]);
    }
  }
  const ceiling = per(handWide, 256);
  rows.push([
    "by hand in AssemblyScript f32x4, gradient, per lane at 256",
    ...spreadCells(ceiling),
    ...beside(ceiling.minimum, "gradient"),
  ]);
  table(["work", ...SPREAD_HEADINGS, "C++", "AssemblyScript", "checksum"], rows);
  const yardstick = cpp.gradient ?? handGradient;
  const label = cpp.gradient ? "C++" : "AssemblyScript";
  const text = (value: number) =>
    `${ratio(value, yardstick.minimum)} ${label} by hand (${short(yardstick.minimum)} µs)`;
  reach("kalmanOne", minimum(3), text(minimum(3)));
  reach("kalmanMany", minimum(7) / 256, text(minimum(7) / 256));
  const over = minimum(7) / handWide.minimum;
  reach("kalmanCeiling", over, `f32x4 by hand ${short(ceiling.minimum)} µs a lane`);
}

/**
 * Cost and memory over the number of lanes. Every size takes turns with 256 lanes, run as often as
 * it takes to do the same work: what disturbs a long call then disturbs its yardstick alike.
 */
async function printPopulations(): Promise<void> {
  section("Kalman T=80: cost of a lane and memory over the number of lanes");
  const all = [1, 4, 16, 64, 256, 1024, 100_000, 1_000_000];
  const sizes = amount(all, [1, 4, 16, 64, 256, 1024]);
  const points: { lanes: number; microseconds: number }[] = [];
  const rows: string[][] = [];
  const held = new Map<number, number>();
  for (const lanes of sizes) {
    const machine = await Machine.create({ precision: "f32" });
    const narrow = subjectOf(machine, kalman, 256);
    const times = Math.max(1, Math.round(lanes / 256));
    const beside = {
      name: narrow.name,
      call: (turn: number) => {
        for (let i = 0; i < times; i++) narrow.call(turn + i);
      },
    };
    const subject = subjectOf(machine, kalman, lanes);
    const sum = subject.checksum();
    const start = machine.exports.memoryBytes();
    const [base, spread] = measure([beside, subject]) as [Spread, Spread];
    const end = machine.exports.memoryBytes();
    held.set(lanes, end);
    const cost = per(spread, lanes);
    points.push({ lanes, microseconds: cost.processor });
    const narrowCost = base.processor / (256 * times);
    const relative = cost.processor / narrowCost;
    const memory = [start, end].map((bytes) => short(bytes / 2 ** 20));
    const processor = [short(cost.processor), `${short(relative)}×`];
    rows.push([count(lanes), ...spreadCells(cost), ...processor, ...memory, sum]);
    if (lanes === 1_000_000) {
      reach("kalmanMillion", relative, `256 lanes in turn (${short(narrowCost)} µs)`);
      reach("kalmanMemory", end / (held.get(1024) as number), `${short(end / 2 ** 20)} MiB`);
    }
    machine.dispose();
  }
  const memory = ["MiB before", "MiB after"];
  const processor = ["processor µs", "over 256"];
  table(["lanes", ...SPREAD_HEADINGS, ...processor, ...memory, "checksum"], rows);
  const folder = join(repositoryRoot, "bench-results");
  mkdirSync(folder, { recursive: true });
  const lines = points.map(({ lanes, microseconds }) => `${lanes},${microseconds}`);
  writeFileSync(join(folder, "kalman-lanes.csv"), `lanes,microseconds\n${lines.join("\n")}\n`);
  writeFileSync(join(folder, "kalman-lanes.svg"), plotSvg(points));
  note("");
  note(plotText(points));
  note("written: bench-results/kalman-lanes.svg and .csv");
}
