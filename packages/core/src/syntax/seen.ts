/**
 * Texts of strangers as people may see them. Names of columns, programs and files hold any character: also
 * those that steer a terminal, that turn the direction of writing, or that nobody sees.
 */

/**
 * Control characters but tab and newline, marks of direction, separators of lines that only some
 * terminals know, halves of characters, and what has no shape of its own, so that two names look like
 * one.
 */
const UNSEEN =
  "(?![\\t\\n])[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]";

/** Scripts in which a joiner between two letters (ZWJ, ZWNJ) decides how they are written. */
const JOINED = ["Arabic", "Syriac", "Nko", "Mongolian", "Sinhala", "Khmer", "Myanmar"]
  .concat("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya")
  .concat("Tamil", "Telugu", "Kannada", "Malayalam")
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join("");

const PICTURE = "\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]?\\p{Emoji_Modifier}?";

/** Where characters of no shape of their own change how their neighbours look, as they are meant to. */
const SEEN = [
  // 🏴󠁧󠁢󠁥󠁮󠁧󠁿: a flag and the letters of its country.
  "\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}",
  // 👩‍🔬, ☀️
  `${PICTURE}(?:\\u200d${PICTURE})*`,
  // 1️⃣
  "[0-9#*]\\ufe0f\\u20e3",
  // می‌شود, क्‍ष
  `[\\u200c\\u200d](?<=[${JOINED}].)(?=[${JOINED}])`,
  // 葛󠄀
  "[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}](?<=\\p{Script=Han}.)",
  "[\\u180b-\\u180f](?<=\\p{Script=Mongolian}.)",
].join("|");

const MARKS = new RegExp(`(${SEEN})|${UNSEEN}`, "gu");

/** Nearly all texts have none of these, and are not looked through. */
const UNCOMMON = /[^\t\n\x20-\x7e]/;

export const hasUnseen = (text: string): boolean => replaceUnseen(text, () => "") !== text;

/** A text whose unseen characters were written otherwise. Tabs and newlines stay. */
export const replaceUnseen = (text: string, write: (mark: string) => string): string =>
  UNCOMMON.test(text)
    ? text.replace(MARKS, (mark, seen: string | undefined) => seen ?? write(mark))
    : text;

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
