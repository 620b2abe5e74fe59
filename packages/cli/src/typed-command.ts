/** The command as it was typed, for reports that say how they were made. */

let typed: readonly string[] = [];

/** What stands behind `ndvm` in the command that begins. */
export function rememberCommand(words: readonly string[]): void {
  typed = words;
}

/** The command line, quoted so that a shell takes it again. */
export function typedCommand(): string {
  const words = typed.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word)));
  return ["ndvm", ...words].join(" ");
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
