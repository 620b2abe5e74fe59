/** Words of commands that messages tell people to type. */

/** A word as a shell takes it: in quotes where the shell would take it apart, and in one line. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!CONTROL.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replaceAll(/['\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `$'${escaped.replace(CONTROLS, codeOf)}'`;
}

const CONTROL = /\p{Cc}/u;
const CONTROLS = /\p{Cc}/gu;
const codeOf = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The name of a file as a command takes it: one that begins with "-" would be taken for an option. */
export const fileWord = (file: string): string =>
  shellWord(file.startsWith("-") ? `./${file}` : file);
