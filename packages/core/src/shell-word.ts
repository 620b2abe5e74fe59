/** Words of commands that messages tell people to type. */

/** A word as a shell takes it: in quotes where the shell would take it apart. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The name of a file as a command takes it: one that begins with "-" would be taken for an option. */
export const fileWord = (file: string): string =>
  shellWord(file.startsWith("-") ? `./${file}` : file);
