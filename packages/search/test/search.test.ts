/** `search` as its caller sees it: when it begins and ends, who runs it, and what it leaves behind. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { NdvmError } from "@ndvm/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../src/archive/driver.js";
import {
  openArchive,
  type Proposer,
  replay,
  type SearchOptions,
  salvageArchive,
  search,
} from "../src/index.js";
import type { Runner } from "../src/pool/runner.js";
import type { SearchHooks } from "../src/search.js";
import { line } from "./engine/data.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const archiveFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-search-"));
  folders.push(folder);
  return join(folder, "study.db");
};

/** A runner that never gets anywhere, and tells who asks what of it. */
function idle(story: string[] = []) {
  const startRunner = vi.fn<NonNullable<SearchHooks["startRunner"]>>(async (setting, workers) => {
    const breeds = setting.breedings.map((each) => each !== null).join();
    story.push(`start ${workers} ${breeds}`);
    const runner: Runner = {
      workers,
      run: () => void story.push("run"),
      stop: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        story.push("stop");
      },
    };
    return runner;
  });
  return { startRunner, story };
}

const options = (more: Partial<SearchOptions> = {}): SearchOptions => ({
  ...{ data: line, target: "y", seed: 3, workers: 0 },
  ...more,
});
const programs = ["(* a x)", "(+ a (* b x))"].map((source) => ({ source }));

describe("a search", () => {
  test("does nothing before someone listens, and ends its work when they leave", async () => {
    const { startRunner, story } = idle();
    const events = search(options({ workers: 5 }), { startRunner });
    await new Promise((resolve) => setImmediate(resolve));
    expect(story).toEqual([]);
    const { value } = await events.next();
    expect(value).toMatchObject({ type: "started", seed: 3, workers: 5 });
    await events.return(undefined as never);
    // Who proposes is evolve, which travels, where nobody is named; all has stopped when the loop is left.
    expect(story[0]).toBe("start 5 true");
    expect(story.at(-1)).toBe("stop");
  });

  test("has as many workers as there are cores where nobody says", async () => {
    const { startRunner, story } = idle();
    const { workers: _, ...rest } = options({ proposers: [replay(programs)] });
    const events = search(rest, { startRunner });
    await events.next();
    await events.return(undefined as never);
    expect(story[0]).toBe(`start ${availableParallelism()} false`);
  });

  test("gives its last event as its value, once", async () => {
    const events = search(options({ proposers: [replay(programs)] }));
    const told: string[] = [];
    for (;;) {
      const { value, done } = await events.next();
      if (!done) {
        told.push(value.type);
        continue;
      }
      expect(value).toMatchObject({ type: "done", stopped: "exhausted" });
      break;
    }
    expect(told.filter((type) => type === "done")).toEqual(["done"]);
    expect(told.at(-1)).toBe("done");
    expect(told.filter((type) => type === "candidate")).toHaveLength(2);
  });

  test("has closed its archive when its last event is told", async () => {
    const file = archiveFile();
    const proposers = [replay(programs)];
    for await (const event of search(options({ archive: file, proposers }))) {
      expect(existsSync(`${file}-lock`)).toBe(event.type !== "done");
      if (event.type !== "done") continue;
      const archive = openArchive(file);
      expect([...archive.outcomes()]).toHaveLength(2);
      archive.close();
    }
  });

  test.each(["before it begins", "while it runs"])(
    "ends when its signal says so, %s, and leaves nothing behind at the signal",
    async (when) => {
      const ending = new AbortController();
      const add = vi.spyOn(ending.signal, "addEventListener");
      const remove = vi.spyOn(ending.signal, "removeEventListener");
      if (when === "before it begins") ending.abort();
      const { startRunner, story } = idle();
      const told: string[] = [];
      const given = options({ signal: ending.signal, proposers: [replay(programs)] });
      for await (const event of search(given, { startRunner })) {
        told.push(event.type === "done" ? event.stopped : event.type);
        if (event.type === "started" && !ending.signal.aborted) ending.abort();
      }
      expect([told[0], told.at(-1)]).toEqual(["started", "aborted"]);
      expect(story.at(-1)).toBe("stop");
      expect(remove.mock.calls.map(([type, listener]) => [type, listener])).toEqual(
        add.mock.calls.map(([type, listener]) => [type, listener]),
      );
    },
  );

  test("that cannot be begun lets go of its archive, and says why", async () => {
    const file = archiveFile();
    const broken = new Error("no threads here");
    const startRunner = () => Promise.reject(broken);
    const events = search(options({ archive: file }), { startRunner });
    await expect(events.next()).rejects.toBe(broken);
    expect(existsSync(`${file}-lock`)).toBe(false);
  });

  test("archives its command without the keys that its proposers know, and without passwords", async () => {
    const file = archiveFile();
    const keeper = (key: string): Proposer => {
      const redact = (text: string) => text.replaceAll(key, "[key]");
      return Object.assign(replay(programs), { redact });
    };
    const proposers = [keeper("sk-first"), replay(programs), keeper("sk-second")];
    const command = "search --key sk-first --other sk-second --url https://me:hunter2@host/x";
    const { startRunner } = idle();
    const events = search(options({ archive: file, proposers, command }), { startRunner });
    await events.next();
    await events.return(undefined as never);
    const archive = openArchive(file);
    const text = JSON.stringify(archive.runs());
    archive.close();
    expect(text).toContain("--key [key] --other [key] --url https://");
    expect(text).not.toMatch(/sk-first|sk-second|hunter2/);
  });
});

describe("options that every candidate would fail by", () => {
  test.each<[object, string]>([
    [{ domain: "x" }, 'domain must be "ieee" or "clamp", got "x"'],
    [{ domain: 5 }, 'domain must be "ieee" or "clamp", got 5'],
    [{ precision: "f16" }, 'precision must be "f32" or "f64", got "f16"'],
    [{ recipe: { optimiser: "nope" } }, "the option recipe.optimiser is nope"],
    [{ recipe: { optimiser: "adam", adam: { rate: -1 } } }, "the option recipe.adam.rate is -1"],
    [
      { recipe: { optimiser: "adam", adam: null } },
      "the options of recipe.adam are null, not an object",
    ],
    [{ limits: { memory: 1 } }, "limits.memory must be whole bytes from 4194304"],
  ])("%j was not refused, or only when the archive was written", async (given, message) => {
    const archive = archiveFile();
    await expect(search(options({ archive, ...given })).next()).rejects.toMatchObject({
      ...{ code: "E-OPTION", message: expect.stringContaining(message) },
    });
    expect(existsSync(archive)).toBe(false);
  });

  test.each<[object, string]>([
    [{ budget: 5 }, "the options of budget are a number, not an object"],
    [{ recipe: 5 }, "the options of recipe are a number, not an object"],
    [{ limits: [5] }, "the options of limits are an array, not an object"],
    [{ limits: { x: { toString: 1, valueOf: 1 } } }, "limits has no option x"],
    [{ recipe: { rungs: 5 } }, "the option recipe.rungs is 5"],
    [{ operators: {} }, "the option operators is an object"],
    [{ proposers: [5] }, "the option proposers is a list"],
    [{ description: 5 }, "the option description is 5"],
    [{ archive: 5 }, "the option archive is 5"],
  ])("%j was taken for no options, or was a TypeError", async (given, message) => {
    await expect(search(options(given)).next()).rejects.toMatchObject({
      code: "E-OPTION",
      message,
    });
  });
});

describe("an archive", () => {
  const heard = async (more: Partial<SearchOptions>) => {
    let resumedFrom = -1;
    const visits: number[] = [];
    for await (const event of search(options({ epoch: 2, slots: 1, ...more }))) {
      if (event.type === "started") resumedFrom = event.resumedFrom;
      if (event.type === "candidate") visits.push(event.outcome.visit);
    }
    return { resumedFrom, visits };
  };

  test("is gone on with where that is wanted, and begun where it is not there yet", async () => {
    const archive = archiveFile();
    const go = (candidates: number) =>
      heard({
        ...{ archive, resume: true, budget: { candidates } },
        proposers: [replay(programs, { cycles: 9 })],
      });
    expect(await go(2)).toEqual({ resumedFrom: 0, visits: [0, 1] });
    expect(await go(6)).toEqual({ resumedFrom: 2, visits: [2, 3, 4, 5] });
    const kept = openArchive(archive);
    expect(kept.runs().map(({ resumedFrom }) => resumedFrom)).toEqual([0, 2]);
    kept.close();
  });

  test("is left alone where nobody says to go on with it", async () => {
    const archive = archiveFile();
    for (const more of [{}, { resume: false }]) {
      const proposers = [replay(programs)];
      await heard({ archive, proposers, ...more }).catch(() => {});
      await expect(heard({ archive, proposers, ...more })).rejects.toMatchObject({
        ...{ code: "E-ARCHIVE", facts: { reason: "exists" } },
      });
      expect(existsSync(`${archive}-lock`)).toBe(false);
    }
  });

  test("that cannot be gone on with is let go of, so that another try says the same", async () => {
    const archive = archiveFile();
    const proposers = () => [replay(programs, { cycles: 9 })];
    await heard({ archive, proposers: proposers(), budget: { candidates: 4 } });
    const again = { archive, resume: true, budget: { candidates: 8 } };
    const refusal = async (file: string) => {
      const { startRunner, story } = idle();
      const own = { epoch: 2, slots: 1, archive: file, proposers: proposers() };
      const given = options({ ...again, ...own });
      const refused = await search(given, { startRunner })
        .next()
        .catch((error: unknown) => error as NdvmError);
      expect([story, existsSync(`${file}-lock`)]).toEqual([[], false]);
      expect(refused).toMatchObject({ code: "E-ARCHIVE" });
      const { message, facts } = refused as NdvmError;
      return [message, facts.reason];
    };
    // Refused by who opens it to write, and by who reads it to go on: its state is gone.
    const [damaged, salvaged] = [archiveFile(), archiveFile()];
    copyFileSync(archive, damaged);
    const database = openDatabase(damaged);
    database.exec("UPDATE state SET state = '[]' WHERE one = 1");
    database.close();
    expect(salvageArchive(damaged, salvaged)).toMatchObject({ visits: 4, canResume: false });
    const said = [await refusal(damaged), await refusal(salvaged)];
    expect(said.map(([, reason]) => reason)).toEqual(["checksum", "salvaged"]);
    expect([await refusal(damaged), await refusal(salvaged)]).toEqual(said);
    expect(await heard({ ...again, proposers: proposers() })).toEqual({
      ...{ resumedFrom: 4, visits: [4, 5, 6, 7] },
    });
  });

  test("says how each of its runs was asked for", async () => {
    const archive = archiveFile();
    const asked = [
      { workers: 3, budget: { candidates: 2, seconds: 600 }, command: "first" },
      { workers: 7, budget: { fits: 3, r2: 0.5, tokens: 10 }, command: "second" },
      { workers: 1, budget: {}, command: "" },
    ];
    for (const each of asked) {
      const { startRunner, story } = idle();
      const proposers = [replay(programs)];
      const given = options({ archive, resume: true, proposers, ...each });
      const events = search(given, { startRunner });
      expect((await events.next()).value).toMatchObject({ type: "started", workers: each.workers });
      await events.return(undefined as never);
      expect(story[0]).toBe(`start ${each.workers} false`);
    }
    const kept = openArchive(archive);
    const runs = kept.runs().map(({ workers, budget, command }) => ({ workers, budget, command }));
    kept.close();
    expect(runs).toEqual(asked);
  });

  test.each<[Partial<SearchOptions>, string]>([
    [{ archive: "" }, "archive names no file"],
    [{ archive: "", resume: true }, "archive names no file"],
    [{ resume: true }, "there is no archive to resume"],
    [{ proposers: [] }, "a search needs a proposer"],
    [{ workers: 1.5 }, "workers"],
    [{ workers: -1 }, "workers"],
    [{ workers: 1025 }, "workers"],
    [{ budget: { fits: 0 } }, "budget.fits"],
  ])("is not made for a search that cannot be: %o", async (more, said) => {
    const archive = archiveFile();
    const given = "resume" in more ? more : { archive, ...more };
    await expect(search(options(given)).next()).rejects.toThrow(said);
    expect(existsSync(archive)).toBe(false);
  });
});

describe("a list that is replayed", () => {
  test.each([
    [1, [2, 1, 0], [false, true, true]],
    [2.9, [2, 2, 2, 0], [false, false, true, true]],
    [Number.POSITIVE_INFINITY, [2, 2, 2, 2, 2], [false, false, false, false, false]],
  ])("%d times is gone through as often, and then exhausted", async (cycles, counts, ends) => {
    const list = ["a", "b", "c"].map((source) => ({ source }));
    const proposer = replay(list, { cycles });
    const { signal } = new AbortController();
    const sources: string[] = [];
    for (const [i, count] of counts.entries()) {
      const { proposals, isExhausted } = await proposer.propose(2, signal);
      expect([proposals.length, isExhausted]).toEqual([count, ends[i]]);
      sources.push(...proposals.map(({ source }) => source));
    }
    expect(sources).toEqual(sources.map((_, i) => list[i % 3]?.source));
  });

  test("goes on where it was saved, and says what it was given", async () => {
    const { signal } = new AbortController();
    const list = [{ source: "a", params: { a: 2 } }, { source: "b" }];
    const first = replay(list, { cycles: 2 });
    await first.propose(3, signal);
    const second = replay(list, { cycles: 2 });
    second.restore(JSON.parse(JSON.stringify(first.save())));
    expect(await second.propose(9, signal)).toEqual({
      proposals: [{ source: "b", parents: [], origin: "read", isRevisit: true }],
      isExhausted: true,
    });
    const [given] = (await replay(list).propose(1, signal)).proposals;
    expect(given).toEqual({
      ...{ source: "a", parents: [], origin: "read", isRevisit: true },
      params: { a: 2 },
    });
  });
});
