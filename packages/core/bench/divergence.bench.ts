/**
 * The cost of lanes that part: shares of diverging lanes from 0 to 100 %, and parameters that cross
 * a branch every so many calls, so that a kept trace's guard fails.
 */

import { Machine, type Program, type RunStats } from "../src/index.js";
import { Checksum } from "./support/checksum.js";
import { printEnvironment } from "./support/environment.js";
import { tent } from "./support/programs.js";
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
import { measure, per, type Spread, type Subject } from "./support/timing.js";

printEnvironment();
const machine = await Machine.create({ precision: "f32" });
/** Keeps lanes together under masks, however few go their own way. */
const unsorted = await Machine.create({ precision: "f32", mechanisms: { sorting: false } });
const LANES = amount(1024, 128);
const SHARES = amount([0, 1, 5, 25, 50, 75, 100], [0, 50, 100]);

interface Parting {
  readonly name: string;
  readonly source: string;
  /** The two inputs, given the lane, whether it goes its own way, and the turn. */
  numbers(lane: number, isApart: boolean, turn: number): [a: number, x: number];
}

const fraction = (lane: number) => (lane * 0.618034) % 1;
const partings: readonly Parting[] = [
  {
    name: "branch: exp or sin",
    source: "(if (< x 0.0) (* a (exp (* a x))) (* x (sin (* a x))))",
    numbers: (lane, isApart, turn) => {
      const size = 0.2 + fraction(lane) + 1e-3 * turn;
      return [1.5, isApart ? -size : size];
    },
  },
  {
    name: tent.name,
    source: tent.source.replace("x0", "(* 1.0 x)").replaceAll("(* r ", "(* a "),
    numbers: (lane, isApart, turn) => [1.9, (isApart ? fraction(lane) : 0.3) + 1e-7 * turn],
  },
  {
    name: "loop until small, own trip count",
    source: "(loop ((s x) (k 0)) (if (< s 0.5) s (recur (* s (/ a (+ a 1.0))) (+ k 1))))",
    numbers: (lane, isApart, turn) => [1.5, (isApart ? 1 + 60 * fraction(lane) : 8) + 1e-4 * turn],
  },
];

for (const parting of partings) {
  section(`Divergence, ${parting.name}: ${count(LANES)} lanes, forward+gradient, per lane`);
  printShares(parting);
}
section("Guards: a parameter crosses a branch every k-th call, 1 lane, forward+gradient");
printGuards();
machine.dispose();
unsorted.dispose();

interface Runner extends Subject {
  readonly program: Program;
  readonly checksum: string;
  stats(): RunStats;
}

/** A session over tables of inputs; each turn takes the next. */
function runnerOf(
  name: string,
  source: string,
  tables: readonly [Numbers, Numbers][],
  replay: boolean,
  on: Machine = machine,
) {
  const program = on.load(source, { domain: "clamp" });
  const inputsAt = (turn: number) => {
    const [a, x] = tables[turn % tables.length] as [Numbers, Numbers];
    return a.length === 1 ? { a: a[0] as number, x: x[0] as number } : { a, x };
  };
  const wrt = ["a", "x"];
  const session = program.session(inputsAt(0), { wrt, replay });
  const call = (turn: number) => {
    const [a, x] = tables[turn % tables.length] as [Numbers, Numbers];
    session.set("a", a);
    session.set("x", x);
    session.run();
  };
  const sum = new Checksum();
  tables.forEach((_, turn) => {
    call(turn);
    sum
      .add(session.values)
      .add(session.gradients["a"] ?? [])
      .add(session.gradients["x"] ?? []);
  });
  const stats = () => {
    const fresh = on.load(source, { domain: "clamp" });
    const all = tables.map((_, turn) => fresh.gradient(inputsAt(turn), { wrt, replay }).stats);
    fresh.dispose();
    return all.reduce((total, one) => sumOf(total, one));
  };
  const runner: Runner = { name, program, call, checksum: sum.toString(), stats };
  return runner;
}

type Numbers = Float32Array;

function sumOf(total: RunStats, one: RunStats): RunStats {
  return {
    ...one,
    walks: total.walks + one.walks,
    replays: total.replays + one.replays,
    guardFailures: total.guardFailures + one.guardFailures,
    divergentBranches: total.divergentBranches + one.divergentBranches,
    merges: total.merges + one.merges,
    buckets: total.buckets + one.buckets,
    sortings: total.sortings + one.sortings,
  };
}

function printShares({ source, numbers }: Parting): void {
  const tablesOf = (share: number) =>
    Array.from({ length: 4 }, (_, turn) => {
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        numbers(lane, (lane * 0.7548777) % 1 < share / 100, turn),
      );
      const a = Float32Array.from(lanes, ([each]) => each);
      return [a, Float32Array.from(lanes, ([, each]) => each)] as [Numbers, Numbers];
    });
  const runners = SHARES.map((share) => runnerOf(`${share} %`, source, tablesOf(share), true));
  const walkers = SHARES.map((share) => runnerOf(`${share} %`, source, tablesOf(share), false));
  const maskers = SHARES.map((share) =>
    runnerOf(`${share} %`, source, tablesOf(share), true, unsorted),
  );
  const all = [...runners, ...walkers, ...maskers];
  const spreads = measure(all).map((spread) => per(spread, LANES));
  const base = (spreads[0] as Spread).minimum;
  const rows = runners.map((runner, i) => {
    const spread = spreads[i] as Spread;
    const walked = (spreads[SHARES.length + i] as Spread).minimum;
    const masked = (spreads[2 * SHARES.length + i] as Spread).minimum;
    const { walks, replays, guardFailures, divergentBranches, buckets, sortings } = runner.stats();
    const walker = walkers[i] as Runner;
    const counters = [walks, replays, guardFailures, divergentBranches, buckets, sortings].map(
      count,
    );
    const { checksum } = maskers[i] as Runner;
    const isSame = walker.checksum === runner.checksum && checksum === runner.checksum;
    return [
      runner.name,
      ...spreadCells(spread),
      `${short(spread.minimum / base)}×`,
      short(masked),
      short(walked),
      ...counters,
      isSame
        ? `same ${runner.checksum}`
        : `DIFFER ${runner.checksum} ${walker.checksum} ${checksum}`,
    ];
  });
  for (const { program } of all) program.dispose();
  const counters = ["walks", "replays", "guards", "mixed", "buckets", "sortings"];
  table(["apart", ...SPREAD_HEADINGS, "over 0 %", "masks", "walk", ...counters, "bits"], rows);
  note("counters: sum over four calls; masks: sorting off; walk: replay off");
}

function printGuards(): void {
  const branch = "(if (< x 1.0) (* a (exp (* a x))) (* x (sin (* a x))))";
  const loop = "(loop ((s x) (k 0)) (if (< s 0.5) s (recur (* s (/ a (+ a 1.0))) (+ k 1))))";
  const tent1 = tent.source.replace("x0", "(* 1.0 x)").replaceAll("(* r ", "(* a ");
  const CALLS = 64;
  const every = (k: number) => (turn: number) => Math.floor(turn / k) % 2 === 1;
  const table1 = (x: (turn: number) => number) =>
    Array.from({ length: CALLS }, (_, turn) => {
      const numbers: [Numbers, Numbers] = [Float32Array.of(1.5), Float32Array.of(x(turn))];
      return numbers;
    });
  const crossing = (k: number) => table1((turn) => (every(k)(turn) ? 1.2 : 0.8) + 1e-4 * turn);
  const starts = (k: number) => table1((turn) => (every(k)(turn) ? 0.6 : 0.3) + 1e-8 * turn);
  const cases: [string, string, [Numbers, Numbers][]][] = [
    ["branch, never", branch, table1((turn) => 0.8 + 1e-4 * turn)],
    ["branch, every 16th call", branch, crossing(16)],
    ["branch, every 4th call", branch, crossing(4)],
    ["branch, every 2nd call", branch, crossing(2)],
    ["branch, every call", branch, crossing(1)],
    ["tent, never", tent1, table1((turn) => 0.3 + 1e-8 * turn)],
    ["tent, every 4th call", tent1, starts(4)],
    ["tent, every call", tent1, starts(1)],
    ["loop, 4 trip counts in turn", loop, table1((turn) => 2 * 1.6667 ** (turn % 4) + 1e-4 * turn)],
    [
      "loop, 16 trip counts in turn",
      loop,
      table1((turn) => 2 * 1.6667 ** (turn % 16) + 1e-4 * turn),
    ],
  ];
  const runners = cases.map(([name, source, numbers]) => runnerOf(name, source, numbers, true));
  const walkers = cases.map(([name, source, numbers]) => runnerOf(name, source, numbers, false));
  const spreads = measure([...runners, ...walkers]);
  const rows = runners.map((runner, i) => {
    const { walks, replays, guardFailures, traces } = runner.stats();
    const walker = walkers[i] as Runner;
    const isSame = walker.checksum === runner.checksum;
    return [
      runner.name,
      ...spreadCells(spreads[i] as Spread),
      short((spreads[cases.length + i] as Spread).minimum),
      short(guardFailures / CALLS),
      ...[walks, replays, traces].map(count),
      isSame ? `same ${runner.checksum}` : `DIFFER ${runner.checksum} ${walker.checksum}`,
    ];
  });
  for (const { program } of [...runners, ...walkers]) program.dispose();
  const counters = ["failed guards a call", "walks", "replays", "traces"];
  table(["crossing", ...SPREAD_HEADINGS, "walk only", ...counters, "bits"], rows);
  note(`counters: over ${CALLS} calls of a fresh program`);
}
