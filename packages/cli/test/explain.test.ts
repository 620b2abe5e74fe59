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

const step = ["-e", "(if (> x 1) (* a x x) (* a x))", "--set", "a=2"];

test("branch flips are logged from the values set to those of --to", () => {
  const { code, stdout } = ndvm([
    "explain",
    ...step,
    "--set",
    "x=0",
    "--to",
    "x=2",
    "--points",
    "4",
  ]);
  expect(stdout).toContain("instability 0.25: 1 of 4 steps of a lane change their way");
  expect(stdout).toContain(
    "branch (if (> x 1) (* a x x) (* a x)): failed, then held; lane 0, between x = 1 and x = 1.5",
  );
  expect(code).toBe(0);
});

test("neighbouring lanes that differ in their way are branch flips", () => {
  const { stdout } = ndvm(["explain", ...step, "--set", "x=0:2:0.5"]);
  expect(stdout).toContain("instability 0.25: 1 of 4 neighbouring lanes change their way");
  expect(stdout).toContain("lane 2 to 3, between x = 1 and x = 1.5");
});

test("json holds the flips and the instability", () => {
  const { stdout } = ndvm(["explain", ...step, "--set", "x=0:2:0.5", "--format", "json"]);
  const { along } = JSON.parse(stdout).diagnostics;
  expect(along).toMatchObject({ along: "lanes", compared: 4, instability: 0.25 });
  expect(along.flips).toMatchObject([{ lane: 3, before: false, now: true, from: { x: 1 } }]);
});

test.each([
  [["--set", "x=0", "--to", "y=1"], "set one number for it first"],
  [["--set", "x=0:2:1", "--to", "x=1"], "set one number for it first"],
  [["--set", "x=0", "--to", "x=much"], "much is not a number"],
  [["--set", "x=0", "--points", "4"], "--points needs --to"],
])("%j is refused", (args, message) => {
  const { code, stderr } = ndvm(["explain", ...step, ...args]);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});
