/**
 * The llm proposer against a fake endpoint over real HTTP: good answers and every bad one.
 */

import { afterEach, describe, expect, test } from "vitest";
import { type LlmOptions, llm } from "../../src/llm/llm.js";
import type { Outcome } from "../../src/types.js";
import { brief, propose } from "./brief.js";
import { type Act, type FakeEndpoint, fakeEndpoint, programs } from "./fake-endpoint.js";

const open: FakeEndpoint[] = [];

afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.close();
});

async function start(script: readonly Act[], options: LlmOptions = {}) {
  const endpoint = await fakeEndpoint(script);
  open.push(endpoint);
  const proposer = llm({
    model: "fake",
    baseURL: endpoint.baseURL,
    environment: {},
    retryDelay: 1,
    waits: true,
    ...options,
  });
  proposer.begin(brief);
  return { endpoint, proposer };
}

const outcome = (change: Partial<Outcome>): Outcome => ({
  id: 0,
  visit: 0,
  round: 0,
  slot: 0,
  proposer: "llm",
  origin: "answer",
  source: "(* a x)",
  parents: [],
  skeleton: "(* P x)",
  complexity: 3,
  status: "scored",
  rung: 0,
  fits: 1,
  params: { a: 2 },
  loss: 1,
  trainR2: 0.5,
  r2: 0.5,
  bic: 0,
  ...change,
});

/** What the last request said, all messages together. */
const lastPrompt = (endpoint: FakeEndpoint): string =>
  JSON.stringify(endpoint.asked.at(-1)?.body.messages);

describe("good answers", () => {
  test("are waited for where they may take longer than a timer can wait", async () => {
    const forever = { timeout: Number.POSITIVE_INFINITY, idleTimeout: 2 ** 31 };
    const { proposer } = await start([{ say: programs("(sin x)"), tokens: [1, 1] }], forever);
    const batch = await propose(proposer);
    expect(batch.problems).toEqual([]);
    expect(batch.proposals.map((proposal) => proposal.source)).toEqual(["(sin x)"]);
  });

  test("become proposals that carry their prompt", async () => {
    const { proposer } = await start([{ say: programs("(* a x)", "(exp x)"), tokens: [100, 20] }]);
    const batch = await propose(proposer);
    expect(batch.proposals.map((proposal) => proposal.source)).toEqual(["(* a x)", "(exp x)"]);
    expect(batch.proposals[0]?.prompt).toContain("Model y from x");
    expect(batch.problems).toEqual([]);
  });

  test.each([
    ["in a fence", `Here you are:\n\`\`\`json\n${programs("(sin x)")}\n\`\`\``],
    ["behind a sentence", `I would try ${programs("(sin x)")}`],
    ["as a list of texts", `["(sin x)"]`],
    ["as a list of objects", `[{"source": "(sin x)"}]`],
    ["as a list of one object behind words", `Sure: [{"source": "(sin x)"}]`],
    ["as a list of one object before words", `[{"source": "(sin x)", "idea": "waves"}] fits well.`],
    ["as a list with an object around it", `I would try {"answer": [{"source": "(sin x)"}]}`],
    ["as texts inside the object", `{"programs": [" (sin x) ", ""]}`],
  ])("are understood %s", async (_, say) => {
    const { proposer } = await start([{ say, tokens: [1, 1] }]);
    const batch = await propose(proposer);
    expect(batch.proposals.map((proposal) => proposal.source)).toEqual(["(sin x)"]);
  });

  test("come from a question with the grammar, the data, the best and the failures", async () => {
    const { endpoint, proposer } = await start([{ say: programs("x"), tokens: [1, 1] }]);
    proposer.observe([
      outcome({ id: 1, source: "(* a x)", r2: 0.9 }),
      outcome({
        id: 2,
        source: "(car x)",
        status: "failed",
        failure: { stage: "screen", code: "E-TYPE", message: "car needs a pair" },
      }),
      outcome({
        id: 3,
        proposer: "evolve",
        source: "(cdr x)",
        status: "failed",
        failure: { stage: "screen", code: "E-TYPE", message: "cdr needs a pair" },
      }),
    ]);
    await propose(proposer);
    const prompt = lastPrompt(endpoint);
    expect(prompt).toContain("a swing that comes to rest");
    expect(prompt).toContain("recur");
    expect(prompt).toContain("R² 0.9000, size 3: (* a x)");
    expect(prompt).toContain("E-TYPE: (car x)");
    expect(prompt).not.toContain("(cdr x)");
    expect(endpoint.asked[0]?.path).toBe("/v1/chat/completions");
    expect(endpoint.asked[0]?.body.response_format?.type).toBe("json_schema");
  });

  test("are asked for with the key of the environment", async () => {
    const { endpoint, proposer } = await start([{ say: programs("x"), tokens: [1, 1] }], {
      keyVariable: "MY_KEY",
      environment: { MY_KEY: "secret" },
    });
    await propose(proposer);
    expect(endpoint.asked[0]?.key).toBe("Bearer secret");
    expect(JSON.stringify(proposer.save())).not.toContain("secret");
  });
});

describe("bad answers", () => {
  test.each([
    ["malformed JSON", '{"programs": [{"source": "(sin', "E-LLM-ANSWER"],
    ["no program", '{"programs": []}', "E-LLM-ANSWER"],
    ["something else", '{"answer": 42}', "E-LLM-ANSWER"],
    ["nothing", "", "E-LLM-ANSWER"],
    ["a refusal", "I'm sorry, but I can't help with that.", "E-LLM-REFUSED"],
  ])("%s is a problem, is paid for, and the next question is asked", async (_, say, code) => {
    const { proposer } = await start([
      { say, tokens: [100, 10] },
      { say: programs("x"), tokens: [100, 10] },
    ]);
    const first = await propose(proposer);
    expect(first.proposals).toEqual([]);
    expect(first.problems?.map((problem) => problem.code)).toEqual([code]);
    expect(first.spending).toMatchObject({ requests: 1, inputTokens: 100, outputTokens: 10 });
    expect((await propose(proposer)).proposals).toHaveLength(1);
  });

  test("three in a row end the proposer, and it says so", async () => {
    const { proposer, endpoint } = await start([{ say: "no", tokens: [1, 1] }]);
    await propose(proposer);
    await propose(proposer);
    const last = await propose(proposer);
    expect(last.isExhausted).toBe(true);
    expect(last.problems?.at(-1)?.message).toMatch(
      /^http:.* is given up after 3 failed questions$/,
    );
    expect(await propose(proposer)).toEqual({ proposals: [], isExhausted: true });
    expect(endpoint.asked).toHaveLength(3);
  });
});

describe("a troubled endpoint", () => {
  test("is asked again after the pause that a 429 names", async () => {
    const { endpoint, proposer } = await start(
      [
        { status: 429, headers: { "retry-after": "0.05" } },
        { say: programs("x"), tokens: [1, 1] },
      ],
      { retryDelay: 1e9 },
    );
    expect((await propose(proposer)).proposals).toHaveLength(1);
    expect(endpoint.asked).toHaveLength(2);
  });

  test.each<[string, Act]>([
    ["a dropped connection", { drop: true }],
    ["a server's failure", { status: 503 }],
  ])("%s is survived", async (_, act) => {
    const { proposer } = await start([act, act, { say: programs("x"), tokens: [1, 1] }]);
    let batch = await propose(proposer);
    // That nobody answers is told while the question is under way.
    if (batch.problems?.[0]?.code === "E-LLM-UNREACHABLE") batch = await propose(proposer);
    expect(batch.proposals).toHaveLength(1);
  });

  test("that is slow runs into the timeout and is asked again", async () => {
    const { proposer } = await start([{ stall: true }, { say: programs("x"), tokens: [1, 1] }], {
      timeout: 300,
    });
    expect((await propose(proposer)).proposals).toHaveLength(1);
  });

  test("that stays slow is a problem in words", async () => {
    const { proposer, endpoint } = await start([{ stall: true }], { timeout: 50, retries: 1 });
    const batch = await propose(proposer);
    const message = `${endpoint.baseURL} gave no answer within 0.05 s`;
    expect(batch.problems).toEqual([
      { code: "E-LLM-TIMEOUT", message: `${message}; it is asked again` },
      { code: "E-LLM-TIMEOUT", message },
    ]);
  });

  test("that wants another key ends the proposer at once", async () => {
    const { proposer, endpoint } = await start([{ status: 401 }]);
    const batch = await propose(proposer);
    expect(batch.isExhausted).toBe(true);
    expect(batch.problems?.[0]?.code).toBe("E-LLM-KEY");
    expect(endpoint.asked).toHaveLength(1);
  });

  test("that is not there is a clear problem", async () => {
    const { proposer, endpoint } = await start([{ drop: true }], { retries: 0 });
    await endpoint.close();
    const batch = await propose(proposer);
    expect(batch.problems?.[0]?.code).toBe("E-LLM-UNREACHABLE");
    expect(batch.problems?.[0]?.message).toContain(endpoint.baseURL);
  });

  test("that is not there is told once before it is asked again", async () => {
    const { proposer, endpoint } = await start([{ drop: true }], { retries: 2 });
    await endpoint.close();
    const [first, second] = [await propose(proposer), await propose(proposer)];
    const [notice] = first.problems ?? [];
    expect(notice?.code).toBe("E-LLM-UNREACHABLE");
    expect(notice?.message).toMatch(/; it is asked again$/);
    expect(first.isExhausted).toBeUndefined();
    expect(second.problems).toHaveLength(1);
    expect(second.problems?.[0]?.message).not.toContain("asked again");
  });

  test("is left when the search is aborted", async () => {
    const { proposer } = await start([{ stall: true }]);
    const controller = new AbortController();
    const waiting = proposer.propose(8, controller.signal);
    controller.abort();
    expect(await waiting).toEqual({ proposals: [] });
  });
});

describe("the ledger", () => {
  test("adds up and survives being saved", async () => {
    const prices = { input: 2, output: 10 };
    const { proposer, endpoint } = await start([{ say: programs("x"), tokens: [1000, 100] }], {
      prices,
    });
    const spent = [await propose(proposer), await propose(proposer)].map((batch) => batch.spending);
    expect(spent.map((entry) => entry?.cost)).toEqual([0.003, 0.003]);
    const again = llm({ model: "fake", baseURL: endpoint.baseURL, environment: {}, prices });
    again.restore(JSON.parse(JSON.stringify(proposer.save())));
    expect(again.save()).toEqual(proposer.save());
    expect(again.save()).toMatchObject({ spending: { requests: 2, inputTokens: 2000 } });
  });

  test.each([
    ["tokens", { tokens: 2000 }, "2200 of 2000 tokens are used"],
    ["cost", { cost: 0.005 }, "0.0060 of 0.005 is spent"],
  ])("stops at a cap on %s", async (_, caps, words) => {
    const { proposer, endpoint } = await start([{ say: programs("x"), tokens: [1000, 100] }], {
      caps,
      prices: { input: 2, output: 10 },
    });
    await propose(proposer);
    await propose(proposer);
    const last = await propose(proposer);
    expect(last.isExhausted).toBe(true);
    expect(last.problems).toEqual([{ code: "E-LLM-CAP", message: `the cap is reached: ${words}` }]);
    expect(endpoint.asked).toHaveLength(2);
  });

  test("estimates where the endpoint does not count, and says so once", async () => {
    const { proposer } = await start([{ say: programs("x") }]);
    const first = await propose(proposer);
    expect(first.problems?.map((problem) => problem.code)).toEqual(["E-LLM-UNCOUNTED"]);
    expect(first.spending?.outputTokens).toBe(Math.ceil(programs("x").length / 4));
    expect((await propose(proposer)).problems).toEqual([]);
  });
});

test("with company it does not wait: the answer comes with a later turn", async () => {
  const { proposer } = await start([{ say: programs("x"), tokens: [1, 1] }], { waits: false });
  expect((await propose(proposer)).proposals).toEqual([]);
  let batch = await propose(proposer);
  while (batch.proposals.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    batch = await propose(proposer);
  }
  expect(batch.proposals).toHaveLength(1);
});

test("without a model or an endpoint it says which settings are missing", () => {
  expect(() => llm({ environment: {} })).toThrowError("the llm proposer has no model");
  expect(() => llm({ model: "m", environment: {} })).toThrowError("has no endpoint");
});

test.each(["localhost:8080", "foo", "http://", "ftp://host/v1"])(
  "%s is not an address",
  (baseURL) => {
    expect(() => llm({ model: "fake", baseURL, environment: {} })).toThrow(
      "the llm proposer's endpoint is not an address",
    );
  },
);
