/** What an axis shows: ticks at whole numbers where only those mean something, and a grid behind y. */

import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { type ChartOptions, drawChart, type Layer, type XY } from "../src/chart.js";

async function drawn(options: Partial<ChartOptions> & Pick<ChartOptions, "layers">) {
  const axis = { label: "n", isInteger: true };
  const chart = await drawChart({ description: "it", x: axis, y: { label: "y" }, ...options });
  const { document } = parseHTML(`<!doctype html><html><body>${chart}</body></html>`);
  const count = (label: string, part: string) =>
    document.querySelectorAll(`g[aria-label="${label}"] ${part}`).length;
  const labels = [...document.querySelectorAll('g[aria-label="x-axis tick label"] text')].map(
    (text) => text.textContent ?? "",
  );
  return { labels, count };
}

const dots = (points: readonly XY[]): Layer => ({ kind: "dots", points, color: "red" });

describe("an axis of whole numbers", () => {
  test.each([
    [1, 2],
    [1, 3],
    [2, 5],
    [0, 7],
    [3, 12],
    [1, 400],
  ])("from %i to %i has ticks at some of them, and at nothing between", async (low, high) => {
    const points = [low, high, low].map((x, i): XY => [x, i]);
    const { labels, count } = await drawn({ layers: [dots(points)] });
    const numbers = labels.map(Number);
    expect(labels).not.toContain("");
    expect(numbers.every((one) => Number.isInteger(one) && one >= low && one <= high)).toBe(true);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.length).toBeGreaterThan(1);
    expect(count("x-axis tick", "path")).toBe(numbers.length);
  });

  test("counts bars from 0 to the highest", async () => {
    const bins = [1, 2].map((count, i) => ({ from: i, to: i + 1, count }));
    const { labels, count } = await drawn({ layers: [{ kind: "bars", bins, color: "red" }] });
    expect(labels).toEqual(["0", "1", "2"]);
    expect(count("x-axis tick", "path")).toBe(3);
  });
});

test("an axis of other numbers has as many ticks as there is room for", async () => {
  const layers = [
    dots([
      [0, 0],
      [1, 1],
    ]),
  ];
  const wide = await drawn({ layers, x: { label: "x" }, width: 940 });
  const narrow = await drawn({ layers, x: { label: "x" }, width: 300 });
  expect(wide.labels.length).toBeGreaterThan(8);
  expect(narrow.labels.length).toBeLessThan(7);
  for (const labels of [wide.labels, narrow.labels]) expect(labels).not.toContain("");
});

test("there is a line of the grid at every tick of y, and none at those of x", async () => {
  const { count } = await drawn({
    layers: [
      dots([
        [0, 0],
        [1, 1],
      ]),
    ],
  });
  expect(count("y-grid", "line")).toBeGreaterThan(3);
  expect(count("y-grid", "line")).toBe(count("y-axis tick", "path"));
  expect(count("x-grid", "line")).toBe(0);
});
