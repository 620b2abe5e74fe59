/**
 * A whole search under the clock: how long it takes from its first event to its last candidate, and
 * how fast it goes in its fastest second.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SearchDone, type SearchOptions, search } from "../../src/index.js";
import type { SearchHooks } from "../../src/search.js";

const folder = mkdtempSync(join(tmpdir(), "ndvm-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** The path of a file that goes with the process. */
export function fileIn(name: string): string {
  files += 1;
  return join(folder, `${files}-${name}`);
}

/** Milliseconds without a tick after which a burst of them is over. */
const PAUSE = 3;

/**
 * How fast something goes. The machine's speed comes and goes, so the fastest second counts. Events
 * are told in bursts, after each commit: a second lasts from the end of a burst to the end of one.
 */
export class Pace {
  readonly #pause: number;
  readonly #ends: { readonly at: number; readonly count: number }[] = [];
  #count = 0;
  #last = performance.now();

  constructor(pause: number) {
    this.#pause = pause;
  }

  tick(): void {
    const now = performance.now();
    if (now - this.#last >= this.#pause) this.#ends.push({ at: this.#last, count: this.#count });
    this.#last = now;
    this.#count += 1;
  }

  /** Ticks a second in the fastest second; NaN where it did not go on for that long. */
  get fastest(): number {
    let most = Number.NaN;
    let from = 0;
    for (const { at, count: told } of this.#ends) {
      while (at - (this.#ends[from + 1]?.at ?? at) >= 1000) from += 1;
      const began = this.#ends[from] as { readonly at: number; readonly count: number };
      if (at - began.at < 1000) continue;
      const pace = (1000 * (told - began.count)) / (at - began.at);
      if (!(pace <= most)) most = pace;
    }
    return most;
  }
}

/** `isKept`: with an archive, in a file of its own. */
export async function time(options: SearchOptions, isKept: boolean, hooks: SearchHooks = {}) {
  const archive = fileIn("study.db");
  const pace = new Pace(PAUSE);
  let done: SearchDone | undefined;
  let first = 0;
  let last = 0;
  for await (const event of search({ ...options, ...(isKept ? { archive } : {}) }, hooks)) {
    if (event.type === "started") first = performance.now();
    if (event.type === "candidate") last = performance.now();
    if (event.type === "candidate") pace.tick();
    if (event.type === "done") done = event;
  }
  if (done === undefined) throw new Error("a search ends with an event that says so");
  return { done, seconds: (last - first) / 1000, archive, fastest: pace.fastest };
}
