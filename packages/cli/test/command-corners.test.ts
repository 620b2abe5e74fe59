/** Corners of single commands: exports that fail, archives that are not there, sides of a served fit. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type FitOptions, fit, type LoggedFlip, Machine } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { optionName } from "../src/command-words.js";
import { branchesText } from "../src/commands/explain-branches.js";
import { terminalPlot } from "../src/fit/terminal-plot.js";
import { Service } from "../src/serve/calls.js";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

test("a model that cannot be exported leaves no file, those beside it do", async () => {
  writeFile("line.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n");
  const loop = "(loop ((i 0) (s b)) (if (< i x) (recur (+ i 1) (+ s a)) s))";
  const { code, stderr } = await ndvmHere([
    ...["fit", "-e", loop, "--data", "line.csv", "--target", "y"],
    ...["--export", "latex=none.tex", "--export", "scheme=some.scm"],
  ]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("E-REFUSED")]);
  expect(existsSync(join(folder, "none.tex"))).toBe(false);
  expect(existsSync(join(folder, "some.scm"))).toBe(true);
  expect(stderr).toContain("wrote some.scm");
});

test.each(["ls", "check"])(
  "archive %s of a file that is not there says how to make one",
  async (what) => {
    const { code, stderr } = await ndvmHere(["archive", what, "never.db"]);
    expect(code).toBe(1);
    expect(stderr).toContain("E-ARCHIVE: there is no archive never.db");
    expect(existsSync(join(folder, "never.db"))).toBe(false);
  },
);

test("a dozen flips are listed, and others only counted", () => {
  const flip = (lane: number): LoggedFlip => ({
    ...{ text: "(< x 1)", span: { start: 0, end: 7 }, lane, after: 0 },
    ...{ before: true, now: false, from: { x: 0 }, to: { x: 2 } },
  });
  const lines = (count: number) =>
    branchesText({
      ...{ along: "steps", compared: 40, instability: count / 40 },
      flips: Array.from({ length: count }, (_, lane) => flip(lane)),
    }).split("\n");
  expect(lines(1)).toHaveLength(2);
  expect(lines(12)).toHaveLength(13);
  expect(lines(12).at(-1)).toContain("lane 11, between x = 0 and x = 2");
  expect(lines(13)).toHaveLength(14);
  expect(lines(13).at(-1)).toBe("and 1 more");
});

test.each([
  [60, 60],
  [61, 57],
  [200, 57],
])("of a branch of %i characters %i are shown", (length, shown) => {
  const text = `(< ${"x".repeat(length - 6)} y)`;
  const flip = {
    text,
    span: { start: 0, end: length },
    lane: 0,
    after: 0,
    before: true,
    now: false,
  };
  const said = branchesText({
    ...{ along: "steps", compared: 4, instability: 0.25 },
    flips: [{ ...flip, from: { y: 0 }, to: { y: 2 } }],
  });
  const cut = shown < length ? `${text.slice(0, shown)}…` : text;
  expect(said.split("\n")[1]).toContain(`branch ${cut}: held, then failed;`);
});

test.each([
  ["huberWidth", "fit", "--huber-width"],
  ["adam.rate", "fit", "--rate"],
  ["adam.beta1", "fit", undefined],
  ["tolerances", "fit", undefined],
  ["budget.r2", "search", "--r2"],
  ["budget.other", "search", undefined],
  ["stepsMax", "run", "--steps"],
  ["stepsMax", "fit", undefined],
  ["restarts", "run", undefined],
  ["restarts", "search", "--restarts"],
] as const)("%s of %s is typed %s", (name, command, typed) => {
  expect(optionName(name, command)).toBe(typed);
});

test("a program without inputs is run to be explained, one with some is not", async () => {
  const { stdout, stderr } = await ndvmHere(["explain", "-e", "(+ 1 2)"]);
  expect(stdout).toMatch(/result\n3\n/);
  expect(stderr).toBe("");
  const unset = await ndvmHere(["explain", "-e", "(+ 1 x)"]);
  expect(unset.stdout).not.toContain("result");
  expect(unset.stderr).toContain("for the tape, set --set x=…");
});

test.each(["ls", "check"])("archive %s of a folder says that it is one", async (what) => {
  const { code, stderr } = await ndvmHere(["archive", what, "."]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("cannot read .: it is a folder")]);
});

test("a plot goes through predictions in order of x, whatever the order of rows", () => {
  const drawn = (rows: readonly number[]) => {
    const of = (f: (x: number) => number) => Float64Array.from(rows, f);
    const picture = {
      ...{ label: "y", x: { name: "x", values: of((x) => x) }, curves: [], heldOut: undefined },
      ...{ observed: of((x) => x * x + 1), predicted: of((x) => x * x) },
    };
    return terminalPlot(picture as never, true);
  };
  expect(drawn([3, 0, 7, 1, 5, 2, 6, 4])).toBe(drawn([0, 1, 2, 3, 4, 5, 6, 7]));
});

describe("a served fit", () => {
  const columns = {
    x: Float64Array.of(0, 1, 2, 3, 4, 5),
    k: Float64Array.of(1, 1, 3, 5, 6, 7),
    n: Float64Array.of(8, 9, 8, 10, 8, 9),
  };
  const source = "(sigmoid (+ a (* b x)))";

  test.each(["trials", "weights", "sigma"] as const)("takes %s as an array", async (side) => {
    const machine = await Machine.create();
    const loss = side === "trials" ? { loss: "binomial" } : {};
    const given = { target: "k", ...loss };
    const data = { x: columns.x, k: columns.k };
    const own = await fit(machine.load(source), {
      ...given,
      data,
      [side]: columns.n,
    } as FitOptions);
    const service = new Service();
    const arrays = Object.values(columns).map((numbers) => ({ numbers, shape: [6] }));
    const context = { arrays, signal: new AbortController().signal, tell: () => {} };
    const ask = async (header: Record<string, unknown>) => {
      const answer = await service.answer({ header, arrays }, context);
      return "fields" in answer ? answer.fields : {};
    };
    const { program } = await ask({ call: "load", source });
    const { result } = await ask({
      ...{ call: "fit", program },
      options: {
        ...given,
        data: { x: { $array: 0, kind: "lanes" }, k: { $array: 1, kind: "lanes" } },
        [side]: { $array: 2 },
      },
    });
    expect((result as { best: { params: unknown } }).best.params).toEqual({ ...own.best.params });
    service.dispose();
    machine.dispose();
  });
});
