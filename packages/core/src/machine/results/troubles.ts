/**
 * The lanes of a run that failed or are not finite, held as numbers: a word or two for each of the
 * run's lanes, made with the first one that there is. So they are in order, found at once, and take no
 * more than the caller's own inputs. They become objects when somebody reads them.
 */

import type { NdvmError, Span } from "../../errors.js";
import type { Evaluation, LaneFailure, NonFinite } from "../types.js";
import type { ByteBudget } from "./byte-budget.js";

/** What an error takes, and an entry of a list that is read. */
const ERROR_BYTES = 640;
const FAILURE_BYTES = 48;
const NON_FINITE_BYTES = 224;

/** A number that each lane has its own of, and what stands for it in the words of an error. */
export interface OwnNumbers {
  readonly mark: string;
  readonly numbers: Float64Array;
}

/** A failure of one lane or several: with numbers of their own, they are told in each lane's words. */
export interface LaneFault<Told = NdvmError> {
  readonly error: Told;
  readonly own: readonly OwnNumbers[];
}

/** Failed lanes as they travel: which of the faults each has, and its place among the lanes of it. */
export interface PackedFailures {
  readonly lanes: Uint32Array;
  readonly faults: Uint32Array;
  readonly places: Uint32Array;
}

const NO_LANES = new Uint32Array(0);

/** What a list of lanes is to those who read all of it, one after another. */
export interface LaneList<Entry> extends Iterable<Entry> {
  readonly count: number;
}

export class FailedLanes implements LaneList<LaneFailure> {
  readonly lanes: number;
  readonly faults: LaneFault[] = [];
  #count = 0;
  /** Of each lane, 1 + the number of its fault, and its place there; 0 where it did not fail. */
  #faultOf = NO_LANES;
  #placeOf = NO_LANES;

  constructor(lanes: number) {
    this.lanes = lanes;
  }

  get count(): number {
    return this.#count;
  }

  /** A fault that lanes can be added to; its number. An equal one of the lane before is the same. */
  addFault(fault: LaneFault, budget?: ByteBudget): number {
    const latest = this.faults.at(-1);
    if (latest !== undefined && isSame(latest, fault)) return this.faults.length - 1;
    const numbers = fault.own.reduce((sum, one) => sum + one.numbers.byteLength, 0);
    budget?.take(ERROR_BYTES + numbers);
    return this.faults.push(fault) - 1;
  }

  /** A lane that is walked again because memory was short can fail again; once is reported. */
  add(lane: number, fault: number, place: number): void {
    if (this.#faultOf.length === 0) {
      this.#faultOf = new Uint32Array(this.lanes);
      this.#placeOf = new Uint32Array(this.lanes);
    }
    if (this.#faultOf[lane] !== 0) return;
    this.#faultOf[lane] = fault + 1;
    this.#placeOf[lane] = place;
    this.#count += 1;
  }

  /** The error of a lane; undefined where it did not fail. */
  of(lane: number): NdvmError | undefined {
    const fault = this.#faultOf[lane] ?? 0;
    if (fault === 0) return undefined;
    return errorIn(this.faults[fault - 1] as LaneFault, this.#placeOf[lane] as number);
  }

  get first(): NdvmError | undefined {
    for (const { error } of this) return error;
    return undefined;
  }

  *[Symbol.iterator](): Generator<LaneFailure> {
    for (let lane = 0; lane < this.#faultOf.length; lane++) {
      const error = this.of(lane);
      if (error !== undefined) yield { lane, error };
    }
  }

  /** All of them, within a budget. */
  list(budget: ByteBudget): LaneFailure[] {
    const hasOwn = this.faults.some(({ own }) => own.length > 0);
    budget.take(this.#count * (FAILURE_BYTES + (hasOwn ? ERROR_BYTES : 0)));
    return [...this];
  }

  pack(): PackedFailures {
    const lanes = new Uint32Array(this.#count);
    let at = 0;
    for (let lane = 0; lane < this.#faultOf.length; lane++)
      if (this.#faultOf[lane] !== 0) lanes[at++] = lane;
    return {
      lanes,
      faults: lanes.map((lane) => (this.#faultOf[lane] as number) - 1),
      places: lanes.map((lane) => this.#placeOf[lane] as number),
    };
  }
}

function errorIn({ error, own }: LaneFault, place: number): NdvmError {
  if (own.length === 0) return error;
  const message = own.reduce(
    (text, { mark, numbers }) => text.replaceAll(mark, String(numbers[place])),
    error.message,
  );
  return error.with({ message });
}

const isSame = (a: LaneFault, b: LaneFault): boolean =>
  a.own.length + b.own.length === 0 && (a.error === b.error || told(a.error) === told(b.error));

/** All that an error of this program tells. */
const told = ({ code, message, help, span }: NdvmError): string =>
  JSON.stringify([code, message, help, span]);

/** What made a number infinite or NaN, in words, and where. */
export interface Cause {
  readonly span: Span | undefined;
  readonly cause: string;
}

/** Lanes that are not finite as they travel: what `#codes` holds of each. */
export interface PackedNonFinite {
  readonly lanes: Uint32Array;
  readonly codes: Uint32Array;
  readonly causes: readonly Cause[];
}

const UNKNOWN: Cause = { span: undefined, cause: "" };
/** The numbers that are not finite. */
const KINDS = [Number.NaN, Infinity, -Infinity] as const;

export class NonFiniteLanes implements LaneList<NonFinite> {
  readonly lanes: number;
  readonly #causes: Cause[] = [UNKNOWN];
  #count = 0;
  /** Of each lane, 1 + which number it is + 3 × the number of its cause; 0 where it is finite. */
  #codes = NO_LANES;

  constructor(lanes: number) {
    this.lanes = lanes;
  }

  get count(): number {
    return this.#count;
  }

  /** A cause that lanes can have; its number. That of an unknown one is 0. */
  addCause(cause: Cause): number {
    return this.#causes.push(cause) - 1;
  }

  add(lane: number, value: number, cause: number): void {
    if (this.#codes.length === 0) this.#codes = new Uint32Array(this.lanes);
    if (this.#codes[lane] === 0) this.#count += 1;
    const kind = KINDS.findIndex((number) => Object.is(number, value));
    this.#codes[lane] = 1 + kind + KINDS.length * cause;
  }

  /** The cause of a lane that is not finite becomes known. */
  explain(lane: number, cause: Cause): void {
    const code = this.#codes[lane] ?? 0;
    if (code !== 0)
      this.#codes[lane] = 1 + ((code - 1) % KINDS.length) + KINDS.length * this.addCause(cause);
  }

  *[Symbol.iterator](): Generator<NonFinite> {
    for (let lane = 0; lane < this.#codes.length; lane++) {
      const code = this.#codes[lane] as number;
      if (code !== 0) yield this.#entry(lane, code - 1);
    }
  }

  #entry(lane: number, code: number): NonFinite {
    const value = KINDS[code % KINDS.length] as number;
    const { span, cause } = this.#causes[Math.floor(code / KINDS.length)] as Cause;
    const message = `lane ${lane} is ${value}${cause === "" ? "" : `: ${cause}`}`;
    return { lane, value, span, cause, message };
  }

  /** All of them, within a budget. */
  list(budget: ByteBudget): NonFinite[] {
    budget.take(this.#count * NON_FINITE_BYTES);
    return [...this];
  }

  pack(): PackedNonFinite {
    const lanes = new Uint32Array(this.#count);
    let at = 0;
    for (let lane = 0; lane < this.#codes.length; lane++)
      if (this.#codes[lane] !== 0) lanes[at++] = lane;
    const codes = lanes.map((lane) => this.#codes[lane] as number);
    return { lanes, codes, causes: this.#causes };
  }

  /** Takes over those of a part, whose lanes begin at `from`. */
  unpack({ lanes, codes, causes }: PackedNonFinite, from: number): void {
    const places = causes.map((cause, i) => (i === 0 ? 0 : this.addCause(cause)));
    for (let i = 0; i < lanes.length; i++) {
      const code = (codes[i] as number) - 1;
      const value = KINDS[code % KINDS.length] as number;
      const cause = places[Math.floor(code / KINDS.length)] as number;
      this.add(from + (lanes[i] as number), value, cause);
    }
  }
}

/** The lanes of a result that failed or are not finite. */
export interface Troubles {
  readonly failed: LaneList<LaneFailure>;
  readonly notFinite: LaneList<NonFinite>;
}

const listed = <Entry>(entries: readonly Entry[]): LaneList<Entry> =>
  Object.assign([...entries], { count: entries.length });

/**
 * The same as `failures` and `nonFinite`, made one after another: for results of so many lanes that
 * all of them together take too much.
 */
export function troublesOf(result: Evaluation): Troubles {
  const { results } = result as { readonly results?: Partial<Troubles> };
  if (results === undefined)
    return { failed: listed(result.failures), notFinite: listed(result.nonFinite) };
  return { failed: results.failed ?? listed([]), notFinite: results.notFinite ?? listed([]) };
}
