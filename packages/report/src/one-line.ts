/** Program text for a line of a table. */

/** Program text on one line, cut to `width`. */
export function oneLine(text: string, width: number): string {
  const flat = text
    .replace(/;[^\n]*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return flat.length <= width ? flat : `${flat.slice(0, Math.max(1, width - 1))}…`;
}
