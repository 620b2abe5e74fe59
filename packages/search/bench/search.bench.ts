/**
 * Searches end to end, archive included: the paper's streams, the default search, and what a visit
 * costs without any fit.
 *
 * Figures are of one worker; the archive's writer has a thread of its own.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fit, Machine, type Program } from "@ndvm/core";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, short, table } from "../../core/bench/support/table.js";
import type { EpochJob } from "../src/epoch/job.js";
import { packEpoch } from "../src/epoch/pack.js";
import { Reader } from "../src/epoch/reading.js";
import { openArchive, paperRecipe, replay, type SearchOptions } from "../src/index.js";
import { emptyResult } from "../src/pipeline/task.js";
import type { Runner } from "../src/pool/runner.js";
import type { SearchHooks } from "../src/search.js";
import { oscillation } from "../test/engine/data.js";
import { Pace, time } from "./support/timed-search.js";

interface Task {
  readonly task: Readonly<Record<"xtr" | "ytr" | "xho" | "yho", readonly number[]>>;
  readonly candidates: readonly { readonly src: string }[];
}

const forEver = { cycles: Number.POSITIVE_INFINITY };

function streamOptions({ task, candidates }: Task, fits: number): SearchOptions {
  return {
    data: { x: [...task.xtr, ...task.xho], y: [...task.ytr, ...task.yho] },
    target: "y",
    holdOut: task.xho.map((_, i) => task.xtr.length + i),
    workers: 1,
    recipe: paperRecipe,
    precision: "f32",
    domain: "clamp",
    proposers: [
      replay(
        candidates.map(({ src }) => ({ source: src })),
        forEver,
      ),
    ],
    budget: { fits },
  };
}

/** Fits a second of the calls of `fit` alone, without search around them. */
async function bare({ task, candidates }: Task, fits: number): Promise<number> {
  const machine = await Machine.create({ precision: "f32" });
  const data = { x: [...task.xtr], y: [...task.ytr] };
  const { optimiser, adam } = paperRecipe;
  const once = async (index: number) => {
    const { src } = candidates[index % candidates.length] as { src: string };
    let program: Program | undefined;
    try {
      program = machine.load(src, { inputs: ["x"], domain: "clamp" });
      const names = program.inputs.filter((name) => name !== "x");
      const params = Object.fromEntries(names.map((name, i) => [name, 0.3 * Math.sin(index + i)]));
      const how = { data, target: "y", params, optimiser, steps: 50, detail: "scores" } as const;
      await fit(program, { ...how, ...(adam === undefined ? {} : { adam }) });
    } catch {
      // One of the programs calls a number.
    } finally {
      program?.dispose();
    }
  };
  const pace = new Pace(0);
  for (let i = 0; i < fits; i++) {
    await once(i);
    pace.tick();
  }
  return pace.fastest;
}

async function streams(): Promise<void> {
  const corpus = process.env["NDVM_CORPUS"];
  section("Search: the paper's streams, end to end with archive, one worker");
  const rows: string[][] = [];
  for (const [name, fits] of [
    ["flat", amount(300_000, 300)],
    ["rec", amount(60_000, 60)],
  ] as const) {
    const file = join(corpus ?? "", `reference/cosearch_${name}.json`);
    if (corpus === undefined || !existsSync(file)) continue;
    const stream = JSON.parse(readFileSync(file, "utf8")) as Task;
    const options = streamOptions(stream, fits);
    const { done, seconds, archive, fastest } = await time(options, true);
    const kept = openArchive(archive);
    const { fit: fitting, screen, score, fitShare } = kept.timings();
    kept.close();
    const each = (total: number) => short((1e6 * total) / fits);
    rows.push([
      name,
      count(fits),
      count(fits / seconds),
      count(fastest),
      count(await bare(stream, Math.ceil(fits / 2))),
      each(screen),
      each(fitting),
      each(score),
      `${short(100 * fitShare)} %`,
      short(done.best?.r2 ?? Number.NaN),
    ]);
  }
  const rates = ["fits/s", "fastest", "fit alone"];
  const parts = ["load µs", "fit µs", "score µs", "fit share", "best R²"];
  if (rows.length > 0) table(["stream", "fits", ...rates, ...parts], rows);
  if (rows.length > 0) note("fastest: the fastest second, of fit alone too");
  else note("not run: NDVM_CORPUS does not name the external cases");
}

/** A runner that has every epoch at once: what is left is the engine, events and the archive. */
const instant: SearchHooks = {
  startRunner: async ({ study }, _workers, events): Promise<Runner> => {
    const reader = new Reader(study);
    const instantly = (job: EpochJob) => {
      const candidates = (job.proposals ?? []).map((proposal, index) => {
        const { skeleton, digest, complexity } = reader.readAgain(proposal.source);
        const visit = 16 * (16 * job.round + job.slot) + index;
        const numbers = { loss: 1 / (visit + 1), trainR2: 0.5, r2: 0.5 - 1 / (visit + 2), bic: 3 };
        const params = { a: 0.1234567890123, b: visit / 7, c: -3.5 };
        const result = { ...emptyResult({ visit, rung: 0 }), fits: 1, params, ...numbers };
        const found = { failure: undefined, isDuplicate: false, results: [result] };
        return { proposal, skeleton, ...digest, complexity, ...found };
      });
      const { round, slot } = job;
      return packEpoch({ round, slot, candidates, breeding: 0, reading: 0 }, job);
    };
    return {
      workers: 0,
      run(jobs) {
        setImmediate(() => {
          for (const job of jobs) events.done(instantly(job), job, 0);
        });
      },
      async stop() {},
    };
  },
};

async function overhead(): Promise<void> {
  section("Search: what a visit costs besides its fit");
  const visits = amount(60_000, 300);
  const rows: string[][] = [];
  for (const [name, source, workers, hooks] of [
    ["engine alone", "(* a (sin (* b x)))", 0, instant],
    ["loaded and evaluated here", "x", 0, {}],
    ["loaded and evaluated by a worker", "x", 1, {}],
  ] as const)
    for (const isKept of [false, true]) {
      const cpu = process.cpuUsage();
      const { seconds } = await time(
        {
          data: oscillation,
          target: "y",
          workers,
          recipe: paperRecipe,
          precision: "f32",
          proposers: [replay([{ source }], forEver)],
          budget: { candidates: visits },
        },
        isKept,
        hooks,
      );
      const { user, system } = process.cpuUsage(cpu);
      const all = (user + system) / visits;
      rows.push([name, isKept ? "yes" : "no", short((1e6 * seconds) / visits), short(all)]);
    }
  table(["visit", "archive", "µs", "processor µs, all threads"], rows);
}

/** The default search: programs that evolve, fitted by Levenberg–Marquardt in four rungs. */
async function breeding(): Promise<void> {
  section("Search: evolve with archive, one worker");
  const candidates = amount(4000, 100);
  const options = { data: oscillation, target: "y", workers: 1, budget: { candidates } };
  const { done, seconds, archive } = await time(options, true);
  const kept = openArchive(archive);
  const { fitShare } = kept.timings();
  kept.close();
  const rates = [candidates, done.counts.fits].map((amount) => count(amount / seconds));
  const share = `${short(100 * fitShare)} %`;
  table(
    ["candidates", "candidates/s", "fits/s", "fit-share", "best-R²"],
    [[count(candidates), ...rates, share, short(done.best?.r2 ?? Number.NaN)]],
  );
}

await streams();
await breeding();
await overhead();
