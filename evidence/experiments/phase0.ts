/**
 * Where the time of our own machine goes: the engine's sampling profiler on a build of the machine that
 * keeps the names of its functions. Every sample falls into one bucket, so a row adds up.
 *
 *   reading    text → loaded program: whatever is called from there
 *   boundary   JavaScript around a call, and the engine's own work
 *   walking    the evaluator: cells, frames, branches, the choice of a primitive
 *   structure  values, payload entries, shapes, records, lists, memory
 *   kernels    arithmetic of the forward pass
 *   replay     going through a kept trace
 *   backward   the reverse pass, its kernels too
 */

import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { join } from "node:path";
import { Machine } from "@ndvm/core";
import { machineRun, machines } from "../baselines/backends.js";
import type { Subject } from "../harness/clock.js";
import { timeInTurns } from "../harness/clock.js";
import type { Context, Definition } from "../harness/context.js";
import { PARTS, type Part } from "../harness/parts.js";
import { buildAssemblyScript, repositoryRoot } from "../harness/tools.js";
import { type Case, five, inputsOf, namesOf } from "../programs.js";

const IS_BACKWARD = /adjoint|backward/i;
/** The first that matches a function of the machine says what it is for. */
const ROOMS: readonly (readonly [RegExp, Part])[] = [
  [/^wasm\/(clients|walk|lanes)\//, "walking"],
  [/^wasm\/index\/walk$/, "walking"],
  [/^wasm\/primitives\/primitives\//, "walking"],
  [/^wasm\/(primitives|memory|tape)\//, "structure"],
  [/^wasm\/linalg\/shapes\//, "structure"],
  [/^wasm\/(generated|math|linalg|kernels)\//, "kernels"],
  [/^wasm\/replay\//, "replay"],
];

/** What a sample is for, by the names on its stack, the innermost first. */
export function partOf(stack: readonly string[]): Part {
  if (stack.includes(readText.name)) return "reading";
  const own = stack[0] as string;
  if (!own.startsWith("wasm/")) return "boundary";
  if (stack.some((name) => name.startsWith("wasm/") && IS_BACKWARD.test(name))) return "backward";
  return ROOMS.find(([pattern]) => pattern.test(own))?.[1] ?? "boundary";
}

/** Samples of a profile by part; those of an idle engine are left out. */
export function partsOf({ nodes, samples = [] }: Profiler.Profile): Record<Part, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parent = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const known = new Map<number, Part | undefined>();
  const partAt = (id: number): Part | undefined => {
    const stack: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parent.get(at))
      stack.push(byId.get(at)?.callFrame.functionName ?? "");
    return stack[0] === "(idle)" ? undefined : partOf(stack);
  };
  const counts = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  for (const id of samples) {
    if (!known.has(id)) known.set(id, partAt(id));
    const part = known.get(id);
    if (part !== undefined) counts[part] += 1;
  }
  return counts;
}

/** A function of its own, so that the profiler sees what is called from it. */
function readText(machine: Machine, source: string) {
  return machine.load(source);
}

type Way = "walked" | "replayed";

/** From the text to the gradient, or from new numbers to the gradient. */
function callOf(machine: Machine, one: Case, lanes: number, way: Way): (turn: number) => void {
  if (way === "replayed")
    return machineRun(one, lanes, { isForward: false, replay: true }, machine).call;
  const inputs = inputsOf(one, lanes);
  const wrt = [...namesOf(one)];
  return () => {
    const program = readText(machine, one.source);
    program.gradient(inputs, { wrt, replay: false });
    program.dispose();
  };
}

class Sampler {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.setSamplingInterval", { interval: 100 });
  }

  /** Commands of a session in one's own thread answer before `post` returns. */
  profile(work: () => void): Profiler.Profile {
    let found: Profiler.Profile | undefined;
    this.#session.post("Profiler.start");
    work();
    this.#session.post("Profiler.stop", (_, { profile }) => {
      found = profile;
    });
    if (found === undefined) throw new Error("the profiler gave no profile");
    return found;
  }

  close(): void {
    this.#session.disconnect();
  }
}

function runFor(milliseconds: number, call: (turn: number) => void): void {
  const deadline = performance.now() + milliseconds;
  for (let turn = 0; performance.now() < deadline; ) for (let i = 0; i < 16; i++) call(turn++);
}

export const phase0: Definition = {
  name: "phase0",
  weight: 4,
  async run(context) {
    const { recorder } = context;
    recorder.condition("whole", "walked: text to gradient; replayed: numbers to gradient");
    recorder.condition(
      "instrument",
      "V8's sampling profiler, ten thousand looks a second, on a build of the machine with names of functions and without the second round of inlining; whole times are of the machine that users get",
    );
    const core = join(repositoryRoot, "packages/core");
    const flags = ["--use", "real=f32", "--initialMemory", "16", "--disableWarning", "112"];
    // Names of functions begin with their file as seen from the folder that they are built in.
    const source = join(core, "wasm/index.ts");
    const file = buildAssemblyScript(source, "stub", [...flags, "--debug"], core);
    const named = await Machine.fromBytes(readFileSync(file), { precision: "f32" });
    const sampler = new Sampler();
    const cells = five.flatMap((one) =>
      ([1, 256] as const).flatMap((lanes) =>
        (["walked", "replayed"] as const).map((way) => ({ one, lanes, way })),
      ),
    );
    for (const { one, lanes, way } of cells) {
      const key = `${one.name}/${lanes}/${way}`;
      profileCell(context, sampler, key, callOf(named, one, lanes, way), cells.length);
    }
    sampler.close();
    named.dispose();
    for (const one of five) wholeTimes(context, one);
  },
};

function profileCell(
  context: Context,
  sampler: Sampler,
  key: string,
  call: (turn: number) => void,
  cells: number,
): void {
  const rounds = context.amount(12, 2);
  const each = Math.max(context.amount(25, 15), (0.6 * context.milliseconds) / (cells * rounds));
  const shares: Record<Part, number>[] = [];
  runFor(context.amount(Math.max(150, each), each), call);
  for (let round = 0; round < rounds; round++)
    shares.push(partsOf(sampler.profile(() => runFor(each, call))));
  for (const part of PARTS)
    context.recorder.samples(
      `${key}/${part}`,
      "%",
      shares.map((of) => (100 * of[part]) / PARTS.reduce((sum, name) => sum + of[name], 0)),
      `profiles of ${each.toFixed(0)} ms`,
    );
}

function wholeTimes(context: Context, one: Case): void {
  const subjects = ([1, 256] as const).flatMap((lanes) =>
    (["walked", "replayed"] as const).map(
      (way): Subject => ({
        key: `${one.name}/${lanes}/${way}/whole`,
        call: callOf(machines.single, one, lanes, way),
      }),
    ),
  );
  for (const { key, samples, how } of timeInTurns(subjects, context.pace(3 * five.length)))
    context.recorder.samples(key, "µs", samples, how);
}
