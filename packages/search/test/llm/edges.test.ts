/**
 * The llm proposer at its edges, with a clock of its own and a network that is a function: when each
 * request is made, where it goes, what is read, remembered, told and carried over a resume.
 */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { endpointOf, intervalOf } from "../../src/llm/endpoint.js";
import { type LlmOptions, llm } from "../../src/llm/llm.js";
import { Pace, pause } from "../../src/llm/pace.js";
import type { Proposals } from "../../src/types.js";
import { brief } from "./brief.js";
import { programs } from "./fake-endpoint.js";

interface Request {
  readonly at: number;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: { readonly model: string; readonly temperature?: number };
}

type Act = (request: Request) => Response | Promise<Response> | Error;

let requests: Request[] = [];

/** A network that plays acts, the last of them for ever. */
function network(...acts: readonly Act[]): void {
  requests = [];
  vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => {
    const headers = init.headers as Record<string, string>;
    const body = JSON.parse(init.body as string) as Request["body"];
    const request = { at: performance.now(), url: `${url}`, headers, body };
    requests.push(request);
    const act = acts[Math.min(requests.length, acts.length) - 1] as Act;
    const came = await act(request);
    if (came instanceof Error) throw came;
    return came;
  });
}

const answers =
  (content: unknown, usage: unknown = { prompt_tokens: 10, completion_tokens: 5 }): Act =>
  () =>
    Response.json({ choices: [{ message: { content } }], usage });
const refuses =
  (status: number, headers: Record<string, string> = {}, body: unknown = {}): Act =>
  () =>
    Response.json(body, { status, headers });

const base: LlmOptions = {
  ...{ model: "m", baseURL: "http://host:1/v1", environment: {}, waits: true },
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function proposerFor(options: LlmOptions = {}) {
  const proposer = llm({ ...base, ...options });
  proposer.begin(brief);
  return proposer;
}

const never = new AbortController().signal;

/** Asks, and lets the clock run until there is an answer. */
async function turn(proposer: ReturnType<typeof llm>, count = 8): Promise<Proposals> {
  const asked = proposer.propose(count, never);
  let isDone = false;
  void asked.finally(() => {
    isDone = true;
  });
  for (let i = 0; i < 5000 && !isDone; i++) await vi.advanceTimersByTimeAsync(isDone ? 0 : 50);
  return asked;
}

const times = (): number[] => requests.map(({ at }) => at - (requests[0]?.at ?? 0));

describe("the pace", () => {
  test("is one request an interval, the first at once, none made up for idle time", async () => {
    const pace = new Pace(200);
    const turns: number[] = [];
    const began = performance.now();
    const take = async () => {
      await pace.turn(never);
      turns.push(performance.now() - began);
    };
    void Promise.all([take(), take(), take()]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(turns).toEqual([0, 200, 400]);
    void take();
    void take();
    await vi.advanceTimersByTimeAsync(1000);
    expect(turns.slice(3)).toEqual([1000, 1200]);
  });

  test("is the slower of what a second and what a minute allow", () => {
    expect(intervalOf({})).toBe(200);
    expect(intervalOf({ requestsPerSecond: 10 })).toBe(100);
    expect(intervalOf({ requestsPerMinute: 30 })).toBe(2000);
    expect(intervalOf({ requestsPerSecond: 0.1, requestsPerMinute: 30 })).toBe(10_000);
    for (const bad of [0, -1, Number.NaN])
      expect(() => intervalOf({ requestsPerSecond: bad })).toThrow("must be positive");
  });

  test("holds between questions and for retries", async () => {
    network(refuses(503), refuses(503), answers(programs("x")));
    const proposer = proposerFor({ requestsPerMinute: 60, retryDelay: 1 });
    await turn(proposer);
    await turn(proposer);
    expect(times()).toEqual([0, 1000, 2000, 3000]);
  });

  test("a pause ends with its signal, and the longest timer does not fire at once", async () => {
    const stop = new AbortController();
    let isOver = false;
    void pause(1e9, stop.signal).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(isOver).toBe(false);
    stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect([isOver, vi.getTimerCount()]).toEqual([true, 0]);
    let isLong = false;
    void pause(2 ** 31, never).then(() => {
      isLong = true;
    });
    await vi.advanceTimersByTimeAsync(2 ** 31 - 1);
    expect(isLong).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isLong).toBe(true);
    await pause(0, never);
    await pause(5, stop.signal);
  });
});

describe("retries", () => {
  test("come after a pause that doubles, as many as were allowed", async () => {
    network(refuses(500));
    const proposer = proposerFor({ retries: 3, retryDelay: 1000, requestsPerSecond: 1e6 });
    const batches = [await turn(proposer), await turn(proposer)];
    expect(times()).toEqual([0, 1000, 3000, 7000]);
    const told = batches.flatMap(({ problems = [] }) => problems.map(({ message }) => message));
    const said = 'http://host:1/v1 answered 500 for model "m"';
    expect(told).toEqual([`${said}; it is asked again in 1 s`, said]);
  });

  test.each([
    ["2", 2000],
    ["0", 0],
    ["-3", 0],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["soon", 500],
    [" ", 500],
  ])("wait for Retry-After %j: %s ms", async (value, wait) => {
    vi.setSystemTime(Date.UTC(2026, 0, 1));
    network(refuses(429, { "retry-after": value }), answers(programs("x")));
    const proposer = proposerFor({ retryDelay: 500, requestsPerSecond: 1e6 });
    const first = await turn(proposer);
    if (first.proposals.length === 0) await turn(proposer);
    expect(times()).toHaveLength(2);
    expect(Math.abs((times()[1] ?? -1) - wait)).toBeLessThan(60);
  });

  test.each([
    [600_000, false],
    [600_001, true],
  ])("a pause of %s ms: the endpoint is left for good: %s", async (wait, isLeft) => {
    network(refuses(429, { "retry-after": `${wait / 1000}` }), answers(programs("x")));
    const first = await turn(proposerFor());
    expect(first.isExhausted ?? false).toBe(isLeft);
    const [problem] = first.problems ?? [];
    expect(problem?.message).toContain(
      isLeft ? "a pause of 601 s, and 600 s are waited at most" : "it is asked again in 600 s",
    );
  });

  test.each([
    [500, true],
    [599, true],
    [408, true],
    [429, true],
    [400, false],
    [404, false],
    [499, false],
    [401, false],
    [403, false],
  ])("status %s is asked again: %s", async (status, isAgain) => {
    network(refuses(status), answers(programs("x")));
    const proposer = proposerFor({ retryDelay: 1, requestsPerSecond: 1e6 });
    const batch = await turn(proposer);
    expect(requests).toHaveLength(isAgain ? 2 : 1);
    expect(batch.isExhausted ?? false).toBe(status === 401 || status === 403);
    expect(batch.proposals).toHaveLength(isAgain ? 1 : 0);
  });

  test("are told when the pause is a second, not when it is less", async () => {
    for (const [delay, isTold] of [
      [999, false],
      [1000, true],
      [1600, true],
    ] as const) {
      network(refuses(500), answers(programs("x")));
      const batch = await turn(proposerFor({ retryDelay: delay, requestsPerSecond: 1e6 }));
      // Where it is told at once the answer has not come yet.
      expect(batch.proposals).toHaveLength(isTold ? 0 : 1);
      const [problem] = batch.problems ?? [];
      const when = isTold ? ` in ${Math.round(delay / 1000)} s` : "";
      expect(problem?.message.endsWith(`; it is asked again${when}`)).toBe(true);
    }
  });

  test("are told once for each kind until an answer comes, and anew after it", async () => {
    const good = answers(programs("x"));
    network(refuses(500), refuses(500), refuses(429), good, refuses(500), good);
    const proposer = proposerFor({ retryDelay: 1, requestsPerSecond: 1e6 });
    const first = await turn(proposer);
    expect(first.problems?.map(({ code }) => code)).toEqual(["E-LLM-ENDPOINT", "E-LLM-RATE"]);
    const second = await turn(proposer);
    expect(second.problems?.map(({ code }) => code)).toEqual(["E-LLM-ENDPOINT"]);
  });
});

describe("a redirect", () => {
  const to = (location: string, status = 307): Act => refuses(status, { location });

  test("on the same origin is followed with key and question, three times at most", async () => {
    const options = { environment: { K: "secret" }, keyVariable: "K", requestsPerSecond: 1e6 };
    network(to("/v2/chat"), to("b", 308), to("http://u:p@host:1/c"), answers(programs("x")));
    expect((await turn(proposerFor(options))).proposals).toHaveLength(1);
    expect(requests.map(({ url }) => url)).toEqual([
      "http://host:1/v1/chat/completions",
      "http://host:1/v2/chat",
      "http://host:1/v2/b",
      "http://host:1/c",
    ]);
    expect(new Set(requests.map(({ headers }) => headers["authorization"]))).toEqual(
      new Set(["Bearer secret"]),
    );
    network(to("/again"));
    const batch = await turn(proposerFor(options));
    expect(requests).toHaveLength(4);
    expect(batch.problems?.[0]?.message).toContain("redirects more than 3 times");
  });

  test("waits for its turn like any request, and that wait does not count as the endpoint's", async () => {
    network(to("/a"), to("/b"), to("/c"), answers(programs("x")));
    const batch = await turn(proposerFor({ requestsPerMinute: 30, timeout: 1900 }));
    expect(batch.proposals).toHaveLength(1);
    expect(times()).toEqual([0, 2000, 4000, 6000]);
  });

  test.each([
    ["another host", to("http://other:1/v1"), "another origin, http://other:1"],
    ["another port", to("http://host:2/v1"), "another origin, http://host:2"],
    ["another protocol", to("https://host:1/v1"), "another origin, https://host:1"],
    ["nowhere", refuses(307), "nowhere"],
    ["no address", to("http://"), "nowhere"],
    ["a page that is only to be looked at", to("/x", 303), "drops the question"],
    ["a moved page", to("/x", 301), "drops the question"],
  ])("to %s is not followed", async (_, act, words) => {
    network(act, answers(programs("x")));
    const batch = await turn(proposerFor());
    expect(requests).toHaveLength(1);
    expect(batch.problems?.[0]).toMatchObject({ code: "E-LLM-REDIRECT" });
    expect(batch.problems?.[0]?.message).toContain(words);
  });
});

describe("settings", () => {
  test("come from options, then the environment in its order; empty ones are none", () => {
    const environment = {
      ...{ NDVM_LLM_MODEL: "mine", OPENAI_BASE_URL: "http://o/v1", OPENAI_API_KEY: "ok" },
      ...{ NDVM_LLM_API_KEY: "", toString: "no" },
    };
    const found = endpointOf({ environment });
    expect([found.model, found.name, found.authorization]).toEqual([
      "mine",
      "http://o/v1",
      "Bearer ok",
    ]);
    const own = endpointOf({
      ...{
        environment: { ...environment, NDVM_LLM_BASE_URL: "http://n/v1/", NDVM_LLM_API_KEY: "k" },
      },
      model: "other",
    });
    expect([own.model, `${own.url}`, own.authorization]).toEqual([
      "other",
      "http://n/v1/chat/completions",
      "Bearer k",
    ]);
    expect(endpointOf({ ...base, keyVariable: "NONE" }).authorization).toBeUndefined();
    expect(found).toMatchObject({
      ...{ timeout: 60_000, idleTimeout: 20_000, bytesMax: 4 * 2 ** 20, retries: 4 },
      ...{ retryDelay: 1000, pauseMax: 600_000 },
    });
  });

  test("are keys without the line end and the blanks of their file", () => {
    for (const key of ["shortkey123\r", "shortkey123\r\n", " shortkey123\t", "\ufeffshortkey123"]) {
      const found = endpointOf({ ...base, environment: { OPENAI_API_KEY: key } });
      expect(found.authorization).toBe("Bearer shortkey123");
      expect(found.clean("bad key 'shortkey123'")).toBe("bad key '[secret]'");
    }
    const blank = endpointOf({ ...base, environment: { NDVM_LLM_API_KEY: "\r\n" } });
    expect(blank.authorization).toBeUndefined();
  });

  test.each(["two\nlines", "one–two", "a\u0000b"])(
    "are no keys that HTTP cannot send: %j",
    (key) => {
      const environment = { OPENAI_API_KEY: key };
      expect(() => endpointOf({ ...base, environment })).toThrow(
        "the key in OPENAI_API_KEY has characters that HTTP cannot send",
      );
    },
  );

  test.each([
    "http://me:1234/SecretPw@h/v1",
    "http://SecretPw/x@h/v1",
    "me:SecretPw@h",
    "http:me:SecretPw@h",
  ])("are not repeated where they may be a password: %s", (baseURL) => {
    expect(() => endpointOf({ ...base, baseURL })).toThrow(
      /^the llm proposer's endpoint is not an address$/,
    );
  });

  test("in the address go before a key, and are in no name", () => {
    const found = endpointOf({
      ...base,
      ...{ baseURL: "http://me:pa%20ss@host:1/v1//?a=1#x", environment: { OPENAI_API_KEY: "k" } },
    });
    expect(found.authorization).toBe(`Basic ${Buffer.from("me:pa ss").toString("base64")}`);
    expect(`${found.url}`).toBe("http://host:1/v1/chat/completions?a=1");
    expect(found.name).toBe("http://host:1/v1");
    expect(endpointOf({ ...base, baseURL: "http://me@host/v1" }).authorization).toBe(
      `Basic ${Buffer.from("me:").toString("base64")}`,
    );
  });

  test.each(["timeout", "idleTimeout", "answerBytesMax", "pauseMax"])("%s is positive", (name) => {
    expect(() => endpointOf({ ...base, [name]: 0 })).toThrow(`${name} must be positive, got 0`);
  });

  test("a temperature is sent where it is given", async () => {
    network(answers(programs("x")));
    await turn(proposerFor({ temperature: 0 }));
    await turn(proposerFor());
    expect(requests.map(({ body }) => body.temperature)).toEqual([0, undefined]);
    expect(requests[0]?.body.model).toBe("m");
  });
});

test("nobody waits for an answer unless it is asked for", async () => {
  network(answers(programs("a")));
  const { waits: _, ...unsaid } = base;
  const silent = llm(unsaid);
  silent.begin(brief);
  let isBack = false;
  const first = silent.propose(5, never).then(({ proposals }) => {
    isBack = true;
    return proposals;
  });
  for (let turns = 0; turns < 50 && !isBack; turns++) await Promise.resolve();
  expect(isBack).toBe(true);
  expect(await first).toEqual([]);
});

describe("what is left over", () => {
  test("of an answer comes with the next turns, before anything new is asked", async () => {
    network(answers(programs("a", "b", "c", "d", "e")));
    const proposer = proposerFor();
    const sources = async (count: number) =>
      (await turn(proposer, count)).proposals.map(({ source }) => source);
    // As many as there is room for are asked for, so more come only where there was more room.
    const five = proposer.propose(5, never);
    await vi.advanceTimersByTimeAsync(10);
    expect((await five).proposals).toHaveLength(5);
    const company = proposerFor({ waits: false });
    expect((await company.propose(5, never)).proposals).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect((await company.propose(2, never)).proposals.map(({ source }) => source)).toEqual([
      "a",
      "b",
    ]);
    const saved = JSON.parse(JSON.stringify(company.save()));
    const again = proposerFor({ waits: false });
    again.restore(saved);
    for (const each of [company, again]) {
      const next = [await each.propose(2, never), await each.propose(2, never)];
      expect(next.map((batch) => batch.proposals.map(({ source }) => source))).toEqual([
        ["c", "d"],
        ["e"],
      ]);
      expect(next[0]?.proposals[0]).toMatchObject({ origin: "answer", parents: [] });
      expect(next[0]?.proposals[0]?.prompt).toContain("Propose 5 programs");
    }
    expect(requests).toHaveLength(2);
    expect(await sources(2)).toEqual(["a", "b"]);
  });

  test("over a resume: spending, misses and that it is over, and nothing is spent twice", async () => {
    network(answers("nonsense"));
    const proposer = proposerFor({ prices: { input: 2, output: 10 }, requestsPerSecond: 1e6 });
    await turn(proposer);
    await turn(proposer);
    const again = proposerFor({ prices: { input: 2, output: 10 } });
    again.restore(JSON.parse(JSON.stringify(proposer.save())));
    const third = await turn(again);
    expect(third.isExhausted).toBe(true);
    expect(third.problems?.at(-1)?.message).toMatch(
      /^http:.* is given up after 3 failed questions$/,
    );
    expect(third.spending).toEqual({ requests: 1, inputTokens: 10, outputTokens: 5, cost: 7e-5 });
    expect(again.save()).toMatchObject({
      spending: { requests: 3, inputTokens: 30 },
      isOver: true,
    });
    const over = proposerFor();
    over.restore(JSON.parse(JSON.stringify(again.save())));
    expect(await turn(over)).toEqual({ proposals: [], isExhausted: true });
    expect(requests).toHaveLength(3);
  });

  test("a good answer forgives misses", async () => {
    const bad = answers("nonsense");
    network(bad, bad, answers(programs("x")), bad, bad, bad);
    const proposer = proposerFor({ requestsPerSecond: 1e6 });
    const over: boolean[] = [];
    for (let i = 0; i < 6; i++) over.push((await turn(proposer)).isExhausted ?? false);
    expect(over).toEqual([false, false, false, false, false, true]);
  });
});

describe("a key, a password or a token that is echoed", () => {
  const secret = "Zq83hYw0-PpLm21.vT";
  const ways: readonly (readonly [string, LlmOptions])[] = [
    ["the environment's key", { environment: { NDVM_LLM_API_KEY: secret } }],
    ["the password of the address", { baseURL: `http://me:${secret}@host:1/v1` }],
    ["a token for the user's name", { baseURL: `http://${secret}@host:1/v1` }],
    ["a value of the address's query", { baseURL: `http://host:1/v1?api_key=${secret}` }],
  ];
  /** Pieces of the secret that are long enough to be told from other words. */
  const pieces = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6));
  const filler = "lorem ipsum dolor sit amet consetetur ".repeat(9);

  test.each(ways)(
    "%s is in nothing that comes out, wherever in an answer it stands",
    async (_, options) => {
      for (let at = 0; at < 260; at += 7) {
        const text = `${filler.slice(0, at)}${secret} ${filler}`;
        for (const act of [
          answers(text),
          answers(programs(`(* a ${secret})`, `${filler.slice(0, at)}${secret}`)),
          answers(`{"no": "${text}"}`),
          refuses(400, {}, { error: { message: text } }),
          refuses(400, { "content-type": text.slice(0, 300) }, text),
          () =>
            new Response("x", { headers: { "content-type": `text/${text.replaceAll(" ", "-")}` } }),
          () =>
            new Response("{}", { status: 302, headers: { location: `http://other/${secret}` } }),
        ]) {
          network(act);
          const said = JSON.stringify(await turn(proposerFor({ ...options, retries: 0 })));
          expect(
            pieces.filter((piece) => said.includes(piece)),
            said,
          ).toEqual([]);
        }
      }
    },
  );
});

describe("a program that says the key", () => {
  const key = "sk-VerySecretKey0123456789abcd";
  const options = { environment: { NDVM_LLM_API_KEY: key }, retries: 0 };
  const asked = async (...sources: string[]) => {
    network(answers(programs(...sources)));
    return turn(proposerFor(options));
  };

  test.each([
    ["in an escape of a symbol", `(* |${key.replace("V", "\\x56;")}| x)`],
    ["in an escape with many zeros", `(* |${key.replace("V", `\\x${"0".repeat(99)}56;`)}| x)`],
    ["over a line that goes on", `(* |${key.replace("V", "V\\\n         ")}| x)`],
    [
      "in escapes alone",
      `(* |${key.replace(/./g, (c) => `\\x${c.charCodeAt(0).toString(16)};`)}| x)`,
    ],
    ["in plain letters", `(* ${key} x)`],
    ["in a comment", `; ${key}\n(* a x)`],
    ["in two names", `(* ${key.slice(0, 9)} ${key.slice(9)})`],
    ["where the reader cannot read it", `(* |${key.replace("V", "\\x56;")}`],
  ])("is left out: %s", async (_, source) => {
    const { proposals, problems = [] } = await asked(source, "(+ a x)");
    expect(proposals.map((one) => one.source)).toEqual(["(+ a x)"]);
    expect(problems).toEqual([
      {
        code: "E-LLM-SECRET",
        message: "http://host:1/v1 puts the key or the password into programs: 1 are left out",
      },
    ]);
  });

  test("is left out where the reader makes the key of a number", async () => {
    network(answers(programs("(* 1.2345678901e10 x)", "(+ a x)")));
    const environment = { NDVM_LLM_API_KEY: "12345678901" };
    const { proposals } = await turn(proposerFor({ environment }));
    expect(proposals.map((one) => one.source)).toEqual(["(+ a x)"]);
  });

  test("is a failed question where it is the only one", async () => {
    const { proposals, problems = [] } = await asked(`(* ${key} x)`);
    expect(proposals).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(["E-LLM-SECRET"]);
  });

  test("is not one that looks like an address with a password of somebody else", async () => {
    const source = "(* |http://me:pw@host| |k&pass=1|)";
    expect((await asked(source)).proposals.map((one) => one.source)).toEqual([source]);
  });
});

test("a variable that is no one's own is no key", () => {
  for (const keyVariable of ["constructor", "toString", "__proto__"]) {
    const { authorization } = endpointOf({ ...base, keyVariable });
    expect(authorization).toBeUndefined();
  }
});

test("a question that ends while it waits for its turn is not asked", async () => {
  network(answers(programs("x")));
  const proposer = proposerFor({ requestsPerMinute: 60 });
  await turn(proposer);
  const stop = new AbortController();
  const asked = proposer.propose(8, stop.signal);
  await vi.advanceTimersByTimeAsync(300);
  stop.abort();
  await vi.advanceTimersByTimeAsync(5000);
  expect(await asked).toMatchObject({ proposals: [] });
  expect(requests).toHaveLength(1);
});

test("what is to be told while nobody waits is told at the next turn, before the answer", async () => {
  let answer: (came: Response) => void = () => {};
  const slow = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  network(refuses(503), refuses(429), () => slow);
  const proposer = proposerFor({ retryDelay: 2000 });
  const first = await turn(proposer);
  expect(first.problems?.map(({ code }) => code)).toEqual(["E-LLM-ENDPOINT"]);
  // The second failure comes while the engine is elsewhere.
  await vi.advanceTimersByTimeAsync(2500);
  const second = await turn(proposer);
  expect(second.problems?.map(({ code }) => code)).toEqual(["E-LLM-RATE"]);
  answer(Response.json({ choices: [{ message: { content: programs("x") } }] }));
  await vi.advanceTimersByTimeAsync(9000);
  expect((await turn(proposer)).proposals).toHaveLength(1);
});

test("nobody listens to a signal any more once a pause is over", async () => {
  const { signal } = new AbortController();
  const [added, removed] = [
    vi.spyOn(signal, "addEventListener"),
    vi.spyOn(signal, "removeEventListener"),
  ];
  for (const milliseconds of [0, 10, 500]) void pause(milliseconds, signal);
  await vi.advanceTimersByTimeAsync(1000);
  expect(added).toHaveBeenCalledTimes(2);
  expect(removed.mock.calls.map(([, end]) => end)).toEqual(added.mock.calls.map(([, end]) => end));
});

test("an answer that is too long or too much is told once", async () => {
  network(answers(JSON.stringify(["a", "b", "x".repeat(20_001)])));
  const proposer = proposerFor({ programs: 1, requestsPerSecond: 1e6 });
  const told = [await turn(proposer), await turn(proposer)].map(({ problems }) => problems);
  expect(told[0]?.map(({ message }) => message)).toEqual([
    "http://host:1/v1 gives programs that are too many or too long: 1 and 1 are left out",
  ]);
  expect(told[1]).toEqual([]);
});
