/**
 * Which skeletons were seen of late: a table of fixed size, so that memory and saved state stay the
 * same however long a study runs. A skeleton that is forgotten and proposed again is recognised by
 * the study itself; one that is taken for another of the same 32 bits and place is not proposed.
 */

const slots = 1 << 15;
/** Marks that share a place; the newest comes first and drives out the oldest. */
const ways = 4;

export class Seen {
  #table = new Int32Array(slots);

  has(skeleton: string): boolean {
    const [place, mark] = hashesOf(skeleton);
    for (let i = 0; i < ways; i++) if (this.#table[place + i] === mark) return true;
    return false;
  }

  add(skeleton: string): void {
    if (this.has(skeleton)) return;
    const [place, mark] = hashesOf(skeleton);
    this.#table.copyWithin(place + 1, place, place + ways - 1);
    this.#table[place] = mark;
  }

  save(): string {
    return Buffer.from(this.#table.buffer).toString("base64");
  }

  restore(text: string): void {
    const bytes = Uint8Array.from(Buffer.from(text, "base64"));
    if (bytes.length !== slots * 4) throw new Error("a saved table of another size");
    this.#table = new Int32Array(bytes.buffer);
  }
}

/** The first of a row of places in the table, and a mark that is never 0. */
function hashesOf(text: string): readonly [number, number] {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) + 0x52dce729;
    b ^= b >>> 15;
  }
  return [(a ^ (a >>> 15)) & (slots - ways), b | 1];
}
