/**
 * Cold processes: what a process pays before its first gradient, measured in one way for every table
 * that tells it. Processes take turns with an empty Node. What counts is the processor's time of the
 * whole process, all threads: never less than the clock's on a quiet computer, and less noisy.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { repositoryRoot } from "./environment.js";
import { amount } from "./settings.js";
import { type Spread, spreadOf } from "./timing.js";

/** Milliseconds of one kind of process. */
export interface ColdProcess {
  readonly name: string;
  /** Minima by the clock; undefined where the process prints none. */
  readonly parts:
    | { readonly import: number; readonly create: number; readonly gradient: number }
    | undefined;
  /** From the import to the first gradient, and from the start of the process, by the clock. */
  readonly fromImport: number;
  readonly fromStart: number;
  readonly processor: Spread;
}

const script = (entry: string) => `
  const started = performance.now();
  const { Machine } = await import("${entry}");
  const imported = performance.now();
  const machine = await Machine.create({ precision: "f32" });
  const created = performance.now();
  const { gradients } = machine.load("(* a (exp (* k t)))").gradient({ a: 2, k: -0.5, t: 1 });
  const done = performance.now();
  const parts = [imported - started, created - imported, done - created, done - started, done];
  console.log(parts.join(" "), gradients.a[0]);`;
const EMPTY = "console.log('0 0 0 0', performance.now(), 0)";
const command = fileURLToPath(new URL("../../../cli/bin/ndvm.js", import.meta.url));
/** Prints the processor's time when a process ends. */
const AT_EXIT = `data:text/javascript,process.on("exit",()=>{
  const{user,system}=process.cpuUsage();process.stderr.write(String((user+system)/1000))})`;
const module = ["--input-type=module", "-e"] as const;
/** Programs for Node that print what their parts took; the command prints its value alone. */
const PROCESSES: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["an empty Node", [...module, EMPTY]],
  ["@ndvm/core", [...module, script("@ndvm/core")]],
  ["@ndvm/core/machine", [...module, script("@ndvm/core/machine")]],
  ["@ndvm/core, module by module", ["--conditions=development", ...module, script("@ndvm/core")]],
  ["ndvm eval", [command, "eval", "-e", "(* 2 (exp -0.5))"]],
];

let measured: readonly ColdProcess[] | undefined;

/** All of them, the empty Node first; measured once in a process, whoever asks. */
export function coldProcesses(): readonly ColdProcess[] {
  measured ??= measureCold();
  return measured;
}

function measureCold(): readonly ColdProcess[] {
  const runs: number[][][] = PROCESSES.map(() => []);
  for (let round = 0; round < amount(30, 2); round++)
    PROCESSES.forEach(([, args], i) => {
      runs[i]?.push(runOne(args));
    });
  return PROCESSES.map(([name], i) => {
    const spread = (part: number) => spreadOf((runs[i] ?? []).map((run) => run[part] as number));
    const least = (part: number) => spread(part).minimum;
    const parts =
      least(0) > 0 ? { import: least(0), create: least(1), gradient: least(2) } : undefined;
    return { name, parts, fromImport: least(3), fromStart: least(4), processor: spread(5) };
  });
}

/** Five figures that the process printed, or zeros, and its processor time. */
function runOne(args: readonly string[]): number[] {
  const options = { cwd: repositoryRoot, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [`--import=${AT_EXIT}`, ...args], options);
  const parts = stdout.split(" ").map(Number).slice(0, 5);
  return [...parts, ...Array(5 - parts.length).fill(0), Number(stderr)];
}

/** What a process takes over an empty Node, of the processor's time, minima. */
export function overEmpty(name: string): number {
  const all = coldProcesses();
  const found = all.find((each) => each.name === name) as ColdProcess;
  return found.processor.minimum - (all[0] as ColdProcess).processor.minimum;
}
