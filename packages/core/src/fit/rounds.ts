/**
 * Rounds of Adam inside the machine: writes a batch and the states of its restarts into one block
 * of the machine's memory, lets the machine take many rounds (wasm/optimise.ts), and reads the
 * states back. The block is written anew for each call, so that nothing is left behind.
 *
 *   | header FIT_* | ids | maps | target | weights | slopes | states | sums | columns | spread |
 */

import type { Session } from "../machine/session.js";
import type { Trace } from "../machine/traces.js";
import {
  FIT_BETA1,
  FIT_BETA2,
  FIT_BYTES,
  FIT_COLUMNS,
  FIT_COLUMNS_AT,
  FIT_DIVISOR,
  FIT_EPSILON,
  FIT_IDS_AT,
  FIT_LANES,
  FIT_LOSS,
  FIT_LOSS_WIDTH,
  FIT_MAPS_AT,
  FIT_MIXED,
  FIT_PARAMS,
  FIT_POINTS,
  FIT_RATE,
  FIT_RESULT,
  FIT_ROUNDS,
  FIT_SLOPES_AT,
  FIT_SLOTS,
  FIT_SPREAD_AT,
  FIT_STATES_AT,
  FIT_STEPS,
  FIT_SUMS_AT,
  FIT_TARGET_AT,
  FIT_WEIGHTS_AT,
  FIT_WIDTH,
  MAP_BYTES,
  ROUNDS_REFUSED,
  STATE_ARRAY_COUNT,
  STATE_ARRAYS,
} from "../program/layout.js";
import type { AdamRestart } from "./adam.js";
import type { Free } from "./parameters.js";

/** A fit as the machine sees it. */
export interface MachineFit {
  readonly session: Session;
  readonly slots: number;
  readonly points: number;
  readonly free: readonly Free[];
  /** FIT_OBJECTIVE, FIT_SQUARES, … */
  readonly loss: number;
  readonly lossWidth: number;
  readonly target: Float64Array;
  readonly rootWeights: Float64Array | undefined;
  readonly columns: Readonly<Record<string, Float64Array>>;
}

/** Nanoseconds that one record takes for one lane, forward and back, at most. */
const RECORD_NS = 3;
/** Nanoseconds that the machine works before somebody looks at the clock again. */
const CALL_NS = 4e6;

export class AdamRounds {
  readonly #fit: MachineFit;
  readonly #names: readonly string[];
  readonly #ids: readonly number[];
  readonly #stateNumbers: number;
  readonly #bytes: number;
  /** Byte offsets within the block, in the order above. */
  readonly #at: Readonly<Record<Part, number>>;
  #isRefused = false;

  constructor(fit: MachineFit) {
    this.#fit = fit;
    const { slots, points, free, session, columns } = fit;
    this.#names = Object.keys(columns);
    const inputs = [...free.map(({ input }) => input), ...this.#names];
    this.#ids = inputs.map((name) => session.payloadOf(name));
    this.#stateNumbers = STATE_ARRAYS / 8 + STATE_ARRAY_COUNT * free.length;
    const sizes: Readonly<Record<Part, number>> = {
      ids: this.#ids.length * 4,
      maps: free.length * MAP_BYTES,
      target: points * 8,
      weights: fit.rootWeights === undefined ? 0 : points * 8,
      slopes: points * 8,
      states: slots * this.#stateNumbers * 8,
      sums: slots * (free.length + 1) * 64,
      columns: this.#names.length * points * 8,
      spread: points * 8,
    };
    const at = {} as Record<Part, number>;
    let end = FIT_BYTES;
    for (const part of PARTS) {
      at[part] = end;
      end += (sizes[part] + 15) & ~15;
    }
    this.#at = at;
    this.#bytes = end;
  }

  /**
   * Advances the restarts in the slots together; how many rounds were taken. An empty slot repeats
   * the `filler`.
   */
  advance(slots: readonly (AdamRestart | undefined)[], filler: AdamRestart): number {
    if (this.#isRefused) {
      this.#isRefused = false;
      return 0;
    }
    const entered = this.#fit.session.enter();
    if (entered === undefined) return 0;
    const { machine, trace } = entered;
    const address = machine.fitBuffer(this.#bytes);
    if (address === 0) return 0;
    const { exports } = machine;
    this.#write(exports.memory.buffer, address, trace, filler);
    const states = new Float64Array(exports.memory.buffer, address + this.#at.states);
    for (const [slot, restart] of slots.entries())
      (restart ?? filler).pack(states, slot * this.#stateNumbers);
    const ended = exports.adamRounds(address, this.#most(trace));
    this.#isRefused = ended === ROUNDS_REFUSED;
    // Memory may have grown meanwhile.
    const after = new Float64Array(exports.memory.buffer, address + this.#at.states);
    for (const [slot, restart] of slots.entries())
      restart?.unpack(after, slot * this.#stateNumbers);
    return new Int32Array(exports.memory.buffer, address)[FIT_ROUNDS / 4] as number;
  }

  /** Rounds that are over soon enough. */
  #most({ counters }: Trace): number {
    const lanes = this.#fit.session.lanes;
    return Math.max(1, Math.floor(CALL_NS / (counters.traceRecords * lanes * RECORD_NS + 500)));
  }

  #write(memory: ArrayBufferLike, address: number, trace: Trace, { settings }: AdamRestart): void {
    const { session, slots, points, free, loss, lossWidth, target, rootWeights } = this.#fit;
    const at = this.#at;
    const words = new Int32Array(memory, address, this.#bytes / 4);
    const doubles = new Float64Array(memory, address, this.#bytes / 8);
    words[FIT_SLOTS / 4] = slots;
    words[FIT_POINTS / 4] = points;
    words[FIT_PARAMS / 4] = free.length;
    words[FIT_COLUMNS / 4] = this.#names.length;
    words[FIT_LANES / 4] = session.lanes;
    words[FIT_WIDTH / 4] = trace.width;
    words[FIT_RESULT / 4] = trace.resultData;
    words[FIT_MIXED / 4] = trace.isMixed ? 1 : 0;
    words[FIT_LOSS / 4] = loss;
    words[FIT_STEPS / 4] = settings.steps;
    words[FIT_IDS_AT / 4] = at.ids;
    words[FIT_MAPS_AT / 4] = at.maps;
    words[FIT_TARGET_AT / 4] = at.target;
    words[FIT_WEIGHTS_AT / 4] = rootWeights === undefined ? 0 : at.weights;
    words[FIT_COLUMNS_AT / 4] = at.columns;
    words[FIT_STATES_AT / 4] = at.states;
    words[FIT_SUMS_AT / 4] = at.sums;
    words[FIT_SLOPES_AT / 4] = at.slopes;
    words[FIT_SPREAD_AT / 4] = at.spread;
    doubles[FIT_RATE / 8] = settings.rate;
    doubles[FIT_BETA1 / 8] = settings.beta1;
    doubles[FIT_BETA2 / 8] = settings.beta2;
    doubles[FIT_EPSILON / 8] = settings.epsilon;
    doubles[FIT_DIVISOR / 8] = settings.divisor;
    doubles[FIT_LOSS_WIDTH / 8] = lossWidth;
    words.set(this.#ids, at.ids / 4);
    for (let j = 0; j < free.length; j++)
      doubles.set((free[j] as Free).transform.numbers, (at.maps + j * MAP_BYTES) / 8);
    doubles.set(target, at.target / 8);
    if (rootWeights !== undefined)
      for (let row = 0; row < points; row++) {
        const root = rootWeights[row] as number;
        doubles[at.weights / 8 + row] = root * root;
      }
    this.#writeColumns(memory, address + at.columns);
  }

  #writeColumns(memory: ArrayBufferLike, address: number): void {
    const { session, points, columns } = this.#fit;
    const count = this.#names.length * points;
    const into = session.isSingle
      ? new Float32Array(memory, address, count)
      : new Float64Array(memory, address, count);
    for (let k = 0; k < this.#names.length; k++)
      into.set(columns[this.#names[k] as string] as Float64Array, k * points);
  }
}

const PARTS = [
  "ids",
  "maps",
  "target",
  "weights",
  "slopes",
  "states",
  "sums",
  "columns",
  "spread",
] as const;
type Part = (typeof PARTS)[number];
