/** The journal of an archive by itself: which rows come, change and go from one entry to the next. */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { describe, expect, test, vi } from "vitest";
import { ArchiveJournal } from "../../src/archive/journal.js";
import type { ToWriter } from "../../src/archive/messages.js";
import { PendingEpochs } from "../../src/archive/pending.js";
import type { EngineState, MemberFacts, SettledEpoch } from "../../src/engine/journal.js";
import type { EpochJob } from "../../src/epoch/job.js";
import { checkArchive } from "../../src/index.js";
import { makeStudy } from "../../src/study.js";
import type { Proposer, SearchEvent } from "../../src/types.js";
import { line } from "../engine/data.js";
import { freshFile } from "../engine/support.js";
import { sql } from "./support.js";

type CommitMessage = Extract<ToWriter, { readonly type: "commit" }>;

const state = (seconds: number): EngineState =>
  ({ seconds, observed: 0, proposers: [{ at: seconds }] }) as unknown as EngineState;

test("a member is written again when what is known of it has changed, and events in their order", async () => {
  const file = freshFile();
  const listeners = process.listenerCount("exit");
  const journal = await ArchiveJournal.open({
    ...{ file, mayResume: false, study: makeStudy({ data: line, target: "y" }), workers: 0 },
    ...{ proposers: [{ name: "p" } as Proposer], budget: {}, command: "ndvm search" },
  });
  expect(process.listenerCount("exit")).toBeGreaterThan(listeners);
  const facts = (length: number, twinOf?: number) => ({ length, twinOf }) as unknown as MemberFacts;
  const [first, second] = [facts(9), facts(7)];
  const event = (type: string, message: string) => ({ type, message }) as unknown as SearchEvent;
  const commit = (seconds: number, members: [number, MemberFacts][], events: SearchEvent[]) =>
    journal.commit({ members: new Map(members), events, state: state(seconds) });
  await commit(1, [[3, first]], [event("warning", "a"), event("progress", "b")]);
  await commit(
    2,
    [
      [3, second],
      [5, first],
    ],
    [event("candidate", "c"), event("problem", "d")],
  );
  await commit(3, [[5, facts(4, 3)]], []);
  await journal.close();
  expect(process.listenerCount("exit")).toBe(listeners);
  expect(sql(file, "SELECT visit, length, twin_of FROM members ORDER BY visit")).toEqual([
    [3, 7, null],
    [5, 4, 3],
  ]);
  expect(sql(file, "SELECT event, at, type FROM events ORDER BY event")).toEqual([
    [1, 1, "warning"],
    [2, 2, "problem"],
  ]);
  const [[name, saved] = []] = sql(file, "SELECT name, state FROM proposers");
  expect([name, JSON.parse(String(saved))]).toEqual(["p", { at: 3 }]);
});

test("events that say what became of a study are kept, and no others", async () => {
  const file = freshFile();
  const isKept: Readonly<Record<SearchEvent["type"], boolean>> = {
    ...{ started: true, front: true, problem: true, worker: true, warning: true, done: true },
    ...{ candidate: false, progress: false },
  };
  const journal = await ArchiveJournal.open({
    ...{ file, mayResume: false, study: makeStudy({ data: line, target: "y" }), workers: 0 },
    ...{ proposers: [{ name: "p" } as Proposer], budget: {}, command: "ndvm search" },
  });
  const events = Object.keys(isKept).map((type) => ({ type }) as unknown as SearchEvent);
  await journal.commit({ members: new Map(), events, state: state(1) });
  await journal.close();
  const kept = Object.entries(isKept).flatMap(([type, is]) => (is ? [[type]] : []));
  expect(sql(file, "SELECT type FROM events ORDER BY event")).toEqual(kept);
});

/** An epoch of one visit that failed. */
const settledOne = (visit: number, prompt?: string) => {
  const arrival = {
    ...{ source: "x", origin: "said", parents: [], starts: null, isRevisit: false, prompt },
    ...{ skeleton: "x", high: 1, low: visit, complexity: 1, results: [] },
  };
  const failure = { stage: "fit", code: "E-STEPS", message: "long" };
  return {
    ...{ round: visit, slot: 0, proposer: "p", firstVisit: visit, fitsMost: 1, seconds: visit },
    visits: [{ visit, id: visit, arrival, isNews: true }],
    outcomes: [{ visit, id: visit, status: "failed", fits: 0, failure }],
    ...{ front: { members: [] }, frontBefore: [] },
  } as unknown as SettledEpoch;
};

test("rows, prompts and members go to the writer once each, not again with every entry", async () => {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  const journal = await ArchiveJournal.open({
    ...{ file: freshFile(), mayResume: false, study: makeStudy({ data: line, target: "y" }) },
    ...{ proposers: [{ name: "p" } as Proposer], budget: {}, command: "", workers: 0 },
  });
  const facts = { length: 3 } as MemberFacts;
  for (const [visit, prompt] of ["one", undefined, "two"].entries()) {
    journal.settle(settledOne(visit, prompt));
    for (let entry = 0; entry < 2; entry++)
      await journal.commit({ members: new Map([[0, facts]]), events: [], state: state(visit) });
  }
  await journal.close();
  const commits = posted.mock.calls.flatMap(([message]) =>
    (message as ToWriter).type === "commit" ? [message as CommitMessage] : [],
  );
  posted.mockRestore();
  expect(
    commits.map(({ rows, prompts, members }) => [
      rows.failures.texts.length / 4,
      prompts.map(([, text]) => text).join(),
      members.length,
    ]),
  ).toEqual([
    [1, "one", 1],
    [0, "", 0],
    [1, "", 0],
    [0, "", 0],
    [1, "two", 0],
    [0, "", 0],
  ]);
});

test("what an archive could not write is what every later entry hears, though its thread has ended", async () => {
  const posted = vi.spyOn(Worker.prototype, "postMessage");
  const file = freshFile();
  const journal = await ArchiveJournal.open({
    ...{ file, mayResume: false, study: makeStudy({ data: line, target: "y" }), workers: 0 },
    ...{ proposers: [{ name: "p" } as Proposer], budget: {}, command: "" },
  });
  const commit = () => journal.commit({ members: new Map(), events: [], state: state(1) });
  journal.settle(settledOne(0));
  await commit();
  const ended = once(posted.mock.contexts[0] as Worker, "exit");
  posted.mockRestore();
  // The same visit again: a key that the file has.
  journal.settle(settledOne(0));
  const refusal = await commit().catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "E-ARCHIVE", message: expect.stringContaining("UNIQUE") });
  await ended;
  expect(await commit().catch((error: unknown) => error)).toBe(refusal);
  await journal.close();
  // Nothing of the entry that failed is there, and nobody holds the file.
  expect(sql(file, "SELECT visit FROM failures")).toEqual([[0]]);
  expect(existsSync(`${file}-lock`)).toBe(false);
});

test("an archive that is left before its first entry is intact, and can be gone on with", async () => {
  const file = freshFile();
  const open = (mayResume: boolean) =>
    ArchiveJournal.open({
      ...{ file, mayResume, study: makeStudy({ data: line, target: "y" }), workers: 0 },
      ...{ proposers: [{ name: "p" } as Proposer], budget: {}, command: "" },
    });
  const rows = () => sql(file, "SELECT one FROM state ORDER BY one");
  await (await open(false)).close();
  expect(checkArchive(file)).toMatchObject({ isIntact: true, problems: [] });
  expect(rows()).toEqual([[2]]);
  const again = await open(true);
  // Two entries on their way at once: each is told when it is written.
  const told: number[] = [];
  for (const seconds of [1, 2])
    void again
      .commit({ members: new Map(), events: [], state: state(seconds) })
      .then(() => told.push(seconds));
  await again.close();
  expect(told).toEqual([1, 2]);
  expect(rows()).toEqual([[1], [2]]);
  // And after an entry, by a run that leaves before it has written any.
  await (await open(true)).close();
  expect(rows()).toEqual([[1], [2]]);
  expect(sql(file, "SELECT run FROM runs")).toEqual([[1], [2]]);
});

describe("an epoch that is under way", () => {
  const job = (round: number, slot: number) =>
    ({ round, slot, proposals: [] }) as unknown as EpochJob;
  const settled = (round: number, slot: number) =>
    ({ round, slot, outcomes: [] }) as unknown as SettledEpoch;
  const kinds = ({ dropped, pending }: ReturnType<PendingEpochs["changes"]>) => ({
    dropped,
    pending: pending.map(([round, slot, body]) => [round, slot, JSON.parse(body).kind]),
  });

  test("is written once as what was said, once as what came of it, and goes when it is heard", () => {
    const epochs = new PendingEpochs(true);
    epochs.propose(job(0, 0));
    epochs.propose(job(0, 1));
    expect(kinds(epochs.changes(0))).toEqual({
      dropped: [],
      pending: [
        [0, 0, "proposed"],
        [0, 1, "proposed"],
      ],
    });
    expect(kinds(epochs.changes(0))).toEqual({ dropped: [], pending: [] });
    epochs.settle(settled(0, 1));
    expect(kinds(epochs.changes(0))).toEqual({ dropped: [], pending: [[0, 1, "settled"]] });
    expect(kinds(epochs.changes(0))).toEqual({ dropped: [], pending: [] });
    epochs.settle(settled(0, 0));
    epochs.propose(job(1, 0));
    // Round 0 is heard of now; round 1 is not.
    expect(kinds(epochs.changes(1))).toEqual({
      dropped: [
        [0, 0],
        [0, 1],
      ],
      pending: [[1, 0, "proposed"]],
    });
    expect(kinds(epochs.changes(1))).toEqual({ dropped: [], pending: [] });
    expect(kinds(epochs.changes(2))).toEqual({ dropped: [[1, 0]], pending: [] });
  });

  test("never gets a row where it is over before the next entry", () => {
    const epochs = new PendingEpochs(true);
    epochs.propose(job(4, 0));
    epochs.settle(settled(4, 0));
    expect(kinds(epochs.changes(5))).toEqual({ dropped: [], pending: [] });
    epochs.propose(job(5, 0));
    epochs.settle(settled(5, 0));
    expect(kinds(epochs.changes(5))).toEqual({ dropped: [], pending: [[5, 0, "settled"]] });
  });

  test("is nobody's to hear of without listeners, and one that was restored goes as the others", () => {
    const epochs = new PendingEpochs(false);
    epochs.restore([
      [2, 1],
      [3, 0],
    ]);
    epochs.propose(job(3, 1));
    epochs.settle(settled(3, 1));
    expect(kinds(epochs.changes(3))).toEqual({ dropped: [[2, 1]], pending: [] });
    expect(kinds(epochs.changes(4))).toEqual({ dropped: [[3, 0]], pending: [] });
  });
});
