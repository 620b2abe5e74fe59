/**
 * The work of one call whose numbers lie in shared memory (shared.ts): workers take blocks by
 * themselves and tell at the end which they had.
 */

import type { ResultArrays } from "../results/results.js";
import { deadPart, type FromWorker, type Part } from "./parts.js";
import {
  BlockTable,
  clearResults,
  type InputRoom,
  makeResultArrays,
  resultsAt,
  type SharedInput,
  shareInputs,
} from "./shared.js";
import { DEATHS_MAX, type Order, type Request, type Work } from "./work.js";

export class SharedWork implements Work {
  readonly allLanes: ResultArrays;
  readonly #order: Order;
  readonly #inputs: readonly SharedInput[];
  readonly #buffer: SharedArrayBuffer;
  readonly #room: InputRoom;
  readonly #table: BlockTable;
  readonly #parts: (Part | undefined)[];
  /** Workers that have a request and have not answered. */
  readonly #asked = new Set<number>();
  #left: number;

  /** `count` is how many numbers a lane's value is thought to have. */
  constructor(order: Order, workers: number, count: number, room: InputRoom) {
    const { inputs, seed, buffer } = shareInputs(order.inputs, order.options.seed, room);
    this.#order = {
      ...order,
      options: seed === undefined ? order.options : { ...order.options, seed },
    };
    this.#inputs = inputs;
    this.#buffer = buffer;
    this.#room = room;
    const { wrt } = order.options;
    const wanted = order.inputs.filter(
      ({ kind, name }) =>
        order.isGradient && kind === "numbers" && (wrt === undefined || wrt.includes(name)),
    );
    this.allLanes = makeResultArrays(
      order.lanes,
      count,
      wanted.map(({ name, rows, cols }) => ({ name, count: rows * cols })),
    );
    this.#table = new BlockTable(order.lanes, workers);
    this.#parts = Array.from({ length: this.#table.count }, () => undefined);
    this.#left = this.#table.count;
  }

  get parts(): readonly Part[] {
    return this.#parts as Part[];
  }

  get isDone(): boolean {
    return this.#left === 0;
  }

  request(place: number): Request | undefined {
    if (this.#asked.size >= this.#left || !this.#table.hasFree()) return undefined;
    this.#asked.add(place);
    const { program, lanes, options, isGradient } = this.#order;
    const { blocks } = this.#table;
    const results = this.allLanes;
    const inputs = this.#inputs;
    const common = { program, lanes, options, isGradient } as const;
    return { message: { kind: "blocks", place, ...common, inputs, blocks, results }, transfer: [] };
  }

  take(place: number, answer: Exclude<FromWorker, { kind: "refused" }>): void {
    if (answer.kind !== "blocks") throw new Error("blocks nobody asked for");
    this.#asked.delete(place);
    for (const { block, part } of answer.reports) this.#note(block, part);
    const [first] = answer.reports;
    for (const block of answer.plain)
      this.#note(block, { ...(first?.part as Part), stats: undefined });
  }

  bury(place: number, wasReady: boolean): void {
    this.#asked.delete(place);
    for (const block of this.#table.release(place, wasReady, DEATHS_MAX)) {
      const [from, to] = this.#table.lanesOf(block);
      clearResults(resultsAt(this.allLanes, this.#order.lanes, from, to));
      this.#note(block, deadPart(to - from));
    }
  }

  /** Workers that are still at a block read inputs that may change now; nobody reads what they write. */
  close(): void {
    this.#table.stop();
    this.#room.giveBack(this.#buffer);
  }

  #note(block: number, part: Part): void {
    const [from, to] = this.#table.lanesOf(block);
    const { values } = part.isPlaced ? resultsAt(this.allLanes, this.#order.lanes, from, to) : part;
    this.#parts[block] = { ...part, lanes: to - from, values };
    this.#left -= 1;
  }
}
