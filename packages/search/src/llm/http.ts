/**
 * One HTTP call: a JSON text is sent, a JSON text comes back, whatever the other side does.
 *
 *   size       counted as the body arrives, after it is decompressed; the connection is cut at the
 *              limit, so an endless body and a small one that unpacks to gigabytes cost the limit
 *   time       `timeout` for each request with its answer, `idleTimeout` between two pieces of the body
 *   redirects  followed on the same origin only, and only those that keep the request as it is; each
 *              is a request of its own, which waits for its turn
 *
 * Every failure is an `EndpointError`; other errors are mistakes of ours.
 */

import type { StartTimer } from "../timer.js";
import { EndpointError, type Trouble } from "./trouble.js";

export interface Call {
  /** Without user and password: `fetch` refuses those. */
  readonly url: URL;
  /** How the endpoint is called in messages. */
  readonly name: string;
  readonly authorization: string | undefined;
  readonly body: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly idleTimeout: number;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  readonly startTimer: StartTimer;
  /** Waits until another request may be made. */
  turn(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  /** Whether the status says that this is no answer. */
  readonly isError: boolean;
  readonly retryAfter: string | undefined;
  /** The media type, without parameters; empty where none is named. */
  readonly type: string;
  readonly text: string;
  readonly bytes: number;
}

const REDIRECTS_MAX = 3;
/** Bytes of an error's page that are read for its message. */
const ERROR_BYTES_MAX = 65_536;

type Why = "signal" | "timeout" | "idle";

export async function post(call: Call): Promise<Answer> {
  const controller = new AbortController();
  let why: Why | undefined;
  let received: number | undefined;
  const stop = (reason: Why) => {
    why ??= reason;
    controller.abort();
  };
  const onAbort = () => stop("signal");
  if (call.signal.aborted) onAbort();
  call.signal.addEventListener("abort", onAbort);
  const start = () => call.startTimer(call.timeout, () => stop("timeout"));
  let stopTimer = start();
  const turn = async () => {
    stopTimer();
    await call.turn();
    stopTimer = start();
  };
  try {
    const response = await open({ ...call, turn }, controller.signal);
    const watch: Watch = {
      idle: () => call.startTimer(call.idleTimeout, () => stop("idle")),
      heard: (bytes) => {
        received = bytes;
      },
    };
    return await readAnswer(call, response, watch);
  } catch (error) {
    if (error instanceof EndpointError) throw error;
    throw new EndpointError(whyItFailed(call, error, why, received));
  } finally {
    stopTimer();
    call.signal.removeEventListener("abort", onAbort);
    // Cuts the connection where the body was not read to its end.
    controller.abort();
  }
}

async function open(call: Call, signal: AbortSignal): Promise<Response> {
  let { url } = call;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      body: call.body,
      signal,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        ...(call.authorization === undefined ? {} : { authorization: call.authorization }),
      },
    });
    const isRedirect = response.status >= 300 && response.status < 400;
    if (!isRedirect) return response;
    url = nextAddress(call, url, response, redirects);
    await response.body?.cancel();
    await call.turn();
  }
}

function nextAddress(call: Call, from: URL, response: Response, redirects: number): URL {
  const { status } = response;
  const refuse = (reason: string): EndpointError =>
    new EndpointError({
      code: "E-LLM-REDIRECT",
      message: `${call.name} answered ${status}: ${reason}`,
      canRetry: false,
    });
  const location = response.headers.get("location") ?? "";
  if (location === "" || !URL.canParse(location, from.href))
    throw refuse("it redirects to nowhere");
  const to = new URL(location, from);
  if (to.origin !== from.origin) {
    throw refuse(`it redirects to another origin, ${to.origin}, which is not followed`);
  }
  if (status !== 307 && status !== 308) {
    throw refuse("such a redirect drops the question; set the address that it leads to");
  }
  if (redirects >= REDIRECTS_MAX) throw refuse(`it redirects more than ${REDIRECTS_MAX} times`);
  to.username = "";
  to.password = "";
  return to;
}

interface Watch {
  /** Starts the time that may pass before the next piece; what it returns ends it. */
  idle(): () => void;
  heard(bytes: number): void;
}

async function readAnswer(call: Call, response: Response, watch: Watch): Promise<Answer> {
  const { status, headers, ok } = response;
  const isError = !ok;
  const bytesMax = isError ? Math.min(ERROR_BYTES_MAX, call.bytesMax) : call.bytesMax;
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  if (!isError) watch.heard(0);
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const piece = await reader.read().finally(watch.idle());
    if (piece.done) break;
    bytes += piece.value.length;
    if (!isError) watch.heard(bytes);
    // Of an error only the beginning is of use.
    if (bytes > bytesMax && isError) break;
    if (bytes > bytesMax) throw new EndpointError(tooLarge(call, bytes));
    text += decoder.decode(piece.value, { stream: true });
  }
  const type = (headers.get("content-type") ?? "").split(";")[0] as string;
  return {
    status,
    isError,
    retryAfter: headers.get("retry-after") ?? undefined,
    type: type.trim().toLowerCase(),
    text: text + decoder.decode(),
    bytes,
  };
}

function tooLarge({ name, bytesMax }: Call, received: number): Trouble {
  const message = `${name} answers with more than ${bytesMax} bytes; the answer is dropped`;
  return { code: "E-LLM-SIZE", message, canRetry: false, received };
}

function whyItFailed(
  { name, timeout, idleTimeout }: Call,
  error: unknown,
  why: Why | undefined,
  received: number | undefined,
): Trouble {
  const paid = received === undefined ? {} : { received };
  if (why === "timeout") {
    const message = `${name} gave no answer within ${timeout / 1000} s`;
    return { code: "E-LLM-TIMEOUT", message, canRetry: true, ...paid };
  }
  if (why === "idle") {
    const message = `${name} began an answer and then sent nothing for ${idleTimeout / 1000} s`;
    return { code: "E-LLM-TIMEOUT", message, canRetry: true, ...paid };
  }
  const cause = causeOf(error);
  if (cause.code === "UND_ERR_HEADERS_TIMEOUT" || cause.code === "UND_ERR_BODY_TIMEOUT") {
    const message = `${name} gave no answer in time`;
    return { code: "E-LLM-TIMEOUT", message, canRetry: true, ...paid };
  }
  if (cause.code.startsWith("Z_") || cause.code.startsWith("ERR__ERROR_FORMAT")) {
    const message = `${name} sends a compressed answer that cannot be unpacked`;
    return { code: "E-LLM-FORMAT", message, canRetry: false, ...paid };
  }
  const message = `no model answers at ${name} (${cause.text})`;
  return { code: "E-LLM-UNREACHABLE", message, canRetry: true, ...paid };
}

/** `fetch` says "fetch failed"; what failed is its cause. */
function causeOf(error: unknown): { readonly code: string; readonly text: string } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { readonly code?: unknown } | null)?.code;
  const text = cause instanceof Error && cause.message !== "" ? cause.message : String(code);
  return { code: typeof code === "string" ? code : "", text };
}
