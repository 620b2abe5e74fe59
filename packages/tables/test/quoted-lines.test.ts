/** Where a text with line breaks inside quotes is wrong: every line of the row before it counts. */
import { expect, test } from "vitest";
import { readTable } from "../src/index.js";

const broken = (breaks: number) => `"x${"\n".repeat(breaks)}y"`;

test.each([0, 1, 2])(
  "the line of a quote that text follows, %i rows below the head",
  async (rows) => {
    for (const first of [0, 1, 3])
      for (const second of [0, 2])
        for (const third of [0, 1]) {
          const row = `${broken(first)},${broken(second)},${broken(third)}`;
          const text = `a,b,c\n${"1,2,3\n".repeat(rows)}${row}wrong\n4,5,6\n`;
          const error = await readTable(text, { name: "t.csv" }).then(
            () => undefined,
            (reason: Error) => reason,
          );
          expect(error?.message, JSON.stringify(text)).toContain("text follows a closing quote");
          const line = 2 + rows + first + second + third;
          expect(error?.message, JSON.stringify(text)).toMatch(new RegExp(`\\b${line}\\b`));
        }
  },
);
