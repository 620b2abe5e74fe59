/**
 * What a terminal shows while a search runs: everything that is written goes through a small terminal of
 * the test's own, which knows the two ways of the cursor that a display uses.
 */

import { afterEach, describe, expect, test, vi } from "vitest";
import { failuresText, liveDisplay, spendingText } from "../src/search/display.js";
import { searchSummary } from "../src/search/summary.js";
import { withoutColours } from "../src/terminal.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A terminal: lines, and the line that is written next. */
class Screen {
  lines: string[] = [""];

  write(text: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the cursor's way.
    for (const part of withoutColours(text).split(/(\x1b\[\d*[AJ])/)) {
      const up = /\[(\d+)A$/.exec(part)?.[1];
      if (up !== undefined) this.lines.splice(this.lines.length - 1 - Number(up));
      else if (part.endsWith("[J")) this.lines.push("");
      else {
        const [first = "", ...others] = part.split("\n");
        this.lines.push((this.lines.pop() ?? "") + first, ...others);
      }
    }
  }
}

const member = (id: number, length: number, isWeighed = true) => ({
  ...{ id, visit: id, source: `(* a${id} x)`, params: { [`a${id}`]: 2 }, intervals: {} },
  ...{ complexity: 100 + id, r2: 0.5, trainR2: 0.5, loss: 10 - id, bic: 1, score: 0.25, length },
  ...{ parts: { data: 1, constants: 2, symbols: 3, gaps: 0 }, simple: [], undetermined: [] },
  ...{ isWeighed, hidden: 0 },
});

const spending = (requests: number, cost: number) => ({
  ...{ requests, inputTokens: 1000 * requests, outputTokens: 10, cost },
});
const counts = (candidates: number, more: object = {}) => ({
  ...{ candidates, revisits: 0, scored: 0, duplicates: 1, failed: 6, fits: 2 * candidates },
  ...{ failures: { "E-TYPE": 1, "E-STEPS": 3, "E-SHAPE": 2 }, workersReplaced: 0 },
  ...{ spending: spending(0, 0), ...more },
});

const amounts = (candidates: number, before = 0) => ({
  counts: counts(candidates),
  inThisRun: { candidates: candidates - before, fits: 2 * (candidates - before) },
});

const study = { inputs: ["x"], domain: "ieee" } as const;

/** The lines of a terminal after each event, at moments of a clock of the test's own. */
function shown(events: readonly [number, object][], seconds?: number): string[][] {
  const screen = new Screen();
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      screen.write(String(text));
      return true;
    });
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const display = liveDisplay({ seconds, study, plot: ({ id }) => `plot of ${id}` });
  const after = events.map(([at, event]) => {
    now = at;
    display.show(event as never);
    return screen.lines.slice();
  });
  display.close();
  vi.restoreAllMocks();
  return [...after, screen.lines.slice()];
}

/** The sizes of the members in the table of a screen, in order. */
const sizesIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => (/^\s*→?\s+(1\d\d)\s/.test(line) ? Number(/1\d\d/.exec(line)) : []));

describe("the screen of a search", () => {
  test("shows eight members around the choice, or all of them", () => {
    for (const size of [1, 3, 8, 9, 12, 20])
      for (let chosen = 0; chosen < size; chosen++) {
        const front = Array.from({ length: size }, (_, i) => member(i, i === chosen ? 1 : 2 + i));
        const [lines = []] = shown([[600, { type: "front", front }]]);
        const sizes = sizesIn(lines);
        expect(sizes).toHaveLength(Math.min(8, size));
        expect(sizes).toContain(100 + chosen);
        for (const [i, one] of sizes.entries()) expect(one).toBe((sizes[0] as number) + i);
        // Four stand before it where there are so many, and as few as can be where it is the last.
        const first = Math.min(Math.max(chosen - 4, 0), Math.max(size - 8, 0));
        expect(sizes[0]).toBe(100 + first);
        const arrows = lines.filter((line) => line.includes("→"));
        expect(arrows.map((line) => /1\d\d/.exec(line)?.[0])).toEqual([String(100 + chosen)]);
        expect(lines.filter((line) => line.startsWith("plot"))).toEqual([`plot of ${chosen}`]);
      }
  });

  test("stands below all that was told, once, and is gone at the end", () => {
    const progress = (candidates: number, seconds: number) => ({
      ...{ type: "progress", ...amounts(candidates), seconds },
    });
    const steps = shown(
      [
        [0, { type: "warning", message: "before" }],
        [600, { type: "front", front: [member(1, 20), member(2, 30)] }],
        [700, { type: "warning", message: "first" }],
        [1300, progress(10, 1)],
        [1301, { type: "worker", worker: 3, message: "died" }],
        [1302, { type: "problem", proposer: "llm", problem: { message: "no", code: "E-LLM" } }],
        [2000, { type: "front", front: [member(3, 5)] }],
        [2001, progress(30, 2)],
      ],
      7,
    );
    const told = ["before", "first", "worker 3: died", "llm: no (E-LLM)"].map(
      (text) => `warning: ${text}`,
    );
    const wanted = [1, 1, 2, 2, 3, 4, 4, 4];
    for (const [i, count] of wanted.entries()) {
      const lines = steps[i] as string[];
      expect(lines.slice(0, count)).toEqual(told.slice(0, count));
      expect(lines.filter((line) => / s of 7 s, /.test(line))).toHaveLength(1);
      expect(lines[count]).toMatch(/^\d\.\d s of 7 s, 0 workers: /);
    }
    // The last event came too soon to be drawn.
    expect(steps.at(-2)?.[4]).toContain("10 candidates");
    expect(steps.at(-1)).toEqual([...told, ""]);
  });

  test("counts the candidates and fits of a resumed study, and how many of them a second of this run has", () => {
    const progress = { type: "progress", ...amounts(1900, 1000), seconds: 3 };
    const [lines = []] = shown([[600, progress]]);
    expect(lines[0]).toBe("3.0 s, 0 workers: 1,900 candidates (300/s), 3,800 fits (600/s)");
    const end = { stopped: "fits", front: [], warnings: [] };
    const said = (candidates: number, before: number) => {
      const done = { ...amounts(candidates, before), seconds: 3, ...end };
      const text = searchSummary(done as never, { target: "y", study, plot: () => "" });
      return text.slice(0, text.indexOf(";"));
    };
    expect(said(1900, 0)).toBe("1,900 candidates in 3.0 s (3,800 fits, 1,267/s");
    expect(said(1900, 1000)).toBe(
      "1,900 candidates, 900 of them in this run of 3.0 s (3,800 fits, 1,800 of them in this run, 600/s",
    );
    expect(said(1000, 1000)).toBe(
      "1,000 candidates, 0 of them in this run of 3.0 s (2,000 fits, 0 of them in this run, 0/s",
    );
  });

  test("tells failures by their number and what models cost", () => {
    expect(failuresText(counts(1))).toBe("3 E-STEPS, 2 E-SHAPE, 1 E-TYPE");
    expect(spendingText(counts(1))).toBe("");
    expect(spendingText(counts(1, { spending: spending(1, 0) }))).toBe(
      "1,000 + 10 tokens in 1 request",
    );
    expect(spendingText(counts(1, { spending: spending(2, 0.125) }))).toBe(
      "2,000 + 10 tokens in 2 requests, cost 0.1250",
    );
    const paid = counts(5, { spending: spending(1, 0) });
    const [lines = []] = shown([
      [600, { type: "progress", counts: paid, inThisRun: paid, seconds: 1 }],
    ]);
    expect(lines.slice(1, 3)).toEqual([
      "1 duplicate, 6 failed (3 E-STEPS, 2 E-SHAPE, 1 E-TYPE)",
      "1,000 + 10 tokens in 1 request",
    ]);
  });
});

test("the end of a search tells every constant of the choice, however many there are", () => {
  const names = Array.from({ length: 60 }, (_, i) => `c${i}`);
  const chosen = {
    ...member(1, 20),
    source: `(+ x ${names.join(" ")})`,
    params: Object.fromEntries(names.map((name, i) => [name, i + 0.5])),
    intervals: { c3: [3, 4] },
    simple: ["c1"],
    undetermined: ["c2"],
  };
  const done = { ...amounts(3), seconds: 1, stopped: "fits", front: [chosen], warnings: [] };
  const text = withoutColours(
    searchSummary({ ...done, choice: chosen, best: chosen } as never, {
      target: "y",
      study,
      plot: () => "the plot",
    }),
  );
  const lines = text.split("\n").map((line) => line.trim().split(/\s{2,}/));
  for (const [i, name] of names.entries())
    expect(lines.find(([first]) => first === name)?.[1]).toBe(String(i + 0.5));
  expect(lines.find(([first]) => first === "c3")).toEqual(["c3", "3.5", "3", "4"]);
  expect(lines.find(([first]) => first === "c1")?.at(-1)).toBe("taken as exact");
  expect(lines.find(([first]) => first === "c2")?.at(-1)).toBe("not determined");
});
