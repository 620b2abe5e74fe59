/** The command as it was typed, for reports that say how they were made. */

import { shellWord } from "@ndvm/core/machine";

let typed: readonly string[] = [];

/** What stands behind `ndvm` in the command that begins. */
export function rememberCommand(words: readonly string[]): void {
  typed = words;
}

/** How an option is told whose value, such as an address, is not told as it was typed. */
export interface Meaning {
  /** Undefined leaves the option out. */
  readonly shown: string | undefined;
  /** The option may stand without a value. */
  readonly isOptional?: boolean;
}

export type Meanings = ReadonlyMap<string, Meaning>;

/** The command line, quoted so that a shell takes it again. */
export function typedCommand(meanings: Meanings = new Map()): string {
  const words = withMeanings(meanings).map(shellWord);
  return ["ndvm", ...words].join(" ");
}

function withMeanings(meanings: Meanings): string[] {
  const words: string[] = [];
  for (let at = 0; at < typed.length; at++) {
    const word = typed[at] as string;
    const name = word.split("=", 1)[0] as string;
    const meaning = meanings.get(name);
    if (meaning === undefined) {
      words.push(word);
      continue;
    }
    const isAlone = meaning.isOptional && (typed[at + 1] ?? "-").startsWith("-");
    const hasValue = name !== word || !isAlone;
    if (hasValue && name === word) at += 1;
    if (!hasValue) words.push(name);
    else if (meaning.shown !== undefined) words.push(name, meaning.shown);
  }
  return words;
}
