/**
 * The defaults of `eval`, `grad`, `explain` and `repl`: a program that nobody has read ends within about five
 * seconds of processor time and 512 MB, and the error says which option allows more.
 */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folder, writeFile } from "./run.js";

const binary = fileURLToPath(new URL("../bin/ndvm.js", import.meta.url));

/** Prints what the process took when it ends. */
const meter = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  process.stderr.write("took " + JSON.stringify({ seconds: (user + system) / 1e6, kilobytes: maxRSS }));
});`;

interface Taken {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  readonly kilobytes: number;
}

function measured(args: readonly string[], input = ""): Taken {
  const hook = `data:text/javascript,${encodeURIComponent(meter)}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", hook, binary, ...args],
    { input, encoding: "utf8", maxBuffer: 2 ** 28, env: { ...process.env, NO_COLOR: "1" } },
  );
  const took = JSON.parse(stderr.split("took ").at(-1) as string) as Taken;
  return { ...took, code: status, stdout, stderr };
}

/** Which limit is met first depends on the computer; each names the option that allows more. */
const OPTION_OF: ReadonlyMap<string, string> = new Map([
  ["E-STEPS", "--steps"],
  ["E-TIME", "--timeout"],
  ["E-MEMORY", "--memory"],
  ["E-TAPE", "--memory"],
  ["E-RECURSION", "--memory"],
]);

function expectEnded(taken: Taken): void {
  const code = /error (E-[A-Z]+)/.exec(taken.stderr)?.[1] ?? "none";
  expect(OPTION_OF.has(code), taken.stderr).toBe(true);
  expect(taken.stderr).toContain(OPTION_OF.get(code));
  expect(taken.seconds).toBeLessThan(8);
  expect(taken.kilobytes).toBeLessThan(512_000);
}

const grow = "(loop ((l '())) (recur (cons a l)))";

const TABLE = join(folder, writeFile("few.csv", "x,y\n1,2\n2,4\n3,6\n"));
const FIT = ["fit", "-e", "(* a x)", "--data", TABLE, "--target", "y"];

test.each([
  ["an endless loop", ["eval", "-e", "(loop ((x a)) (recur (sin x)))"]],
  ["endless counting", ["eval", "-e", "(loop ((i a)) (recur (+ i 1)))"]],
  ["its gradient", ["grad", "-e", "(loop ((x a)) (recur (sin x)))"]],
  ["a loop of matrices", ["eval", "-e", "(loop ((m (scale a (eye 100)))) (recur (matmul m m)))"]],
  ["one large inverse", ["eval", "-e", "(trace (inv (scale a (eye 1500))))"]],
  ["a list that grows", ["eval", "-e", grow]],
  ["recursion", ["eval", "-e", "(define (f n) (+ a (f n))) (f 1)"]],
  [
    "shared structure that unfolds",
    ["eval", "-e", "(loop ((i 0) (x a)) (if (= i 60) x (recur (+ i 1) (cons x x))))"],
  ],
])("%s ends by itself", (_, args) => {
  const taken = measured([...args, "--set", "a=1"]);
  expect(taken.code).toBe(1);
  expectEnded(taken);
});

test("a list that grows in many lanes ends, too", () => {
  expectEnded(measured(["eval", "-e", grow, "--set", "a=0:99:1"]));
});

test("large inverses of many lanes end, although each lane's own is allowed", () => {
  expectEnded(measured(["eval", "-e", "(trace (inv (scale a (eye 900))))", "--set", "a=1:100:1"]));
});

test("elements of many lanes do not put off the look at the clock", () => {
  const source = "(loop ((m (scale a (ones 100 100)))) (recur (lgamma m)))";
  expectEnded(measured(["eval", "-e", source, "--set", "a=3:250:1"]));
});

/** Only the length of what was printed matters: it is as long as the result is large. */
test.each([
  ["a matrix of as many columns as arguments have no room for", "(zeros 2 200000)"],
  ["a matrix of as many rows", "(zeros 200000 2)"],
  ["as many numbers as the memory allows", "(zeros 2500 2500)"],
])("printing %s stays below 512 MB in every format", (_, source) => {
  for (const format of ["table", "csv", "json"]) {
    const taken = measured(["eval", "-e", source, "--format", format]);
    expect([taken.code, taken.stderr.startsWith("took")]).toEqual([0, true]);
    expect(taken.kilobytes).toBeLessThan(512_000);
  }
});

/** A lane ends before long, and its tape fits; there are many lanes. */
const LONG = "(loop ((i 0) (v a)) (if (= i 200000) v (recur (+ i 1) (* v 0.999))))";

test("explaining many lanes ends, and so does explaining one lane at many points", () => {
  expectEnded(measured(["explain", "-e", LONG, "--set", "a=1:20000:1"]));
  const along = ["--set", "a=1", "--to", "a=2", "--points", "1000"];
  expectEnded(measured(["explain", "-e", LONG, ...along]));
});

test.each(["3e6", "1e9"])(
  "short runs at %s points ended by no limit, and the points were all made before the first run",
  (points) => {
    const along = ["--set", "x=1", "--to", "x=2", "--points", points, "--timeout", "1s"];
    const taken = measured(["explain", "-e", "(* x x)", ...along]);
    expectEnded(taken);
    expect(taken.stderr).toContain("E-TIME");
  },
);

test.each([
  ["flips", "(if (< (sin x) 0.5) (* x x) (+ 1 x))", "0:3000000:1", "table", 1],
  ["nothing to tell", "(* x x)", "0:9999999:1", "table", 0],
  ["clamps", "(log (- 0 x))", "0:9999999:1", "json", 0],
])(
  "explaining many lanes with %s stays below 512 MB: it took up to 1.8 GB",
  (_, source, lanes, format, wanted) => {
    const run = ["-e", source, "--set", `x=${lanes}`, "--domain", "clamp", "--format", format];
    const { code, kilobytes, stderr } = measured(["explain", ...run]);
    expect([code, stderr.includes("E-MEMORY")]).toEqual([wanted, wanted === 1]);
    expect(kilobytes).toBeLessThan(512_000);
  },
);

test.each([
  ["a long tape", "(loop ((i 0) (v a)) (if (= i 700000) v (recur (+ i 1) (* v 0.999))))", "1"],
  ["the ways of many lanes", "(loop ((i 0)) (if (= i 600000) a (recur (+ i 1))))", "1:256:1"],
])("explaining %s is refused, since it would not fit", (_, source, lanes) => {
  expectEnded(measured(["explain", "-e", source, "--set", `a=${lanes}`]));
});

test.each(["table", "json"])(
  "explaining the longest tape that fits stays below 512 MB (%s)",
  (format) => {
    const source = "(loop ((i 0) (v a)) (if (= i 295000) v (recur (+ i 1) (* v 0.999))))";
    const taken = measured(["explain", "-e", source, "--set", "a=1", "--format", format]);
    expect([taken.code, taken.stderr.startsWith("took")]).toEqual([0, true]);
    expect(taken.kilobytes).toBeLessThan(512_000);
  },
);

const LETTERS = "s".repeat(100_000);

test.each(["table", "json"])("a list of long names ends, whose text had no end (%s)", (format) => {
  const source = `(loop ((i 0) (l '())) (if (= i 20000) l (recur (+ i 1) (cons '${LETTERS} l))))`;
  expectEnded(measured(["eval", "-e", source, "--format", format]));
});

test("lists of lists of lists are written as JSON, however deep", () => {
  const source = "(loop ((i 0) (l '())) (if (= i 100000) l (recur (+ i 1) (list l))))";
  const { code, stdout } = measured(["eval", "-e", source, "--format", "json"]);
  expect([code, stdout.split("[").length]).toEqual([0, 100_005]);
});

test.each([
  ["are not finite", "(/ x 0)", "0:3000000:1"],
  ["fail", "(car x)", "0:500000:1"],
])("many lanes that %s stay below 512 MB", (_, source, lanes) => {
  const { kilobytes } = measured(["eval", "-e", source, "--set", `x=${lanes}`]);
  expect(kilobytes).toBeLessThan(512_000);
});

test.each(["table", "json"])(
  "explaining calls nested 20000 deep ends: each line had the text of the others (%s)",
  (format) => {
    const source = `${"(sin ".repeat(20_000)}x${")".repeat(20_000)}`;
    const taken = measured(["explain", "-e", source, "--set", "x=1", "--format", format]);
    expect([taken.code, taken.stderr.startsWith("took")]).toEqual([0, true]);
    expect(taken.seconds).toBeLessThan(8);
    expect(taken.kilobytes).toBeLessThan(512_000);
  },
);

test("the repl goes on after a bomb", () => {
  const taken = measured(["repl"], "(loop ((i 0)) (recur (+ i 1)))\n(+ 1 2)\n");
  expectEnded(taken);
  expect(taken.stdout.trim().endsWith("3")).toBe(true);
});

/** Twenty million characters of these took up to 3.6 GB and thirteen seconds; sixty million ended the process. */
test.each([
  ["blanks", `x${" ".repeat(99)}`],
  ["sums", "x "],
  ["open parentheses", "("],
  ["quotation marks", "'"],
  ["comments", "#;"],
  ["definitions", "(define v 1)"],
])("a program of millions of %s ends", (_, text) => {
  const program = text.repeat(Math.ceil(20_000_000 / text.length));
  for (const command of ["eval", "repl"]) expectEnded(measured([command], program));
});

test.each([
  ["blanks", `(car 1)${" ".repeat(12_000_000)}`],
  ["numbers of 17 digits", `(length '(${"1.2345678901234567 ".repeat(240_000)}))`],
  ["names of 7 letters", `(length '(${"letters ".repeat(300_000)}))`],
  ["sums", `(+ ${"a ".repeat(500_000)})`],
  ["a list", `(length '(${"1 ".repeat(500_000)}))`],
  ["quotation marks", `(length '(${"'".repeat(225_000)}a))`],
  ["cases", `(case a ${"((1)1)".repeat(170_000)})`],
])("the longest program of %s that fits stays below 512 MB", (_, program) => {
  const { seconds, kilobytes, stderr } = measured(["eval", "--set", "a=1"], program);
  expect(stderr).not.toContain("E-MEMORY");
  expect(seconds).toBeLessThan(8);
  expect(kilobytes).toBeLessThan(512_000);
});

test.each([
  ["a program", ["eval", "/dev/zero"]],
  ["what the repl loads", ["repl", "/dev/zero"]],
  ["a program to start from", ["search", "--data", TABLE, "--target", "y", "--start", "/dev/zero"]],
  ["a result to resume", [...FIT, "--resume", "/dev/zero"]],
])("%s that has no end is refused: all memory was taken for it", (_, args) => {
  const { code, stderr, kilobytes } = measured(args);
  expect(code).toBe(1);
  expect(stderr).toMatch(/error E-FILE: \/dev\/zero: it has more than \d+ bytes/);
  expect(kilobytes).toBeLessThan(1_000_000);
});

test("an input of fifty thousand definitions is read once, and not once for each of them", () => {
  const definitions = Array.from({ length: 50_000 }, (_, i) => `(define v${i} ${i})`).join(" ");
  const { stdout, seconds } = measured(["repl", "--memory", "1G"], `${definitions} (+ v49999 1)\n`);
  expect(stdout).toBe("50000\n");
  expect(seconds).toBeLessThan(8);
});

test("an input of many lines is looked at once, and not once for each line", () => {
  const lines = 400_000;
  const { stderr, seconds } = measured(["repl"], "(\n".repeat(lines));
  expect(stderr).toContain("this ( is never closed");
  expect(seconds).toBeLessThan(8);
});

test("a name of a million letters is told in part: its message had three million", () => {
  const { stderr } = measured(["eval"], "a".repeat(1_000_000));
  expect(stderr).toContain("E-INPUT");
  expect(stderr.length).toBeLessThan(10_000);
});

test("a loop of 10⁷ iterations with real state runs to its end", () => {
  const source = "(loop ((i 0) (x 0.5)) (if (= i 10000000) x (recur (+ i 1) (* 3.7 x (- 1 x)))))";
  const { code, stdout, kilobytes } = measured(["eval", "-e", source]);
  expect([code, stdout.trim()]).toEqual([0, "0.2584050789759195"]);
  expect(kilobytes).toBeLessThan(512_000);
});
