/**
 * Where a call is small or new: another path on each call, one call with a few numbers, text to
 * gradient, walks, the start of a process, the first pass over many programs, starts that are not
 * finite. Each row stands beside its yardsticks: plain JavaScript by hand, C++ by hand, the paper's
 * C++ runtime.
 *
 * Every section is a function below; another one is added to the list at the end.
 */

import { execFileSync } from "node:child_process";
import { fit, Machine, type Program, type RunOptions } from "../src/index.js";
import { payloadInfo } from "../src/machine/results/payloads.js";
import { ParsedScheme } from "../src/program/parsed-scheme.js";
import { Checksum } from "./support/checksum.js";
import {
  type Closure,
  lineByHand,
  logisticByHand,
  michaelisByHand,
  oscillatorByHand,
  tentByHand,
} from "./support/closures.js";
import { type ColdProcess, coldProcesses, overEmpty } from "./support/cold.js";
import { readCase, readJsonCase } from "./support/corpus.js";
import { printEnvironment, repositoryRoot } from "./support/environment.js";
import {
  kalman,
  line,
  logistic,
  type Model,
  michaelis,
  oscillator,
  tent,
} from "./support/programs.js";
import { amount } from "./support/settings.js";
import {
  nativeYardsticks,
  referenceYardsticks,
  type Yardsticks,
} from "./support/small-yardsticks.js";
import {
  note,
  ratio,
  SPREAD_HEADINGS,
  section,
  short,
  spreadCells,
  table,
} from "./support/table.js";
import { measure, type Spread, type Subject, spreadOf } from "./support/timing.js";

/** A program that is measured, the function by hand, and its name among the C++ yardsticks. */
interface Small {
  readonly model: Model;
  readonly byHand: Closure | undefined;
  readonly name: string;
}

const lineCase: Small = { model: line, byHand: lineByHand, name: "line" };
const michaelisCase: Small = { model: michaelis, byHand: michaelisByHand, name: "michaelis" };
const oscillatorCase: Small = { model: oscillator, byHand: oscillatorByHand, name: "oscillator" };
const logisticCase: Small = { model: logistic, byHand: logisticByHand, name: "logistic" };
const tentCase: Small = { model: tent, byHand: tentByHand, name: "tent" };
const kalmanCase: Small = { model: kalman, byHand: undefined, name: "kalman" };
const formulas = [lineCase, michaelisCase, oscillatorCase];

const machine = await Machine.create({ precision: "f32" });
let native: Yardsticks;
let reference: Yardsticks;
/** Where results go, so that nothing is left out for not being used. */
const sink = new Float64Array(1);
const WARM = amount(600, 4);
const part = (turn: number) => (turn * 0.618034) % 1;

/** The first parameter varies a little, or the second over its whole interval. */
function numbersAt({ model }: Small, turn: number, isSpread: boolean): Record<string, number> {
  const numbers = Object.entries(model.parameters).map(([name, middle], i) => {
    if (isSpread) return [name, i === 1 ? part(turn) : middle];
    return [name, i === 0 ? middle * (1 + 1e-4 * (turn % 8)) : middle];
  });
  return Object.fromEntries(numbers);
}

interface Way extends RunOptions {
  readonly wrt?: readonly string[];
  readonly isSpread?: boolean;
  readonly isEvaluated?: boolean;
  readonly on?: Machine;
}

interface Checked extends Subject {
  readonly checksum: string;
}

/** Tables of inputs are made before: what is measured is the call. */
function tableOf(small: Small, isSpread: boolean): Record<string, number>[] {
  return Array.from({ length: isSpread ? 4096 : 8 }, (_, turn) => numbersAt(small, turn, isSpread));
}

/** `program.gradient` or `evaluate`, and its numbers read. */
function callOf(name: string, small: Small, way: Way = {}): Checked {
  const { isSpread = false, isEvaluated = false, on = machine, ...options } = way;
  const program = on.load(small.model.source, { domain: "clamp" });
  const inputs = tableOf(small, isSpread);
  const wrt = Object.keys(small.model.parameters);
  const once = (turn: number): number[] => {
    const given = {
      ...(inputs[turn % inputs.length] as Record<string, number>),
      ...small.model.fixed,
    };
    if (isEvaluated) return [...program.evaluate(given, options).values];
    const { values, gradients } = program.gradient(given, { wrt, ...options });
    return [values[0] as number, ...wrt.map((each) => gradients[each]?.[0] as number)];
  };
  const call = (turn: number) => {
    const given = inputs[turn % inputs.length] as Record<string, number>;
    if (isEvaluated) {
      sink[0] = program.evaluate(given, options).values[0] as number;
      return;
    }
    const { values, gradients } = program.gradient(given, { wrt, ...options });
    let sum = values[0] as number;
    for (const each of wrt) sum += gradients[each]?.[0] as number;
    sink[0] = sum;
  };
  const hasFixed = small.model.fixed !== undefined;
  return { name, call: hasFixed ? once : call, checksum: checksumOf(once) };
}

/** `session.run` with new numbers. */
function sessionOf(name: string, small: Small, way: Way = {}): Checked {
  const { isSpread = false, on = machine, isEvaluated: _, ...options } = way;
  const program = on.load(small.model.source, { domain: "clamp" });
  const inputs = tableOf(small, isSpread);
  const wrt = Object.keys(small.model.parameters);
  const session = program.session({ ...inputs[0], ...small.model.fixed }, { wrt, ...options });
  const slots = wrt.map((each) => session.inputs[each] as Float32Array);
  const tables = inputs.map((given) => Float32Array.from(wrt, (each) => given[each] as number));
  const call = (turn: number) => {
    const numbers = tables[turn % tables.length] as Float32Array;
    for (let i = 0; i < slots.length; i++) (slots[i] as Float32Array)[0] = numbers[i] as number;
    session.run();
  };
  const once = (turn: number): number[] => {
    call(turn);
    return [...session.values, ...wrt.flatMap((each) => [...(session.gradients[each] ?? [])])];
  };
  return { name, call, checksum: checksumOf(once) };
}

function checksumOf(once: (turn: number) => number[]): string {
  const sum = new Checksum();
  for (let turn = 0; turn < 64; turn++) sum.add(once(turn));
  return sum.toString();
}

function handOf(small: Small, isSpread: boolean): Subject {
  const inputs = tableOf(small, isSpread).map((given) => Float64Array.from(Object.values(given)));
  const out = new Float64Array(6);
  const byHand = small.byHand as Closure;
  const call = (turn: number) => {
    byHand(inputs[turn % inputs.length] as Float64Array, out);
    sink[0] = out[0] as number;
  };
  return { name: "JavaScript by hand", call };
}

/** A yardstick's cell; empty where it is missing, which a note says. */
function cell(yardsticks: Yardsticks, name: string): string {
  const row = yardsticks.rows.get(name);
  return row === undefined ? "—" : short(row.spread.minimum);
}

/** Says how near the C++ functions come to the machine for their first numbers. */
function noteAgreement(smalls: readonly Small[]): void {
  for (const { model, name } of smalls) {
    const row = native.rows.get(name);
    if (row === undefined) continue;
    const wrt = Object.keys(model.parameters);
    const { values, gradients } = machine.load(model.source).gradient(model.parameters, { wrt });
    const ours = [values[0] as number, ...wrt.map((each) => gradients[each]?.[0] as number)];
    const apart = Math.max(
      ...ours.map((each, i) => Math.abs(each - (row.numbers[i] as number)) / (1 + Math.abs(each))),
    );
    if (!(apart < 1e-4)) note(`DIFFER: C++ by hand is ${apart} apart for ${name}`);
  }
  for (const { missing } of [native, reference]) if (missing) note(`a dash: ${missing}`);
}

const HEADINGS = [...SPREAD_HEADINGS, "over JavaScript", "JavaScript", "C++", "reference"];

function row(checked: Checked, spread: Spread, hand: Spread | undefined, name: string): string[] {
  return [
    checked.name,
    ...spreadCells(spread),
    hand === undefined ? "—" : `${short(spread.minimum - hand.minimum)} µs`,
    hand === undefined ? "—" : short(hand.minimum),
    cell(native, name),
    cell(reference, name),
    checked.checksum,
  ];
}

/** Measures several ways to the same numbers; their checksums must be the same. */
function compare(
  small: Small,
  ways: readonly Checked[],
  isSpread: boolean,
  isSame = true,
): string[][] {
  const subjects: Subject[] =
    small.byHand === undefined ? [...ways] : [...ways, handOf(small, isSpread)];
  const spreads = measure(subjects, WARM);
  const hand = small.byHand === undefined ? undefined : spreads[ways.length];
  const sums = new Set(ways.map(({ checksum }) => checksum));
  if (isSame && sums.size > 1) note(`DIFFER: ${small.name} ${[...sums].join(" ")}`);
  return ways.map((way, i) => row(way, spreads[i] as Spread, hand, small.name));
}

async function newPaths(): Promise<void> {
  section("Small: another path on each call, tent map of 16 steps, 1 lane, f32");
  const off = await Machine.create({ precision: "f32", mechanisms: { paths: false } });
  const isSpread = true;
  const ways = [
    sessionOf("session.run", tentCase, { isSpread }),
    callOf("program.gradient", tentCase, { isSpread }),
    sessionOf("session.run, walked (replay off)", tentCase, { isSpread, replay: false }),
    sessionOf("session.run, paths off", tentCase, { isSpread, on: off }),
  ];
  table(["work", ...HEADINGS, "checksum"], compare(tentCase, ways, isSpread));
  noteAgreement([tentCase]);
  off.dispose();
}

function oneCall(): void {
  section("Small: one call with a few numbers, 1 lane, f32");
  const rows = formulas.flatMap((small) => {
    const { name } = small.model;
    const ways = [
      callOf(`${name}: program.gradient`, small),
      sessionOf(`${name}: session.run`, small),
    ];
    const values = [callOf(`${name}: program.evaluate`, small, { isEvaluated: true })];
    return [...compare(small, ways, false), ...compare(small, values, false)];
  });
  table(["work", ...HEADINGS, "checksum"], rows);
  noteAgreement(formulas);
  section("Small: garbage of one call, 1 lane, f32");
  const garbage = formulas.flatMap((small) => {
    const { name } = small.model;
    const ways = [
      callOf(`${name}: program.gradient`, small),
      callOf(`${name}: program.evaluate`, small, { isEvaluated: true }),
      sessionOf(`${name}: session.run`, small),
      sessionOf(`${name}: session.run, walked (replay off)`, small, { replay: false }),
    ];
    return ways.map((way) => [way.name, short(bytesOf(way)), way.checksum]);
  });
  table(["work", "bytes a call", "checksum"], garbage);
  note(
    "what a call leaves on JavaScript's heap: the arrays of its result, and nothing by a session",
  );
}

/** Bytes that a warm call leaves on the heap: the least of several rounds, none with a collection. */
function bytesOf({ call }: Subject): number {
  const calls = 2000;
  let turn = 0;
  const rounds = Array.from({ length: amount(40, 6) }, () => {
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < calls; i++) call(turn++);
    return (process.memoryUsage().heapUsed - before) / calls;
  });
  // Where memory was collected in between there is less after a round than before.
  const whole = rounds.filter((bytes) => bytes >= 0);
  return Math.min(...(whole.length > 0 ? whole : [0]));
}

const TEXTS = 16;

/**
 * Texts nobody has seen: each has another number of blanks at its end. They are made before, and so
 * are those of the reference; `join` makes one piece of each.
 */
const textsOf = (source: string) =>
  Array.from({ length: TEXTS }, (_, blanks) => [...source, ...Array(blanks).fill(" ")].join(""));

/** From text to gradient, and the share of each stage. A formula has a short way; `begin` has not. */
function textRow({ model, name }: Small, wrap: (source: string) => string, label: string) {
  const source = wrap(model.source);
  const texts = textsOf(source);
  const textAt = (turn: number) => texts[turn % TEXTS] as string;
  const whole = (program: Program) => program.gradient(model.parameters);
  const stages: Subject[] = [
    {
      name: "encode",
      call: (turn) => void machine.encode(new ParsedScheme(textAt(turn), undefined), {}),
    },
    { name: "load", call: (turn) => machine.load(textAt(turn)).dispose() },
    {
      name: "walk",
      call: (turn) => {
        const program = machine.load(textAt(turn));
        whole(program);
        program.dispose();
      },
    },
  ];
  const spreads = measure(stages, WARM);
  const total = spreads.at(-1) as Spread;
  const shares = spreads.map((spread, i) => {
    const before = i === 0 ? 0 : (spreads[i - 1] as Spread).minimum;
    return `${Math.round((100 * Math.max(0, spread.minimum - before)) / total.minimum)} %`;
  });
  const program = machine.load(source);
  const { values, gradients } = whole(program);
  program.dispose();
  const sum = new Checksum().add(values);
  for (const numbers of Object.values(gradients)) sum.add(numbers);
  const target = { line: "2.1", michaelis: "2.7", oscillator: "5.4" }[name] ?? "";
  const theirs = cell(reference, `${name}-text`);
  return [label, ...spreadCells(total), ...shares, theirs, target, String(sum)];
}

function textToGradient(): void {
  section("Small: text → value and gradient, 1 lane, warm process, f32");
  const rows = formulas.flatMap((small) => [
    textRow(small, (source) => source, small.model.name),
    textRow(small, (source) => `(begin ${source})`, `${small.model.name}, by reader and expander`),
  ]);
  const stages = ["read, encode", "load", "walk, backward"];
  const theirs = ["reference", "reference elsewhere"];
  table(["formula", ...SPREAD_HEADINGS, ...stages, ...theirs, "checksum"], rows);
  note("shares: what each stage adds to the minimum of the stages before it");
}

function walks(): void {
  section("Small: walks, replay off, forward and gradient, 1 lane, f32");
  const cases = [lineCase, michaelisCase, oscillatorCase, logisticCase, kalmanCase];
  const rows = cases.flatMap((small) => {
    const replay = false;
    const ways = [
      sessionOf(`${small.model.name}: session.run`, small, { replay }),
      callOf(`${small.model.name}: program.gradient`, small, { replay }),
    ];
    return compare(small, ways, false);
  });
  table(["work", ...HEADINGS, "checksum"], rows);
  noteAgreement([lineCase, michaelisCase, oscillatorCase, logisticCase]);
}

function start(): void {
  section("Small: process start → first gradient");
  const [empty] = coldProcesses() as [ColdProcess];
  const rows = coldProcesses().map(({ name, processor }) => [
    name,
    ...spreadCells(processor),
    name === empty.name ? "" : `${short(overEmpty(name))} ms`,
  ]);
  table(["process", "min ms", "median", "quartiles", "over an empty Node"], rows);
  note(
    "the processor's time of the whole process, all threads; `bench -- startup` tells its parts",
  );
}

/** What one Kalman gradient makes and takes, beside what the paper counts. */
function kalmanMemory(): void {
  section("Small: Kalman T=80, payloads and bytes of one lane, f32");
  const paper = readCase("reference/paper_tables/alloc_counters_n128.txt");
  const theirs = paper?.match(/^kalman2d_T80\s+\S+\s+(\S+)\s+(\S+)/m);
  const program = machine.load(kalman.source, { domain: "clamp" });
  const wrt = Object.keys(kalman.parameters);
  const given = { ...kalman.parameters, ...kalman.fixed };
  const { stats } = program.evaluate(given, { replay: false });
  const ids = Array.from({ length: stats.payloads }, (_, id) => id);
  const numbers = ids.filter((id) => payloadInfo(machine, id).rank === 0).length;
  const pass = program.gradient(given, { wrt, replay: false }).stats;
  const kibibytes = (...bytes: number[]) => short(bytes.reduce((a, b) => a + b, 0) / 1024);
  const rows = [
    ["payloads that are numbers, as the paper counts", String(numbers), theirs?.[2] ?? "—"],
    ["payloads, with vectors and matrices", String(stats.payloads), "—"],
    ["KiB of one evaluation", kibibytes(stats.primalBytes), "—"],
    [
      "KiB of one gradient: primals, adjoints, tape",
      kibibytes(pass.primalBytes, pass.adjointBytes, pass.tapeBytes),
      "—",
    ],
    ["peak KiB of boxed values, an eager interpreter", "—", theirs?.[1] ?? "—"],
  ];
  table(["of one lane", "here", "the paper"], rows);
  const evaluated = new Checksum().add(program.evaluate(given, { replay: false }).values);
  note(`checksum ${evaluated}`);
}

interface Stream {
  readonly candidates: readonly { readonly src: string; readonly params: readonly string[] }[];
}

function coldPass(): void {
  section("Small: first pass over the 247 programs of a cold process");
  const path = "reference/cosearch_flat.json";
  const stream = readJsonCase<Stream>(path);
  if (stream === undefined) return;
  const texts = JSON.stringify(stream.candidates.map(({ src, params }) => [src, params]));
  const script = `
    import { readFileSync } from "node:fs";
    const { Machine } = await import("@ndvm/core");
    const machine = await Machine.create({ precision: "f32" });
    const programs = JSON.parse(readFileSync(0, "utf8"));
    const before = process.cpuUsage();
    const started = performance.now();
    let done = 0;
    for (const [source, names] of programs) {
      try {
        const inputs = Object.fromEntries([...names, "x"].map((name) => [name, 0.5]));
        const program = machine.load(source, { domain: "clamp", inputs: Object.keys(inputs) });
        program.gradient(inputs, { wrt: names });
        program.dispose();
        done += 1;
      } catch {}
    }
    const took = performance.now() - started;
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000, took, done)`;
  const runs = Array.from({ length: amount(12, 2) }, () =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: repositoryRoot,
      input: texts,
    })
      .toString()
      .trim()
      .split(" ")
      .map(Number),
  );
  const spread = (part: number) => spreadOf(runs.map((run) => run[part] as number));
  const done = String((runs[0] as number[])[2]);
  table(
    ["load, gradient, dispose", "min ms", "median", "quartiles", "programs", "reference elsewhere"],
    [
      ["the processor's time, all threads", ...spreadCells(spread(0)), done, "34"],
      ["by the clock", ...spreadCells(spread(1)), done, "34"],
    ],
  );
  note("by @ndvm/core as it is shipped; both are told, since a busy computer slows the clock");
}

async function startsNotFinite(): Promise<void> {
  section("Small: a fit whose start is not finite");
  const t = Array.from({ length: 44 }, (_, i) => 0.1 + i / 10);
  const data = { t, y: t.map((each) => 1.5 * Math.log(each + 0.5)) };
  const program = machine.load("(* a (log (+ t b)))");
  const times = { good: [] as number[], bad: [] as number[] };
  const sum = new Checksum();
  let refused = "";
  for (let turn = 0; turn < amount(300, 6); turn++) {
    const from = performance.now();
    const how = { data, target: "y", optimiser: "adam", steps: 50, detail: "scores" } as const;
    const found = await fit(program, { ...how, params: { a: 1, b: 0.4 } });
    const between = performance.now();
    refused = await fit(program, { ...how, params: { a: 1, b: -9 } }).then(
      () => "",
      (error) => error.code,
    );
    times.good.push(1000 * (between - from));
    times.bad.push(1000 * (performance.now() - between));
    if (turn === 0) sum.add([found.best.loss]);
  }
  const good = spreadOf(times.good);
  const bad = spreadOf(times.bad);
  table(
    ["work", ...SPREAD_HEADINGS, "good fits", "outcome"],
    [
      ["a fit of 50 Adam steps", ...spreadCells(good), "", String(sum)],
      ["a start that is NaN", ...spreadCells(bad), ratio(bad.minimum, good.minimum), refused],
    ],
  );
}

printEnvironment();
native = nativeYardsticks();
reference = referenceYardsticks();
for (const part of [newPaths, oneCall, textToGradient, walks, kalmanMemory]) await part();
for (const part of [start, coldPass, startsNotFinite]) await part();
machine.dispose();
