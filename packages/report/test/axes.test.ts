/** What an axis shows: ticks at whole numbers where only those mean something, and a grid behind y. */

import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { type ChartOptions, drawChart, type Layer, type XY } from "../src/chart.js";
import { tickText } from "../src/numbers.js";

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

describe("labels beside a large offset", () => {
  const days = Array.from({ length: 12 }, (_, i): XY => [2459105.5 + i / 2, 1e7 + 3 * i]);

  test("were all the same number: no two of an axis read alike", async () => {
    const { x, y } = await axesOf(days);
    for (const { labels } of [x, y]) {
      expect(labels.length).toBeGreaterThan(3);
      expect(new Set(labels).size).toBe(labels.length);
    }
    expect(x.labels).toContain("2459106.5");
    expect(y.labels).toContain("10000010");
  });

  test("were cut off at the edges: the margins hold them", async () => {
    const { x, y, width } = await axesOf(days);
    const longest = (labels: readonly string[]) => Math.max(...labels.map(({ length }) => length));
    expect(y.places[0]).toBeGreaterThanOrEqual(6 * longest(y.labels) + 6);
    const last = Math.max(...x.places);
    expect(width - last).toBeGreaterThanOrEqual(3 * longest(x.labels));
  });

  test("do not need numbers everywhere", async () => {
    const { x } = await axesOf([[Number.NaN, 1], ...days]);
    expect(new Set(x.labels).size).toBe(x.labels.length);
  });

  test("a tick has the digits that its neighbours ask for, and no more", () => {
    expect(tickText(2459105.5, 0.5, 4)).toBe("2459105.5");
    expect(tickText(0.1 + 0.2, 0.1, 6)).toBe("0.3");
    expect(tickText(1234.5678, 0, 4)).toBe("1235");
  });
});

/** Labels of both axes, and where they stand. */
async function axesOf(points: readonly XY[]) {
  const width = 940;
  const chart = await drawChart({
    ...{ description: "dots", x: { label: "x" }, y: { label: "y" } },
    ...{ layers: [dots(points)], width },
  });
  const { document } = parseHTML(`<!doctype html><html><body>${chart}</body></html>`);
  const axis = (name: "x" | "y") => {
    const texts = [...document.querySelectorAll(`g[aria-label="${name}-axis tick label"] text`)];
    return {
      labels: texts.map((text) => text.textContent ?? ""),
      // Before the tick, at the edge of what is drawn, for y.
      places: texts.map((text) =>
        Number(/translate\(([\d.]+)/.exec(text.getAttribute("transform") ?? "")?.[1]),
      ),
    };
  };
  return { x: axis("x"), y: axis("y"), width };
}
