/**
 * One call over a network that is a function, with timers that fire when the test says: the whole of
 * every answer and of every failure.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { type Answer, post } from "../../src/llm/http.js";
import { Pace } from "../../src/llm/pace.js";
import { ask, type Endpoint } from "../../src/llm/request.js";
import { EndpointError, type Trouble } from "../../src/llm/trouble.js";

interface Timer {
  readonly milliseconds: number;
  readonly fire: () => void;
  isStopped: boolean;
}

let timers: Timer[] = [];
const never = new AbortController().signal;

afterEach(() => {
  vi.unstubAllGlobals();
  timers = [];
});

type Fetch = (url: URL, init: RequestInit) => Response | Promise<Response>;

const settings = {
  url: new URL("http://host:1/v1/chat"),
  name: "the host",
  authorization: "Bearer k",
  body: "{}",
  timeout: 60_000,
  idleTimeout: 2500,
  bytesMax: 100,
  turn: async () => {},
  startTimer: (milliseconds: number, fire: () => void) => {
    const timer = { milliseconds, fire, isStopped: false };
    timers.push(timer);
    return () => {
      timer.isStopped = true;
    };
  },
};

/** What came of a call: the answer, or the trouble. */
async function call(
  fetched: Fetch,
  change: Partial<typeof settings> & { signal?: AbortSignal } = {},
): Promise<Answer | Trouble> {
  vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => fetched(url, init));
  try {
    return await post({ ...settings, signal: never, ...change });
  } catch (error) {
    expect(error).toBeInstanceOf(EndpointError);
    expect((error as Error).message).toBe((error as EndpointError).trouble.message);
    return (error as EndpointError).trouble;
  } finally {
    expect(timers.every(({ isStopped }) => isStopped)).toBe(true);
  }
}

/** A body that is given piece by piece; a function is called, and what it returns is waited for. */
function body(...pieces: readonly (string | Uint8Array | (() => unknown))[]): ReadableStream {
  const left = [...pieces];
  return new ReadableStream({
    async pull(controller) {
      const piece = left.shift();
      if (piece === undefined) return controller.close();
      if (typeof piece === "function") {
        await piece();
        return controller.enqueue(new Uint8Array());
      }
      controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
    },
  });
}

/** Waits for ever, or until the call is cut. */
const until = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_, reject) => {
    const fail = () => reject(new DOMException("aborted", "AbortError"));
    if (signal?.aborted) fail();
    signal?.addEventListener("abort", fail);
  });

describe("an answer", () => {
  test("is put together from its pieces, cut through characters or not", async () => {
    const bytes = new TextEncoder().encode("añb…");
    const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
    const headers = { "content-type": " Application/JSON ; charset=utf-8", "retry-after": "7" };
    expect(await call(() => new Response(body(...pieces), { headers }))).toEqual({
      status: 200,
      isError: false,
      retryAfter: "7",
      type: "application/json",
      text: "añb…",
      bytes: bytes.length,
    });
  });

  test("without a body or a type is empty", async () => {
    expect(await call(() => new Response(null, { status: 204 }))).toEqual({
      ...{ status: 204, isError: false, retryAfter: undefined, type: "", text: "", bytes: 0 },
    });
  });

  test("that ends within a character says so", async () => {
    expect(await call(() => new Response(Uint8Array.of(65, 0xc3)))).toMatchObject({
      text: "A\ufffd",
      bytes: 2,
    });
  });

  test("is asked for once, with its headers, and never redirected by itself", async () => {
    const asked: unknown[] = [];
    await call((url, { signal, ...init }) => {
      asked.push([`${url}`, init]);
      expect(signal?.aborted).toBe(false);
      return new Response("{}");
    });
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      authorization: "Bearer k",
    };
    expect(asked).toEqual([
      ["http://host:1/v1/chat", { method: "POST", redirect: "manual", body: "{}", headers }],
    ]);
    const { authorization: _, ...others } = headers;
    await call(
      (__, init) => {
        expect(init.headers).toEqual(others);
        return new Response("{}");
      },
      { authorization: undefined } as never,
    );
  });

  test("of as many bytes as may be is whole, and one more is too many", async () => {
    expect(await call(() => new Response("x".repeat(100)))).toMatchObject({ bytes: 100 });
    let cut = 0;
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(101)),
      cancel() {
        cut += 1;
      },
    });
    expect(
      await call((_, { signal }) => {
        signal?.addEventListener("abort", () => {
          cut += 1;
        });
        return new Response(stream);
      }),
    ).toEqual({
      code: "E-LLM-SIZE",
      message: "the host answers with more than 100 bytes; the answer is dropped",
      canRetry: false,
      received: 101,
    });
    expect(cut).toBeGreaterThan(0);
  });

  test.each([200, 299])(
    "of status %i is one, and of an error the beginning is read",
    async (ok) => {
      const long = "x".repeat(70_000);
      const big = { bytesMax: 1e6 };
      expect(await call(() => new Response(long, { status: ok }), big)).toMatchObject({
        status: ok,
        isError: false,
        bytes: 70_000,
      });
      for (const status of [400, 500]) {
        const pieces = body("x".repeat(60_000), "y".repeat(5536), "z", "never");
        expect(await call(() => new Response(pieces, { status }), big)).toMatchObject({
          status,
          isError: true,
          text: "x".repeat(60_000) + "y".repeat(5536),
          bytes: 65_537,
        });
        expect(await call(() => new Response(long, { status }))).toMatchObject({ text: "" });
      }
    },
  );
});

describe("a failure", () => {
  test("in time: nothing came", async () => {
    const trouble = call((_, { signal }) => {
      timers[0]?.fire();
      return until(signal);
    });
    expect(await trouble).toEqual({
      code: "E-LLM-TIMEOUT",
      message: "the host gave no answer within 60 s",
      canRetry: true,
    });
    expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([60_000]);
  });

  test("in time: the answer stopped, and what came is told", async () => {
    const trouble = call((_, { signal }) => {
      const stuck = () => {
        timers.at(-1)?.fire();
        return until(signal);
      };
      return new Response(body("abc", stuck));
    });
    expect(await trouble).toEqual({
      code: "E-LLM-TIMEOUT",
      message: "the host began an answer and then sent nothing for 2.5 s",
      canRetry: true,
      received: 3,
    });
    expect(new Set(timers.slice(1).map(({ milliseconds }) => milliseconds))).toEqual(
      new Set([2500]),
    );
  });

  test("for two reasons is told by the first", async () => {
    const leaving = new AbortController();
    const both = call(
      (_, { signal }) => {
        timers[0]?.fire();
        leaving.abort();
        return until(signal);
      },
      { signal: leaving.signal },
    );
    expect(await both).toMatchObject({ message: "the host gave no answer within 60 s" });
  });

  test("because the search ended is told as whatever the network said", async () => {
    const gone = AbortSignal.abort();
    const trouble = await call((_, { signal }) => until(signal), { signal: gone });
    expect(trouble).toMatchObject({ code: "E-LLM-UNREACHABLE", canRetry: true });
    const leaving = new AbortController();
    let isCut = false;
    await call(
      (_, { signal }) => {
        signal?.addEventListener("abort", () => {
          isCut = true;
        });
        leaving.abort();
        return until(signal);
      },
      { signal: leaving.signal },
    );
    expect(isCut).toBe(true);
  });

  const failing = (cause: unknown, message = "fetch failed") => {
    throw Object.assign(new TypeError(message), { cause });
  };
  const coded = (code: unknown, message = "why") => Object.assign(new Error(message), { code });

  test.each<[string, unknown, object]>([
    [
      "a connection that is refused",
      coded("ECONNREFUSED", "connect ECONNREFUSED"),
      {
        code: "E-LLM-UNREACHABLE",
        message: "no model answers at the host (connect ECONNREFUSED)",
        canRetry: true,
      },
    ],
    [
      "one without words",
      coded("ENOTFOUND", ""),
      {
        code: "E-LLM-UNREACHABLE",
        message: "no model answers at the host (ENOTFOUND)",
        canRetry: true,
      },
    ],
    [
      "one that nobody knows",
      undefined,
      {
        code: "E-LLM-UNREACHABLE",
        message: "no model answers at the host (fetch failed)",
        canRetry: true,
      },
    ],
    ...["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"].map(
      (code): [string, unknown, object] => [
        code,
        coded(code),
        { code: "E-LLM-TIMEOUT", message: "the host gave no answer in time", canRetry: true },
      ],
    ),
    ...["Z_DATA_ERROR", "ERR__ERROR_FORMAT_PADDING_1"].map((code): [string, unknown, object] => [
      code,
      coded(code),
      {
        code: "E-LLM-FORMAT",
        message: "the host sends a compressed answer that cannot be unpacked",
        canRetry: false,
      },
    ]),
  ])("of the network: %s", async (_, cause, expected) => {
    expect(await call(() => failing(cause))).toEqual(expected);
  });

  test("of the network within an answer says what had come", async () => {
    const broken = body("abcd", () => {
      throw coded("UND_ERR_SOCKET", "other side closed");
    });
    expect(await call(() => new Response(broken))).toEqual({
      code: "E-LLM-UNREACHABLE",
      message: "no model answers at the host (other side closed)",
      canRetry: true,
      received: 4,
    });
    const inError = body("abcd", () => {
      throw coded("UND_ERR_SOCKET", "other side closed");
    });
    expect(await call(() => new Response(inError, { status: 500 }))).not.toHaveProperty("received");
  });
});

describe("a question", () => {
  const endpoint: Endpoint = {
    ...settings,
    model: "m",
    retries: 0,
    retryDelay: 5,
    pauseMax: 60_000,
    temperature: undefined,
    bytesMax: 1e6,
    clean: (text) => text.replaceAll("secret", "***"),
    holdsSecret: () => false,
  };
  const question = { system: "be brief", prompt: "find a law" };
  async function asked(fetched: Fetch, change: Partial<Endpoint> = {}) {
    vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => fetched(url, init));
    const retried: [Trouble, number][] = [];
    const reply = await ask({ ...endpoint, ...change }, question, new Pace(0), never, (...told) =>
      retried.push(told),
    );
    return { reply, retried };
  }
  const says =
    (status: number, json: unknown, headers: Record<string, string> = {}) =>
    () =>
      Response.json(json, { status, headers });

  test("is sent as messages with the schema of the answer, and with a temperature if there is one", async () => {
    const bodies: { readonly temperature?: number }[] = [];
    const fetched: Fetch = (_, init) => {
      bodies.push(JSON.parse(String(init.body)));
      return Response.json({ choices: [{ message: { content: "ok" } }] });
    };
    const { reply } = await asked(fetched);
    expect(reply).toEqual({
      kind: "answer",
      answer: {
        text: "ok",
        isRefusal: false,
        use: { inputTokens: 5, outputTokens: 1 },
        counted: "no",
      },
      uses: [],
    });
    await asked(fetched, { temperature: 0 });
    expect(bodies[0]).toMatchObject({
      model: "m",
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "find a law" },
      ],
      response_format: { type: "json_schema", json_schema: { name: "programs", strict: true } },
    });
    expect(bodies.map(({ temperature }) => temperature)).toEqual([undefined, 0]);
  });

  const E = "the host answered";
  test.each<[string, Fetch, object]>([
    [
      "a key that is wrong",
      says(401, { error: { message: "bad secret" } }),
      {
        code: "E-LLM-KEY",
        message: `${E} 401 for model "m": bad ***. Is the key in the environment right?`,
        canRetry: false,
        isFinal: true,
      },
    ],
    [
      "what is forbidden",
      says(403, {}),
      {
        code: "E-LLM-KEY",
        message: `${E} 403 for model "m". Is the key in the environment right?`,
        canRetry: false,
        isFinal: true,
      },
    ],
    [
      "a rate",
      says(429, { error: "slow down" }, { "retry-after": "2" }),
      {
        code: "E-LLM-RATE",
        message: `${E} 429 for model "m": slow down`,
        canRetry: true,
        after: 2000,
      },
    ],
    [
      "a rate with a date that is over",
      says(429, { message: "slow" }, { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }),
      { code: "E-LLM-RATE", message: `${E} 429 for model "m": slow`, canRetry: true, after: 0 },
    ],
    [
      "a rate that is no time",
      says(429, { error: { message: 7 } }, { "retry-after": "soon" }),
      { code: "E-LLM-RATE", message: `${E} 429 for model "m"`, canRetry: true, after: undefined },
    ],
    [
      "a rate that says nothing",
      says(429, [], { "retry-after": " " }),
      { code: "E-LLM-RATE", message: `${E} 429 for model "m"`, canRetry: true, after: undefined },
    ],
    [
      "a pause that is too long",
      says(503, {}, { "retry-after": "60.0005" }),
      {
        code: "E-LLM-ENDPOINT",
        message: `${E} 503 for model "m". It asks for a pause of 61 s, and 60 s are waited at most`,
        canRetry: false,
        isFinal: true,
        after: 60_000.5,
      },
    ],
    [
      "a pause that is just short enough",
      says(503, {}, { "retry-after": "60" }),
      { code: "E-LLM-ENDPOINT", message: `${E} 503 for model "m"`, canRetry: true, after: 60_000 },
    ],
    ...[408, 500, 599].map((status): [string, Fetch, object] => [
      `a failure of the server, ${status}`,
      says(status, {}),
      {
        code: "E-LLM-ENDPOINT",
        message: `${E} ${status} for model "m"`,
        canRetry: true,
        after: undefined,
      },
    ]),
    ...[400, 404, 499].map((status): [string, Fetch, object] => [
      `a mistake of ours, ${status}`,
      says(status, {}, { "retry-after": "9" }),
      { code: "E-LLM-ENDPOINT", message: `${E} ${status} for model "m"`, canRetry: false },
    ]),
    [
      "an answer that is no JSON",
      () => new Response("<p>", { headers: { "content-type": "text/secret" } }),
      {
        code: "E-LLM-FORMAT",
        message: "the host answers with text/***, not with JSON",
        canRetry: false,
        received: 3,
      },
    ],
    [
      "JSON that is broken",
      () => new Response("{", { headers: { "content-type": "application/json" } }),
      {
        code: "E-LLM-FORMAT",
        message: "the host answers with broken JSON",
        canRetry: false,
        received: 1,
      },
    ],
  ])("is refused: %s", async (_, fetched, trouble) => {
    const { reply, retried } = await asked(fetched);
    const uses = "received" in trouble ? [{ inputTokens: 5, outputTokens: 1 }] : [];
    expect(reply).toEqual({ kind: "failed", trouble, uses });
    expect(retried).toEqual([]);
  });

  test("is asked again after pauses that double, and each request begun is paid for", async () => {
    let times = 0;
    const { reply, retried } = await asked(
      () => {
        times += 1;
        if (times === 2)
          return new Response(body("abcde", () => Promise.reject(new Error("gone"))));
        return Response.json({}, { status: 500 });
      },
      { retries: 2, retryDelay: 1 },
    );
    expect(times).toBe(3);
    expect(retried.map(([{ code }, wait]) => [code, wait])).toEqual([
      ["E-LLM-ENDPOINT", 1],
      ["E-LLM-UNREACHABLE", 2],
    ]);
    expect(reply).toMatchObject({ kind: "failed", uses: [{ inputTokens: 5, outputTokens: 2 }] });
  });

  test("of a search that has ended is not answered", async () => {
    const ended = new AbortController();
    vi.stubGlobal("fetch", async () => {
      ended.abort();
      throw new TypeError("fetch failed");
    });
    const question_ = ask(endpoint, question, new Pace(0), ended.signal, () => {});
    expect(await question_).toEqual({ kind: "aborted" });
    expect(await ask(endpoint, question, new Pace(0), ended.signal, () => {})).toEqual({
      kind: "aborted",
    });
  });
});

describe("what is let go of", () => {
  test("the signal, whatever came of the call", async () => {
    for (const fetched of [
      () => new Response("{}"),
      () => new Response("x", { status: 500 }),
      () => Promise.reject(new Error("gone")),
    ]) {
      const { signal } = new AbortController();
      const added = vi.spyOn(signal, "addEventListener");
      const removed = vi.spyOn(signal, "removeEventListener");
      await call(fetched, { signal });
      const listeners = (spy: { readonly mock: { readonly calls: readonly unknown[][] } }) =>
        spy.mock.calls.map(([, listener]) => listener);
      expect(listeners(removed)).toEqual(expect.arrayContaining(listeners(added)));
      expect(added).toHaveBeenCalled();
    }
  });

  test("the body of a redirect", async () => {
    const cancelled: number[] = [];
    let redirects = 0;
    const came = await call(() => {
      const number = redirects;
      redirects += 1;
      if (number === 2) return new Response("{}");
      const body = new ReadableStream({
        cancel: () => {
          cancelled.push(number);
        },
      });
      return new Response(body, { status: 307, headers: { location: "/v1/elsewhere" } });
    });
    expect(came).toMatchObject({ status: 200 });
    expect(cancelled).toEqual([0, 1]);
  });

  test.each([
    [100, 100],
    [200_000, 65_536],
  ])(
    "an error's page beyond what is read of it, at most %i bytes of an answer",
    async (bytesMax, most) => {
      let given = 0;
      const page = new ReadableStream(
        {
          pull(controller) {
            given += 10;
            controller.enqueue(new Uint8Array(10).fill(65));
          },
        },
        { highWaterMark: 0 },
      );
      const came = await call(() => new Response(page, { status: 500 }), { bytesMax });
      expect(came).toMatchObject({ status: 500, isError: true });
      expect(given).toBe(10 * (Math.floor(most / 10) + 1));
    },
  );
});
