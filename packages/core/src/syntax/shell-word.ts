/** Words of commands that messages tell people to type. */

import { hasUnseen, replaceUnseen } from "./seen.js";

/** A word as a shell takes it: in quotes where the shell would take it apart, in one line, and seen whole. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!hasUnseen(word) && !/[\t\n]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const quoted = word.replaceAll(/['\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  return `$'${replaceUnseen(quoted, codeOf)}'`;
}

function codeOf(mark: string): string {
  const code = (mark.codePointAt(0) as number).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** The name of a file as a command takes it: one that begins with "-" would be taken for an option. */
export const fileWord = (file: string): string =>
  shellWord(file.startsWith("-") ? `./${file}` : file);
