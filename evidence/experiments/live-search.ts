/**
 * Co-search with a language model in the timed loop: `search` with the `llm` proposer, asking a local
 * endpoint that answers after half a second or two. Beside it the same search without a model, with
 * eight programs to an answer, and with `evolve` at work while answers are under way.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  evolve,
  llm,
  openArchive,
  type Proposer,
  paperRecipe,
  replay,
  type SearchOptions,
  search,
} from "@ndvm/search";
import { columnsOf } from "../baselines/fits.js";
import { readStream } from "../corpus.js";
import type { Context, Definition } from "../harness/context.js";
import { columns, FAMILIES } from "./cached.js";

export const LATENCIES = [500, 2000] as const;
/** Programs of one answer: the paper's one, and our default. */
export const ANSWERS = [1, 8] as const;

interface Endpoint {
  readonly baseURL: string;
  requests(): number;
  close(): Promise<void>;
}

function answer(response: ServerResponse, sources: readonly string[]): void {
  const programs = sources.map((source) => ({ source, idea: "from the list" }));
  const message = { role: "assistant", content: JSON.stringify({ programs }) };
  const choices = [{ index: 0, finish_reason: "stop", message }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: "answer", object: "chat.completion", model: "list", choices }));
}

/** Answers after so many milliseconds with the next programs of a list. */
async function startEndpoint(
  sources: readonly string[],
  milliseconds: number,
  each: number,
): Promise<Endpoint> {
  let asked = 0;
  const server = createServer((request, response) => {
    const from = asked++ * each;
    request.resume().on("end", () => {
      const next = Array.from({ length: each }, (_, i) => sources[(from + i) % sources.length]);
      setTimeout(() => answer(response, next as string[]), milliseconds);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface Task {
  readonly sources: readonly string[];
  readonly data: { readonly x: Float64Array; readonly y: Float64Array };
  readonly held: readonly number[];
}

/** The paper's scalar stream; our six families where it is not here. */
function taskOf(): Task {
  const stream = readStream("flat");
  const { x, y, heldX, heldY } = stream === undefined ? columns() : columnsOf(stream.task);
  return {
    sources: (stream?.candidates ?? FAMILIES).map(({ source }) => source),
    data: { x: Float64Array.of(...x, ...heldX), y: Float64Array.of(...y, ...heldY) },
    held: [...heldX].map((_, i) => x.length + i),
  };
}

/** A search under way, without its start: what a candidate takes after the first ones. */
interface Ran {
  readonly candidates: number;
  /** Wall-clock and core-seconds of a candidate. */
  readonly seconds: number;
  readonly busy: number;
  /** Seconds of a candidate's fits, and of screening, fitting and scoring together. */
  readonly fit: number;
  readonly work: number;
}

/** Clocks at a moment. */
const now = () => {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now() / 1000, busy: (user + system) / 1e6 };
};

/** A search ends at so many candidates, or after so many seconds once it is past its start. */
type End = { readonly candidates: number } | { readonly seconds: number };

async function ran(
  { data, held }: Task,
  proposers: readonly Proposer[],
  end: End,
  /** Candidates of the start, which are not counted. */
  first: number,
): Promise<Ran> {
  const ending = new AbortController();
  const folder = mkdtempSync(join(tmpdir(), "ndvm-evidence-search-"));
  const archive = join(folder, "study.ndvm");
  const options: SearchOptions = {
    data,
    target: "y",
    holdOut: held,
    proposers,
    ...("candidates" in end ? { budget: end } : { signal: ending.signal }),
    archive,
    recipe: paperRecipe,
    domain: "clamp",
    precision: "f32",
    workers: 1,
  };
  let candidates = 0;
  const begun = now();
  let from = begun;
  let to = from;
  for await (const event of search(options)) {
    if (event.type !== "candidate") continue;
    candidates += 1;
    to = now();
    if (candidates === first) from = to;
    const isOver = "seconds" in end && to.wall - begun.wall >= end.seconds;
    if (isOver && candidates > 2 * first) ending.abort();
  }
  const opened = openArchive(archive);
  const { screen, fit, score } = opened.timings();
  opened.close();
  rmSync(folder, { recursive: true, force: true });
  if (candidates <= first) throw new Error(`a search of ${candidates} candidates has no middle`);
  return {
    candidates,
    seconds: (to.wall - from.wall) / (candidates - first),
    busy: (to.busy - from.busy) / (candidates - first),
    fit: fit / candidates,
    work: (screen + fit + score) / candidates,
  };
}

function record({ recorder }: Context, key: string, rounds: readonly Ran[], how: string): void {
  const put = (part: string, unit: string, of: (one: Ran) => number) =>
    recorder.samples(`${key}/${part}`, unit, rounds.map(of), how);
  put("seconds a candidate", "s", ({ seconds }) => seconds);
  put("core-seconds a candidate", "s", ({ busy }) => busy);
  put("share of the fit", "%", ({ fit, seconds }) => (100 * fit) / seconds);
  put("fit in the work", "%", ({ fit, work }) => (100 * fit) / work);
  put("candidates", "count", ({ candidates }) => candidates);
}

async function behindModel(context: Context, task: Task, latency: number): Promise<void> {
  const rounds = context.amount(2, 1);
  for (const each of ANSWERS) {
    const all: Ran[] = [];
    const candidates = each * context.amount(latency === 500 ? 7 : 4, 3);
    for (let round = 0; round < rounds; round++) {
      const endpoint = await startEndpoint(task.sources, latency, each);
      const { baseURL } = endpoint;
      const options = { baseURL, model: "list", programs: each, waits: true };
      // The first fit is slow and the next request does not wait for it, so two answers are the start.
      all.push(await ran(task, [llm(options)], { candidates }, 2 * each));
      await endpoint.close();
    }
    const how = `a whole search of ${candidates} candidates a sample, 1 worker, archive kept`;
    record(context, `${latency}/${each} to an answer`, all, how);
  }
  const seconds = context.amount(3, 1) * (latency / 1000);
  const endpoint = await startEndpoint(task.sources, latency, 8);
  const model = llm({ baseURL: endpoint.baseURL, model: "list" });
  const beside = await ran(task, [model, evolve()], { seconds }, 32);
  await endpoint.close();
  record(
    context,
    `${latency}/evolve beside it`,
    [beside],
    `a search of ${seconds} s or a little more, 1 worker`,
  );
  context.recorder.count(`${latency}/evolve beside it/requests`, endpoint.requests());
}

export const liveSearch: Definition = {
  name: "live-search",
  weight: 3,
  async run(context) {
    const { recorder } = context;
    const task = taskOf();
    recorder.condition("programs", `${task.sources.length}, one after the other`);
    recorder.condition("fit", "50 Adam steps over 44 points, scored on 20; one worker thread");
    const programs = task.sources.map((source) => ({ source }));
    const count = context.amount(1000, 100);
    const cycles = Math.ceil(count / programs.length);
    // The first search compiles the code of all that follow.
    await ran(task, [replay(programs, { cycles })], { candidates: 50 }, 16);
    const rounds: Ran[] = [];
    for (let round = 0; round < context.amount(3, 1); round++) {
      const budget = { candidates: count };
      rounds.push(await ran(task, [replay(programs, { cycles })], budget, 16));
    }
    record(context, "0/no model", rounds, "searches of a list, 1 worker, archive kept");
    for (const latency of LATENCIES) await behindModel(context, task, latency);
  },
};
