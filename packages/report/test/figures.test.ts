/**
 * The numbers inside figures are the data: read back through the labels of the axes, by a reader that
 * knows nothing of how a picture was made.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binsOf, drawChart, fitReport, picturesOf, studyReport, type XY } from "../src/index.js";
import { type Figure, figuresIn, type Mark } from "./figures.js";
import {
  chosen,
  heldScore,
  line,
  residualsOf,
  restart,
  richProblem,
  richResult,
  richStory,
  x,
  y,
} from "./made-up.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`figures: SEED=${seed}`);

const pairs = (a: ArrayLike<number>, b: ArrayLike<number>): XY[] =>
  Array.from(a, (value, at) => [value, b[at] as number]);

/** Within what a label of six digits and a place of three decimals tell. */
function expectPoints(mark: Mark | undefined, wanted: readonly XY[], isLog = false): void {
  expect(mark?.points).toHaveLength(wanted.length);
  const size = (side: 0 | 1): number =>
    Math.max(1e-9, ...wanted.map((point) => Math.abs(point[side])));
  for (const [at, [a, b]] of wanted.entries()) {
    const [seenA, seenB] = mark?.points[at] ?? [Number.NaN, Number.NaN];
    expect(Math.abs(seenA - a)).toBeLessThan(1e-4 * size(0));
    const most = isLog ? 1e-3 * Math.abs(b) : 1e-4 * size(1);
    expect(Math.abs(seenB - b), `${seenB} for ${b}`).toBeLessThan(most);
  }
}

const named = (figures: readonly Figure[], label: string): Figure => {
  const found = figures.find((figure) => figure.label === label);
  if (!found) throw new Error(`no figure ${label}: ${figures.map((each) => each.label)}`);
  return found;
};
const marksOf = ({ marks }: Figure, kind: Mark["kind"]): readonly Mark[] =>
  marks.filter((mark) => mark.kind === kind);

const options = { result: richResult, problem: richProblem, scores: [], x: undefined };
const page = (more: object = {}): Promise<string> =>
  fitReport({ ...options, command: "ndvm fit", maker: "ndvm", ...more });

const rangeOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

describe("a chart", () => {
  const finite = fc.double({ min: -1e3, max: 1e3, noNaN: true });
  const spread = fc
    .array(fc.tuple(finite, finite), { minLength: 4, maxLength: 20 })
    .filter((list) => [0, 1].every((side) => rangeOf(list.map((p) => p[side] as number)) > 1));

  test("shows dots, lines and bands where the data are, however they lie", async () => {
    await fc.assert(
      fc.asyncProperty(spread, async (points) => {
        const band = points.map(([a, b]) => [a, b - 1, b + 2] as const);
        const chart = await drawChart({
          description: "d",
          x: { label: "across" },
          y: { label: "up" },
          layers: [
            { kind: "dots", points, color: "red" },
            { kind: "line", points, color: "blue" },
            { kind: "band", points: band, color: "green", opacity: 0.25 },
          ],
        });
        const [figure] = figuresIn(chart.text);
        if (!figure) throw new Error("no figure");
        expect([figure.x.label, figure.y.label]).toEqual(["across", "up"]);
        expectPoints(marksOf(figure, "dot")[0], points);
        expectPoints(marksOf(figure, "line")[0], points);
        const [area] = marksOf(figure, "area");
        const edge = (side: 1 | 2): XY[] => band.map((p) => [p[0], p[side]]);
        expectPoints(area, [...edge(2), ...edge(1).reverse()]);
        expect([area?.color, area?.look]).toEqual(["green", "0.25"]);
      }),
      { seed, numRuns: 15 },
    );
  });

  test("of whole numbers has ticks at whole numbers only, as many as there are or fit", async () => {
    const of = async (high: number) => {
      const points: XY[] = [
        [1, 0],
        [high, 1],
      ];
      const chart = await drawChart({
        description: "d",
        x: { label: "n", isInteger: true },
        y: { label: "y" },
        layers: [{ kind: "line", points, color: "red" }],
      });
      return figuresIn(chart.text)[0]?.x.ticks.map(Number) ?? [];
    };
    expect(await of(2)).toEqual([1, 2]);
    expect(await of(4)).toEqual([1, 2, 3, 4]);
    const many = await of(100);
    expect(many.every(Number.isInteger)).toBe(true);
    expect(many.length).toBeLessThanOrEqual(12);
    expect(many.length).toBeGreaterThan(5);
  });

  test("bars stand on zero and are as high as what they count", async () => {
    const bins = [
      { from: 0, to: 1, count: 3 },
      { from: 1, to: 2, count: 8 },
    ];
    const chart = await drawChart({
      description: "d",
      x: { label: "n" },
      y: { label: "rows", isInteger: true },
      layers: [{ kind: "bars", bins, color: "red" }],
    });
    const [bars] = marksOf(figuresIn(chart.text)[0] as Figure, "rect");
    // Bars are parted by half a pixel on each side.
    for (const [at, { from, to, count }] of bins.entries()) {
      const [[left, top], [right, bottom]] = (bars?.points ?? []).slice(2 * at, 2 * at + 2) as [
        XY,
        XY,
      ];
      expect(left).toBeCloseTo(from, 2);
      expect(right).toBeCloseTo(to, 2);
      expect(Math.abs(top - count)).toBeLessThan(0.03);
      expect(Math.abs(bottom)).toBeLessThan(0.03);
    }
  });

  test("steps keep the height until the next place, rings and dashes look as asked", async () => {
    const points: XY[] = [
      [0, 1],
      [2, 3],
      [4, 2],
    ];
    const chart = await drawChart({
      description: "d",
      x: { label: "x" },
      y: { label: "y", domain: [0, 4] },
      layers: [
        { kind: "line", points, color: "red", isStep: true, isDashed: true },
        { kind: "dots", points, color: "blue", isRing: true, radius: 8, titles: (at) => `n${at}` },
        { kind: "dots", points: [[Number.NaN, 1], ...points], color: "tan", titles: String },
        { kind: "level", y: 1 },
      ],
    });
    const [figure] = figuresIn(chart.text);
    const [steps] = marksOf(figure as Figure, "line");
    expectPoints(steps, [
      [0, 1],
      [2, 1],
      [2, 3],
      [4, 3],
      [4, 2],
    ]);
    expect(steps?.look).toBe("5 4 2");
    const [rings, dots] = marksOf(figure as Figure, "dot");
    expect([rings?.color, rings?.look, rings?.titles]).toEqual([
      "stroke blue",
      "8 1.6",
      ["n0", "n1", "n2"],
    ]);
    // A point that is not finite is left out, and the others keep their titles.
    expect([dots?.color, dots?.look, dots?.titles]).toEqual(["tan", "3", ["1", "2", "3"]]);
    expect(marksOf(figure as Figure, "rule")[0]?.points[0]?.[1]).toBeCloseTo(1, 3);
    expect(figure?.y.ticks[0]).toBe("0");
    expect(figure?.y.ticks.at(-1)).toBe("4");
  });
});

describe("the figures of a fit", () => {
  test("hold the data, the line, both bands and the residuals", async () => {
    const figures = figuresIn(await page());
    const data = named(figures, "y over x: data and fit");
    expectPoints(marksOf(data, "dot")[0], pairs(x, y));
    const [fitted] = marksOf(data, "line");
    const along = Array.from({ length: 200 }, (_, at) => 0.5 + (2.75 * at) / 199);
    expectPoints(fitted, pairs(along, along.map(line)));
    const [outer, inner] = marksOf(data, "area");
    const band = (low: number, high: number): XY[] => [
      ...along.map((at): XY => [at, line(at) + high]),
      ...along.map((at): XY => [at, line(at) + low]).reverse(),
    ];
    expectPoints(outer, band(-0.7, 0.9));
    expectPoints(inner, band(-0.2, 0.3));
    expect([outer?.look, inner?.look]).toEqual(["0.1", "0.28"]);
    expect(marksOf(data, "dot")[0]?.titles[1]).toBe("x 0.75, y 2.52837");

    const left = y.map((value, row) => value - line(x[row] as number));
    const predicted = x.map(line);
    const overX = named(figures, "Residuals over x");
    expectPoints(marksOf(overX, "dot")[0], pairs(x, left));
    expect(marksOf(overX, "rule")[0]?.points[0]?.[1]).toBeCloseTo(0, 4);
    const overFit = named(figures, "Residuals over prediction");
    expectPoints(marksOf(overFit, "dot")[0], pairs(predicted, left));
    const agreement = named(figures, "y against its prediction");
    expectPoints(marksOf(agreement, "dot")[0], pairs(predicted, y));
    const [low, high] = [Math.min(...y, ...predicted), Math.max(...y, ...predicted)];
    const diagonal = Array.from({ length: 100 }, (_, at) => low + ((high - low) * at) / 99);
    expectPoints(marksOf(agreement, "line")[0], pairs(diagonal, diagonal));
    const [bars] = marksOf(named(figures, "Histogram of the residuals"), "rect");
    expect((bars?.points.length ?? 0) / 2).toBe(binsOf(left).length);
  });

  test("hold the losses of the restarts, sorted, converged or not", async () => {
    const figure = named(figuresIn(await page()), "Losses of the restarts, sorted");
    const sorted = [0.0456, 0.0456, 0.04560000001, 0.06, 0.0912];
    expectPoints(marksOf(figure, "line")[0], pairs([1, 2, 3, 4, 5], sorted));
    const [converged, not] = marksOf(figure, "dot");
    expectPoints(converged, pairs([1, 2, 3, 4], sorted));
    expectPoints(not, [[5, 0.0912]]);
    expect(figure.y.isLog).toBe(false);
    expect(figure.caption).toContain("1 restart never had a finite loss");
  });

  test.each([
    ["far apart on a logarithmic axis", [1, 50.1], true, "Steps in the losses"],
    ["just not far apart on a plain one", [1, 50], false, "Steps in the losses"],
    ["of which the best is zero on a plain one", [0, 100], false, "Steps in the losses"],
    ["that are equal in the middle", [2, 2], false, "All restarts came to the same loss"],
    ["that are equal and negative in the middle", [-2, -2], false, "All restarts came to"],
    ["that are zero in the middle", [0, 0], false, "All restarts came to the same loss"],
  ] as const)("show losses %s", async (_, losses, isLog, caption) => {
    const restarts = losses.map((loss, index) =>
      restart(index, loss, "gradient", true, Math.min(...losses)),
    );
    const result = { ...richResult, restarts };
    const figure = named(figuresIn(await page({ result })), "Losses of the restarts, sorted");
    expect(figure.y.isLog).toBe(isLog);
    expect(figure.caption).toContain(caption);
    expectPoints(marksOf(figure, "dot")[0], pairs([1, 2], losses), isLog);
    const ticks = figure.y.ticks.map(Number);
    if (losses[0] !== losses[1]) return;
    const [low, high] = [Math.min(...ticks), Math.max(...ticks)];
    const wanted = losses[0] === 0 ? [-1, 1] : losses[0] > 0 ? [0, 4] : [-4, 0];
    expect([low, high]).toEqual(wanted);
  });

  test("are not drawn for a single restart", async () => {
    const result = { ...richResult, restarts: [restart(0, 1, "gradient", true)] };
    const labels = figuresIn(await page({ result })).map(({ label }) => label);
    expect(labels).not.toContain("Losses of the restarts, sorted");
  });

  test("show held-out rows as rings, and the line reaches over them", async () => {
    const held = { x: Float64Array.of(4, 5, 6), y: heldScore.observed };
    const problem = { ...richProblem, heldOut: held };
    const figures = figuresIn(await page({ problem, scores: [heldScore] }));
    const data = named(figures, "y over x: data and fit");
    const [, rings] = marksOf(data, "dot");
    expectPoints(rings, pairs(held.x, held.y));
    const ends = marksOf(data, "line")[0]?.points;
    expect(ends?.[0]?.[0]).toBeCloseTo(0.5, 3);
    expect(ends?.at(-1)?.[0]).toBeCloseTo(6, 3);
    expect(data.legend.map((entry) => entry.split(":")[0])).toEqual([
      "data",
      "fit",
      "bands",
      "held out",
    ]);
  });

  test("show each group in its own colour, its line over its own range", async () => {
    const group = Array.from(x, (_, row) => (row < 5 ? "u" : "v"));
    const problem = {
      ...richProblem,
      data: { x, y, cell: group },
      options: { groups: { by: "cell" } },
    };
    const data = named(figuresIn(await page({ problem })), "y over x: data and fit");
    const [first, second] = marksOf(data, "dot");
    expectPoints(first, pairs(x.slice(0, 5), y.slice(0, 5)));
    expectPoints(second, pairs(x.slice(5), y.slice(5)));
    expect(first?.color).not.toBe(second?.color);
    const lines = marksOf(data, "line");
    expect(lines.map(({ points }) => points[0]?.[0].toFixed(2))).toEqual(["0.50", "1.75"]);
    expect(lines.map(({ points }) => points.at(-1)?.[0].toFixed(2))).toEqual(["1.50", "3.25"]);
    expect(lines.map(({ color }) => color)).toEqual(
      [first, second].map((mark) => `stroke ${mark?.color}`),
    );
    expect(data.legend.map((entry) => entry.split(" ").slice(0, 2).join(" "))).toEqual([
      "u: line",
      "v: line",
    ]);
  });

  test("show the dots of groups in the legend where there are no lines", async () => {
    const cell = Array.from(x, (_, row) => (row < 5 ? "u" : "v"));
    const problem = {
      ...richProblem,
      columns: ["w", "x"],
      data: { x, y, w: x, cell },
      options: { groups: { by: "cell" } },
    };
    const data = named(figuresIn(await page({ problem, x: "x" })), "y over x: data and fit");
    expect(data.legend.map((entry) => entry.split(" ")[1])).toEqual(["dot", "dot"]);
  });

  test("show more groups than colours in one colour", async () => {
    const wide = Float64Array.from({ length: 18 }, (_, row) => row);
    for (const [count, colours] of [
      [8, 8],
      [9, 1],
    ] as const) {
      const cell = Array.from(wide, (_, row) => `g${row % count}`);
      const problem = {
        ...richProblem,
        data: { x: wide, y: wide.map(line), cell },
        options: { groups: { by: "cell" } },
      };
      const result = { ...richResult, residuals: residualsOf(wide.map(line)) };
      const data = named(figuresIn(await page({ problem, result })), "y over x: data and fit");
      expect(new Set(marksOf(data, "dot").map(({ color }) => color)).size).toBe(colours);
    }
  });

  test("show predictions as rings where they depend on other columns, too", async () => {
    const w = x.map((at) => Math.round(at));
    const problem = { ...richProblem, columns: ["w", "x"], data: { x, y, w } };
    const data = named(figuresIn(await page({ problem })), "y over x: data and fit");
    const [dots, rings] = marksOf(data, "dot");
    expectPoints(dots, pairs(x, y));
    expectPoints(rings, pairs(x, x.map(line)));
    expect(marksOf(data, "line")).toEqual([]);
    expect(data.caption).toContain("depend on other columns");
    const over = named(figuresIn(await page({ problem, x: "w" })), "y over w: data and fit");
    expectPoints(marksOf(over, "dot")[0], pairs(w, y));
    const one = { ...problem, columns: ["x"] };
    const apart = named(figuresIn(await page({ problem: one, x: "w" })), "y over w: data and fit");
    expect(apart.caption).toContain("depend on other columns");
  });

  test("show predictions as rings over the rows where no column is read, and say no more", async () => {
    const problem = { ...richProblem, columns: [], data: { x, y } };
    const data = named(figuresIn(await page({ problem })), "y over row: data and fit");
    const rows = x.map((_, row) => row + 1);
    expectPoints(marksOf(data, "dot")[0], pairs(rows, y));
    expectPoints(marksOf(data, "dot")[1], pairs(rows, x.map(line)));
    expect(data.caption).toBe("Dots are data, rings the predictions.");
  });

  test("thin many rows out evenly, and say so", async () => {
    const many = Float64Array.from({ length: 5000 }, (_, row) => row / 1000);
    const problem = { ...richProblem, data: { x: many, y: many.map(line) } };
    const none = residualsOf(many.map(line));
    const residuals = { ...none, residuals: many.map((at) => at / 7) };
    const result = { ...richResult, residuals };
    const data = named(figuresIn(await page({ problem, result })), "y over x: data and fit");
    const [dots] = marksOf(data, "dot");
    const rows = Array.from({ length: 2000 }, (_, at) => Math.floor(at * 2.5));
    expectPoints(
      dots,
      pairs(
        rows.map((row) => row / 1000),
        rows.map((row) => line(row / 1000)),
      ),
    );
    expect(dots?.look).toBe("1.5");
    expect(dots?.titles).toEqual([]);
    expect(data.caption).toContain("2000 of 5000 rows are shown");
    const [picture] = picturesOf(result, problem, [], undefined);
    expect([...(picture?.predicted ?? [])].slice(0, 3)).toEqual(
      rows.slice(0, 3).map((row) => line(row / 1000) - row / 7000),
    );
  });

  test.each([
    [200, "3"],
    [201, "2.2"],
    [600, "2.2"],
    [800, "2.2"],
    [801, "1.5"],
  ])("draw %s dots with radius %s, and tell up to 600 of them apart", async (count, radius) => {
    const at = Float64Array.from({ length: count }, (_, row) => row);
    const problem = { ...richProblem, data: { x: at, y: at.map(line) } };
    const result = { ...richResult, residuals: residualsOf(at.map(line)) };
    const data = named(figuresIn(await page({ problem, result })), "y over x: data and fit");
    const [dots] = marksOf(data, "dot");
    expect(dots?.look).toBe(radius);
    expect(dots?.titles).toHaveLength(count <= 600 ? count : 0);
  });

  test("of counts show shares of the trials", async () => {
    const successes = x.map((_, row) => row + 1);
    const trials = x.map((_, row) => 20 + row);
    const shares = successes.map((count, row) => count / (20 + row));
    const residuals = { ...residualsOf(y), residuals: shares.map(() => 0.01) };
    const result = { ...richResult, loss: "binomial", residuals };
    for (const [given, label] of [
      ["n", "y / n"],
      [[40], "y / 40"],
      [x.map(() => 40), "y / 40"],
      [trials, "y / trials"],
    ] as const) {
      const problem = {
        ...richProblem,
        data: { x, y: successes, n: trials },
        options: { trials: given },
      };
      const of = label === "y / 40" ? successes.map((count) => count / 40) : shares;
      const data = named(
        figuresIn(await page({ problem, result })),
        `${label} over x: data and fit`,
      );
      expectPoints(marksOf(data, "dot")[0], pairs(x, of));
      expect(data.y.label).toBe(label);
    }
  });

  test("fall back to the places of the data where a line between them cannot be drawn", async () => {
    const at = Float64Array.of(3, 1, 2, 2);
    const only = (columns: Readonly<Record<string, unknown>>) => {
      const given = columns["x"] as Float64Array;
      const whole = richResult.predict({ x: given });
      if (given.every(Number.isInteger)) return whole;
      return { ...whole, values: whole.values.map(() => Number.NaN) };
    };
    const problem = { ...richProblem, data: { x: at, y: at.map(line) } };
    const result = { ...richResult, residuals: residualsOf(at.map(line)), predict: only };
    const data = named(figuresIn(await page({ problem, result })), "y over x: data and fit");
    expectPoints(marksOf(data, "line")[0], pairs([1, 2, 3], [3, 5, 7]));
  });
});

describe("the figures of a study", () => {
  test("hold the rows, the model and where it is not held by rows", async () => {
    const figures = figuresIn(await studyReport(richStory));
    const data = named(figures, "y over x: data and model");
    const [trained, held] = marksOf(data, "dot");
    expectPoints(trained, pairs(x.slice(0, 8), y.slice(0, 8)));
    expectPoints(held, pairs(x.slice(8), y.slice(8)));
    const model = (at: number): number => 2.00001 * at + 1.01;
    const lines = marksOf(data, "line");
    expect(lines.map(({ look }) => look)).toEqual(["2", "5 4 2", "5 4 2"]);
    for (const { points } of lines)
      for (const [at, value] of points) expect(value).toBeCloseTo(model(at), 2);
    const ends = lines.map(({ points }) => [points[0]?.[0], points.at(-1)?.[0]]);
    const wanted = [
      [0.5, 3.25],
      [0.5 - 0.08 * 2.75, 0.5],
      [3.25, 3.25 + 0.08 * 2.75],
    ];
    for (const [at, [from, to]] of wanted.entries()) {
      expect(Math.abs((ends[at]?.[0] ?? 0) - (from as number))).toBeLessThan(0.005);
      expect(Math.abs((ends[at]?.[1] ?? 0) - (to as number))).toBeLessThan(0.005);
    }
    expect(data.legend.map((entry) => entry.split(":")[0])).toEqual([
      "fitted rows",
      "held-out rows",
      "model",
      "model where there are no data",
    ]);
  });

  test("cut a model that leaves the range of the data, and begin anew after a gap", async () => {
    const source = "(if (< x 1.5) (* 1e3 x) (if (< x 2) (sqrt (- 0 x)) 5))";
    const story = { ...richStory, chosen: { ...chosen, source, params: {} } };
    const data = named(figuresIn(await studyReport(story)), "y over x: data and model");
    const [bottom, top] = [Math.min(...y), Math.max(...y)];
    const room = 0.25 * (top - bottom);
    const [inside, ...outside] = marksOf(data, "line");
    for (const [at, value] of inside?.points ?? []) {
      expect(value).toBeCloseTo(5, 3);
      expect(at).toBeGreaterThan(1.99);
      expect(at).toBeLessThan(3.26);
    }
    expect(outside).toHaveLength(2);
    for (const [at, value] of outside[0]?.points ?? []) {
      expect(at).toBeLessThan(1.51);
      expect(value).toBeCloseTo(top + room, 2);
    }
    expect(outside[1]?.points[0]?.[0]).toBeCloseTo(3.25, 2);
  });

  test("of several inputs show what was observed over what is predicted", async () => {
    const both = { ...richStory, inputs: ["x", "w"] };
    const w = x.map((at) => at ** 2);
    const story = {
      ...both,
      train: { ...both.train, w: w.slice(0, 8) },
      heldOut: { ...both.heldOut, w: w.slice(8) },
      chosen: { ...chosen, source: "(+ c (* b x) (* 0 w))" },
    };
    const data = named(figuresIn(await studyReport(story)), "y over predicted: data and model");
    const predicted = x.map((at) => 2.00001 * at + 1.01);
    const [trained, held] = marksOf(data, "dot");
    expectPoints(trained, pairs(predicted.slice(0, 8), y.slice(0, 8)));
    expectPoints(held, pairs(predicted.slice(8), y.slice(8)));
    for (const { points } of marksOf(data, "line"))
      for (const [a, b] of points) expect(b).toBeCloseTo(a, 2);
    expect(data.legend[2]).toContain("where they agree");
  });

  test("hold the front, discoveries over time and candidates per second", async () => {
    const figures = figuresIn(await studyReport(richStory));
    const front = named(
      figures,
      "unexplained share of the training variance over the size of the program",
    );
    const errors: XY[] = [
      [3, 0.3],
      [5, 1 - 0.9812345],
      [7, 1e-12],
      [9, 1 - 0.995],
    ];
    const [members, ring] = marksOf(front, "dot");
    expectPoints(members, errors, true);
    expectPoints(ring, [errors[1] as XY], true);
    expect(ring?.look).toBe("8 1.6");
    expect(members?.titles).toHaveLength(4);
    expect(members?.titles[0]).toBe("2·x");
    // A step down at every member that no smaller one is more accurate than.
    const corners = marksOf(front, "line")[0]?.points.map(([size]) => Math.round(size));
    expect(corners).toEqual([3, 5, 5, 9, 9]);
    expect(front.y.isLog).toBe(true);

    const found = named(figures, "best held-out R² so far over time");
    expectPoints(
      marksOf(found, "dot")[0],
      [
        [0.25, 0.5],
        [0.75, 0.1],
        [1.5, 0.01],
      ],
      true,
    );
    const last = marksOf(found, "line")[0]?.points.at(-1);
    expect(last?.[0]).toBeCloseTo(2.5, 3);
    expect(last?.[1]).toBeCloseTo(0.01, 3);
    expect([found.x.ticks[0], found.x.ticks.at(-1)]).toEqual(["0", "2.4"]);
    const bars = marksOf(named(figures, "candidates in each second"), "rect")[0]?.points ?? [];
    const tops = [0, 2, 4].map((at) => bars[at]?.[1] as number);
    for (const [at, count] of [50, 70, 30].entries())
      expect(Math.abs((tops[at] as number) - count)).toBeLessThan(0.3);
    for (const [at, second] of [0, 1, 2].entries())
      expect(bars[2 * at]?.[0]).toBeCloseTo(second, 2);
  });
});
