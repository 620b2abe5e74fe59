/**
 * A result from its JSON and the program it was fitted to: the same numbers, and predictions again.
 */

import { NdvmError } from "../../errors.js";
import type { Program } from "../../machine/program.js";
import { SELECTOR } from "../data/columns.js";
import type { Free } from "../parameters/parameters.js";
import { makeTransform } from "../parameters/transforms.js";
import type { FitJson, FitResult, ResidualChecks } from "../types.js";
import { fromPlain } from "./json.js";
import type { Fitted } from "./predict.js";
import { withMethods } from "./result.js";

type Stored<T> = { readonly [K in keyof T]: T[K] };

/** What `toJSON` writes besides the result itself. */
interface StoredModel extends Omit<Stored<Fitted>, "program" | "source" | "parameters"> {
  readonly free: readonly Omit<Free, "transform">[];
}

export function fitFromJSON(program: Program, json: FitJson): FitResult {
  const all = fromPlain(json) as FitResult & {
    states: unknown;
    digests: unknown;
    model: StoredModel;
  };
  if (json.version !== 1 || all.model === undefined)
    throw new NdvmError("E-INPUT", "this is not the JSON of a fit", {
      help: "give what toJSON of a result returned",
    });
  const { states, digests, model, ...body } = all;
  const free = model.free.map((spec) => ({
    ...spec,
    transform: makeTransform(spec.lower, spec.upper, spec.origin, spec.isLog),
  }));
  const missing = free.find(({ input }) => !program.inputs.includes(input));
  if (missing !== undefined)
    throw new NdvmError("E-INPUT", `the program has no parameter ${missing.input}`, {
      help: "give the program that was fitted",
    });
  const covariance = model.covariance && Float64Array.from(model.covariance);
  const { names = [] } = body.covariance ?? {};
  const targets = body.targets.map((target) => ({
    ...target,
    residuals: target.residuals && restored(target.residuals),
  }));
  const { fixed, assumed } = body;
  return withMethods(
    {
      ...body,
      covariance: covariance && { names, matrix: covariance },
      identifiability: body.identifiability,
      residuals: targets.length === 1 ? targets[0]?.residuals : undefined,
      targets,
    },
    {
      ...model,
      program: model.targets.length > 1 ? program.elementBy(SELECTOR) : program,
      source: program,
      covariance,
      limits: {},
      groupsBy: model.groupsBy,
      best: Float64Array.from(model.best),
      parameters: { free, fixed, assumed },
    },
    () => ({ states, digests }),
  );
}

const restored = (checks: ResidualChecks): ResidualChecks => ({
  ...checks,
  residuals: Float64Array.from(checks.residuals),
});
