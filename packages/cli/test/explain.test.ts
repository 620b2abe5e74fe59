/** `ndvm explain`: core forms, the tape with its source, and which inputs are active. */

import { expect, test } from "vitest";
import { ndvm } from "./run.js";

const decay = ["-e", "(let* ((r (* k t))) (* a (exp r)))"];
const bound = [...decay, "--set", "a=2", "--set", "k=-1", "--set", "t=3"];

test("a program without values shows its core forms and names its inputs", () => {
  const { code, stdout, stderr } = ndvm(["explain", ...decay]);
  expect(stdout).toContain("core forms");
  expect(stdout).not.toContain("let*");
  expect(stderr).toContain("--set k=…");
  expect(code).toBe(0);
});

test("the tape lists each record with the text that made it", () => {
  const { code, stdout } = ndvm(["explain", ...bound]);
  expect(stdout).toMatch(/exp .*\(exp r\)/);
  expect(stdout).toMatch(/\(\* k t\)/);
  expect(stdout).toContain("counters");
  expect(code).toBe(0);
});

test("only what --wrt asks for is active", () => {
  const { stdout } = ndvm(["explain", ...bound, "--wrt", "a"]);
  expect(stdout).toMatch(/^a +active$/m);
  expect(stdout).toMatch(/^k +inactive/m);
});

test("json holds the same explanation", () => {
  const { stdout } = ndvm(["explain", ...bound, "--format", "json"]);
  const explanation = JSON.parse(stdout);
  expect(explanation.tape.length).toBe(3);
  expect(explanation.inputs.map(({ name }: { name: string }) => name).sort()).toEqual([
    "a",
    "k",
    "t",
  ]);
});

test("a missing input is an error once some are set", () => {
  const { code, stderr } = ndvm(["explain", ...decay, "--set", "a=2"]);
  expect(stderr).toContain("error E-INPUT");
  expect(code).toBe(1);
});
