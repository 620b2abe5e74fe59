/**
 * A finished run as the caller sees it: what `evaluate` and `gradient` return.
 */

import { laneOf } from "../inputs/axes.js";
import type { Results } from "../results/results.js";
import { reduceGradients } from "../results/sums.js";
import type {
  Axis,
  AxisIndices,
  DatumValue,
  Evaluation,
  GradientOptions,
  GradientResult,
  RunStats,
} from "../types.js";
import { type RunEnd, statsOf } from "./execute.js";
import type { Job } from "./job.js";
import { checkLane } from "./one-call.js";

export class Outcome implements Evaluation {
  readonly results: Results;
  readonly axes: readonly Axis[];
  readonly #end: RunEnd;

  constructor(results: Results, end: RunEnd, axes: readonly Axis[]) {
    this.results = results;
    this.#end = end;
    this.axes = axes;
  }

  get stats(): RunStats {
    return statsOf(this.#end);
  }

  /** As a result with gradients: reduced by the axes that the caller names. */
  withGradients(
    { wrt, inputs, axes }: Job,
    reached: ReadonlySet<string>,
    reduce: GradientOptions["reduce"] = false,
  ): GradientResult {
    const inactive: string[] = [];
    for (const { name } of wrt) if (!reached.has(name)) inactive.push(name);
    const { gradients: perLane } = this.results;
    const reduced = reduce === false ? undefined : reduceGradients(perLane, axes, inputs, reduce);
    return new GradientOutcome(this, this.#end, reduced?.gradients ?? perLane, reduced, inactive);
  }

  lane(place: AxisIndices): number {
    return laneOf(this.axes, place);
  }

  at(place: AxisIndices): DatumValue {
    return this.datum(this.lane(place));
  }

  get lanes(): number {
    return this.results.lanes;
  }

  get shape(): readonly number[] | undefined {
    return this.results.shape;
  }

  get values(): Float64Array {
    return this.results.values;
  }

  get failures() {
    return this.results.failures;
  }

  get nonFinite() {
    return this.results.nonFinite;
  }

  datum(lane = 0): DatumValue {
    checkLane(lane, this.lanes);
    return this.results.datum(lane);
  }

  print(lane = 0): string {
    checkLane(lane, this.lanes);
    return this.results.print(lane);
  }
}

class GradientOutcome extends Outcome implements GradientResult {
  readonly gradients: GradientResult["gradients"];
  readonly reduced: GradientResult["reduced"];
  readonly inactive: readonly string[];

  constructor(
    { results, axes }: Outcome,
    end: RunEnd,
    gradients: GradientResult["gradients"],
    reduced: GradientResult["reduced"],
    inactive: readonly string[],
  ) {
    super(results, end, axes);
    this.gradients = gradients;
    this.reduced = reduced;
    this.inactive = inactive;
  }
}
