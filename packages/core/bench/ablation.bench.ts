/**
 * What each run-time mechanism is worth: every one turned off by itself, and chunks of several
 * widths. A counter shows that the switch did something, a checksum that no bit depends on it.
 */

import { Machine, type Mechanisms, type RunStats } from "../src/index.js";
import { printEnvironment } from "./support/environment.js";
import {
  fewApart,
  inputsOf,
  kalman,
  logistic,
  type Model,
  newton,
  series,
  subjectOf,
  tent,
} from "./support/programs.js";
import { amount } from "./support/settings.js";
import {
  count,
  note,
  SPREAD_HEADINGS,
  section,
  short,
  spreadCells,
  table,
} from "./support/table.js";
import { measure, per, type Spread } from "./support/timing.js";

printEnvironment();
section("Ablation: each mechanism turned off by itself");

interface Case {
  readonly mechanism: keyof Mechanisms;
  readonly model: Model;
  readonly lanes: number;
  readonly counter: keyof RunStats;
  /** Calls that the counter is summed over, where one does not show the mechanism. */
  readonly calls?: number;
  /** Walks only: what replay would hide. */
  readonly isWalked?: boolean;
}

const many = amount(4096, 512);
/** Each of its eight variants takes another way through the branches. */
const otherPaths: Model = { ...tent, name: "tent map, eight paths", jitter: 0.03 };
const cases: readonly Case[] = [
  { mechanism: "replay", model: kalman, lanes: 1, counter: "replays" },
  { mechanism: "replay", model: logistic, lanes: 256, counter: "replays" },
  { mechanism: "chunks", model: kalman, lanes: many, counter: "chunkWidth" },
  { mechanism: "loops", model: newton, lanes: 1, counter: "heapObjects", isWalked: true },
  { mechanism: "loops", model: newton, lanes: 1, counter: "steps", isWalked: true },
  { mechanism: "smallShapes", model: kalman, lanes: 1, counter: "smallShapeCalls" },
  { mechanism: "smallShapes", model: kalman, lanes: 256, counter: "smallShapeCalls" },
  { mechanism: "adjointReuse", model: kalman, lanes: 256, counter: "adjointBytes" },
  { mechanism: "adjointReuse", model: tent, lanes: 1024, counter: "adjointBytes" },
  { mechanism: "sorting", model: fewApart, lanes: 1024, counter: "sortings" },
  { mechanism: "sorting", model: fewApart, lanes: 4096, counter: "sortings" },
  { mechanism: "paths", model: otherPaths, lanes: 1, counter: "replays", calls: 64 },
  { mechanism: "integerPool", model: series, lanes: 1, counter: "integerPoolHits", isWalked: true },
];

const rows: string[][] = [];
for (const one of cases) rows.push(await compare(one));
const cost = ["on: µs", "off: µs", "off/on"];
table(["mechanism", "program", "lanes", ...cost, "counter", "on", "off", "bits"], rows);

section("Ablation: chunk width, Kalman T=80");
await compareChunks();

async function compare({ mechanism, model, lanes, counter, calls, isWalked = false }: Case) {
  const machines = [
    await Machine.create({ precision: "f32" }),
    await Machine.create({ precision: "f32", mechanisms: { [mechanism]: false } }),
  ];
  const way = isWalked ? { replay: false } : {};
  const subjects = machines.map((machine) => subjectOf(machine, model, lanes, way));
  const [on, off] = measure(subjects).map((spread) => per(spread, lanes)) as [Spread, Spread];
  const counters = machines.map((machine) => {
    const program = machine.load(model.source, { domain: "clamp" });
    const options = { ...way, wrt: Object.keys(model.parameters) };
    if (calls !== undefined) {
      const turns = Array.from({ length: calls }, (_, turn) => inputsOf(model, lanes, turn % 8));
      const all = turns.map((inputs) => program.gradient(inputs, options).stats[counter]);
      return all.reduce((sum, each) => sum + each, 0);
    }
    const first = program.gradient(inputsOf(model, lanes, 0), options).stats[counter];
    if (counter !== "replays") return first;
    return program.gradient(inputsOf(model, lanes, 1), options).stats[counter];
  });
  const sums = subjects.map((subject) => subject.checksum());
  for (const machine of machines) machine.dispose();
  return [
    isWalked ? `${mechanism} (walk)` : mechanism,
    model.name,
    count(lanes),
    short(on.minimum),
    short(off.minimum),
    `${short(off.minimum / on.minimum)}×`,
    counter,
    ...counters.map((value) => count(Number(value))),
    sums[0] === sums[1] ? `same ${sums[0]}` : `DIFFER ${sums.join(" ")}`,
  ];
}

async function compareChunks(): Promise<void> {
  const machine = await Machine.create({ precision: "f32" });
  const widths = [1, 8, 32, 64, 128, 256, 1024, many].filter((width) => width <= many);
  const ways = [{ name: "default", options: {} }].concat(
    widths.map((chunk) => ({ name: count(chunk), options: { chunk } })),
  );
  const subjects = ways.map(({ options }) => subjectOf(machine, kalman, many, options));
  const spreads = measure(subjects).map((spread) => per(spread, many));
  const wrt = Object.keys(kalman.parameters);
  const lines = ways.map(({ name, options }, i) => {
    const program = machine.load(kalman.source, { domain: "clamp" });
    const { stats } = program.gradient(inputsOf(kalman, many), { ...options, wrt });
    const sum = (subjects[i] as (typeof subjects)[number]).checksum();
    const cells = [count(stats.chunkWidth), count(stats.walks), count(stats.replays)];
    return [name, ...spreadCells(spreads[i] as Spread), ...cells, sum];
  });
  note(`${count(many)} lanes, forward and gradient, per lane`);
  table(["chunk", ...SPREAD_HEADINGS, "chunkWidth", "walks", "replays", "checksum"], lines);
  const sums = new Set(lines.map((each) => each.at(-1)));
  note(sums.size === 1 ? "checksums are the same at every width" : "checksums DIFFER");
  machine.dispose();
}
