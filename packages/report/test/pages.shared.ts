/** Pages, figures and tables from plain data, the same cases in Node and in a browser. */

import { fit, Machine } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import {
  drawChart,
  type FittedProblem,
  fitFigures,
  fitReport,
  formatTable,
  html,
  memberFormula,
  type StudyMember,
  type StudyStory,
  searchFigures,
  studyReport,
  summaryText,
} from "../src/index.js";

const t = Float64Array.from({ length: 20 }, (_, row) => row / 5);
const y = t.map((at, row) => 3 * Math.exp(-1.2 * at) + 0.01 * Math.sin(7 * row));
const SOURCE = "(* a (exp (- (* k t))))";

async function fitted() {
  const machine = await Machine.create();
  const program = machine.load(SOURCE);
  const data = { t, y };
  const result = await fit(program, { data, target: "y", params: { a: {}, k: {} }, seed: 1 });
  const problem: FittedProblem = {
    source: { text: SOURCE, file: "<decay>.scm" },
    targets: ["y"],
    columns: ["t"],
    data,
    heldOut: undefined,
    table: { name: "decay.csv", rowCount: 21, names: ["t", "y"] },
    rows: { taken: { length: 20 }, heldOut: { length: 0 }, filtered: 0, missing: 1 },
    options: {},
    readMilliseconds: 1,
  };
  return { machine, result, problem };
}

const member: StudyMember = {
  id: 7,
  source: "(+ c (* b t))",
  params: { b: 2, c: 1 },
  intervals: { b: [1.9, 2.1], c: [0.9, 1.1] },
  simple: ["b"],
  undetermined: [],
  complexity: 5,
  loss: 0.1,
  r2: 0.99,
  trainR2: 0.98,
  bic: -12,
  score: 0.5,
  length: 40.5,
  parts: { data: 20, constants: 10, symbols: 10.5, gaps: 0 },
};

const story: StudyStory = {
  file: "study.db",
  target: "y",
  inputs: ["t"],
  domain: "ieee",
  train: { t: t.slice(0, 15), y: y.slice(0, 15) },
  heldOut: { t: t.slice(15), y: y.slice(15) },
  options: { seed: 1, description: "<b>bold</b>" },
  front: [member, { ...member, id: 3, source: "c", params: { c: 1 }, complexity: 1, r2: 0.1 }],
  chosen: member,
  why: "it is the shortest",
  warnings: ["there are few rows"],
  counts: { visits: 120, fits: 80, seconds: 2, duplicates: 10, failed: 3 },
  failures: [{ code: "E-TYPE", count: 3, source: "(car 1)", message: "car needs a pair" }],
  discoveries: [{ seconds: 0.5, fits: 12, r2: 0.99 }],
  throughput: [
    { second: 0, visits: 50 },
    { second: 1, visits: 70 },
  ],
  timings: { screen: 0.1, walk: 0.2, replay: 0.3, fit: 1, score: 0.1, fitShare: 0.8 },
  lineage: [
    { id: 7, proposer: "evolve", origin: "grow", parents: [3], r2: 0.99, source: "(+ c t)" },
  ],
  runs: [
    { run: 1, started: "today", workers: 2, command: "ndvm search", resumedFrom: 0, versions: {} },
  ],
};

const figuresOf = (page: string): number => page.split("<svg").length - 1;

export function pageTests(): void {
  describe("a fit", () => {
    test("is a page that stands alone, with figures, and says the same twice", async () => {
      const { machine, result, problem } = await fitted();
      const options = { result, problem, scores: [], x: undefined, command: "fit it", maker: "me" };
      const page = await fitReport(options);
      expect(page).toMatch(/^<!doctype html>/i);
      expect(figuresOf(page)).toBeGreaterThanOrEqual(4);
      expect(page).toContain("Fit of &lt;decay&gt;.scm to y");
      expect(page).toContain("20 of 21 rows of decay.csv");
      expect(page).not.toMatch(/(src|href)="https?:/);
      expect(await fitReport(options)).toBe(page);
      machine.dispose();
    });

    test("is a table in words", async () => {
      const { machine, result, problem } = await fitted();
      const text = summaryText(result, problem, []);
      expect(text).toMatch(/^parameter +estimate +std\. error/);
      expect(text).toContain("1 with missing values left out");
      machine.dispose();
    });
  });

  test("a study is a page with its front, its model and its failures", async () => {
    const page = await studyReport(story);
    expect(figuresOf(page)).toBe(4);
    for (const words of ["Search for y from t", "Chosen because it is the shortest", "E-TYPE"]) {
      expect(page).toContain(words);
    }
    expect(page).toContain("&lt;b&gt;bold&lt;/b&gt;");
    expect(page).not.toContain("<b>bold</b>");
    expect(await studyReport(story)).toBe(page);
  });

  test("a study that found nothing is a page, too", async () => {
    const empty: StudyStory = {
      ...story,
      front: [],
      chosen: undefined,
      why: undefined,
      discoveries: [],
      lineage: [],
      failures: [],
      counts: { ...story.counts, visits: 0 },
    };
    const page = await studyReport(empty);
    expect(figuresOf(page)).toBe(0);
    expect(page).toContain("none");
  });

  test("a chart is SVG text that describes itself", async () => {
    const { text } = await drawChart({
      description: 'a "line"',
      x: { label: "x" },
      y: { label: "y" },
      layers: [
        {
          kind: "line",
          points: [
            [0, 0],
            [1, 2],
            [2, Number.NaN],
          ],
          color: "red",
        },
      ],
    });
    expect(text).toMatch(/^<svg/);
    expect(text).toContain("a &quot;line&quot;");
  });

  test("what is put into a page is escaped", () => {
    expect(html`<p>${"<script>"}</p>`.text).toBe("<p>&lt;script&gt;</p>");
  });

  test("long tables are cut in the middle, and formulas are readable", () => {
    const columns = [{ title: "n", align: "right" as const, cell: String }];
    expect(formatTable(columns, 30, "rows").split("\n")).toHaveLength(12);
    expect(memberFormula(member, story)).toBe("1 + 2·t");
  });

  describe("figures for somebody else's page", () => {
    test("are those of the report, with a style that reaches nothing else", async () => {
      const { machine, result, problem } = await fitted();
      const shown = await fitFigures(result, problem);
      expect(shown.match(/<svg/g)?.length).toBeGreaterThan(1);
      expect(shown).toContain("y over t: data and fit");
      expect(shown).toMatch(/^<div class="ndvm-figures"><style>\.ndvm-figures \{/);
      expect(shown).not.toMatch(/<(html|body|script)|:root/);
      machine.dispose();
    });

    test("show a search's choice beside the data and on its front", async () => {
      const shown = await searchFigures(story, story.front, member);
      expect(shown.match(/<svg/g)).toHaveLength(2);
      expect(shown).toContain("y over t: data and model");
      expect(shown).toContain("held-out rows");
      expect(await searchFigures({ ...story, heldOut: {} }, [], member)).not.toContain(
        "held-out rows",
      );
    });
  });
}
