/**
 * Pages that must not mix one thing up with another: rows that are thinned and their groups, targets whose
 * names begin alike, and options that are nothing, 0 or false.
 */

import type { FitResult } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { picturesOf } from "../src/fit/picture.js";
import { type FittedProblem, fitReport, studyReport } from "../src/index.js";
import { heldScore, residualsOf, richProblem, richResult, richStory, x } from "./made-up.js";

const plain = (page: string): string =>
  page
    .replace(/<svg[\s\S]*?<\/svg>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

test("a point of a picture is one row in everything, however many rows there are", () => {
  for (const rows of [1, 12, 1999, 2000, 2001, 3500, 4000, 7001]) {
    const column = (of: (row: number) => number) =>
      Float64Array.from({ length: rows }, (_, i) => of(i));
    const [at, other] = [column((i) => i / 8), column((i) => i % 7)];
    const data = {
      ...{ x: at, w: other, y: column((i) => 3 * i), z: column((i) => 7 * i - 1) },
      side: Array.from({ length: rows }, (_, i) => `group ${i % 13}`),
    };
    const left = (name: string, of: (row: number) => number) => ({
      ...{ name, r2: 0.5, sigma: 1, scale: 1 },
      residuals: { ...residualsOf(x), residuals: column(of) },
    });
    const result: FitResult = {
      ...richResult,
      targets: [left("y", (i) => i / 16), left("z", (i) => -i / 32)],
    };
    const problem: FittedProblem = {
      ...richProblem,
      ...{ targets: ["y", "z"], columns: ["x", "w"], data, options: { groups: { by: "side" } } },
    };
    const held = { ...heldScore, observed: column((i) => 11 * i) };
    for (const wanted of rows > 1 ? ["x", undefined] : ["x"]) {
      const pictures = picturesOf(result, { ...problem, heldOut: data }, [held], wanted);
      expect(pictures.map(({ target }) => target)).toEqual(["y", "z"]);
      for (const {
        target,
        x: axis,
        observed,
        predicted,
        groups = [],
        rows: all,
        heldOut,
      } of pictures) {
        const count = Math.min(2000, rows);
        expect([axis.name, all, axis.values.length, groups.length]).toEqual([
          "x",
          rows,
          count,
          count,
        ]);
        const shown = [...axis.values].map((value) => 8 * value);
        expect(new Set(shown).size).toBe(count);
        expect([...shown].sort((a, b) => a - b)).toEqual(shown);
        // From one end to the other, as evenly as whole rows can be.
        expect(shown[0]).toBe(0);
        expect(shown.at(-1)).toBeGreaterThanOrEqual(rows - 1 - rows / count);
        for (const [i, row] of shown.entries())
          expect([row, observed[i], predicted[i], groups[i]]).toEqual([
            ...[row, target === "y" ? 3 * row : 7 * row - 1],
            target === "y" ? 3 * row - row / 16 : 7 * row - 1 + row / 32,
            `group ${row % 13}`,
          ]);
        if (target !== "y") continue;
        for (const [i, place] of (heldOut?.x ?? []).entries())
          expect(heldOut?.y[i]).toBe(11 * 8 * place);
      }
    }
  }
});

describe("the page of a fit of several targets", () => {
  const names = ["y", "y1", "y10", "1y", "y (1)"];
  const numbers = new Map(names.map((name, i) => [name, i + 1]));
  const of = (name: string): number => numbers.get(name) as number;
  const targets = names.map((name) => ({
    ...{ name, r2: 0.9 + of(name) / 1000, sigma: 0.5 + of(name) / 1000, scale: 1 },
    residuals: {
      ...residualsOf(x, of(name)),
      ...{ mean: 0.01 + of(name) / 1000, durbinWatson: 1.5 + of(name) / 1000 },
      ...{ runs: 20 + of(name), runsExpected: 7.5 + of(name) / 1000, runsScore: 0.25 },
    },
  }));
  const data = Object.fromEntries([
    ["x", x],
    ...names.map((name) => [name, x.map((at) => at + of(name))]),
  ]);
  const predict = ((columns: never) => {
    const { targets: _, ...one } = richResult.predict(columns);
    return { ...one, targets: Object.fromEntries(names.map((name) => [name, one])) };
  }) as FitResult["predict"];

  test("says of each its own numbers, whatever the names begin with, in any order", async () => {
    const orders = [names, [...names].reverse(), ["y10", "y1", "y", "1y", "y (1)"]];
    for (const order of orders) {
      const sorted = order.map((name) => targets[of(name) - 1] as (typeof targets)[number]);
      const scores = order.map((target) => ({ ...heldScore, target, rmse: 2 + of(target) / 1000 }));
      const page = plain(
        await fitReport({
          ...{ result: { ...richResult, targets: sorted, predict }, scores, x: undefined },
          ...{
            problem: { ...richProblem, targets: order, data, heldOut: data },
            command: "",
            maker: "",
          },
        }),
      );
      let end = 0;
      for (const [i, name] of order.entries()) {
        const start = page.indexOf(`${name}: data and fit`, end);
        const middle = page.indexOf(`${name}: residuals`, start);
        const next = order[i + 1];
        end = page.indexOf(next === undefined ? "Restarts" : `${next}: data and fit`, middle);
        expect([start > 0, middle > start, end > middle]).toEqual([true, true, true]);
        const [own, rest] = [page.slice(start, middle), page.slice(middle, end)];
        expect(own).toContain(`${name}: R² 0.90${of(name)}, residual s.d. 0.50${of(name)}`);
        expect(own).toContain(`RMSE 2.00${of(name)}`);
        for (const own of [
          `0.01${of(name)}`,
          `1.50${of(name)}`,
          `${20 + of(name)}; noise`,
          `7.50${of(name)}`,
        ])
          expect(rest).toContain(own);
        for (const other of names)
          if (other !== name)
            for (const theirs of [
              `R² 0.90${of(other)}`,
              `1.50${of(other)}`,
              `${20 + of(other)}; noise`,
            ])
              expect(own + rest).not.toContain(theirs);
      }
    }
  });
});

test("the page of a study tells every option that says something, 0 and false too", async () => {
  const options = {
    ...{ seed: 0, precise: false, keep: "all", lag: 2, share: 0.25, negative: -1, isOn: true },
    ...{ none: [], empty: {}, limits: { steps: 0 }, list: [0, false], word: "0", blank: " " },
    ...{ nothing: null, description: "" },
  };
  const page = await studyReport({ ...richStory, options });
  const rows = new Map(
    [
      ...page
        .slice(page.indexOf("How it was made"))
        .matchAll(/<tr>\s*<td[^>]*>([^<]*)<\/td>\s*<td[^>]*>([^<]*)<\/td>/g),
    ].map(([, name, value]) => [name, value?.replaceAll("&quot;", '"')]),
  );
  for (const [name, value] of Object.entries(options)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (value === null || value === "") expect(rows.has(name), name).toBe(false);
    else expect([name, rows.get(name)]).toEqual([name, text]);
  }
});
