/**
 * Archives that have lost rows, any row of any table and several at once: `check` says which table, and
 * `salvage` keeps a file that `check` finds intact, with every visit that has all its rows and no other.
 */

import { Random } from "@ndvm/core";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import { TABLES, type Table } from "../../src/archive/schema.js";
import {
  checkArchive,
  type Keep,
  type Outcome,
  type Proposal,
  salvageArchive,
} from "../../src/index.js";
import { CandidateRunner } from "../../src/pipeline/candidate-runner.js";
import { failedResult } from "../../src/pipeline/task.js";
import { line } from "../engine/data.js";
import { freshFile, list, run } from "../engine/support.js";
import { copyOf, reading, sql } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

type Cells = readonly (string | number | null)[];

interface Key {
  readonly table: Table;
  readonly key: Cells;
}

const rungs = [
  { restarts: 1, steps: 6, share: 1 },
  { restarts: 2, steps: 8, share: 1 },
  { restarts: 1, steps: 9, share: 0.5 },
];

/** Programs that end in every way, and some of them again. */
const PROGRAMS = [
  "(* a x)",
  // Fails at the walk over a few rows: a rung without fits.
  "(car x)",
  // Not read, so on no rung.
  "(* b",
  // Read, and not to be fitted.
  "(* a y)",
  "(+ a (* b x))",
  // Nothing to fit.
  "(* 2 x)",
  // The last rung of one, and the first of the other, come to nothing; see `lose`.
  "(+ a (tanh (* b x)))",
  "(+ a (cosh (* b x)))",
  // Known already, in other words.
  "(* x a)",
  "(+ (* x b) a)",
  // Fails where it is scored.
  "(log (- 3 x))",
  "(+ a (sin (* b x)))",
];

const proposed: readonly Proposal[] = [false, true, true].flatMap((isRevisit, turn) =>
  PROGRAMS.map((source, at): Proposal => {
    const prompt = (at + turn) % 3 === 0 ? `prompt ${at % 4}` : undefined;
    return { source, parents: [], origin: "told", isRevisit, ...(prompt && { prompt }) };
  }),
);

/** Fits that end as those of a worker that died. */
function lose(): void {
  const run = CandidateRunner.prototype.run;
  vi.spyOn(CandidateRunner.prototype, "run").mockImplementation(async function (
    this: CandidateRunner,
    task,
  ) {
    const failure = { stage: "fit", code: "E-LOST", message: "its worker ended" } as const;
    const isLost = (task.source.includes("tanh") && task.rung > 0) || task.source.includes("cosh");
    return isLost ? failedResult(task, failure) : run.call(this, task);
  });
}

afterEach(() => {
  vi.restoreAllMocks();
});

async function archiveOf(keep: Keep): Promise<string> {
  lose();
  const file = freshFile();
  await run({
    ...{ data: line, target: "y", workers: 0, epoch: 9, slots: 1, seed: 5, recipe: { rungs } },
    ...{ archive: file, keep, proposers: [list(proposed)] },
  });
  vi.restoreAllMocks();
  return file;
}

const keysOf = (file: string): readonly Key[] =>
  (Object.keys(TABLES) as Table[]).flatMap((table) =>
    sql(file, `SELECT ${TABLES[table].key.join(", ")} FROM ${table}`).map((key) => ({
      table,
      key: key as Cells,
    })),
  );

function without(file: string, gone: readonly Key[]): string {
  const copy = copyOf(file);
  const database = openDatabase(copy);
  for (const { table, key } of gone) {
    const where = TABLES[table].key.map((name) => `${name} = ?`).join(" AND ");
    database.prepare(`DELETE FROM ${table} WHERE ${where}`).run([...key]);
  }
  database.close();
  return copy;
}

const VISIT_TABLES: readonly Table[] = ["candidates", "revisits", "fits", "failures"];

interface Told {
  readonly visit: number;
  readonly outcome: Outcome;
  /** The epoch that it is of. */
  readonly epoch: number;
}

const visitsIn = (file: string): readonly Told[] =>
  reading(file, (archive) =>
    [...archive.outcomes()].map((outcome) => ({
      visit: outcome.visit,
      outcome,
      epoch: outcome.round,
    })),
  );

const isOfVisit = ({ table }: Key): boolean => VISIT_TABLES.includes(table);

/** The visit that a row of one of the four tables is of. */
const visitOf = ({ key }: Key): number => Number(key[0]);

/** An archive before anything is gone. */
interface Whole {
  readonly file: string;
  readonly keys: readonly Key[];
  readonly visits: readonly Told[];
  /** Round, slot, first visit and count of visits. */
  readonly epochs: readonly (readonly number[])[];
  /** Visits with rows of fits, and with a row of revisits. */
  readonly fitted: ReadonlySet<number>;
  readonly revisited: ReadonlySet<number>;
}

function wholeOf(file: string): Whole {
  const column = (query: string) => new Set(sql(file, query).map(([visit]) => Number(visit)));
  return {
    file,
    keys: keysOf(file),
    visits: visitsIn(file),
    epochs: sql(file, "SELECT round, slot, first_visit, visits FROM epochs") as number[][],
    fitted: column("SELECT visit FROM fits"),
    revisited: column("SELECT visit FROM revisits"),
  };
}

/**
 * Which visits are to be kept, and which may be: a row that is gone can be of any visit of its epoch that
 * does not say whether it had one.
 */
function decide({ visits, epochs, fitted, revisited }: Whole, gone: readonly Key[]) {
  const epochOf = (visit: number): number =>
    epochs.findIndex(([, , first = 0, count = 0]) => visit >= first && visit < first + count);
  const goneEpochs = gone
    .filter(({ table }) => table === "epochs")
    .map(({ key }) => epochs.findIndex(([round]) => round === key[0]));
  const ofVisits = gone.filter(isOfVisit);
  const touched = new Set(ofVisits.map(visitOf));
  const lacks = (table: Table, epoch: number): boolean =>
    ofVisits.some((one) => one.table === table && epochOf(visitOf(one)) === epoch);
  const goneCandidates = new Set(
    ofVisits.filter(({ table }) => table === "candidates").map(visitOf),
  );
  const must = new Set<number>();
  const may = new Set<number>();
  for (const { visit, outcome } of visits) {
    const epoch = epochOf(visit);
    const isLater = outcome.id !== visit;
    if (touched.has(visit) || goneEpochs.includes(epoch)) continue;
    if (isLater && (goneCandidates.has(outcome.id) || goneEpochs.includes(epochOf(outcome.id)))) {
      // The row of a revisit may say all that its candidate's did.
      may.add(visit);
      continue;
    }
    const saysNoFits =
      outcome.status === "duplicate" ||
      (outcome.fits === 0 && outcome.status === "failed" && !fitted.has(visit));
    const saysNoRevisit = isLater && !revisited.has(visit);
    const isUnclear =
      (saysNoFits && lacks("fits", epoch) && outcome.skeleton !== "") ||
      (saysNoFits && isLater && lacks("fits", epoch)) ||
      (saysNoRevisit && lacks("revisits", epoch));
    (isUnclear ? may : must).add(visit);
  }
  // A visit whose candidate is not kept for certain may go with it.
  for (const { visit, outcome } of visits)
    if (must.has(visit) && outcome.id !== visit && !must.has(outcome.id)) {
      must.delete(visit);
      may.add(visit);
    }
  return { must, may };
}

function expectSalvaged(whole: Whole, gone: readonly Key[]): void {
  const what = JSON.stringify(gone);
  const damaged = without(whole.file, gone);
  const check = checkArchive(damaged);
  expect(check.isIntact, what).toBe(false);
  expect(check.canResume, what).toBe(false);
  const told = new Set(
    check.problems.map(({ facts }) => (facts.reason === "rows" ? facts.column : undefined)),
  );
  // Without the row of the study's state nothing says how many rows there were.
  const isUncounted = gone.some(({ table }) => table === "state");
  for (const { table } of gone)
    if (!isUncounted || table === "state") expect([...told], what).toContain(table);

  const out = freshFile();
  const salvaged = salvageArchive(damaged, out);
  const after = checkArchive(out);
  expect(after.problems, what).toEqual([]);
  expect(after.canResume, what).toBe(salvaged.canResume);
  const kept = visitsIn(out);
  const { must, may } = decide(whole, gone);
  const byVisit = new Map(whole.visits.map((one) => [one.visit, one.outcome]));
  for (const { visit, outcome } of kept) {
    expect(outcome, what).toEqual(byVisit.get(visit));
    expect(must.has(visit) || may.has(visit), `visit ${visit} of ${what}`).toBe(true);
  }
  const found = new Set(kept.map(({ visit }) => visit));
  expect(
    [...must].filter((visit) => !found.has(visit)),
    `lost for ${what}`,
  ).toEqual([]);
  // Nobody knows of the visits of a last epoch that is gone together with the state.
  if (!isUncounted) expect(salvaged.visits + salvaged.visitsLost, what).toBe(proposed.length);
}

describe.each(["all", "scored", "front"] as const)("an archive that keeps %s", (keep) => {
  let whole: Whole;
  beforeAll(async () => {
    whole = wholeOf(await archiveOf(keep));
  });

  test("has visits of every kind", () => {
    expect(checkArchive(whole.file)).toMatchObject({ isIntact: true, problems: [] });
    const kinds = whole.visits.map(({ visit, outcome: { id, status, failure, rung } }) =>
      [id === visit ? "first" : "again", status, failure?.stage ?? rung].join(" "),
    );
    const again = (one: string) => [`first ${one}`, `again ${one}`];
    const scored = ["scored 0", "scored 1", "scored 2"].flatMap(again);
    const failed = ["failed parse", "failed screen", "failed fit", "failed score"].flatMap(again);
    if (keep === "front") expect(kinds.length).toBeGreaterThan(2);
    else
      expect([...new Set(kinds)].sort()).toEqual(
        (keep === "all" ? [...scored, ...failed, "first duplicate 0"] : scored).sort(),
      );
  });

  test("is salvaged with every whole visit, whichever row is gone", () => {
    // The other tables are the same, whatever is kept of visits.
    const keys = keep === "all" ? whole.keys : whole.keys.filter(isOfVisit);
    for (const key of keys) expectSalvaged(whole, [key]);
  });

  test(`is salvaged with every whole visit, whichever rows are gone, SEED=${seed}`, () => {
    const random = new Random(seed);
    const { keys } = whole;
    const inVisits = keys.filter(isOfVisit);
    for (let turn = 0; turn < 12; turn++) {
      const from = turn % 2 === 0 ? inVisits : keys;
      const gone = new Set(
        Array.from(
          { length: 2 + Math.floor(5 * random.uniform()) },
          () => from[Math.floor(from.length * random.uniform())] as Key,
        ),
      );
      expectSalvaged(whole, [...gone]);
    }
  });
});
