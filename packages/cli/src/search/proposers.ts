/**
 * `--proposer evolve,llm,replay:FILE`: from words to proposers.
 */

import { evolve, type LlmOptions, llm, type Proposer, readPrograms, replay } from "@ndvm/search";
import { UsageError } from "../inputs.js";
import { readTextFile } from "../text-file.js";

export interface ProposerSettings {
  /** Programs, or one template with holes, that evolution starts from. */
  readonly seedPrograms: readonly string[];
  /** How often `replay` goes through its file. */
  readonly cycles: number;
  readonly llm: LlmOptions;
}

const KINDS = "evolve, llm and replay:FILE";

const REPLAY = "replay:";

const wordsOf = (list: string): readonly string[] => list.split(",").map((word) => word.trim());

/** Files whose programs a list of proposers replays. */
export const replayedFiles = (list: string): readonly string[] =>
  wordsOf(list).flatMap((word) => (word.startsWith(REPLAY) ? [word.slice(REPLAY.length)] : []));

export async function makeProposers(
  list: string,
  settings: ProposerSettings,
): Promise<readonly Proposer[]> {
  const words = wordsOf(list);
  const seen = new Set<string>();
  for (const word of words) {
    if (seen.has(word)) throw new UsageError(`--proposer names ${word} twice`);
    seen.add(word);
  }
  return Promise.all(words.map((word) => makeProposer(word, settings, words.length === 1)));
}

/** Whether a list of proposers asks a language model. */
export const asksModel = (list: string): boolean =>
  list.split(",").some((word) => word.trim() === "llm");

async function makeProposer(
  word: string,
  settings: ProposerSettings,
  isAlone: boolean,
): Promise<Proposer> {
  if (word === "evolve") return evolve({ seeds: settings.seedPrograms });
  if (word === "llm") return llm({ ...settings.llm, waits: isAlone });
  if (word.startsWith(REPLAY)) {
    const file = word.slice(REPLAY.length);
    const programs = readPrograms(await readTextFile(file), file);
    return replay(programs, { cycles: settings.cycles });
  }
  if (word === "replay") throw new UsageError("--proposer replay wants a file: replay:FILE");
  throw new UsageError(`there is no proposer "${word}"; there are ${KINDS}`);
}
