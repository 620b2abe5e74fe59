/** What reports say of losses of the user's own: only what is known of them. */

import { type FitOptions, fit, Machine } from "@ndvm/core";
import { expect, test } from "vitest";
import { fitFigures } from "../src/figures.js";
import { fitReport, type HeldOutScore, picturesOf, summaryText } from "../src/index.js";
import { pageText } from "./figures.js";
import { richProblem } from "./made-up.js";

const machine = await Machine.create();
const x = Float64Array.from({ length: 10 }, (_, i) => i);
const z = Float64Array.of(0, 0, 0, 1, 0, 1, 0, 1, 1, 1);

async function told(loss: string, source = "(+ a (* b x))") {
  const options: FitOptions = { data: { x, z }, target: "z", loss, restarts: 3, seed: 1 };
  const result = await fit(machine.load(source), options);
  const problem = {
    ...{ ...richProblem, table: undefined, rows: undefined, columns: ["x"], heldOut: { x, z } },
    ...{ targets: ["z"], data: { x, z }, options: {} },
  };
  const unknown = result.predictsTarget ? 0.25 : Number.NaN;
  const score: HeldOutScore = {
    ...{ target: "z", rows: 10, rmse: unknown, mae: unknown, r2: Number.NaN },
    ...{ deviance: Number.NaN, loss: 0.4321, observed: z, unpredicted: 0 },
  };
  const page = await fitReport({
    ...{ result, problem, scores: [score], x: undefined },
    ...{ command: "ndvm fit", maker: "ndvm" },
  });
  return {
    pictures: picturesOf(result, problem, [score], undefined).length,
    figures: await fitFigures(result, problem),
    summary: summaryText(result, problem, [score]),
    page: pageText(page),
  };
}

test("a logit was drawn beside hits and misses, with residuals, and called z", async () => {
  const { pictures, figures, summary, page } = await told("(- (softplus pred) (* z pred))");
  expect(pictures).toBe(0);
  expect(figures).toContain("Losses of the restarts");
  expect(figures).not.toContain("data and fit");
  expect(summary).toMatch(/^pred = /m);
  expect(summary).toContain("10 rows held out: mean loss 0.4321");
  expect(page).toContain(
    "pred is not on the scale of z: the loss is not least where they are equal",
  );
  expect(page).toContain("10 rows held out: mean loss 0.4321.");
  for (const text of [summary, page]) {
    expect(text).not.toMatch(/R²|RMSE|Durbin|NaN/);
    expect(text).not.toContain("z = ");
  }
});

test("a loss of differences has residuals and pictures, and no R²", async () => {
  const { pictures, summary, page } = await told("(abs (- pred z))");
  expect(pictures).toBe(1);
  expect(summary).toMatch(/^z = /m);
  expect(summary + page).toContain("RMSE 0.25");
  expect(page).toContain("Durbin");
  expect(summary + page).not.toMatch(/R²|NaN|not on the scale/);
});

test("the share that distances explain was called R²", async () => {
  for (const loss of ["absolute", "huber"]) {
    const { summary } = await told(loss);
    expect(summary).toMatch(/share of the loss -?[\d.]+/);
    expect(summary).not.toContain("R²");
  }
});
