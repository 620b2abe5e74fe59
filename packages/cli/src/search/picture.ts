/** A member of the front beside the data, on the terminal. */

import type { Domain } from "@ndvm/core";
import { type DrawnData, type DrawnModel, ModelCurves } from "@ndvm/report";
import { fitPlotText } from "../plot.js";

export class ModelPlotter {
  readonly #curves: ModelCurves;
  readonly #target: string;

  private constructor(curves: ModelCurves, target: string) {
    this.#curves = curves;
    this.#target = target;
  }

  static async create(study: DrawnData, target: string, domain: Domain): Promise<ModelPlotter> {
    return new ModelPlotter(await ModelCurves.create(study, target, domain), target);
  }

  text(member: DrawnModel, height = 12): string {
    const { x, points, line } = this.#curves.curve(member);
    const title = `${this.#target} over ${x}: data ●, model —`;
    return fitPlotText({ title, points, lines: [line], height });
  }

  dispose(): void {
    this.#curves.dispose();
  }
}
