/**
 * Builds and runs the hand-differentiated Kalman functions in yardsticks/: C++ by g++ -O3 where
 * there is one, AssemblyScript by asc, one lane and four lanes at a time. All go into a temporary folder that is removed at exit.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { kalman, observations, STEPS, variantCount, variants } from "./programs.js";
import { amount } from "./settings.js";
import { type Spread, type Subject, spreadOf } from "./timing.js";

const sources = fileURLToPath(new URL("../yardsticks/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ndvm-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export interface Result {
  readonly value: number;
  readonly byQ: number;
  readonly byR: number;
}

export interface NativeKalman {
  readonly result: Result;
  readonly forward: Spread;
  readonly gradient: Spread;
}

let program: string | undefined;

/** The compiled C++ program's path; undefined where it cannot be built. */
function build(): string | undefined {
  if (program !== undefined) return program;
  const file = join(folder, "kalman");
  const { status } = spawnSync("g++", ["-O3", "-o", file, join(sources, "kalman.cpp")]);
  if (status === 0) program = file;
  return program;
}

/** Runs the C++ function: microseconds a call over many short runs. */
export function runNative(): NativeKalman | undefined {
  const file = build();
  if (file === undefined) return undefined;
  const text = execFileSync(file, [String(STEPS), String(amount(200, 30)), "60"], {
    input: observations.join(" "),
  }).toString();
  const numbers = (name: string) => {
    const line = text.split("\n").find((each) => each.startsWith(`${name} `)) as string;
    return line.split(" ").slice(1).map(Number);
  };
  const [value, byQ, byR] = numbers("result") as [number, number, number];
  const spread = (name: string) => spreadOf(numbers(name).map((nanoseconds) => nanoseconds / 1000));
  return {
    result: { value, byQ, byR },
    forward: spread("forward"),
    gradient: spread("gradient"),
  };
}

interface HandExports {
  readonly memory: WebAssembly.Memory;
  observationsAt(): number;
  forward(q: number, r: number, steps: number): number;
  gradient(q: number, r: number, steps: number): number;
  readonly byQ: WebAssembly.Global;
  readonly byR: WebAssembly.Global;
}

export interface HandKalman {
  readonly result: Result;
  readonly forward: Subject;
  readonly gradient: Subject;
}

function assemble(source: string, ...more: string[]): WebAssembly.Exports {
  const require = createRequire(import.meta.url);
  const asc = join(dirname(require.resolve("assemblyscript/package.json")), "bin/asc.js");
  const output = join(folder, `${source}.wasm`);
  const flags = ["-O3", "--noAssert", "--runtime", "stub", "-o", output, ...more];
  execFileSync(process.execPath, [asc, source, ...flags], { cwd: sources });
  return new WebAssembly.Instance(new WebAssembly.Module(readFileSync(output))).exports;
}

interface WideExports {
  readonly memory: WebAssembly.Memory;
  observationsAt(): number;
  qsAt(): number;
  rsAt(): number;
  valuesAt(): number;
  byQAt(): number;
  byRAt(): number;
  gradient(lanes: number, steps: number): void;
}

export interface WideKalman extends Subject {
  /** Values and gradients of all lanes for the first numbers. */
  readonly results: readonly Float32Array[];
}

/** The f32x4 function, for the lanes that the machine's subject has. */
export function wideKalman(lanes: number): WideKalman {
  const exports = assemble("kalman4.as.ts", "--enable", "simd") as unknown as WideExports;
  const { buffer } = exports.memory;
  const view = (at: number) => new Float32Array(buffer, at, lanes);
  new Float32Array(buffer, exports.observationsAt(), 2 * STEPS).set(observations);
  const { q = [], r = [] } = variants(kalman, lanes);
  const [qs, rs] = [view(exports.qsAt()), view(exports.rsAt())];
  const count = variantCount(lanes);
  const call = (turn: number) => {
    qs.set(q[turn % count] as Float32Array);
    rs.set(r[turn % count] as Float32Array);
    exports.gradient(lanes, STEPS);
  };
  call(0);
  const places = [exports.valuesAt(), exports.byQAt(), exports.byRAt()];
  const results = places.map((at) => view(at).slice());
  return { name: "AssemblyScript by hand, f32x4", call, results };
}

/** The AssemblyScript function as subjects. */
export function handKalman(): HandKalman {
  const exports = assemble("kalman.as.ts") as unknown as HandExports;
  new Float32Array(exports.memory.buffer, exports.observationsAt(), 2 * STEPS).set(observations);
  const value = exports.gradient(0.05, 0.1, STEPS);
  const result = { value, byQ: exports.byQ.value as number, byR: exports.byR.value as number };
  const factor = (turn: number) => 1 + 1e-4 * (turn % 8);
  return {
    result,
    forward: {
      name: "AssemblyScript by hand, forward",
      call: (turn) => exports.forward(0.05 * factor(turn), 0.1 * factor(turn), STEPS),
    },
    gradient: {
      name: "AssemblyScript by hand",
      call: (turn) => exports.gradient(0.05 * factor(turn), 0.1 * factor(turn), STEPS),
    },
  };
}
