/**
 * The options of `fit`, checked, with their defaults filled in.
 */

import { NdvmError } from "../errors.js";
import { badOption, jsonText, textOf } from "../machine/options.js";
import { Program } from "../machine/program.js";
import { checkNames, namesOf } from "../option-names.js";
import { nearest } from "../syntax/suggest.js";
import { makeError } from "../words.js";
import { isLossText } from "./loss/loss-program.js";
import { lossNames } from "./loss/loss-table.js";
import type { Limits } from "./optimise/restart.js";
import { targetNames } from "./quality/targets.js";
import type { AdamOptions, FitOptions, LossName, Optimiser } from "./types.js";

export interface Settings {
  readonly mode: "residual" | "objective";
  /** Names of the targets; none in objective mode. */
  readonly targets: readonly string[];
  readonly optimiser: Optimiser;
  /** A text that is no known name is an expression. */
  readonly loss: string | Program;
  readonly lossName: LossName | "program";
  readonly restarts: number;
  readonly seed: number;
  readonly limits: Limits;
  readonly timeMax: number;
  readonly level: number;
  readonly isFull: boolean;
  /** Whether nobody asks why a start is not finite. */
  readonly isAttempt: boolean;
  readonly adam: Required<AdamOptions>;
}

const KEYS: readonly (keyof FitOptions)[] = [
  "data",
  "target",
  "params",
  "loss",
  "huberWidth",
  "weights",
  "sigma",
  "trials",
  "groups",
  "isNegativeLogLikelihood",
  "optimiser",
  "restarts",
  "seed",
  "steps",
  "stepsMax",
  "chunk",
  "timeMax",
  "signal",
  "onProgress",
  "tolerances",
  "adam",
  "level",
  "detail",
  "together",
  "resume",
];

const known: ReadonlySet<string> = new Set(KEYS);

const TOLERANCES = namesOf<NonNullable<FitOptions["tolerances"]>>({
  gradient: 1,
  step: 1,
  loss: 1,
});
const ADAM_NAMES = namesOf<AdamOptions>({ rate: 1, beta1: 1, beta2: 1, epsilon: 1 });
const GROUPS = namesOf<NonNullable<FitOptions["groups"]>>({ by: 1, params: 1 });

const DETAILS: readonly NonNullable<FitOptions["detail"]>[] = ["full", "scores", "attempt"];

const STEPS: Readonly<Record<Optimiser, number>> = { lm: 2000, lbfgs: 1000, adam: 500 };

const ADAM: Required<AdamOptions> = { rate: 0.05, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

export function checkSettings(options: FitOptions): Settings {
  checkNames("fit", options, known);
  checkTargets(options.target);
  const targets = targetNames(options.target);
  checkGroups(options.groups);
  const mode = options.target === undefined ? "objective" : "residual";
  const { loss, lossName } = checkLoss(options, mode);
  const optimiser = checkOptimiser(options, mode, lossName);
  checkNeeds(options, lossName, optimiser);
  const level = options.level ?? 0.95;
  if (!(typeof level === "number" && level > 0 && level < 1))
    throw bad("level", level, "it lies between 0 and 1, as 0.95");
  const detail = options.detail ?? "full";
  if (!DETAILS.includes(detail))
    throw bad("detail", detail, `it is ${DETAILS.slice(0, -1).join(", ")} or ${DETAILS.at(-1)}`);
  const seed = options.seed ?? 0;
  if (!Number.isFinite(seed)) throw bad("seed", seed, "it must be a finite number");
  if (options.onProgress !== undefined && typeof options.onProgress !== "function")
    throw badOption("onProgress", "a function", options.onProgress);
  if (options.together !== undefined) count("together", options.together);
  if (options.stepsMax !== undefined) count("stepsMax", options.stepsMax);
  if (options.chunk !== undefined) count("chunk", options.chunk);
  return {
    mode,
    targets,
    optimiser,
    loss,
    lossName,
    restarts: count("restarts", options.restarts ?? 1),
    seed,
    limits: checkLimits(options, optimiser),
    timeMax: notNegative("timeMax", options.timeMax ?? Infinity),
    level,
    isFull: detail === "full",
    isAttempt: detail === "attempt",
    adam: options.adam === undefined ? ADAM : checkAdam(options.adam),
  };
}

function checkLimits({ steps, tolerances }: FitOptions, optimiser: Optimiser): Limits {
  const isLm = optimiser === "lm";
  if (tolerances !== undefined) checkNames("fit.tolerances", tolerances, TOLERANCES);
  return {
    steps: count("steps", steps ?? STEPS[optimiser]),
    gradient: notNegative("tolerances.gradient", tolerances?.gradient ?? (isLm ? 1e-12 : 1e-8)),
    step: notNegative("tolerances.step", tolerances?.step ?? 1e-12),
    loss: notNegative("tolerances.loss", tolerances?.loss ?? (isLm ? 1e-15 : 1e-14)),
  };
}

function checkAdam(given: AdamOptions): Required<AdamOptions> {
  checkNames("fit.adam", given, ADAM_NAMES);
  return {
    rate: notNegative("adam.rate", given.rate ?? ADAM.rate),
    beta1: share("adam.beta1", given.beta1 ?? ADAM.beta1),
    beta2: share("adam.beta2", given.beta2 ?? ADAM.beta2),
    epsilon: notNegative("adam.epsilon", given.epsilon ?? ADAM.epsilon),
  };
}

const bad = (name: string, value: unknown, help: string): NdvmError =>
  makeError("E-OPTION", { reason: "option", option: name, actual: textOf(value), expected: help });

function count(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw bad(name, value, "it must be a whole number from 1");
}

function notNegative(name: string, value: number): number {
  if (typeof value === "number" && value >= 0) return value;
  throw bad(name, value, "it must be 0 or more");
}

function share(name: string, value: number): number {
  if (typeof value === "number" && value >= 0 && value < 1) return value;
  throw bad(name, value, "it lies from 0 to below 1");
}

const isText = (value: unknown): boolean => typeof value === "string";

function checkTargets(target: FitOptions["target"]): void {
  if (target === undefined || typeof target === "string") return;
  if (!Array.isArray(target) || target.length === 0 || !target.every(isText))
    throw bad("target", target, "it is the name of a column, or a list of names");
  const twice = target.find((name, i) => target.indexOf(name) !== i);
  if (twice !== undefined)
    throw new NdvmError("E-OPTION", `the target ${twice} is named twice`, {
      help: "name each column once",
    });
}

/** JavaScript and other languages' clients know no types: what is missing is told by name. */
function checkGroups(groups: Readonly<Partial<FitOptions["groups"] & object>> | undefined): void {
  if (groups === undefined) return;
  const { by, params } = groups ?? {};
  const isList = Array.isArray(params) && params.every(isText);
  const help = 'name the column and the parameters: { by: "dose", params: ["k"] }';
  if (typeof by !== "string" || !isList) throw bad("groups", jsonText(groups), help);
  checkNames("fit.groups", groups, GROUPS);
}

function checkLoss(options: FitOptions, mode: Settings["mode"]) {
  const loss = options.loss ?? "squares";
  if (mode === "objective") {
    const other = (["loss", "weights", "sigma", "trials", "groups"] as const).find(
      (key) => options[key] !== undefined,
    );
    if (other !== undefined)
      throw makeError(
        "E-OPTION",
        { reason: "needs", option: other, names: ["target"] },
        { help: "without target the program's value is the loss" },
      );
    return { loss, lossName: "program" as const };
  }
  if (loss instanceof Program || (typeof loss === "string" && isLossText(loss)))
    return { loss, lossName: "program" as const };
  if (typeof loss !== "string") throw badOption("loss", "a name, a text or a program", loss);
  const name = lossNames.find((known) => known === loss);
  if (name !== undefined) return { loss, lossName: name };
  const near = nearest(loss, lossNames);
  const guess = near === undefined ? "" : `; did you mean ${near}?`;
  const all = `the losses are ${lossNames.join(", ")}, or an expression as (abs (- pred y))`;
  throw bad("loss", loss, all + guess);
}

/** Refuses what would be ignored: options of another loss or optimiser. */
function checkNeeds(
  options: FitOptions,
  lossName: Settings["lossName"],
  optimiser: Optimiser,
): void {
  const refuseWithout = (option: keyof FitOptions, has: boolean, what: string, help: string) => {
    if (has || options[option] === undefined) return;
    throw makeError("E-OPTION", { reason: "needs", option, names: [what] }, { help });
  };
  const isBinomial = lossName === "binomial";
  refuseWithout("trials", isBinomial, "binomial loss", 'give it: loss: "binomial"');
  refuseWithout("huberWidth", lossName === "huber", "loss of Huber's", 'give it: loss: "huber"');
  if (options.isNegativeLogLikelihood === true)
    refuseWithout(
      "isNegativeLogLikelihood",
      lossName !== "absolute",
      "loss other than absolute",
      "absolute deviations have no second derivatives, which standard errors come from",
    );
  refuseWithout("adam", optimiser === "adam", "fit by adam", 'give it: optimiser: "adam"');
}

function checkOptimiser(
  options: FitOptions,
  mode: Settings["mode"],
  lossName: Settings["lossName"],
): Optimiser {
  const canLm = mode === "residual" && lossName === "squares";
  const wanted = options.optimiser ?? "auto";
  if (wanted === "auto") return canLm ? "lm" : "lbfgs";
  if (typeof wanted !== "string" || !Object.hasOwn(STEPS, wanted))
    throw bad("optimiser", wanted, "the optimisers are lm, lbfgs, adam and auto");
  if (wanted === "lm" && !canLm)
    throw new NdvmError("E-OPTION", "lm is for least squares", {
      help: mode === "objective" ? "give a target, or take lbfgs" : "take lbfgs for this loss",
    });
  return wanted;
}
