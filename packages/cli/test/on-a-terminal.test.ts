/**
 * The command on a terminal: colours, bars and screens are ours, and no control character of a program,
 * a name, a file or an endpoint is among them. The streams only say that they are terminals.
 */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { folder, writeFile } from "./run.js";

const EVIL = "\x1b[2J\x1b]0;owned\x07\x08\u202e\u2066\x9b31m\x7f\u200b\u2060\u{e0041}";
const name = "ev\x1b[31mil\u202e\u200b\u{e0041}";

/** What we ourselves may send: colours, the cursor's way, and what is below it cleared. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may come.
const OURS = /\x1b\[(?:\d+(?:;\d+)*m|\d+A\x1b\[J|\d+G|\d*[KJ]|\?25[lh]|\?7[lh])|\x1b[78]|\r/g;
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|\u115f|\u3164|\ufe0f/u;

interface Shown {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const streams = ["stdout", "stderr"] as const;
const before = new Map(streams.map((each) => [each, { ...process[each] }]));
const variables = ["NO_COLOR", "TERM", "FORCE_COLOR"] as const;
let kept: Record<string, string | undefined> = {};

beforeEach(() => {
  kept = Object.fromEntries(variables.map((each) => [each, process.env[each]]));
  for (const each of variables) delete process.env[each];
  process.env["TERM"] = "xterm";
  for (const each of streams) {
    Object.defineProperty(process[each], "isTTY", { value: true, configurable: true });
    Object.defineProperty(process[each], "columns", { value: 90, configurable: true });
  }
  vi.resetModules();
});

afterEach(() => {
  for (const each of streams) {
    const { isTTY, columns } = before.get(each) as { isTTY?: boolean; columns?: number };
    Object.defineProperty(process[each], "isTTY", { value: isTTY, configurable: true });
    Object.defineProperty(process[each], "columns", { value: columns, configurable: true });
  }
  for (const [each, value] of Object.entries(kept)) {
    if (value === undefined) delete process.env[each];
    else process.env[each] = value;
  }
  vi.resetModules();
});

/** Runs the command in this process, which believes that it is on a terminal. */
async function onTerminal(args: readonly string[]): Promise<Shown> {
  const { run } = await import("../src/main.js");
  const written = { stdout: "", stderr: "" };
  const spies = streams.map((each) =>
    vi.spyOn(process[each], "write").mockImplementation((text) => {
      written[each] += String(text);
      return true;
    }),
  );
  const from = process.cwd();
  process.chdir(folder);
  try {
    return { code: await run(args), ...written };
  } finally {
    process.chdir(from);
    for (const spy of spies) spy.mockRestore();
  }
}

function expectClean({ stdout, stderr }: Shown): void {
  for (const text of [stdout, stderr]) {
    const rest = text.replace(OURS, "");
    expect(UNSAFE.exec(rest)?.[0], JSON.stringify(rest.slice(0, 300))).toBeUndefined();
    expect(rest).not.toContain("owned\x07");
  }
}

const rows = Array.from({ length: 30 }, (_, i) => `${i / 10},${2 * i + 1},${i % 2 ? EVIL : "b"}`);
const prepare = (): void => {
  writeFile("tty-evil.csv", `${name},y,"w${EVIL}"\n${rows.join("\n")}\n`);
  const plain = Array.from({ length: 30 }, (_, i) => `${i},${3 * i + Math.sin(i)}`);
  writeFile("tty.csv", `x,y\n${plain.join("\n")}\n`);
  writeFile("tty.scm", `; ${EVIL}\n(+ x "${EVIL}")\n`);
  const sources = ["(+ a (* b x))", `; ${EVIL}\n(* a x)`, `(${name} x)`, `(* |${name}| x)`];
  writeFile("tty.jsonl", sources.map((source) => JSON.stringify({ source })).join("\n"));
};

describe("no control character gets through", () => {
  test.each<[string, string[]]>([
    ["eval of a file", ["eval", "tty.scm", "--set", "x=1"]],
    ["eval of a text", ["eval", "-e", `(+ 1 ${EVIL})`]],
    ["eval of a table", ["eval", "-e", "(* 2 x)", "--set", `x=@tty-evil.csv:${name}`]],
    ["fit", ["fit", "-e", "(* a x)", "--data", "tty-evil.csv", "--target", "y"]],
    ["fit of a group", ["fit", "-e", "(* a y)", "--data", "tty-evil.csv", "--target", name]],
    ["a command nobody knows", [EVIL]],
  ])("%s", async (_, args) => {
    prepare();
    const shown = await onTerminal(args);
    expect(shown.stdout + shown.stderr).not.toBe("");
    expectClean(shown);
  });

  test("a search with its screen, its report and its archive", async () => {
    prepare();
    const study = ["search", "--data", "tty.csv", "--target", "y", "--workers", "0"];
    const shown = await onTerminal([
      ...study,
      ...["--proposer", "replay:tty.jsonl", "--out", `tty-${Date.now()}.db`],
    ]);
    expectClean(shown);
    expect(shown.stdout).toContain("candidates");
  });
});

describe("colours", () => {
  test("are there on a terminal, and not where NO_COLOR or a dumb terminal says so", async () => {
    const args = ["fit", "-e", "(* a x)", "--data", "tty.csv", "--target", "y"];
    prepare();
    expect((await onTerminal(args)).stdout).toContain("\x1b[1m");
    process.env["NO_COLOR"] = "1";
    vi.resetModules();
    expect((await onTerminal(args)).stdout).not.toContain("\x1b[1m");
    delete process.env["NO_COLOR"];
    process.env["TERM"] = "dumb";
    vi.resetModules();
    expect((await onTerminal(args)).stdout).not.toContain("\x1b[1m");
  });

  test("of a program's own are shown, not sent", async () => {
    const { stderr } = await onTerminal(["eval", "-e", "(+ 1 \x1b[31mred)"]);
    expect(stderr).not.toContain("\x1b[31mred");
    expect(stderr).toContain("[31mred");
  });
});

describe("the screen of a search", () => {
  const member = (id: number, complexity: number) =>
    ({
      ...{ id, visit: id, source: "(* a x)", params: { a: 2 }, intervals: {}, complexity },
      ...{ r2: 0.5 + id / 100, trainR2: 0.5, loss: 10 - id, bic: 1, score: 0.25, length: 50 - id },
      ...{ parts: { data: 1, constants: 2, symbols: 3, gaps: 0 }, isWeighed: true },
      ...{ simple: [], undetermined: [], hidden: 0 },
    }) as never;
  const counts = {
    ...{ candidates: 1234, revisits: 0, scored: 1000, duplicates: 200, failed: 34, fits: 5678 },
    ...{ failures: { "E-TYPE": 4, "E-STEPS": 30 }, workersReplaced: 0 },
    spending: { requests: 2, inputTokens: 1000, outputTokens: 50, cost: 0.25 },
  };

  const study = { inputs: ["x"], domain: "ieee" } as const;

  async function shownBy(events: readonly object[]): Promise<string> {
    const { liveDisplay } = await import("../src/search/display.js");
    let text = "";
    const spies = streams.map((each) =>
      vi.spyOn(process[each], "write").mockImplementation((piece) => {
        text += String(piece);
        return true;
      }),
    );
    const clock = vi.spyOn(performance, "now");
    try {
      let now = 0;
      clock.mockImplementation(() => now);
      const display = liveDisplay({ seconds: 60, study, plot: () => "the\nplot" });
      for (const event of events) {
        now += 501;
        display.show(event as never);
      }
      display.close();
      return text;
    } finally {
      clock.mockRestore();
      for (const spy of spies) spy.mockRestore();
    }
  }

  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken off.
  const plain = (text: string): string => text.replace(/\x1b\[\d+m/g, "");

  test("is drawn over the one before it, line for line", async () => {
    const front = [member(1, 1), member(2, 3), member(3, 5)];
    const text = await shownBy([
      { type: "started", workers: 1, resumedFrom: 0 },
      { type: "front", front },
      { type: "progress", counts, inThisRun: counts, seconds: 2 },
    ]);
    // Every screen but the first is preceded by as many lines up as the one before it had.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the cursor's way.
    const screens = plain(text).split(/\x1b\[(\d+)A\x1b\[J/);
    for (let at = 0; at + 1 < screens.length; at += 2) {
      const lines = (screens[at] as string).split("\n").length - 1;
      expect(Number(screens[at + 1])).toBe(lines);
    }
    expect(screens).toHaveLength(7);
    const last = screens[4] as string;
    expect(last).toContain(
      "2.0 s of 60 s, 1 worker: 1,234 candidates (617/s), 5,678 fits (2,839/s)",
    );
    expect(last).toContain("200 duplicates, 34 failed (30 E-STEPS, 4 E-TYPE)");
    expect(last).toContain("1,000 + 50 tokens in 2 requests, cost 0.2500");
    expect(last.trimEnd().endsWith("the\nplot")).toBe(true);
    for (const line of last.split("\n")) expect(line.length).toBeLessThanOrEqual(90);
    expect(screens[6]).toBe("");
  });

  test("says one request, one duplicate, one candidate and one fit", async () => {
    const { spendingText } = await import("../src/search/display.js");
    const { searchSummary } = await import("../src/search/summary.js");
    const spending = { requests: 1, inputTokens: 10, outputTokens: 5, cost: 0 };
    const one = {
      ...counts,
      candidates: 1,
      fits: 1,
      duplicates: 1,
      failed: 0,
      failures: {},
      spending,
    };
    expect(spendingText(one)).toBe("10 + 5 tokens in 1 request");
    const done = {
      ...{ counts: one, inThisRun: one, seconds: 2 },
      ...{ stopped: "candidates", front: [], warnings: [] },
    };
    const [said] = searchSummary(done as never, { target: "y", study, plot: () => "" }).split("\n");
    expect(said).toMatch(/^1 candidate in 2.0 s \(1 fit, 1\/s; 1 duplicate, 0 failed\): /);
  });

  test("shows the eight members around the choice, and warnings above itself", async () => {
    // The tenth is the shortest.
    const front = Array.from({ length: 20 }, (_, i) =>
      Object.assign({}, member(i + 1, i + 1) as object, { length: Math.abs(i - 9) + 30 }),
    );
    const text = plain(
      await shownBy([
        { type: "started", workers: 3, resumedFrom: 0 },
        { type: "front", front },
        { type: "warning", message: `mind ${EVIL}` },
      ]),
    );
    const last = text.split("\x1b[J").at(-2) ?? "";
    const sizes = [...last.matchAll(/^\W*(\d+) {2}/gm)].map((found) => Number(found[1]));
    expect(sizes.filter((size) => size >= 1 && size <= 20)).toHaveLength(8);
    expect(last).toContain("3 workers");
    expect(text).toContain("warning: mind \\u001b[2J");
    expect(text).not.toContain("\x1b]0;");
  });
});
