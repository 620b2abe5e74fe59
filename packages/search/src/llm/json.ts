/**
 * JSON from outside: what is nested absurdly is refused before it is parsed, since each level of it
 * costs a hundred times the memory of its text.
 */

/** Chat completions, and the lists of programs in them, have fewer than ten levels. */
const NESTING_MAX = 100;

export type ParsedJson =
  | { readonly json: unknown }
  | { readonly problem: "broken JSON" | "JSON that is nested too deeply" };

export function parseJson(text: string): ParsedJson {
  if (isDeep(text)) return { problem: "JSON that is nested too deeply" };
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return { problem: "broken JSON" };
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

/** Of a text that is no JSON only the part that a parser would read is sure to be counted right. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isString = !isString;
    else if (isString) at += code === BACKSLASH ? 1 : 0;
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    if (depth > NESTING_MAX) return true;
  }
  return false;
}

const isOpening = (code: number): boolean => code === 91 || code === 123;
const isClosing = (code: number): boolean => code === 93 || code === 125;
