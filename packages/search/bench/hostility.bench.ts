/**
 * What hostile programs cost: the good ones in their stream, and each kind by itself.
 *
 * Hostile programs differ from visit to visit, so nothing is saved by having seen one before.
 */

import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, short, table } from "../../core/bench/support/table.js";
import { PLAIN_ORIGIN } from "../src/engine/fold.js";
import { Reader } from "../src/epoch/reading.js";
import { type Proposal, type Proposer, paperRecipe, type SearchOptions } from "../src/index.js";
import { CandidateRunner } from "../src/pipeline/candidate-runner.js";
import { makeStudy } from "../src/study.js";
import { oscillation } from "../test/engine/data.js";
import { type HostileKind, others, usual } from "../test/engine/hostile-programs.js";
import { time } from "./support/timed-search.js";

const good = ["(* a (exp (* b x)))", "(* a (sin (+ (* b x) c)))", "(+ a (* b x) (* c x x))"];

const options: SearchOptions = {
  data: oscillation,
  target: "y",
  workers: 1,
  recipe: paperRecipe,
  precision: "f32",
};

const all = [...usual, ...others];

/** Programs of each kind that are made beforehand: making them is none of the search's work. */
const MADE = amount(1500, 30);

const plain = { origin: PLAIN_ORIGIN, parents: [], isRevisit: true };

/** Good programs again and again, and of ten proposals one of `kinds` in turn. */
function stream(kinds: readonly HostileKind[]): Proposer {
  const bad = kinds.map(({ make }) =>
    Array.from({ length: make(1).length > 1e5 ? 30 : MADE }, (_, k) => flat(make(k + 1))),
  );
  let at = 0;
  const next = (): Proposal => {
    at += 1;
    const turn = Math.floor(at / 10);
    const list = at % 10 === 0 ? bad[turn % bad.length] : undefined;
    const texts = list ?? good;
    const place = list === undefined ? at : Math.floor(turn / bad.length);
    const source = texts[place % texts.length] as string;
    return { ...plain, source };
  };
  return {
    name: "stream",
    begin() {},
    propose: async (most) => ({ proposals: Array.from({ length: most }, next) }),
    observe() {},
    save: () => at,
    restore() {},
  };
}

/** A text in one piece, as one that comes from a file or over the network. */
const flat = (text: string): string => Buffer.from(text).toString();

/** Good fits a second, over all and in the fastest second, and processor time of all threads. */
async function ratesOf(kinds: readonly HostileKind[]) {
  const visits = amount(300_000, 60);
  const how = { ...options, proposers: [stream(kinds)], budget: { candidates: visits } };
  const before = process.cpuUsage();
  const { done, seconds, fastest } = await time(how, true);
  const { user, system } = process.cpuUsage(before);
  const { scored } = done.counts;
  return [scored / seconds, (scored / visits) * fastest, (1e6 * scored) / (user + system)];
}

/**
 * The machine's speed comes and goes, so the streams take turns, and the best of each counts. A new
 * worker compiles what walks for its first hundred thousand visits, so they are long.
 */
async function streams(): Promise<void> {
  section("Search: hostile programs in the stream, with archive, one worker");
  const mixtures = [
    { name: "none", kinds: [], best: [0, 0, 0] },
    { name: "one in ten", kinds: usual, best: [0, 0, 0] },
    { name: "one in ten, of all kinds", kinds: all, best: [0, 0, 0] },
  ];
  for (let turn = 0; turn < amount(2, 1); turn++)
    for (const mixture of mixtures) {
      const rates = await ratesOf(mixture.kinds);
      mixture.best = mixture.best.map((best, i) => Math.max(best, rates[i] as number));
    }
  const without = mixtures[0]?.best as readonly number[];
  const rows = mixtures.map(({ name, best }) => [
    name,
    ...best.flatMap((rate, i) => [count(rate), share(rate, without[i] as number)]),
  ]);
  const headings = ["fits/s", "fastest second", "fits/s of processor time"];
  table(["hostile", ...headings.flatMap((heading) => [heading, ""])], rows);
}

const share = (part: number, whole: number): string => `${short((100 * part) / whole)} %`;

/** Least microseconds of one program: where it is taken in, and where it is loaded and walked. */
async function costOf(make: (k: number) => string, runner: CandidateRunner, reader: Reader) {
  const blocks = amount(60, 2);
  const size = 10;
  let k = 0;
  let [taking, working] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let code = "";
  for (let block = 0; block < blocks; block++) {
    const texts = Array.from({ length: size }, (_, i) => flat(make(k + i + 1)));
    k += size;
    const began = performance.now();
    const readings = texts.map((source) => reader.readAgain(source));
    const taken = performance.now();
    for (const { failure, isStraight, hasOneWay, source } of readings) {
      code = failure?.code ?? "";
      if (failure !== undefined) continue;
      const visit = { visit: k, id: k, seed: k, rung: 0, params: undefined, from: undefined };
      const task = { source, isScreened: isStraight, hasOneWay, ...visit } as const;
      code = (await runner.run(task)).failure?.code ?? "";
    }
    taking = Math.min(taking, taken - began);
    working = Math.min(working, performance.now() - taken);
  }
  return { code, taking: (1000 * taking) / size, working: (1000 * working) / size };
}

async function kinds(): Promise<void> {
  section("Search: what one hostile program costs, by kind");
  const study = makeStudy(options);
  const runner = await CandidateRunner.create(study);
  const reader = new Reader(study);
  const rows: string[][] = [];
  const honest = (k: number) => `(* a (sin (+ (* b x) (* c ${k}))))`;
  // As in a worker.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  for (let i = 0; i < amount(10, 1); i++) await costOf(honest, runner, reader);
  for (const { name, make } of [{ name: "a good one", make: honest }, ...all]) {
    const { code, taking, working } = await costOf(make, runner, reader);
    rows.push([name, short(taking), short(working), code]);
  }
  Error.stackTraceLimit = stackTraceLimit;
  runner.dispose();
  table(["kind", "taken in µs", "worker µs", "ends as"], rows);
  note("worker 0: refused before any worker hears of it");
}

await streams();
await kinds();
