/**
 * `ndvm search`: looks for programs that explain a table, and keeps everything in an archive.
 */

import { existsSync } from "node:fs";
import { fileWord, inOneLine, NdvmError } from "@ndvm/core";
import type { StudyLoad } from "@ndvm/report";
import {
  type SearchDone,
  type SearchHooks,
  type SearchOptions,
  search as searchFor,
} from "@ndvm/search";
import { readAddress, shownAddress } from "@ndvm/search/redact";
import { inCommandWords } from "../command-words.js";
import { withInterrupt } from "../loaded.js";
import { type CommandFile, requireOutputs } from "../output-files.js";
import { type Display, jsonDisplay, lineDisplay, liveDisplay } from "../search/display.js";
import { budgetOf, type SearchCommandOptions } from "../search/options.js";
import { ModelPlotter } from "../search/picture.js";
import { asksModel, makeProposers, replayedFiles } from "../search/proposers.js";
import { readStudyData, type StudyData } from "../search/study-data.js";
import { searchSummary } from "../search/summary.js";
import { note, print } from "../terminal.js";
import { readTextFile } from "../text-file.js";
import { type Meanings, typedCommand } from "../typed-command.js";
import { clusterOf } from "./cluster-options.js";

/** Exit code of a search that Ctrl-C ended: what it found is kept and shown. */
const INTERRUPTED = 130;
/** Most bytes of a program that evolution starts from; candidates are much shorter. */
const SEED_BYTES_MOST = 2 ** 20;

export async function search(options: SearchCommandOptions): Promise<number> {
  const archive = archiveOf(options);
  const study = await readStudyData(options).catch((error: unknown) => {
    throw error instanceof NdvmError ? inCommandWords(error, { command: "search" }) : error;
  });
  const settings = await searchOptions(options, study, archive);
  const { target, domain = "ieee" } = options;
  const load = { inputs: study.inputs, domain };
  const plotter = await ModelPlotter.create(study, target, domain);
  const show = () => displayFor(options, load, plotter);
  try {
    const done = await withInterrupt((signal) => run({ ...settings, signal }, options, show));
    if (!options.json) {
      const plot = (member: Parameters<ModelPlotter["text"]>[0]) => plotter.text(member);
      print(searchSummary(done, { target, study: load, plot }));
    }
    await finish(archive, options);
    if (done.stopped === "aborted") return INTERRUPTED;
    return done.best === undefined ? 1 : 0;
  } catch (error) {
    throw error instanceof NdvmError ? inCommandWords(error, { command: "search" }) : error;
  } finally {
    plotter.dispose();
  }
}

/** Files that a search reads besides its archive. */
const readBy = ({ data, start = [], proposer }: SearchCommandOptions): readonly CommandFile[] => [
  { as: "--data", file: data },
  ...start.map((file) => ({ as: "--start", file })),
  ...replayedFiles(proposer).map((file) => ({ as: "--proposer", file })),
];

async function run(
  settings: SearchOptions,
  options: SearchCommandOptions,
  show: () => Display,
): Promise<SearchDone> {
  const display = show();
  let done: SearchDone | undefined;
  try {
    for await (const event of searchFor(settings, await hooksFor(options))) {
      display.show(event);
      if (event.type === "done") done = event;
    }
  } finally {
    display.close();
  }
  if (done === undefined) throw new Error("a search ends with an event that says so");
  return done;
}

/** Who runs the epochs: this computer's threads, or a cluster. */
async function hooksFor(options: SearchCommandOptions): Promise<SearchHooks> {
  if (options.cluster === undefined) return {};
  const { openCluster } = await import("@ndvm/cluster");
  return openCluster(clusterOf(options)).hooks();
}

function displayFor(
  options: SearchCommandOptions,
  study: StudyLoad,
  plotter: ModelPlotter,
): Display {
  if (options.json) return jsonDisplay;
  if (options.quiet) return { show: () => {}, close: () => {} };
  const shared = {
    study,
    seconds: budgetOf(options).seconds,
    plot: (member: Parameters<ModelPlotter["text"]>[0]) => plotter.text(member, 10),
  };
  return process.stdout.isTTY ? liveDisplay(shared) : lineDisplay(shared);
}

async function searchOptions(
  options: SearchCommandOptions,
  study: StudyData,
  archive: string,
): Promise<SearchOptions> {
  const { model, baseUrl, price, maxCost, requestsPerSecond, requestsPerMinute } = options;
  const seedPrograms = await Promise.all(
    (options.start ?? []).map((file) => readTextFile(file, SEED_BYTES_MOST)),
  );
  const proposers = await makeProposers(options.proposer, {
    seedPrograms,
    cycles: options.cycles,
    llm: {
      ...(model === undefined ? {} : { model }),
      ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
      ...(price === undefined ? {} : { prices: { input: price[0], output: price[1] } }),
      ...(maxCost === undefined ? {} : { caps: { cost: maxCost } }),
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    },
  });
  return {
    data: study.data,
    target: options.target,
    inputs: study.inputs,
    proposers,
    archive,
    command: typedCommand(addressesIn(options)),
    budget: budgetOf(options),
    ...(study.holdOut === undefined ? {} : { holdOut: study.holdOut }),
    ...(options.resume === undefined ? {} : { resume: options.resume }),
    ...(options.keep === undefined ? {} : { keep: options.keep }),
    ...(options.ops === undefined ? {} : { operators: options.ops }),
    ...(options.maxComplexity === undefined ? {} : { complexityMax: options.maxComplexity }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.epoch === undefined ? {} : { epoch: options.epoch }),
    ...(options.slots === undefined ? {} : { slots: options.slots }),
    ...(options.islands === undefined ? {} : { islands: options.islands }),
    ...(options.precision === undefined ? {} : { precision: options.precision }),
    ...(options.domain === undefined ? {} : { domain: options.domain }),
    ...(options.describe === undefined ? {} : { description: options.describe }),
    ...recipeOf(options),
  };
}

/** Addresses as they may be stored: without what may be secret in them, and only if they are asked. */
function addressesIn({ baseUrl, cluster, proposer }: SearchCommandOptions): Meanings {
  const shown = (address: string | true | undefined, ...protocols: string[]) => {
    const read = typeof address === "string" ? readAddress(address.trim(), protocols) : undefined;
    return read === undefined ? undefined : shownAddress(read);
  };
  const model = asksModel(proposer) ? baseUrl : undefined;
  return new Map([
    ["--base-url", { shown: shown(model, "http:", "https:") }],
    ["--cluster", { shown: shown(cluster, "redis:", "rediss:"), isOptional: true }],
  ]);
}

function recipeOf(options: SearchCommandOptions): Pick<SearchOptions, "recipe"> {
  const { optimiser, steps, restarts } = options;
  if (optimiser === undefined && steps === undefined && restarts === undefined) return {};
  return {
    recipe: {
      ...(optimiser === undefined ? {} : { optimiser }),
      ...(steps === undefined && restarts === undefined
        ? {}
        : { rungs: [{ restarts: restarts ?? 1, steps: steps ?? 50, share: 1 }] }),
    },
  };
}

/** The archive to write, once it is known that it and the page may be written. */
function archiveOf(options: SearchCommandOptions): string {
  const { out: file, resume } = options;
  if (resume && file === undefined) {
    throw new NdvmError("E-OPTION", "--resume needs the study to go on with", {
      help: "name it: --out study.db --resume",
    });
  }
  const archive = file ?? freeName(`study-${timestamp(new Date())}`);
  requireOutputs(
    [
      { as: "--out", file: archive, isArchive: true },
      { as: "--report", file: options.report },
    ],
    readBy(options),
  );
  const isThere = existsSync(archive);
  if (resume && !isThere)
    note(inOneLine(`there is no ${archive} to go on with: a new study begins`));
  if (!resume && isThere) {
    throw new NdvmError("E-OPTION", `${archive} is there already`, {
      help: "go on with that study by --resume, or name another file",
    });
  }
  return archive;
}

/** Two studies that begin in the same second have two files. */
function freeName(name: string): string {
  let file = `${name}.db`;
  for (let i = 2; existsSync(file); i++) file = `${name}-${i}.db`;
  return file;
}

/** 20260131-235959 */
export function timestamp(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}

async function finish(archive: string, options: SearchCommandOptions): Promise<void> {
  if (options.report !== undefined) {
    const { writeReport } = await import("./report.js");
    await writeReport(archive, options.report);
  }
  if (options.json) return;
  note(inOneLine(`the study is in ${archive}: ndvm archive ls ${fileWord(archive)}`));
  if (options.report === undefined) note(`a page about it: ndvm report ${fileWord(archive)}`);
  else note(inOneLine(`a page about it is in ${options.report}`));
}
