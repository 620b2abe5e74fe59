/**
 * A fit that goes on from the result of an earlier one: its finished restarts are taken over, and the others go
 * on from where they were. The earlier fit must be one of the same loss; else its losses would be told as if they
 * were of this one.
 */

import { NdvmError } from "../errors.js";
import { own } from "../records.js";
import type { Problem } from "./fit.js";
import type { Restart } from "./optimise/restart.js";
import { differencesOf, digestsOf } from "./result/digests.js";
import { fromPlain } from "./result/json.js";
import type { Settings } from "./settings.js";
import type {
  FitJson,
  FitResult,
  RestartLeft,
  RestartOutcome,
  RestartState,
  StopReason,
} from "./types.js";

/** What a fit left, as far as another goes on from it. */
type Before = Pick<FitResult, "optimiser" | "restarts"> & {
  readonly states: readonly RestartState[];
  /** Of what the fit was; results of older versions do not say. */
  readonly digests?: unknown;
};

/** Shares by which a loss may differ that was computed by another version. */
const ROUNDING = { f64: 1e-6, f32: 1e-3 } as const;

/** Brings restarts to where those of an earlier fit are. `probes` are others like them, not begun. */
export function resumeRestarts(
  problem: Problem,
  settings: Settings,
  restarts: readonly Restart[],
  probes: () => readonly Restart[],
): void {
  const before = fromPlain(problem.options.resume as FitJson);
  if (!isBefore(before, restarts.length) || before.optimiser !== settings.optimiser)
    throw ofAnotherFit();
  const differences = differencesOf(digestsOf(problem, settings), before.digests);
  if (differences !== undefined && differences.length > 0) throw ofAnotherFit(differences);
  for (const [index, restart] of restarts.entries())
    resumeRestart(
      restart,
      before.states[index] as RestartState,
      before.restarts[index] as RestartOutcome,
    );
  if (differences === undefined) checkLosses(problem, before, probes());
}

const ofAnotherFit = (differences: readonly string[] = []): NdvmError =>
  new NdvmError(
    "E-OPTION",
    `the result to resume is of another fit${differences.length > 0 ? `: ${differences.join(", ")}` : ""}`,
    { help: "resume with the same program, data and options" },
  );

function resumeRestart(restart: Restart, state: RestartState, outcome: RestartOutcome): void {
  const { start, numbers, ended } = state;
  if (start.length !== restart.start.length || start.some((x, j) => x !== restart.start[j]))
    throw new NdvmError(
      "E-OPTION",
      `restart ${restart.index} of the result to resume began elsewhere`,
      { help: "resume with the same program, data, options and seed" },
    );
  restart.load(numbers);
  const isCut = outcome.reason === "time" || outcome.reason === "aborted";
  // What was cut after the optimiser's own end begins again, and the optimiser does not.
  if (isCut && ended === undefined) return;
  const left = state.left ?? leftBy(restart, outcome, ended);
  if (left.reason !== "steps" || restart.limits.steps <= outcome.steps)
    restart.restore(left, outcome.steps);
}

/** How a restart ended that no last look has changed. */
const leftBy = (
  { free }: Restart,
  { params, loss, evaluations, reason }: RestartOutcome,
  ended: StopReason | undefined,
): RestartLeft => ({
  params: free.map(({ label }) => own(params, label) ?? Number.NaN),
  loss,
  evaluations,
  reason: ended ?? reason,
});

/** Whether this was a fit of so many restarts. */
function isBefore(value: unknown, count: number): value is Before {
  const { restarts, states } = (value ?? {}) as Partial<Before>;
  if (!Array.isArray(restarts) || !Array.isArray(states)) return false;
  return (
    restarts.length === count &&
    states.length === count &&
    restarts.every((outcome) => typeof outcome?.params === "object") &&
    states.every((state) => Array.isArray(state?.start) && Array.isArray(state?.numbers))
  );
}

/** Evaluates every restart of a result that does not say what it is of, where that restart says it is. */
function checkLosses(problem: Problem, before: Before, probes: readonly Restart[]): void {
  const { parameters, batches, source } = problem;
  const batch = batches.of(1);
  for (const [index, { params, loss }] of before.restarts.entries()) {
    if (!Number.isFinite(loss)) continue;
    const probe = probes[index] as Restart;
    batch.x.set(parameters.free.map(({ label }) => own(params, label) ?? Number.NaN));
    batch.run();
    batch.take([probe]);
    const within = ROUNDING[source.precision] * Math.max(Math.abs(loss), Math.abs(probe.loss));
    if (!(Math.abs(probe.loss - loss) <= within))
      throw ofAnotherFit(["its losses are not those of this one"]);
  }
}
