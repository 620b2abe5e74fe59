/**
 * The llm proposer against a hostile endpoint: every act alone, and acts in every order against a
 * model of what a client must do. The seed is new in every run and printed; `SEED=… npx vitest run
 * llm/hostile` runs the same again, `npm run long -- endpoint` runs many more.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { llm } from "../../src/llm/llm.js";
import { addSpending, NO_SPENDING } from "../../src/spending.js";
import type { Proposals } from "../../src/types.js";
import { brief, propose } from "./brief.js";
import {
  ACTS,
  completion,
  type HostileAct,
  hostileEndpoint,
  IDLE_TIMEOUT,
  TIMEOUT,
  type Verdict,
} from "./hostile-endpoint.js";

const { SEED, ENDPOINT_RUNS } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
const runs = Number(ENDPOINT_RUNS ?? 40);
console.info(`hostile endpoint: ${runs} scripts, SEED=${seed}`);

const RETRIES = 2;
const MISSES_MAX = 3;
const ASKED = 8;

interface Told {
  readonly batches: readonly Proposals[];
  readonly requests: number;
  readonly strays: number;
  readonly name: string;
}

/** Asks until the script was played or the proposer gives up. */
async function play(script: readonly HostileAct[], waits = true): Promise<Told> {
  const endpoint = await hostileEndpoint(script);
  try {
    const options = {
      model: "fake",
      baseURL: endpoint.baseURL,
      environment: {},
      retries: RETRIES,
      retryDelay: 1,
      requestsPerSecond: 1e6,
      answerBytesMax: 2 ** 20,
      timeout: TIMEOUT,
      idleTimeout: IDLE_TIMEOUT,
      waits,
    };
    const proposer = llm(options, { startTimer: endpoint.startTimer });
    proposer.begin(brief);
    const batches: Proposals[] = [];
    // A question that is under way when the last act is played has still to be handed over.
    while (
      !isAnswer(batches.at(-1)) ||
      (endpoint.requests < script.length && !batches.at(-1)?.isExhausted)
    ) {
      batches.push(await propose(proposer));
      if (!waits) await new Promise((resolve) => setImmediate(resolve));
    }
    const { requests, strays, baseURL } = endpoint;
    return { batches, requests, strays, name: baseURL };
  } finally {
    await endpoint.close();
  }
}

/** A batch that ends a question, rather than one that tells of a pause or that nothing has come. */
const isAnswer = (batch: Proposals | undefined): boolean =>
  batch !== undefined && (batch.spending !== undefined || batch.isExhausted === true);

interface Expected {
  readonly requests: number;
  readonly paid: number;
  /** The code of each question that failed, or how many programs it gave. */
  readonly questions: readonly (string | number)[];
  readonly isOver: boolean;
}

/** What a client must do, written down a second time: acts in, questions out. */
function expected(script: readonly HostileAct[]): Expected {
  const verdictAt = (at: number): Verdict =>
    (script[Math.min(at, script.length - 1)] as HostileAct).verdict;
  const questions: (string | number)[] = [];
  let [requests, paid, misses, isOver] = [0, 0, 0, false];
  while (requests < script.length && !isOver) {
    let verdict = verdictAt(requests);
    for (let attempt = 0; ; attempt++) {
      verdict = verdictAt(requests);
      requests += 1;
      if (verdict.isPaid) paid += 1;
      if (verdict.kind !== "retry" || attempt === RETRIES) break;
    }
    misses = verdict.kind === "good" ? 0 : misses + 1;
    isOver = verdict.kind === "final" || misses === MISSES_MAX;
    questions.push(verdict.kind === "good" ? (verdict.programs ?? 0) : (verdict.code ?? ""));
  }
  return { requests, paid, questions, isOver };
}

function check(script: readonly HostileAct[], told: Told): void {
  const want = expected(script);
  const answers = told.batches.filter(isAnswer);
  const giving = (batch: Proposals): string | number => {
    const problems = (batch.problems ?? []).filter(
      ({ message }) => !message.includes("is given up after"),
    );
    return batch.proposals.length > 0 ? batch.proposals.length : (problems.at(-1)?.code ?? "");
  };
  const spent = told.batches.reduce((sum, { spending }) => addSpending(sum, spending), NO_SPENDING);
  expect({
    requests: told.requests,
    paid: spent.requests,
    questions: answers.map(giving),
    isOver: told.batches.at(-1)?.isExhausted ?? false,
  }).toEqual(want);
  expect(told.strays).toBe(0);
  for (const tokens of [spent.inputTokens, spent.outputTokens]) {
    expect(Number.isSafeInteger(tokens) && tokens >= 0 && tokens < 1e9).toBe(true);
  }
  for (const { proposals, problems = [] } of told.batches) {
    expect(proposals.length).toBeLessThanOrEqual(ASKED);
    for (const { code, message } of problems) {
      expect(code).toMatch(/^E-LLM-[A-Z]+$/);
      expect(message.length).toBeLessThan(500);
      expect(message).toContain(told.name);
    }
  }
}

describe("one act", () => {
  test.each(ACTS.map((act) => [act.name, act] as const))("%s", async (_, act) => {
    const told = await play([act]);
    check([act], told);
    const codes = told.batches.flatMap(({ problems = [] }) => problems.map(({ code }) => code));
    if (act.verdict.code !== undefined) expect(codes).toContain(act.verdict.code);
    else expect(codes.filter((code) => code !== "E-LLM-SURPLUS")).toEqual([]);
  });
});

test("failures and pauses in every order end as a client's rules say", async () => {
  const scripts = fc.array(fc.constantFrom(...ACTS), { minLength: 2, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(scripts, fc.boolean(), async (script, waits) => {
      check(script, await play(script, waits));
    }),
    { seed, numRuns: runs },
  );
});

test("more programs than were asked for are left out, and that is told once", async () => {
  const act = ACTS.find(({ name }) => name === "more than asked for") as HostileAct;
  const { batches } = await play([act, act]);
  expect(batches.map(({ proposals }) => proposals.length)).toEqual([ASKED, ASKED]);
  const codes = batches.flatMap(({ problems = [] }) => problems.map(({ code }) => code));
  expect(codes).toEqual(["E-LLM-SURPLUS"]);
});

test("a small body that unpacks to more than a gigabyte costs the limit, not the gigabyte", async () => {
  const { gzipSync } = await import("node:zlib");
  // Gzip streams one after the other are one stream.
  const part = gzipSync(Buffer.alloc(2 ** 26, 0x20));
  const body = Buffer.concat(Array.from({ length: 20 }, () => part));
  const act: HostileAct = {
    name: "1.3 GB",
    verdict: { kind: "miss", code: "E-LLM-SIZE", isPaid: true },
    play: ({ response }) =>
      response
        .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
        .end(body),
  };
  const before = process.memoryUsage.rss();
  check([act], await play([act]));
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 2 ** 20);
});

test.each([
  ["an answer", (deep: string) => deep, "answers with JSON that is nested too deeply"],
  ["its text", completion, "the answer is JSON that is nested too deeply"],
])(
  "%s of two million levels is not parsed, which took half a gigabyte",
  async (_, around, words) => {
    const act: HostileAct = {
      name: "deep",
      verdict: { kind: "miss", isPaid: true },
      play: ({ response }) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(around(`${"[".repeat(500_000)}${"]".repeat(500_000)}`)),
    };
    const { batches, name } = await play([act]);
    const messages = batches.flatMap(({ problems = [] }) => problems.map(({ message }) => message));
    expect(messages[0]).toContain(name);
    expect(messages[0]).toContain(words);
  },
);

test("halves of characters do not get through", async () => {
  const content = '["(+ x \\ud800)", "(* x \\udc00\\ud800)"]';
  const act: HostileAct = {
    name: "surrogates",
    verdict: { kind: "good", isPaid: true },
    play: ({ response }) =>
      response.writeHead(200, { "content-type": "application/json" }).end(completion(content)),
  };
  const { batches } = await play([act]);
  const texts = batches.flatMap(({ proposals }) => proposals.map(({ source }) => source));
  expect(texts).toEqual(["(+ x \ufffd)", "(* x \ufffd\ufffd)"]);
});
