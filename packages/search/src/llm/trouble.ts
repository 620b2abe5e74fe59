/**
 * What can go wrong between us and a model's endpoint: a code, a sentence that names the endpoint,
 * and whether it is worth another try.
 */

import type { TokenUse } from "./ledger.js";

export type LlmCode =
  | "E-LLM-UNREACHABLE"
  | "E-LLM-TIMEOUT"
  | "E-LLM-RATE"
  | "E-LLM-KEY"
  | "E-LLM-ENDPOINT"
  | "E-LLM-REDIRECT"
  | "E-LLM-SIZE"
  | "E-LLM-FORMAT"
  | "E-LLM-ANSWER"
  | "E-LLM-REFUSED"
  | "E-LLM-SURPLUS"
  | "E-LLM-SECRET"
  | "E-LLM-USAGE"
  | "E-LLM-UNCOUNTED"
  | "E-LLM-CAP";

export interface Trouble {
  readonly code: LlmCode;
  readonly message: string;
  /** The same request may go better the next time. */
  readonly canRetry: boolean;
  /** Milliseconds that the endpoint asks us to wait. */
  readonly after?: number | undefined;
  /** No later question will go better either. */
  readonly isFinal?: boolean;
  /** Bytes of the answer that had come; undefined: none was begun, so nothing is paid for. */
  readonly received?: number;
}

export class EndpointError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.message);
    this.trouble = trouble;
  }
}

/** Characters of one token, where nobody counts. */
const CHARACTERS_PER_TOKEN = 4;

export function estimate(asked: string, answered: number): TokenUse {
  return {
    inputTokens: Math.ceil(asked.length / CHARACTERS_PER_TOKEN),
    outputTokens: Math.ceil(answered / CHARACTERS_PER_TOKEN),
  };
}
