/**
 * The checksum of a text is that of its bytes, whatever letters it has and however it fills the buffer that
 * all rows share, which is small at first.
 */

import { expect, test, vi } from "vitest";

/** One letter of each number of bytes, and halves of letters, which become another letter. */
const LETTERS: Readonly<Record<string, string>> = {
  "one byte": "a",
  "two bytes": "é",
  "three bytes": "学",
  "four bytes": "𝄞",
  "a half": "\ud834",
  "one and three": "a学",
};

/** Bytes of the buffer before it grows. */
const ROOM = 2 ** 16;

/** The checksums of a process that has not seen a row. */
async function fresh() {
  vi.resetModules();
  return await import("../../src/archive/checksum.js");
}

const lengthOf = (bytes: Buffer): Buffer => {
  const word = Buffer.alloc(4);
  word.writeUInt32LE(bytes.length);
  return word;
};

/** A row of texts as it is to be summed up, written out as docs/design/0017 has it. */
const writtenOut = (table: string, texts: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from(`${table}\0`),
    ...texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      return [Buffer.of(2), lengthOf(bytes), bytes];
    }),
  ]);

test.each(Object.entries(LETTERS))("letters of %s", async (_, letter) => {
  for (const share of [1, 2, 2.5, 3, Buffer.from(letter).length])
    for (const more of [-5, 0, 1]) {
      const text = letter.repeat(Math.ceil(ROOM / share / letter.length) + more);
      const { checksumOf, crcByTable } = await fresh();
      const row = ["description", text];
      const wanted = crcByTable(writtenOut("study", row), 0);
      expect(checksumOf("study", row), `${text.length} letters`).toBe(wanted);
      const bytes = row.map((value) => Buffer.from(value));
      expect(checksumOf("study", bytes), `${text.length} letters`).toBe(wanted);
    }
});

test("texts behind each other, each longer than what is left", async () => {
  const letters = Object.values(LETTERS);
  for (const [at, first] of letters.entries()) {
    const second = letters[(at + 3) % letters.length] as string;
    const row = [first.repeat(9000), second.repeat(16_000), first.repeat(40_000)];
    const { checksumOf, crcByTable } = await fresh();
    expect(checksumOf("fits", row)).toBe(crcByTable(writtenOut("fits", row), 0));
  }
});
