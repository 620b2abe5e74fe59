/**
 * The ledger: what a language model was asked and what that cost, against a cap.
 *
 * Every answered request is entered, useful or not: a malformed answer is paid for too. The cap is
 * asked before a request is made, so it is passed by one request at most.
 */

import { addSpending, NO_SPENDING } from "../spending.js";
import type { Json, Spending } from "../types.js";

/** Prices per million tokens, in whatever currency the user thinks in. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

export interface Caps {
  /** In the currency of the prices. */
  readonly cost?: number;
  /** Tokens in and out together. */
  readonly tokens?: number;
}

export interface TokenUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const MILLION = 1e6;

export class Ledger {
  readonly #prices: Prices | undefined;
  readonly #caps: Caps;
  #total: Spending = NO_SPENDING;
  /** Entered since the engine was last told. */
  #untold: Spending = NO_SPENDING;

  constructor(prices: Prices | undefined, caps: Caps) {
    this.#prices = prices;
    this.#caps = caps;
  }

  get total(): Spending {
    return this.#total;
  }

  enter(use: TokenUse): void {
    const prices = this.#prices ?? { input: 0, output: 0 };
    const entry: Spending = {
      requests: 1,
      inputTokens: use.inputTokens,
      outputTokens: use.outputTokens,
      cost: (use.inputTokens * prices.input + use.outputTokens * prices.output) / MILLION,
    };
    this.#total = addSpending(this.#total, entry);
    this.#untold = addSpending(this.#untold, entry);
  }

  /** The cap that has been reached, in words; undefined while there is room. */
  reachedCap(): string | undefined {
    const { cost, tokens } = this.#caps;
    const used = this.#total.inputTokens + this.#total.outputTokens;
    if (tokens !== undefined && used >= tokens) return `${used} of ${tokens} tokens are used`;
    if (cost !== undefined && this.#total.cost >= cost) {
      return `${this.#total.cost.toFixed(4)} of ${cost} is spent`;
    }
    return undefined;
  }

  takeUntold(): Spending {
    const untold = this.#untold;
    this.#untold = NO_SPENDING;
    return untold;
  }

  save(): Json {
    return { ...this.#total };
  }

  restore(total: Spending): void {
    this.#total = total;
    this.#untold = NO_SPENDING;
  }
}
