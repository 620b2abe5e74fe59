/**
 * What was typed so far, until it is a whole number of datums. Every character is looked at once, however
 * many lines there are.
 */

/** Most characters that wait for more: what is longer is taken for an input as it stands. */
const CHARACTERS_MOST = 2 ** 22;

export class PendingInput {
  #lines: string[] = [];
  #length = 0;
  /** Parentheses and brackets that are open. */
  #depth = 0;
  /** Comments #| |# that are open; they nest. */
  #comments = 0;
  /** Whether a |name| is open. */
  #isName = false;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** No parenthesis, bracket, |name| or #| comment |# is open at the end, or too much came since. */
  get isComplete(): boolean {
    if (this.#length > CHARACTERS_MOST) return true;
    return this.#depth <= 0 && this.#comments === 0 && !this.#isName;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
    for (let at = 0; at < line.length; ) at = this.#pass(line, at);
  }

  /** The text, which waits no more. */
  take(): string {
    const text = this.#lines.join("\n");
    this.#lines = [];
    this.#length = this.#depth = this.#comments = 0;
    this.#isName = false;
    return text;
  }

  /** Goes past the mark that stands there; where the next one may stand. */
  #pass(line: string, at: number): number {
    const mark = line[at];
    const next = line[at + 1];
    if (this.#isName) {
      this.#isName = mark !== "|";
      return at + (mark === "\\" ? 2 : 1);
    }
    if (mark === "#" && next === "|") {
      this.#comments += 1;
      return at + 2;
    }
    if (this.#comments > 0) {
      const isEnd = mark === "|" && next === "#";
      if (isEnd) this.#comments -= 1;
      return at + (isEnd ? 2 : 1);
    }
    if (mark === ";") return line.length;
    if (mark === "|") this.#isName = true;
    else if (mark === "(" || mark === "[") this.#depth += 1;
    else if (mark === ")" || mark === "]") this.#depth -= 1;
    return at + 1;
  }
}
