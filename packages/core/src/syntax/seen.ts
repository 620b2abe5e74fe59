/**
 * Texts of strangers as people may see them. Names of columns, programs and files hold any character: also
 * those that steer a terminal, that turn the direction of writing, or that nobody sees.
 */

/**
 * Control characters but tab and newline, marks of direction, separators of lines that only some
 * terminals know, halves of characters, and what has no shape of its own, so that two names look like
 * one. Inside of a picture (👩‍🔬, ☀️) the last are what they are meant to be.
 */
const UNSEEN = new RegExp(
  [
    "(?<!\\p{Extended_Pictographic}\\ufe0f?\\p{Emoji_Modifier}?)\\u200d",
    "(?<!\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]",
    "(?![\\t\\n\\u200d\\ufe0e\\ufe0f])" +
      "[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]",
  ].join("|"),
  "gu",
);

/** Nearly all texts have none of these, and are not looked through. */
const UNCOMMON = /[^\t\n\x20-\x7e]/;

export const hasUnseen = (text: string): boolean => replaceUnseen(text, () => "") !== text;

/** A text whose unseen characters were written otherwise. Tabs and newlines stay. */
export const replaceUnseen = (text: string, write: (mark: string) => string): string =>
  UNCOMMON.test(text) ? text.replace(UNSEEN, write) : text;

/** As escapes of JSON: JSON stays what it was, and people see what is there. */
export const visible = (text: string): string => replaceUnseen(text, escaped);

const escaped = (mark: string): string =>
  Array.from(
    { length: mark.length },
    (_, i) => `\\u${mark.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");

/** A name inside a line, which it does not end: people's spreadsheets have columns of two lines. */
export const inOneLine = (text: string): string =>
  text.replace(/[\t\n]/g, (mark) => (mark === "\n" ? "\\n" : "\\t"));
