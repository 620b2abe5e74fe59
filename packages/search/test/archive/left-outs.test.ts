/**
 * What an archive says of visits that are not like the others (later ones, failing ones, those that are not
 * kept) against what was proposed, and what a salvaged one says of each row that is lost.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import { TABLES, type Table } from "../../src/archive/schema.js";
import {
  checkArchive,
  evolve,
  type Json,
  type Keep,
  type Proposal,
  type Proposals,
  type Proposer,
  salvageArchive,
} from "../../src/index.js";
import { line } from "../engine/data.js";
import { Echo, exported, freshFile, run } from "../engine/support.js";
import { copyOf, reading, rungs, sql } from "./support.js";

/** Proposes what it was told, one after the other, and remembers where it was. */
class Told implements Proposer {
  #next = 0;

  constructor(
    readonly proposals: readonly Proposal[],
    readonly name = "told",
  ) {}

  begin(): void {}

  async propose(count: number): Promise<Proposals> {
    const proposals = this.proposals.slice(this.#next, this.#next + count);
    this.#next += proposals.length;
    return { proposals, isExhausted: this.#next === this.proposals.length };
  }

  observe(): void {}

  save(): Json {
    return this.#next;
  }

  restore(state: Json): void {
    this.#next = state as number;
  }
}

const base = {
  data: line,
  target: "y",
  workers: 0,
  epoch: 4,
  slots: 1,
  seed: 5,
  recipe: { rungs },
};

/** Every program as the first, again, as a revisit and as a revisit again, each with a prompt or none. */
const sources = ["(* a x)", "(car x)", "(* b", "(+ a x)", "(+ a (* b x))", "x", "(sin (car a))"];
const proposals: readonly Proposal[] = [false, true, true, false, true].flatMap((isRevisit, turn) =>
  sources.map((source, i): Proposal => {
    const prompt = (i + turn) % 3 === 0 ? undefined : `prompt ${(2 * i + turn) % 5}`;
    return { source, parents: [], origin: "told", isRevisit, ...(prompt && { prompt }) };
  }),
);

describe("an archive of programs that come again", () => {
  let file = "";
  beforeAll(async () => {
    file = freshFile();
    await run({ ...base, archive: file, proposers: [new Told(proposals)] });
  });

  test("has all visits to each of them, scored, failed before any fit, or neither", () => {
    reading(file, (archive) => {
      const outcomes = [...archive.outcomes()];
      for (const id of new Set(outcomes.map((outcome) => outcome.id))) {
        const wanted = outcomes.filter((outcome) => outcome.id === id);
        expect(archive.visitsOf(id)).toEqual(wanted);
        expect(wanted.length).toBeGreaterThan(0);
      }
      const failed = outcomes.filter(({ failure }) => failure?.stage === "parse");
      expect(failed.length).toBeGreaterThan(1);
      expect(archive.visitsOf(proposals.length)).toEqual([]);
    });
  });

  test("has the prompt that each visit answers, first visits and later ones", () => {
    reading(file, (archive) => {
      let later = 0;
      for (const [visit, { prompt }] of proposals.entries()) {
        const outcome = archive.outcome(visit);
        if (outcome === undefined) continue;
        expect([visit, archive.prompt(visit)]).toEqual([visit, prompt]);
        later += Number(prompt !== undefined && outcome.id !== visit);
      }
      expect(later).toBeGreaterThan(3);
    });
  });

  test("that has lost a prompt is salvaged without it, and all others stay", () => {
    const prompts = new Set(proposals.flatMap(({ prompt }) => prompt ?? []));
    for (const gone of prompts) {
      const damaged = copyOf(file);
      const database = openDatabase(damaged);
      database.exec(`DELETE FROM prompts WHERE text = '${gone}'`);
      database.close();
      const out = freshFile();
      expect(salvageArchive(damaged, out)).toMatchObject({ visitsLost: 0, rowsLost: 1 });
      expect(checkArchive(out)).toMatchObject({ isIntact: true, problems: [] });
      reading(out, (archive) => {
        for (const [visit, { prompt, source }] of proposals.entries()) {
          const outcome = archive.outcome(visit);
          if (outcome === undefined) continue;
          expect(outcome.source).toBe(source);
          expect([visit, archive.prompt(visit)]).toEqual([
            visit,
            prompt === gone ? undefined : prompt,
          ]);
        }
      });
    }
  });
});

test("times are of all visits, kept or not", async () => {
  const KEEPS: readonly Keep[] = ["all", "scored", "front"];
  const found = [];
  for (const keep of KEEPS) {
    const file = freshFile();
    const proposers = [new Told(proposals), evolve({ draws: 20, islands: 2 })];
    await run({ ...base, keep, archive: file, proposers, budget: { candidates: 48 } });
    const times = sql(
      file,
      "SELECT round, slot, rung, sum(visits) FROM timings GROUP BY round, slot, rung ORDER BY round, slot, rung",
    );
    const { seconds, throughput } = reading(file, (archive) => ({
      seconds: archive.timings(),
      throughput: archive.throughput().reduce((sum, { visits }) => sum + visits, 0),
    }));
    expect(throughput).toBe(
      times.reduce((sum, [, , rung, visits]) => sum + (rung === 0 ? (visits as number) : 0), 0),
    );
    for (const part of [seconds.screen, seconds.fit, seconds.score])
      expect(part).toBeGreaterThan(0);
    found.push(times);
    if (keep !== "all") continue;
    // Each fit that is kept is of one visit on one rung.
    const fits = sql(
      file,
      `SELECT e.round, e.slot, f.rung, count(*) FROM fits f JOIN epochs e
       ON f.visit >= e.first_visit AND f.visit < e.first_visit + e.visits
       GROUP BY e.round, e.slot, f.rung ORDER BY e.round, e.slot, f.rung`,
    );
    expect(times).toEqual(fits);
  }
  expect(found[1]).toEqual(found[0]);
  expect(found[2]).toEqual(found[0]);
});

describe("an archive that has lost a row is said to be resumable only if it goes on as it would have", () => {
  const proposers = () => [
    new Told(proposals.slice(0, 14), "first"),
    new Echo(),
    new Told([...proposals].reverse(), "second"),
  ];
  const options = { ...base, budget: { candidates: 32 } };
  let half = "";
  let whole = "";
  beforeAll(async () => {
    half = freshFile();
    await run({ ...options, archive: half, proposers: proposers(), budget: { candidates: 20 } });
    const end = copyOf(half);
    await run({ ...options, archive: end, proposers: proposers(), resume: true });
    whole = exported(end);
  });

  const needed: readonly Table[] = ["study", "proposers", "pending", "prompts", "seeds", "runs"];
  test.each(Object.keys(TABLES) as Table[])("%s", async (table) => {
    const keys: readonly string[] = TABLES[table].key;
    const rows = sql(half, `SELECT ${keys.join(", ")} FROM ${table} ORDER BY ${keys.join(", ")}`);
    const middle = rows.length >> 1;
    // Going on takes longer than being refused.
    for (const at of needed.includes(table) ? [0, middle, rows.length - 1] : [middle]) {
      const row = rows[at] as readonly (string | number)[] | undefined;
      if (row === undefined) continue;
      const damaged = copyOf(half);
      const database = openDatabase(damaged);
      const where = keys.map((key) => `${key} = ?`).join(" AND ");
      database.prepare(`DELETE FROM ${table} WHERE ${where}`).run([...row]);
      database.close();
      const out = freshFile();
      const { canResume } = salvageArchive(damaged, out);
      expect(checkArchive(out).canResume).toBe(canResume);
      if (needed.includes(table)) expect([table, row, canResume]).toEqual([table, row, false]);
      if (!canResume) continue;
      await run({ ...options, archive: out, proposers: proposers(), resume: true });
      expect(exported(out)).toBe(whole);
    }
  });
});
