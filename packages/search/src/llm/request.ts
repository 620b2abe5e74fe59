/**
 * One question to an OpenAI-compatible endpoint, with retries.
 *
 * A request that was refused for its rate (429), that timed out, whose connection dropped or that
 * met a server's failure (5xx) is made again, after the pause the endpoint asks for or one that
 * doubles. Everything else ends the question at once, with a sentence for the user.
 */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, NoObjectGeneratedError, Output } from "ai";
import type { ProposerProblem } from "../types.js";
import { answerSchema } from "./answer.js";
import type { TokenUse } from "./ledger.js";

export interface Endpoint {
  readonly baseURL: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** Requests made again before a question is given up. */
  readonly retries: number;
  /** Milliseconds before the first retry; doubles each time. */
  readonly retryDelay: number;
  readonly temperature: number | undefined;
}

export interface Question {
  readonly system: string;
  readonly prompt: string;
}

export type Reply =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly use: TokenUse;
      readonly isCounted: boolean;
    }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | { readonly kind: "aborted" };

/** Longest pause that an endpoint may ask for. */
const PAUSE_MAX = 60_000;
const CHARACTERS_PER_TOKEN = 4;

export async function ask(
  endpoint: Endpoint,
  question: Question,
  signal: AbortSignal,
  /** Hears of a request that failed before it is made again. */
  onRetry: (problem: ProposerProblem) => void,
): Promise<Reply> {
  let delay = endpoint.retryDelay;
  for (let attempt = 0; ; attempt++) {
    const timer = AbortSignal.timeout(endpoint.timeout);
    try {
      return await request(endpoint, question, AbortSignal.any([signal, timer]));
    } catch (error) {
      if (signal.aborted) return { kind: "aborted" };
      const trouble = timer.aborted ? slowness(endpoint) : troubleOf(error, endpoint);
      if (!trouble.canRetry || attempt >= endpoint.retries) {
        return { kind: "failed", code: trouble.code, message: trouble.message };
      }
      onRetry({ code: trouble.code, message: trouble.message });
      await pause(trouble.after ?? delay, signal);
      if (signal.aborted) return { kind: "aborted" };
      delay *= 2;
    }
  }
}

async function request(
  endpoint: Endpoint,
  { system, prompt }: Question,
  abortSignal: AbortSignal,
): Promise<Reply> {
  const provider = createOpenAICompatible({
    name: "ndvm",
    baseURL: endpoint.baseURL,
    supportsStructuredOutputs: true,
    ...(endpoint.apiKey === undefined ? {} : { apiKey: endpoint.apiKey }),
  });
  try {
    const { text, usage } = await generateText({
      model: provider(endpoint.model),
      system,
      prompt,
      output: Output.object({ schema: answerSchema, name: "programs" }),
      maxRetries: 0,
      abortSignal,
      ...(endpoint.temperature === undefined ? {} : { temperature: endpoint.temperature }),
    });
    return textReply(text, usage, system + prompt);
  } catch (error) {
    // The answer came, but is not the JSON asked for: it may still hold programs.
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    return textReply(error.text ?? "", error.usage, system + prompt);
  }
}

interface Usage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** Endpoints that do not count tokens are charged by the length of the texts. */
function textReply(text: string, usage: Usage | undefined, asked: string): Reply {
  const { inputTokens, outputTokens } = usage ?? {};
  const estimate = (of: string) => Math.ceil(of.length / CHARACTERS_PER_TOKEN);
  return {
    kind: "text",
    text,
    use: {
      inputTokens: inputTokens ?? estimate(asked),
      outputTokens: outputTokens ?? estimate(text),
    },
    isCounted: inputTokens !== undefined && outputTokens !== undefined,
  };
}

interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly canRetry: boolean;
  /** Milliseconds that the endpoint asks us to wait. */
  readonly after?: number | undefined;
}

function slowness({ baseURL, timeout }: Endpoint): Trouble {
  const message = `${baseURL} gave no answer within ${timeout / 1000} s`;
  return { code: "E-LLM-TIMEOUT", message, canRetry: true };
}

function troubleOf(error: unknown, { baseURL, model }: Endpoint): Trouble {
  if (!APICallError.isInstance(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return { code: "E-LLM-UNREACHABLE", message: `${baseURL}: ${reason}`, canRetry: true };
  }
  const status = error.statusCode;
  if (status === undefined) {
    return {
      code: "E-LLM-UNREACHABLE",
      message: `no model answers at ${baseURL} (${error.message})`,
      canRetry: true,
    };
  }
  const said = `${baseURL} answered ${status} for model "${model}": ${error.message}`;
  if (status === 429) {
    const after = retryAfter(error.responseHeaders);
    return { code: "E-LLM-RATE", message: said, canRetry: true, after };
  }
  if (status === 401 || status === 403) {
    return {
      code: "E-LLM-KEY",
      message: `${said}. Is the key in the environment right?`,
      canRetry: false,
    };
  }
  return { code: "E-LLM-ENDPOINT", message: said, canRetry: status >= 500 || status === 408 };
}

/** Retry-After holds seconds or a date. */
function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const value = headers?.["retry-after"];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), PAUSE_MAX) : undefined;
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
