/**
 * The work of one call: who gets which lanes, and what came of them. Here the way of copies: lanes go
 * out with their numbers in a message, and come back with their results in another.
 */

import { recordOf } from "../../records.js";
import type { BoundInput } from "../inputs/inputs.js";
import type { ResultArrays } from "../results/results.js";
import type { GradientOptions } from "../types.js";
import {
  type BlocksRequest,
  deadPart,
  type FromWorker,
  type Part,
  type PartRequest,
  partInputs,
} from "./parts.js";
import { laneOptions } from "./shared.js";

/** How many workers lanes may cost before they fail. */
export const DEATHS_MAX = 2;
/** Parts a worker gets of a population that is large enough, so that none waits long at the end. */
const PARTS_PER_WORKER = 4;
/** Lanes that a part should have before a worker is given several. */
const PART_LANES = 1024;
/** Parts start at whole vectors of lanes, in either precision. */
const PART_STEP = 8;

/** What a call is made of. */
export interface Order {
  readonly program: number;
  readonly inputs: readonly BoundInput[];
  readonly lanes: number;
  /** As workers get them: plain data. */
  readonly options: GradientOptions;
  readonly isGradient: boolean;
}

/** A message to a worker, but for the program's text, and what moves there with it. */
export interface Request {
  readonly message: Omit<PartRequest, "load"> | Omit<BlocksRequest, "load">;
  readonly transfer: ArrayBuffer[];
}

export interface Work {
  /** All parts, in the order of their lanes, once `isDone`. */
  readonly parts: readonly Part[];
  readonly isDone: boolean;
  /** Arrays that have the numbers of the parts which left them there. */
  readonly allLanes: ResultArrays | undefined;
  /** Something to do for a worker; undefined where nothing waits. */
  request(place: number): Request | undefined;
  /** Takes the answer to the worker's latest request. */
  take(place: number, answer: Exclude<FromWorker, { kind: "refused" }>): void;
  /** The worker died. What it had waits again, or is given up. */
  bury(place: number, wasReady: boolean): void;
  /** Nothing more is wanted. */
  close(): void;
}

/** Options without what stays with the caller. Functions cannot travel, and no option is one. */
export function sentOptions(options: GradientOptions & Record<string, unknown>): GradientOptions {
  const { signal: _signal, reduce: _reduce, load: _load, ...rest } = options;
  return { ...recordOf(Object.entries(rest).filter(([, value]) => typeof value !== "function")) };
}

interface Task {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  deaths: number;
}

export class CopiedWork implements Work {
  readonly allLanes = undefined;
  readonly #order: Order;
  readonly #parts: (Part | undefined)[] = [];
  readonly #waiting: Task[] = [];
  readonly #running = new Map<number, Task>();
  #left: number;

  constructor(order: Order, workers: number) {
    this.#order = order;
    const step = partLanes(order.lanes, workers);
    for (let from = 0; from < order.lanes; from += step) {
      const to = Math.min(from + step, order.lanes);
      this.#waiting.push({ index: this.#parts.length, from, to, deaths: 0 });
      this.#parts.push(undefined);
    }
    this.#left = this.#parts.length;
  }

  get parts(): readonly Part[] {
    return this.#parts as Part[];
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  request(place: number): Request | undefined {
    const task = this.#waiting.shift();
    if (task === undefined) return undefined;
    this.#running.set(place, task);
    const { from, to } = task;
    const { program, lanes, isGradient } = this.#order;
    const { inputs, transfer } = partInputs(this.#order.inputs, from, to);
    const options = laneOptions(this.#order.options, lanes, from, to);
    return { message: { kind: "part", program, inputs, options, isGradient }, transfer };
  }

  take(place: number, answer: Exclude<FromWorker, { kind: "refused" }>): void {
    const task = this.#running.get(place);
    if (task === undefined || answer.kind !== "done") throw new Error("a part nobody asked for");
    this.#running.delete(place);
    this.#note(task, answer.part);
  }

  bury(place: number): void {
    const task = this.#running.get(place);
    if (task === undefined) return;
    this.#running.delete(place);
    task.deaths += 1;
    if (task.deaths < DEATHS_MAX) this.#waiting.unshift(task);
    else this.#note(task, deadPart(task.to - task.from));
  }

  close(): void {
    this.#waiting.length = 0;
  }

  #note({ index }: Task, part: Part): void {
    this.#parts[index] = part;
    this.#left -= 1;
  }
}

/** Lanes of a part: equal shares, cut finer where each is large. */
function partLanes(lanes: number, workers: number): number {
  const isLarge = lanes >= workers * PARTS_PER_WORKER * PART_LANES;
  const share = Math.ceil(lanes / (workers * (isLarge ? PARTS_PER_WORKER : 1)));
  return Math.ceil(share / PART_STEP) * PART_STEP;
}
