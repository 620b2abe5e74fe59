/**
 * A chunk: the lanes that the machine works on at once, as numbers of the caller's lanes.
 */

import { type Stride, strideIndex, writeStrided } from "../inputs/axes.js";
import type { BoundInput, Reals } from "../inputs/inputs.js";
import type { TensorInput } from "../types.js";

/** Lanes from … below to, or a list of lanes. */
export type LaneSet =
  | { readonly from: number; readonly to: number }
  | { readonly list: readonly number[] };

export const laneCount = (set: LaneSet): number =>
  "list" in set ? set.list.length : set.to - set.from;

/** The lane at position i of a set. */
export const laneAt = (set: LaneSet, i: number): number =>
  "list" in set ? (set.list[i] as number) : set.from + i;

/** The first `count` lanes of a set, and the others. */
export function splitLanes(set: LaneSet, count: number): [LaneSet, LaneSet] {
  if ("list" in set) return [{ list: set.list.slice(0, count) }, { list: set.list.slice(count) }];
  const middle = Math.min(set.from + count, set.to);
  return [
    { from: set.from, to: middle },
    { from: middle, to: set.to },
  ];
}

export function listOf(set: LaneSet): readonly number[] {
  if ("list" in set) return set.list;
  return Array.from({ length: set.to - set.from }, (_, i) => set.from + i);
}

/** Lanes that are left over, with those not yet tried. */
export function joined(left: readonly number[], others: LaneSet): LaneSet {
  return left.length === 0 ? others : { list: [...left, ...listOf(others)] };
}

/** Writes one input's numbers for the lanes of a chunk at byte address `at`, padding included. */
export function writeChunk(
  reals: Reals,
  input: BoundInput,
  at: number,
  run: number,
  set: LaneSet,
): void {
  const view = reals.view();
  const from = at / reals.bytes;
  const vector = 16 / reals.bytes;
  const width = run / reals.bytes;
  if (input.perLane !== undefined) {
    if (input.stride === undefined) writeNumbers(view, from, input.perLane, set);
    else writeOver(view, from, input.perLane, input.stride, set);
    pad(view, from, laneCount(set), width);
    return;
  }
  if (input.tensors !== undefined) {
    writeTensors(view, from, input, width, set);
    return;
  }
  if (input.shared === undefined) {
    for (let i = 0; i < vector; i++) view[from + i] = input.value;
    return;
  }
  for (let e = 0; e < input.shared.length; e++) {
    const value = input.shared[e] as number;
    for (let i = 0; i < vector; i++) view[from + e * vector + i] = value;
  }
}

type View = Float64Array | Float32Array;

/** Up to so many numbers a loop is faster than a block move with conversion. */
export const LOOP_MOST = 256;

function writeNumbers(
  view: View,
  from: number,
  numbers: View | readonly number[],
  set: LaneSet,
): void {
  if ("list" in set) {
    for (let i = 0; i < set.list.length; i++)
      view[from + i] = numbers[set.list[i] as number] as number;
    return;
  }
  if (Array.isArray(numbers) || set.to - set.from <= LOOP_MOST) {
    for (let lane = set.from; lane < set.to; lane++)
      view[from + lane - set.from] = numbers[lane] as number;
    return;
  }
  view.set((numbers as View).subarray(set.from, set.to), from);
}

/** Writes an input over some of the axes. */
function writeOver(
  view: View,
  from: number,
  numbers: View | readonly number[],
  stride: Stride,
  set: LaneSet,
): void {
  if (!("list" in set)) {
    writeStrided(numbers, stride, set, view, from);
    return;
  }
  for (let i = 0; i < set.list.length; i++)
    view[from + i] = numbers[strideIndex(stride, set.list[i] as number)] as number;
}

function writeTensors(
  view: View,
  from: number,
  input: BoundInput,
  width: number,
  set: LaneSet,
): void {
  const { stride, rows, cols } = input;
  const all = input.tensors as readonly TensorInput[];
  const lanes = laneCount(set);
  const tensors = Array.from({ length: lanes }, (_, i) => {
    const lane = laneAt(set, i);
    return all[stride === undefined ? lane : strideIndex(stride, lane)] as TensorInput;
  });
  for (let e = 0; e < rows * cols; e++) {
    const row = from + e * width;
    for (let i = 0; i < lanes; i++) view[row + i] = (tensors[i] as TensorInput).data[e] as number;
    pad(view, row, lanes, width);
  }
}

/** Padding lanes hold a copy of the last lane, so that they cost no slow arithmetic. */
function pad(view: View, from: number, lanes: number, width: number): void {
  const last = view[from + lanes - 1] as number;
  for (let i = lanes; i < width; i++) view[from + i] = last;
}
