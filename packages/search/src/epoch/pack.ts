/**
 * How an epoch's result travels.
 *
 * Cloning an object field by field takes as long as a tenth of a short fit, so numbers travel in one
 * array, and only words travel as words. Parameters are named by their place in a list of names. What
 * arrives reads its numbers where they are: a number in an object of its own takes two allocations
 * more. What the job has said does not travel back.
 *
 *   a candidate   flags, complexity, two words of its digest, count of parents, parents …,
 *                 count of results, results …
 *   a result      RESULT_NUMBERS, then a place in `names` and a number for each parameter
 *   its texts     skeleton; source and origin if it was bred, or the source that stands for one too
 *                 long; starts as JSON if it was bred with any
 */

import { own, smallRecord } from "@ndvm/core";
import type { TaskResult, Timing } from "../pipeline/task.js";
import type { Failure, Proposal } from "../types.js";
import type { EpochCandidate, EpochJob, EpochResult } from "./job.js";

export interface PackedEpoch {
  readonly round: number;
  readonly slot: number;
  /** Seconds that breeding took, and reading. */
  readonly breeding: number;
  readonly reading: number;
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
  readonly names: readonly string[];
  /** In the order of the candidates and results that have one. */
  readonly failures: readonly Failure[];
}

/** A candidate that has arrived and has no number yet. */
export interface Arrival {
  readonly source: string;
  readonly origin: string;
  readonly parents: readonly number[];
  readonly prompt: string | undefined;
  /** Where its parameters start, as JSON; null where nobody said. */
  readonly starts: string | null;
  readonly isRevisit: boolean;
  readonly skeleton: string;
  readonly high: number;
  readonly low: number;
  readonly complexity: number;
  readonly failure: Failure | undefined;
  readonly isDuplicate: boolean;
  readonly results: readonly TaskResult[];
}

const DUPLICATE = 1;
const REVISIT = 2;
const FAILED = 4;
const STARTS = 8;
const TEXT = 16;

/** flag of failure, rung, fits, loss, trainR2, r2, bic, five times, count of parameters */
const RESULT_NUMBERS = 13;

class Packer {
  readonly numbers: number[] = [];
  readonly texts: string[] = [];
  readonly failures: Failure[] = [];
  readonly #places = new Map<string, number>();

  get names(): readonly string[] {
    return [...this.#places.keys()];
  }

  candidate(candidate: EpochCandidate, given: Proposal | undefined): void {
    const { proposal, skeleton, high, low, complexity, failure, isDuplicate, results } = candidate;
    const { source, origin, parents, params, isRevisit } = proposal;
    const isBred = given === undefined;
    const hasText = isBred || given.source !== source;
    const hasStarts = isBred && params !== undefined;
    const flags =
      (isDuplicate ? DUPLICATE : 0) +
      (isRevisit === true ? REVISIT : 0) +
      (failure === undefined ? 0 : FAILED) +
      (hasStarts ? STARTS : 0) +
      (hasText ? TEXT : 0);
    this.numbers.push(flags, complexity, high, low, isBred ? parents.length : 0);
    if (isBred) for (const parent of parents) this.numbers.push(parent);
    this.texts.push(skeleton);
    if (hasText) this.texts.push(source);
    if (isBred) this.texts.push(origin);
    if (hasStarts) this.texts.push(JSON.stringify(params));
    if (failure !== undefined) this.failures.push(failure);
    this.numbers.push(results.length);
    for (const result of results) this.#result(result);
  }

  #result({ rung, fits, loss, trainR2, r2, bic, timing, params, failure }: TaskResult): void {
    const { numbers } = this;
    const { screen, walk, fit, replay, score } = timing;
    const failed = failure === undefined ? 0 : 1;
    numbers.push(failed, rung, fits, loss, trainR2, r2, bic, screen, walk, fit, replay, score, 0);
    const countAt = numbers.length - 1;
    for (const name in params) {
      const place = this.#places.get(name) ?? this.#places.size;
      this.#places.set(name, place);
      numbers.push(place, own(params, name) as number);
      (numbers[countAt] as number) += 1;
    }
    if (failure !== undefined) this.failures.push(failure);
  }
}

export function packEpoch(result: EpochResult, job: EpochJob): PackedEpoch {
  const packer = new Packer();
  for (const [i, candidate] of result.candidates.entries())
    packer.candidate(candidate, job.proposals?.[i]);
  const { round, slot, breeding, reading } = result;
  const { texts, names, failures } = packer;
  const numbers = Float64Array.from(packer.numbers);
  return { round, slot, breeding, reading, numbers, texts, names, failures };
}

/** The candidates of an epoch, in order. `worker` is who ran it. */
export function unpackEpoch(packed: PackedEpoch, job: EpochJob, worker: number): Arrival[] {
  return new Unpacker(packed, job, worker).all();
}

class Unpacker {
  #at = 0;
  #text = 0;
  #failure = 0;

  constructor(
    private readonly packed: PackedEpoch,
    private readonly job: EpochJob,
    private readonly worker: number,
  ) {}

  all(): Arrival[] {
    const arrivals: Arrival[] = [];
    while (this.#at < this.packed.numbers.length)
      arrivals.push(this.#candidate(this.job.proposals?.[arrivals.length], arrivals.length));
    return arrivals;
  }

  #number(): number {
    const value = this.packed.numbers[this.#at] as number;
    this.#at += 1;
    return value;
  }

  #nextText(): string {
    const text = this.packed.texts[this.#text] as string;
    this.#text += 1;
    return text;
  }

  #nextFailure(): Failure {
    const failure = this.packed.failures[this.#failure] as Failure;
    this.#failure += 1;
    return failure;
  }

  #candidate(given: Proposal | undefined, index: number): Arrival {
    const flags = this.#number();
    const complexity = this.#number();
    const high = this.#number();
    const low = this.#number();
    const parentCount = this.#number();
    const bred: number[] = [];
    for (let i = 0; i < parentCount; i++) bred.push(this.#number());
    const skeleton = this.#nextText();
    const source = (flags & TEXT) !== 0 ? this.#nextText() : (given as Proposal).source;
    const origin = given === undefined ? this.#nextText() : given.origin;
    const starts = (flags & STARTS) !== 0 ? this.#nextText() : startsOf(given);
    const failure = (flags & FAILED) !== 0 ? this.#nextFailure() : undefined;
    const count = this.#number();
    const results: TaskResult[] = [];
    for (let i = 0; i < count; i++) results.push(this.#result(index));
    return {
      source,
      origin,
      parents: given === undefined ? bred : given.parents,
      prompt: given?.prompt,
      starts,
      isRevisit: (flags & REVISIT) !== 0,
      skeleton,
      high,
      low,
      complexity,
      failure,
      isDuplicate: (flags & DUPLICATE) !== 0,
      results,
    };
  }

  #result(index: number): TaskResult {
    const { numbers, names } = this.packed;
    const at = this.#at;
    const count = numbers[at + RESULT_NUMBERS - 1] as number;
    const params: Record<string, number> = smallRecord();
    const end = at + RESULT_NUMBERS + 2 * count;
    for (let k = at + RESULT_NUMBERS; k < end; k += 2)
      params[names[numbers[k] as number] as string] = withoutSign(numbers[k + 1] as number);
    const failure = numbers[at] === 1 ? this.#nextFailure() : undefined;
    this.#at = end;
    return new ArrivedResult(numbers, at, index, this.worker, params, failure);
  }
}

const startsOf = (given: Proposal | undefined): string | null =>
  given?.params === undefined ? null : JSON.stringify(given.params);

/** Numbers of one result, at the places that `Packer` gives them. */
class ArrivedNumbers {
  protected readonly numbers: Float64Array;
  protected readonly at: number;

  constructor(numbers: Float64Array, at: number) {
    this.numbers = numbers;
    this.at = at;
  }

  protected number(place: number): number {
    return this.numbers[this.at + place] as number;
  }
}

class ArrivedResult extends ArrivedNumbers implements TaskResult {
  readonly visit: number;
  readonly worker: number;
  readonly params: TaskResult["params"];
  readonly failure: Failure | undefined;

  constructor(
    numbers: Float64Array,
    at: number,
    visit: number,
    worker: number,
    params: TaskResult["params"],
    failure: Failure | undefined,
  ) {
    super(numbers, at);
    this.visit = visit;
    this.worker = worker;
    this.params = params;
    this.failure = failure;
  }

  get rung(): number {
    return this.number(1);
  }
  get fits(): number {
    return this.number(2);
  }
  get loss(): number {
    return this.number(3);
  }
  get trainR2(): number {
    return this.number(4);
  }
  get r2(): number {
    return this.number(5);
  }
  get bic(): number {
    return this.number(6);
  }
  get timing(): Timing {
    return new ArrivedTiming(this.numbers, this.at);
  }
}

class ArrivedTiming extends ArrivedNumbers implements Timing {
  get screen(): number {
    return this.number(7);
  }
  get walk(): number {
    return this.number(8);
  }
  get fit(): number {
    return this.number(9);
  }
  get replay(): number {
    return this.number(10);
  }
  get score(): number {
    return this.number(11);
  }
}

/** JSON, and so the archive, does not tell −0 from 0. */
const withoutSign = (value: number): number => (value === 0 ? 0 : value);
