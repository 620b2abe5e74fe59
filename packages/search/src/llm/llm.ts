/**
 * The `llm` proposer: programs written by a language model behind an OpenAI-compatible endpoint.
 *
 * Answers take seconds and fits take microseconds, so a proposer that has company does not wait: it
 * keeps one question under way and hands over what has arrived. Alone (`waits`), each turn waits
 * for its answer. Answers are not reproducible; they are in the archive with their prompts.
 */

import { checkNames, namesOf } from "@ndvm/core";
import {
  isCount,
  isFlag,
  isProposal,
  isSpending,
  listOf,
  objectOf,
  type Shape,
} from "../shapes.js";
import type { StartTimer } from "../timer.js";
import type {
  Json,
  Outcome,
  Proposal,
  Proposals,
  Proposer,
  ProposerProblem,
  Spending,
  StudyBrief,
} from "../types.js";
import { readAnswer } from "./answer.js";
import type { Completion } from "./completion.js";
import { endpointOf, intervalOf } from "./endpoint.js";
import { type Caps, Ledger, type Prices } from "./ledger.js";
import { Pace } from "./pace.js";
import { everythingIn } from "./program-words.js";
import { isRecollection, Recollection, systemPrompt, userPrompt } from "./prompt.js";
import { ask, type Endpoint, type Question, type Reply } from "./request.js";
import type { LlmCode, Trouble } from "./trouble.js";

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
  /** Milliseconds without a byte after which an answer that has begun is given up. Default 20,000. */
  readonly idleTimeout?: number;
  /** Bytes of an answer, unpacked. Default 4 MiB. */
  readonly answerBytesMax?: number;
  /** Default 4. */
  readonly retries?: number;
  /** Milliseconds before the first retry; doubles each time. Default 1,000. */
  readonly retryDelay?: number;
  /** Milliseconds: an endpoint that asks for a longer pause is left for good. Default 600,000. */
  readonly pauseMax?: number;
  /** Requests that are made in a second at most, retries and all. Default 5. */
  readonly requestsPerSecond?: number;
  /** The same for a minute. Default: no limit. */
  readonly requestsPerMinute?: number;
  readonly temperature?: number;
  /** Wait for each answer (the only proposer), or go on without (the default). */
  readonly waits?: boolean;
}

const NAMES = namesOf<LlmOptions>({
  model: 1,
  baseURL: 1,
  keyVariable: 1,
  environment: 1,
  prices: 1,
  caps: 1,
  programs: 1,
  timeout: 1,
  idleTimeout: 1,
  answerBytesMax: 1,
  retries: 1,
  retryDelay: 1,
  pauseMax: 1,
  requestsPerSecond: 1,
  requestsPerMinute: 1,
  temperature: 1,
  waits: 1,
});
const PRICE_NAMES = namesOf<Prices>({ input: 1, output: 1 });
const CAP_NAMES = namesOf<Caps>({ cost: 1, tokens: 1 });

/** Questions in a row that may fail before the proposer gives up. */
const MISSES_MAX = 3;

/** Milliseconds: who waits for an answer hears of a longer pause before it begins. */
const NOTICE_PAUSE = 1_000;

interface Arrival {
  readonly reply: Reply;
  readonly prompt: string;
  /** Programs that were asked for. */
  readonly asked: number;
}

interface SavedState {
  readonly spending: Spending;
  readonly recollection: ReturnType<Recollection["save"]>;
  readonly misses: number;
  readonly isOver: boolean;
  readonly leftOver: readonly Proposal[];
}

const isSavedState: Shape<SavedState> = objectOf<SavedState>({
  spending: isSpending,
  recollection: isRecollection,
  misses: isCount,
  isOver: isFlag,
  leftOver: listOf(isProposal),
});

/** Ways in for tests. */
export interface LlmHooks {
  readonly startTimer?: StartTimer;
}

export function llm(options: LlmOptions = {}, hooks: LlmHooks = {}): Proposer {
  return new LlmProposer(options, hooks);
}

class LlmProposer implements Proposer {
  readonly name = "llm";
  readonly #endpoint: Endpoint;
  readonly #ledger: Ledger;
  readonly #recollection = new Recollection();
  readonly #programs: number;
  readonly #waits: boolean;
  readonly #pace: Pace;
  #brief: StudyBrief | undefined;
  #underWay: Promise<void> | undefined;
  #arrived: Arrival | undefined;
  /** Programs of an answer for which a turn had no room. */
  #leftOver: readonly Proposal[] = [];
  #misses = 0;
  #isOver = false;
  /** What is to be told while a question is still under way, and who waits for it. */
  #notices: ProposerProblem[] = [];
  #wake: () => void = () => {};
  /** Troubles that were told since the last answer. */
  readonly #told = new Set<LlmCode>();
  /** What is said once: how the endpoint is, not how it fares. */
  readonly #toldOnce = new Set<LlmCode>();

  constructor(options: LlmOptions, hooks: LlmHooks) {
    checkNames("llm", options, NAMES);
    if (options.prices !== undefined) checkNames("prices", options.prices, PRICE_NAMES);
    if (options.caps !== undefined) checkNames("caps", options.caps, CAP_NAMES);
    this.#endpoint = { ...endpointOf(options), ...hooks };
    this.#ledger = new Ledger(options.prices, options.caps ?? {});
    this.#programs = options.programs ?? 8;
    this.#waits = options.waits ?? false;
    this.#pace = new Pace(intervalOf(options));
  }

  begin(brief: StudyBrief): void {
    this.#brief = brief;
  }

  async propose(count: number, signal: AbortSignal): Promise<Proposals> {
    if (this.#leftOver.length > 0) return this.#shareOut(this.#leftOver, count, []);
    if (this.#isOver) return { proposals: [], isExhausted: true };
    const cap = this.#ledger.reachedCap();
    if (cap !== undefined) return this.#giveUp("E-LLM-CAP", `the cap is reached: ${cap}`);
    this.#underWay ??= this.#startQuestion(count, signal);
    if (this.#waits) await Promise.race([this.#underWay, this.#noticed()]);
    const notices = this.#notices.splice(0);
    const arrival = this.#arrived;
    if (arrival === undefined) return this.#cleaned({ proposals: [] }, notices);
    this.#arrived = undefined;
    this.#underWay = undefined;
    return this.#cleaned(this.#handOver(arrival, count), notices);
  }

  /** The key and the password, out of a text that is stored or printed. */
  redact(text: string): string {
    return this.#endpoint.clean(text);
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
      leftOver: this.#leftOver as unknown as Json,
    };
  }

  restore(state: Json): void {
    const saved: unknown = state;
    if (!isSavedState(saved)) throw new TypeError("this is not what llm has saved");
    this.#ledger.restore(saved.spending);
    this.#recollection.restore(saved.recollection);
    this.#misses = saved.misses;
    this.#isOver = saved.isOver;
    this.#leftOver = saved.leftOver;
  }

  async #startQuestion(count: number, signal: AbortSignal): Promise<void> {
    const brief = this.#brief;
    if (brief === undefined) throw new Error("begin comes before propose");
    const asked = Math.min(count, this.#programs);
    const question: Question = {
      system: systemPrompt(brief),
      prompt: userPrompt(brief, this.#recollection.memory, asked),
    };
    const reply = await ask(this.#endpoint, question, this.#pace, signal, (trouble, wait) =>
      this.#noteRetry(trouble, wait),
    );
    this.#arrived = { reply, prompt: question.prompt, asked };
  }

  /** Resolves when there is something to tell before the answer. */
  #noticed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#notices.length > 0) resolve();
    });
  }

  /**
   * Told once for each kind until an answer comes: all retries together can take minutes. Whoever
   * waits for the answer is woken, unless the next try comes at once.
   */
  #noteRetry({ code, message }: Trouble, wait: number): void {
    if (this.#told.has(code)) return;
    this.#told.add(code);
    const soon = wait < NOTICE_PAUSE;
    const when = soon ? "" : ` in ${Math.round(wait / 1000)} s`;
    this.#notices.push({ code, message: `${message}; it is asked again${when}` });
    if (!soon || code === "E-LLM-UNREACHABLE") this.#wake();
  }

  #handOver({ reply, prompt, asked }: Arrival, count: number): Proposals {
    if (reply.kind === "aborted") return { proposals: [] };
    for (const use of reply.uses) this.#ledger.enter(use);
    if (reply.kind === "failed") {
      const { code, message, isFinal = false } = reply.trouble;
      return this.#miss({ code, message }, [], isFinal);
    }
    this.#told.clear();
    this.#ledger.enter(reply.answer.use);
    const problems = this.#usageProblems(reply.answer);
    const { clean, holdsSecret, name } = this.#endpoint;
    const answer = readAnswer(reply.answer.text, { most: asked, clean });
    if ("problem" in answer) {
      const isRefusal = answer.isRefusal || reply.answer.isRefusal;
      const code: LlmCode = isRefusal ? "E-LLM-REFUSED" : "E-LLM-ANSWER";
      return this.#miss({ code, message: `${name}: ${answer.problem}` }, problems);
    }
    const telling = answer.programs.filter((source) => holdsSecret(everythingIn(source)));
    const secretMessage = `${name} puts the key or the password into programs: ${telling.length} are left out`;
    if (telling.length === answer.programs.length) {
      return this.#miss({ code: "E-LLM-SECRET", message: secretMessage }, problems);
    }
    if (telling.length > 0) problems.push(...this.#once("E-LLM-SECRET", secretMessage));
    this.#misses = 0;
    const { surplus, tooLong } = answer;
    if (surplus + tooLong > 0) {
      const message = `${name} gives programs that are too many or too long: ${surplus} and ${tooLong} are left out`;
      problems.push(...this.#once("E-LLM-SURPLUS", message));
    }
    const proposals = answer.programs
      .filter((source) => !telling.includes(source))
      .map((source): Proposal => ({ source, parents: [], origin: "answer", prompt }));
    return this.#shareOut(proposals, count, problems);
  }

  /** At most `count` programs; the others wait for the next turn. */
  #shareOut(
    proposals: readonly Proposal[],
    count: number,
    problems: readonly ProposerProblem[],
  ): Proposals {
    this.#leftOver = proposals.slice(count);
    return { proposals: proposals.slice(0, count), spending: this.#ledger.takeUntold(), problems };
  }

  #usageProblems({ counted }: Completion): ProposerProblem[] {
    const estimated = "they are estimated at four letters each";
    const { name } = this.#endpoint;
    if (counted === "no") {
      return this.#once("E-LLM-UNCOUNTED", `${name} does not count tokens: ${estimated}`);
    }
    if (counted === "absurdly") {
      return this.#once("E-LLM-USAGE", `${name} counts tokens as they cannot be: ${estimated}`);
    }
    return [];
  }

  #once(code: LlmCode, message: string): ProposerProblem[] {
    if (this.#toldOnce.has(code)) return [];
    this.#toldOnce.add(code);
    return [{ code, message }];
  }

  /** Everything that leaves for the archive and the screen passes here. */
  #cleaned(batch: Proposals, notices: readonly ProposerProblem[]): Proposals {
    const told = [...notices, ...(batch.problems ?? [])];
    if (told.length === 0) return batch;
    const problems = told.map(({ code, message }) => ({ code, message: this.redact(message) }));
    return { ...batch, problems };
  }

  #miss(
    { code, message }: ProposerProblem,
    before: readonly ProposerProblem[],
    isFinal = false,
  ): Proposals {
    this.#misses += 1;
    const problems = [...before, { code, message }];
    if (this.#misses < MISSES_MAX && !isFinal) {
      return { proposals: [], spending: this.#ledger.takeUntold(), problems };
    }
    const times = this.#misses === 1 ? "one failed question" : `${this.#misses} failed questions`;
    return this.#giveUp(code, `${this.#endpoint.name} is given up after ${times}`, problems);
  }

  #giveUp(code: string, message: string, before: readonly ProposerProblem[] = []): Proposals {
    this.#isOver = true;
    return {
      proposals: [],
      spending: this.#ledger.takeUntold(),
      problems: [...before, { code, message }],
      isExhausted: true,
    };
  }
}
