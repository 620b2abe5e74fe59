/**
 * Reading a chat completion: the model's text and the tokens it is said to have cost.
 *
 * Nothing is believed: a count that cannot be right is replaced by an estimate, and said so.
 */

import type { Answer } from "./http.js";
import { parseJson } from "./json.js";
import type { TokenUse } from "./ledger.js";
import { EndpointError, estimate, type LlmCode } from "./trouble.js";

export interface Completion {
  readonly text: string;
  /** The model declined in so many words (the protocol has a field for that). */
  readonly isRefusal: boolean;
  readonly use: TokenUse;
  /** Tokens were counted, left uncounted, or counted in a way that cannot be. */
  readonly counted: "yes" | "no" | "absurdly";
}

/** No request of ours costs more tokens, whatever an endpoint says. */
const TOKENS_MAX = 10_000_000;

export function readCompletion(name: string, answer: Answer, asked: string): Completion {
  const bad = (message: string, code: LlmCode = "E-LLM-FORMAT"): EndpointError =>
    new EndpointError({ code, message, canRetry: false, received: answer.bytes });
  if (!isJsonType(answer.type)) throw bad(`${name} answers with ${answer.type}, not with JSON`);
  const parsed = parseJson(answer.text);
  if ("problem" in parsed) throw bad(`${name} answers with ${parsed.problem}`);
  const { json } = parsed;
  const choices = field(json, "choices");
  const message = field(Array.isArray(choices) ? choices[0] : undefined, "message");
  const refusal = field(message, "refusal");
  const text = textOf(field(message, "content")) ?? (typeof refusal === "string" ? refusal : "");
  if (message === undefined) throw bad(`${name} answers with JSON that is not a chat completion`);
  const usage = field(json, "usage");
  return {
    text: wellFormed(text),
    isRefusal: typeof refusal === "string" && refusal !== "",
    ...readUsage(field(usage, "prompt_tokens"), field(usage, "completion_tokens"), asked, text),
  };
}

/** Servers that name no type at all are believed to mean JSON. */
const isJsonType = (type: string): boolean =>
  type === "" || type === "application/json" || type.endsWith("+json");

/** A field of JSON that may be anything; undefined where it is not there. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (Reflect.get(value, name) as unknown)
    : undefined;

/** Content is a text, or a list of parts some of which are texts. */
function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => field(part, "text"));
  return texts.filter((text) => typeof text === "string").join("");
}

/** Halves of characters, which JSON can spell and UTF-8 cannot. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** Longest piece of an answer that a message repeats. */
const EXCERPT = 120;

/** The beginning of a text, in one line. Secrets must be out of it already: it is cut. */
export function excerpt(text: string): string {
  const line = wellFormed(text.slice(0, 2 * EXCERPT))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > EXCERPT ? `${wellFormed(line.slice(0, EXCERPT))}…` : line;
}

function readUsage(
  input: unknown,
  output: unknown,
  asked: string,
  text: string,
): Pick<Completion, "use" | "counted"> {
  const use = estimate(asked, text.length);
  const isMissing = (count: unknown) => count === undefined || count === null;
  const isCount = (count: unknown, least: number): count is number =>
    Number.isSafeInteger(count) && (count as number) >= least && (count as number) <= TOKENS_MAX;
  // Nobody reads a prompt, or writes a text, in no tokens at all.
  if (!isCount(input, 1) || !isCount(output, text === "" ? 0 : 1)) {
    return { use, counted: isMissing(input) || isMissing(output) ? "no" : "absurdly" };
  }
  return { use: { inputTokens: input, outputTokens: output }, counted: "yes" };
}
