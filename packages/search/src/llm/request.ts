/**
 * One question to an OpenAI-compatible endpoint, with retries.
 *
 * A request that was refused for its rate (429), that timed out, whose connection dropped or that
 * met a server's failure (5xx) is made again, after the pause the endpoint asks for or one that
 * doubles. Everything else ends the question at once, with a sentence for the user. Every request,
 * also one made again or redirected, waits for its turn at the pace.
 */

import type { StartTimer } from "../timer.js";
import { answerSchema } from "./answer.js";
import { type Completion, excerpt, field, readCompletion } from "./completion.js";
import { type Answer, post } from "./http.js";
import { parseJson } from "./json.js";
import type { TokenUse } from "./ledger.js";
import { type Pace, pause } from "./pace.js";
import { EndpointError, estimate, type Trouble } from "./trouble.js";

export interface Endpoint {
  /** Where questions go, without user and password. */
  readonly url: URL;
  /** How it is called in messages: its address without anything secret. */
  readonly name: string;
  readonly model: string;
  /** The value of the header, with a key or a password in it. */
  readonly authorization: string | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** Milliseconds without a byte after which an answer that has begun is given up. */
  readonly idleTimeout: number;
  /** Bytes of an answer, unpacked. */
  readonly bytesMax: number;
  /** Requests made again before a question is given up. */
  readonly retries: number;
  /** Milliseconds before the first retry; doubles each time. */
  readonly retryDelay: number;
  /** Milliseconds: an endpoint that asks for a longer pause is left. */
  readonly pauseMax: number;
  readonly temperature: number | undefined;
  /** Takes the key and the password out of a text for people. */
  readonly clean: (text: string) => string;
  /** Whether a text holds the key or the password. */
  readonly holdsSecret: (text: string) => boolean;
  readonly startTimer: StartTimer;
}

export interface Question {
  readonly system: string;
  readonly prompt: string;
}

/** `uses`: what requests before the last one have cost. */
export type Reply =
  | { readonly kind: "answer"; readonly answer: Completion; readonly uses: readonly TokenUse[] }
  | { readonly kind: "failed"; readonly trouble: Trouble; readonly uses: readonly TokenUse[] }
  | { readonly kind: "aborted" };

/** Hears of a request that failed, and in how many milliseconds it is made again. */
export type OnRetry = (trouble: Trouble, wait: number) => void;

export async function ask(
  endpoint: Endpoint,
  question: Question,
  pace: Pace,
  signal: AbortSignal,
  onRetry: OnRetry,
): Promise<Reply> {
  const uses: TokenUse[] = [];
  const asked = question.system + question.prompt;
  let delay = endpoint.retryDelay;
  for (let attempt = 0; ; attempt++) {
    await pace.turn(signal);
    if (signal.aborted) return { kind: "aborted" };
    try {
      return { kind: "answer", answer: await request(endpoint, question, pace, signal), uses };
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      if (!(error instanceof EndpointError)) throw error;
      const trouble = patient(endpoint, error.trouble);
      if (trouble.received !== undefined) uses.push(estimate(asked, trouble.received));
      if (!trouble.canRetry || attempt >= endpoint.retries)
        return { kind: "failed", trouble, uses };
      const wait = trouble.after ?? delay;
      onRetry(trouble, wait);
      await pause(wait, signal);
      delay *= 2;
    }
  }
}

/** A pause that is too long is no reason to ask again, now or later. */
function patient({ pauseMax }: Endpoint, trouble: Trouble): Trouble {
  if (trouble.after === undefined || trouble.after <= pauseMax) return trouble;
  const seconds = Math.ceil(trouble.after / 1000);
  const message =
    `${trouble.message}. It asks for a pause of ${seconds} s, ` +
    `and ${pauseMax / 1000} s are waited at most`;
  return { ...trouble, message, canRetry: false, isFinal: true };
}

async function request(
  endpoint: Endpoint,
  { system, prompt }: Question,
  pace: Pace,
  signal: AbortSignal,
): Promise<Completion> {
  const { url, name, authorization, timeout, idleTimeout, bytesMax, temperature } = endpoint;
  const body = JSON.stringify({
    model: endpoint.model,
    messages: [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ],
    response_format: {
      type: "json_schema",
      json_schema: { name: "programs", strict: true, schema: answerSchema },
    },
    ...(temperature === undefined ? {} : { temperature }),
  });
  const limits = { timeout, idleTimeout, bytesMax, startTimer: endpoint.startTimer };
  const turn = () => pace.turn(signal);
  const came = await post({ url, name, authorization, body, signal, turn, ...limits });
  const answer = { ...came, type: excerpt(endpoint.clean(came.type)) };
  if (answer.isError) throw new EndpointError(refused(endpoint, answer));
  return readCompletion(name, answer, system + prompt);
}

function refused({ name, model, clean }: Endpoint, answer: Answer): Trouble {
  const { status } = answer;
  const words = excerpt(clean(errorWords(answer)));
  const answered = `${name} answered ${status} for model "${model}"${words === "" ? "" : `: ${words}`}`;
  if (status === 401 || status === 403) {
    const message = `${answered}. Is the key in the environment right?`;
    return { code: "E-LLM-KEY", message, canRetry: false, isFinal: true };
  }
  const after = retryAfter(answer.retryAfter);
  if (status === 429) return { code: "E-LLM-RATE", message: answered, canRetry: true, after };
  const canRetry = status >= 500 || status === 408;
  return { code: "E-LLM-ENDPOINT", message: answered, canRetry, ...(canRetry ? { after } : {}) };
}

/** What an endpoint says of its own error: `{ error: { message } }`, or less. */
function errorWords({ text }: Answer): string {
  const parsed = parseJson(text);
  if ("problem" in parsed) return "";
  const { json } = parsed;
  const error = field(json, "error");
  const words = [field(error, "message"), error, field(json, "message")];
  return words.find((one): one is string => typeof one === "string") ?? "";
}

/** Milliseconds of Retry-After, which holds seconds or a date. */
function retryAfter(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === "") return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}
