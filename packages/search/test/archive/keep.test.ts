/**
 * `keep`: which visits an archive keeps, what it says of the others, and that a study goes on the
 * same whatever it keeps.
 */

import { describe, expect, test } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import {
  checkArchive,
  evolve,
  type Json,
  type Keep,
  type Outcome,
  openArchive,
  type Proposal,
  type Proposals,
  type Proposer,
  replay,
  search,
} from "../../src/index.js";
import { line, oscillation } from "../engine/data.js";
import { Echo, expectSame, exported, freshFile, list, run } from "../engine/support.js";
import { rungs } from "./support.js";

const KEEPS: readonly Keep[] = ["all", "scored", "front"];
const base = {
  data: oscillation,
  target: "y",
  workers: 0,
  epoch: 16,
  slots: 1,
  seed: 5,
  recipe: { rungs },
};
const cycled = ["(* a x)", "(car x)", "(* x b)", "(+ a (* b x))", "(* b"];

/** New programs, bad ones, duplicates and revisits. */
const proposers = () => [
  new Echo(),
  evolve({ draws: 30, islands: 2, islandSize: 8 }),
  replay(
    cycled.map((source) => ({ source })),
    { cycles: 20 },
  ),
];

/** Visits that stood on the front after the epoch that they came in. */
function everOnFront(events: Awaited<ReturnType<typeof run>>["events"]): Set<number> {
  return new Set(
    events.flatMap((event) =>
      event.type === "front" ? event.front.map(({ visit }) => visit) : [],
    ),
  );
}

describe("keep", () => {
  test.each(KEEPS)(
    "%s: holds those visits, counts the others, and looks the same",
    async (keep) => {
      const file = freshFile();
      const { outcomes, events, done } = await run({
        ...base,
        keep,
        archive: file,
        proposers: proposers(),
        budget: { candidates: 192 },
      });
      const stood = everOnFront(events);
      const isKept = ({ status, visit }: Outcome): boolean =>
        keep === "all" || (keep === "scored" ? status === "scored" : stood.has(visit));
      const archive = openArchive(file);
      expect([...archive.outcomes()]).toEqual(outcomes.filter(isKept));
      expect(archive.study()["keep"]).toBe(keep);
      const { scored, duplicates, failed, fits, failures, revisits } = done.counts;
      expect(archive.summary()).toMatchObject({
        visits: 192,
        scored,
        duplicates,
        failed,
        fits,
        failures,
      });
      expect(archive.summary().candidates).toBe(192 - revisits);
      expect(archive.front()).toEqual(done.front);
      const onFront = done.front.map(({ visit }) => outcomes[visit]?.r2 as number);
      expect(archive.discoveries().at(-1)?.r2).toBeGreaterThanOrEqual(Math.max(...onFront));
      const left = outcomes.find((outcome) => !isKept(outcome));
      if (keep !== "all") expect(archive.outcome((left as Outcome).visit)).toBeUndefined();
      archive.close();
      expect(checkArchive(file)).toMatchObject({ isIntact: true, canResume: true, problems: [] });
      // One of each kind must have been there, or the test says nothing.
      expect(Math.min(scored, duplicates, failed, revisits, fits)).toBeGreaterThan(0);
      expect(stood.size).toBeLessThan(scored);
    },
  );

  test.each(KEEPS)("%s: a study that was interrupted ends with the same export", async (keep) => {
    const options = { ...base, keep, budget: { candidates: 192 } };
    const whole = freshFile();
    await run({ ...options, archive: whole, proposers: proposers() });
    const file = freshFile();
    const resumed = { ...options, archive: file, resume: true };
    for (const until of [20, 60, 101, 150]) {
      const stop = new AbortController();
      const { signal } = stop;
      for await (const event of search({ ...resumed, proposers: proposers(), signal }))
        if (event.type === "candidate" && event.outcome.visit >= until) stop.abort();
    }
    await run({ ...resumed, proposers: proposers() });
    expectSame(exported(file), exported(whole));
    expect(checkArchive(file)).toMatchObject({ isIntact: true, problems: [] });
  });

  test("the export says what was kept, and what became of the others, epoch by epoch", async () => {
    const file = freshFile();
    const programs = [...cycled, "(sin (* a x))", "(exp (* a x))", "7"];
    const options = {
      ...base,
      data: line,
      epoch: 4,
      slots: 1,
      keep: "front" as const,
      archive: file,
    };
    await run({ ...options, proposers: [list(programs)] });
    const lines = exported(file)
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(lines[0].study.keep).toBe("front");
    const epochs = lines.filter(({ epoch }) => epoch !== undefined);
    expect(epochs.map(({ epoch, firstVisit, visits }) => [epoch, firstVisit, visits])).toEqual([
      [[0, 0], 0, 4],
      [[1, 0], 4, 4],
    ]);
    expect(epochs[0]).toMatchObject({ scored: 2, failed: { "E-TYPE": 1 }, duplicates: 1 });
    expect(epochs[1]).toMatchObject({ scored: 3, failed: { "E-SYNTAX": 1 }, duplicates: 0 });
  });

  test("a duplicate is recognised after a resume, of programs that were not kept too", async () => {
    for (const keep of KEEPS) {
      const file = freshFile();
      const options = { ...base, data: line, epoch: 2, slots: 1, keep, archive: file };
      const programs = [
        "(* a x)",
        "(sin (* a x))",
        "(car x)",
        "(* b",
        "(sin (* x b))",
        "(car x)",
        "(* b",
      ];
      await run({ ...options, proposers: [list(programs)], budget: { candidates: 4 } });
      const more = await run({ ...options, resume: true, proposers: [list(programs)] });
      const found = more.outcomes.map(({ visit, duplicateOf }) => [visit, duplicateOf]);
      expect(found).toEqual([
        [4, 1],
        [5, 2],
        [6, 3],
      ]);
    }
  });

  test("is no word of ours: refused, and so is a resume with another", async () => {
    const bad = { ...base, keep: "some" as Keep, proposers: [new Echo()] };
    await expect(run(bad)).rejects.toMatchObject({ code: "E-OPTION" });
    const file = freshFile();
    const options = { ...base, archive: file, budget: { candidates: 16 } };
    await run({ ...options, keep: "scored", proposers: [new Echo()] });
    const again = run({ ...options, keep: "all", resume: true, proposers: [new Echo()] });
    await expect(again).rejects.toMatchObject({
      code: "E-ARCHIVE",
      facts: { reason: "study", option: "keep" },
    });
  });

  test("revisits that say nothing new have no row, before and after a resume", async () => {
    const file = freshFile();
    const stream = () => [replay([{ source: "(* a x)" }, { source: "(+ a x)" }], { cycles: 40 })];
    const options = { ...base, data: line, epoch: 8, slots: 1, archive: file };
    await run({ ...options, proposers: stream(), budget: { candidates: 40 } });
    await run({ ...options, proposers: stream(), resume: true });
    const database = openDatabase(file);
    expect(database.all("SELECT count(*) FROM revisits")).toEqual([[0]]);
    expect(database.all("SELECT count(*) FROM candidates")).toEqual([[2]]);
    // Proposers have not heard of the last round: nobody has asked them for another.
    expect(database.all("SELECT round FROM pending")).toEqual([[9]]);
    database.close();
    expect(checkArchive(file).epochs).toEqual({ intact: 10, damaged: 0, visits: 80 });
  });

  test("what was said of a first proposal is news when it comes plain, before and after a resume", async () => {
    const said: Partial<Proposal>[] = [
      {},
      { params: { a: 2 } },
      { prompt: "p" },
      { origin: "other" },
      { parents: [0] },
      { isRevisit: false },
    ];
    const sources = ["(* a x)", "(+ a x)", "(- a x)", "(/ a x)", "(sin (* a x))", "(cos (* a x))"];
    const plain = { parents: [], origin: "read", isRevisit: true } as const;
    const first = sources.map((source, i): Proposal => ({ ...plain, source, ...said[i] }));
    const again = sources.map((source): Proposal => ({ ...plain, source }));
    const options = { ...base, data: line, epoch: 6, slots: 1, lag: 1 };
    const proposer = () => new Told([...first, ...again]);
    const [whole, parted] = [freshFile(), freshFile()];
    await run({ ...options, archive: whole, proposers: [proposer()] });
    await run({ ...options, archive: parted, proposers: [proposer()], budget: { candidates: 6 } });
    await run({ ...options, archive: parted, proposers: [proposer()], resume: true });
    const rows = [whole, parted].map((file) => {
      const database = openDatabase(file);
      const found = database.all("SELECT visit FROM revisits ORDER BY visit");
      database.close();
      return found;
    });
    expect(rows[0]).toEqual([[7], [8], [9], [10], [11]]);
    expect(rows[1]).toEqual(rows[0]);
  });
});

/** Proposes what it was told, one after the other, and remembers where it was. */
class Told implements Proposer {
  readonly name = "told";
  readonly #proposals: readonly Proposal[];
  #next = 0;

  constructor(proposals: readonly Proposal[]) {
    this.#proposals = proposals;
  }

  begin(): void {}

  async propose(count: number): Promise<Proposals> {
    const proposals = this.#proposals.slice(this.#next, this.#next + count);
    this.#next += proposals.length;
    return { proposals, isExhausted: this.#next === this.#proposals.length };
  }

  observe(): void {}

  save(): Json {
    return this.#next;
  }

  restore(state: Json): void {
    this.#next = state as number;
  }
}
