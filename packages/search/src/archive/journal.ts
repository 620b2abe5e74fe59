/**
 * The journal that an archive keeps: entries become rows here, and a thread writes them.
 */

import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { NdvmError } from "@ndvm/core";
import { type Batch, bestResult, type Slot } from "../engine/batch.js";
import type { Journal, JournalEntry, SettledBatch } from "../engine/journal.js";
import type { TaskResult, Timing } from "../pipeline/task.js";
import { hashText, seedFor } from "../seeds.js";
import { SEED_PROPOSER, SEED_SPLIT, type Study } from "../study.js";
import type { Budget, Failure, Outcome, Proposal, Proposer, SearchEvent } from "../types.js";
import type { BulkRows, FromWriter, ToWriter, WriterStart } from "./messages.js";
import { RowPacker } from "./rows.js";
import { BULK_TABLES, type BulkTable, SCHEMA_VERSION } from "./schema.js";

/** Events that an archive keeps. Those of candidates are rows, those of progress pass. */
const KEPT: ReadonlySet<SearchEvent["type"]> = new Set([
  "started",
  "front",
  "problem",
  "worker",
  "warning",
  "done",
]);

export interface ArchiveOptions {
  readonly file: string;
  readonly mayResume: boolean;
  readonly study: Study;
  readonly proposers: readonly Proposer[];
  readonly workers: number;
  readonly budget: Budget;
  /** How a user can start this run again; "" where nobody said. */
  readonly command: string;
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

type Rows = Readonly<Record<BulkTable, RowPacker>>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type BatchTime = Timing & Readonly<Record<"rung" | "worker" | "visits", number>>;

export class ArchiveJournal implements Journal {
  readonly #worker: Worker;
  readonly #names: readonly string[];
  readonly #waiting = new Map<number, Waiting>();
  /** What the next entry will have. */
  readonly #rows = Object.fromEntries(
    BULK_TABLES.map((table) => [table, new RowPacker()]),
  ) as unknown as Rows;
  #prompts = new Map<number, string>();
  #serial = 0;
  #failure: Error | undefined;

  /** Opens the file, or makes it. Refused where another search writes it. */
  static async open(options: ArchiveOptions): Promise<ArchiveJournal> {
    const workerData: WriterStart = {
      file: options.file,
      mayResume: options.mayResume,
      study: identityOf(options.study, options.proposers),
      seeds: seedsOf(options.study, options.proposers),
      versions: versions(),
      workers: options.workers,
      budget: JSON.stringify(options.budget),
      command: options.command,
    };
    const journal = new ArchiveJournal(options, workerData);
    await journal.#answered(OPENED);
    return journal;
  }

  private constructor(options: ArchiveOptions, workerData: WriterStart) {
    this.#names = options.proposers.map(({ name }) => name);
    this.#worker = new Worker(writerUrl(), { workerData, execArgv: [] });
    this.#worker.on("message", (message: FromWriter) => this.#hear(message));
    this.#worker.on("error", (error) => this.#fail(lost(error.message)));
    this.#worker.on("exit", () => this.#fail(lost("its thread ended")));
  }

  propose(batch: Batch): void {
    addProposed(this.#rows, batch, this.#prompts);
  }

  settle(settled: SettledBatch): void {
    addSettled(this.#rows, settled);
  }

  commit(entry: JournalEntry): Promise<void> {
    this.#serial += 1;
    const serial = this.#serial;
    const rows = Object.fromEntries(
      BULK_TABLES.map((table) => [table, this.#rows[table].empty()]),
    ) as unknown as BulkRows;
    const prompts = [...this.#prompts];
    this.#prompts = new Map();
    this.#post({ type: "commit", serial, rows, prompts, ...messageOf(entry, this.#names) });
    return this.#answered(serial);
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) {
      this.#post({ type: "close" });
      await this.#answered(CLOSED);
    }
    await this.#worker.terminate();
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #answered(serial: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      else this.#waiting.set(serial, { resolve, reject });
    });
  }

  #hear(message: FromWriter): void {
    if (message.type === "failed") {
      const { code, message: text, help } = message;
      this.#fail(new NdvmError(code, text, { help }));
      return;
    }
    const serial =
      message.type === "committed" ? message.serial : message.type === "open" ? OPENED : CLOSED;
    this.#waiting.get(serial)?.resolve();
    this.#waiting.delete(serial);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

/** Serial numbers of answers that belong to no entry. */
const OPENED = 0;
const CLOSED = -1;

const lost = (reason: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `the writer of the archive is gone: ${reason}`, {
    help: "what was told is in the archive; resume the study",
  });

/** Where the writer's code is. Sources that run as TypeScript use the built one. */
function writerUrl(): URL {
  const isSource = import.meta.url.split("?")[0]?.endsWith(".ts") ?? false;
  const path = isSource ? "../../dist/archive/writer.js" : "./writer.js";
  return new URL(path, import.meta.url);
}

/** What a study is, as texts that must agree when it is resumed. */
function identityOf(study: Study, proposers: readonly Proposer[]): Record<string, string> {
  const { train, heldOut, ...options } = study;
  const texts = Object.entries({ ...options, proposers: proposers.map(({ name }) => name) }).map(
    ([key, value]) => [key, JSON.stringify(value ?? null)],
  );
  const columns = { train, heldOut };
  for (const [key, part] of Object.entries(columns)) {
    const plain = Object.entries(part).map(([name, column]) => [name, [...column]]);
    texts.push([key, JSON.stringify(Object.fromEntries(plain))]);
  }
  return Object.fromEntries(texts) as Record<string, string>;
}

function seedsOf({ seed }: Study, proposers: readonly Proposer[]): Record<string, number> {
  const seeds: Record<string, number> = { study: seed, split: seedFor(seed, SEED_SPLIT) };
  for (const [place, { name }] of proposers.entries())
    seeds[`proposer ${place} (${name})`] = seedFor(seed, SEED_PROPOSER, place);
  return seeds;
}

function versions(): Record<string, string> {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const own = JSON.parse(manifest) as { version: string };
  return {
    "@ndvm/search": own.version,
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform} ${process.arch}`,
    archive: String(SCHEMA_VERSION),
  };
}

function messageOf(entry: JournalEntry, names: readonly string[]) {
  const { proposers, ...state } = entry.state;
  return {
    events: entry.events
      .filter(({ type }) => KEPT.has(type))
      .map((event) => [entry.state.seconds, event.type, JSON.stringify(event)] as const),
    intervals: [...entry.intervals].map(
      ([visit, intervals]) => [visit, JSON.stringify(intervals)] as const,
    ),
    state: JSON.stringify(state),
    proposers: proposers.map((saved, i) => [names[i] as string, JSON.stringify(saved)] as const),
  };
}

// Values are given in the order of the columns in schema.ts.

function addProposed(rows: Rows, batch: Batch, prompts: Map<number, string>): void {
  const { index, proposer, slots, frontVisits, fitsMost } = batch;
  const ids: number[] = [];
  for (const slot of slots) {
    ids.push(slot.id);
    if (slot.id === slot.visit) addCandidate(rows.candidates, slot, index, proposer, prompts);
    else if (slot.isNews) addRevisit(rows.revisits, slot, prompts);
  }
  const row = rows.batches;
  row.number(index);
  row.text(proposer);
  row.number(slots[0]?.visit ?? 0);
  row.text(JSON.stringify(ids));
  row.text(JSON.stringify(frontVisits));
  row.number(fitsMost);
}

/** Stands for null. */
const NOTHING = Number.NaN;

function addCandidate(
  row: RowPacker,
  slot: Slot,
  batch: number,
  proposer: string,
  prompts: Map<number, string>,
): void {
  const { id, proposal, skeleton, complexity, duplicateOf, failure } = slot;
  row.number(id);
  row.number(batch);
  row.text(proposer);
  row.text(proposal.origin);
  row.text(proposal.source);
  row.text(skeleton);
  row.number(complexity);
  addTexts(row, proposal, prompts);
  row.number(duplicateOf ?? NOTHING);
  row.text(failure === undefined ? null : JSON.stringify(failure));
  row.number(proposal.isRevisit === true ? 1 : 0);
}

function addRevisit(row: RowPacker, slot: Slot, prompts: Map<number, string>): void {
  const { visit, id, proposal } = slot;
  row.number(visit);
  row.number(id);
  row.text(proposal.origin);
  row.text(proposal.source);
  addTexts(row, proposal, prompts);
}

/** Parents, parameters and prompt of a proposal. Prompts are kept once, by their hash. */
function addTexts(
  row: RowPacker,
  { parents, params, prompt }: Proposal,
  prompts: Map<number, string>,
): void {
  const promptId = prompt === undefined ? NOTHING : hashText(prompt);
  if (prompt !== undefined) prompts.set(promptId, prompt);
  row.text(parents.length === 0 ? "[]" : JSON.stringify(parents));
  row.text(params === undefined ? null : JSON.stringify(params));
  row.number(promptId);
}

function addSettled(rows: Rows, { batch, outcomes, seconds }: SettledBatch): void {
  const times = new BatchTimes();
  for (let i = 0; i < outcomes.length; i++) {
    const { results, id } = batch.slots[i] as Slot;
    const outcome = outcomes[i] as Outcome;
    const best = bestResult(results);
    for (const result of results) {
      addResult(rows.fits, result, id, result === best ? outcome : undefined);
      times.add(result);
    }
    if (outcome.failure !== undefined) addFailure(rows.failures, outcome, outcome.failure);
  }
  times.addTo(rows.timings, batch.index, seconds);
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
}

/** Times of a batch's fits, added up for each rung and worker. */
class BatchTimes {
  readonly #sums: Mutable<BatchTime>[] = [];

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

  addTo(row: RowPacker, batch: number, seconds: number): void {
    for (const { rung, worker, visits, screen, walk, replay, fit, score } of this.#sums)
      for (const value of [batch, rung, worker, visits, screen, walk, replay, fit, score, seconds])
        row.number(value);
  }
}
