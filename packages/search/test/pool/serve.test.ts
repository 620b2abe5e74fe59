/** Behind a port: signs of life for each fit, where the worker is before and after, and epochs in the order they came. */

import { READY, type WorkerPort } from "@ndvm/core/workers";
import { expect, test } from "vitest";
import type { EpochJob } from "../../src/epoch/job.js";
import { unpackEpoch } from "../../src/epoch/pack.js";
import {
  type FromWorker,
  PROGRESS_BEAT,
  PROGRESS_CANDIDATE,
  PROGRESS_EPOCH,
  type ToWorker,
} from "../../src/pool/pool.js";
import { serveEpochs } from "../../src/pool/serve.js";
import { makeStudy } from "../../src/study.js";
import { line } from "../engine/data.js";

const rungs = [
  { restarts: 1, steps: 6, share: 1 },
  { restarts: 2, steps: 6, share: 0.5 },
];
const setting = {
  study: makeStudy({ data: line, target: "y", seed: 3, recipe: { rungs } }),
  breedings: [null],
};
const SOURCES = ["(* a x)", "(+ a x)", "(car x)", "(+ a (* b x))", "(+ a", "(exp (* a x))"];
const jobOf = (round: number, slot: number): EpochJob => ({
  ...{ round, slot, place: 0, version: 0, size: SOURCES.length, lost: [] },
  proposals: SOURCES.map((source) => ({ source, parents: [], origin: "given" })),
});

test("the beat goes on with every fit, so that a worker at a long one is not taken for stuck", async () => {
  const said: (FromWorker | typeof READY)[] = [];
  let tell = (_message: ToWorker): void => {};
  let heard = (): void => {};
  const port: WorkerPort<ToWorker, FromWorker> = {
    listen(take) {
      tell = take;
    },
    post(message) {
      said.push(message);
      places.push([...progress]);
      heard();
    },
  };
  const progress = new Int32Array(new SharedArrayBuffer(12));
  /** The words when something was posted, and those before each fit with its text. */
  const places: number[][] = [];
  const begun: { source: string; epoch: number; candidate: number; beat: number }[] = [];
  serveEpochs(port, (source) => {
    const [epoch, candidate, beat] = [PROGRESS_EPOCH, PROGRESS_CANDIDATE, PROGRESS_BEAT].map(
      (word) => Atomics.load(progress, word),
    ) as [number, number, number];
    begun.push({ source, epoch, candidate, beat });
  });
  const first = { version: 0, from: -1, digests: new Uint32Array() };
  const update = { ...first, text: JSON.stringify({ front: [], populations: [null] }) };
  const jobs = [jobOf(0, 0), jobOf(0, 1), jobOf(4, 2)];
  tell({ setting, progress });
  tell({ updates: [[update], []], jobs: jobs.slice(0, 2) });
  tell({ updates: [], jobs: [] });
  // What has no updates knows what was known before.
  tell({ updates: [], jobs: jobs.slice(2) });
  while (said.length < 4)
    await new Promise<void>((resolve) => {
      heard = resolve;
    });
  const [ready, ...answers] = said as [typeof READY, ...FromWorker[]];
  expect(ready).toBe(READY);
  expect(answers.map((answer) => answer.map(({ round, slot }) => [round, slot]))).toEqual([
    ...[
      [
        [0, 0],
        [0, 1],
      ],
      [],
      [[4, 2]],
    ],
  ]);
  // Before each answer the epoch is counted, and the worker is at no candidate.
  expect(places.map(([epoch, candidate]) => [epoch, candidate])).toEqual([
    ...[
      [0, 0],
      [2, 0],
      [2, 0],
      [3, 0],
    ],
  ]);
  const sources = new Set(begun.map(({ source }) => source));
  expect(sources).toEqual(new Set(SOURCES.filter((source) => source !== "(+ a")));
  for (const { source, candidate } of begun) expect(SOURCES[candidate - 1]).toBe(source);
  expect(begun.map(({ epoch }) => epoch)).toEqual(
    begun.map(({ epoch }) => epoch).sort((a, b) => a - b),
  );
  // Every fit that gets anywhere is another beat or more.
  const beats = [...begun.map(({ beat }) => beat), Atomics.load(progress, PROGRESS_BEAT)];
  for (const [i, { source }] of begun.entries()) {
    const [before, after] = [beats[i] as number, beats[i + 1] as number];
    if (source === "(car x)") expect(after).toBe(before);
    else expect(after, `${i} ${source}`).toBeGreaterThan(before);
  }
  expect(begun.length).toBeGreaterThan(18);
  for (const [i, answer] of answers.flat().entries()) {
    const arrivals = unpackEpoch(answer, jobs[i] as EpochJob, 0);
    expect(arrivals.map(({ source }) => source)).toEqual(SOURCES);
  }
});
