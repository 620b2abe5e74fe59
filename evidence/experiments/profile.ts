/**
 * Where time goes: in the tagged eager interpreter by cProfile, as in the paper's Phase 0, and in
 * our own machine by differences of nested calls, which therefore add up to the whole.
 *
 *   reading    text → loaded program
 *   boundary   a call whose program is a constant
 *   kernels    a replayed forward call, less the boundary
 *   walking    a walked forward call, less a replayed one: evaluator, structure and records
 *   backward   a call with gradient, less the same without
 */

import { machineRun, machines } from "../baselines/backends.js";
import { eagerProfile, hasTorch, NO_TORCH } from "../baselines/external.js";
import type { Subject } from "../harness/clock.js";
import { timeInTurns } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
import { type Case, five } from "../programs.js";
import { QUICK } from "./suite.js";

export const BUCKETS = ["boxing", "walking", "heap", "dispatch", "arithmetic", "other"] as const;

export const profile: Definition = {
  name: "profile",
  weight: 1,
  run(context) {
    const { recorder } = context;
    recorder.condition("instrument", "cProfile, own time; that of PyTorch goes to its caller");
    const cases = context.amount(five, five.slice(0, 4));
    const found = hasTorch() ? eagerProfile(cases, context.amount(12, 3)) : undefined;
    for (const one of five)
      for (const bucket of BUCKETS) {
        const key = `${one.name}/${bucket}`;
        const rounds = found?.[one.name];
        if (rounds === undefined) recorder.missing(key, found === undefined ? NO_TORCH : QUICK);
        else
          recorder.samples(
            key,
            "%",
            rounds.map((round) => shareOf(round, bucket)),
          );
      }
  },
};

function shareOf(round: Readonly<Record<string, number>>, bucket: string): number {
  const whole = Object.values(round).reduce((sum, each) => sum + each, 0);
  return (100 * (round[bucket] as number)) / whole;
}

const constant: Case = {
  name: "constant",
  title: "a constant",
  source: "x",
  steps: 1,
  parameters: { x: 1 },
  matrices: {},
};

function subjectsOf(one: Case, lanes: number): Subject[] {
  const run = (isForward: boolean, replay: boolean) =>
    machineRun(one, lanes, { isForward, replay }).call;
  return [
    { key: "read", call: () => machines.single.load(one.source).dispose() },
    { key: "empty", call: machineRun(constant, lanes, { isForward: true, replay: true }).call },
    { key: "walked", call: run(true, false) },
    { key: "replayed", call: run(true, true) },
    { key: "back walked", call: run(false, false) },
    { key: "back replayed", call: run(false, true) },
  ];
}

function measure(context: Context, one: Case, lanes: number, parts: number): void {
  for (const { key, samples, how } of timeInTurns(subjectsOf(one, lanes), context.pace(parts)))
    context.recorder.samples(`${one.name}/${lanes}/${key}`, "µs", samples, how);
}

export const phase0: Definition = {
  name: "phase0",
  weight: 3,
  run(context) {
    context.recorder.condition("whole", "walked: text to gradient; replayed: numbers to gradient");
    const sizes = [1, 256] as const;
    for (const one of five)
      for (const lanes of sizes) measure(context, one, lanes, five.length * sizes.length);
  },
};
