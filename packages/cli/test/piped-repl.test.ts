/** `ndvm repl` at a pipe, in this process: what is read, what is said of mistakes, where it ends and with which code. */

import { PassThrough, Readable } from "node:stream";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { ndvmHere } from "./here.js";
import { writeFile } from "./run.js";

beforeAll(() => {
  writeFile("session.scm", "(define k 5)\n(* k x)\n");
  writeFile("bad.scm", "(car 1)\n");
});

/** The command with a stream in the place of its standard input. */
async function reading(stream: Readable, ...args: string[]) {
  const before = Object.getOwnPropertyDescriptor(process, "stdin") as PropertyDescriptor;
  Object.defineProperty(process, "stdin", { value: stream, configurable: true });
  try {
    return await ndvmHere(["repl", ...args]);
  } finally {
    Object.defineProperty(process, "stdin", before);
  }
}
const session = (text: string, ...args: string[]) =>
  reading(Readable.from([Buffer.from(text)]), ...args);

test("what is typed behind :quit is not read, and nothing before it is lost", async () => {
  for (const quit of [":quit", ":q", ":exit", "  :quit", ":quit now"])
    expect(await session(`(+ 1 2)\n${quit}\n(+ 3 4)\n(car 1)\n`), quit).toEqual({
      ...{ code: 0, stdout: "3\n", stderr: "" },
    });
});

test("commands may stand behind blanks, and take the rest of their line", async () => {
  expect(await session("  :set a=2\n\t:inputs\n   :set   v=[1, 2]  \n (* a a)\n:inputs\n")).toEqual(
    {
      ...{ code: 0, stderr: "", stdout: "a = 2\n4\na = 2\nv: vector 2×1\n" },
    },
  );
});

test("a command in the middle of an expression is part of it, and a text that does not end is told", async () => {
  const { code, stdout, stderr } = await session("(+ 1\n:quit\n2)\n(+ 3 4)\n(* 5");
  expect([code, stdout]).toEqual([1, "7\n"]);
  expect(stderr.match(/error E-\w+/g)).toEqual(["error E-INPUT", "error E-SYNTAX"]);
  expect(stderr).toContain("this ( is never closed");
});

describe("mistakes", () => {
  test.each([
    [":set a", "warning: :set needs name=value"],
    [":unset a", "warning: a is not set"],
    [":sett a=1", "warning: there is no command :sett; did you mean :set?"],
    [":zzzzzz", "warning: there is no command :zzzzzz; :help lists them"],
    [":grad", "warning: evaluate an expression first"],
    [":load none.scm", "error E-FILE: cannot read none.scm"],
    ["(car 1)", "program:1:1: error E-TYPE"],
  ])("such as %s end nothing but the code", async (line, words) => {
    const { code, stdout, stderr } = await session(`${line}\n(+ 1 2)\n`);
    expect([code, stdout]).toEqual([1, "3\n"]);
    expect(stderr.startsWith(words), stderr).toBe(true);
  });
});

test("a file is run first, with what was set, and its mistakes count", async () => {
  expect(await session("(+ k 1)\n", "session.scm", "--set", "x=2")).toEqual({
    ...{ code: 0, stdout: "10\n6\n", stderr: "" },
  });
  const bad = await session("(+ 1 2)\n", "bad.scm");
  expect([bad.code, bad.stdout]).toEqual([1, "3\n"]);
  expect((await session("", "none.scm")).stderr).toContain("cannot read none.scm");
  expect(await session("")).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("what the command was told holds for every line", async () => {
  const forever = "(loop ((i 0)) (recur (+ i 1)))\n";
  const steps = await session(`${forever}(+ 1 2)\n${forever}`, "--steps", "1000");
  expect(steps.stderr.match(/error E-STEPS/g)).toHaveLength(2);
  expect(steps.stdout).toBe("3\n");
  const single = await session("(/ 1 3)\n:set x=2\n(/ x 3)\n:grad\n", "--precision", "f32");
  expect(single.stdout).toMatch(/^0\.33333334\n0\.6666667\nvalue {2}0\.6666667\n/);
  expect((await session("(sqrt (- 0 4))\n", "--domain", "clamp")).stderr).toBe("");
  expect((await session("(sqrt (- 0 4))\n")).stderr).toContain("warning:");
  const list = "(loop ((i 0) (l (list))) (if (= i 1e6) (length l) (recur (+ i 1) (cons i l))))\n";
  expect((await session(list, "--memory", "4M")).stderr).toContain("E-MEMORY");
  expect((await session("n\n", "--int", "n=4")).stdout).toBe("4\n");
});

test("Ctrl-C while it waits at a pipe ends it with 130, and leaves nobody listening", async () => {
  const exit = vi.spyOn(process, "exit").mockImplementation(() => {
    throw new Error("the end");
  });
  const before = process.listenerCount("SIGINT");
  const pipe = new PassThrough();
  const ending = reading(pipe);
  while (process.listenerCount("SIGINT") === before)
    await new Promise((resolve) => setImmediate(resolve));
  expect(exit).not.toHaveBeenCalled();
  pipe.write("(+ 1 2)\n");
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(() => process.emit("SIGINT", "SIGINT")).toThrow("the end");
  expect(exit.mock.calls).toEqual([[130]]);
  exit.mockRestore();
  pipe.end();
  expect(await ending).toEqual({ code: 0, stdout: "3\n", stderr: "" });
  expect(process.listenerCount("SIGINT")).toBe(before);
});
