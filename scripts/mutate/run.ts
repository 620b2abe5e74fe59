/**
 * One room's run: its mutants one after the other, several copies at a time.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasDoor, isMachine } from "./build.js";
import { inTurns } from "./choose.js";
import type { Equivalent } from "./equivalent.js";
import { Job, type Verdict } from "./job.js";
import { described, identityOf, type Mutant } from "./mutant.js";
import { mutantsOf } from "./plant.js";
import { type Room, sourcesOf } from "./rooms.js";

export interface RunSettings {
  readonly root: string;
  readonly room: Room;
  readonly tests: readonly string[];
  readonly count: number;
  readonly seed: number;
  readonly jobs: number;
  /** Bugs by hand to take instead of those that the rules offer. */
  readonly byHand?: readonly Mutant[] | undefined;
  /** Whether mutants of a line may be planted. */
  readonly covers: (mutant: Mutant) => boolean;
  readonly equivalents: readonly Equivalent[];
  /** At this moment of `performance.now()` the run ends; mutants under way do not count. */
  readonly until: number;
  readonly print: (line: string) => void;
  /** Copies under way, for whoever must remove them when the run is cut short. */
  readonly open: Set<Job>;
}

export interface RoomReport {
  readonly room: string;
  readonly seed: number;
  /** Mutants that the sources offer, and how many of them are listed as equivalent. */
  readonly possible: number;
  readonly equivalent: number;
  readonly planted: number;
  readonly caught: number;
  readonly share: number;
  readonly survivors: readonly Mutant[];
  /** How many mutants each test file caught. */
  readonly caughtBy: Readonly<Record<string, number>>;
}

/** Mutants of a room in the order of the seed, or those of a list in its order. */
export function candidatesOf(
  settings: Pick<RunSettings, "root" | "room" | "seed" | "covers" | "byHand">,
): Mutant[] {
  const { root, room, seed, covers, byHand } = settings;
  const files = sourcesOf(root, room);
  if (byHand) return byHand.filter((mutant) => files.includes(mutant.file) && covers(mutant));
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
  return inTurns(all.filter(covers), seed);
}

export async function runRoom(settings: RunSettings): Promise<RoomReport> {
  const { root, room } = settings;
  const known = new Set(settings.equivalents.map(identityOf));
  const all = candidatesOf(settings);
  const candidates = all.filter((mutant) => !known.has(identityOf(mutant)));
  const report = { room: room.name, seed: settings.seed, possible: all.length };
  const missing = settings.tests.filter((test) => !existsSync(join(root, test)));
  if (missing.length > 0) throw new Error(`${room.name}: no test file ${missing.join(", ")}`);
  const equivalent = all.length - candidates.length;
  if (candidates.length === 0) return { ...report, equivalent, ...countedUp([]) };
  const measures = new Measures(settings.print);
  const jobs = openJobs(settings, candidates, measures);
  const alarm = alarmAt(settings.until, jobs);
  try {
    const results = await plantAll(settings, jobs, candidates, measures);
    return { ...report, equivalent, ...countedUp(results) };
  } finally {
    clearTimeout(alarm);
    for (const job of jobs) {
      job.close();
      settings.open.delete(job);
    }
  }
}

function openJobs(
  { root, jobs, count, open }: RunSettings,
  candidates: readonly Mutant[],
  measures: Measures,
): Job[] {
  const machines = candidates.some(({ file }) => isMachine(file));
  const doors = candidates.some(({ file }) => hasDoor(file));
  const limitOf = (test: string): number => measures.limitOf(test);
  const passed = (test: string, seconds: number): void => measures.notePassed(test, seconds);
  return Array.from({ length: Math.max(1, Math.min(jobs, count, candidates.length)) }, () => {
    const job = new Job({ root, machines, doors, limitOf, passed });
    open.add(job);
    return job;
  });
}

function alarmAt(until: number, jobs: readonly Job[]): NodeJS.Timeout | undefined {
  if (until === Number.POSITIVE_INFINITY) return undefined;
  return setTimeout(
    () => {
      for (const job of jobs) job.stop();
    },
    Math.max(0, until - performance.now()),
  );
}

/** Seconds that a test file with a bug may take while nothing is known of it. */
const LIMIT_UNKNOWN = 60;

/**
 * What is known of the test files. A file that fails without a bug is left out, and the time of the others
 * says when a test with a bug has become endless. A file that passes with a bug is sound, so only one that
 * has never passed is run without a bug, when it first fails or does not end. The limit is wide because all
 * jobs share the processor.
 */
class Measures {
  readonly #limits = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Files that fail by themselves: they tell nothing of a bug. */
  readonly #failing = new Set<string>();

  constructor(private readonly print: (line: string) => void) {}

  limitOf(test: string): number {
    return this.#limits.get(test) ?? LIMIT_UNKNOWN;
  }

  isKnown(test: string): boolean {
    return this.#limits.has(test) || this.#failing.has(test);
  }

  isFailing(test: string): boolean {
    return this.#failing.has(test);
  }

  notePassed(test: string, seconds: number): void {
    if (!this.#limits.has(test)) this.#limits.set(test, 30 + 10 * seconds);
  }

  /** Runs a file without a bug, once for all jobs. */
  async measure(job: Job, test: string): Promise<void> {
    const known = this.#underWay.get(test) ?? this.#run(job, test);
    this.#underWay.set(test, known);
    await known;
  }

  async #run(job: Job, test: string): Promise<void> {
    const { outcome, name } = await job.run({ tests: [test] });
    if (outcome === "unfinished" || outcome === "survived") return;
    this.#failing.add(test);
    this.print(`left out: ${test} fails without a bug: ${name ?? outcome}`);
  }
}

/** Gives a mutant to the room's tests until one fails that passes without it. */
async function verdictOn(
  job: Job,
  mutant: Mutant,
  tests: readonly string[],
  measures: Measures,
): Promise<Verdict> {
  let [from, seconds] = [0, 0];
  for (;;) {
    const sound = tests.slice(from).filter((test) => !measures.isFailing(test));
    const verdict = await job.run({ mutant, tests: sound });
    seconds += verdict.seconds;
    const { outcome, test } = verdict;
    if (!test || measures.isKnown(test)) return { ...verdict, seconds };
    await measures.measure(job, test);
    if (!measures.isKnown(test)) return { outcome: "unfinished", seconds };
    const isLongEnough = outcome !== "endless" || measures.limitOf(test) <= LIMIT_UNKNOWN;
    if (isLongEnough && !measures.isFailing(test)) return { ...verdict, seconds };
    from = tests.indexOf(test);
  }
}

interface Result {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

async function plantAll(
  settings: RunSettings,
  jobs: readonly Job[],
  candidates: readonly Mutant[],
  measures: Measures,
): Promise<Result[]> {
  const { tests, count, until, print } = settings;
  const queue = [...candidates];
  const results: Result[] = [];
  let [begun, refused] = [0, 0];
  const next = (): Mutant | undefined => {
    if (begun >= count || performance.now() >= until) return undefined;
    begun += 1;
    return queue.shift();
  };
  const work = async (job: Job): Promise<void> => {
    for (let mutant = next(); mutant; mutant = next()) {
      const verdict = await verdictOn(job, mutant, tests, measures);
      if (verdict.outcome === "unfinished") return;
      if (verdict.outcome === "refused") {
        begun -= 1;
        refused += 1;
      } else {
        results.push({ mutant, verdict });
        print(`${String(results.length).padStart(4)}  ${told(verdict)}  ${described(mutant)}`);
      }
    }
  };
  await Promise.all(jobs.map(work));
  if (refused === candidates.length)
    throw new Error(`${settings.room.name}: every bug is refused; does it compile without one?`);
  return results;
}

function told({ outcome, test, seconds }: Verdict): string {
  const time = `${seconds.toFixed(0)} s`.padStart(5);
  if (outcome === "survived") return `${time}  SURVIVED`;
  const file = test?.replace(/^packages\//, "").replace(/\.test\.ts$/, "") ?? "";
  return `${time}  ${outcome} (${file.replace("/test/", ": ")})`;
}

function countedUp(results: readonly Result[]) {
  const survivors = results
    .filter(({ verdict }) => verdict.outcome === "survived")
    .map(({ mutant }) => mutant)
    .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.start - b.start));
  const caughtBy = new Map<string, number>();
  for (const { verdict } of results) {
    if (verdict.outcome === "survived" || verdict.test === undefined) continue;
    caughtBy.set(verdict.test, (caughtBy.get(verdict.test) ?? 0) + 1);
  }
  const planted = results.length;
  const caught = planted - survivors.length;
  const part = planted === 0 ? 1 : caught / planted;
  return { planted, caught, share: part, survivors, caughtBy: Object.fromEntries(caughtBy) };
}
