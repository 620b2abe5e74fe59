/**
 * An epoch that is settled, as rows: its candidates and revisits, their fits and failures, the sums of
 * its times, and its own row with the counts of all that. What the study's `keep` leaves out is
 * counted like the rest.
 *
 * Values are given in the order of the columns in schema.ts.
 */

import { recordOf } from "@ndvm/core";
import { bestResult, type Slot } from "../engine/batch.js";
import { identityHash } from "../engine/intake.js";
import type { SettledBatch } from "../engine/journal.js";
import type { TaskResult, Timing } from "../pipeline/task.js";
import { hashText } from "../seeds.js";
import type { Study } from "../study.js";
import type { Failure, Outcome, Proposal } from "../types.js";
import { type Digest, packDigests } from "./digests.js";
import type { RowPacker } from "./rows.js";
import type { BulkTable } from "./schema.js";
import type { EpochCounts } from "./visits.js";

export type Rows = Readonly<Record<BulkTable, RowPacker>>;
type Prompts = Map<number, string>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type EpochTime = Timing & Readonly<Record<"rung" | "worker" | "visits", number>>;

/** Stands for null. */
const NOTHING = Number.NaN;

export function addSettled(
  rows: Rows,
  settled: SettledBatch,
  keep: Study["keep"],
  prompts: Prompts,
): void {
  const { batch, outcomes, seconds } = settled;
  const isKept = keeper(settled, keep);
  const times = new EpochTimes();
  const count = { candidates: 0, revisits: 0, fits: 0, failures: 0 };
  for (let i = 0; i < outcomes.length; i++) {
    const slot = batch.slots[i] as Slot;
    const outcome = outcomes[i] as Outcome;
    for (const result of slot.results) times.add(result);
    if (!isKept(outcome)) continue;
    if (slot.id === slot.visit) {
      addCandidate(rows.candidates, slot, batch.index, batch.proposer, prompts);
      count.candidates += 1;
    } else if (slot.isNews || keep !== "all") {
      addRevisit(rows.revisits, slot, keep !== "all", prompts);
      count.revisits += 1;
    }
    const best = bestResult(slot.results);
    for (const result of slot.results)
      addResult(rows.fits, result, slot.id, result === best ? outcome : undefined);
    count.fits += slot.results.length;
    if (outcome.failure === undefined) continue;
    addFailure(rows.failures, outcome, outcome.failure);
    count.failures += 1;
  }
  times.addTo(rows.timings, batch.index, seconds);
  addEpoch(rows.epochs, settled, count);
}

/** Which outcomes stay. */
function keeper({ front }: SettledBatch, keep: Study["keep"]): (outcome: Outcome) => boolean {
  if (keep === "all") return () => true;
  if (keep === "scored") return ({ status }) => status === "scored";
  const visits = new Set(front.members.map(({ visit }) => visit));
  return ({ visit }) => visits.has(visit);
}

function addEpoch(
  row: RowPacker,
  { batch, outcomes }: SettledBatch,
  rows: EpochCounts["rows"],
): void {
  const first = batch.slots[0]?.visit ?? 0;
  const isInOrder = batch.slots.every(({ id, visit }) => id === visit);
  row.number(batch.index);
  row.number(0);
  row.text(batch.proposer);
  row.number(first);
  row.number(batch.slots.length);
  row.text(isInOrder ? null : JSON.stringify(batch.slots.map(({ id }) => id)));
  row.text(JSON.stringify(batch.frontVisits));
  row.number(batch.fitsMost);
  row.text(JSON.stringify({ ...countOutcomes(outcomes), rows }));
  row.text(packDigests(digestsOf(batch.slots), first));
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
function digestsOf(slots: readonly Slot[]): readonly Digest[] {
  const digests: Digest[] = [];
  for (const { visit, id, duplicateOf, skeleton, proposal } of slots)
    if (id === visit && duplicateOf === undefined)
      digests.push({ id, hash: identityHash(skeleton, proposal.source) });
  return digests;
}

function addCandidate(
  row: RowPacker,
  slot: Slot,
  round: number,
  proposer: string,
  prompts: Prompts,
): void {
  const { id, proposal, skeleton, complexity, duplicateOf } = slot;
  row.number(id);
  row.number(round);
  row.number(0);
  row.text(proposer);
  row.text(proposal.origin);
  row.text(proposal.source);
  row.text(skeleton);
  row.number(complexity);
  addTexts(row, proposal, prompts);
  row.number(duplicateOf ?? NOTHING);
  row.number(proposal.isRevisit === true ? 1 : 0);
}

/** `isFull`: its candidate may have no row to take the skeleton from. */
function addRevisit(row: RowPacker, slot: Slot, isFull: boolean, prompts: Prompts): void {
  const { visit, id, proposal, skeleton, complexity } = slot;
  row.number(visit);
  row.number(id);
  row.text(proposal.origin);
  row.text(proposal.source);
  row.text(isFull ? skeleton : null);
  row.number(isFull ? complexity : NOTHING);
  addTexts(row, proposal, prompts);
}

/** Parents, parameters and prompt of a proposal. Prompts are kept once, by their hash. */
function addTexts(row: RowPacker, { parents, params, prompt }: Proposal, prompts: Prompts): void {
  const promptId = prompt === undefined ? NOTHING : hashText(prompt);
  if (prompt !== undefined) prompts.set(promptId, prompt);
  row.text(parents.length === 0 ? "[]" : JSON.stringify(parents));
  row.text(params === undefined ? null : JSON.stringify(params));
  row.number(promptId);
}

/** One rung of a visit. `outcome` is the visit's, where this rung is its best. */
function addResult(
  row: RowPacker,
  result: TaskResult,
  candidate: number,
  outcome: Outcome | undefined,
): void {
  const { timing } = result;
  row.number(result.visit);
  row.number(result.rung);
  row.number(candidate);
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

  addTo(row: RowPacker, round: number, seconds: number): void {
    for (const { rung, worker, visits, screen, walk, replay, fit, score } of this.#sums)
      for (const value of [
        round,
        0,
        rung,
        worker,
        visits,
        screen,
        walk,
        replay,
        fit,
        score,
        seconds,
      ])
        row.number(value);
  }
}
