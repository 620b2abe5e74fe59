/** `--report`: one page that stands alone. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { binsOf, drawChart, escapeHtml, html, page, table } from "@ndvm/report";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { ndvmHere } from "./here.js";
import { folder, writeFile } from "./run.js";

async function report(args: readonly string[]): Promise<string> {
  const { code, stderr } = await ndvmHere(["fit", ...args, "--report", "fit.html"]);
  expect(stderr).toContain("wrote fit.html");
  expect(code).toBe(0);
  return readFileSync(join(folder, "fit.html"), "utf8");
}

const titles = (text: string): string[] =>
  [...parseHTML(text).document.querySelectorAll("h2")].map((title) => title.textContent ?? "");

const rows = Array.from({ length: 30 }, (_, row) => {
  const t = row / 3;
  return `${t},${2 * Math.sin(2.3 * t) + 0.1 * Math.cos(40 * row * row)},${row % 2 ? "u" : "v"}`;
});
const wave = (): void => void writeFile("wave.csv", `t,y,cell\n${rows.join("\n")}\n`);
const sine = ["-e", "(* a (sin (* w t)))", "--data", "wave.csv", "--target", "y"];

/** Everything a page could fetch: sources, links, style imports, urls, scripts. */
const FETCHES =
  /<(script|link|iframe|img|object|embed)\b|\b(src|href|srcset)\s*=|@import|url\(\s*["']?(?!#)/i;

describe("the page of a fit", () => {
  test("fetches nothing", async () => {
    wave();
    const text = await report([...sine, "--param", "w=0.5..5", "--restarts", "8"]);
    expect(text).not.toMatch(FETCHES);
    expect(text.replaceAll(/xmlns(:\w+)?="[^"]*"/g, "")).not.toMatch(/https?:/);
    expect(text).toContain("prefers-color-scheme: dark");
  });

  test("has data and fit, residuals, restarts, parameters, diagnostics and the command", async () => {
    wave();
    const more = ["--param", "w=0.5..5", "--restarts", "8", "--hold-out", "0.2"];
    const text = await report([...sine, ...more]);
    expect(titles(text)).toEqual([
      "To be wary of",
      "Parameters",
      "Data and fit",
      "Residuals",
      "Restarts",
      "Diagnostics",
      "How it was made",
    ]);
    const { document } = parseHTML(text);
    const labels = [...document.querySelectorAll("svg")].map((svg) =>
      svg.getAttribute("aria-label"),
    );
    expect(labels).toEqual([
      "y over t: data and fit",
      "Residuals over t",
      "Residuals over prediction",
      "Histogram of the residuals",
      "y against its prediction",
      "Losses of the restarts, sorted",
    ]);
    expect(text).toContain("95 % interval");
    expect(text).toContain("6 rows held out: RMSE");
    expect(text).toContain("(* a (sin (* w t)))");
    expect(text).toMatch(/ndvm \d+\.\d+\.\d+, Node \d+/);
    expect(text).not.toMatch(/NaN|undefined|\[object/);
  });

  test("draws a line for every group", async () => {
    wave();
    const text = await report([...sine, "--param", "w=2.2", "--group", "cell:a"]);
    const svg = parseHTML(text).document.querySelector("svg");
    expect(svg?.querySelectorAll('g[aria-label="line"]').length).toBe(2);
    expect(text).toContain("a[u]");
  });

  test("of an objective has no plot of data", async () => {
    const args = ["-e", "(* (- a 2) (- a 2))", "--param", "a=0..9", "--restarts", "3"];
    expect(titles(await report(args))).toEqual(["Parameters", "Restarts", "How it was made"]);
  });

  test("escapes what comes from files", async () => {
    writeFile("bad.csv", "t,<b>&\n0,1\n1,2\n2,3.1\n");
    const args = ["-e", "(* a t) ; <script>", "--data", "bad.csv", "--column", "y=<b>&"];
    const text = await report([...args, "--target", "y"]);
    expect(text).toContain("&lt;script&gt;");
    expect(text).not.toMatch(/<script|<b>/);
  });
});

describe("pieces of pages", () => {
  test("text is escaped, HTML is not escaped twice", () => {
    expect(escapeHtml(`<a b="c" d='e'>&`)).toBe("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    expect(html`<p>${"<"}${html`<i>${1}</i>`}${[undefined, "&"]}</p>`.text).toBe(
      "<p>&lt;<i>1</i>&amp;</p>",
    );
  });

  test("a table has a cell for each row and column", () => {
    const { document } = parseHTML(
      table([{ title: "n", isNumber: true, cell: (row: number) => row * row }], [1, 2, 3]).text,
    );
    expect([...document.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual([
      "1",
      "4",
      "9",
    ]);
  });

  test("a page is one document with its title", () => {
    const { document } = parseHTML(page({ title: "A & B", body: [html`<p>text</p>`] }));
    expect(document.querySelector("title")?.textContent).toBe("A & B");
  });

  test("charts leave out points that are not finite, and take logarithmic axes", async () => {
    const svg = await drawChart({
      description: "losses",
      x: { label: "x" },
      y: { label: "y", isLog: true },
      layers: [
        {
          kind: "dots",
          color: "red",
          points: [
            [1, 1],
            [2, Number.NaN],
            [3, 1000],
          ],
        },
        {
          kind: "line",
          color: "red",
          points: [
            [1, 1],
            [3, 1000],
          ],
          isStep: true,
          isDashed: true,
        },
        { kind: "level", y: 10 },
      ],
    });
    const { document } = parseHTML(svg.text);
    expect(document.querySelectorAll("circle").length).toBe(2);
    expect(svg.text).toContain("1000");
  });

  test("bins hold every finite value once", () => {
    const values = Array.from({ length: 500 }, (_, index) => Math.sin(index) * 3);
    const bins = binsOf([...values, Number.NaN]);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(500);
    expect(bins[0]?.from).toBe(Math.min(...values));
    expect(binsOf([2, 2, 2])).toEqual([{ from: 1.5, to: 2.5, count: 3 }]);
    expect(binsOf([])).toEqual([]);
  });
});
