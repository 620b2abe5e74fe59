/**
 * An archive to look at: what `ndvm archive` and `ndvm report` show.
 */

import { advance, describeFront, emptyFront, type Front, type Intervals } from "../engine/front.js";
import type { FrontMember, Outcome, SearchEvent } from "../types.js";
import type { Database } from "./driver.js";
import { exportLines } from "./export.js";
import { openForReading, outcomeAt, outcomeOfRow, VISITS, type VisitRow } from "./reader.js";

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

export interface ArchiveSummary {
  readonly visits: number;
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
  return new Archive(openForReading(file), file);
}

export class Archive {
  readonly file: string;
  readonly #database: Database;

  /** Made by `openArchive`. */
  constructor(database: Database, file: string) {
    this.#database = database;
    this.file = file;
  }

  close(): void {
    this.#database.close();
  }

  /** What the study is: options, seed, recipe, and the rows of both parts. */
  study(): Readonly<Record<string, unknown>> {
    const rows = this.#database.all<{ key: string; value: string }>("SELECT * FROM study");
    return Object.fromEntries(rows.map(({ key, value }) => [key, JSON.parse(value)]));
  }

  seeds(): Readonly<Record<string, number>> {
    const rows = this.#database.all<{ name: string; seed: number }>("SELECT * FROM seeds");
    return Object.fromEntries(rows.map(({ name, seed }) => [name, seed]));
  }

  runs(): readonly ArchivedRun[] {
    interface Row {
      readonly run: number;
      readonly started: string;
      readonly resumed_from: number;
      readonly workers: number;
      readonly budget: string;
      readonly command: string;
    }
    interface Version {
      readonly name: string;
      readonly version: string;
    }
    return this.#database.all<Row>("SELECT * FROM runs ORDER BY run").map((row) => ({
      run: row.run,
      started: row.started,
      resumedFrom: row.resumed_from,
      workers: row.workers,
      budget: JSON.parse(row.budget) as unknown,
      command: row.command,
      versions: Object.fromEntries(
        this.#database
          .all<Version>("SELECT name, version FROM versions WHERE run = ?", row.run)
          .map(({ name, version }) => [name, version]),
      ),
    }));
  }

  summary(): ArchiveSummary {
    const count = (sql: string): number =>
      this.#database.all<{ n: number | null }>(`SELECT ${sql} AS n`)[0]?.n ?? 0;
    const failures = this.#database.all<{ code: string; n: number }>(
      "SELECT code, count(*) AS n FROM failures GROUP BY code ORDER BY code",
    );
    const scored = count("(SELECT count(*) FROM scores)");
    const failed = failures.reduce((sum, { n }) => sum + n, 0);
    const settled = count("(SELECT state ->> 'settled' FROM state)");
    const duplicates = count(
      `(SELECT count(*) FROM candidates WHERE duplicate_of IS NOT NULL AND batch < ${settled})`,
    );
    return {
      visits: scored + failed + duplicates,
      candidates: count("(SELECT count(*) FROM candidates)"),
      scored,
      duplicates,
      failed,
      fits: count("(SELECT sum(restarts) FROM fits)"),
      failures: Object.fromEntries(failures.map(({ code, n }) => [code, n])),
      seconds: count("(SELECT state ->> 'seconds' FROM state)"),
    };
  }

  /** Outcomes of all settled visits, in order. */
  *outcomes(): Generator<Outcome> {
    for (const row of this.#rows()) yield outcomeOfRow(row);
  }

  outcome(visit: number): Outcome | undefined {
    return outcomeAt(this.#database, visit);
  }

  /** All visits to one candidate. */
  visitsOf(id: number): readonly Outcome[] {
    const rows = this.#database.all<{ visit: number }>(
      "SELECT visit FROM scores WHERE candidate = ?1 UNION SELECT visit FROM failures" +
        " WHERE candidate = ?1 ORDER BY visit",
      id,
    );
    return rows.flatMap(({ visit }) => this.outcome(visit) ?? []);
  }

  /** The prompt that a candidate answers. */
  prompt(id: number): string | undefined {
    return this.#database.all<{ text: string }>(
      "SELECT p.text FROM candidates c JOIN prompts p ON p.prompt = c.prompt WHERE c.id = ?",
      id,
    )[0]?.text;
  }

  front(): readonly FrontMember[] {
    const rows = this.#database.all<{ visit: number; intervals: string }>(
      "SELECT * FROM intervals",
    );
    const intervals = new Map(
      rows.map(({ visit, intervals: text }) => [visit, JSON.parse(text) as Intervals]),
    );
    return describeFront(this.#front(), intervals);
  }

  /** A candidate's ancestors, itself first, each once. */
  lineage(id: number): readonly Outcome[] {
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
  }

  /** How the best held-out R² rose. */
  discoveries(): readonly Discovery[] {
    const found: Discovery[] = [];
    let best = Number.NEGATIVE_INFINITY;
    let fits = 0;
    const batches = this.#database
      .iterate<{ first_visit: number; at: number }>(
        "SELECT b.first_visit, max(t.at) AS at FROM batches b JOIN timings t ON t.batch = b.batch" +
          " GROUP BY b.batch ORDER BY b.batch",
      )
      [Symbol.iterator]();
    let seconds = 0;
    let next = batches.next();
    const rows = this.#database.iterate<{ visit: number; fits: number; r2: number }>(
      "SELECT visit, fits, r2 FROM scores ORDER BY visit",
    );
    for (const { visit, fits: own, r2 } of rows) {
      fits += own;
      for (; !next.done && next.value.first_visit <= visit; next = batches.next())
        seconds = next.value.at;
      if (!(r2 > best)) continue;
      best = r2;
      found.push({ seconds, visit, fits, r2 });
    }
    return found;
  }

  timings(): TimingTotals {
    const [row] = this.#database.all<Omit<TimingTotals, "fitShare">>(
      "SELECT total(screen) AS screen, total(walk) AS walk, total(replay) AS replay," +
        " total(fit) AS fit, total(score) AS score FROM timings",
    );
    const { screen = 0, walk = 0, replay = 0, fit = 0, score = 0 } = row ?? {};
    return { screen, walk, replay, fit, score, fitShare: fit / (screen + fit + score) };
  }

  /** Visits settled in each second of the study. */
  throughput(): readonly { readonly second: number; readonly visits: number }[] {
    return this.#database.all(
      "SELECT cast(at AS INTEGER) AS second, sum(visits) AS visits FROM timings WHERE rung = 0" +
        " GROUP BY 1 ORDER BY 1",
    );
  }

  *events(): Generator<ArchivedEvent> {
    const rows = this.#database.iterate<{ run: number; at: number; body: string }>(
      "SELECT run, at, body FROM events ORDER BY event",
    );
    for (const { run, at, body } of rows)
      yield { run, seconds: at, event: JSON.parse(body) as SearchEvent };
  }

  /** The canonical export, line by line: see docs/archive.md. */
  *export(): Generator<string> {
    yield* exportLines(this.#database, this.study(), this.#rows());
  }

  *#rows(): Generator<VisitRow> {
    const [state] = this.#database.all<{ settled: number }>(
      "SELECT state ->> 'settled' AS settled FROM state",
    );
    const settled = state?.settled ?? 0;
    yield* this.#database.iterate<VisitRow>(VISITS, 0, settled - 1);
  }

  #front(): Front {
    let front = emptyFront;
    for (const row of this.#rows()) front = advance(front, outcomeOfRow(row));
    return front;
  }
}
