/** Bytes as text: marks of UTF-16 come before every option, and a character that is cut off is no text. */

import { describe, expect, test } from "vitest";
import { readTable } from "../src/index.js";

const TEXT = "größe,y\nä,1\n€,2\n";

function utf16(text: string, isBig: boolean): Uint8Array {
  const bytes = new Uint8Array(2 * text.length + 2);
  const view = new DataView(bytes.buffer);
  for (const [at, character] of [..."\ufeff".concat(text)].entries())
    view.setUint16(2 * at, character.charCodeAt(0), !isBig);
  return bytes;
}

const encoded: readonly (readonly [string, Uint8Array, string | undefined])[] = [
  ["UTF-8", new TextEncoder().encode(TEXT), undefined],
  ["UTF-8 with a mark", new TextEncoder().encode(`\ufeff${TEXT}`), undefined],
  ["UTF-16, small end first", utf16(TEXT, false), undefined],
  ["UTF-16, large end first", utf16(TEXT, true), undefined],
  ["UTF-16, small end first, whatever is said", utf16(TEXT, false), "windows-1252"],
  ["UTF-16, large end first, whatever is said", utf16(TEXT, true), "windows-1252"],
  [
    "windows-1252",
    Uint8Array.from(TEXT.replace("€", "\u0080"), (c) => c.charCodeAt(0)),
    "windows-1252",
  ],
];

/** The bytes in pieces of some size. */
async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe.each(encoded)("%s", (_, bytes, encoding) => {
  const given = encoding === undefined ? {} : { encoding };

  test("is its text, however it is cut into pieces", async () => {
    for (const size of [1, 2, 3, 7, 100]) {
      const table = await readTable(pieces(bytes, size), given);
      expect(table.names).toEqual(["größe", "y"]);
      expect(table.texts("größe")).toEqual(["ä", "€"]);
    }
  });
});

test.each([
  ["UTF-8", new TextEncoder().encode("x\n1\nä"), "utf-8"],
  ["UTF-16", utf16("x\n1\n2", true), "utf-16be"],
])("%s that ends within a character is refused, whole it is not", async (_, bytes, expected) => {
  for (const size of [1, 100]) {
    expect((await readTable(pieces(bytes, size))).rowCount).toBe(2);
    await expect(readTable(pieces(bytes.subarray(0, -1), size))).rejects.toMatchObject({
      facts: { reason: "text", expected },
    });
  }
});
