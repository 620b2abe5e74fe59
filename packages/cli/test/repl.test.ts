/** `ndvm repl` as scripts drive it: through a pipe, one session a test. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PendingInput } from "../src/repl/pending.js";
import { folder, ndvm, startNdvm, untilBusy, writeFile } from "./run.js";

const session = (...lines: readonly string[]) => ndvm(["repl"], `${lines.join("\n")}\n`);

test("an expression prints its value", () => {
  expect(session("(+ 1 2)")).toEqual({ code: 0, stdout: "3\n", stderr: "" });
});

test("an expression may take several lines", () => {
  expect(session("(+ 1", "   (* 2 ; two", "      3))").stdout).toBe("7\n");
});

test("definitions persist, and a new one replaces the old", () => {
  const { stdout } = session(
    "(define (f x) (* x k))",
    ":set k=3",
    "(f 2)",
    "(define (f x) (+ x k))",
    "(f 2)",
  );
  expect(stdout).toBe("; f\n6\n; f\n5\n");
});

test("an error is shown with its caret and ends nothing", () => {
  const { code, stdout, stderr } = session("(define x 2)", "(car x)", "(* x 4)");
  expect(stdout).toBe("; x\n8\n");
  expect(stderr).toContain("1:1: error E-TYPE");
  expect(stderr).toContain("| ^^^^^^^");
  expect(code).toBe(1);
});

test("an error inside a definition points into that definition", () => {
  const { stderr } = session("(define (f x)", "  (car x))", "(f 2)");
  expect(stderr).toContain("definition of f:2:3: error E-TYPE");
});

test("a bad definition is refused and forgotten", () => {
  const { stdout, stderr } = session("(define y (car 5))", "(+ 1 1)");
  expect(stderr).toContain("E-TYPE");
  expect(stdout).toBe("2\n");
});

test(":grad differentiates the last expression", () => {
  const { stdout } = session(":set a=3", ":set b=4", "(* a b)", ":grad", ":grad a");
  expect(stdout).toContain("a      3   4\nb      4   3\n");
  expect(stdout.trim().endsWith("a      3   4")).toBe(true);
});

test(":tape, :core and :time describe the last expression", () => {
  const { code, stdout, stderr } = session(":set x=2", "(sin (* x x))", ":tape", ":core", ":time");
  expect(stderr).toBe("");
  expect(stdout).toContain("(sin (* x x))");
  expect(stdout).toMatch(/gradient +[\d.]+ .s/);
  expect(code).toBe(0);
});

test("a missing input says how to set one", () => {
  const { stderr } = session("(* q 2)");
  expect(stderr).toContain("error E-INPUT");
  expect(stderr).toContain(":set name=value");
});

test("inputs are listed and forgotten", () => {
  const { stdout } = session(
    ":set a=1.5",
    ":set t=0:4",
    ":set v=[1,2]",
    ":inputs",
    ":unset a",
    ":inputs",
  );
  expect(stdout).toBe("a = 1.5\nt: 5 lanes\nv: vector 2×1\nt: 5 lanes\nv: vector 2×1\n");
});

test("a file can be loaded, and :quit leaves", () => {
  writeFile("lib.scm", "(define (twice x) (* 2 x))\n");
  const { stdout } = session(":load lib.scm", "(twice 4)", ":quit", "(twice 5)");
  expect(stdout).toBe("; twice\n8\n");
});

test("an unknown command gets a suggestion", () => {
  expect(session(":gard").stderr).toContain("did you mean :grad?");
});

test("text that ends inside a form is reported", () => {
  expect(session("(+ 1").stderr).toContain("error E-SYNTAX");
});

test("a time limit holds for each input", () => {
  const { stdout, stderr } = ndvm(
    ["repl", "--timeout", "200ms"],
    "(loop ((x 1.0)) (recur (+ x 1.0)))\n(+ 1 1)\n",
  );
  expect(stderr).toContain("error E-TIME");
  expect(stdout).toBe("2\n");
});

test("Ctrl-C stops the evaluation and the session goes on", async () => {
  const child = startNdvm(["repl", "--steps", "1e15"]);
  child.stdin?.write("(loop ((x 1.0)) (recur (+ x 1.0)))\n");
  await untilBusy(child);
  child.kill("SIGINT");
  child.stdin?.end("(+ 20 22)\n");
  const { stdout, stderr } = await child.outcome;
  expect(stderr).toContain("error E-ABORTED");
  expect(stdout).toBe("42\n");
});

test("a piped session writes no history", () => {
  session("(+ 1 2)");
  expect(() => readFileSync(join(folder, "state/ndvm/history"))).toThrow();
});

function isComplete(text: string): boolean {
  const pending = new PendingInput();
  for (const line of text.split("\n")) pending.add(line);
  return pending.isComplete;
}

test.each([
  ["(+ 1", false],
  ["(+ 1)", true],
  ["[1 2", false],
  ["(a ; )", false],
  ["(a #| ) |#", false],
  ["#| open", false],
  ["#| #| nested |# |# 1", true],
  ["|a (b|", true],
  ["|a", false],
  ["1 2 ; (", true],
  ["))", true],
])("%j waits for more: %j", (text, expected) => {
  expect(isComplete(text)).toBe(expected);
});
