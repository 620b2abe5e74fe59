/**
 * The nearest of some known names: what someone who mistyped a name most likely meant.
 */

/** Longer names are not compared. */
const LENGTH_MAX = 60;
/** Edits beyond which a name is no slip of another. */
const EDITS_MAX = 4;

/** The known name with the smallest edit distance, if it is small enough to be a slip. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const lower = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = name.length <= 3 ? 2 : name.length <= 6 ? 3 : EDITS_MAX;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const most = Math.min(bestDistance, Math.max(name.length, candidate.length));
    const distance = editDistance(lower, candidate.toLowerCase(), most);
    if (distance >= most) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Small letters can be longer than large ones. */
const ROW_LENGTH = 4 * LENGTH_MAX;

/** Rows of the table of distances: one name's beginnings against those of the other. */
let before = new Int32Array(ROW_LENGTH);
let row = new Int32Array(ROW_LENGTH);
let next = new Int32Array(ROW_LENGTH);

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one name into the other;
 * `most` where there are as many or more.
 */
function editDistance(a: string, b: string, most: number): number {
  let leastBefore = 0;
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    next[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + cost);
      // A letter before the first is no number, and equal to nothing.
      const isSwap =
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwap) edits = Math.min(edits, at(before, j - 2) + 1);
      next[j] = edits;
      least = Math.min(least, edits);
    }
    // A swap reaches back two rows, so both must be too far.
    if (least >= most && leastBefore >= most) return most;
    leastBefore = least;
    [before, row, next] = [row, next, before];
  }
  return at(row, b.length);
}

const at = (edits: Int32Array, index: number): number => edits[index] as number;
