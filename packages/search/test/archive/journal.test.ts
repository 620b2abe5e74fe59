/** The journal of an archive by itself: which rows come, change and go from one entry to the next. */

import { describe, expect, test } from "vitest";
import { ArchiveJournal } from "../../src/archive/journal.js";
import { PendingEpochs } from "../../src/archive/pending.js";
import type { EngineState, MemberFacts, SettledEpoch } from "../../src/engine/journal.js";
import type { EpochJob } from "../../src/epoch/job.js";
import { makeStudy } from "../../src/study.js";
import type { Proposer, SearchEvent } from "../../src/types.js";
import { line } from "../engine/data.js";
import { freshFile } from "../engine/support.js";
import { sql } from "./support.js";

const state = (seconds: number): EngineState =>
  ({ seconds, observed: 0, proposers: [{ at: seconds }] }) as unknown as EngineState;

test("a member is written again when what is known of it has changed, and events in their order", async () => {
  const file = freshFile();
  const journal = await ArchiveJournal.open({
    ...{ file, mayResume: false, study: makeStudy({ data: line, target: "y" }), workers: 0 },
    ...{ proposers: [{ name: "p" } as Proposer], budget: {}, command: "ndvm search" },
  });
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
