/**
 * An archive to look at: what `ndvm archive` and `ndvm report` show.
 */

import { recordOf } from "@ndvm/core";
import { type Measured, yardstickOf } from "../choice/yardstick.js";
import { describeFront, type Front } from "../engine/front.js";
import type { MemberFacts } from "../engine/journal.js";
import { isJson, isNames, isNumberMap } from "../shapes.js";
import type { FrontMember, Intervals, MemberScores, Outcome, SearchEvent } from "../types.js";
import { damage, parse, readRow, readRows, type Source } from "./checked-rows.js";
import { countOutcomes } from "./epoch-rows.js";
import { exportLines } from "./export.js";
import { FRONT_OPTIONS } from "./options.js";
import { openForReading } from "./reader.js";
import {
  type EpochCounts,
  isEvent,
  isIntervals,
  isParts,
  isScores,
  type KeptIntervals,
  type KeptScores,
} from "./row-shapes.js";
import type { Row } from "./schema.js";
import { readState } from "./state.js";
import { readStudy } from "./study-rows.js";
import { countsOf, readEpochs, readVisit } from "./visits.js";

/** Seconds by what they were spent on, all workers together. */
export interface TimingTotals {
  readonly screen: number;
  readonly walk: number;
  readonly replay: number;
  readonly fit: number;
  readonly score: number;
  /** Share of the fits in all of it: the paper's inner-fit share. */
  readonly fitShare: number;
}

/** Counts of all visits, kept or not. */
export interface ArchiveSummary {
  readonly visits: number;
  /** Visits that were the first to their program, duplicates too. */
  readonly candidates: number;
  readonly scored: number;
  readonly duplicates: number;
  readonly failed: number;
  readonly fits: number;
  readonly failures: Readonly<Record<string, number>>;
  /** Seconds of all runs. */
  readonly seconds: number;
}

export interface ArchivedRun {
  readonly run: number;
  /** When it began, as ISO 8601 says it. */
  readonly started: string;
  readonly resumedFrom: number;
  readonly workers: number;
  readonly budget: unknown;
  /** How a user can start it again; "" where nobody said. */
  readonly command: string;
  readonly versions: Readonly<Record<string, string>>;
}

export interface ArchivedEvent {
  readonly run: number;
  /** Seconds of all runs until then. */
  readonly seconds: number;
  readonly event: SearchEvent;
}

/** A place of the discovery curve: a new best held-out R². */
export interface Discovery {
  readonly seconds: number;
  readonly visit: number;
  readonly fits: number;
  readonly r2: number;
}

export function openArchive(file: string): Archive {
  return new Archive(openForReading(file));
}

const withNaN = (kept: KeptIntervals): Intervals =>
  recordOf(
    Object.entries(kept).map(([name, [low, high]]) => [
      name,
      [low ?? Number.NaN, high ?? Number.NaN] as const,
    ]),
  );
/** BIC is infinite where nothing is left to explain; the others are NaN where they are not numbers. */
const withoutNulls = ({ loss, trainR2, r2, bic }: KeptScores): MemberScores => ({
  loss: loss ?? Number.NaN,
  trainR2: trainR2 ?? Number.NaN,
  r2: r2 ?? Number.NaN,
  bic: bic ?? Number.NEGATIVE_INFINITY,
});
export class Archive {
  readonly file: string;
  /** Of the file: 3 is today's. */
  readonly format: number;
  readonly #source: Source;
  /** How many readings are under way: they share one transaction. */
  #readings = 0;

  /** Made by `openArchive`. */
  constructor(source: Source) {
    this.#source = source;
    this.file = source.database.file;
    this.format = source.format;
  }

  close(): void {
    this.#source.database.close();
  }

  /** What the study is: options, seed, recipe, and the rows of both parts. */
  study(): Readonly<Record<string, unknown>> {
    return this.#reading(() => readStudy(this.#source));
  }

  seeds(): Readonly<Record<string, number>> {
    const rows = this.#reading(() => [...readRows(this.#source, "seeds")]);
    return recordOf(rows.map(({ name, seed }) => [name, seed]));
  }

  runs(): readonly ArchivedRun[] {
    const source = this.#source;
    return this.#reading(() => {
      const versions = [...readRows(source, "versions")];
      return [...readRows(source, "runs")].map((row) => ({
        run: row.run,
        started: row.started,
        resumedFrom: row.resumed_from,
        workers: row.workers,
        budget: parse(source, "runs", row, "budget", isJson),
        command: row.command,
        versions: recordOf(
          versions.filter(({ run }) => run === row.run).map(({ name, version }) => [name, version]),
        ),
      }));
    });
  }

  summary(): ArchiveSummary {
    return this.#reading(() => {
      const total = new SummaryCounts();
      for (const counts of this.#counts()) total.add(counts);
      return { ...total.summary(), seconds: readState(this.#source)?.seconds ?? 0 };
    });
  }

  /** Counts of epochs; of formats that did not count, from their visits. */
  *#counts(): Generator<Omit<EpochCounts, "rows">> {
    const source = this.#source;
    if (source.format >= COUNTING)
      for (const row of readRows(source, "epochs")) yield countsOf(source, row) as EpochCounts;
    else
      for (const { kept } of readEpochs(source))
        yield countOutcomes(kept.map(({ outcome }) => outcome));
  }

  /** Outcomes of all visits that are kept, in order. */
  *outcomes(): Generator<Outcome> {
    yield* this.#readingAll(function* (source) {
      for (const { kept } of readEpochs(source)) for (const { outcome } of kept) yield outcome;
    });
  }

  /** Undefined: there is no such visit, or it is not kept. */
  outcome(visit: number): Outcome | undefined {
    return this.#reading(() => readVisit(this.#source, visit)?.outcome);
  }

  /** All visits to one candidate that are kept. */
  visitsOf(id: number): readonly Outcome[] {
    return this.#reading(() => {
      // The first visit may have rows in neither table: that of a duplicate which was not fitted.
      const visits = new Set([id]);
      for (const table of ["fits", "failures"] as const)
        for (const { visit, candidate } of readRows(this.#source, table))
          if (candidate === id) visits.add(visit);
      const outcomes = [...visits]
        .sort((a, b) => a - b)
        .flatMap((visit) => this.outcome(visit) ?? []);
      return outcomes.filter((outcome) => outcome.id === id);
    });
  }

  /** The prompt that a candidate answers. */
  prompt(id: number): string | undefined {
    return this.#reading(() => {
      const source = this.#source;
      const promptId = readVisit(source, id)?.prompt ?? null;
      if (promptId === null) return undefined;
      const prompt = readRow(source, "prompts", { where: "prompt = ?", values: [promptId] });
      if (prompt !== undefined) return prompt.text;
      throw damage(this.file, "rows", "prompts", [promptId], "it is missing");
    });
  }

  front(): readonly FrontMember[] {
    return this.#reading(() => {
      const study = this.study();
      for (const key of FRONT_OPTIONS)
        if (!Object.hasOwn(study, key))
          throw damage(this.file, "rows", "study", [key], "it is missing, and the front needs it");
      const yardstick = yardstickOf(study as unknown as Measured);
      return describeFront(this.#front(), this.members(), yardstick);
    });
  }

  /** What is known of members of fronts, by visit. */
  members(): ReadonlyMap<number, MemberFacts> {
    const source = this.#source;
    const members = new Map<number, MemberFacts>();
    for (const row of this.#reading(() => [...readRows(source, "members")])) {
      const { length, parts, params, intervals, undetermined, simple, hidden, source: text } = row;
      const { complexity, scores, twin_of: twinOf } = row;
      const of = <V>(column: keyof typeof row, isGood: (value: unknown) => value is V) =>
        parse(source, "members", row, column, isGood);
      members.set(row.visit, {
        ...(length === null ? {} : { length }),
        ...(parts === null ? {} : { parts: of("parts", isParts) }),
        ...(params === null ? {} : { params: of("params", isNumberMap) }),
        ...(intervals === null ? {} : { intervals: withNaN(of("intervals", isIntervals)) }),
        ...(undetermined === null ? {} : { undetermined: of("undetermined", isNames) }),
        ...(simple === null ? {} : { simple: of("simple", isNames) }),
        ...(hidden === null ? {} : { hidden }),
        ...(text === null ? {} : { source: text }),
        ...(complexity === null ? {} : { complexity }),
        ...(scores === null ? {} : { scores: withoutNulls(of("scores", isScores)) }),
        ...(twinOf === null ? {} : { twinOf }),
      });
    }
    return members;
  }

  /** A candidate's ancestors, itself first, each once. */
  lineage(id: number): readonly Outcome[] {
    return this.#reading(() => {
      const known = new Map<number, Outcome>();
      const waiting = [id];
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (known.has(next)) continue;
        const outcome = this.outcome(next);
        if (outcome === undefined) continue;
        known.set(next, outcome);
        waiting.push(...outcome.parents);
      }
      return [...known.values()];
    });
  }

  /** How the best held-out R² rose. */
  discoveries(): readonly Discovery[] {
    return this.#reading(() => {
      const settledAt = this.#settledAt();
      const found: Discovery[] = [];
      let best = Number.NEGATIVE_INFINITY;
      let before = 0;
      for (const { round, slot, counts, kept } of readEpochs(this.#source)) {
        const seconds = settledAt.get(`${round}/${slot}`) ?? found.at(-1)?.seconds ?? 0;
        let fits = before;
        for (const { outcome } of kept) {
          fits += outcome.fits;
          if (!(outcome.r2 > best)) continue;
          best = outcome.r2;
          found.push({ seconds, visit: outcome.visit, fits, r2: outcome.r2 });
        }
        before = counts === undefined ? fits : before + counts.fits;
      }
      return found;
    });
  }

  /** When each epoch was settled, in seconds of all runs. */
  #settledAt(): ReadonlyMap<string, number> {
    const latest = new Map<string, number>();
    for (const { round, slot, at } of readRows(this.#source, "timings"))
      latest.set(`${round}/${slot}`, Math.max(at, latest.get(`${round}/${slot}`) ?? 0));
    return latest;
  }

  timings(): TimingTotals {
    const sums = { screen: 0, walk: 0, replay: 0, fit: 0, score: 0 };
    for (const row of this.#timings()) {
      sums.screen += row.screen;
      sums.walk += row.walk;
      sums.replay += row.replay;
      sums.fit += row.fit;
      sums.score += row.score;
    }
    return { ...sums, fitShare: sums.fit / (sums.screen + sums.fit + sums.score) };
  }

  #timings(): readonly Row<"timings">[] {
    return this.#reading(() => [...readRows(this.#source, "timings")]);
  }

  /** Visits settled in each second of the study. */
  throughput(): readonly { readonly second: number; readonly visits: number }[] {
    const visits = new Map<number, number>();
    for (const row of this.#timings()) {
      if (row.rung !== 0) continue;
      const second = Math.floor(row.at);
      visits.set(second, (visits.get(second) ?? 0) + row.visits);
    }
    return [...visits]
      .sort(([a], [b]) => a - b)
      .map(([second, count]) => ({ second, visits: count }));
  }

  *events(): Generator<ArchivedEvent> {
    yield* this.#readingAll(function* (source) {
      for (const row of readRows(source, "events")) {
        const event = parse(source, "events", row, "body", isEvent);
        yield { run: row.run, seconds: row.at, event };
      }
    });
  }

  /** The canonical export, line by line: see docs/archive.md. */
  *export(): Generator<string> {
    const study = this.study();
    yield* this.#readingAll((source) => exportLines(source, study));
  }

  #front(): Front {
    const visits = readState(this.#source)?.front ?? [];
    return {
      members: visits.map((visit) => {
        const outcome = this.outcome(visit);
        if (outcome !== undefined) return outcome;
        throw damage(this.file, "rows", "state", [1], `its visit ${visit} is missing`);
      }),
    };
  }

  #reading<T>(read: () => T): T {
    this.#begin();
    try {
      return read();
    } finally {
      this.#end();
    }
  }

  *#readingAll<T>(read: (source: Source) => Iterable<T>): Generator<T> {
    this.#begin();
    try {
      yield* read(this.#source);
    } finally {
      this.#end();
    }
  }

  #begin(): void {
    if (this.#readings === 0) this.#source.database.exec("BEGIN");
    this.#readings += 1;
  }

  #end(): void {
    this.#readings -= 1;
    if (this.#readings === 0) this.#source.database.exec("COMMIT");
  }
}

/** The first format whose epochs say what became of their visits. */
const COUNTING = 3;

class SummaryCounts {
  readonly #failures = new Map<string, number>();
  #scored = 0;
  #duplicates = 0;
  #revisits = 0;
  #fits = 0;

  add({ scored, failed, duplicates, revisits, fits }: Omit<EpochCounts, "rows">): void {
    this.#scored += scored;
    this.#duplicates += duplicates;
    this.#revisits += revisits;
    this.#fits += fits;
    for (const [code, count] of Object.entries(failed))
      this.#failures.set(code, (this.#failures.get(code) ?? 0) + count);
  }

  summary(): Omit<ArchiveSummary, "seconds"> {
    const failed = [...this.#failures.values()].reduce((sum, count) => sum + count, 0);
    const visits = this.#scored + failed + this.#duplicates;
    return {
      visits,
      candidates: visits - this.#revisits,
      scored: this.#scored,
      duplicates: this.#duplicates,
      failed,
      fits: this.#fits,
      failures: recordOf([...this.#failures].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}
