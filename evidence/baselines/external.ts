/**
 * Baselines that run in Python: eager interpreters on PyTorch, ours and the author's; JAX and CasADi
 * where they are. Each says why it is missing where it is.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { jaxGpu, pythonModule, runPython } from "../harness/tools.js";
import type { Case } from "../programs.js";

const EAGER_SCRIPT = "baselines/eager/eager.py";

export const NO_TORCH = "PyTorch cannot be imported here";
const NO_DMCI = "NDVM_DMCI names no checkout of the author's interpreter";
export const NO_JAX = "JAX cannot be imported here";
export const NO_CASADI = "CasADi cannot be imported here";
export const NO_CPP = "there is no g++ here";

/** Interpreters on PyTorch: two of ours, and the author's. */
export const EAGER = ["tagged", "tuned", "DMCI"] as const;
export type Eager = (typeof EAGER)[number];
export const eagerName = (kind: Eager): string => (kind === "DMCI" ? kind : `${kind} PyTorch`);

/** Why an interpreter cannot be run here; undefined where it can. */
export function whyNot(kind: Eager): string | undefined {
  if (pythonModule("torch") === undefined) return NO_TORCH;
  const checkout = process.env["NDVM_DMCI"];
  if (kind !== "DMCI") return undefined;
  const has = checkout !== undefined && existsSync(join(checkout, "neural_compiler/dmci.py"));
  return has ? undefined : NO_DMCI;
}

export const forPython = ({ name, source, parameters, matrices }: Case) => ({
  name,
  source,
  numbers: parameters,
  matrices,
});

export interface EagerResult {
  readonly value: number;
  readonly gradients: Readonly<Record<string, number>>;
  readonly forward: readonly number[];
  readonly backward: readonly number[];
  readonly counts: Readonly<Record<string, number>>;
}

export interface SuiteJob {
  readonly seconds: number;
  readonly least: number;
  readonly most: number;
  readonly encodings: readonly Eager[];
  /** "program/encoding" pairs that are not run, and processes for those of which a call takes seconds. */
  readonly skip: readonly string[];
  readonly processes: Readonly<Record<string, number>>;
}

export function eagerSuite(cases: readonly Case[], job: SuiteJob): Record<string, EagerResult> {
  return runPython(EAGER_SCRIPT, {
    ...job,
    job: "suite",
    programs: cases.map(forPython),
  });
}

export function eagerBatch(
  cases: readonly Case[],
  encoding: Eager,
  lanes: readonly number[],
  pace: { readonly seconds: number; readonly least: number; readonly most: number },
): Record<string, number[]> {
  return runPython(EAGER_SCRIPT, {
    ...pace,
    job: "batch",
    encoding,
    lanes,
    programs: cases.map(forPython),
  });
}

export function eagerProfile(
  cases: readonly Case[],
  encoding: Eager,
  rounds: number,
  few: Readonly<Record<string, number>>,
): Record<string, Record<string, number>[]> {
  return runPython(EAGER_SCRIPT, {
    job: "profile",
    encoding,
    rounds,
    few,
    programs: cases.map(forPython),
  });
}

export interface FitJob {
  readonly encoding: Eager;
  readonly steps: number;
  readonly rate: number;
}

export function eagerFit(
  one: Case,
  job: FitJob,
): { readonly losses: number[]; readonly steps: number[] } {
  return runPython(EAGER_SCRIPT, { ...job, job: "fit", program: forPython(one) });
}

export interface StreamTask {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly heldX: readonly number[];
  readonly heldY: readonly number[];
}

export interface StreamCandidate {
  readonly source: string;
  readonly params: readonly string[];
}

/** [seconds, candidate, R² or null, core-seconds so far] of every fit; the last one ran out of time. */
export type StreamEvent = readonly [number, number, number | null, number];

export function eagerStream(job: {
  readonly encoding: Eager;
  readonly task: StreamTask;
  readonly candidates: readonly StreamCandidate[];
  readonly steps: number;
  readonly seconds: number;
  readonly seed: number;
}): readonly StreamEvent[] {
  return runPython<{ events: StreamEvent[] }>(EAGER_SCRIPT, { ...job, job: "stream" }).events;
}

/** What a way to stage in Python found; times in microseconds. */
export interface StagedResult {
  readonly value: number;
  readonly gradients: readonly number[];
  readonly staging: readonly number[];
  readonly forward: readonly number[];
  readonly gradient: readonly number[];
}

export interface StagingPace {
  readonly seconds: number;
  readonly least: number;
  readonly stagings: number;
  readonly stagingsLeast: number;
}

/** Where JAX can run here: on processor cores always, on an accelerator where it sees one. */
export const jaxPlatforms = () =>
  [
    { name: "JAX", platform: "cpu", missing: pythonModule("jax") ? undefined : NO_JAX },
    {
      name: "JAX on a GPU",
      platform: "cuda",
      missing: jaxGpu() ? undefined : "JAX sees no GPU here",
    },
  ] as const;

interface JaxAnswer<T> {
  readonly platform: string;
  readonly results: T;
}

function runJax<T>(platform: string, job: unknown): T {
  const file = "baselines/staging/jax_suite.py";
  // A JAX on a GPU takes most of its memory at once, unless it is told not to.
  const found = runPython<JaxAnswer<T>>(file, job, {
    JAX_PLATFORMS: platform,
    XLA_PYTHON_CLIENT_PREALLOCATE: "false",
  });
  const wanted = platform === "cpu" ? "cpu" : "gpu";
  if (found.platform !== wanted)
    throw new Error(`JAX ran on ${found.platform}, and was to run on ${wanted}`);
  return found.results;
}

export const jaxSuite = (cases: readonly Case[], platform: string, pace: StagingPace) =>
  runJax<Record<string, StagedResult>>(platform, {
    ...pace,
    job: "suite",
    programs: cases.map(forPython),
  });

export interface JaxLanes {
  /** Value and gradients of the first and the last lane. */
  readonly ends: readonly (readonly number[])[];
  /** Microseconds of a call with all lanes. */
  readonly samples: readonly number[];
}

export const jaxLanes = (
  one: Case,
  platform: string,
  columns: Readonly<Record<number, Readonly<Record<string, readonly number[]>>>>,
  pace: { readonly seconds: number; readonly least: number },
) =>
  runJax<Record<string, JaxLanes>>(platform, {
    ...pace,
    job: "lanes",
    program: forPython(one),
    columns,
  });

export const CASADI_WAYS = ["CasADi", "CasADi in C"] as const;

/** By way and program; C is missing where there is no compiler for it. */
export const casadiSuite = (cases: readonly Case[], pace: StagingPace) =>
  runPython<Partial<Record<string, Record<string, StagedResult>>>>(
    "baselines/staging/casadi_suite.py",
    { ...pace, programs: cases.map(forPython) },
  );
