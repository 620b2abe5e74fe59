/**
 * The journal that an archive keeps: entries become rows here, and a thread writes them.
 */

import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { NdvmError } from "@ndvm/core";
import { bestResult, type Slot } from "../engine/batch.js";
import type { Journal, JournalEntry, SettledBatch } from "../engine/journal.js";
import { hashText, seedFor } from "../seeds.js";
import { SEED_FIT, SEED_PROPOSER, SEED_SPLIT, type Study } from "../study.js";
import type { Budget, Proposal, Proposer, SearchEvent } from "../types.js";
import type { Value } from "./driver.js";
import type { BulkRows, FromWriter, ToWriter, WriterStart } from "./messages.js";
import { SCHEMA_VERSION } from "./schema.js";

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

type MutableRows = { -readonly [K in keyof BulkRows]: Value[] };

export class ArchiveJournal implements Journal {
  readonly #worker: Worker;
  readonly #study: Study;
  readonly #names: readonly string[];
  readonly #waiting = new Map<number, Waiting>();
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
    this.#study = options.study;
    this.#names = options.proposers.map(({ name }) => name);
    this.#worker = new Worker(writerUrl(), { workerData, execArgv: [] });
    this.#worker.on("message", (message: FromWriter) => this.#hear(message));
    this.#worker.on("error", (error) => this.#fail(lost(error.message)));
    this.#worker.on("exit", () => this.#fail(lost("its thread ended")));
  }

  commit(entry: JournalEntry): Promise<void> {
    this.#serial += 1;
    const serial = this.#serial;
    this.#post({ type: "commit", serial, ...messageOf(entry, this.#study, this.#names) });
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

function messageOf(entry: JournalEntry, study: Study, names: readonly string[]) {
  const rows: MutableRows = {
    candidates: [],
    revisits: [],
    batches: [],
    fits: [],
    scores: [],
    failures: [],
    timings: [],
  };
  const prompts = new Map<number, string>();
  for (const batch of entry.proposed) {
    const ids: number[] = [];
    for (const slot of batch.slots) {
      ids.push(slot.id);
      if (slot.id === slot.visit) addCandidate(rows, slot, batch.index, batch.proposer, prompts);
      else if (slot.isNews) addRevisit(rows, slot, prompts);
    }
    const front = JSON.stringify(batch.frontVisits);
    const first = batch.slots[0]?.visit ?? 0;
    rows.batches.push(
      batch.index,
      batch.proposer,
      first,
      JSON.stringify(ids),
      front,
      batch.fitsMost,
    );
  }
  for (const settled of entry.settled) addSettled(rows, settled, study);
  const { proposers, ...state } = entry.state;
  return {
    rows,
    prompts: [...prompts],
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

function addCandidate(
  rows: MutableRows,
  slot: Slot,
  batch: number,
  proposer: string,
  prompts: Map<number, string>,
): void {
  const { id, proposal, skeleton, complexity, duplicateOf, failure } = slot;
  const { origin, source, isRevisit } = proposal;
  const { parents, params, prompt } = textsOf(proposal, prompts);
  rows.candidates.push(
    id,
    batch,
    proposer,
    origin,
    source,
    skeleton,
    complexity,
    parents,
    params,
    prompt,
    duplicateOf ?? null,
    failure === undefined ? null : JSON.stringify(failure),
    isRevisit === true ? 1 : 0,
  );
}

function addRevisit(rows: MutableRows, slot: Slot, prompts: Map<number, string>): void {
  const { visit, id, proposal } = slot;
  const { parents, params, prompt } = textsOf(proposal, prompts);
  rows.revisits.push(visit, id, proposal.origin, proposal.source, parents, params, prompt);
}

/** Parts of a proposal as an archive has them. Prompts are kept once, by their hash. */
function textsOf({ parents, params, prompt }: Proposal, prompts: Map<number, string>) {
  const promptId = prompt === undefined ? null : hashText(prompt);
  if (prompt !== undefined && promptId !== null) prompts.set(promptId, prompt);
  return {
    parents: parents.length === 0 ? "[]" : JSON.stringify(parents),
    params: params === undefined ? null : JSON.stringify(params),
    prompt: promptId,
  };
}

const finite = (x: number): number | null => (Number.isFinite(x) ? x : null);

function addSettled(rows: MutableRows, { batch, outcomes, seconds }: SettledBatch, study: Study) {
  for (const [i, slot] of batch.slots.entries()) {
    const { visit, id, results } = slot;
    for (const { rung, fits, loss, r2, params, worker, timing, failure } of results) {
      const seed = seedFor(study.seed, SEED_FIT, visit, rung, 0);
      const isGood = failure === undefined;
      const text = isGood ? JSON.stringify(params) : null;
      rows.fits.push(visit, rung, id, fits, seed, finite(loss), finite(r2), text);
      const { screen, walk, replay, fit, score } = timing;
      rows.timings.push(visit, rung, worker, screen, walk, replay, fit, score, seconds);
    }
    const outcome = outcomes[i];
    if (outcome?.status === "scored") {
      const { rung, fits, loss, trainR2, r2, bic } = outcome;
      const best = bestResult(results)?.rung ?? 0;
      rows.scores.push(visit, id, rung, best, fits, loss, finite(trainR2), r2, finite(bic));
    } else if (outcome?.failure !== undefined) {
      const { stage, code, message } = outcome.failure;
      rows.failures.push(visit, id, outcome.fits, stage, code, message);
    }
  }
}
