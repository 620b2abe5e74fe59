/**
 * Payloads as the machine holds them: their shapes, and the numbers of each lane.
 */

import {
  PAYLOAD_RANK,
  PAYLOAD_UNIFORM,
  TAG_INT,
  TAG_REAL,
  TAG_TENSOR,
} from "../../program/layout.js";
import { PayloadEntry } from "../../program/structures.js";
import type { Exports } from "../instance.js";
import type { Machine } from "../machine.js";
import { type LaneSet, laneAt } from "../run/chunk.js";

/** A value as the machine's current trace or its latest walk holds it. */
export interface MachineValue {
  readonly tag: number;
  readonly data: number;
}

/** The payload of a number, vector or matrix; −1 for anything else. */
export const payloadOf = ({ tag, data }: MachineValue): number =>
  tag === TAG_REAL || tag === TAG_TENSOR ? data : -1;

/** Shape of a numeric value; undefined for structure. */
export function numericShape(machine: Machine, value: MachineValue): readonly number[] | undefined {
  if (value.tag === TAG_INT) return NUMBER;
  const payload = payloadOf(value);
  return payload < 0 ? undefined : shapeOf(payloadInfo(machine, payload));
}

const NUMBER: readonly number[] = [];

/** Where payloads are, as the machine says it now. */
export interface PayloadInfo {
  readonly rank: number;
  readonly rows: number;
  readonly cols: number;
  readonly uniform: boolean;
}

export const shapeOf = ({ rank, rows, cols }: PayloadInfo): readonly number[] =>
  rank === 0 ? NUMBER : rank === 1 ? [rows] : [rows, cols];

/** What of a machine tells about its payloads. */
export interface Holder {
  readonly exports: Exports;
  readonly views: { readonly words: Int32Array };
}

export function payloadInfo({ exports, views }: Holder, id: number): PayloadInfo {
  const { flags, rows, cols } = new PayloadEntry(views, exports.entryAddress(id));
  return {
    rank: flags & PAYLOAD_RANK,
    rows,
    cols,
    uniform: (flags & PAYLOAD_UNIFORM) !== 0,
  };
}

/** Whether a payload is stored once for all lanes. @internal */
export const isUniform = ({ exports, views }: Machine, id: number): boolean => {
  const { flags } = new PayloadEntry(views, exports.entryAddress(id));
  return (flags & PAYLOAD_UNIFORM) !== 0;
};

/**
 * Writes the numbers of a payload, lane after lane of its elements; of a uniform one once for all
 * lanes. NaNs are canonical.
 * @internal
 */
export function readPayload(
  { exports, reals }: Machine,
  id: number,
  { rows, cols, uniform }: PayloadInfo,
  lanes: number,
  into: Float64Array,
  at: number,
): void {
  const view = reals.view();
  const count = rows * cols;
  const from = exports.primalAddress(id) / reals.bytes;
  const stride = (uniform ? 16 : exports.runBytes()) / reals.bytes;
  for (let e = 0; e < count; e++) {
    for (let lane = 0; lane < (uniform ? 1 : lanes); lane++) {
      const value = view[from + e * stride + lane] as number;
      into[at + lane * count + e] = Number.isNaN(value) ? Number.NaN : value;
    }
  }
}

/**
 * Copies a numeric value of the live lanes of a chunk to their places. NaNs are canonical.
 * @internal
 */
export function readNumeric(
  machine: Machine,
  { tag, data }: MachineValue,
  into: Float64Array,
  count: number,
  set: LaneSet,
  live: Uint8Array,
): void {
  if (tag === TAG_INT) {
    for (let i = 0; i < live.length; i++) if (live[i] === 1) into[laneAt(set, i)] = data;
    return;
  }
  const { exports, reals } = machine;
  const uniform = isUniform(machine, data);
  const view = reals.view();
  const from = exports.primalAddress(data) / reals.bytes;
  const stride = (uniform ? 16 : exports.runBytes()) / reals.bytes;
  for (let i = 0; i < live.length; i++) {
    if (live[i] !== 1) continue;
    const to = laneAt(set, i) * count;
    for (let e = 0; e < count; e++) {
      const value = view[from + e * stride + (uniform ? 0 : i)] as number;
      into[to + e] = Number.isNaN(value) ? Number.NaN : value;
    }
  }
}
