/**
 * Rounds of Adam inside the machine: writes a batch and the states of its restarts into one block
 * of the machine's memory, lets the machine take many rounds (wasm/optimise.ts), and reads the
 * states back. The block is written anew for each call, so that nothing is left behind.
 *
 *   | header FIT_* | ids | maps | target | weights | slopes | states | sums | columns | spread |
 */

import type { Machine } from "../machine/machine.js";
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
  /** Byte offsets of the parts, and of the end. */
  readonly #mapsAt: number;
  readonly #targetAt: number;
  readonly #weightsAt: number;
  readonly #slopesAt: number;
  readonly #statesAt: number;
  readonly #sumsAt: number;
  readonly #columnsAt: number;
  readonly #spreadAt: number;
  readonly #bytes: number;
  #isRefused = false;

  constructor(fit: MachineFit) {
    this.#fit = fit;
    const { slots, points, free, session, columns } = fit;
    this.#names = Object.keys(columns);
    const ids: number[] = [];
    for (const { input } of free) ids.push(session.payloadOf(input));
    for (const name of this.#names) ids.push(session.payloadOf(name));
    this.#ids = ids;
    this.#stateNumbers = STATE_ARRAYS / 8 + STATE_ARRAY_COUNT * free.length;
    const rowBytes = aligned(points * 8);
    this.#mapsAt = FIT_BYTES + aligned(this.#ids.length * 4);
    this.#targetAt = this.#mapsAt + free.length * MAP_BYTES;
    this.#weightsAt = this.#targetAt + rowBytes;
    this.#slopesAt = this.#weightsAt + (fit.rootWeights === undefined ? 0 : rowBytes);
    this.#statesAt = this.#slopesAt + rowBytes;
    this.#sumsAt = this.#statesAt + aligned(slots * this.#stateNumbers * 8);
    this.#columnsAt = this.#sumsAt + slots * (free.length + 1) * 64;
    this.#spreadAt = this.#columnsAt + aligned(this.#names.length * points * 8);
    this.#bytes = this.#spreadAt + rowBytes;
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
    const { exports, views } = machine;
    const { doubles } = views;
    this.#write(machine, address, trace, filler);
    const states = (address + this.#statesAt) / 8;
    for (let slot = 0; slot < slots.length; slot++)
      (slots[slot] ?? filler).pack(doubles, states + slot * this.#stateNumbers);
    const ended = exports.adamRounds(address, this.#most(trace));
    this.#isRefused = ended === ROUNDS_REFUSED;
    // Memory may have grown meanwhile.
    const after = views.doubles;
    for (let slot = 0; slot < slots.length; slot++)
      slots[slot]?.unpack(after, states + slot * this.#stateNumbers);
    return views.words[(address + FIT_ROUNDS) / 4] as number;
  }

  /** Rounds that are over soon enough. */
  #most({ counters }: Trace): number {
    const { lanes } = this.#fit.session;
    return Math.max(1, Math.floor(CALL_NS / (counters.traceRecords * lanes * RECORD_NS + 500)));
  }

  #write(machine: Machine, address: number, trace: Trace, restart: AdamRestart): void {
    const { session, slots, points, free, loss, lossWidth } = this.#fit;
    const { words, doubles } = machine.views;
    const at = address / 4;
    words[at + FIT_SLOTS / 4] = slots;
    words[at + FIT_POINTS / 4] = points;
    words[at + FIT_PARAMS / 4] = free.length;
    words[at + FIT_COLUMNS / 4] = this.#names.length;
    words[at + FIT_LANES / 4] = session.lanes;
    words[at + FIT_WIDTH / 4] = trace.width;
    words[at + FIT_RESULT / 4] = trace.resultData;
    words[at + FIT_MIXED / 4] = trace.isMixed ? 1 : 0;
    words[at + FIT_LOSS / 4] = loss;
    words[at + FIT_STEPS / 4] = restart.stepsMost;
    words[at + FIT_IDS_AT / 4] = FIT_BYTES;
    words[at + FIT_MAPS_AT / 4] = this.#mapsAt;
    words[at + FIT_TARGET_AT / 4] = this.#targetAt;
    words[at + FIT_WEIGHTS_AT / 4] = this.#slopesAt > this.#weightsAt ? this.#weightsAt : 0;
    words[at + FIT_COLUMNS_AT / 4] = this.#columnsAt;
    words[at + FIT_STATES_AT / 4] = this.#statesAt;
    words[at + FIT_SUMS_AT / 4] = this.#sumsAt;
    words[at + FIT_SLOPES_AT / 4] = this.#slopesAt;
    words[at + FIT_SPREAD_AT / 4] = this.#spreadAt;
    const from = address / 8;
    const { rate, beta1, beta2, epsilon } = restart.options;
    doubles[from + FIT_RATE / 8] = rate;
    doubles[from + FIT_BETA1 / 8] = beta1;
    doubles[from + FIT_BETA2 / 8] = beta2;
    doubles[from + FIT_EPSILON / 8] = epsilon;
    doubles[from + FIT_DIVISOR / 8] = restart.divisor;
    doubles[from + FIT_LOSS_WIDTH / 8] = lossWidth;
    for (let k = 0; k < this.#ids.length; k++)
      words[at + FIT_BYTES / 4 + k] = this.#ids[k] as number;
    this.#writeRows(machine, address);
  }

  /** The maps of the parameters, and all that has a number for every row. */
  #writeRows({ views, reals }: Machine, address: number): void {
    const { points, free, target, rootWeights, columns } = this.#fit;
    const { doubles } = views;
    const from = address / 8;
    for (let j = 0; j < free.length; j++) {
      const { numbers } = (free[j] as Free).transform;
      const at = from + (this.#mapsAt + j * MAP_BYTES) / 8;
      for (let k = 0; k < numbers.length; k++) doubles[at + k] = numbers[k] as number;
    }
    doubles.set(target, from + this.#targetAt / 8);
    if (rootWeights !== undefined)
      for (let row = 0; row < points; row++) {
        const root = rootWeights[row] as number;
        doubles[from + this.#weightsAt / 8 + row] = root * root;
      }
    const numbers = reals.view();
    const first = (address + this.#columnsAt) / reals.bytes;
    for (let k = 0; k < this.#names.length; k++)
      numbers.set(columns[this.#names[k] as string] as Float64Array, first + k * points);
  }
}

/** Whole vectors of 16 bytes. */
const aligned = (bytes: number): number => Math.ceil(bytes / 16) * 16;
