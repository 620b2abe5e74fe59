/**
 * Rows whose end does not come: a file, a pipe or a device without line ends is refused soon, in little
 * memory, and rows that arrive in many pieces are read in a time that grows with their length.
 */
import { expect, test } from "vitest";
import { readTable } from "../src/index.js";
import { ROW_MOST, UnfinishedRow } from "../src/unfinished-row.js";

const PIECE = 2 ** 18;

/** A stream of a head and then one piece again and again; counts what was asked for. */
function endless(head: string, piece: string) {
  const bytes = new TextEncoder().encode(piece.repeat(Math.ceil(PIECE / piece.length)));
  const asked = { bytes: 0 };
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(head);
    for (;;) {
      asked.bytes += bytes.length;
      yield bytes;
    }
  }
  return { asked, stream: stream() };
}

const tooLong = (line: number) => ({ reason: "size", limit: ROW_MOST, value: line });
const openQuote = (line: number): string =>
  `t.csv: line ${line}: a quote is not closed within the first ${ROW_MOST} characters of its row`;

test.each([
  ["a stray quote", "x,y\n", 'aa"', 2],
  ["quoted cells, with a line end in each", "x,y\n", '"a\n",', 2],
  ["NUL", "", "\0", 1],
  ["one line of numbers", "x,y\n", "1,", 2],
  ["one comment", "#", "#", 1],
])("%s had no end, or took time by its square", async (_, head, piece, line) => {
  const { asked, stream } = endless(head, piece);
  const error = await readTable(stream, { name: "t.csv" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E-FILE", facts: tooLong(line) });
  expect(asked.bytes).toBeLessThan(ROW_MOST + 3 * PIECE);
});

test.each([
  ["one cell", 'x,y\n"', "aaaaaaa"],
  ["cells that are closed, and one that is not", 'x,y\n"1""2" ,"', "1,2"],
  ["all lines", 'x,y\n"', "1,2\n"],
])("a quote that was opened and never closed took in %s", async (_, head, piece) => {
  const { asked, stream } = endless(head, piece);
  const error = await readTable(stream, { name: "t.csv" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E-FILE", message: openQuote(2), facts: tooLong(2) });
  expect(asked.bytes).toBeLessThan(ROW_MOST + 3 * PIECE);
});

test("a long cell whose quote is closed was said to be never closed", async () => {
  async function* stream(): AsyncGenerator<Uint8Array> {
    const text = `a,b\n1,2\n"4\n${"x".repeat(ROW_MOST + 2 * PIECE)}",1\n2,3\n`;
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
  }
  const error = await readTable(stream(), { name: "t.csv" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E-FILE", message: openQuote(3), facts: tooLong(3) });
});

test("a line of JSON without an end is refused, too", async () => {
  const { asked, stream } = endless('{"x":1}\n{"x":', "[");
  const error = await readTable(stream, { name: "t.jsonl" }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E-FILE", facts: { reason: "size", value: 2 } });
  expect(asked.bytes).toBeLessThan(ROW_MOST + 3 * PIECE);
});

test.each([1, 7, 1000])(
  "all looks for an end together are at most four times the text, %i a piece",
  (size) => {
    const unfinished = new UnfinishedRow("t.csv");
    let looked = 0;
    let given = "";
    for (let index = 0; index < 5000; index++) {
      const piece = String.fromCharCode(97 + (index % 26)).repeat(size);
      given += piece;
      const text = unfinished.add(piece);
      if (text === undefined) continue;
      expect(text).toBe(given);
      looked += text.length;
      unfinished.keep(text, 1);
    }
    expect(unfinished.take()).toBe(given);
    expect(looked).toBeLessThanOrEqual(4 * given.length);
  },
);

test("a long row that ends is read, quoted or not", async () => {
  const long = "a".repeat(3 * PIECE);
  const numbers = Array.from({ length: 2e5 }, (_, i) => i);
  const quoted = await readTable(`x,y\n"${long}\n${long}",1\n`, {
    name: "t.csv",
    texts: new Set(["x"]),
  });
  expect(quoted.numbers("y")).toEqual(Float64Array.of(1));
  const names = numbers.map((i) => `n${i}`).join(",");
  const wide = await readTable(`${names}\n${numbers.join(",")}\n`, { name: "t.csv" });
  expect(wide.names.length).toBe(numbers.length);
  expect(wide.numbers("n199999")[0]).toBe(199_999);
});
