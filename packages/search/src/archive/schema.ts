/**
 * The tables of an archive, and the columns in the order in which rows are written.
 *
 * What is proposed is written before it is fitted, what became of it after: rows are added and never
 * changed, but for the two that say where the study stands (state, proposers). Parameters are JSON
 * text, so that their bits survive; numbers that are not finite are null.
 *
 * `visit` numbers proposals, `id` and `candidate` are the visit at which a program was first seen.
 * `revisits` has the later visits whose proposal is not word for word the first one.
 *
 * A short fit takes some ten microseconds, and a row takes one or two: so a visit has one row for
 * each of its rungs and no more. The row of the best rung says in `visit_rung` and `visit_fits` which
 * rung the visit reached and how many fits it took; `scores` is a view of these rows. What the seconds
 * of a fit were spent on is summed over a batch. Seeds of fits follow from the study's (seeds.ts).
 */

export const SCHEMA_VERSION = 2;

export const SCHEMA = `
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (run INTEGER PRIMARY KEY, started TEXT NOT NULL, resumed_from INTEGER NOT NULL,
  workers INTEGER NOT NULL, budget TEXT NOT NULL, command TEXT NOT NULL);
CREATE TABLE versions (run INTEGER NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,
  PRIMARY KEY (run, name)) WITHOUT ROWID;
CREATE TABLE seeds (name TEXT PRIMARY KEY, seed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE prompts (prompt INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE candidates (id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, proposer TEXT NOT NULL,
  origin TEXT NOT NULL, source TEXT NOT NULL, skeleton TEXT NOT NULL, complexity INTEGER NOT NULL,
  parents TEXT NOT NULL, params TEXT, prompt INTEGER, duplicate_of INTEGER, failure TEXT,
  is_revisit INTEGER NOT NULL);
CREATE TABLE revisits (visit INTEGER PRIMARY KEY, candidate INTEGER NOT NULL, origin TEXT NOT NULL,
  source TEXT NOT NULL, parents TEXT NOT NULL, params TEXT, prompt INTEGER);
CREATE TABLE batches (batch INTEGER PRIMARY KEY, proposer TEXT NOT NULL,
  first_visit INTEGER NOT NULL, candidates TEXT NOT NULL, front TEXT NOT NULL,
  fits_most INTEGER NOT NULL);
CREATE TABLE fits (visit INTEGER NOT NULL, rung INTEGER NOT NULL, candidate INTEGER NOT NULL,
  restarts INTEGER NOT NULL, loss REAL, train_r2 REAL, r2 REAL, bic REAL, params TEXT,
  seconds REAL NOT NULL, visit_rung INTEGER, visit_fits INTEGER, PRIMARY KEY (visit, rung)) WITHOUT ROWID;
CREATE VIEW scores AS SELECT visit, candidate, visit_rung AS rung, rung AS best_rung,
  visit_fits AS fits, loss, train_r2, r2, bic FROM fits WHERE visit_fits IS NOT NULL;
CREATE TABLE failures (visit INTEGER PRIMARY KEY, candidate INTEGER NOT NULL, fits INTEGER NOT NULL,
  stage TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL);
CREATE TABLE timings (batch INTEGER NOT NULL, rung INTEGER NOT NULL, worker INTEGER NOT NULL,
  visits INTEGER NOT NULL, screen REAL NOT NULL, walk REAL NOT NULL, replay REAL NOT NULL,
  fit REAL NOT NULL, score REAL NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (batch, rung, worker)) WITHOUT ROWID;
CREATE TABLE intervals (visit INTEGER PRIMARY KEY, intervals TEXT NOT NULL);
CREATE TABLE events (event INTEGER PRIMARY KEY, run INTEGER NOT NULL, at REAL NOT NULL,
  type TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL);
CREATE TABLE proposers (place INTEGER PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL);
`;

/** Tables that grow with the study: rows come in bulk (rows.ts). */
export const BULK = {
  candidates: [
    "id",
    "batch",
    "proposer",
    "origin",
    "source",
    "skeleton",
    "complexity",
    "parents",
    "params",
    "prompt",
    "duplicate_of",
    "failure",
    "is_revisit",
  ],
  revisits: ["visit", "candidate", "origin", "source", "parents", "params", "prompt"],
  batches: ["batch", "proposer", "first_visit", "candidates", "front", "fits_most"],
  fits: [
    "visit",
    "rung",
    "candidate",
    "restarts",
    "loss",
    "train_r2",
    "r2",
    "bic",
    "params",
    "seconds",
    "visit_rung",
    "visit_fits",
  ],
  failures: ["visit", "candidate", "fits", "stage", "code", "message"],
  timings: ["batch", "rung", "worker", "visits", "screen", "walk", "replay", "fit", "score", "at"],
} as const;

/** Columns of these tables that hold words; the others hold numbers. */
export const TEXT_COLUMNS: ReadonlySet<string> = new Set(
  "proposer origin source skeleton parents params failure candidates front stage code message".split(
    " ",
  ),
);

export type BulkTable = keyof typeof BULK;
export const BULK_TABLES = Object.keys(BULK) as readonly BulkTable[];
