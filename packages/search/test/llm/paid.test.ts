/**
 * What a call has cost when it fails: every way to fail, before the answer begins and after any of its
 * pieces. And texts that are cut, wherever a character beyond 16 bits stands.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { excerpt } from "../../src/llm/completion.js";
import { post } from "../../src/llm/http.js";
import { EndpointError, type Trouble } from "../../src/llm/trouble.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

interface Failing {
  timeout(): void;
  idle(): void;
  leave(): void;
}
/** By name: how a call is made to fail, and what its trouble is. */
const ways: Readonly<
  Record<string, readonly [(call: Failing) => void, Pick<Trouble, "code" | "canRetry">]>
> = {
  "the whole time is over": [({ timeout }) => timeout(), { code: "E-LLM-TIMEOUT", canRetry: true }],
  "nothing more comes": [({ idle }) => idle(), { code: "E-LLM-TIMEOUT", canRetry: true }],
  "the search ends": [({ leave }) => leave(), { code: "E-LLM-UNREACHABLE", canRetry: true }],
  ...Object.fromEntries(
    (
      [
        ["ECONNRESET", "E-LLM-UNREACHABLE", true],
        ["UND_ERR_HEADERS_TIMEOUT", "E-LLM-TIMEOUT", true],
        ["UND_ERR_BODY_TIMEOUT", "E-LLM-TIMEOUT", true],
        ["Z_DATA_ERROR", "E-LLM-FORMAT", false],
        ["ERR__ERROR_FORMAT_PADDING_1", "E-LLM-FORMAT", false],
      ] as const
    ).map(([name, code, canRetry]) => [
      name,
      [
        () => {
          throw new TypeError("terminated", {
            cause: Object.assign(new Error("it"), { code: name }),
          });
        },
        { code, canRetry },
      ] as const,
    ]),
  ),
};

/** The trouble of a call that fails after some pieces of its answer; before it begins where there is no status. */
async function fail(
  way: (call: Failing) => void,
  pieces: readonly string[],
  status: number | undefined,
): Promise<Trouble> {
  const leaving = new AbortController();
  const timers: { readonly milliseconds: number; readonly fire: () => void; isOver: boolean }[] =
    [];
  const startTimer = (milliseconds: number, fire: () => void) => {
    const timer = { milliseconds, fire, isOver: false };
    timers.push(timer);
    return () => {
      timer.isOver = true;
    };
  };
  const fire = (wanted: number) => {
    for (const { milliseconds, isOver, fire: now } of timers)
      if (milliseconds === wanted && !isOver) now();
  };
  const stall = async (signal: AbortSignal) => {
    // Whoever reads has had the pieces before by then.
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    const cut = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
    });
    cut.catch(() => {});
    way({ timeout: () => fire(60_000), idle: () => fire(2500), leave: () => leaving.abort() });
    await cut;
  };
  const left = pieces.map((piece) => new TextEncoder().encode(piece));
  vi.stubGlobal("fetch", async (_url: URL, { signal }: { signal: AbortSignal }) => {
    if (status === undefined) await stall(signal);
    const body = new ReadableStream({
      async pull(controller) {
        const piece = left.shift();
        if (piece === undefined) await stall(signal);
        else controller.enqueue(piece);
      },
    });
    return new Response(body, { status: status ?? 200 });
  });
  try {
    await post({
      ...{ url: new URL("http://host/v1"), name: "the host", authorization: undefined, body: "{}" },
      ...{
        timeout: 60_000,
        idleTimeout: 2500,
        bytesMax: 1000,
        signal: leaving.signal,
        startTimer,
        turn: async () => {},
      },
    });
  } catch (error) {
    if (error instanceof EndpointError) return error.trouble;
    throw error;
  } finally {
    vi.unstubAllGlobals();
  }
  throw new Error("it came to an end");
}

describe.each(Object.keys(ways))("a call that fails since %s", (name) => {
  const [way, wanted] = ways[name] as (typeof ways)[string];

  test("has cost what had come of its answer, in bytes", async () => {
    for (const pieces of [[], ["{"], ["{", "añb…"], ["", "xyz", ""], ["a".repeat(700)]]) {
      const received = Buffer.from(pieces.join("")).length;
      expect(await fail(way, pieces, 200)).toMatchObject({ ...wanted, received });
    }
  });

  test("has cost nothing before it is answered, or where it is refused", async () => {
    if (name !== "nothing more comes")
      expect(await fail(way, [], undefined)).not.toHaveProperty("received");
    for (const pieces of [[], ["no"]])
      expect(await fail(way, pieces, 429)).not.toHaveProperty("received");
  });
});

test("an excerpt whose blanks are folded was cut through a character", () => {
  for (let blanks = 230; blanks < 245; blanks++)
    expect(excerpt(`a${" ".repeat(blanks)}😀b`)).not.toMatch(/\p{Surrogate}/u);
});

test("an excerpt ends in whole characters, wherever it is cut", () => {
  const whole = (text: string) => !/\p{Surrogate}/u.test(text);
  for (let before = 0; before <= 245; before++)
    for (const after of ["", "b", "b".repeat(130), "😀".repeat(70)]) {
      const text = `${"x".repeat(before)}😀${after}`;
      const shown = excerpt(text);
      expect(whole(shown), `${before}`).toBe(true);
      if (text.length <= 120) expect(shown).toBe(text);
      else {
        expect(shown.endsWith("…")).toBe(true);
        // All of it stands at the beginning of the text, but for what was cut through.
        expect(text.startsWith(shown.slice(0, -1).replace(/\ufffd$/, ""))).toBe(true);
        expect(shown.length).toBe(121);
      }
    }
});
