/**
 * What the tests of the engine share: data, proposers that need no chance, and whole runs.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import {
  type Json,
  type Outcome,
  openArchive,
  type Proposal,
  type Proposals,
  type Proposer,
  type SearchDone,
  type SearchEvent,
  type SearchOptions,
  type StudyBrief,
  search,
} from "../../src/index.js";
import type { SearchHooks } from "../../src/search.js";

export interface Told {
  readonly events: readonly SearchEvent[];
  readonly outcomes: readonly Outcome[];
  readonly done: SearchDone;
}

/** Runs a search to its end. */
export async function run(options: SearchOptions, hooks: SearchHooks = {}): Promise<Told> {
  const events: SearchEvent[] = [];
  for await (const event of search(options, hooks)) events.push(event);
  return {
    events,
    outcomes: events.flatMap((event) => (event.type === "candidate" ? [event.outcome] : [])),
    done: events.at(-1) as SearchDone,
  };
}

/** Proposes given programs once, as new candidates each. */
export function list(sources: readonly (string | Proposal)[]): Proposer {
  let at = 0;
  return {
    name: "list",
    begin() {},
    async propose(count): Promise<Proposals> {
      const proposals = sources
        .slice(at, at + count)
        .map((each) =>
          typeof each === "string" ? { source: each, parents: [], origin: "given" } : each,
        );
      at += proposals.length;
      return { proposals, isExhausted: at >= sources.length };
    },
    observe() {},
    save: () => at,
    restore(state) {
      at = state as number;
    },
  };
}

/**
 * A proposer whose programs depend on every outcome that it has heard of: whoever shows it more, less
 * or in another order gets other programs.
 */
export class Echo implements Proposer {
  readonly name = "echo";
  #hash = 17;
  #made = 0;
  /** Visits it has heard of, in the order of hearing. */
  readonly heard: number[] = [];

  begin({ seed }: StudyBrief): void {
    this.#hash ^= seed;
  }

  async propose(count: number): Promise<Proposals> {
    const proposals = Array.from({ length: count }, (_, i): Proposal => {
      const h = this.#scramble(this.#made + i);
      const heads = ["sin", "cos", "exp", "tanh", "square"];
      const head = heads[h % 5] as string;
      const inner = heads[(h >>> 5) % 5] as string;
      const n = (h >>> 10) % 6;
      const source =
        h % 11 === 0
          ? "(car x)"
          : `(+ a (* b (${head} (* ${n} (${inner} (* c x))))) (* d ${(h >>> 14) % 4}))`;
      return { source, parents: [], origin: "echo" };
    });
    this.#made += proposals.length;
    return { proposals };
  }

  observe(outcomes: readonly Outcome[]): void {
    for (const { visit, r2, status } of outcomes) {
      this.heard.push(visit);
      const bits = new Uint32Array(new Float64Array([Number.isNaN(r2) ? 0 : r2]).buffer);
      this.#hash = this.#scramble(
        visit ^ (bits[0] as number) ^ (bits[1] as number) ^ status.length,
      );
    }
  }

  save(): Json {
    return { hash: this.#hash, made: this.#made };
  }

  restore(state: Json): void {
    const { hash, made } = state as { hash: number; made: number };
    this.#hash = hash;
    this.#made = made;
  }

  #scramble(word: number): number {
    let z = Math.imul(this.#hash ^ (word + 0x9e3779b9), 0x85ebca6b);
    z ^= z >>> 13;
    z = Math.imul(z, 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  }
}

const folder = mkdtempSync(join(tmpdir(), "ndvm-search-"));
let files = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A name for an archive that is not there yet. */
export function freshFile(): string {
  files += 1;
  return join(folder, `study-${files}.db`);
}

export function exported(file: string): string {
  const archive = openArchive(file);
  try {
    return [...archive.export()].join("\n");
  } finally {
    archive.close();
  }
}

/** Two exports must have the same bytes; shows the first line that differs. */
export function expectSame(got: string, wanted: string): void {
  if (got === wanted) return;
  const [a, b] = [got.split("\n"), wanted.split("\n")];
  const at = a.findIndex((text, i) => text !== b[i]);
  expect(`${a.length} lines; ${a[at]}`).toBe(`${b.length} lines; ${b[at]}`);
  expect(a.length).toBe(b.length);
}
