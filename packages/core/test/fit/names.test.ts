/**
 * Parameters, columns and targets with names that every object of JavaScript has.
 */

import { describe, expect, test } from "vitest";
import {
  type Data,
  type FitJson,
  type FitOptions,
  type FitResult,
  fit,
  fitFromJSON,
} from "../../src/index.js";
import { fitText, machine, steps } from "./support.js";

const x = steps(0, 5, 6);
const y = x.map((v) => 1 + 2 * v);
const ones = x.map(() => 1);

/** An object with one field of that name, and others. */
const named = <Value>(name: string, value: Value, others: Record<string, Value> = {}) =>
  Object.fromEntries([...Object.entries(others), [name, value]]);

const fitted = (text: string, options: FitOptions) => fit(machine.load(text), options);

describe.each(["NaN", "Infinity", "-Infinity"])("%s, JSON's word for a number,", (name) => {
  const restored = (text: string, json: object) =>
    fitFromJSON(machine.load(text), JSON.parse(JSON.stringify(json)) as FitJson);

  test("was a number where it names a group", async () => {
    const g = [name, "v", name, "v", name, "v"];
    const text = "(* a x)";
    const groups = { by: "g", params: ["a"] };
    const result = await fitted(text, { data: { x, y, g }, target: "y", groups });
    const again = restored(text, result);
    const rows = { x: [1, 2], g: [name, "v"] };
    expect(again.predict(rows)).toEqual(result.predict(rows));
    expect(again.export("math", { group: name })).toBe(result.export("math", { group: name }));
  });

  test.each<[string, string, FitOptions & { readonly data: Data }]>([
    ["a parameter", `(+ b (* |${name}| x))`, { data: { x, y }, target: "y" }],
    ["a column", `(+ b (* a |${name}|))`, { data: named(name, x, { y }), target: "y" }],
    ["a target", "(+ b (* a x))", { data: named(name, y, { x }), target: name }],
    [
      "one of several targets",
      "[(+ b (* a x)) (* c x)]",
      { data: named(name, y, { x, w: x }), target: [name, "w"] },
    ],
    [
      "parameters that go together",
      `(+ |${name}| (* b x))`,
      { data: { x: x.map((v) => v + 100), y: x.map((v, i) => v + (i % 2)) }, target: "y" },
    ],
    [
      "a parameter at a bound",
      `(+ b (* |${name}| x))`,
      { data: { x, y }, target: "y", params: { [name]: { start: 3, bounds: [3, 4] } } },
    ],
    [
      "a parameter that runs away",
      `(/ x (+ |${name}| x))`,
      { data: { x: x.map((v) => v + 1), y: x.map(() => 0) }, target: "y" },
    ],
    [
      "a parameter of tests alone",
      `(+ b (if (< x |${name}|) x 1))`,
      { data: { x, y }, target: "y", params: { [name]: { start: 3.5 } } },
    ],
  ])("was a number where it names %s", async (_, text, options) => {
    const result = await fitted(text, options);
    const again = restored(text, result);
    expect(namesIn(again)).toEqual(namesIn(result));
    expect(again.predict(options.data)).toEqual(result.predict(options.data));
  });
});

/** What a result tells in which the user's names stand. */
const namesIn = ({ best, restarts, parameters, assumed, ...told }: FitResult) => ({
  ...{ best, restarts, parameters, assumed },
  ...{ covariance: told.covariance?.names, targets: told.targets.map((target) => target.name) },
  ...{ identifiability: told.identifiability, diagnostics: told.diagnostics },
});

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

test("a quoted symbol pi is not the constant: a column of that name was refused", async () => {
  const data = { x: [1, 2, 3], pi: [9, 9, 9], y: [2, 4, 6.1] };
  for (const source of [
    "(case 'pi ((pi) (* a x)) (else a))",
    "(if (eq? (car `(pi ,x)) 'pi) (* a x) a)",
  ]) {
    const { best } = await fitText(source, { data, target: "y", params: { a: 1 } });
    expect(best.params["a"]).toBeCloseTo(2.02, 1);
  }
  const refused = fitText("(* a pi x)", { data, target: "y", params: { a: 1 } });
  await expect(refused).rejects.toMatchObject({ code: "E-INPUT" });
});
