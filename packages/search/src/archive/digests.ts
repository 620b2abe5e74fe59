/**
 * Digests of the skeletons that an epoch met first, as text: base64 of ten bytes for each, little
 * endian. They are kept whatever else is, so that a resumed study knows a program it has seen.
 *
 *   byte  0 … 3   the low word of the digest (digest.ts)
 *         4 … 7   the high word
 *         8 … 9   how many visits it comes after the one before it, or 65,535 and another entry with
 *                 the rest of them
 */

/** The digest of a candidate's identity. */
export interface MetDigest {
  readonly id: number;
  readonly high: number;
  readonly low: number;
}

const STEP_MOST = 65_535;
const BYTES = 10;

/** Ids must rise from `firstVisit` on. */
export function packDigests(digests: readonly MetDigest[], firstVisit: number): string {
  const bytes = Buffer.alloc(BYTES * entriesOf(digests, firstVisit));
  let [at, before] = [0, firstVisit];
  for (const { id, high, low } of digests) {
    let step = id - before;
    for (; step >= STEP_MOST; step -= STEP_MOST, at += BYTES)
      bytes.writeUInt16LE(STEP_MOST, at + 8);
    bytes.writeUInt32LE(low, at);
    bytes.writeUInt32LE(high, at + 4);
    bytes.writeUInt16LE(step, at + 8);
    at += BYTES;
    before = id;
  }
  return bytes.toString("base64");
}

function entriesOf(digests: readonly MetDigest[], firstVisit: number): number {
  let [count, before] = [0, firstVisit];
  for (const { id } of digests) {
    count += 1 + Math.floor((id - before) / STEP_MOST);
    before = id;
  }
  return count;
}

/** Undefined: the text holds no digests of these visits. */
export function unpackDigests(
  text: string,
  firstVisit: number,
  visits: number,
): readonly MetDigest[] | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % BYTES !== 0 || bytes.toString("base64") !== text) return undefined;
  const digests: MetDigest[] = [];
  let id = firstVisit;
  for (let at = 0; at < bytes.length; at += BYTES) {
    const step = bytes.readUInt16LE(at + 8);
    id += step;
    if (step === STEP_MOST) continue;
    if (id >= firstVisit + visits) return undefined;
    digests.push({ id, high: bytes.readUInt32LE(at + 4), low: bytes.readUInt32LE(at) });
  }
  return digests;
}
