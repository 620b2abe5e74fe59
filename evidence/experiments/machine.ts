/**
 * Experiments of the machine alone: strong scaling over workers, every mechanism turned off by
 * itself and all of them together, and batches that part (D1–D6) against lanes alone.
 */

import { availableParallelism } from "node:os";
import {
  expand,
  type Inputs,
  Machine,
  type Mechanisms,
  type RunStats,
  read,
  vec,
} from "@ndvm/core";
import { NO_REFERENCE, type ReferenceRun, runReference } from "../baselines/native/reference.js";
import { searchNames, writeOut } from "../baselines/rewrite.js";
import { timeInTurns } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
import {
  type Case,
  five,
  inputsOf,
  kalman,
  logistic,
  namesOf,
  scalar,
  tablesOf,
  VARIANTS,
} from "../programs.js";

export const WORKERS = [1, 2, 4, 8, 16, 32, 64] as const;

const bytesOf = (...columns: readonly ArrayBufferView[]): Buffer =>
  Buffer.concat(columns.map((each) => Buffer.from(each.buffer, each.byteOffset, each.byteLength)));

export const multicore: Definition = {
  name: "multicore",
  weight: 3,
  async run(context) {
    const { recorder } = context;
    const cores = availableParallelism();
    const lanes = context.amount(16_000, 2048);
    recorder.condition("work", `Kalman likelihood with gradient, ${lanes} candidates a call`);
    const machine = await Machine.create({ precision: "f32" });
    const program = machine.load(kalman.source);
    const wrt = [...namesOf(kalman)];
    const inputs = inputsOf(kalman, lanes);
    const serial = program.gradient(inputs, { wrt });
    const bytes = bytesOf(
      serial.values,
      ...wrt.map((name) => serial.gradients[name] as Float64Array),
    );
    const used = WORKERS.filter((workers) => workers <= cores);
    for (const workers of WORKERS)
      if (!used.includes(workers))
        for (const part of ["", "/same bytes"])
          recorder.missing(`${workers} workers${part}`, `this computer has ${cores} cores`);
    for (const workers of used) {
      const pool = await machine.pool({ workers });
      const samples: number[] = [];
      let isSame = true;
      const deadline = performance.now() + context.milliseconds / used.length;
      for (let round = 0; round < context.amount(40, 3); round++) {
        if (round > context.amount(12, 2) && performance.now() > deadline) break;
        const started = performance.now();
        const found = await pool.gradient(program, inputs, { wrt });
        // The first call loads the program everywhere.
        if (round > 0) samples.push(performance.now() - started);
        const columns = wrt.map((name) => found.gradients[name] as Float64Array);
        isSame &&= bytes.equals(bytesOf(found.values, ...columns));
      }
      await pool.dispose();
      recorder.samples(`${workers} workers`, "ms", samples, "one call a sample");
      recorder.count(`${workers} workers/same bytes`, isSame ? 1 : 0);
      if (!isSame) throw new Error(`${workers} workers give other bytes than none`);
    }
    machine.dispose();
  },
};

const newton: Case = {
  name: "newton",
  title: "Newton's root, 12 steps",
  source: "(let next ((x a) (k 0)) (if (= k 12) x (next (* 0.5 (+ x (/ a x))) (+ k 1))))",
  steps: 12,
  parameters: { a: 2 },
  matrices: {},
};
const series: Case = {
  name: "series",
  title: "series, 40 terms",
  source:
    "(loop ((k 1) (total 0.0) (term 1.0)) (if (> k 40) total (recur (+ k 1) (+ total (/ term k)) (* term (* a (+ k 1) (/ 1 k))))))",
  steps: 40,
  parameters: { a: 0.6 },
  matrices: {},
};
const tent: Case = {
  name: "tent",
  title: "tent map, 16 steps",
  source:
    "(loop ((x x0) (k 0)) (if (= k 16) x (if (< x 0.5) (recur (* r x) (+ k 1)) (recur (* r (- 1.0 x)) (+ k 1)))))",
  steps: 16,
  parameters: { r: 1.9, x0: 0.45 },
  matrices: {},
};

/** One lane in 25 takes the other side of a branch, at every step. */
const fewApart: Case = {
  name: "few apart",
  title: "few lanes apart, 16 steps",
  source:
    "(loop ((z (* a x)) (k 0)) (if (= k 16) z (if (< x 0.546) (recur (* a (sin z)) (+ k 1)) (recur (exp (- (* a z))) (+ k 1)))))",
  steps: 16,
  parameters: { a: 0.8, x: 0.5 },
  matrices: {},
};

interface Ablation {
  readonly mechanism: keyof Mechanisms;
  readonly of: Case;
  readonly lanes: number;
  readonly counter: keyof RunStats;
  readonly isWalked: boolean;
}

export const ABLATIONS: readonly Ablation[] = [
  { mechanism: "replay", of: kalman, lanes: 1, counter: "replays", isWalked: false },
  { mechanism: "replay", of: logistic, lanes: 256, counter: "replays", isWalked: false },
  { mechanism: "chunks", of: kalman, lanes: 4096, counter: "chunkWidth", isWalked: false },
  { mechanism: "loops", of: newton, lanes: 1, counter: "heapObjects", isWalked: true },
  { mechanism: "smallShapes", of: kalman, lanes: 1, counter: "smallShapeCalls", isWalked: false },
  { mechanism: "smallShapes", of: kalman, lanes: 256, counter: "smallShapeCalls", isWalked: false },
  { mechanism: "adjointReuse", of: kalman, lanes: 256, counter: "adjointBytes", isWalked: false },
  { mechanism: "sorting", of: fewApart, lanes: 1024, counter: "sortings", isWalked: false },
  { mechanism: "integerPool", of: series, lanes: 1, counter: "integerPoolHits", isWalked: true },
];

export const keyOf = ({ mechanism, of, lanes, isWalked }: Ablation): string =>
  `${mechanism}/${of.name}/${lanes}${isWalked ? "/walked" : ""}`;

const ALL_OFF: Mechanisms = {
  replay: false,
  chunks: false,
  loops: false,
  smallShapes: false,
  sorting: false,
  paths: false,
  adjointReuse: false,
  integerPool: false,
};

/** What has no switch, and what its rows are. */
const NOT_SWITCHED =
  'Two things have no switch, because without them there would have to be a second evaluator: a program is decoded once, when it is loaded, and a variable is a slot of a frame from then on. Rewritten programs undo both, with the same bits. Row "lexical addresses": before each reference, forms of the program compare the number of its name with the names in scope, innermost first, until they meet its own; these comparisons are walked, so the row is more than a search inside an evaluator would take. Row "decoding": the program is loaded anew before every run, so each form is decoded once a run. Row "decoding at every visit": the same on both sides with loops written out, so that no form is visited twice. Rows "everything": all switches off, names searched, and the program loaded anew before every run';

interface Side {
  readonly machine: Machine;
  readonly call: (turn: number) => void;
  readonly bytes: () => Buffer;
}

async function sideOf(
  one: Case,
  lanes: number,
  mechanisms: Mechanisms,
  isWalked: boolean,
): Promise<Side> {
  const machine = await Machine.create({ precision: "f32", mechanisms });
  const program = machine.load(one.source);
  const wrt = [...namesOf(one)];
  const walked = isWalked ? { replay: false } : {};
  const session = program.session(inputsOf(one, lanes), { wrt, lanes, ...walked });
  const tables = tablesOf(one, lanes);
  const call = (turn: number): void => {
    wrt.forEach((name, i) => {
      (session.inputs[name] as Float32Array).set(tables[i]?.[turn % VARIANTS] as Float32Array);
    });
    session.run();
  };
  const bytes = () => {
    const found: Buffer[] = [];
    for (let turn = 0; turn < VARIANTS; turn++) {
      call(turn);
      const gradients = wrt.map((name) => session.gradients[name] as Float32Array);
      found.push(bytesOf(session.values as Float32Array, ...gradients));
    }
    return Buffer.concat(found);
  };
  return { machine, call, bytes };
}

/** Gradients of a program that stays loaded, or is loaded anew for each run; walked. */
async function loadedSide(one: Case, isAnew: boolean, mechanisms: Mechanisms = {}): Promise<Side> {
  const machine = await Machine.create({ precision: "f32", mechanisms });
  let program = machine.load(one.source);
  const wrt = [...namesOf(one)];
  const inputs = Array.from({ length: VARIANTS }, (_, turn) => inputsOf(one, 1, turn));
  const run = (turn: number) => {
    if (isAnew) {
      program.dispose();
      program = machine.load(one.source);
    }
    return program.gradient(inputs[turn % VARIANTS] as Inputs, { wrt, replay: false });
  };
  const bytes = () =>
    Buffer.concat(
      inputs.map((_, turn) => {
        const { values, gradients } = run(turn);
        return bytesOf(values, ...wrt.map((name) => gradients[name] as Float64Array));
      }),
    );
  return { machine, call: (turn) => void run(turn), bytes };
}

const PARTS = ABLATIONS.length + 2 * five.length + 2 + 3 + 3 + five.length;

async function compare(context: Context, key: string, on: Side, off: Side): Promise<void> {
  const isSame = on.bytes().equals(off.bytes());
  context.recorder.count(`${key}/same bits`, isSame ? 1 : 0);
  if (!isSame) throw new Error(`${key}: other bits with the mechanism off`);
  context.time(
    [
      { key: `${key}/on`, call: on.call },
      { key: `${key}/off`, call: off.call },
    ],
    PARTS,
  );
}

/** Compares two sides and lets their machines go. */
async function compareAway(context: Context, key: string, on: Side, off: Side): Promise<void> {
  await compare(context, key, on, off);
  for (const { machine } of [on, off]) machine.dispose();
}

/** One mechanism after the other, each turned off by itself, with its counter. */
async function switches(context: Context): Promise<void> {
  for (const one of ABLATIONS) {
    const { mechanism, of, lanes, counter, isWalked } = one;
    const sides = [
      await sideOf(of, lanes, {}, isWalked),
      await sideOf(of, lanes, { [mechanism]: false }, isWalked),
    ] as const;
    await compare(context, keyOf(one), ...sides);
    sides.forEach(({ machine }, i) => {
      const program = machine.load(of.source);
      const options = { wrt: [...namesOf(of)], ...(isWalked ? { replay: false } : {}) };
      const first = program.gradient(inputsOf(of, lanes, 0), options).stats;
      const second = program.gradient(inputsOf(of, lanes, 1), options).stats;
      const stats = counter === "replays" ? second : first;
      context.recorder.count(
        `${keyOf(one)}/${counter} ${i === 0 ? "on" : "off"}`,
        Number(stats[counter]),
      );
      machine.dispose();
    });
  }
}

const scopeOf = (one: Case): string[] => [...namesOf(one), ...Object.keys(one.matrices)];
const searching = (one: Case): Case => ({
  ...one,
  source: searchNames(one.source, scopeOf(one)),
});

/** Every reference searches the names in scope: what addresses of variables save. */
async function addresses(context: Context): Promise<void> {
  for (const one of [scalar, logistic, kalman]) {
    const key = `lexical addresses/${one.name}/1/walked`;
    const cases = [one, searching(one)] as const;
    const [on, off] = [
      await sideOf(cases[0], 1, {}, true),
      await sideOf(cases[1], 1, {}, true),
    ] as const;
    await compare(context, key, on, off);
    [on, off].forEach(({ machine }, i) => {
      const program = machine.load((cases[i] as Case).source);
      const { steps } = program.evaluate(inputsOf(one, 1), { replay: false }).stats;
      context.recorder.count(`${key}/steps ${i === 0 ? "on" : "off"}`, steps);
      machine.dispose();
    });
  }
}

/** Reading and expanding the text, which loading begins with. */
function timeReading(context: Context, key: string, { source }: Case): void {
  context.time([{ key: `${key}/reading`, call: () => void expand(read(source)) }], 2 * PARTS);
}

/** Decoding once a run, and at every visit of a form: then a loop is written out first. */
async function decoding(context: Context): Promise<void> {
  for (const one of [logistic, kalman]) {
    const key = `decoding/${one.name}/1/walked`;
    await compareAway(context, key, await loadedSide(one, false), await loadedSide(one, true));
  }
  for (const one of [scalar, logistic, kalman]) {
    const key = `decoding at every visit/${one.name}/1/walked`;
    const out: Case = { ...one, source: writeOut(one.source, one.steps) };
    await compareAway(context, key, await loadedSide(out, false), await loadedSide(out, true));
    timeReading(context, key, out);
  }
}

export const ablation: Definition = {
  name: "ablation",
  weight: 3,
  async run(context) {
    context.recorder.condition("not switched", NOT_SWITCHED);
    await switches(context);
    for (const one of five)
      for (const isWalked of [false, true]) {
        const key = `all/${one.name}/1${isWalked ? "/walked" : ""}`;
        const on = await sideOf(one, 1, {}, isWalked);
        await compareAway(context, key, on, await sideOf(one, 1, ALL_OFF, isWalked));
      }
    await addresses(context);
    await decoding(context);
    for (const one of five) {
      const key = `everything/${one.name}/1/walked`;
      const off = await loadedSide(searching(one), true, ALL_OFF);
      await compareAway(context, key, await loadedSide(one, false), off);
      timeReading(context, key, searching(one));
    }
    authorsAddresses(context);
  },
};

/** The author's runtime has a switch of its own for its cache of addresses. */
function authorsAddresses({ recorder, isQuick }: Context): void {
  const key = "lexical addresses of the author's runtime/kalman/1";
  const runs = isQuick ? 4 : 40;
  const [on, off] = [false, true].map((isScanning) => runReference(kalman, 1, runs, 3, isScanning));
  if (on === undefined || off === undefined) {
    for (const part of ["same bits", "on", "off"]) recorder.missing(`${key}/${part}`, NO_REFERENCE);
    return;
  }
  const bits = (run: ReferenceRun) => [run.value, ...run.gradients].join(" ");
  if (bits(on) !== bits(off)) throw new Error(`${key}: other bits with the cache off`);
  recorder.count(`${key}/same bits`, 1);
  const how = "3 calls a sample, a process of its own";
  recorder.samples(`${key}/on`, "µs", on.gradient, how);
  recorder.samples(`${key}/off`, "µs", off.gradient, how);
}

interface Parting {
  readonly name: string;
  readonly source: string;
  readonly inputs: (lane: number) => Readonly<Record<string, number>>;
  readonly fixed?: Inputs;
}

const fraction = (lane: number): number => (lane * 0.618034) % 1;

/**
 * The paper names its six cases D1–D6 and does not list them; these are ours, from simple to hard.
 */
export const PARTINGS: readonly Parting[] = [
  {
    name: "D1 a branch on a number",
    source: "(if (< x 0.5) (* a (exp x)) (* a (sin x)))",
    inputs: (lane) => ({ a: 1.5, x: fraction(lane) }),
  },
  {
    name: "D2 branches inside branches",
    source:
      "(if (< x 0.5) (if (< x 0.25) (* a x) (/ a (+ x 1))) (if (< x 0.75) (- a x) (* a x x)))",
    inputs: (lane) => ({ a: 1.5, x: fraction(lane) }),
  },
  {
    name: "D3 own trip counts",
    source: "(loop ((s x) (k 0)) (if (< s 0.5) s (recur (* s (/ a (+ a 1.0))) (+ k 1))))",
    inputs: (lane) => ({ a: 1.5, x: 1 + 60 * fraction(lane) }),
  },
  {
    name: "D4 recur on both sides",
    source: tent.source,
    inputs: (lane) => ({ r: 1.9, x0: fraction(lane) }),
  },
  {
    name: "D5 vectors and matrices merge",
    source:
      "(let ((m (if (< x 0.5) (scale a (mat (vec 2 1) (vec 1 3))) (mat (vec a x) (vec x 5))))) (dot v (matvec m v)))",
    inputs: (lane) => ({ a: 1.5, x: fraction(lane) }),
    fixed: { v: vec([1, 2]) },
  },
  {
    name: "D6 closures and lists part",
    source:
      "(let ((f (if (< x 0.5) (lambda (y) (* a y)) (lambda (y) (+ a (* y y)))))) (fold-left + 0 (map f (if (< x 0.3) (list x 1 2) (list x 3)))))",
    inputs: (lane) => ({ a: 1.5, x: fraction(lane) }),
  },
];

export const divergence: Definition = {
  name: "divergence",
  weight: 1,
  async run(context) {
    const { recorder } = context;
    const lanes = context.amount(256, 64);
    const machine = await Machine.create({ precision: "f32" });
    recorder.condition("lanes", `${lanes}; each once more alone`);
    for (const { name, source, inputs, fixed = {} } of PARTINGS) {
      const program = machine.load(source);
      const all = Array.from({ length: lanes }, (_, lane) => inputs(lane));
      const names = Object.keys(all[0] ?? {});
      const wrt = [...names];
      const columns = Object.fromEntries(
        names.map((key) => [key, Float64Array.from(all, (each) => each[key] as number)]),
      );
      const batch = { ...columns, ...fixed } as Inputs;
      const together = program.gradient(batch, { wrt });
      let same = 0;
      all.forEach((one, lane) => {
        const alone = program.gradient({ ...one, ...fixed } as Inputs, { wrt, replay: false });
        const pairs: [number, number][] = [
          [together.values[lane] as number, alone.values[0] as number],
          ...names.map((key): [number, number] => [
            together.gradients[key]?.[lane] as number,
            alone.gradients[key]?.[0] as number,
          ]),
        ];
        if (pairs.every(([a, b]) => Object.is(a, b))) same += 1;
      });
      recorder.count(`${name}/lanes`, lanes);
      recorder.count(`${name}/same bits`, same);
      recorder.count(`${name}/mixed branches`, together.stats.divergentBranches);
      recorder.count(`${name}/buckets`, together.stats.buckets);
      if (same !== lanes) throw new Error(`${name}: ${lanes - same} lanes differ from lanes alone`);
      const [timed] = timeInTurns(
        [{ key: name, call: () => void program.gradient(batch, { wrt }) }],
        context.pace(PARTINGS.length),
      );
      recorder.samples(
        `${name}/per lane`,
        "µs",
        (timed?.samples ?? []).map((each) => each / lanes),
        timed?.how,
      );
      program.dispose();
    }
    machine.dispose();
  },
};
