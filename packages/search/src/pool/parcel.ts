/**
 * Parcels: how tasks and results travel between a pool and its workers.
 *
 * Cloning an object field by field takes as long as a tenth of a short fit, so numbers travel in one
 * array, and only words travel as words. Parameters of results are named by their place in the
 * parcel's list of names. What arrives reads its numbers where they are: a number in an object of its
 * own takes two allocations more.
 */

import { emptyRecord, own } from "@ndvm/core";
import type { Task, TaskResult, Timing } from "../pipeline/task.js";
import type { Failure } from "../types.js";

export interface TaskParcel {
  /** TASK_NUMBERS for each task. */
  readonly numbers: Float64Array;
  readonly sources: readonly string[];
  /** What only some tasks have, by their place in the parcel. */
  readonly extras: readonly (readonly [place: number, extra: TaskExtra])[];
}

type TaskExtra = Pick<Task, "params" | "from">;

export interface ResultParcel {
  /** RESULT_NUMBERS for each result, then a place in `names` and a number for each parameter. */
  readonly numbers: Float64Array;
  readonly names: readonly string[];
  readonly failures: readonly (readonly [place: number, failure: Failure])[];
}

/** visit, id, rung, isScreened */
const TASK_NUMBERS = 4;
/** visit, rung, fits, loss, trainR2, r2, bic, five times, count of parameters */
const RESULT_NUMBERS = 13;

export function packTasks(tasks: readonly Task[]): TaskParcel {
  const numbers = new Float64Array(tasks.length * TASK_NUMBERS);
  const sources: string[] = [];
  const extras: [number, TaskExtra][] = [];
  for (let i = 0; i < tasks.length; i++) {
    const { visit, id, rung, isScreened, source, params, from } = tasks[i] as Task;
    const at = i * TASK_NUMBERS;
    numbers[at] = visit;
    numbers[at + 1] = id;
    numbers[at + 2] = rung;
    numbers[at + 3] = isScreened ? 1 : 0;
    sources.push(source);
    if (params !== undefined || from !== undefined) extras.push([i, { params, from }]);
  }
  return { numbers, sources, extras };
}

export function unpackTasks({ numbers, sources, extras }: TaskParcel): readonly Task[] {
  const tasks: Task[] = [];
  let next = 0;
  for (let i = 0; i < sources.length; i++) {
    const at = i * TASK_NUMBERS;
    const extra = extras[next]?.[0] === i ? extras[next++]?.[1] : undefined;
    tasks.push({
      visit: numbers[at] as number,
      id: numbers[at + 1] as number,
      rung: numbers[at + 2] as number,
      source: sources[i] as string,
      params: extra?.params,
      from: extra?.from,
      isScreened: numbers[at + 3] === 1,
    });
  }
  return tasks;
}

export function packResults(results: readonly TaskResult[]): ResultParcel {
  const numbers: number[] = [];
  const places = new Map<string, number>();
  const failures: [number, Failure][] = [];
  for (let i = 0; i < results.length; i++) {
    const { visit, rung, fits, loss, trainR2, r2, bic, timing, params, failure } = results[
      i
    ] as TaskResult;
    const { screen, walk, fit, replay, score } = timing;
    numbers.push(visit, rung, fits, loss, trainR2, r2, bic, screen, walk, fit, replay, score, 0);
    const countAt = numbers.length - 1;
    for (const name in params) {
      const place = places.get(name) ?? places.size;
      places.set(name, place);
      numbers.push(place, own(params, name) as number);
      (numbers[countAt] as number) += 1;
    }
    if (failure !== undefined) failures.push([i, failure]);
  }
  return { numbers: Float64Array.from(numbers), names: [...places.keys()], failures };
}

export function unpackResults(parcel: ResultParcel, worker: number): readonly TaskResult[] {
  const { numbers, names, failures } = parcel;
  const results: TaskResult[] = [];
  let next = 0;
  for (let at = 0; at < numbers.length; ) {
    const count = numbers[at + RESULT_NUMBERS - 1] as number;
    const params: Record<string, number> = emptyRecord();
    const end = at + RESULT_NUMBERS + 2 * count;
    for (let k = at + RESULT_NUMBERS; k < end; k += 2)
      params[names[numbers[k] as number] as string] = numbers[k + 1] as number;
    const failure = failures[next]?.[0] === results.length ? failures[next++]?.[1] : undefined;
    results.push(new ArrivedResult(numbers, at, worker, params, failure));
    at = end;
  }
  return results;
}

/** Numbers of one result in a parcel, at the places that `packResults` gives them. */
class Arrived {
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

class ArrivedResult extends Arrived implements TaskResult {
  readonly worker: number;
  readonly params: TaskResult["params"];
  readonly failure: Failure | undefined;

  constructor(
    numbers: Float64Array,
    at: number,
    worker: number,
    params: TaskResult["params"],
    failure: Failure | undefined,
  ) {
    super(numbers, at);
    this.worker = worker;
    this.params = params;
    this.failure = failure;
  }

  get visit(): number {
    return this.number(0);
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

class ArrivedTiming extends Arrived implements Timing {
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
