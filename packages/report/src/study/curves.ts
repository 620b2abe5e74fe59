/** A member of the front beside the data: numbers for plots. */

import { type Domain, Machine, own, recordOf } from "@ndvm/core";
import { agreement } from "../agreement.js";
import type { XY } from "../chart.js";
import type { StudyMember } from "./story.js";

/** A model to be drawn. */
export type DrawnModel = Pick<StudyMember, "source" | "params">;

/** The rows beside which it is drawn. */
export interface DrawnData {
  readonly data: Readonly<Record<string, Float64Array>>;
  readonly inputs: readonly string[];
}

/** What a program may use that is drawn: whoever sends an archive may have written it. */
export interface DrawingLimits {
  /** Steps of a walk in a fit. */
  readonly fitSteps: number;
  /** Bytes of the machine. */
  readonly memory: number;
}

/** Those of a search that asks for no others. */
const LIMITS: DrawingLimits = { fitSteps: 50_000, memory: 256 * 2 ** 20 };
/** A loop may turn so many times more often beyond the data than where it was fitted. */
const STEPS_BEYOND = 20;
/** Milliseconds that a program may run. */
const TIME_MAX = 30_000;

/** Places along the axis at which a model of one input is drawn. */
const PLACES = 160;

export class ModelCurves {
  readonly #machine: Machine;
  readonly #study: DrawnData;
  readonly #target: string;
  readonly #domain: Domain;
  readonly #stepsMax: number;

  private constructor(
    machine: Machine,
    study: DrawnData,
    target: string,
    domain: Domain,
    fitSteps: number,
  ) {
    this.#machine = machine;
    this.#study = study;
    this.#target = target;
    this.#domain = domain;
    this.#stepsMax = STEPS_BEYOND * fitSteps;
  }

  static async create(
    study: DrawnData,
    target: string,
    domain: Domain,
    { fitSteps, memory }: DrawingLimits = LIMITS,
  ): Promise<ModelCurves> {
    const machine = await Machine.create({ memoryMax: memory });
    return new ModelCurves(machine, study, target, domain, fitSteps);
  }

  predictions(member: DrawnModel, columns: Readonly<Record<string, Float64Array>>): Float64Array {
    const inputs = this.#study.inputs;
    const program = this.#machine.load(member.source, { inputs, domain: this.#domain });
    try {
      const bound = program.inputs.map((name): [string, Float64Array | number] => [
        name,
        own(columns, name) ?? own(member.params, name) ?? 0,
      ]);
      const { values } = program.evaluate(recordOf(bound), {
        stepsMax: this.#stepsMax,
        timeMax: TIME_MAX,
      });
      const rows = Object.values(columns)[0]?.length ?? 0;
      return values.length === rows ? values : new Float64Array(rows).fill(values[0] as number);
    } finally {
      program.dispose();
    }
  }

  /** The model as a curve over its one input, or predictions against what was observed. */
  curve(
    member: DrawnModel,
    places = PLACES,
    beyond = 0,
  ): {
    readonly x: string;
    readonly points: readonly XY[];
    readonly line: readonly XY[];
  } {
    const { data, inputs } = this.#study;
    const observed = own(data, this.#target) ?? new Float64Array(0);
    const [only] = inputs;
    if (inputs.length > 1 || only === undefined) {
      const predicted = this.predictions(member, data);
      const points = Array.from(observed, (y, row): [number, number] => [
        predicted[row] as number,
        y,
      ]);
      return { x: "predicted", points, line: agreement(observed, predicted) };
    }
    const x = own(data, only) ?? new Float64Array(0);
    const grid = gridOver(x, places, beyond);
    const line = this.predictions(member, recordOf([[only, grid]]));
    return {
      x: only,
      points: Array.from(observed, (y, row): [number, number] => [x[row] as number, y]),
      line: Array.from(grid, (at, index): [number, number] => [at, line[index] as number]),
    };
  }

  dispose(): void {
    this.#machine.dispose();
  }
}

/** Places over the range of a column, and so much of its width further on either side. */
function gridOver(x: Float64Array, places: number, beyond: number): Float64Array {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of x) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const from = low - beyond * (high - low);
  const width = (1 + 2 * beyond) * (high - low);
  return Float64Array.from({ length: places }, (_, i) => from + (width * i) / (places - 1));
}
