/**
 * How much memory reading a long table takes: makes CSV text as it is read, and prints the rows, the
 * seconds, the bytes of the columns, the most that the process grew by, and their ratio as JSON.
 *
 *   node packages/tables/scripts/memory.mjs [rows] [columns]
 */
import { readTable } from "../dist/index.js";

const rows = Number(process.argv[2] ?? 1e7);
const columns = Number(process.argv[3] ?? 4);
const PIECE_ROWS = 4096;

/** Numbers as measurements have them: some digits before and after the point. */
const cellAt = (row, column) => String(((row * 7919 + column * 104729) % 1000003) / 100);

async function* pieces() {
  const encoder = new TextEncoder();
  yield encoder.encode(`${Array.from({ length: columns }, (_, c) => `c${c}`).join(",")}\n`);
  for (let row = 0; row < rows; row += PIECE_ROWS) {
    let text = "";
    for (let at = row; at < Math.min(rows, row + PIECE_ROWS); at++) {
      for (let c = 0; c < columns; c++) text += (c === 0 ? "" : ",") + cellAt(at, c);
      text += "\n";
    }
    yield encoder.encode(text);
  }
}

// The compiler and the heap get their room before anything is counted.
const warm = ["a,b", ...Array.from({ length: 200_000 }, (_, row) => `${row},${row / 8}`)];
await readTable(warm.join("\n"));

const before = process.memoryUsage.rss();
const began = performance.now();
const table = await readTable(pieces());
const seconds = (performance.now() - began) / 1000;
const peak = process.resourceUsage().maxRSS * 1024;

let sum = 0;
let bytes = table.rowNumbers.byteLength;
for (const values of table.columns.values()) {
  bytes += values.byteLength;
  sum += values.reduce((total, value) => total + value, 0);
}
const grown = peak - before;
const ratio = grown / bytes;
console.log(JSON.stringify({ rows: table.rowCount, columns, seconds, bytes, grown, ratio, sum }));
