/**
 * Rounds of an optimiser inside the machine: writes a batch and the states of its restarts into one
 * block of the machine's memory, lets the machine take rounds (wasm/fit/optimise.ts), and reads the
 * states back. The block is written anew for each call, so that nothing is left behind.
 *
 *   | header | ids | parts | row groups | maps | target | roots | trials | slopes | repeated |
 *   | states | sums | block | work | columns, or what an evaluation elsewhere came to |
 */

import type { Machine } from "../../machine/machine.js";
import { LOOP_MOST } from "../../machine/run/chunk.js";
import type { Numbers, Session } from "../../machine/run/session.js";
import type { Trace } from "../../machine/run/traces.js";
import { LANES_INSIDE } from "../../machine/run/widths.js";
import { own } from "../../records.js";
import { makeError } from "../../words.js";
import {
  ARRAY_SLOPES,
  FIT_ADAM,
  FIT_BYTES,
  FIT_LEVENBERG,
  FIT_SQUARES,
  MAP_BYTES,
  PART_BYTES,
  REASON_EMPTY,
  REASON_NONE,
  ROUNDS_REFUSED,
  STATE_ARRAYS,
  SUMS_FACTOR,
} from "../layout.js";
import { type Factor, factorNumbers, factorStride } from "../math/linear.js";
import type { Free } from "../parameters/parameters.js";
import { FitBlock, FitPart, SlotState } from "../structures.js";
import { type Restart, stateNumbers } from "./restart.js";

/** A fit as the machine sees it. */
export interface MachineFit {
  readonly session: Session;
  /** The session of the loss, where that is a program: a lane for every slot and row. */
  readonly lossSession: Session | undefined;
  readonly slots: number;
  readonly points: number;
  readonly free: readonly Free[];
  /** FIT_OBJECTIVE, FIT_SQUARES, … */
  readonly loss: number;
  readonly lossWidth: number;
  readonly target: Float64Array;
  readonly rootWeights: Float64Array | undefined;
  /** The unit of lm (data/unit.ts); asked for once. */
  readonly unit: () => number;
  readonly trials: Float64Array | undefined;
  /** The group of every row; undefined where no parameter has one. */
  readonly rowGroups: Int32Array | undefined;
  readonly columns: Readonly<Record<string, Float64Array>>;
}

export type Slots = readonly (Restart | undefined)[];

/** Nanoseconds that one record takes for one lane, forward and back, at most. */
const RECORD_NS = 3;
/** Nanoseconds that a pair of parameters takes for one row of least squares. */
const PAIR_NS = 2;
/** Nanoseconds that the machine works before somebody looks at the clock again. */
const CALL_NS = 4e6;
/**
 * Rows that are reflected at once, and of a piece of what was evaluated elsewhere. A multiple of
 * eight, as sums over rows have eight parts.
 */
const BLOCK_ROWS = 4096;

export class MachineRounds {
  readonly #fit: MachineFit;
  /** Names of the inputs that parameters are bound to, and of the columns. */
  readonly #inputs: readonly string[];
  readonly #columns: readonly string[];
  #isRefused = false;
  #block: Block | undefined;
  #unit: number | undefined;

  constructor(fit: MachineFit) {
    this.#fit = fit;
    const inputs: string[] = [];
    let before: string | undefined;
    for (const { input } of fit.free) {
      // The groups of one parameter are neighbours.
      if (input !== before) inputs.push(input);
      before = input;
    }
    this.#inputs = inputs;
    this.#columns = Object.keys(fit.columns);
  }

  /**
   * Advances the restarts in the slots together by up to `most` rounds, until fewer than
   * `runningLeast` go on; how many were taken. 0: the next one must be evaluated elsewhere and
   * taken by `take`.
   */
  advance(slots: Slots, runningLeast: number, most: number): number {
    const { session, lossSession } = this.#fit;
    if (this.#isRefused || lossSession !== undefined || session.lanes > LANES_INSIDE) {
      this.#isRefused = false;
      return 0;
    }
    const entered = session.enter();
    if (entered === undefined) return 0;
    const { machine, trace } = entered;
    const leader = leaderOf(slots);
    const block = this.#layOut(leader.optimiser, true);
    const address = machine.fitBuffer(block.bytes);
    if (address === 0) return 0;
    this.#write(machine, address, block);
    this.#writeRows(machine, address, block, 0);
    this.#writeTrace(machine, address, block, trace);
    this.#pack(machine, address, block, slots, leader);
    new FitBlock(machine.views, address).runningLeast = runningLeast;
    const soon = Math.min(most, this.#soon(trace, leader.optimiser));
    this.#isRefused = machine.exports.fitRounds(address, soon) === ROUNDS_REFUSED;
    this.#unpack(machine, address, block, slots);
    return new FitBlock(machine.views, address).rounds;
  }

  /** Lets the restarts take the evaluation that the sessions have made; none where it failed. */
  take(slots: Slots, isAlive: boolean): void {
    const { machine } = this.#fit.session;
    const leader = leaderOf(slots);
    const block = this.#layOut(leader.optimiser, false);
    const address = this.#bufferOf(machine, block);
    this.#write(machine, address, block);
    this.#pack(machine, address, block, slots, leader);
    this.#addAll(machine, address, block, isAlive);
    machine.exports.fitTake(address);
    this.#unpack(machine, address, block, slots);
  }

  /** Gradients of the loss by the parameters in the user's units, slot after slot. */
  gradients(isAlive: boolean): Float64Array {
    const { free, slots, session } = this.#fit;
    const { address, block } = this.#sum(FIT_ADAM, isAlive);
    const { doubles } = session.machine.views;
    const gradients = new Float64Array(slots * free.length);
    for (let slot = 0; slot < slots; slot++) {
      const from = (address + block.sums + slot * block.sumsBytes) / 8;
      for (let j = 0; j < free.length; j++)
        gradients[slot * free.length + j] = doubles[from + j] as number;
    }
    return gradients;
  }

  /** Makes the factor of the first slot's Jacobian by the parameters in the user's units. */
  factorInto(factor: Factor, isAlive: boolean): void {
    const { address, block } = this.#sum(FIT_LEVENBERG, isAlive);
    const { doubles } = this.#fit.session.machine.views;
    factor.read(doubles, (address + block.sums + SUMS_FACTOR) / 8);
  }

  #sum(optimiser: number, isAlive: boolean): { readonly address: number; readonly block: Block } {
    const { free, slots, session } = this.#fit;
    const { machine } = session;
    const block = this.#layOut(optimiser, false);
    const address = this.#bufferOf(machine, block);
    this.#write(machine, address, block);
    for (let slot = 0; slot < slots; slot++) {
      const state = address + block.states + slot * block.stateBytes;
      new SlotState(machine.views, state).reason = REASON_NONE;
      const slopes = (state + STATE_ARRAYS) / 8 + ARRAY_SLOPES * free.length;
      machine.views.doubles.fill(1, slopes, slopes + free.length);
    }
    this.#addAll(machine, address, block, isAlive);
    machine.exports.fitSum(address);
    return { address, block };
  }

  /** Hands the sessions' evaluation to the machine, piece by piece. */
  #addAll(machine: Machine, address: number, block: Block, isAlive: boolean): void {
    const { slots, points } = this.#fit;
    machine.exports.fitBegin(address);
    for (let from = 0; from < points; from += block.rowsMost) {
      this.#writeRows(machine, address, block, from);
      for (let slot = 0; slot < slots; slot++) {
        this.#writeGiven(machine, address, block, from, slot, isAlive);
        machine.exports.fitAdd(address, slot);
      }
    }
  }

  #bufferOf(machine: Machine, block: Block): number {
    const address = machine.fitBuffer(block.bytes);
    if (address !== 0) return address;
    throw makeError(
      "E-MEMORY",
      { reason: "together", option: "memoryMax" },
      { message: "no memory is left for the fit's own numbers" },
    );
  }

  /** Rounds that are over soon enough. */
  #soon({ counters }: Trace, optimiser: number): number {
    const { session, slots, points, free } = this.#fit;
    const width = free.length + 1;
    const pairs = optimiser === FIT_LEVENBERG ? slots * points * width * width : 0;
    const round = counters.traceRecords * session.lanes * RECORD_NS + pairs * PAIR_NS + 500;
    return Math.max(1, Math.floor(CALL_NS / round));
  }

  // ─── The block ────────────────────────────────────────────────────────────

  /** The layout for rounds on a trace, which has all rows, or for what was evaluated elsewhere. */
  #layOut(optimiser: number, hasTrace: boolean): Block {
    const known = this.#block;
    if (known?.optimiser === optimiser && known.hasTrace === hasTrace) return known;
    this.#block = this.#makeBlock(optimiser, hasTrace);
    return this.#block;
  }

  #makeBlock(optimiser: number, hasTrace: boolean): Block {
    const { slots, points, free, session, rootWeights, trials, rowGroups } = this.#fit;
    const size = free.length;
    const blockRows = Math.min(BLOCK_ROWS, points);
    const rowsMost = hasTrace ? points : blockRows;
    const rowBytes = aligned(rowsMost * 8);
    const isSquares = optimiser === FIT_LEVENBERG;
    const stateBytes = aligned(stateNumbers(optimiser, size) * 8);
    const sumsBytes = isSquares ? SUMS_FACTOR + factorNumbers(size) * 8 : (size + 1) * 64;
    const ids = FIT_BYTES;
    const parts = ids + aligned((this.#inputs.length + this.#columns.length) * 4);
    const groups = parts + aligned(size * PART_BYTES);
    const maps = groups + (rowGroups === undefined ? 0 : aligned(rowsMost * 4));
    const target = maps + size * MAP_BYTES;
    const roots = target + rowBytes;
    const tried = roots + (rootWeights === undefined ? 0 : rowBytes);
    const slopes = tried + (trials === undefined ? 0 : rowBytes);
    const repeated = slopes + rowBytes;
    const states = repeated + rowBytes;
    const sums = states + slots * stateBytes;
    const rows = sums + slots * sumsBytes;
    const work = rows + (isSquares ? blockRows * factorStride(size) * 8 : 0);
    const rest = work + (isSquares ? 2 * factorNumbers(size) * 8 : 0);
    // Columns, or values, slopes by each input, and what a program says of the loss.
    const reals = hasTrace ? this.#columns.length : this.#inputs.length + 3;
    return {
      optimiser,
      hasTrace,
      rowsMost,
      blockRows,
      stateBytes,
      sumsBytes,
      ids,
      parts,
      groups,
      maps,
      target,
      roots,
      trials: tried,
      slopes,
      repeated,
      states,
      sums,
      rows,
      work,
      rest,
      bytes: rest + reals * rowsMost * session.machine.reals.bytes,
    };
  }

  /** All that does not depend on rows. */
  #write(machine: Machine, address: number, block: Block): void {
    const { session, slots, free, loss, lossWidth } = this.#fit;
    const { rootWeights, trials, rowGroups } = this.#fit;
    const header = new FitBlock(machine.views, address);
    header.slots = slots;
    header.params = free.length;
    header.inputs = this.#inputs.length;
    header.lanes = session.lanes;
    header.slotLanes = session.lanes / slots;
    header.isRepeated = session.lanes === slots ? 1 : 0;
    header.optimiser = block.optimiser;
    header.loss = loss;
    header.stateBytes = block.stateBytes;
    header.sumsBytes = block.sumsBytes;
    header.blockRows = block.blockRows;
    header.idsAt = block.ids;
    header.partsAt = block.parts;
    header.rowGroupsAt = rowGroups === undefined ? 0 : block.groups;
    header.mapsAt = block.maps;
    header.targetAt = block.target;
    header.rootsAt = rootWeights === undefined ? 0 : block.roots;
    header.trialsAt = trials === undefined ? 0 : block.trials;
    header.statesAt = block.states;
    header.sumsAt = block.sums;
    header.slopesAt = block.slopes;
    header.repeatedAt = block.repeated;
    header.blockAt = block.rows;
    header.workAt = block.work;
    header.givenAt = 0;
    header.lossWidth = lossWidth;
    if (block.optimiser === FIT_LEVENBERG) {
      this.#unit ??= this.#fit.unit();
      header.unit = this.#unit;
    }
    this.#writeParameters(machine, address, block);
  }

  #writeParameters({ views }: Machine, address: number, block: Block): void {
    const { free } = this.#fit;
    const { doubles } = views;
    let input = -1;
    let before: string | undefined;
    for (let j = 0; j < free.length; j++) {
      const { input: name, group, transform } = free[j] as Free;
      if (name !== before) input += 1;
      before = name;
      const part = new FitPart(views, address + block.parts + j * PART_BYTES);
      part.input = input;
      part.group = group;
      const { numbers } = transform;
      const map = (address + block.maps + j * MAP_BYTES) / 8;
      for (let k = 0; k < numbers.length; k++) doubles[map + k] = numbers[k] as number;
    }
  }

  /** The rows from `from` on of all that has a number for every row. */
  #writeRows({ views }: Machine, address: number, block: Block, from: number): void {
    const { points, target, rootWeights, trials, rowGroups } = this.#fit;
    const { words, doubles } = views;
    const rows = Math.min(block.rowsMost, points - from);
    new FitBlock(views, address).points = rows;
    copyRows(target, from, rows, doubles, (address + block.target) / 8);
    if (rootWeights !== undefined)
      copyRows(rootWeights, from, rows, doubles, (address + block.roots) / 8);
    if (trials !== undefined) copyRows(trials, from, rows, doubles, (address + block.trials) / 8);
    if (rowGroups !== undefined)
      copyRows(rowGroups, from, rows, words, (address + block.groups) / 4);
  }

  /** Where the machine finds parameters and columns in its trace, and the columns. */
  #writeTrace({ views, reals }: Machine, address: number, block: Block, trace: Trace): void {
    const { session, columns, points } = this.#fit;
    const { words } = views;
    const header = new FitBlock(views, address);
    header.columns = this.#columns.length;
    header.columnsAt = block.rest;
    header.width = trace.width;
    header.result = trace.result.data;
    header.hasMerges = trace.hasMerges ? 1 : 0;
    let id = (address + block.ids) / 4;
    for (const name of this.#inputs) words[id++] = session.payloadOf(name);
    const numbers = reals.view();
    let to = (address + block.rest) / reals.bytes;
    for (const name of this.#columns) {
      words[id++] = session.payloadOf(name);
      copyRows(own(columns, name) as Float64Array, 0, points, numbers, to);
      to += points;
    }
  }

  /** What the sessions' evaluation came to in rows of a slot: no number where it failed. */
  #writeGiven(
    { views, reals }: Machine,
    address: number,
    block: Block,
    from: number,
    slot: number,
    isAlive: boolean,
  ): void {
    const { session, lossSession, slots, points } = this.#fit;
    const header = new FitBlock(views, address);
    const rows = header.points;
    const isRepeated = session.lanes === slots;
    const lanes = isRepeated ? 1 : rows;
    const lane = isRepeated ? slot : slot * points + from;
    const numbers = reals.view();
    let to = (address + block.rest) / reals.bytes;
    header.givenAt = block.rest;
    header.lanes = lanes;
    if (!isAlive) {
      header.loss = FIT_SQUARES;
      numbers.fill(Number.NaN, to, to + lanes);
      numbers.fill(0, to + lanes, to + lanes * (1 + this.#inputs.length));
      return;
    }
    copyRows(session.values, lane, lanes, numbers, to);
    for (const name of this.#inputs) {
      to += lanes;
      copyRows(own(session.gradients, name) as Numbers, lane, lanes, numbers, to);
    }
    if (lossSession === undefined) return;
    to += lanes;
    header.pointLossesAt = to * reals.bytes - address;
    const first = slot * points + from;
    copyRows(lossSession.values, first, rows, numbers, to);
    copyRows(lossSession.gradients["pred"] as Numbers, first, rows, numbers, to + rows);
  }

  /** An empty slot has the point of another, so that it is never the one that fails. */
  #pack({ views }: Machine, address: number, block: Block, slots: Slots, leader: Restart): void {
    const header = new FitBlock(views, address);
    header.steps = leader.limits.steps;
    leader.writeSettings(header);
    for (let slot = 0; slot < slots.length; slot++) {
      const at = address + block.states + slot * block.stateBytes;
      (slots[slot] ?? leader).pack(views.doubles, at / 8);
      if (slots[slot] === undefined) new SlotState(views, at).reason = REASON_EMPTY;
    }
  }

  #unpack({ views }: Machine, address: number, block: Block, slots: Slots): void {
    // Memory may have grown meanwhile.
    const { doubles } = views;
    for (let slot = 0; slot < slots.length; slot++)
      slots[slot]?.unpack(doubles, (address + block.states + slot * block.stateBytes) / 8);
  }
}

/**
 * Whole arrays at once, unless they are short and their numbers converted; parts one by one, since a
 * view would be made for each.
 * @internal
 */
export function copyRows(
  from: Numbers | Int32Array,
  first: number,
  count: number,
  into: Numbers | Int32Array,
  to: number,
): void {
  const isConverted = from.BYTES_PER_ELEMENT !== into.BYTES_PER_ELEMENT;
  const isAll = first === 0 && count === from.length;
  if (isAll && (count > LOOP_MOST || !isConverted)) into.set(from, to);
  else for (let i = 0; i < count; i++) into[to + i] = from[first + i] as number;
}

/** Byte offsets of the parts of a block, and sizes of those that slots have. */
interface Block {
  readonly optimiser: number;
  readonly hasTrace: boolean;
  /** Rows there is room for, and of the Jacobian that are reflected at once. */
  readonly rowsMost: number;
  readonly blockRows: number;
  readonly stateBytes: number;
  readonly sumsBytes: number;
  readonly ids: number;
  readonly parts: number;
  readonly groups: number;
  readonly maps: number;
  readonly target: number;
  readonly roots: number;
  readonly trials: number;
  readonly slopes: number;
  readonly repeated: number;
  readonly states: number;
  readonly sums: number;
  readonly rows: number;
  readonly work: number;
  readonly rest: number;
  readonly bytes: number;
}

/** The restart of the first slot that has one. */
export function leaderOf(slots: Slots): Restart {
  let slot = 0;
  while (slots[slot] === undefined) slot += 1;
  return slots[slot] as Restart;
}

/** Whole vectors of 16 bytes. */
const aligned = (bytes: number): number => Math.ceil(bytes / 16) * 16;
