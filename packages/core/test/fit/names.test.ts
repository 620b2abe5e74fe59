/**
 * Parameters, columns and targets with names that every object of JavaScript has.
 */

import { describe, expect, test } from "vitest";
import { type FitJson, type FitOptions, fit, fitFromJSON } from "../../src/index.js";
import { machine, steps } from "./support.js";

const x = steps(0, 5, 6);
const y = x.map((v) => 1 + 2 * v);
const ones = x.map(() => 1);

/** An object with one field of that name, and others. */
const named = <Value>(name: string, value: Value, others: Record<string, Value> = {}) =>
  Object.fromEntries([...Object.entries(others), [name, value]]);

const fitted = (text: string, options: FitOptions) => fit(machine.load(text), options);

describe.each(["__proto__", "constructor", "toString"])("%s", (name) => {
  const spans = { x, y };
  const exactly = (value: number | undefined, wanted: number) =>
    expect(value).toBeCloseTo(wanted, 6);

  test("is the name of a parameter", async () => {
    const text = `(+ b (* ${name} x))`;
    const result = await fitted(text, { data: spans, target: "y" });
    for (const part of [result.best.params, result.intervals, result.standardErrors])
      expect(Object.keys(part).sort()).toEqual([name, "b"].sort());
    exactly(result.best.params[name], 2);
    const json = JSON.parse(JSON.stringify(result)) as FitJson;
    const again = fitFromJSON(machine.load(text), json);
    expect(Object.keys(again.best.params).sort()).toEqual([name, "b"].sort());
    expect(again.predict({ x }).values).toEqual(result.predict({ x }).values);
    expect(result.export("scheme")).not.toContain(name);
  });

  test("is the name of a parameter that is fixed, or has groups, where there are branches", async () => {
    const text = `(if (> x 100) x (+ b (* ${name} x)))`;
    const fixed = await fitted(text, {
      data: spans,
      target: "y",
      params: named(name, { fixed: 2 }),
    });
    exactly(fixed.best.params["b"], 1);
    expect(Object.keys(fixed.fixed)).toEqual([name]);
    const g = ["u", "v", "u", "v", "u", "v"];
    const groups = { by: "g", params: [name] };
    const grouped = await fitted(text, { data: { ...spans, g }, target: "y", groups });
    exactly(grouped.best.params[`${name}[v]`], 2);
  });

  test("is the name of a column of the model and of the loss", async () => {
    const data = named(name, x, { y });
    const text = `(+ b (* a ${name}))`;
    const result = await fitted(text, { data, target: "y" });
    exactly(result.best.params["a"], 2);
    exactly(result.predict(data).values[3], 7);
    expect(result.export("scheme")).toContain(name);
    expect(result.export("math")).toContain(name);
    expect(JSON.parse(result.export("json"))).toMatchObject({ inputs: [name] });
    const weighed = await fitted("(+ b (* a x))", {
      data: named(name, ones, spans),
      target: "y",
      loss: `(* ${name} (abs (- pred y)))`,
    });
    exactly(weighed.best.loss, 0);
  });

  test("is the name of one of several targets", async () => {
    const result = await fitted("[(+ b (* a x)) (* c x)]", {
      data: named(name, y, { x, w: x }),
      target: [name, "w"],
      weights: { w: ones },
    });
    exactly(result.best.params["a"], 2);
    expect(Object.keys(result.predict({ x }).targets)).toEqual([name, "w"]);
  });

  test("is the name of a parameter or a vector of a loss", async () => {
    const least = await fitted(`(+ (* (- ${name} 2) (- ${name} 2)) (* b b))`, {});
    exactly(least.best.params[name], 2);
    const mean = await fitted(`(vsum (* (- ${name} a) (- ${name} a)))`, { data: named(name, x) });
    exactly(mean.best.params["a"], 2.5);
  });
});
