/**
 * Nonlinear regressions that R's nls has published: from starts a fifth off, the optimum, standard
 * errors to 3 digits and the log-likelihood.
 */

import { expect, test } from "vitest";
import { describeCorpus, readCorpus } from "../corpus/corpus.js";
import { fitText } from "./support.js";

interface Model {
  readonly id: string;
  readonly scheme: string;
  readonly data: Readonly<Record<string, readonly number[]>>;
  readonly response: string;
  readonly inputs: readonly string[];
  readonly estimates: Readonly<Record<string, number>>;
  readonly std_errors: Readonly<Record<string, number>>;
  readonly rss: number;
  readonly loglik: number;
}

describeCorpus("R's nonlinear regressions", () => {
  const models = readCorpus<Model[]>("dynamic_calibration/nls_models.json");
  test.each(models)("$id", async (model) => {
    const names = Object.keys(model.estimates);
    const params = Object.fromEntries(
      names.map((name, j) => [name, (model.estimates[name] as number) * (j % 2 === 0 ? 1.2 : 0.8)]),
    );
    const { data, response: target } = model;
    const result = await fitText(model.scheme, { data, target, params }, [...model.inputs]);
    expect(result.best.loss).toBeLessThanOrEqual(model.rss * (1 + 1e-9));
    expect(result.best.logLikelihood).toBeCloseTo(model.loglik, 6);
    for (const name of names) {
      const error = model.std_errors[name] as number;
      expect((result.standardErrors[name] as number) / error).toBeCloseTo(1, 4);
      const off = Math.abs(
        (result.best.params[name] as number) - (model.estimates[name] as number),
      );
      expect(off / error).toBeLessThan(1e-4);
    }
  });
});
