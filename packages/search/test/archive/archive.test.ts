/**
 * Archives: what is in them, who may write, and how studies go on.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { NdvmError, seedFor } from "@ndvm/core";
import { describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/archive/driver.js";
import {
  evolve,
  openArchive,
  type Proposer,
  paperRecipe,
  replay,
  type SearchEvent,
  search,
} from "../../src/index.js";
import { SEED_SPLIT } from "../../src/study.js";
import { line, oscillation } from "../engine/data.js";
import { Echo, expectSame, exported, freshFile, list, run } from "../engine/support.js";

const base = { data: oscillation, target: "y", workers: 0, epoch: 16, slots: 1, seed: 5 } as const;

async function refusal(act: () => Promise<unknown> | unknown): Promise<NdvmError> {
  try {
    await act();
  } catch (error) {
    expect(error).toBeInstanceOf(NdvmError);
    return error as NdvmError;
  }
  throw new Error("it was not refused");
}

describe("an archive", () => {
  test("holds the seeds that its proposers were given", async () => {
    const file = freshFile();
    const proposers = [list(["(* a x)"]), list(["(+ a x)"]), list(["7"])];
    const begins = proposers.map((proposer) => vi.spyOn(proposer, "begin"));
    await run({ ...base, data: line, proposers, archive: file });
    const given = begins.map(({ mock }) => mock.calls[0]?.[0].seed);
    expect(new Set(given).size).toBe(3);
    const archive = openArchive(file);
    const named = given.map((seed, place) => [
      `proposer ${place} (${proposers[place]?.name})`,
      seed,
    ]);
    expect(archive.seeds()).toEqual({
      ...Object.fromEntries(named),
      study: 5,
      split: seedFor(5, SEED_SPLIT),
    });
    archive.close();
  });

  test("holds the study, candidates, fits, failures, timings, events, seeds and versions", async () => {
    const file = freshFile();
    const programs = ["(* a x)", "(car x)", "(* x b)", "(+ a (* b x))", "7"];
    const proposal = { source: "(sin (* a x))", parents: [0, 3], origin: "cross", prompt: "try!" };
    const told = await run({
      ...base,
      data: line,
      proposers: [list([...programs, proposal])],
      archive: file,
      command: "ndvm search",
    });
    const archive = openArchive(file);
    expect([...archive.outcomes()]).toEqual(told.outcomes);
    expect(archive.front()).toEqual(told.done.front);
    expect(archive.outcome(3)).toEqual(told.outcomes[3]);
    expect(archive.visitsOf(3)).toEqual([told.outcomes[3]]);
    expect(archive.lineage(5).map(({ id }) => id)).toEqual([5, 0, 3]);
    expect(archive.prompt(5)).toBe("try!");
    expect(archive.prompt(0)).toBeUndefined();
    expect(archive.summary()).toMatchObject({
      visits: 6,
      candidates: 6,
      scored: 4,
      duplicates: 1,
      failed: 1,
      fits: told.done.counts.fits,
      failures: { "E-TYPE": 1 },
    });
    expect(archive.study()).toMatchObject({ target: "y", inputs: ["x"], seed: 5, epoch: 16 });
    expect(archive.seeds()).toMatchObject({ study: 5 });
    expect(archive.runs()).toMatchObject([{ run: 1, workers: 0, command: "ndvm search" }]);
    expect(Object.keys(archive.runs()[0]?.versions ?? {})).toContain("@ndvm/search");
    const { screen, fit, score, walk, replay: replayed, fitShare } = archive.timings();
    for (const seconds of [screen, fit, score, walk, replayed]) expect(seconds).toBeGreaterThan(0);
    expect(fitShare).toBeCloseTo(fit / (screen + fit + score), 12);
    expect([...archive.events()].map(({ event }) => event.type)).toEqual([
      "started",
      "warning",
      "front",
      "done",
    ]);
    const scored = told.outcomes.filter(({ status }) => status === "scored");
    expect(archive.discoveries().at(-1)?.r2).toBe(Math.max(...scored.map(({ r2 }) => r2)));
    archive.close();
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)))).toEqual([
      basename(file),
    ]);
  });

  test("had no visits of a duplicate that was known before it was fitted", async () => {
    const file = freshFile();
    const again = replay([{ source: "(* a x)" }, { source: "(* x b)" }], { cycles: 3 });
    const proposers = [list(["(* a x)", "(* x b)", "(car x)"]), again];
    const { outcomes } = await run({ ...base, data: line, epoch: 2, proposers, archive: file });
    expect(new Set(outcomes.map(({ status }) => status)).size).toBe(3);
    const archive = openArchive(file);
    for (let id = -1; id <= outcomes.length; id++)
      expect(archive.visitsOf(id)).toEqual(outcomes.filter((outcome) => outcome.id === id));
    archive.close();
  });

  test("keeps every bit of a number", async () => {
    const file = freshFile();
    const { outcomes } = await run({
      ...base,
      archive: file,
      proposers: [new Echo()],
      budget: { candidates: 64 },
    });
    const archive = openArchive(file);
    const kept = [...archive.outcomes()];
    archive.close();
    for (const [i, { params, loss, r2, bic }] of outcomes.entries()) {
      expect(Object.entries(kept[i]?.params ?? {})).toEqual(Object.entries(params));
      expect([kept[i]?.loss, kept[i]?.r2, kept[i]?.bic]).toEqual([loss, r2, bic]);
    }
  });

  test("can be read while it is written, and never shows half of an epoch", async () => {
    const file = freshFile();
    const seen: number[] = [];
    let next = 32;
    const proposers = [replay([{ source: "(sin (* a x))" }], { cycles: 400 })];
    for await (const event of search({ ...base, recipe: paperRecipe, archive: file, proposers })) {
      if (event.type !== "candidate" || event.outcome.visit < next) continue;
      next += 64;
      const archive = openArchive(file);
      const visits = [...archive.outcomes()].length;
      archive.close();
      expect(visits % 16).toBe(0);
      expect(visits).toBeGreaterThan(event.outcome.visit);
      seen.push(visits);
    }
    expect(seen.length).toBeGreaterThan(2);
  });
});

describe("one writer", () => {
  test("a second one is refused while the first writes, here and in another process", async () => {
    const file = freshFile();
    const forever = (): Proposer =>
      replay([{ source: "(* a x)" }], { cycles: Number.POSITIVE_INFINITY });
    const first = search({ ...base, recipe: paperRecipe, archive: file, proposers: [forever()] });
    const begun = await first.next();
    expect((begun.value as SearchEvent).type).toBe("started");
    const second = await refusal(() =>
      run({ ...base, recipe: paperRecipe, archive: file, resume: true, proposers: [forever()] }),
    );
    expect(second.code).toBe("E-ARCHIVE");
    expect(second.message).toBe(`another search is writing ${file}`);
    expect(second.help).toContain("reading is possible");
    const script = new URL("./child.mjs", import.meta.url).pathname;
    const third = spawnSync(process.execPath, [script, file, "10", "0"], { encoding: "utf8" });
    expect(third.status).not.toBe(0);
    expect(third.stderr).toContain("another search is writing");
    await first.return(undefined as never);
    const after = await run({
      ...base,
      recipe: paperRecipe,
      archive: file,
      resume: true,
      proposers: [forever()],
      budget: { candidates: 1 },
    });
    expect(after.done.stopped).toBe("candidates");
  });

  test("a file that exists is not written over, and another study is not gone on with", async () => {
    const file = freshFile();
    const options = { ...base, archive: file, budget: { candidates: 8 } };
    await run({ ...options, proposers: [new Echo()] });
    const before = exported(file);
    const again = await refusal(() => run({ ...options, proposers: [new Echo()] }));
    expect(again.code).toBe("E-ARCHIVE");
    expect(again.message).toBe(`${file} exists`);
    const changes = [
      { seed: 6 },
      { data: line },
      { epoch: 8 },
      { proposers: [list(["(* a x)"])] },
      { recipe: paperRecipe },
    ];
    for (const change of changes) {
      const other = await refusal(() =>
        run({ ...options, proposers: [new Echo()], resume: true, ...change }),
      );
      expect(other.code).toBe("E-ARCHIVE");
      expect(other.message).toContain("holds another study: its");
    }
    expect(exported(file)).toBe(before);
  });

  test("what is no archive is refused, and not touched", async () => {
    const text = freshFile();
    writeFileSync(text, "not a database, by any means, and long enough to be looked at".repeat(20));
    const read = await refusal(() => openArchive(text));
    expect(read.code).toBe("E-ARCHIVE");
    const written = await refusal(() =>
      run({ ...base, archive: text, resume: true, proposers: [new Echo()] }),
    );
    expect(written.code).toBe("E-ARCHIVE");
    const missing = await refusal(() => openArchive(freshFile()));
    expect(missing.message).toContain("there is no archive");
    const nowhere = await refusal(() =>
      run({ ...base, archive: "/no/such/folder/study.db", proposers: [new Echo()] }),
    );
    expect(nowhere.code).toBe("E-ARCHIVE");
    expect(existsSync("/no")).toBe(false);
  });
});

test("an archive of a format that nobody knows is refused with both formats named", async () => {
  const file = freshFile();
  const options = { ...base, archive: file, budget: { candidates: 8 } };
  await run({ ...options, proposers: [new Echo()] });
  const database = openDatabase(file);
  database.exec("PRAGMA user_version = 9");
  database.close();
  const read = await refusal(() => openArchive(file));
  const resumed = await refusal(() => run({ ...options, resume: true, proposers: [new Echo()] }));
  for (const { code, message, help } of [read, resumed]) {
    expect(code).toBe("E-ARCHIVE");
    expect(message).toBe(`${file} was written by another version of this program`);
    expect(help).toBe("its format is 9; this version reads 2 and 3");
  }
});

test("timings are sums over an epoch, and fits have the seconds of each", async () => {
  const file = freshFile();
  const told = await run({
    ...base,
    // An epoch knows of all before it, so no fit is spent on a twin.
    lag: 1,
    archive: file,
    proposers: [new Echo()],
    budget: { candidates: 40 },
  });
  const database = openDatabase(file);
  const [fits] = database.all("SELECT count(*), total(seconds) FROM fits");
  const [timings] = database.all("SELECT sum(visits), total(screen + fit + score) FROM timings");
  const [settled] = database.all("SELECT sum(visits) FROM timings WHERE rung = 0");
  database.close();
  expect(timings?.[0]).toBe(fits?.[0]);
  expect(timings?.[1]).toBeCloseTo(Number(fits?.[1]), 9);
  const tried = told.outcomes.filter(
    ({ status, failure }) => status !== "duplicate" && failure?.stage !== "parse",
  );
  expect(settled?.[0]).toBe(tried.length);
});

describe("resuming", () => {
  test("after every kind of end gives the bytes of a study that was not interrupted", async () => {
    const proposers = () => [new Echo(), evolve({ draws: 30, islands: 2, islandSize: 8 })];
    const whole = freshFile();
    const options = { ...base, budget: { candidates: 160 } };
    await run({ ...options, archive: whole, proposers: proposers() });
    const file = freshFile();
    // Left in the middle of an event, aborted, out of time, one round at a time, then to the end.
    for await (const event of search({ ...options, archive: file, proposers: proposers() }))
      if (event.type === "candidate" && event.outcome.visit === 5) break;
    const stop = new AbortController();
    const aborted = search({
      ...options,
      archive: file,
      resume: true,
      workers: 2,
      proposers: proposers(),
      signal: stop.signal,
    });
    for await (const event of aborted)
      if (event.type === "candidate" && event.outcome.visit > 60) stop.abort();
    const resumed = { ...options, archive: file, resume: true };
    const short = { ...options.budget, seconds: 0.4 };
    await run({ ...resumed, proposers: proposers(), budget: short });
    await run({ ...resumed, proposers: proposers(), budget: { ...short, candidates: 128 } });
    const last = await run({ ...resumed, proposers: proposers(), workers: 1 });
    expect(last.done.stopped).toBe("candidates");
    expectSame(exported(file), exported(whole));
  });

  test("an epoch with the same nonsense twice goes on", async () => {
    const proposers = () => [list(["(* a x)", "(* b", "(* b", "(+ a (* b x))", "( ".repeat(9000)])];
    const whole = freshFile();
    await run({ ...base, data: line, archive: whole, proposers: proposers() });
    const file = freshFile();
    const stop = new AbortController();
    const waiting = {
      async startRunner() {
        return { workers: 0, run: () => stop.abort(), stop: async () => {} };
      },
    };
    const { signal } = stop;
    const options = { ...base, data: line, archive: file };
    const first = await run({ ...options, proposers: proposers(), signal }, waiting);
    expect(first.outcomes).toEqual([]);
    const last = await run({ ...options, resume: true, proposers: proposers() });
    expect(last.outcomes.map(({ status }) => status)).toEqual([
      "scored",
      "failed",
      "duplicate",
      "scored",
      "failed",
    ]);
    expectSame(exported(file), exported(whole));
  });

  test("a study that has ended tells its end again", async () => {
    const file = freshFile();
    const options = { ...base, archive: file, budget: { candidates: 32 } };
    const first = await run({ ...options, proposers: [new Echo()] });
    const before = exported(file);
    const again = await run({ ...options, resume: true, proposers: [new Echo()] });
    expect(again.outcomes).toEqual([]);
    expect(again.done.front).toEqual(first.done.front);
    expect(again.done.counts).toEqual(first.done.counts);
    expect(exported(file)).toBe(before);
    const more = await run({
      ...options,
      resume: true,
      proposers: [new Echo()],
      budget: { candidates: 64 },
    });
    expect(more.outcomes.map(({ visit }) => visit)).toEqual(
      Array.from({ length: 32 }, (_, i) => 32 + i),
    );
    const whole = freshFile();
    await run({ ...options, archive: whole, proposers: [new Echo()], budget: { candidates: 64 } });
    expectSame(exported(file), exported(whole));
  });
});
