/**
 * Offsets in a source text as lines and columns, both counted from 1; columns in UTF-16 units.
 * A line ends at \n, \r\n or \r.
 */

export interface Position {
  readonly line: number;
  readonly column: number;
  /** Offset of the line's first character. */
  readonly lineStart: number;
}

export function positionOf(source: string, offset: number): Position {
  const target = Math.min(offset, source.length);
  let line = 1;
  let lineStart = 0;
  for (let at = lineEnd(source, 0); at < target; at = lineEnd(source, lineStart)) {
    const next = source.startsWith("\r\n", at) ? at + 2 : at + 1;
    if (next > target) break;
    line++;
    lineStart = next;
  }
  return { line, column: target - lineStart + 1, lineStart };
}

/** The offset of the line break that ends the line, or the end of the text. */
export function lineEnd(source: string, from: number): number {
  let at = from;
  while (at < source.length && !isBreak(source.charCodeAt(at))) at++;
  return at;
}

function isBreak(code: number): boolean {
  return code === 10 || code === 13;
}
