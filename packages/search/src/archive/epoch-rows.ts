/**
 * An epoch that is settled, as rows: its candidates and revisits, their fits and failures, the sums of
 * its times, and its own row with the counts of all that. What the study's `keep` leaves out is
 * counted like the rest.
 *
 * Values are given in the order of the columns in schema.ts.
 */

import { recordOf } from "@ndvm/core";
import { hashText } from "../digest.js";
import type { Visit } from "../engine/fold.js";
import type { SettledEpoch } from "../engine/journal.js";
import { bestResult } from "../epoch/ladder.js";
import type { Arrival } from "../epoch/pack.js";
import type { TaskResult, Timing } from "../pipeline/task.js";
import type { Study } from "../study.js";
import type { Failure, Outcome } from "../types.js";
import { type MetDigest, packDigests } from "./digests.js";
import type { EpochCounts } from "./row-shapes.js";
import type { RowPacker } from "./rows.js";
import type { BulkTable } from "./schema.js";

export type Rows = Readonly<Record<BulkTable, RowPacker>>;
type Prompts = Map<number, string>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type EpochTime = Timing & Readonly<Record<"rung" | "worker" | "visits", number>>;

/** Stands for null. */
const NOTHING = Number.NaN;

export function addSettled(
  rows: Rows,
  settled: SettledEpoch,
  keep: Study["keep"],
  prompts: Prompts,
): void {
  const { visits, outcomes } = settled;
  const isKept = keeper(settled, keep);
  const times = new EpochTimes();
  const count = { candidates: 0, revisits: 0, fits: 0, failures: 0 };
  for (let i = 0; i < outcomes.length; i++) {
    const taken = visits[i] as Visit;
    const outcome = outcomes[i] as Outcome;
    const { results } = taken.arrival;
    for (const result of results) times.add(result);
    if (!isKept(outcome)) continue;
    if (taken.id === taken.visit) {
      addCandidate(rows.candidates, taken, settled, prompts);
      count.candidates += 1;
    } else if (taken.isNews || keep !== "all") {
      addRevisit(rows.revisits, taken, keep !== "all", prompts);
      count.revisits += 1;
    }
    const best = outcome.status === "scored" ? bestResult(results) : undefined;
    for (const result of results)
      addResult(rows.fits, taken, result, result === best ? outcome : undefined);
    count.fits += results.length;
    if (outcome.failure === undefined) continue;
    addFailure(rows.failures, outcome, outcome.failure);
    count.failures += 1;
  }
  times.addTo(rows.timings, settled);
  addEpoch(rows.epochs, settled, count);
}

/** Which outcomes stay. */
function keeper({ front }: SettledEpoch, keep: Study["keep"]): (outcome: Outcome) => boolean {
  if (keep === "all") return () => true;
  if (keep === "scored") return ({ status }) => status === "scored";
  const visits = new Set(front.members.map(({ visit }) => visit));
  return ({ visit }) => visits.has(visit);
}

function addEpoch(row: RowPacker, settled: SettledEpoch, rows: EpochCounts["rows"]): void {
  const { round, slot, proposer, firstVisit, visits, outcomes, frontBefore, fitsMost } = settled;
  const isInOrder = visits.every(({ id, visit }) => id === visit);
  row.number(round);
  row.number(slot);
  row.text(proposer);
  row.number(firstVisit);
  row.number(visits.length);
  row.text(isInOrder ? null : JSON.stringify(visits.map(({ id }) => id)));
  row.text(JSON.stringify(frontBefore));
  row.number(fitsMost);
  row.text(JSON.stringify({ ...countOutcomes(outcomes), rows }));
  row.text(packDigests(digestsOf(visits), firstVisit));
}

/** What became of visits, as an epoch's row says it. */
export function countOutcomes(outcomes: Iterable<Outcome>): Omit<EpochCounts, "rows"> {
  const failed = new Map<string, number>();
  let [scored, duplicates, revisits, fits] = [0, 0, 0, 0];
  for (const outcome of outcomes) {
    fits += outcome.fits;
    if (outcome.visit !== outcome.id) revisits += 1;
    if (outcome.status === "scored") scored += 1;
    else if (outcome.status === "duplicate") duplicates += 1;
    else {
      const code = outcome.failure?.code ?? "E-NONE";
      failed.set(code, (failed.get(code) ?? 0) + 1);
    }
  }
  return {
    scored,
    failed: recordOf([...failed].sort(byCode)),
    duplicates,
    revisits,
    fits,
  };
}

const byCode = ([a]: readonly [string, number], [b]: readonly [string, number]): number =>
  a < b ? -1 : 1;

/** Candidates that were met first here. */
function digestsOf(visits: readonly Visit[]): readonly MetDigest[] {
  const digests: MetDigest[] = [];
  for (const { visit, id, duplicateOf, arrival } of visits)
    if (id === visit && duplicateOf === undefined)
      digests.push({ id, high: arrival.high, low: arrival.low });
  return digests;
}

function addCandidate(
  row: RowPacker,
  { id, arrival, duplicateOf }: Visit,
  { round, slot, proposer }: SettledEpoch,
  prompts: Prompts,
): void {
  row.number(id);
  row.number(round);
  row.number(slot);
  row.text(proposer);
  row.text(arrival.origin);
  row.text(arrival.source);
  row.text(arrival.skeleton);
  row.number(arrival.complexity);
  addTexts(row, arrival, prompts);
  row.number(duplicateOf ?? NOTHING);
  row.number(arrival.isRevisit ? 1 : 0);
}

/** `isFull`: its candidate may have no row to take the skeleton from. */
function addRevisit(row: RowPacker, taken: Visit, isFull: boolean, prompts: Prompts): void {
  const { visit, id, arrival } = taken;
  row.number(visit);
  row.number(id);
  row.text(arrival.origin);
  row.text(arrival.source);
  row.text(isFull ? arrival.skeleton : null);
  row.number(isFull ? arrival.complexity : NOTHING);
  addTexts(row, arrival, prompts);
}

/** Parents, starts and prompt of a proposal. Prompts are kept once, by their hash. */
function addTexts(row: RowPacker, { parents, starts, prompt }: Arrival, prompts: Prompts): void {
  const promptId = prompt === undefined ? NOTHING : hashText(prompt);
  if (prompt !== undefined) prompts.set(promptId, prompt);
  row.text(parents.length === 0 ? "[]" : JSON.stringify(parents));
  row.text(starts);
  row.number(promptId);
}

/** One rung of a visit. `outcome` is the visit's, where this rung is its best. */
function addResult(
  row: RowPacker,
  { visit, id }: Visit,
  result: TaskResult,
  outcome: Outcome | undefined,
): void {
  const { timing } = result;
  row.number(visit);
  row.number(result.rung);
  row.number(id);
  row.number(result.fits);
  row.number(result.loss);
  row.number(result.trainR2);
  row.number(result.r2);
  row.number(result.bic);
  row.text(result.failure === undefined ? JSON.stringify(result.params) : null);
  row.number(timing.screen + timing.fit + timing.score);
  row.number(outcome?.rung ?? NOTHING);
  row.number(outcome?.fits ?? NOTHING);
}

function addFailure(row: RowPacker, { visit, id, fits }: Outcome, failure: Failure): void {
  row.number(visit);
  row.number(id);
  row.number(fits);
  row.text(failure.stage);
  row.text(failure.code);
  row.text(failure.message);
  row.text(failure.facts === undefined ? null : JSON.stringify(failure.facts));
}

/** Times of an epoch's fits, added up for each rung and worker. */
class EpochTimes {
  readonly #sums: Mutable<EpochTime>[] = [];

  add({ rung, worker, timing }: TaskResult): void {
    let sum = this.#sums.find((each) => each.rung === rung && each.worker === worker);
    if (sum === undefined) {
      sum = { rung, worker, visits: 0, screen: 0, walk: 0, replay: 0, fit: 0, score: 0 };
      this.#sums.push(sum);
    }
    sum.visits += 1;
    sum.screen += timing.screen;
    sum.walk += timing.walk;
    sum.replay += timing.replay;
    sum.fit += timing.fit;
    sum.score += timing.score;
  }

  addTo(row: RowPacker, { round, slot, seconds }: SettledEpoch): void {
    for (const sum of this.#sums) {
      const { rung, worker, visits, screen, walk, replay, fit, score } = sum;
      for (const value of [round, slot, rung, worker, visits]) row.number(value);
      for (const value of [screen, walk, replay, fit, score, seconds]) row.number(value);
    }
  }
}
