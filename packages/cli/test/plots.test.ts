/** Plots fit the terminal that they are printed on, however narrow it is. */

import { Machine } from "@ndvm/core";
import { afterEach, expect, test } from "vitest";
import { fitPlotText, plotText } from "../src/plot.js";
import { tapeText } from "../src/tape-listing.js";

const x = Float64Array.from({ length: 60 }, (_, i) => i);
const y = x.map((at) => 1e-3 * Math.sin(at / 7));
const curve = [...x].map((at, i): [number, number] => [at, y[i] as number]);
const { stdout } = process;
const before = (["isTTY", "columns"] as const).map(
  (name) => [name, Object.getOwnPropertyDescriptor(stdout, name)] as const,
);

/** From here on standard output is a terminal of so many columns. */
function setColumns(columns: number): void {
  Object.defineProperty(stdout, "isTTY", { value: true, configurable: true });
  Object.defineProperty(stdout, "columns", { value: columns, configurable: true });
}

afterEach(() => {
  for (const [name, property] of before) {
    Reflect.deleteProperty(stdout, name);
    if (property !== undefined) Object.defineProperty(stdout, name, property);
  }
});

const longest = (text: string): number =>
  Math.max(...text.split("\n").map((line) => [...line].length));

test.each([40, 60, 80])("no line of a plot is longer than a terminal of %i columns", (columns) => {
  setColumns(columns);
  const plain = longest(plotText({ title: "value", x, y }));
  const fitted = longest(fitPlotText({ title: "fit", points: curve, lines: [curve] }));
  for (const length of [plain, fitted]) {
    expect(length).toBeLessThanOrEqual(columns);
    expect(length).toBeGreaterThan(columns / 2);
  }
});

test("a plot does not grow without end with its terminal", () => {
  setColumns(400);
  expect(longest(plotText({ title: "value", x, y }))).toBeLessThanOrEqual(90);
  expect(longest(fitPlotText({ title: "fit", points: curve, lines: [curve] }))).toBeLessThanOrEqual(
    90,
  );
});

test("the source of a tape's records ends where the terminal does", async () => {
  const machine = await Machine.create();
  const source = `(+ ${Array.from({ length: 30 }, (_, i) => `(* x ${i})`).join(" ")})`;
  const explanation = machine.load(source).explain({ x: 1 });
  for (const columns of [80, 120]) {
    setColumns(columns);
    expect(longest(tapeText(explanation, true))).toBeLessThanOrEqual(columns);
  }
});

test("a plot of more points than a call takes operands ended in a RangeError", () => {
  const x = Array.from({ length: 200_000 }, (_, i) => i / 1000);
  const points = x.map((each): [number, number] => [each, Math.sin(each)]);
  expect(plotText({ title: "value", x, y: points.map(([, y]) => y) })).toContain("value");
  expect(fitPlotText({ title: "fit", points, lines: [points] })).toContain("fit");
});

test("ticks of a large offset read alike: those of Julian dates were all 2459000", () => {
  setColumns(80);
  const dates = [...x].map((at, i): [number, number] => [2459050 + at, 1e7 + (y[i] ?? 0) * 1e4]);
  const labels = (text: string) => text.split("\n").at(-1)?.trim().split(/\s+/) ?? [];
  const plain = plotText({ title: "value", x: dates.map(([at]) => at), y });
  for (const text of [plain, fitPlotText({ title: "fit", points: dates, lines: [dates] })]) {
    const shown = labels(text).map(Number);
    expect(shown.length).toBeGreaterThan(2);
    expect(new Set(shown).size).toBe(shown.length);
    for (const label of shown) expect(label % 10).toBe(0);
  }
  const up = fitPlotText({ title: "fit", points: dates, lines: [dates] }).match(/\d+(?=┤)/g) ?? [];
  expect(new Set(up).size).toBe(up.length);
  expect(up.length).toBeGreaterThan(2);
});
