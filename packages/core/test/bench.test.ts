/**
 * The benchmarks in their quick mode: every section prints, and turning a mechanism off, walking
 * instead of replaying or changing the chunk width changes no bit.
 */

import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const hasCorpus = Boolean(process.env["NDVM_CORPUS"]);
let sections: Map<string, string>;

/** Title → text of a section. */
function sectionsOf(text: string): Map<string, string> {
  const parts = text.split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.split("\n")[0] as string, part]));
}

function find(title: string): string {
  const found = [...sections.keys()].find((each) => each.startsWith(title));
  if (found === undefined) throw new Error(`there is no section ${title}`);
  return sections.get(found) as string;
}

/** Rows of a section's table. */
function rowsOf(title: string): string[] {
  const lines = find(title).split("\n");
  const from = lines.findIndex((line) => /^-{3,}/.test(line)) + 1;
  const to = lines.findIndex((line, i) => i >= from && line.trim() === "");
  return lines.slice(from, to < 0 ? undefined : to);
}

beforeAll(async () => {
  const flags = ["--import", "./scripts/register-typescript.mjs", "scripts/bench.mjs", "--quick"];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: root });
  sections = sectionsOf(stdout);
});

describe("npm run bench -- --quick", () => {
  test.each([
    "Environment",
    "Fit: LM versus Adam to the same loss",
    "Fit: the paper's Kalman calibration",
    "Kalman T=80, by q and r",
    "Kalman T=80: cost of a lane",
    "Scalar programs and maps",
    "Element-wise forward",
    "Text to numbers",
    "Import to first gradient",
    "Size of the WebAssembly files",
    "Calibration streams",
    "Ablation: each mechanism",
    "Ablation: chunk width",
    "Allocation of one evaluation",
    "Divergence, branch",
    "Divergence, tent map",
    "Divergence, loop until small",
    "Guards",
    "Small: another path on each call",
    "Small: one call",
    "Small: text → value and gradient",
    "Small: walks",
    "Small: process start",
    "Small: a fit whose start is not finite",
    "Strong scaling",
    "Targets",
  ])("prints the section %s", (title) => {
    expect(find(title).split("\n").length).toBeGreaterThan(2);
  });

  test("the hand-written yardsticks compute the machine's numbers", () => {
    expect(find("Kalman T=80, by q and r")).toMatch(/AssemblyScript by hand: .* of the machine's/);
  });

  test("other programs come as near to the least sum of squares as ours", () => {
    const rows = rowsOf("Fit: LM versus Adam to the same loss");
    expect(rows.length).toBe(15);
    for (const row of rows) expect(row).toMatch(/ 1\.00 {2}[0-9a-f]{8}$/);
    const kalman = find("Fit: the paper's Kalman calibration");
    expect(kalman).toMatch(/TensorFlow\.js ends within \d\.\de-\d of ours/);
  });

  test("walking and replaying give the same checksum", () => {
    const rows = rowsOf("Kalman T=80, by q and r");
    const sum = (start: string) =>
      rows.find((row) => row.startsWith(start))?.match(/\b[0-9a-f]{8}$/)?.[0];
    for (const lanes of ["1 lane", "per lane at 256"])
      for (const work of ["forward", "forward+gradient"]) {
        expect(sum(`${work}, walk, ${lanes}`)).toBeDefined();
        expect(sum(`${work}, walk, ${lanes}`)).toBe(sum(`${work}, replay, ${lanes}`));
      }
    expect(find("Scalar programs and maps")).not.toContain("≠");
  });

  test("every mechanism changes its counter and no bit", () => {
    const rows = rowsOf("Ablation: each mechanism");
    expect(rows.length).toBeGreaterThanOrEqual(6);
    for (const row of rows) {
      expect(row).toMatch(/ same [0-9a-f]{8}$/);
      const [on, off] = row.split(/\s{2,}/).slice(-3);
      expect(on, row).not.toBe(off);
    }
  });

  test("no bit depends on the chunk width", () => {
    expect(find("Ablation: chunk width")).toContain("checksums are the same at every width");
  });

  test("no bit depends on the number of workers", () => {
    expect(find("Strong scaling")).toContain("checksums are the same for any number of workers");
  });

  test("diverging lanes and failed guards change no bit", () => {
    for (const title of ["Divergence, branch", "Divergence, tent", "Divergence, loop", "Guards"]) {
      expect(find(title)).toMatch(/ same [0-9a-f]{8}/);
      expect(find(title)).not.toContain("DIFFER");
    }
  });

  test("small calls have the same bits by every way, and those of the C++ functions nearly", () => {
    const titles = [...sections.keys()].filter((title) => title.startsWith("Small: "));
    expect(titles.length).toBeGreaterThanOrEqual(6);
    for (const title of titles) expect(find(title)).not.toContain("DIFFER");
    for (const row of rowsOf("Small: another path on each call"))
      if (!row.startsWith("a dash")) expect(row).toMatch(/ [0-9a-f]{8}$/);
  });

  test("every target whose data is there has the verdict that follows from its figures", () => {
    const rows = rowsOf("Targets");
    expect(rows.length).toBeGreaterThan(5);
    for (const row of rows) {
      const isLarge = row.includes("10⁶");
      const isStream = /Adam|restarts|recurrences/.test(row);
      if (isLarge || (isStream && !hasCorpus)) continue;
      const judged = /([≤≥]) ([\d.,]+) +([\d.,]+) +(met|not met)( |$)/.exec(row);
      expect(judged, row).not.toBeNull();
      const [, sign, bound = "", here = "", verdict] = judged ?? [];
      if (bound === here) continue; // Rounded to the same digits: either may be true.
      const number = (text: string) => Number(text.replaceAll(",", ""));
      const isMet = sign === "≤" ? number(here) < number(bound) : number(here) > number(bound);
      expect(verdict, row).toBe(isMet ? "met" : "not met");
    }
  });

  test("stack code has the paper's table, and the bits of Scheme", () => {
    const paper = rowsOf("Stack machine: fused");
    expect(paper.map((row) => row.split(" ")[0])).toEqual(["W1", "W2", "W3", "W4"]);
    for (const row of paper) expect(row).toMatch(/×.*×.* [0-9a-f]{8}$/);
    const clients = rowsOf("Stack machine beside Scheme");
    expect(clients.map((row) => row.split(" ")[0])).toEqual(["W5", "W6", "W7"]);
    for (const row of clients) expect(row).toMatch(/ [0-9a-f]{8}$/);
  });
});
