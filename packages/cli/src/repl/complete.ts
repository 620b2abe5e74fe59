/** Whether what was typed so far is a whole number of datums, or waits for more lines. */

/** True if no parenthesis, bracket, |name| or #| comment |# is open at the end of the text. */
export function isComplete(text: string): boolean {
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const mark = text[at];
    if (mark === ";") {
      const end = text.indexOf("\n", at);
      if (end < 0) break;
      at = end;
    } else if (mark === "#" && text[at + 1] === "|") {
      at = endOfBlockComment(text, at);
      if (at < 0) return false;
    } else if (mark === "|") {
      at = text.indexOf("|", at + 1);
      if (at < 0) return false;
    } else if (mark === "(" || mark === "[") depth += 1;
    else if (mark === ")" || mark === "]") depth -= 1;
    at += 1;
  }
  return depth <= 0;
}

/** Index of the last character of the comment that opens at `start` (they nest), or −1. */
function endOfBlockComment(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length - 1; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === "#|") depth += 1;
    else if (pair === "|#") depth -= 1;
    else continue;
    at += 1;
    if (depth === 0) return at;
  }
  return -1;
}
