/**
 * Paths: the kept traces of one lane as a tree of what they decide.
 *
 * A trace is one path through a program's branches; at every number that decided something it has a
 * guard. Two paths are the same up to the first guard at which they part: a fork. A lane that a trace
 * refuses at a guard goes on at that fork, on a trace that decided otherwise there, from that guard
 * on. So a lane finds its trace by its own decisions, however many traces there are.
 *
 * A trace parts from its parent at one fork; forks further on are its own, those before are the
 * parent's.
 */

import type { Trace } from "./traces.js";

/** Traces that are the same up to a guard and part there. */
export interface Fork {
  /** The record of the guard. */
  readonly record: number;
  /** Bytes of primals that a replay takes over from one of the others; 0: it begins anew. */
  readonly bytes: number;
  readonly traces: Trace[];
}

/** The fork at a record of a trace, where others part from it. */
export function forkAt(trace: Trace, record: number): Fork | undefined {
  return ownerOf(trace, record).forks?.get(record);
}

/** The trace whose fork it would be: the one that does not go on a parent's way at that record. */
function ownerOf(trace: Trace, record: number): Trace {
  let owner = trace;
  while (owner.parent !== undefined && record <= owner.partsAt) owner = owner.parent;
  return owner;
}

/** The trace that this one's path parts from first of all, or itself. */
export function rootOf(trace: Trace): Trace {
  let root = trace;
  while (root.parent !== undefined) root = root.parent;
  return root;
}

/** A trace parts from `other` at a record. */
export function addFork(trace: Trace, other: Trace, record: number, bytes: number): void {
  const owner = ownerOf(other, record);
  owner.forks ??= new Map();
  const fork = owner.forks.get(record);
  if (fork === undefined) owner.forks.set(record, { record, bytes, traces: [owner, trace] });
  else fork.traces.push(trace);
  trace.parent = owner;
  trace.partsAt = record;
}

/** Whether other traces part from this one: without it they would not be found. */
export const hasForks = ({ forks }: Trace): boolean => forks !== undefined && forks.size > 0;

/** A trace is given up. Those that part from it stand by themselves. */
export function leavePaths(trace: Trace): void {
  const { parent, partsAt } = trace;
  const fork = parent?.forks?.get(partsAt);
  if (fork !== undefined) {
    fork.traces.splice(fork.traces.indexOf(trace), 1);
    if (fork.traces.length === 1) parent?.forks?.delete(partsAt);
  }
  for (const { traces } of trace.forks?.values() ?? [])
    for (const other of traces) if (other !== trace) other.parent = undefined;
  trace.parent = undefined;
  trace.forks = undefined;
}

// ─── Programs whose paths do not come again ─────────────────────────────────

/** Runs in a row that had to be walked before a program's paths are taken not to come again. */
const WALKS_MOST = 48;
/** Runs that look for them again after a rest. */
const PROBES = 8;
/** Runs of the first rest, and of the longest. */
const REST_LEAST = 64;
const REST_MOST = 4096;

/** Tells whether it pays to look for traces of one lane and to record new ones. */
export class Habit {
  #walks = 0;
  /** Runs that are still walked without a look, and those of the next rest. */
  #resting = 0;
  #rest = REST_LEAST;

  /** Whether the next run is walked without a look. */
  get isResting(): boolean {
    return this.#resting > 0;
  }

  /** A run begins; whether it is walked without looking for a trace or recording one. */
  rests(): boolean {
    if (this.#resting === 0) return false;
    this.#resting -= 1;
    return true;
  }

  /** A run that looked found its trace. */
  found(): void {
    this.#walks = 0;
    this.#rest = REST_LEAST;
  }

  /** A run that looked had to be walked. */
  missed(): void {
    this.#walks += 1;
    if (this.#walks < WALKS_MOST) return;
    this.#walks = WALKS_MOST - PROBES;
    this.#resting = this.#rest;
    this.#rest = Math.min(2 * this.#rest, REST_MOST);
  }
}
