/**
 * The journal that an archive keeps: entries become rows here, and a thread writes them.
 */

import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { NdvmError, recordOf, seedFor } from "@ndvm/core";
import type { Journal, JournalEntry, MemberFacts, SettledEpoch } from "../engine/journal.js";
import type { EpochJob } from "../epoch/job.js";
import { withDefaults } from "../evolve/breeder.js";
import { SEED_PROPOSER, SEED_SPLIT, type Study } from "../study.js";
import type { Budget, Proposer, SearchEvent } from "../types.js";
import { addSettled, type Rows } from "./epoch-rows.js";
import { atLastMoment } from "./last-moment.js";
import type { BulkRows, EpochKey, FromWriter, ToWriter, WriterStart } from "./messages.js";
import { breedingOption } from "./options.js";
import { PendingEpochs } from "./pending.js";
import { RowPacker } from "./rows.js";
import { BULK_TABLES, SCHEMA_VERSION } from "./schema.js";

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

export class ArchiveJournal implements Journal {
  readonly #worker: Worker;
  /** Set by the writer when the file is closed. */
  readonly #closed: Int32Array;
  readonly #forget: () => void;
  readonly #names: readonly string[];
  readonly #keep: Study["keep"];
  readonly #pending: PendingEpochs;
  /** What the archive has of members. */
  readonly #members = new Map<number, MemberFacts>();
  readonly #waiting = new Map<number, Waiting>();
  /** What the next entry will have. */
  readonly #rows = recordOf(
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
      closed: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    };
    const journal = new ArchiveJournal(options, workerData);
    await journal.#answered(OPENED);
    return journal;
  }

  private constructor(options: ArchiveOptions, workerData: WriterStart) {
    this.#names = options.proposers.map(({ name }) => name);
    this.#keep = options.study.keep;
    this.#closed = workerData.closed;
    this.#pending = new PendingEpochs(
      options.proposers.some((each) => each.breeding === undefined),
    );
    this.#worker = new Worker(writerUrl(), { workerData, execArgv: [] });
    this.#forget = atLastMoment(() => this.#closeNow());
    this.#worker.on("message", (message: FromWriter) => this.#hear(message));
    this.#worker.on("error", (error) => this.#fail(lost(error.message)));
    this.#worker.on("exit", () => this.#fail(lost("its thread ended")));
  }

  restore(pending: readonly EpochKey[]): void {
    this.#pending.restore(pending);
  }

  propose(job: EpochJob): void {
    this.#pending.propose(job);
  }

  settle(settled: SettledEpoch): void {
    this.#pending.settle(settled);
    addSettled(this.#rows, settled, this.#keep, this.#prompts);
  }

  commit(entry: JournalEntry): Promise<void> {
    this.#serial += 1;
    const serial = this.#serial;
    const rows = recordOf(
      BULK_TABLES.map((table) => [table, this.#rows[table].empty()]),
    ) as unknown as BulkRows;
    const prompts = [...this.#prompts];
    this.#prompts = new Map();
    this.#post({
      type: "commit",
      serial,
      rows,
      prompts,
      members: this.#newMembers(entry.members),
      ...this.#pending.changes(entry.state.observed),
      ...messageOf(entry, this.#names),
    });
    return this.#answered(serial);
  }

  /** Rows of members that the archive does not have as they are now. */
  #newMembers(members: JournalEntry["members"]) {
    const rows = [];
    for (const [visit, facts] of members) {
      if (this.#members.get(visit) === facts) continue;
      this.#members.set(visit, facts);
      const { length, parts, params, intervals, undetermined, simple, hidden, scores } = facts;
      const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
      const texts = [parts, params, intervals, undetermined, simple].map(json);
      const { source = null, complexity = null, twinOf = null } = facts;
      rows.push([
        visit,
        length ?? null,
        ...texts,
        hidden ?? null,
        source,
        complexity,
        json(scores),
        twinOf,
      ]);
    }
    return rows;
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) {
      this.#post({ type: "close" });
      await this.#answered(CLOSED);
    }
    // Its end is heard of as any other, and forgets what was registered for the last moment.
    await this.#worker.terminate();
  }

  /** Blocks until the file is closed. */
  #closeNow(): void {
    if (this.#failure !== undefined) return;
    this.#post({ type: "close" });
    Atomics.wait(this.#closed, 0, 0, CLOSE_PATIENCE);
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
      const { code, message: text, help, facts } = message;
      this.#fail(new NdvmError(code, text, { help, facts }));
      return;
    }
    const serial =
      message.type === "committed" ? message.serial : message.type === "open" ? OPENED : CLOSED;
    this.#waiting.get(serial)?.resolve();
    this.#waiting.delete(serial);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#forget();
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

/** Milliseconds that the end of a process waits for the last transaction. */
const CLOSE_PATIENCE = 10_000;

/** Serial numbers of answers that belong to no entry. */
const OPENED = 0;
const CLOSED = -1;

const lost = (reason: string): NdvmError =>
  new NdvmError("E-ARCHIVE", `the writer of the archive is gone: ${reason}`, {
    help: "what was told is in the archive; resume the study",
    facts: { reason: "writer" },
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
  const names = proposers.map(({ name }) => name);
  const breeding = breedingOptionsOf(study, proposers);
  const texts = Object.entries({ ...options, proposers: names, ...breeding }).map(
    ([key, value]): [string, string] => [key, JSON.stringify(value ?? null)],
  );
  const columns = { train, heldOut };
  for (const [key, part] of Object.entries(columns)) {
    const plain = Object.entries(part).map(([name, column]) => [name, [...column]] as const);
    texts.push([key, JSON.stringify(recordOf(plain))]);
  }
  return recordOf(texts);
}

function breedingOptionsOf(
  { islands }: Study,
  proposers: readonly Proposer[],
): Readonly<Record<string, unknown>> {
  const options: [string, unknown][] = [];
  for (const [place, { breeding }] of proposers.entries()) {
    if (breeding === undefined) continue;
    for (const [name, value] of Object.entries(withDefaults(breeding, islands)))
      options.push([breedingOption(place, name), value]);
  }
  return recordOf(options);
}

function seedsOf({ seed }: Study, proposers: readonly Proposer[]): Record<string, number> {
  const own = proposers.map(
    ({ name }, place) =>
      [`proposer ${place} (${name})`, seedFor(seed, SEED_PROPOSER, place)] as const,
  );
  return recordOf([["study", seed], ["split", seedFor(seed, SEED_SPLIT)], ...own]);
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
    state: JSON.stringify(state),
    proposers: proposers.map((saved, i) => [names[i] as string, JSON.stringify(saved)] as const),
  };
}
