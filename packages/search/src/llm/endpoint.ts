/**
 * From options and the environment to an endpoint: its address, its limits and its secrets.
 */

import { NdvmError } from "@ndvm/core";
import { basic, credentialsIn, Redactor, readAddress, secretsIn, shownAddress } from "../redact.js";
import { startTimer } from "../timer.js";
import type { LlmOptions } from "./llm.js";
import type { Endpoint } from "./request.js";

/** Bytes of an answer: hundreds of programs, and the longest chain of thought before them. */
const BYTES_MAX = 4 * 2 ** 20;
/** Requests that an endpoint gets in a second where nobody says otherwise. */
const REQUESTS_PER_SECOND = 5;

export function endpointOf(options: LlmOptions): Endpoint {
  const variables = options.environment ?? process.env;
  /** An empty variable is none. */
  const setting = (name: string): string | undefined =>
    (Object.hasOwn(variables, name) && variables[name]) || undefined;
  const keyIn = (name: string) => checkedKey(name, setting(name));
  const model = options.model ?? setting("NDVM_LLM_MODEL");
  const baseURL = options.baseURL ?? setting("NDVM_LLM_BASE_URL") ?? setting("OPENAI_BASE_URL");
  if (model === undefined || baseURL === undefined) throw missing(model);
  const apiKey =
    options.keyVariable === undefined
      ? (keyIn("NDVM_LLM_API_KEY") ?? keyIn("OPENAI_API_KEY"))
      : keyIn(options.keyVariable);
  const address = addressOf(baseURL);
  const redactor = new Redactor([apiKey, ...secretsIn(address)]);
  return {
    url: questionAddress(address),
    name: redactor.clean(shownAddress(address)),
    model,
    authorization: authorizationOf(address, apiKey),
    timeout: positive("timeout", options.timeout ?? 60_000),
    idleTimeout: positive("idleTimeout", options.idleTimeout ?? 20_000),
    bytesMax: positive("answerBytesMax", options.answerBytesMax ?? BYTES_MAX),
    retries: options.retries ?? 4,
    retryDelay: options.retryDelay ?? 1_000,
    pauseMax: positive("pauseMax", options.pauseMax ?? 600_000),
    temperature: options.temperature,
    clean: (text) => redactor.clean(text),
    holdsSecret: (text) => redactor.finds(text),
    startTimer,
  };
}

/** Milliseconds from one request to the next. */
export function intervalOf({ requestsPerMinute, requestsPerSecond }: LlmOptions): number {
  const perSecond = positive("requestsPerSecond", requestsPerSecond ?? REQUESTS_PER_SECOND);
  const perMinute = positive("requestsPerMinute", requestsPerMinute ?? Number.POSITIVE_INFINITY);
  return Math.max(1_000 / perSecond, 60_000 / perMinute);
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new NdvmError("E-OPTION", `${name} must be positive, got ${value}`);
}

function missing(model: string | undefined): NdvmError {
  const what = model === undefined ? "model" : "endpoint";
  return new NdvmError("E-OPTION", `the llm proposer has no ${what}`, {
    help:
      "set NDVM_LLM_MODEL and NDVM_LLM_BASE_URL (an OpenAI-compatible address that ends in " +
      "/v1), and NDVM_LLM_API_KEY if it wants a key; or use --proposer evolve",
  });
}

/** A key without the blanks and line ends of the file that it came from, as it is sent. */
function checkedKey(name: string, text: string | undefined): string | undefined {
  const key = text?.trim() || undefined;
  if (key === undefined || /^[\x20-\x7e\xa0-\xff]+$/.test(key)) return key;
  throw new NdvmError("E-OPTION", `the key in ${name} has characters that HTTP cannot send`, {
    help: "a line break inside it, perhaps: set it once more",
  });
}

/** An address that can be asked over HTTP. One that cannot be read may be all secret: it is not shown. */
function addressOf(text: string): URL {
  const address = readAddress(text.trim(), ["http:", "https:"]);
  if (address !== undefined) return address;
  throw new NdvmError("E-OPTION", "the llm proposer's endpoint is not an address", {
    help:
      "write it with its protocol, such as http://localhost:8080/v1; " +
      "in a user's name or password / is %2F, ? is %3F, # is %23 and @ is %40",
  });
}

function questionAddress(address: URL): URL {
  const url = new URL(address);
  url.username = "";
  url.password = "";
  url.hash = "";
  url.pathname = `${withoutSlashes(address.pathname)}/chat/completions`;
  return url;
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** What is written into the address goes before a key that happens to be in the environment. */
function authorizationOf(address: URL, apiKey: string | undefined): string | undefined {
  const { username, password } = credentialsIn(address);
  if (username !== "" || password !== "") return `Basic ${basic(username, password)}`;
  return apiKey === undefined ? undefined : `Bearer ${apiKey}`;
}
