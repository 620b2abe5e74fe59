/**
 * Baselines that run in Python: PyTorch's eager interpreters, and JAX where it is. Each says why it
 * is missing where it is.
 */

import { pythonModule, runPython } from "../harness/tools.js";
import type { Case } from "../programs.js";

const EAGER = "baselines/eager/eager.py";

export const NO_TORCH = "PyTorch cannot be imported here";
export const NO_JAX = "JAX cannot be imported here";
export const NO_CPP = "there is no g++ here";

export const hasTorch = (): boolean => pythonModule("torch") !== undefined;
export const hasJax = (): boolean => pythonModule("jax") !== undefined;

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
  /** "program/encoding" pairs that are not run. */
  readonly skip: readonly string[];
}

export function eagerSuite(cases: readonly Case[], job: SuiteJob): Record<string, EagerResult> {
  return runPython(EAGER, {
    ...job,
    job: "suite",
    encodings: ["tagged", "tuned"],
    programs: cases.map(forPython),
  });
}

export function eagerBatch(
  cases: readonly Case[],
  encoding: string,
  lanes: readonly number[],
  pace: { readonly seconds: number; readonly least: number; readonly most: number },
): Record<string, number[]> {
  return runPython(EAGER, {
    ...pace,
    job: "batch",
    encoding,
    lanes,
    programs: cases.map(forPython),
  });
}

export function eagerProfile(
  cases: readonly Case[],
  rounds: number,
): Record<string, Record<string, number>[]> {
  return runPython(EAGER, {
    job: "profile",
    encoding: "tagged",
    rounds,
    programs: cases.map(forPython),
  });
}

export interface FitJob {
  readonly encoding: string;
  readonly steps: number;
  readonly rate: number;
}

export function eagerFit(
  one: Case,
  job: FitJob,
): { readonly losses: number[]; readonly steps: number[] } {
  return runPython(EAGER, { ...job, job: "fit", program: forPython(one) });
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

/** [seconds, candidate, R² or null] of every fit that was done in time. */
export type StreamEvent = readonly [number, number, number | null];

export function eagerStream(job: {
  readonly encoding: string;
  readonly task: StreamTask;
  readonly candidates: readonly StreamCandidate[];
  readonly steps: number;
  readonly seconds: number;
  readonly seed: number;
}): readonly StreamEvent[] {
  return runPython<{ events: StreamEvent[] }>(EAGER, { ...job, job: "stream" }).events;
}

export interface JaxResult {
  readonly value: number;
  readonly gradients: readonly number[];
  readonly staging: readonly number[];
  readonly forward: readonly number[];
  readonly gradient: readonly number[];
}

export function jaxSuite(
  cases: readonly Case[],
  pace: { readonly seconds: number; readonly least: number; readonly stagings: number },
): Record<string, JaxResult> {
  return runPython("baselines/staging/jax_suite.py", { ...pace, programs: cases.map(forPython) });
}
