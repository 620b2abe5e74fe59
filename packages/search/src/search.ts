/**
 * `search`: co-search as an async iterable of events.
 */

import { availableParallelism } from "node:os";
import { checkNames, namesOf } from "@ndvm/core";
import { ArchiveJournal } from "./archive/journal.js";
import { readResumption } from "./archive/reader.js";
import { checkBudget } from "./engine/budget.js";
import { Engine } from "./engine/engine.js";
import type { EpochSetting } from "./epoch/epoch.js";
import { evolve } from "./evolve/evolve.js";
import { InlineRunner } from "./pool/inline.js";
import { Pool } from "./pool/pool.js";
import type { Runner, RunnerEvents } from "./pool/runner.js";
import { hideCredentials } from "./redact.js";
import { checkInteger, makeStudy, refuse, refuseOption } from "./study.js";
import type { Proposer, SearchDone, SearchEvent, SearchOptions } from "./types.js";

/** Who runs epochs, where it is not this computer's threads: a cluster does. */
export interface SearchHooks {
  startRunner?(setting: EpochSetting, workers: number, events: RunnerEvents): Promise<Runner>;
}

const HOOK_NAMES = namesOf<SearchHooks>({ startRunner: 1 });

/**
 * Searches. Nothing happens before someone iterates. Leaving the loop ends the search; what is in
 * the archive stays.
 */
export async function* search(
  options: SearchOptions,
  hooks: SearchHooks = {},
): AsyncGenerator<SearchEvent, SearchDone> {
  checkNames("the hooks of search", hooks, HOOK_NAMES);
  const engine = await makeEngine(options, hooks);
  const running = engine.run();
  let done: SearchDone | undefined;
  try {
    while (done === undefined) {
      const event = engine.queue.take() ?? (await engine.queue.next());
      if (event === undefined) throw new Error("a search ends with an event that says so");
      if (event.type === "done") done = event;
      // The last event is told when all is closed, so that its listener may open the archive.
      if (done !== undefined) await running;
      yield event;
    }
    return done;
  } finally {
    engine.end("aborted");
    await running;
  }
}

async function makeEngine(options: SearchOptions, hooks: SearchHooks): Promise<Engine> {
  const study = makeStudy(options);
  const budget = checkBudget(options.budget);
  const workers = checkInteger("workers", options.workers ?? availableParallelism(), 0, 1024);
  const { archive, signal } = options;
  const proposers = options.proposers === undefined ? [evolve()] : options.proposers;
  if (!Array.isArray(proposers) || !proposers.every((one) => typeof one?.begin === "function"))
    throw refuseOption("proposers", proposers, "it is a list of proposers, such as [evolve()]");
  if (proposers.length === 0)
    throw refuse("a search needs a proposer", "leave proposers out for the default, evolve");
  if (archive !== undefined && typeof archive !== "string")
    throw refuseOption("archive", archive, "it is the name of a file");
  const mayResume = options.resume ?? false;
  if (mayResume && archive === undefined)
    throw refuse("there is no archive to resume", "give archive: its file");
  if (archive === "") throw refuse("archive names no file", "give a file, or leave archive out");
  const journal =
    archive === undefined
      ? undefined
      : await ArchiveJournal.open({
          file: archive,
          mayResume,
          study,
          proposers,
          workers,
          budget,
          command: withoutSecrets(options.command ?? "", proposers),
        });
  try {
    const resumption = archive === undefined || !mayResume ? undefined : readResumption(archive);
    const startRunner = hooks.startRunner ?? start;
    return new Engine({
      study,
      budget,
      proposers,
      journal,
      resumption,
      signal,
      startRunner: (setting, events) => startRunner(setting, workers, events),
    });
  } catch (error) {
    await journal?.close();
    throw error;
  }
}

/** The command as it may be archived: addresses without passwords, and no proposer's key. */
function withoutSecrets(command: string, proposers: readonly Proposer[]): string {
  const clean = proposers.reduce((text, proposer) => proposer.redact?.(text) ?? text, command);
  return hideCredentials(clean);
}

async function start(
  setting: EpochSetting,
  workers: number,
  events: RunnerEvents,
): Promise<Runner> {
  return workers === 0
    ? InlineRunner.create(setting, events)
    : Pool.start(setting, workers, events);
}
