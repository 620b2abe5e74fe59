/**
 * Reading a program takes memory outside of the machine, so a text is as long as `memoryMax` allows and no
 * longer: sixty million characters ended the process, and twenty million took 3 GB.
 */

import { afterAll, expect, test } from "vitest";
import { exportModel, Machine, NdvmError } from "../../src/index.js";

const MEBIBYTE = 2 ** 20;
const memoryMax = 208 * MEBIBYTE;
const machine = await Machine.create({ memoryMax });
afterAll(() => machine.dispose());

/** Characters that fit where each stands for itself, and quotation marks. */
const MOST = memoryMax / 192;
/** Characters that fit where most follow others: blanks, or letters of one word. */
const FOLLOWING_MOST = memoryMax / 16;
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

/** A list of empty lists, as a text of `length` characters. */
function ofLists(length: number): string {
  const [before, after] = ["(length (quote (", ")))"];
  const lists = Math.floor((length - before.length - after.length) / 2);
  return before + "()".repeat(lists) + after;
}

test("a text of as many characters as memoryMax allows is read, and one more is refused", () => {
  expect(machine.load(ofLists(MOST)).evaluate().values[0]).toBeGreaterThan(100_000);
  const error = errorOf(() => machine.load(ofLists(MOST + 60)));
  expect(error.code).toBe("E-MEMORY");
  expect(error.facts).toMatchObject({ reason: "long", option: "memoryMax", limit: memoryMax });
  expect(error.message).toBe(
    `the program's text takes more than the memory budget of ${memoryMax} bytes when it is read`,
  );
  expect(error.help).toBe("keep what is data out of the program's text, or raise memoryMax");
  expect(machine.load("(+ 1 2)").evaluate().values[0]).toBe(3);
});

test("a small machine reads a program of 1 MiB, and no longer one", async () => {
  const small = await Machine.create({ memoryMax: 16 * MEBIBYTE });
  const least = MEBIBYTE * 192;
  const sum = `(+ ${"1 ".repeat(100_000)})`;
  expect(small.load(sum).evaluate().values[0]).toBe(100_000);
  expect(
    small
      .load(`${" ".repeat(MEBIBYTE - sum.length)}${sum}`)
      .evaluate()
      .print(0),
  ).toBe("100000");
  const error = errorOf(() => small.load(ofLists(MEBIBYTE + 60)));
  expect(error.facts).toMatchObject({ reason: "long", limit: least });
  small.dispose();
});

test.each([
  ["blanks", " ", FOLLOWING_MOST],
  ["open parentheses", "(", MOST],
  ["comments", "#;", MOST],
  ["brackets", "[", MOST],
  ["names of one letter", "a ", MOST],
  ["digits", "1", FOLLOWING_MOST],
  ["letters of one name", "a", FOLLOWING_MOST],
])("a program of too many %s is refused before it is read", (_, text, most) => {
  const source = text.repeat(most);
  expect(errorOf(() => machine.load(`${source} 1`)).facts.reason).toBe("long");
});

test("long numbers, names and comments take less than as many characters by themselves", () => {
  const count = 200_000;
  const numbers = Array.from({ length: count }, (_, i) => String(i + Math.PI)).join(" ");
  expect(numbers.length).toBeGreaterThan(3 * MOST);
  const program = machine.load(`(length (quote (${numbers})))`);
  expect(program.evaluate().values[0]).toBe(count);
  const comment = "; what follows is explained here\n".repeat(40_000);
  expect(comment.length).toBeGreaterThan(MOST);
  expect(machine.load(`${comment}(+ 1 2)`).evaluate().values[0]).toBe(3);
});

test("what stands in a |name| or a comment is not taken for shorter than it is", () => {
  const hidden = "()".repeat(MOST / 2);
  for (const before of ["|;|", "#| |# ", ";\n"])
    expect(errorOf(() => machine.load(`${before}${hidden}`)).facts.reason).toBe("long");
});

test.each(["'", "`", ","])("a mark such as %s takes as much as several characters", (mark) => {
  const marked = (count: number): string => `(length (quote ((${mark.repeat(count)}a))))`;
  expect(machine.load(marked(MARKS_MOST - 10)).evaluate().values[0]).toBe(1);
  expect(errorOf(() => machine.load(marked(MARKS_MOST + 1))).facts.reason).toBe("long");
});

test("stack code is refused by the same rule", () => {
  const source = "PUSH 1\n".repeat(FOLLOWING_MOST / 8);
  expect(errorOf(() => machine.loadBytecode(source)).facts.reason).toBe("long");
});

test("a pool refuses the text of a program that its machines would refuse", async () => {
  const pool = await machine.pool({ workers: 1 });
  const error = await pool.evaluate(ofLists(MOST + 60)).catch((thrown) => thrown);
  expect((error as NdvmError).facts).toMatchObject({ reason: "long", limit: memoryMax });
  await pool.dispose();
});

test("a text that no machine holds is exported within what a machine takes by default", () => {
  const program = `(* a x)${" ".repeat(2 ** 30 / 16)}`;
  expect(errorOf(() => exportModel({ program }, "javascript")).facts.limit).toBe(2 ** 30);
});
