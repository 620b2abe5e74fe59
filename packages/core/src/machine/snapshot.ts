/**
 * Reads a result out of the machine before the next run overwrites it.
 *
 * A number, vector or matrix is copied lane by lane. Structure is copied as heap words together
 * with the numbers it refers to, and turned into JavaScript values or datums on demand, without
 * host recursion.
 */

import { NdvmError, type Span } from "../errors.js";
import {
  PAYLOAD_COLS,
  PAYLOAD_FLAGS,
  PAYLOAD_RANK,
  PAYLOAD_ROWS,
  PAYLOAD_UNIFORM,
  TAG_BOOL,
  TAG_CLOSURE,
  TAG_INT,
  TAG_MASK,
  TAG_NIL,
  TAG_PAIR,
  TAG_PRIMITIVE,
  TAG_REAL,
  TAG_SYMBOL,
  TAG_TENSOR,
} from "../program/layout.js";
import type { Datum } from "../syntax/datum.js";
import { print } from "../syntax/print.js";
import { primitiveName } from "./faults.js";
import type { Exports } from "./instance.js";
import type { Machine } from "./machine.js";
import type { Program } from "./program.js";
import { numericDatum } from "./results.js";
import type { DatumValue } from "./types.js";

/** Where payloads are, as the machine says it now. */
export interface PayloadInfo {
  readonly rank: number;
  readonly rows: number;
  readonly cols: number;
  readonly uniform: boolean;
}

export const shapeOf = ({ rank, rows, cols }: PayloadInfo): readonly number[] =>
  rank === 0 ? [] : rank === 1 ? [rows] : [rows, cols];

export function payloadInfo(exports: Exports, id: number): PayloadInfo {
  const words = new DataView(exports.memory.buffer, exports.entryAddress(id));
  const flags = words.getInt32(PAYLOAD_FLAGS, true);
  return {
    rank: flags & PAYLOAD_RANK,
    rows: words.getInt32(PAYLOAD_ROWS, true),
    cols: words.getInt32(PAYLOAD_COLS, true),
    uniform: (flags & PAYLOAD_UNIFORM) !== 0,
  };
}

/** Whether a payload is stored once for all lanes. */
export const isUniform = ({ exports, views }: Machine, id: number): boolean => {
  const flags = views.words[(exports.entryAddress(id) + PAYLOAD_FLAGS) / 4] as number;
  return (flags & PAYLOAD_UNIFORM) !== 0;
};

/** The numbers of a payload, lane after lane of its elements. NaNs are canonical. */
export function readPayload(machine: Machine, id: number, lanes: number): Float64Array {
  const { exports, reals } = machine;
  const { rows, cols, uniform } = payloadInfo(exports, id);
  const view = reals.view();
  const count = rows * cols;
  const from = exports.primalAddress(id) / reals.bytes;
  const stride = (uniform ? 16 : exports.runBytes()) / reals.bytes;
  const out = new Float64Array(count * lanes);
  for (let e = 0; e < count; e++) {
    for (let lane = 0; lane < lanes; lane++) {
      const value = view[from + e * stride + (uniform ? 0 : lane)] as number;
      out[lane * count + e] = Number.isNaN(value) ? Number.NaN : value;
    }
  }
  return out;
}

interface Numbers {
  readonly info: PayloadInfo;
  readonly values: Float64Array;
}

/** Starts the name of a symbol datum that stands for a thing without a reading. */
export const UNREADABLE = "\u0000";

/** Text of a datum in which things without a reading are written #<…>. */
export function printResult(datum: Datum): string {
  // The printer puts a name with a control character between bars and escapes the character.
  return print(datum).replaceAll(
    /\|\\x0;((?:[^|\\]|\\.)*)\|/g,
    (_, name: string) => `#<${unescaped(name)}>`,
  );
}

const unescaped = (name: string): string => name.replaceAll(/\\([|\\])/g, "$1");

/** More nodes than this are not turned into values: shared structure can unfold without end. */
const NODES_MAX = 20_000_000;

/** What a finished list is made into, and how the leaves look. */
interface Builder<T> {
  leaf(tag: number, data: number): T;
  list(items: T[], tail: T | undefined): T;
}

export class Snapshot {
  readonly tag: number;
  readonly data: number;
  readonly lanes: number;
  readonly #heap: Int32Array;
  readonly #numbers = new Map<number, Numbers>();
  readonly #masks = new Map<number, Float64Array>();
  readonly #symbols: readonly string[];
  readonly #nameOf: (tag: number, data: number) => string;

  /** Copies the result of the machine's latest walk, which had `lanes` lanes. */
  constructor(machine: Machine, program: Program, lanes: number) {
    const { exports } = machine;
    this.tag = exports.resultTag();
    this.data = exports.resultData();
    this.lanes = lanes;
    this.#symbols = program.symbols;
    const isStructure = this.tag === TAG_PAIR || this.tag === TAG_CLOSURE;
    const bytes = isStructure ? exports.bytesUsed(3) : 0;
    const base = (exports.heapBase.value as number) >>> 0;
    this.#heap = new Int32Array(exports.memory.buffer.slice(base, base + bytes));
    this.#nameOf = (tag, data) => {
      if (tag === TAG_PRIMITIVE) return primitiveName(data);
      return program.procedureAt(this.#heap[data * 2 + 1] as number).name ?? "(lambda …)";
    };
    this.#copyNumbers(machine);
  }

  /** Copies every payload that the result refers to. */
  #copyNumbers(machine: Machine): void {
    const seen = new Set<number>();
    const work: [number, number][] = [[this.tag, this.data]];
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const [tag, data] = item;
      if (tag === TAG_REAL || tag === TAG_TENSOR) {
        if (this.#numbers.has(data)) continue;
        const values = readPayload(machine, data, this.lanes);
        this.#numbers.set(data, { info: payloadInfo(machine.exports, data), values });
      } else if (tag === TAG_MASK) {
        // All bits set reads as NaN, none as 0.
        const bits = readPayload(machine, data, this.lanes);
        this.#masks.set(
          data,
          bits.map((value) => (value === 0 ? 0 : 1)),
        );
      } else if (tag === TAG_PAIR && !seen.has(data)) {
        seen.add(data);
        work.push(this.#field(data, 0), this.#field(data, 1));
      }
    }
  }

  #field(object: number, field: number): [number, number] {
    const at = (object + 1 + field) * 2;
    return [this.#heap[at] as number, this.#heap[at + 1] as number];
  }

  /** Shape of a numeric result; undefined for structure. */
  get shape(): readonly number[] | undefined {
    if (this.tag === TAG_INT) return [];
    const numbers = this.#numbers.get(this.data);
    if (numbers === undefined || (this.tag !== TAG_REAL && this.tag !== TAG_TENSOR))
      return undefined;
    return shapeOf(numbers.info);
  }

  /** What the result is, in words. */
  get kind(): string {
    if (this.tag === TAG_PAIR || this.tag === TAG_NIL) return "a list";
    if (this.tag === TAG_BOOL || this.tag === TAG_MASK) return "a boolean";
    if (this.tag === TAG_SYMBOL) return "a symbol";
    if (this.tag === TAG_CLOSURE || this.tag === TAG_PRIMITIVE) return "a procedure";
    return this.shape === undefined ? "nothing" : "a number";
  }

  /** The result in one lane as a JavaScript value. */
  value(lane: number): DatumValue {
    return this.#build<DatumValue>({
      leaf: (tag, data) => this.#leafValue(tag, data, lane),
      list: (items, tail) => (tail === undefined ? items : { list: items, tail }),
    });
  }

  #leafValue(tag: number, data: number, lane: number): DatumValue {
    switch (tag) {
      case TAG_INT:
        return data;
      case TAG_REAL:
        return this.#numbersOf(data).values[lane] as number;
      case TAG_TENSOR:
        return this.#tensorValue(this.#numbersOf(data), lane);
      case TAG_BOOL:
        return data !== 0;
      case TAG_MASK:
        return this.#masks.get(data)?.[lane] === 1;
      case TAG_NIL:
        return [];
      case TAG_SYMBOL:
        return this.#symbols[data] as string;
      case TAG_CLOSURE:
      case TAG_PRIMITIVE:
        return { procedure: this.#nameOf(tag, data) };
      default:
        return null;
    }
  }

  #numbersOf(id: number): Numbers {
    return this.#numbers.get(id) as Numbers;
  }

  #tensorValue({ info, values }: Numbers, lane: number): DatumValue {
    const count = info.rows * info.cols;
    const own = values.slice(lane * count, (lane + 1) * count);
    if (info.rank === 1) return own;
    return Array.from({ length: info.rows }, (_, r) =>
      own.slice(r * info.cols, (r + 1) * info.cols),
    );
  }

  /** The result in one lane as a datum; a matrix is (mat [..] …), a procedure #<procedure f>. */
  datum(lane: number): Datum {
    const span: Span = { start: 0, end: 0 };
    return this.#build<Datum>({
      leaf: (tag, data) => this.#leafDatum(tag, data, lane),
      list: (items, tail) => ({ kind: "list", items, tail, span }),
    });
  }

  #leafDatum(tag: number, data: number, lane: number): Datum {
    const span: Span = { start: 0, end: 0 };
    if (tag === TAG_REAL || tag === TAG_TENSOR) {
      const { info, values } = this.#numbersOf(data);
      const count = info.rows * info.cols;
      const own = values.slice(lane * count, (lane + 1) * count);
      return numericDatum(own, shapeOf(info));
    }
    if (tag === TAG_NIL) return { kind: "list", items: [], span };
    const value = this.#leafValue(tag, data, lane);
    if (typeof value === "number") return { kind: "number", value, exact: true, span };
    if (typeof value === "boolean") return { kind: "boolean", value, span };
    if (typeof value === "string") return { kind: "symbol", name: value, span };
    const name = value === null ? "unspecified" : `procedure ${procedureOf(value)}`;
    return { kind: "symbol", name: `${UNREADABLE}${name}`, span };
  }

  #build<T>(builder: Builder<T>): T {
    const results: T[] = [];
    const work: ([number, number] | { readonly close: number; readonly dotted: boolean })[] = [
      [this.tag, this.data],
    ];
    let nodes = 0;
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      if (!Array.isArray(item)) {
        const tail = item.dotted ? results.pop() : undefined;
        results.push(builder.list(results.splice(results.length - item.close), tail));
        continue;
      }
      nodes += 1;
      if (nodes > NODES_MAX)
        throw new NdvmError("E-RESULT", `the result has more than ${NODES_MAX} parts`, {
          help: "return less of it: shared structure is written out once for every use",
        });
      if (item[0] === TAG_PAIR) this.#open(item[1], work);
      else results.push(builder.leaf(item[0], item[1]));
    }
    return results[0] as T;
  }

  /** Puts the items of a list on the work stack, its closing mark below them. */
  #open(
    pair: number,
    work: ([number, number] | { readonly close: number; readonly dotted: boolean })[],
  ): void {
    const items: [number, number][] = [];
    let at: [number, number] = [TAG_PAIR, pair];
    while (at[0] === TAG_PAIR) {
      items.push(this.#field(at[1], 0));
      at = this.#field(at[1], 1);
    }
    const dotted = at[0] !== TAG_NIL;
    work.push({ close: items.length, dotted });
    if (dotted) work.push(at);
    for (let i = items.length - 1; i >= 0; i--) work.push(items[i] as [number, number]);
  }
}

function procedureOf(value: DatumValue): string {
  return (value as { readonly procedure: string }).procedure;
}
