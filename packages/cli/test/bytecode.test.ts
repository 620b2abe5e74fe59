/** The workloads of examples/bytecode through `ndvm eval`, `grad`, `fit` and `explain`. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { ndvm, repository, writeFile } from "./run.js";

const folder = join(repository, "examples/bytecode");
const observations = `obs=@${join(folder, "observations.csv")}`;

interface Workload {
  readonly file: string;
  /** Numbers at which it is evaluated. */
  readonly at: Readonly<Record<string, number>>;
  /** Further arguments. */
  readonly set?: readonly string[];
  readonly value: number;
  /** What a fit must find again, and the column that is given with the data. */
  readonly truth: Readonly<Record<string, number>>;
  readonly column?: string;
  of?(numbers: Readonly<Record<string, number>>): number;
}

type Numbers = Readonly<Record<string, number>>;
const n = (numbers: Numbers, name: string): number => numbers[name] as number;

const workloads: readonly Workload[] = [
  {
    file: "w1-expression.ndasm",
    at: { a: 2, k: 0.5, b: 1.1, t: 0 },
    value: 2 + Math.log(1.1),
    truth: { a: 2, k: 0.5, b: 1.1 },
    column: "t",
    of: (x) =>
      n(x, "a") * Math.exp(-n(x, "k") * n(x, "t")) +
      Math.log(n(x, "b") + Math.sin(n(x, "t")) ** 2) * Math.cos(n(x, "t")),
  },
  {
    file: "w2-loop.ndasm",
    at: { k: 0, c: 1, x0: 3 },
    value: 3,
    truth: { k: 0.8, c: 2 },
    column: "x0",
    of: (x) => n(x, "c") + (n(x, "x0") - n(x, "c")) * (1 - 0.05 * n(x, "k")) ** 20,
  },
  {
    file: "w3-branch.ndasm",
    at: { a: 3, b: 5, x: 4 },
    value: 16,
    truth: { a: 3, b: 5 },
    column: "x",
    of: (x) => n(x, "a") * Math.min(2, n(x, "x")) + n(x, "b") * Math.max(0, n(x, "x") - 2),
  },
  {
    file: "w4-matrix.ndasm",
    at: { a: 2, b: 3, t: 4 },
    value: 18,
    truth: { a: 2, b: 3 },
    column: "t",
    of: (x) => 1.25 * n(x, "a") + n(x, "b") * n(x, "t") + 3.5,
  },
  {
    file: "w5-kalman.ndasm",
    at: { q: 0.05, r: 0.1 },
    set: ["--set", observations],
    value: 206.36676877919,
    truth: {},
  },
  {
    file: "w6-fold.ndasm",
    at: { a: 2, b: 3, c: 4, x: 5 },
    value: 69,
    truth: { a: 2, b: 3, c: 4 },
    column: "x",
    of: (x) => (n(x, "a") * n(x, "x") + n(x, "b")) * n(x, "x") + n(x, "c"),
  },
  {
    file: "w7-divergence.ndasm",
    at: { a: 4, b: 3 },
    value: 6,
    truth: { b: 3 },
    column: "a",
    of: (x) => {
      const s = Math.sqrt(n(x, "a"));
      return n(x, "b") * (s <= 3 ? s : 3 + s * (s - 3) * 0.1);
    },
  },
];

const settings = ({ at, set = [] }: Workload): string[] => [
  ...Object.entries(at).flatMap(([name, value]) => ["--set", `${name}=${value}`]),
  ...set,
];

function json(args: readonly string[]): Record<string, unknown> {
  const { code, stdout, stderr } = ndvm(args);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test.each(workloads)("ndvm eval and grad run $file", (workload) => {
  const file = join(folder, workload.file);
  const result = json(["eval", file, ...settings(workload), "--format", "json"]);
  expect((result["values"] as number[])[0]).toBeCloseTo(workload.value, 5);
  const wrt = Object.keys(workload.at);
  const graded = json([
    "grad",
    file,
    ...settings(workload),
    "--wrt",
    wrt.join(),
    "--format",
    "json",
  ]);
  expect(Object.keys(graded["gradients"] as object).sort()).toEqual(wrt.sort());
  expect((graded["values"] as number[])[0]).toBeCloseTo(workload.value, 5);
});

const fitted = workloads.filter(({ column }) => column !== undefined);

test.each(fitted)("ndvm fit finds the constants of $file", (workload) => {
  const { file, column = "", truth, of } = workload;
  const points = Array.from({ length: 24 }, (_, i) => 0.3 + 0.7 * i);
  const rows = points.map((at) => `${at},${of?.({ ...truth, [column]: at })}`);
  const data = writeFile(`${file}.csv`, [`${column},y`, ...rows].join("\n"));
  const starts = Object.keys(truth).flatMap((name) => ["--param", `${name}=1`]);
  const args = ["fit", join(folder, file), "--data", data, "--target", "y", ...starts];
  const { code, stdout } = ndvm([...args, "--json", "--quiet"]);
  expect(code).toBe(0);
  const { params } = JSON.parse(stdout).best as { params: Record<string, number> };
  for (const [name, value] of Object.entries(truth)) expect(params[name]).toBeCloseTo(value, 3);
});

test("ndvm fit lowers the Kalman filter's loss by the gradients of stack code", () => {
  const file = join(folder, "w5-kalman.ndasm");
  const args = ["fit", file, "--set", observations, "--param", "q=0.05", "--param", "r=0.1"];
  const { code, stdout } = ndvm([...args, "--log", "q,r", "--json", "--quiet"]);
  expect(code).toBe(0);
  const { loss } = JSON.parse(stdout).best as { loss: number };
  expect(loss).toBeLessThan(20.47);
});

test("ndvm explain shows instructions, and the tape names them", () => {
  const file = join(folder, "w3-branch.ndasm");
  const { stdout } = ndvm(["explain", file, "--set", "a=1", "--set", "b=2", "--set", "x=1"]);
  expect(stdout).toContain("BRANCHNOT L1");
  expect(stdout).toMatch(/mul .* MUL/);
});

test("a mistake in stack code is shown with its line", () => {
  const file = writeFile("bad.ndasm", "PUSH 1\nADDD\n");
  const { code, stderr } = ndvm(["eval", file]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("bad.ndasm:2:1");
  expect(stderr).toContain("did you mean ADD?");
});
