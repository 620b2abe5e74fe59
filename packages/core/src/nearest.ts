/**
 * The nearest of some known names: what someone who mistyped a name most likely meant.
 */

/** The known name with the smallest edit distance, if it is small enough to be a slip. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 60) return undefined;
  let best: string | undefined;
  let bestDistance = name.length <= 3 ? 2 : name.length <= 6 ? 3 : 4;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance && distance < Math.max(name.length, candidate.length)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one name into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(num(row, j) + 1, num(next, j - 1) + 1, num(row, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, num(before, j - 2) + 1);
      }
      next.push(best);
    }
    before = row;
    row = next;
  }
  return num(row, b.length);
}

function num(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
