/**
 * docs/bytecode.md says what the instruction table says, and its example runs.
 */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { instructions, shortNames } from "../../src/bytecode/instructions.js";
import { Machine } from "../../src/index.js";

const page = readFileSync(new URL("../../../../docs/bytecode.md", import.meta.url), "utf8");

test("the page lists every instruction as the table has it, and no other", () => {
  const rows = page.split("\n").filter((line) => /^\| `[A-Z]+[ `]/.test(line) && /→/.test(line));
  expect(rows).toEqual(
    instructions.map(
      ({ name, operands, effect, doc }) =>
        `| \`${[name, ...operands].join(" ")}\` | ${effect} | ${doc} |`,
    ),
  );
});

test("the page names every short name with its primitive", () => {
  const text = page.replaceAll(/\s+/g, " ");
  for (const [short, long] of shortNames) expect(text).toContain(`\`${short}\` (\`${long}\`)`);
});

test("the page's program finds a square root", async () => {
  const block = /\n((?: {4}.*\n)+)\nA line holds/.exec(page)?.[1] ?? "";
  const machine = await Machine.create();
  const { values } = machine.loadBytecode(block).evaluate({ a: [2, 9] });
  expect(values[0]).toBeCloseTo(Math.SQRT2, 12);
  expect(values[1]).toBeCloseTo(3, 6);
  machine.dispose();
});
