/**
 * A long search at full speed, and what it takes while it runs: memory, archive, pace.
 */

import { statSync } from "node:fs";
import { evolve, replay, type SearchOptions, search } from "../../src/index.js";
import { oscillation } from "./data.js";

export interface SoakSample {
  readonly seconds: number;
  readonly visits: number;
  /** Resident bytes of the process, all workers included. */
  readonly memory: number;
  /** Bytes of the archive with its write-ahead log. */
  readonly archive: number;
}

const programs = [
  "(* a (exp (* b x)))",
  "(* a (exp (* b x)) (cos (+ (* c x) d)))",
  "(loop ((s (* a x)) (k 0)) (if (= k 10) s (recur (+ (* b (sin s)) c) (+ k 1))))",
  "(if (< x 2) (* a x) (+ b (* c x)))",
  "(loop ((s x)) (recur (+ s 1)))",
  "(car x)",
  "(+ 1",
];

/** Runs, and takes `samples` samples at even counts of visits (or of seconds, if so limited). */
export async function soak(
  archive: string,
  budget: NonNullable<SearchOptions["budget"]>,
  samples: number,
  options: Partial<SearchOptions> = {},
  onSample: (sample: SoakSample) => void = () => {},
): Promise<readonly SoakSample[]> {
  const taken: SoakSample[] = [];
  const began = performance.now();
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const total = budget.candidates ?? (budget.seconds ?? 1) * 1000;
  let visits = 0;
  let next = total / samples;
  for await (const event of search({
    data: oscillation,
    target: "y",
    archive,
    budget,
    proposers: [
      evolve(),
      replay(
        programs.map((source) => ({ source })),
        { cycles: Number.POSITIVE_INFINITY },
      ),
    ],
    ...options,
  })) {
    if (event.type === "candidate") visits += 1;
    const milliseconds = performance.now() - began;
    const at = budget.candidates === undefined ? milliseconds : visits;
    if (at < next) continue;
    while (next <= at) next += total / samples;
    const sample = {
      seconds: milliseconds / 1000,
      visits,
      memory: process.memoryUsage.rss(),
      archive: size(archive) + size(`${archive}-wal`),
    };
    taken.push(sample);
    onSample(sample);
  }
  return taken;
}
