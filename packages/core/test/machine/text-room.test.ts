/**
 * Reading a program takes memory outside of the machine, so a text is as long as `memoryMax` allows and no
 * longer: sixty million characters ended the process, and twenty million took 3 GB.
 */

import { afterAll, expect, test } from "vitest";
import { exportModel, Machine, NdvmError } from "../../src/index.js";

const MEBIBYTE = 2 ** 20;
const memoryMax = 48 * MEBIBYTE;
const machine = await Machine.create({ memoryMax });
afterAll(() => machine.dispose());

/** Characters that fit, and what each quotation mark takes of them. */
const MOST = memoryMax / 192;
const MARKS_MOST = Math.floor(memoryMax / 880);

function errorOf(work: () => unknown): NdvmError {
  try {
    work();
  } catch (error) {
    if (error instanceof NdvmError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const padded = (text: string, length: number): string => text + " ".repeat(length - text.length);

test("a text of as many characters as memoryMax allows is read, and one more is refused", () => {
  expect(machine.load(padded("(+ 1 2)", MOST)).evaluate().values[0]).toBe(3);
  const error = errorOf(() => machine.load(padded("(+ 1 2)", MOST + 1)));
  expect(error.code).toBe("E-MEMORY");
  expect(error.facts).toMatchObject({ reason: "long", option: "memoryMax", limit: memoryMax });
  expect(error.message).toBe(
    `the program's text takes more than the memory budget of ${memoryMax} bytes when it is read`,
  );
  expect(error.help).toBe("keep what is data out of the program's text, or raise memoryMax");
  expect(machine.load("(+ 1 2)").evaluate().values[0]).toBe(3);
});

test.each([
  ["blanks", " "],
  ["open parentheses", "("],
  ["comments", "#;"],
  ["brackets", "["],
  ["digits", "1"],
  ["letters of one name", "a"],
])("a program of too many %s is refused before it is read", (_, text) => {
  const source = text.repeat(MOST);
  expect(errorOf(() => machine.load(`${source} 1`)).facts.reason).toBe("long");
});

test.each(["'", "`", ","])("a mark such as %s takes as much as several characters", (mark) => {
  const marked = (count: number): string => `(length (quote ((${mark.repeat(count)}a))))`;
  expect(machine.load(marked(MARKS_MOST - 10)).evaluate().values[0]).toBe(1);
  expect(errorOf(() => machine.load(marked(MARKS_MOST + 1))).facts.reason).toBe("long");
});

test("stack code is refused by the same rule", () => {
  const source = "PUSH 1\n".repeat(MOST);
  expect(errorOf(() => machine.loadBytecode(source)).facts.reason).toBe("long");
});

test("a pool refuses the text of a program that its machines would refuse", async () => {
  const pool = await machine.pool({ workers: 1 });
  const error = await pool.evaluate(padded("(+ 1 2)", MOST + 1)).catch((thrown) => thrown);
  expect((error as NdvmError).facts).toMatchObject({ reason: "long", limit: memoryMax });
  await pool.dispose();
});

test("a text that no machine holds is exported within what a machine takes by default", () => {
  const program = padded("(* a x)", 2 ** 30 / 192 + 1);
  expect(errorOf(() => exportModel({ program }, "javascript")).facts.limit).toBe(2 ** 30);
});
