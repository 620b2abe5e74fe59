/**
 * The author's C++ runtime, from a checkout that NDVM_REFERENCE names: built in a temporary folder with
 * drivers of ours, never copied in.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildFolder, CPP_FLAGS, evidenceFolder } from "../../harness/tools.js";
import type { Case } from "../../programs.js";
import type { StreamCandidate, StreamEvent, StreamTask } from "../external.js";
import { inputLines, linesOf } from "./boxed.js";

export const NO_REFERENCE = "NDVM_REFERENCE names no checkout of the author's runtime";
export const AUTHOR = "author's runtime";

export interface ReferenceRun {
  readonly value: number;
  readonly gradients: readonly number[];
  /** Microseconds of a call with all its lanes. */
  readonly forward: readonly number[];
  readonly gradient: readonly number[];
}

const built = new Map<string, string | undefined>();

/** The path of a driver; undefined where there is no checkout or no compiler. */
function build(driver: "reference" | "reference-fit"): string | undefined {
  if (!built.has(driver)) built.set(driver, compile(driver));
  return built.get(driver);
}

function compile(driver: string): string | undefined {
  const runtime = compileRuntime();
  if (runtime === undefined) return undefined;
  const file = join(buildFolder(), driver);
  const ours = join(evidenceFolder, `baselines/native/${driver}.cpp`);
  const flags = [...CPP_FLAGS, ...runtime.includes, "-pthread", "-o", file];
  const { status } = spawnSync("g++", [...flags, ours, ...runtime.objects]);
  return status === 0 ? file : undefined;
}

interface Runtime {
  readonly includes: readonly string[];
  readonly objects: readonly string[];
}

let runtime: Runtime | undefined;

/** The author's sources, built once for both drivers. */
function compileRuntime(): Runtime | undefined {
  const checkout = process.env["NDVM_REFERENCE"];
  if (runtime !== undefined || checkout === undefined) return runtime;
  const sources = [join(checkout, "ndvm/src"), join(checkout, "src")].find((each) =>
    existsSync(join(each, "interp.hpp")),
  );
  if (sources === undefined) return undefined;
  const names = readdirSync(sources).filter((name) => name.endsWith(".cpp"));
  const includes = ["-I", sources, "-I", join(sources, "../include")];
  const files = names.map((name) => join(sources, name));
  const flags = [...CPP_FLAGS, ...includes, "-pthread", "-c", ...files];
  const { status } = spawnSync("g++", flags, { cwd: buildFolder() });
  const objects = names.map((name) => join(buildFolder(), name.replace(/cpp$/, "o")));
  if (status === 0) runtime = { includes, objects };
  return runtime;
}

/** Why the author's runtime fits nothing here; undefined where it does. */
export const whyNoReference = (): string | undefined =>
  build("reference-fit") === undefined ? NO_REFERENCE : undefined;

export function runReference(
  one: Case,
  lanes: number,
  runs: number,
  calls: number,
  /** Without its cache of addresses: every reference searches its name. */
  isScanning = false,
): ReferenceRun | undefined {
  const file = build("reference");
  if (file === undefined) return undefined;
  const numbers = [lanes, runs, calls].map(String);
  const text = execFileSync(file, [...numbers, isScanning ? "scan" : "cache"], {
    input: inputLines(one),
  }).toString();
  const [value, ...gradients] = linesOf(text, "result") as [number, ...number[]];
  const microseconds = (name: string) => linesOf(text, name).map((each) => each / 1000);
  return {
    value,
    gradients,
    forward: microseconds("forward"),
    gradient: microseconds("gradient"),
  };
}

export interface ReferenceStream {
  readonly task: StreamTask;
  readonly candidates: readonly StreamCandidate[];
  readonly steps: number;
  readonly seconds: number;
  /** It stops after so many fits, where this is given, or when the seconds are over. */
  readonly fitsMost?: number;
  readonly seed: number;
}

/** A fit of a stream, and the mean of squares it came to. */
export interface ReferenceFit {
  readonly event: StreamEvent;
  readonly loss: number;
}

export function referenceStream(job: ReferenceStream): ReferenceFit[] {
  const { task, candidates, steps, seconds, fitsMost = 0, seed } = job;
  const file = build("reference-fit");
  if (file === undefined) throw new Error(NO_REFERENCE);
  const lines = [
    ...[task.x, task.y, task.heldX, task.heldY].map((column) => column.join(" ")),
    ...candidates.map(({ source, params }) => `${params.join(",")} ${source.replace(/\s+/g, " ")}`),
  ];
  const args = ["stream", seconds, fitsMost, seed, steps].map(String);
  const text = execFileSync(file, args, {
    input: `${lines.join("\n")}\n`,
    maxBuffer: 2 ** 28,
  }).toString();
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [, now, index, score, core, loss] = line.split(" ") as string[];
      const held = score === "none" ? null : Number(score);
      return { event: [Number(now), Number(index), held, Number(core)], loss: Number(loss) };
    });
}

/** A calibration of a program's numbers: the losses on the way, and microseconds of each run. */
export function referenceCalibration(
  one: Case,
  evaluations: number,
  runs: number,
): { readonly losses: readonly number[]; readonly fits: readonly number[] } {
  const file = build("reference-fit");
  if (file === undefined) throw new Error(NO_REFERENCE);
  const text = execFileSync(file, ["calibrate", String(evaluations), String(runs)], {
    input: inputLines(one),
  }).toString();
  return {
    losses: linesOf(text, "losses"),
    fits: linesOf(text, "fit").map((each) => each / 1000),
  };
}
