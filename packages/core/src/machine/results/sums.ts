/**
 * Sums over axes, in one fixed order.
 *
 * Along an axis the value with index i goes to partial sum i mod 8, indices ascending; then
 *
 *   ((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 + p7))
 *
 * in double precision. The bits depend on the values along the axis and on nothing else: not on
 * chunks, workers, or where the axis stands among the others. Several axes are summed one after
 * the other, in the order of their names.
 */

import { NdvmError } from "../../errors.js";
import { recordOf } from "../../records.js";
import { productOf, strideIndex, strideOf } from "../inputs/axes.js";
import { checkReduce } from "../options.js";
import type { Axis, OverAxes, Reduced } from "../types.js";

const PARTIALS = 8;
/** Neighbouring sums that are made together, so that memory is read in order. */
const BLOCK = 128;

/**
 * Sums values over one of their axes. `values` are row-major over `axes`, and may have several
 * numbers (a vector's elements) at each place.
 */
export function sumOver(values: ArrayLike<number>, axes: readonly Axis[], name: string): OverAxes {
  const at = axes.findIndex((axis) => axis.name === name);
  if (at < 0)
    throw new NdvmError("E-OPTION", `there is no axis ${name} to sum over`, {
      help: `the axes are ${axes.map((axis) => axis.name).join(", ") || "none"}`,
    });
  const places = productOf(axes);
  if (values.length % places !== 0)
    throw new NdvmError("E-OPTION", `${values.length} values do not fill ${places} places`, {
      help: "give the axes the values have, in their order",
    });
  const { size } = axes[at] as Axis;
  const outer = productOf(axes.slice(0, at));
  const inner = values.length / (outer * size);
  const sums = new Float64Array(outer * inner);
  const partials = new Float64Array(PARTIALS * BLOCK);
  for (let o = 0; o < outer; o++)
    for (let from = 0; from < inner; from += BLOCK) {
      const width = Math.min(BLOCK, inner - from);
      addPartials(values, o * size * inner + from, { size, inner, width }, partials);
      for (let i = 0; i < width; i++) sums[o * inner + from + i] = treeSum(partials, i);
    }
  return { axes: axes.filter((_, index) => index !== at), values: sums };
}

/** Eight partial sums for each of `width` neighbouring places. */
function addPartials(
  values: ArrayLike<number>,
  start: number,
  { size, inner, width }: { size: number; inner: number; width: number },
  partials: Float64Array,
): void {
  for (let k = 0; k < PARTIALS; k++) partials.fill(0, k * BLOCK, k * BLOCK + width);
  for (let index = 0; index < size; index++) {
    const row = start + index * inner;
    const into = (index % PARTIALS) * BLOCK;
    for (let i = 0; i < width; i++)
      partials[into + i] = (partials[into + i] as number) + (values[row + i] as number);
  }
}

function treeSum(partials: Float64Array, i: number): number {
  const p = (k: number): number => partials[k * BLOCK + i] as number;
  const sum = p(0) + p(1) + (p(2) + p(3)) + (p(4) + p(5) + (p(6) + p(7)));
  return Number.isNaN(sum) ? Number.NaN : sum;
}

/** What a reduction needs to know about an input. */
export interface ReducedInput {
  readonly name: string;
  /** Names of the axes it varies along. */
  readonly axes: readonly string[];
}

/**
 * Sums gradients over the axes their inputs do not have. `reduce` says which inputs: all of them,
 * or a list. The others stay per lane.
 */
export function reduceGradients(
  gradients: Readonly<Record<string, Float64Array>>,
  axes: readonly Axis[],
  inputs: readonly ReducedInput[],
  reduce: boolean | readonly string[],
): Reduced {
  checkReduce(reduce);
  const wanted = reduce === true ? Object.keys(gradients) : reduce === false ? [] : reduce;
  const sums = new Map(Object.entries(gradients));
  const sumAxes = new Map(Object.keys(gradients).map((name) => [name, axes]));
  const nanLanes = new Map<string, number>();
  for (const name of wanted) {
    const gradient = Object.hasOwn(gradients, name) ? gradients[name] : undefined;
    if (gradient === undefined)
      throw new NdvmError("E-OPTION", `cannot reduce ${name}: its gradient was not asked for`, {
        help: `the gradients are of ${Object.keys(gradients).join(", ") || "no input"}`,
      });
    const own = inputs.find((input) => input.name === name)?.axes ?? [];
    const { values, axes: left } = inOrder(sumMissing({ axes, values: gradient }, own), own);
    sums.set(name, values);
    sumAxes.set(name, left);
    nanLanes.set(name, countNanLanes(gradient, productOf(axes)));
  }
  // A name such as __proto__ must be a property like the others.
  return {
    gradients: recordOf(sums),
    gradientAxes: recordOf(sumAxes),
    nanLanes: recordOf(nanLanes),
  };
}

function sumMissing(given: OverAxes, own: readonly string[]): OverAxes {
  const missing = given.axes.map(({ name }) => name).filter((name) => !own.includes(name));
  let sum = given;
  for (const name of missing.sort()) sum = sumOver(sum.values, sum.axes, name);
  return sum;
}

/** The same numbers with their axes in another order: the one the input's values came in. */
function inOrder({ axes, values }: OverAxes, names: readonly string[]): OverAxes {
  const wanted = names.map((name) => axes.find((axis) => axis.name === name) as Axis);
  const stride = strideOf(
    wanted,
    axes.map(({ name }) => name),
  );
  if (stride === undefined) return { axes: wanted, values };
  const places = productOf(axes);
  const count = values.length / places;
  const moved = new Float64Array(values.length);
  for (let place = 0; place < places; place++) {
    const from = strideIndex(stride, place) * count;
    for (let e = 0; e < count; e++) moved[place * count + e] = values[from + e] as number;
  }
  return { axes: wanted, values: moved };
}

function countNanLanes(gradient: Float64Array, lanes: number): number {
  const count = gradient.length / lanes;
  let nans = 0;
  for (let lane = 0; lane < lanes; lane++)
    for (let e = 0; e < count; e++)
      if (Number.isNaN(gradient[lane * count + e])) {
        nans += 1;
        break;
      }
  return nans;
}
