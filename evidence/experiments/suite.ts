/**
 * The five programs on every backend, one lane: forward, forward with gradient, and what each way
 * to hold a value makes. Nothing is timed before its values and gradients have passed the gate.
 */

import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import {
  type Backend,
  backends,
  distance,
  isWithin,
  kalmanCpp,
  machines,
  type Outcome,
  type Runner,
  SINGLE,
  type Tolerance,
  truthOf,
} from "../baselines/backends.js";
import { eagerProgram } from "../baselines/eager/tensorflow.js";
import { EAGER, type Eager, eagerName, eagerSuite, NO_CPP, whyNot } from "../baselines/external.js";
import { boxedScript, runBoxedCpp } from "../baselines/native/boxed.js";
import { NO_REFERENCE, runReference } from "../baselines/native/reference.js";
import type { Subject } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
import { buildCpp } from "../harness/tools.js";
import { type Case, five, inputsOf, kalman, namesOf, STEPS } from "../programs.js";

export const QUICK = "left out of a quick run: one call takes seconds";
/** The paper's N. */
const SAMPLES_LEAST = 12;

/** A gate that fails ends the run: no ratio is worth anything then. */
export function gate(
  { recorder }: Context,
  key: string,
  outcome: Outcome,
  truth: Outcome,
  allowed: Tolerance,
): void {
  const found = distance(outcome, truth);
  recorder.count(`${key}/value error`, found.value, "relative", `at most ${allowed.value}`);
  if (outcome.gradients.length > 0)
    recorder.count(
      `${key}/gradient error`,
      found.gradient,
      "relative",
      `at most ${allowed.gradient}`,
    );
  if (!isWithin(found, allowed))
    throw new Error(
      `${key} fails the gate: value off by ${found.value}, gradient by ${found.gradient}`,
    );
}

/** Slow in TensorFlow.js: a tensor operation for every tag that is read. */
const isSlow = (backend: Backend, one: Case): boolean =>
  backend.name === "tagged TensorFlow.js" && (one.name === "kalman" || one.name === "logistic");

function inProcess(context: Context, one: Case, truth: Outcome): void {
  const subjects: Subject[] = [];
  for (const backend of backends) {
    const key = `${one.name}/${backend.name}`;
    if (context.isQuick && isSlow(backend, one)) {
      for (const kind of ["forward", "gradient"]) context.recorder.missing(`${key}/${kind}`, QUICK);
      continue;
    }
    const runner = backend.make(one);
    if (runner === undefined) continue;
    gate(context, key, runner.result(), truth, backend.tolerance);
    if (isSlow(backend, one)) timeSlow(context, key, one, runner);
    else subjects.push(...subjectsOf(key, runner));
  }
  context.time(subjects, 2 * five.length);
}

/** Why a program's gradient is not timed: its value is what the page compares. */
const GRADIENT_GATED = "passes the gate; not timed, since one call takes seconds";

/** Calls that are long: one a sample, as many as the paper takes. */
function timeSlow({ recorder }: Context, key: string, one: Case, runner: Runner): void {
  for (const kind of ["forward", "gradient"] as const) {
    if (kind === "gradient" && one.name === "kalman") {
      recorder.missing(`${key}/${kind}`, GRADIENT_GATED);
      continue;
    }
    const samples: number[] = [];
    for (let turn = 0; turn < SAMPLES_LEAST; turn++) {
      const started = performance.now();
      runner[kind]?.(turn);
      samples.push((performance.now() - started) * 1000);
    }
    recorder.samples(`${key}/${kind}`, "µs", samples, "1 call a sample");
  }
}

function subjectsOf(key: string, { forward, gradient }: Runner): Subject[] {
  return [
    ...(forward ? [{ key: `${key}/forward`, call: forward }] : []),
    ...(gradient ? [{ key: `${key}/gradient`, call: gradient }] : []),
  ];
}

const EAGER_PARTS = [
  "forward",
  "backward",
  "constructions",
  "bytes",
  "boxing",
  "walks",
  "arithmetic",
] as const;
const PYTHON_HOW = "1 call a sample, one thread, processor time";
/** A forward call of it takes seconds. */
const SLOWEST = "kalman/DMCI";
const CORES_FOR_SEVERAL = 8;

function torch(context: Context, truths: ReadonlyMap<string, Outcome>): void {
  const { recorder } = context;
  const encodings = EAGER.filter((kind) => whyNot(kind) === undefined);
  const gap = (one: Case, kind: Eager, reason: string) => {
    for (const part of EAGER_PARTS)
      recorder.missing(`${one.name}/${eagerName(kind)}/${part}`, reason);
  };
  for (const one of five)
    for (const kind of EAGER) {
      const reason = whyNot(kind);
      if (reason !== undefined) gap(one, kind, reason);
    }
  if (context.isQuick && encodings.includes("DMCI")) gap(kalman, "DMCI", QUICK);
  if (encodings.length === 0) return;
  // On many cores the calls that take seconds go side by side; their time is that of the processor.
  const processes = availableParallelism() >= CORES_FOR_SEVERAL ? 4 : 1;
  const results = eagerSuite(five, {
    seconds: context.milliseconds / 1000 / 40,
    least: context.amount(SAMPLES_LEAST, 1),
    most: context.amount(60, 6),
    encodings,
    skip: context.isQuick ? [SLOWEST] : [],
    processes: { [SLOWEST]: processes },
  });
  for (const [name, result] of Object.entries(results)) {
    const [program, kind] = name.split("/") as [string, Eager];
    const key = `${program}/${eagerName(kind)}`;
    const one = five.find((each) => each.name === program) as Case;
    const gradients = namesOf(one).map((each) => result.gradients[each] as number);
    gate(context, key, { value: result.value, gradients }, truths.get(program) as Outcome, SINGLE);
    const told =
      name === SLOWEST && processes > 1
        ? `${PYTHON_HOW}, ${processes} processes side by side`
        : PYTHON_HOW;
    recorder.samples(`${key}/forward`, "µs", result.forward, told);
    recorder.samples(`${key}/backward`, "µs", result.backward, told);
    const how = kind === "DMCI" ? "cProfile's count of one call" : "counted in one call";
    for (const [part, count] of Object.entries(result.counts))
      recorder.count(`${key}/${part}`, count, part === "bytes" ? "B" : "count", how);
  }
}

function native(context: Context, one: Case, truth: Outcome): void {
  const { recorder } = context;
  const key = `${one.name}/boxed C++`;
  const boxed = runBoxedCpp(one, context.amount(60, 6), one.name === "kalman" ? 5 : 200);
  if (boxed === undefined) recorder.missing(`${key}/forward`, NO_CPP);
  else {
    gate(context, key, { value: boxed.value, gradients: [] }, truth, SINGLE);
    recorder.samples(`${key}/forward`, "µs", boxed.forward, "a process of its own, g++ -O3");
    recorder.count(`${key}/constructions`, boxed.constructions);
  }
  recorder.count(
    `${one.name}/boxed AssemblyScript/constructions`,
    boxedScript(one).constructions(),
  );
}

function authors(context: Context, one: Case, truth: Outcome): void {
  const { recorder } = context;
  const key = `${one.name}/author's runtime`;
  const calls = one.name === "kalman" ? 3 : 100;
  const found = runReference(one, 1, context.amount(40, 4), calls);
  for (const kind of ["forward", "gradient"] as const)
    if (found === undefined) recorder.missing(`${key}/${kind}`, NO_REFERENCE);
    else
      recorder.samples(
        `${key}/${kind}`,
        "µs",
        found[kind],
        "a process of its own, one interpreter",
      );
  if (found !== undefined) gate(context, key, found, truth, SINGLE);
}

function handWritten(context: Context, truth: Outcome): void {
  const { recorder } = context;
  const key = "kalman/by hand in C++";
  const file = buildCpp(kalmanCpp);
  if (file === undefined) {
    for (const kind of ["forward", "gradient"]) recorder.missing(`${key}/${kind}`, NO_CPP);
    return;
  }
  const text = execFileSync(file, [String(STEPS), String(context.amount(200, 12)), "60"], {
    input: (kalman.matrices["obs"]?.data ?? []).join(" "),
  }).toString();
  const numbers = (name: string) =>
    (text.split("\n").find((line) => line.startsWith(`${name} `)) as string)
      .split(" ")
      .slice(1)
      .map(Number);
  const [value, ...gradients] = numbers("result") as [number, ...number[]];
  gate(context, key, { value, gradients }, truth, SINGLE);
  for (const kind of ["forward", "gradient"])
    recorder.samples(
      `${key}/${kind}`,
      "µs",
      numbers(kind).map((each) => each / 1000),
      "60 calls a sample, a process of its own, g++ -O3",
    );
}

/** What the machine's own counters say of one evaluation. */
function counters({ recorder, isQuick }: Context, one: Case): void {
  const program = machines.single.load(one.source);
  const forward = program.evaluate(inputsOf(one, 1), { replay: false }).stats;
  const gradient = program.gradient(inputsOf(one, 1), { replay: false, wrt: [...namesOf(one)] });
  const key = `${one.name}/ndvm`;
  recorder.count(`${key}/payloads`, forward.payloads);
  recorder.count(`${key}/objects`, forward.heapObjects);
  recorder.count(`${key}/steps`, forward.steps);
  recorder.count(`${key}/tape records`, gradient.stats.tapeRecords);
  const { primalBytes, adjointBytes, tapeBytes, heapBytes } = gradient.stats;
  recorder.count(`${key}/gradient bytes`, primalBytes + adjointBytes + tapeBytes + heapBytes, "B");
  program.dispose();
  for (const kind of ["tagged", "tuned"] as const) {
    const key = `${one.name}/${kind} TensorFlow.js`;
    if (isQuick && kind === "tagged" && one.name === "kalman") {
      recorder.missing(`${key}/boxing`, QUICK);
      continue;
    }
    const eager = eagerProgram(one, kind);
    eager.forward(namesOf(one).map((name) => one.parameters[name] as number));
    for (const [part, count] of Object.entries(eager.counts))
      recorder.count(`${key}/${part}`, count);
  }
}

export const suite: Definition = {
  name: "suite",
  weight: 8,
  run(context) {
    context.recorder.condition("precision", "f32 unless a backend's name says otherwise");
    context.recorder.condition(
      "gate",
      "values within 1e-4 and gradients within 2e-3 of the machine in f64 for single precision, 1e-9 for double",
    );
    const truths = new Map(five.map((one) => [one.name, truthOf(one)]));
    for (const one of five) {
      context.say(one.title);
      inProcess(context, one, truths.get(one.name) as Outcome);
      native(context, one, truths.get(one.name) as Outcome);
      authors(context, one, truths.get(one.name) as Outcome);
      counters(context, one);
    }
    handWritten(context, truths.get("kalman") as Outcome);
    torch(context, truths);
  },
};
