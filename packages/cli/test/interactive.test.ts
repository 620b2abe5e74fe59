/**
 * The prompt on a terminal, typed at by the test: what is asked for, what Ctrl-C does, what Tab offers
 * and what the history keeps. And a search's lines where there is no terminal.
 */

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { run } from "../src/main.js";
import { loadHistory, saveHistory } from "../src/repl/history.js";
import { PendingInput } from "../src/repl/pending.js";
import { lineDisplay, liveDisplay, stopText } from "../src/search/display.js";
import { folder } from "./run.js";

const state = join(folder, "state");
const history = join(state, "ndvm", "history");
beforeEach(() => void vi.stubEnv("XDG_STATE_HOME", state));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(state, { recursive: true, force: true });
});

/** What is typed when the screen says so: a pattern that must have been shown, and the keys. */
type Step = readonly [shown: RegExp, keys: string | (() => void)];

/** Turns of the event loop that nothing takes which is typed at a prompt. */
const TURNS_MOST = 1_000_000;

/** The command on a terminal with somebody at its keyboard. */
async function typed(...steps: readonly Step[]) {
  const before = Object.getOwnPropertyDescriptor(process, "stdin") as PropertyDescriptor;
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keyboard });
  Object.defineProperty(process, "stdin", { value: keyboard, configurable: true });
  const { isTTY } = process.stdout;
  process.stdout.isTTY = true;
  const screen = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      screen[name] += String(text);
      return true;
    });
  let code: number | undefined;
  const ending = run(["repl"]).then((result) => {
    code = result;
  });
  try {
    for (const [step, [pattern, keys]] of steps.entries()) {
      for (let turns = 0; code === undefined && !pattern.test(plain(screen.stdout)); turns++) {
        // The first prompt waits for modules to load, later ones for nothing.
        if (step > 0 && turns > TURNS_MOST)
          throw new Error(`${pattern} was never shown, but ${JSON.stringify(screen)}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (typeof keys === "string") keyboard.write(keys);
      else keys();
    }
    await ending;
  } finally {
    process.stdout.isTTY = isTTY;
    Object.defineProperty(process, "stdin", before);
    vi.restoreAllMocks();
  }
  return { code, stdout: plain(screen.stdout), stderr: screen.stderr };
}

/** What a terminal shows, without the ways of its cursor. */
const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the cursor's way.
  text.replace(/\x1b\[[\d;]*[A-Za-z]|\r/g, "");

const FIRST = /ndvm> $/;

describe("the prompt", () => {
  test("greets, asks, goes on asking inside a form, and leaves with 0 after an error", async () => {
    const { code, stdout, stderr } = await typed(
      [FIRST, "(+ 1\r"],
      [/\.\.\. $/, "2)\r"],
      [/\n3\nndvm> $/, "(car 1)\r"],
      [/ndvm> \(car 1\)\s+ndvm> $/, ":quit\r"],
    );
    expect(stdout).toContain("NDVM. Type an expression, :help, or :quit.");
    expect(stderr).toContain("E-TYPE");
    expect(code).toBe(0);
  });

  test("Ctrl-C clears what was typed, and says how to leave where nothing was", async () => {
    const half = await typed(
      [FIRST, "(+ 1\r"],
      [/\.\.\. $/, "(* 2"],
      [/\(\* 2$/, "\x03"],
      [FIRST, "(- 9 4)\r"],
      [/\n5\nndvm> $/, ":q\r"],
    );
    expect(half.stderr).not.toContain("leaves");
    const empty = await typed(
      [FIRST, "\x03"],
      [/ndvm> \s*ndvm> $/, () => void process.emit("SIGINT", "SIGINT")],
      [/ndvm> \s*ndvm> \s*ndvm> $/, "(- 9 4)\r"],
      [/\n5\nndvm> $/, ":q\r"],
    );
    expect(empty.stderr.match(/Ctrl-D or :quit leaves/g)).toHaveLength(2);
  });

  test("Ctrl-C after an input, also one that failed, clears what was typed as it did before", async () => {
    const { code, stderr } = await typed(
      [FIRST, "(+ 1 2)\r"],
      [/\n3\nndvm> $/, "\x03"],
      [/\n3\nndvm> \s*ndvm> (\s*ndvm> )*$/, "(* 2"],
      [/\(\* 2$/, "\x03"],
      [FIRST, "(car 1)\r"],
      [/ndvm> \(car 1\)\s+ndvm> $/, "\x03"],
      [/\(car 1\)\s+ndvm> \s*ndvm> (\s*ndvm> )*$/, "(- 9 4)\r"],
      [/\n5\nndvm> $/, () => void process.emit("SIGINT", "SIGINT")],
      [/\n5\nndvm> \s*ndvm> (\s*ndvm> )*$/, ":q\r"],
    );
    expect(stderr.match(/Ctrl-D or :quit leaves/g)).toHaveLength(3);
    expect(code).toBe(0);
  });

  test("keeps what was typed for the next time, newest last, and for its owner alone", async () => {
    await typed([FIRST, "(+ 1 2)\r"], [/\n3\nndvm> $/, "(* 3 4)\r"], [/\n12\nndvm> $/, ":q\r"]);
    expect(readFileSync(history, "utf8")).toBe("(+ 1 2)\n(* 3 4)\n:q\n");
    expect(statSync(history).mode & 0o777).toBe(0o600);
    expect(statSync(join(state, "ndvm")).mode & 0o777).toBe(0o700);
    // Up twice is the line before the last.
    await typed(
      [FIRST, "\x1b[A"],
      [/:q$/, "\x1b[A"],
      [/\(\* 3 4\)$/, "\r"],
      [/\n12\nndvm> $/, ":q\r"],
    );
  });

  test("keeps a line that is typed again once, as the newest", async () => {
    await typed(
      [FIRST, "(+ 1 2)\r"],
      [/\n3\nndvm> $/, "(* 3 4)\r"],
      [/\n12\nndvm> $/, "(+ 1 2)\r"],
      [/\n3\nndvm> \(\* [\s\S]*\n3\nndvm> $/, ":q\r"],
    );
    expect(loadHistory()).toEqual([":q", "(+ 1 2)", "(* 3 4)"]);
  });

  test("Tab offers the commands that begin so, and nothing inside an expression", async () => {
    const { stdout } = await typed(
      [FIRST, ":inp\t"],
      [/:inputs$/, "\r"],
      [/\n\(none\)\nndvm> $/, "(de\t"],
      [/\(de$/, "fine z 4)\r"],
      [/; z\nndvm> $/, "z\r"],
      [/\n4\nndvm> $/, ":q\r"],
    );
    expect(stdout).toContain("(define z 4)");
  });
});

describe("the history", () => {
  test("of a session was cut to thirty lines", async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `(+ ${i} 0)`);
    saveHistory(lines.slice(0, 40));
    await typed([FIRST, "(* 3 4)\r"], [/\n12\nndvm> $/, ":q\r"]);
    expect(loadHistory()).toEqual([":q", "(* 3 4)", ...lines.slice(0, 40)]);
    // A file that somebody made longer.
    writeFileSync(history, `${"x\n".repeat(500)}${[...lines].reverse().join("\n")}\n`);
    await typed([FIRST, ":q\r"]);
    expect(loadHistory()).toEqual([":q", ...lines.slice(0, 999)]);
  });

  test("is read newest first, holds a thousand lines, and is nothing where it cannot be read", () => {
    expect(loadHistory()).toEqual([]);
    saveHistory(Array.from({ length: 1200 }, (_, i) => `line ${i}`));
    const kept = loadHistory();
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, "line 0", "line 999"]);
    mkdirSync(join(state, "ndvm"), { recursive: true });
    writeFileSync(history, "old\n\nnew\n");
    expect(loadHistory()).toEqual(["new", "old"]);
    vi.stubEnv("XDG_STATE_HOME", join(history, "no-folder"));
    expect(() => saveHistory(["x"])).not.toThrow();
    expect(loadHistory()).toEqual([]);
  });
});

function isComplete(text: string): boolean {
  const pending = new PendingInput();
  for (const line of text.split("\n")) pending.add(line);
  return pending.isComplete;
}

describe("a text waits for more lines", () => {
  test.each<[string, boolean]>([
    ...(["", "1", "(+ 1 2)", "[1]", "(a))", "(a) (b)", "; (", "(a) ; (", "a|b(|c"] as const).map(
      (text): [string, boolean] => [text, true],
    ),
    ...(
      [
        "#| ( |# 1",
        "#| #| ( |# ( |# 1",
        "(a #| ) |# )",
        "; (\n1",
        "|(|",
        "#||# 1",
        "|a\\|b|",
      ] as const
    ).map((text): [string, boolean] => [text, true]),
    ...(
      [
        "(",
        "(a",
        "[1",
        "((a)",
        "(a) (",
        "|a",
        "(a ; )",
        "#|",
        "#| #| |#",
        "#| a |",
        "|a\\|",
      ] as const
    ).map((text): [string, boolean] => [text, false]),
    ...(["; a\n(", "(a ; )\n b", "#| |# (", "|a| (", "(#| ) |#", "#|#"] as const).map(
      (text): [string, boolean] => [text, false],
    ),
  ])("%j: whole is %s", (text, isWhole) => {
    expect(isComplete(text)).toBe(isWhole);
  });
});

const member = (id: number, length: number) => ({
  ...{ id, visit: id, source: "(* a x)", params: { a: 2 }, intervals: {}, complexity: 3 },
  ...{ r2: 0.5, trainR2: 0.5, loss: 10 - id, bic: 1, score: 0.25, length, isWeighed: true },
  ...{ parts: { data: 1, constants: 2, symbols: 3, gaps: 0 }, simple: [], undetermined: [] },
  hidden: 0,
});
const counts = (candidates: number) => ({
  ...{ candidates, revisits: 0, scored: 0, duplicates: 0, failed: 0, fits: 2 * candidates },
  ...{ failures: {}, workersReplaced: 0 },
  spending: { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 },
});
const amounts = (candidates: number) => {
  const all = counts(candidates);
  return { counts: all, inThisRun: all };
};

const study = { inputs: ["x"], domain: "ieee" } as const;

/** What a display writes for events at moments of a clock of the test's own. */
function shown(make: () => ReturnType<typeof lineDisplay>, events: readonly [number, object][]) {
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    });
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const display = make();
  for (const [at, event] of events) {
    now = at;
    display.show(event as never);
  }
  display.close();
  vi.restoreAllMocks();
  return written;
}

describe("the lines of a search", () => {
  test("come when the choice changes, and every two seconds how it gets on", () => {
    const progress = (candidates: number, seconds: number) => ({
      ...{ type: "progress", ...amounts(candidates), seconds },
    });
    const { stdout, stderr } = shown(
      () => lineDisplay({ study }),
      [
        [0, { type: "started", workers: 2, resumedFrom: 30 }],
        [10, { type: "front", front: [member(1, 20)] }],
        [20, { type: "front", front: [member(1, 20), member(2, 30)] }],
        [30, { type: "front", front: [member(1, 20), member(2, 10)] }],
        [2000, progress(10, 2)],
        [2001, progress(20, 2)],
        [4001, progress(30, 4)],
        [4002, progress(40, 4)],
        [4003, { type: "problem", proposer: "llm", problem: { message: "no", code: "E-LLM" } }],
        [4004, { type: "worker", worker: 3, message: "died" }],
        [4005, { type: "warning", message: "mind" }],
      ],
    );
    expect(stdout.split("\n").map((line) => /(\d+) bits/.exec(line)?.[1])).toEqual([
      ...["20", "10", undefined],
    ]);
    expect(stderr.split("\n")).toEqual([
      "going on after 30 candidates",
      "2 s: 20 candidates (10/s), 40 fits (20/s)",
      "4 s: 40 candidates (10/s), 80 fits (20/s)",
      "warning: llm: no (E-LLM)",
      "warning: worker 3: died",
      "warning: mind",
      "",
    ]);
    const fresh = shown(
      () => lineDisplay({ study }),
      [[0, { type: "started", workers: 2, resumedFrom: 0 }]],
    );
    expect(fresh).toEqual({ stdout: "", stderr: "" });
  });

  test("of a screen draw the model of the choice, once for each, and the front at the end", () => {
    const plots: number[] = [];
    const screen = () =>
      liveDisplay({
        seconds: undefined,
        study,
        plot: ({ id }) => `plot ${plots.push(id)} of ${id}`,
      });
    const { stdout } = shown(screen, [
      [600, { type: "front", front: [member(1, 20)] }],
      [1200, { type: "front", front: [member(1, 20)] }],
      [1800, { type: "front", front: [member(1, 20), member(2, 10)] }],
      [1900, { type: "front", front: [member(3, 5)] }],
      [2400, { type: "done", front: [member(4, 1)], ...amounts(7), seconds: 3 }],
    ]);
    expect(plots).toEqual([1, 2, 4]);
    expect(stdout).toContain("plot 3 of 4");
    expect(stdout).toContain("3.0 s, 0 workers: 7 candidates");
    // Four screens, each erased by the next or by the end.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the cursor's way.
    expect(stdout.match(/\x1b\[\d+A\x1b\[J/g)).toHaveLength(4);
  });

  test("of a screen are erased once where something is told above them", () => {
    const { stdout, stderr } = shown(
      () => liveDisplay({ seconds: 5, study, plot: () => "plot" }),
      [
        [600, { type: "front", front: [member(1, 20)] }],
        [601, { type: "warning", message: "mind" }],
        [602, { type: "progress", ...amounts(3), seconds: 1 }],
      ],
    );
    expect(stderr).toBe("warning: mind\n");
    // By the warning, and at the end: a third time would take away what was told.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the cursor's way.
    expect(stdout.match(/\x1b\[\d+A\x1b\[J/g)).toHaveLength(2);
    expect(stdout.match(/plot/g)).toHaveLength(2);
  });

  test("tell why it stopped", () => {
    const kinds = [
      "seconds",
      "candidates",
      "fits",
      "tokens",
      "r2",
      "aborted",
      "exhausted",
    ] as const;
    const texts = kinds.map((stopped) => stopText({ stopped } as never));
    expect(new Set(texts).size).toBe(kinds.length);
    for (const [kind, word] of [
      ["seconds", "time"],
      ["candidates", "candidates"],
      ["fits", "fits"],
      ["tokens", "tokens"],
      ["r2", "R²"],
      ["aborted", "interrupted"],
      ["exhausted", "nothing more"],
    ] as const)
      expect(stopText({ stopped: kind } as never)).toContain(word);
  });
});
