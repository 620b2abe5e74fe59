/** Tests of `--where` that compare a column with a word: `cell=a7`, `cell!=a7`. */

const ORDER_TEST = /^\s*([^\s<>=()]+)\s*([<>]=?)\s*([^\s<>=()]+)\s*$/;
const WORD_TEST = /^\s*([^()=!]+?)\s*(!?=)\s*(.*?)\s*$/;

/** Left side, order and right side of `t>2`, which is written as an expression. */
export const orderTest = (text: string): readonly string[] | undefined =>
  ORDER_TEST.exec(text)?.slice(1);

/** Column, sign and word. */
export const wordTest = (text: string): readonly string[] | undefined =>
  WORD_TEST.exec(text)?.slice(1);

/** Whether a test of a column for a word, as it stands, says just that. */
export function isWordTest(column: string, word: string): boolean {
  const text = `${column}=${word}`;
  if (text.trimStart().startsWith("(") || orderTest(text) !== undefined) return false;
  const [name, sign, wanted = "="] = wordTest(text) ?? [];
  return name === column && sign === "=" && wanted === word && !word.startsWith("=");
}
