/**
 * A hostile endpoint on the loopback: it plays a script of acts, one for each request, and each act
 * says what an honest client must make of it.
 *
 * Timers of the client do not run by the clock: an act that stalls lets them fire itself, so a busy
 * machine changes nothing.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip, gzipSync } from "node:zlib";
import type { LlmCode } from "../../src/llm/trouble.js";
import type { StartTimer } from "../../src/timer.js";

/** What a client must make of an act. */
export interface Verdict {
  /** "retry": ask again; "miss": the question failed; "final": the endpoint is left for good. */
  readonly kind: "good" | "retry" | "miss" | "final";
  readonly code?: LlmCode;
  /** An answer was begun: the request is paid for. */
  readonly isPaid: boolean;
  /** Programs that are taken, of those that were asked for. */
  readonly programs?: number;
}

export interface HostileAct {
  readonly name: string;
  readonly verdict: Verdict;
  play(stage: Stage): void;
}

export interface Stage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Lets the client's timer of the whole call, or between two pieces, fire. */
  fire(which: "timeout" | "idle"): void;
  /** Another origin that is listening. */
  readonly elsewhere: string;
}

const JSON_TYPE = { "content-type": "application/json" };

/** A chat completion around a text. */
export const completion = (content: unknown, rest: object = {}): string =>
  JSON.stringify({
    choices: [{ message: { role: "assistant", content } }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
    ...rest,
  });

export const sources = (count: number): string =>
  JSON.stringify({
    programs: Array.from({ length: count }, (_, i) => ({ source: `(+ x a${i})` })),
  });

const GOOD: Verdict = { kind: "good", isPaid: true, programs: 2 };
const miss = (code: LlmCode, isPaid: boolean): Verdict => ({ kind: "miss", code, isPaid });
const retry = (code: LlmCode, isPaid = false): Verdict => ({ kind: "retry", code, isPaid });

const says = (
  name: string,
  verdict: Verdict,
  body: string | Buffer,
  headers: Record<string, string> = {},
): HostileAct => ({
  name,
  verdict,
  play: ({ response }) => response.writeHead(200, { ...JSON_TYPE, ...headers }).end(body),
});

const fails = (
  status: number,
  verdict: Verdict,
  headers: Record<string, string> = {},
): HostileAct => ({
  name: `status ${status} ${JSON.stringify(headers)}`,
  verdict,
  play: ({ response }) =>
    response
      .writeHead(status, { ...JSON_TYPE, ...headers })
      .end(JSON.stringify({ error: { message: "no" } })),
});

const redirects = (name: string, status: number, to: (stage: Stage) => string): HostileAct => ({
  name: `redirect ${status} ${name}`,
  verdict: miss("E-LLM-REDIRECT", false),
  play: (stage) => stage.response.writeHead(status, { location: to(stage) }).end(),
});

const usage = (name: string, tokens: unknown): HostileAct =>
  says(
    `usage: ${name}`,
    { ...GOOD, code: "E-LLM-USAGE" },
    completion(sources(2), { usage: tokens }),
  );

/** Writes as long as the client reads. */
function endless(response: ServerResponse, piece: Buffer, into: NodeJS.WritableStream): void {
  const write = () => {
    while (!response.destroyed && into.write(piece)) {
      // As much as the connection takes.
    }
  };
  into.on("drain", write);
  into.on("error", () => {});
  write();
}

const spaces = Buffer.alloc(65_536, 0x20);
/** 64 MB of blanks in 64 KB. */
const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, 0x20));

export const ACTS: readonly HostileAct[] = [
  says("good", GOOD, completion(sources(2))),
  says("good, in parts", GOOD, completion([{ type: "text", text: sources(2) }])),
  says("good, zipped", GOOD, gzipSync(completion(sources(2))), { "content-encoding": "gzip" }),
  says("more than asked for", { ...GOOD, programs: 8 }, completion(sources(5_000))),
  says("uncounted", { ...GOOD, code: "E-LLM-UNCOUNTED" }, completion(sources(2), { usage: null })),
  usage("negative", { prompt_tokens: -1e9, completion_tokens: 1 }),
  usage("huge", { prompt_tokens: 1, completion_tokens: 1e300 }),
  usage("words", { prompt_tokens: "many", completion_tokens: {} }),
  usage("nothing", { prompt_tokens: 0, completion_tokens: 0 }),
  usage("fractions", { prompt_tokens: 0.5, completion_tokens: 2 }),
  fails(500, retry("E-LLM-ENDPOINT")),
  fails(503, retry("E-LLM-ENDPOINT"), { "retry-after": "0" }),
  fails(429, retry("E-LLM-RATE"), { "retry-after": "0.001" }),
  fails(429, retry("E-LLM-RATE"), { "retry-after": "soon" }),
  fails(429, retry("E-LLM-RATE"), { "retry-after": "-7" }),
  fails(429, retry("E-LLM-RATE"), { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }),
  fails(429, { kind: "final", code: "E-LLM-RATE", isPaid: false }, { "retry-after": "1e9" }),
  fails(
    503,
    { kind: "final", code: "E-LLM-ENDPOINT", isPaid: false },
    { "retry-after": "Fri, 31 Dec 9999 00:00:00 GMT" },
  ),
  fails(400, miss("E-LLM-ENDPOINT", false)),
  fails(404, miss("E-LLM-ENDPOINT", false), { "retry-after": "1e9" }),
  fails(401, { kind: "final", code: "E-LLM-KEY", isPaid: false }),
  fails(403, { kind: "final", code: "E-LLM-KEY", isPaid: false }),
  {
    name: "drop",
    verdict: retry("E-LLM-UNREACHABLE"),
    play: ({ request }) => request.socket.destroy(),
  },
  {
    name: "drop within the answer",
    verdict: retry("E-LLM-UNREACHABLE", true),
    play: ({ response }) => {
      response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" });
      response.write('{"choices": [', () => setImmediate(() => response.destroy()));
    },
  },
  { name: "stall", verdict: retry("E-LLM-TIMEOUT"), play: ({ fire }) => fire("timeout") },
  {
    name: "slow drip",
    verdict: retry("E-LLM-TIMEOUT", true),
    play: ({ response, fire }) => {
      response.writeHead(200, JSON_TYPE);
      response.write(" ", () => fire("idle"));
    },
  },
  {
    name: "endless",
    verdict: miss("E-LLM-SIZE", true),
    play: ({ response }) => endless(response.writeHead(200, JSON_TYPE), spaces, response),
  },
  {
    name: "endless error",
    verdict: retry("E-LLM-ENDPOINT"),
    play: ({ response }) => endless(response.writeHead(500, JSON_TYPE), spaces, response),
  },
  {
    name: "endless and zipped",
    verdict: miss("E-LLM-SIZE", true),
    play: ({ response }) => {
      const zip = createGzip();
      zip.pipe(response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }));
      endless(response, spaces, zip);
    },
  },
  says("bomb", miss("E-LLM-SIZE", true), bomb, { "content-encoding": "gzip" }),
  says("twice zipped bomb", miss("E-LLM-SIZE", true), gzipSync(bomb), {
    "content-encoding": "gzip, gzip",
  }),
  says("not zipped at all", miss("E-LLM-FORMAT", true), "{}", { "content-encoding": "gzip" }),
  says("a page", miss("E-LLM-FORMAT", true), "<html>", { "content-type": "text/html" }),
  says("broken JSON", miss("E-LLM-FORMAT", true), '{"choices": ['),
  says("no completion", miss("E-LLM-FORMAT", true), "null"),
  says("no choice", miss("E-LLM-FORMAT", true), completion("x", { choices: [] })),
  says("a name of the prototype", miss("E-LLM-FORMAT", true), '{"choices": "constructor"}'),
  says("deep JSON", miss("E-LLM-FORMAT", true), `${"[".repeat(50_000)}${"]".repeat(50_000)}`),
  says(
    "a completion around deep JSON",
    miss("E-LLM-ANSWER", true),
    completion(`${"[".repeat(50_000)}${"]".repeat(50_000)}`),
  ),
  says("nothing", miss("E-LLM-ANSWER", true), completion("")),
  says("null", miss("E-LLM-ANSWER", true), completion(null)),
  says("many lines", miss("E-LLM-ANSWER", true), completion(`\`\`\`${"\n".repeat(200_000)}`)),
  says("long program", miss("E-LLM-ANSWER", true), completion(`["${"x".repeat(30_000)}"]`)),
  says("refusal", miss("E-LLM-REFUSED", true), completion("I'm sorry, I can't.")),
  says(
    "refusal by field",
    miss("E-LLM-REFUSED", true),
    completion(null, { choices: [{ message: { content: null, refusal: "No." } }] }),
  ),
  redirects("elsewhere", 307, ({ elsewhere }) => `${elsewhere}/v1/chat/completions`),
  redirects("elsewhere", 302, ({ elsewhere }) => elsewhere),
  redirects("to a file", 307, () => "file:///etc/passwd"),
  redirects("dropping the question", 303, () => "/v1/chat/completions"),
  redirects("nowhere", 308, () => "http://["),
  redirects("in a circle", 308, () => "/circle"),
];

export interface HostileEndpoint {
  readonly baseURL: string;
  /** Requests that were made, redirects followed not counted. */
  readonly requests: number;
  /** Requests that were made to the other origin. */
  readonly strays: number;
  readonly startTimer: StartTimer;
  close(): Promise<void>;
}

interface Timer {
  readonly milliseconds: number;
  readonly fire: () => void;
  /** The call that it belongs to. */
  readonly call: number;
}

/**
 * Timers of the client: they fire when an act says so, and only those of the call that the act answers.
 * The next call may have begun before the server hears of it.
 */
class Timers {
  readonly #live = new Set<Timer>();
  /** Calls so far: each begins with its timer of the whole call. */
  calls = 0;

  readonly start: StartTimer = (milliseconds, fire) => {
    if (milliseconds === TIMEOUT) this.calls += 1;
    const timer: Timer = { milliseconds, fire, call: this.calls };
    this.#live.add(timer);
    return () => this.#live.delete(timer);
  };

  fire(milliseconds: number, call: number): void {
    for (const timer of [...this.#live])
      if (timer.milliseconds === milliseconds && timer.call === call) timer.fire();
  }
}

export const TIMEOUT = 60_000;
export const IDLE_TIMEOUT = 20_000;

/** The last act is played for all requests that follow. */
export async function hostileEndpoint(script: readonly HostileAct[]): Promise<HostileEndpoint> {
  const timers = new Timers();
  let requests = 0;
  let strays = 0;
  const other = createServer((_, response) => {
    strays += 1;
    response.end();
  });
  const elsewhere = await listen(other);
  const server = createServer((request, response) => {
    if (request.url === "/circle")
      return void response.writeHead(308, { location: "/circle" }).end();
    requests += 1;
    const mine = requests;
    const { calls: call } = timers;
    const fire = (which: "timeout" | "idle") => {
      if (mine !== requests || response.destroyed) return;
      timers.fire(which === "timeout" ? TIMEOUT : IDLE_TIMEOUT, call);
      setImmediate(fire, which);
    };
    response.on("error", () => {});
    request.resume().on("end", () => {
      const act = script[Math.min(mine, script.length) - 1] as HostileAct;
      act.play({ request, response, fire, elsewhere });
    });
  });
  const origin = await listen(server);
  return {
    baseURL: `${origin}/v1`,
    get requests() {
      return requests;
    },
    get strays() {
      return strays;
    },
    startTimer: timers.start,
    async close() {
      for (const each of [server, other]) {
        each.closeAllConnections();
        await new Promise((resolve) => each.close(resolve));
      }
    },
  };
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
