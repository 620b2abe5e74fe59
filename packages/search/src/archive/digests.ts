/**
 * Digests of the skeletons that an epoch met first, as text: base64 of eight bytes for each, little
 * endian. They are kept whatever else is, so that a resumed study knows a program it has seen.
 *
 *   bit  0 … 52   the hash of the candidate's identity (intake.ts)
 *       53 … 63   how many visits it comes after the one before it, or 2047 and another entry with
 *                 the rest of them
 */

export interface Digest {
  readonly id: number;
  readonly hash: number;
}

const TWO_21 = 2 ** 21;
const TWO_32 = 2 ** 32;
const STEP_MOST = 2047;
const BYTES = 8;

/** Ids must rise from `firstVisit` on. */
export function packDigests(digests: readonly Digest[], firstVisit: number): string {
  const words: number[] = [];
  let at = firstVisit;
  for (const { id, hash } of digests) {
    let step = id - at;
    for (; step >= STEP_MOST; step -= STEP_MOST) words.push(0, STEP_MOST * TWO_21);
    const high = Math.floor(hash / TWO_32);
    words.push(hash % TWO_32, step * TWO_21 + high);
    at = id;
  }
  const bytes = Buffer.alloc(4 * words.length);
  for (const [i, word] of words.entries()) bytes.writeUInt32LE(word, 4 * i);
  return bytes.toString("base64");
}

/** Undefined: the text holds no digests of these visits. */
export function unpackDigests(
  text: string,
  firstVisit: number,
  visits: number,
): readonly Digest[] | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % BYTES !== 0 || bytes.toString("base64") !== text) return undefined;
  const digests: Digest[] = [];
  let id = firstVisit;
  for (let at = 0; at < bytes.length; at += BYTES) {
    const low = bytes.readUInt32LE(at);
    const high = bytes.readUInt32LE(at + 4);
    const step = Math.floor(high / TWO_21);
    id += step;
    if (step === STEP_MOST) continue;
    if (id >= firstVisit + visits) return undefined;
    digests.push({ id, hash: TWO_32 * (high % TWO_21) + low });
  }
  return digests;
}
