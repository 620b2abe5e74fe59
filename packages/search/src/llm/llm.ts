/**
 * The `llm` proposer: programs written by a language model behind an OpenAI-compatible endpoint.
 *
 * Answers take seconds and fits take microseconds, so a proposer that has company does not wait: it
 * keeps one question under way and hands over what has arrived. Alone (`waits`), each turn waits
 * for its answer. Answers are not reproducible; they are in the archive with their prompts.
 */

import { NdvmError } from "@ndvm/core";
import type {
  Json,
  Outcome,
  Proposal,
  ProposalBatch,
  Proposer,
  ProposerProblem,
  Spending,
  StudyBrief,
} from "../types.js";
import { readAnswer } from "./answer.js";
import { type Caps, Ledger, type Prices } from "./ledger.js";
import { Recollection, systemPrompt, userPrompt } from "./prompt.js";
import type { Endpoint, Question, Reply } from "./request.js";

export interface LlmOptions {
  /** Default: NDVM_LLM_MODEL of the environment. */
  readonly model?: string;
  /** Default: NDVM_LLM_BASE_URL, then OPENAI_BASE_URL. */
  readonly baseURL?: string;
  /** Name of the environment's variable with the key. Default NDVM_LLM_API_KEY, then OPENAI_API_KEY. */
  readonly keyVariable?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Per million tokens; without them the ledger counts tokens only. */
  readonly prices?: Prices;
  readonly caps?: Caps;
  /** Programs asked for at once. Default 8. */
  readonly programs?: number;
  /** Milliseconds that one request may take. Default 60,000. */
  readonly timeout?: number;
  /** Default 4. */
  readonly retries?: number;
  /** Milliseconds before the first retry; doubles each time. Default 1,000. */
  readonly retryDelay?: number;
  /** Default: no limit but the endpoint's. */
  readonly requestsPerMinute?: number;
  readonly temperature?: number;
  /** Wait for each answer (the only proposer), or go on without (the default). */
  readonly waits?: boolean;
}

/** Questions in a row that may fail before the proposer gives up. */
const MISSES_MAX = 3;

interface Arrival {
  readonly reply: Reply;
  readonly prompt: string;
}

interface SavedState {
  readonly spending: Spending;
  readonly recollection: ReturnType<Recollection["save"]>;
  readonly misses: number;
  readonly isOver: boolean;
}

export function llm(options: LlmOptions = {}): Proposer {
  return new LlmProposer(options);
}

class LlmProposer implements Proposer {
  readonly name = "llm";
  readonly #endpoint: Endpoint;
  readonly #ledger: Ledger;
  readonly #recollection = new Recollection();
  readonly #programs: number;
  readonly #waits: boolean;
  readonly #interval: number;
  #brief: StudyBrief | undefined;
  #underWay: Promise<void> | undefined;
  #arrived: Arrival | undefined;
  #lastAsked = Number.NEGATIVE_INFINITY;
  #misses = 0;
  #isOver = false;
  #hasSaidUncounted = false;
  /** What is to be told while a question is still under way, and who waits for it. */
  #notices: ProposerProblem[] = [];
  #wake: () => void = () => {};
  #hasSaidUnreachable = false;

  constructor(options: LlmOptions) {
    this.#endpoint = endpointOf(options);
    this.#ledger = new Ledger(options.prices, options.caps ?? {});
    this.#programs = options.programs ?? 8;
    this.#waits = options.waits ?? false;
    const perMinute = options.requestsPerMinute;
    if (perMinute !== undefined && !(perMinute > 0)) {
      throw new NdvmError("E-OPTION", `requestsPerMinute must be positive, got ${perMinute}`);
    }
    this.#interval = perMinute === undefined ? 0 : 60_000 / perMinute;
  }

  begin(brief: StudyBrief): void {
    this.#brief = brief;
  }

  async propose(count: number, signal: AbortSignal): Promise<ProposalBatch> {
    if (this.#isOver) return { proposals: [], isExhausted: true };
    const cap = this.#ledger.reachedCap();
    if (cap !== undefined) return this.#giveUp("E-LLM-CAP", `the cap is reached: ${cap}`);
    this.#underWay ??= this.#startQuestion(count, signal);
    if (this.#waits) await Promise.race([this.#underWay, this.#noticed()]);
    const notices = this.#notices.splice(0);
    const arrival = this.#arrived;
    if (arrival === undefined) return withProblems({ proposals: [] }, notices);
    this.#arrived = undefined;
    this.#underWay = undefined;
    return withProblems(this.#handOver(arrival), notices);
  }

  observe(outcomes: readonly Outcome[]): void {
    this.#recollection.note(outcomes, this.name);
  }

  save(): Json {
    return {
      spending: this.#ledger.save(),
      recollection: this.#recollection.save() as unknown as Json,
      misses: this.#misses,
      isOver: this.#isOver,
    };
  }

  restore(state: Json): void {
    const saved = state as unknown as SavedState;
    this.#ledger.restore(saved.spending);
    this.#recollection.restore(saved.recollection);
    this.#misses = saved.misses;
    this.#isOver = saved.isOver;
  }

  async #startQuestion(count: number, signal: AbortSignal): Promise<void> {
    const brief = this.#brief;
    if (brief === undefined) throw new Error("begin comes before propose");
    const asked = Math.min(count, this.#programs);
    const question: Question = {
      system: systemPrompt(brief),
      prompt: userPrompt(brief, this.#recollection.memory, asked),
    };
    // The SDK is loaded by those who use it only: it costs other searches 0.2 s of start.
    const { ask, pause } = await import("./request.js");
    await pause(this.#lastAsked + this.#interval - Date.now(), signal);
    this.#lastAsked = Date.now();
    const onRetry = (problem: ProposerProblem) => this.#noteUnreachable(problem);
    const reply = await ask(this.#endpoint, question, signal, onRetry);
    this.#arrived = { reply, prompt: question.prompt };
  }

  /** Resolves when there is something to tell before the answer. */
  #noticed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#notices.length > 0) resolve();
    });
  }

  /** An endpoint that is not there is told at once: all retries together take a quarter minute. */
  #noteUnreachable({ code, message }: ProposerProblem): void {
    if (code !== "E-LLM-UNREACHABLE" || this.#hasSaidUnreachable) return;
    this.#hasSaidUnreachable = true;
    this.#notices.push({ code, message: `${message}; it is asked again` });
    this.#wake();
  }

  #handOver({ reply, prompt }: Arrival): ProposalBatch {
    if (reply.kind === "aborted") return { proposals: [] };
    if (reply.kind === "failed") return this.#miss(reply.code, reply.message);
    this.#hasSaidUnreachable = false;
    this.#ledger.enter(reply.use);
    const problems = this.#uncounted(reply.isCounted);
    const answer = readAnswer(reply.text);
    if ("problem" in answer) {
      const code = answer.isRefusal ? "E-LLM-REFUSED" : "E-LLM-ANSWER";
      return this.#miss(code, answer.problem, problems);
    }
    this.#misses = 0;
    const proposals = answer.programs.map(
      (source): Proposal => ({ source, parents: [], origin: "answer", prompt }),
    );
    return { proposals, spending: this.#ledger.takeUntold(), problems };
  }

  #uncounted(isCounted: boolean): readonly ProposerProblem[] {
    if (isCounted || this.#hasSaidUncounted) return [];
    this.#hasSaidUncounted = true;
    const message = "the endpoint does not count tokens: they are estimated at four letters each";
    return [{ code: "E-LLM-UNCOUNTED", message }];
  }

  #miss(code: string, message: string, before: readonly ProposerProblem[] = []): ProposalBatch {
    this.#misses += 1;
    const problems = [...before, { code, message }];
    if (this.#misses < MISSES_MAX && code !== "E-LLM-KEY") {
      return { proposals: [], spending: this.#ledger.takeUntold(), problems };
    }
    return this.#giveUp(code, `given up after ${this.#misses} failed questions`, problems);
  }

  #giveUp(code: string, message: string, before: readonly ProposerProblem[] = []): ProposalBatch {
    this.#isOver = true;
    return {
      proposals: [],
      spending: this.#ledger.takeUntold(),
      problems: [...before, { code, message }],
      isExhausted: true,
    };
  }
}

function withProblems(batch: ProposalBatch, problems: readonly ProposerProblem[]): ProposalBatch {
  if (problems.length === 0) return batch;
  return { ...batch, problems: [...problems, ...(batch.problems ?? [])] };
}

/** An address that can be asked over HTTP, without slashes at its end. */
function addressOf(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new NdvmError("E-OPTION", `the llm proposer's endpoint "${text}" is no address`, {
      help: "write it with its protocol, such as http://localhost:8080/v1",
    });
  }
  return text.replace(/\/+$/, "");
}

function endpointOf(options: LlmOptions): Endpoint {
  const variables = options.environment ?? process.env;
  /** An empty variable is none. */
  const setting = (name: string): string | undefined => variables[name] || undefined;
  const model = options.model ?? setting("NDVM_LLM_MODEL");
  const baseURL = options.baseURL ?? setting("NDVM_LLM_BASE_URL") ?? setting("OPENAI_BASE_URL");
  if (model === undefined || baseURL === undefined) {
    const missing = model === undefined ? "model" : "endpoint";
    throw new NdvmError("E-OPTION", `the llm proposer has no ${missing}`, {
      help:
        "set NDVM_LLM_MODEL and NDVM_LLM_BASE_URL (an OpenAI-compatible address that ends in " +
        "/v1), and NDVM_LLM_API_KEY if it wants a key; or use --proposer evolve",
    });
  }
  const apiKey =
    options.keyVariable === undefined
      ? (setting("NDVM_LLM_API_KEY") ?? setting("OPENAI_API_KEY"))
      : setting(options.keyVariable);
  return {
    baseURL: addressOf(baseURL),
    model,
    apiKey,
    timeout: options.timeout ?? 60_000,
    retries: options.retries ?? 4,
    retryDelay: options.retryDelay ?? 1_000,
    temperature: options.temperature,
  };
}
