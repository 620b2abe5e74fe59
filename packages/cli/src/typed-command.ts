/** The command as it was typed, for reports that say how they were made. */

/** The command line, quoted so that a shell takes it again. */
export function typedCommand(): string {
  const words = process.argv
    .slice(2)
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word)));
  return ["ndvm", ...words].join(" ");
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
