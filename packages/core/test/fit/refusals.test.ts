/**
 * What a fit refuses, and what it just still takes: code, words, help, facts and place of each, whole.
 */

import { expect, test } from "vitest";
import {
  type FitOptions,
  type FitResult,
  fit,
  fitFromJSON,
  Machine,
  NdvmError,
} from "../../src/index.js";
import { fitText, machine } from "./support.js";

const x = [0, 1, 2, 3, 4, 5];
const y = [1, 2.9, 5.2, 6.8, 9.1, 11];
const data = { x, y };
const line = "(+ a (* b x))";
const base = { data, target: "y" };
const params = (spec: unknown, name = "a") => ({ ...base, params: { [name]: spec } });
type Given = readonly [source: string, options: object];

const given: readonly Given[] = [
  // Options.
  ...[0, 1, 0.5, -1, 2, "all", null].map((level): Given => [line, { ...base, level }]),
  ...["full", "scores", "some"].map((detail): Given => [line, { ...base, detail }]),
  ...[0, -1.5, Number.NaN, Number.POSITIVE_INFINITY].map(
    (seed): Given => [line, { ...base, seed }],
  ),
  ...["together", "stepsMax", "chunk", "restarts", "steps"].flatMap((key) =>
    [0, 1, 1.5, 12, -2, Number.NaN].map((value): Given => [line, { ...base, [key]: value }]),
  ),
  ...["gradient", "step", "loss"].flatMap((key) =>
    [-1e-9, 0, Number.NaN, "1"].map((v): Given => [line, { ...base, tolerances: { [key]: v } }]),
  ),
  ...["rate", "beta1", "beta2", "epsilon"].flatMap((key) =>
    [-0.1, 0, 0.5, 1, Number.NaN].map(
      (v): Given => [line, { ...base, optimiser: "adam", steps: 3, adam: { [key]: v } }],
    ),
  ),
  ...[-1, Number.NaN].map((timeMax): Given => [line, { ...base, timeMax }]),
  ...["lm", "sgd", "auto", "toString"].map((optimiser): Given => [line, { ...base, optimiser }]),
  [line, { ...base, loss: "huber", optimiser: "lm" }],
  ["(* a a)", { optimiser: "lm" }],
  ...["loss", "weights", "sigma", "trials", "groups"].map(
    (key): Given => ["(* a a)", { [key]: key === "groups" ? { by: "g", params: ["a"] } : "x" }],
  ),
  ...["square", "Huber", "huge", "", "toString"].map((loss): Given => [line, { ...base, loss }]),
  ...[0, -1, 1e-9, Number.NaN, Number.POSITIVE_INFINITY].map(
    (huberWidth): Given => [line, { ...base, loss: "huber", huberWidth }],
  ),
  [line, { ...base, target: ["y", "y"] }],
  [line, { ...base, target: [] }],
  [line, { ...base, target: 5 }],
  [line, { ...base, target: ["y", 5] }],
  [line, { ...base, restart: 2 }],
  [line, { ...base, qqqqqqqq: 2 }],
  ...[{}, { by: "x" }, { params: ["a"] }, { by: "x", params: "a" }, { by: "g", params: ["a"] }].map(
    (groups): Given => [line, { ...base, groups }],
  ),
  [line, { ...base, groups: { by: "x", params: ["q"] } }],
  // Columns.
  ...["yy", "z", "toString", "x"].map((target): Given => [line, { ...base, target }]),
  [line, { target: "y" }],
  [line, { data: { x, y: 5 }, target: "y" }],
  [line, { data: { x: "abc", y }, target: "y" }],
  [line, { data: { x: [...x, 6], y }, target: "y" }],
  [line, { data: { x, y, z: [1] }, target: "y" }],
  [line, { data: { x: [], y: [] }, target: "y" }],
  ...[null, "5", undefined, Number.NaN, Number.POSITIVE_INFINITY, {}].map(
    (cell): Given => [line, { data: { x: [0, 1, cell, 3, 4, 5], y }, target: "y" }],
  ),
  [line, { data: { x: Float64Array.of(0, 1, Number.NaN, 3, 4, 5), y }, target: "y" }],
  [line, { data: { x: Float32Array.from(x), y: Float64Array.from(y) }, target: "y" }],
  [line, { data: { x: [1, 2], y: [1, 2] }, target: "y" }],
  [line, { data: { x: [1], y: [1] }, target: "y" }],
  ["a", { data: { y: [3] }, target: "y" }],
  ["a", { data: { y: [3, 4] }, target: "y", weights: [0, 1] }],
  [line, { ...base, weights: [1, 0, 0, 0, 0, 0] }],
  [line, { ...base, weights: [0, 0, 0, 0, 0, 0] }],
  [line, { ...base, weights: [1, 1, -1, 1, 1, 1] }],
  [line, { ...base, weights: [1, 2] }],
  [line, { ...base, weights: "w" }],
  [line, { ...base, sigma: [1, 1, 0, 1, 1, 1] }],
  [line, { ...base, sigma: "x" }],
  [line, { ...base, sigma: [1, 1, 1, 1, 1, 1], weights: [1, 1, 1, 1, 1, 1] }],
  [line, { ...base, weights: { y: [1, 1, 1, 1, 1, 2] } }],
  [line, { ...base, weights: { q: [1] } }],
  ["(vec a b)", { data: { y, z: x }, target: ["y", "z"], sigma: { y: [1, 1, 1, 1, 1, 1] } }],
  ["(vec a b)", { data: { y, z: x }, target: ["y", "z"], weights: { z: [1, 1, 1, 1, 1, 2] } }],
  ["(exp a)", { data: { y: [1, -1, 2, 3, 4, 5] }, target: "y", loss: "poisson" }],
  ["(/ 1 (+ 1 (exp a)))", { data: { y: [0, 1, 2] }, target: "y", loss: "binomial" }],
  ["(/ 1 (+ 1 (exp a)))", { data: { y: [0, 1, -1] }, target: "y", loss: "binomial" }],
  ["(/ 1 (+ 1 (exp a)))", { data: { y: [0, 3] }, target: "y", loss: "binomial", trials: [2, 3] }],
  ["(/ 1 (+ 1 (exp a)))", { data: { y: [3, 0] }, target: "y", loss: "binomial", trials: [2, 3] }],
  ["(/ 1 (+ 1 (exp a)))", { data: { y: [3, 0] }, target: "y", loss: "binomial", trials: [2] }],
  // Sizes of numbers.
  ...[1e-160, 1e-146, 1e-144, 1e149, 1e151].map(
    (size): Given => [line, { data: { x, y: y.map((v) => v * size) }, target: "y" }],
  ),
  [line, { data: { x, y: y.map((v) => v * 1e160) }, target: "y", loss: "absolute" }],
  // Parameters.
  ...[
    ...[1, 0, -2, Number.NaN, Number.POSITIVE_INFINITY, "1"],
    ...[{ start: 1 }, { start: Number.NaN }, { stort: 1 }, { scale: "log" }, { scale: "exp" }],
    ...[{ scale: "linear" }, { fixed: 2 }, { fixed: Number.NaN }, { fixed: 1, start: 1 }],
    ...[{ fixed: 1, range: [0, 1] }, { fixed: 1, bounds: [5, 6] }, { range: [0, 1] }],
    ...[{ range: [1, 0] }, { range: [1, 1] }, { range: [Number.NaN, 1] }, { range: [0, Infinity] }],
    ...[{ bounds: [0, 2] }, { bounds: [2, 0] }, { bounds: [2, 2] }, { bounds: [null, null] }],
    ...[{ bounds: [Number.NaN, 1] }, { bounds: [-Infinity, 3] }, { bounds: [0, null], start: 0 }],
    ...[
      { bounds: [0, 2], start: 2 },
      { bounds: [0, 2], start: 2.1 },
      { bounds: [0, 2], start: -1 },
    ],
    ...[
      { bounds: [0, 2], range: [0, 2] },
      { bounds: [0, 2], range: [-1, 2] },
    ],
    ...[{ bounds: [0, 2], range: [0, 3] }, { bounds: [5, null] }, { bounds: [null, -5] }],
    ...[{ bounds: [5, 9] }, { bounds: [1, null] }, { bounds: [null, 1] }, { bounds: [0.5, 1.5] }],
    ...[
      { scale: "log", bounds: [null, 0] },
      { scale: "log", bounds: [-3, 5] },
    ],
    ...[
      { scale: "log", start: 0 },
      { scale: "log", start: -1 },
      { scale: "log", start: 1e-3 },
    ],
    ...[
      { scale: "log", range: [0, 1] },
      { scale: "log", range: [1e-3, 1] },
    ],
    ...[
      { scale: "log", bounds: [4, 9] },
      { scale: "log", bounds: [0, 9] },
    ],
  ].map((spec): Given => [line, { ...params(spec), restarts: 3 }]),
  [line, { ...base, params: { a: {}, q: {} } }],
  [line, { ...base, params: { x: {} } }],
  ["(* 2 x)", base],
  ["(* 2 3)", base],
  ["(* a x)", { ...base, params: { a: { fixed: 1 } } }],
  ["(+ x (vsum (map sqrt (list 1))))", base],
  ["(* pi a)", { data: { y, pi: x }, target: "y" }],
  ["(* sqrt x)", base],
  ["(* a y)", base],
  // Slips.
  ["(* a presure)", { data: { pressure: x, y }, target: "y" }],
  ["(* a xx1)", { data: { xx2: x, y }, target: "y" }],
  ["(* a tmie)", { data: { time: x, y }, target: "y" }],
  ["(* a tim)", { data: { time: x, y }, target: "y" }],
  ["(* a ti)", { data: { tim: x, y }, target: "y" }],
  ["(* a temprature)", { data: { temperature: x, y }, target: "y" }],
  ["(* a tempratur)", { data: { temperature: x, y }, target: "y" }],
  ["(* rate1 x)", { ...base, params: { rate: 1 } }],
  ["(* raet x)", { ...base, params: { rate: 1 } }],
  ["(+ (* raet x) rate)", { ...base, params: { rate: 1 } }],
  ["(+ (* tra x) art)", { ...base, params: { art: 1 } }],
  ["(* a x lenght)", base],
  ["(* a x srqt)", base],
  ["(* a x append2)", base],
  ["(* a x apend)", base],
  // Programs.
  ["(list a)", base],
  ["[a b]", base],
  ["(mat [a b] [b a])", base],
  ["'q", {}],
  ["(vec a b c)", { data: { y, z: x }, target: ["y", "z"] }],
  ["a", { data: { y, z: x }, target: ["y", "z"] }],
  ["(* a (log (- x 2)))", base],
  ["(* a (log (- x 9)))", base],
  ["(* a (car x))", base],
  ["(* a (list-ref '(1 2 3) x))", base],
  ["(/ 1 (- a a))", {}],
  ["(car a)", {}],
  ["(sqrt (- a 1))", { params: { a: 1 } }],
  ["(* a (sqrt (* 0 x)) (if (> a 0) 1 (log a)))", base],
  // Losses of the user's own.
  ["(* a x)", { ...base, loss: "(abs (- y x))" }],
  ["(* a x)", { ...base, loss: "(abs (- pred z))" }],
  ["(* a x)", { ...base, loss: "(abs (- pred xx y))", data: { x, y, xxx: x } }],
  ["(* a x)", { ...base, loss: "(abs (- pred" }],
  ["(* a x)", { ...base, loss: "  (abs (- pred target))" }],
  ["(* a x)", { ...base, loss: "(list pred y)" }],
  ["(* a x)", { ...base, loss: "(log (- pred 3))" }],
  ["(* a x)", { ...base, loss: "(if (> y 3) (car pred) (square (- pred y)))" }],
  ["(vec a b)", { data: { y, z: x }, target: ["y", "z"], loss: "(square (- pred y))" }],
  ["(vec a b)", { data: { y, z: x }, target: ["y", "z"], loss: "(square (- pred target))" }],
];

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, one) =>
    typeof one === "number" && !Number.isFinite(one)
      ? String(one)
      : ArrayBuffer.isView(one)
        ? { of: Array.from(one as Float64Array) }
        : one === undefined
          ? "undefined"
          : one,
  );

const refused = ({ code, message, help, facts, span }: NdvmError): string =>
  `${code} ${message} | ${help} | ${JSON.stringify(facts)} | ${span?.start}-${span?.end}`;

async function told(act: () => unknown): Promise<string> {
  try {
    return String(await act());
  } catch (error) {
    if (error instanceof NdvmError) return refused(error);
    throw error;
  }
}

const taken = ({ best, restarts, assumed }: FitResult): string => {
  const starts = restarts.map(({ start }) => Object.values(start).map((v) => v.toPrecision(6)));
  return `taken: loss ${best.loss.toPrecision(6)}, starts ${starts.join(" ")}, assumed ${assumed}`;
};

test("what a fit refuses, and what it takes", async () => {
  const lines: string[] = [];
  for (const [source, options] of given) {
    const act = async () => taken(await fitText(source, options as FitOptions));
    const text = shown(options).replace(shown(base).slice(1, -1), "…");
    lines.push(`${source} ${text}\n  ${await told(act)}`);
  }
  expect(lines.join("\n")).toMatchSnapshot();
});

test("numbers that f32 cannot hold", async () => {
  const single = await Machine.create({ precision: "f32" });
  const lines: string[] = [];
  for (const size of [1e-34, 1e-31, 1e-30, 1e36, 1e38])
    for (const [name, given] of [
      ["y", { x, y: y.map((v) => v * size) }],
      ["x", { x: x.map((v) => v * size), y }],
    ] as const) {
      const options = { data: given, target: "y", loss: "absolute", steps: 1 } as const;
      const act = () => fit(single.load(line), options).then(() => "taken");
      lines.push(`${name} ${size}: ${await told(act)}`);
    }
  expect(lines.join("\n")).toMatchSnapshot();
  single.dispose();
});

test("what predictions, exports and stored results refuse", async () => {
  const result = await fitText(line, base);
  const grouped = await fitText("(* a x)", {
    data: { x, y, g: ["u", "v", "u", "v", "u", "v"] },
    ...{ target: "y", groups: { by: "g", params: ["a"] } },
  });
  const objective = await fitText("(square (- a 1))", {});
  const json = result.toJSON();
  const acts: readonly (() => unknown)[] = [
    () => result.predict({}),
    () => result.predict({ x: [] }),
    () => result.predict({ x: [1, Number.NaN] }),
    () => result.predict({ x: 5 as unknown as number[] }),
    ...[0, 1, -1, Number.NaN].map((level) => () => result.predict({ x: [1] }, { level })),
    () => grouped.predict({ x: [1, 2], g: ["u", "w"] }),
    () => grouped.predict({ x: [1, 2] }),
    () => objective.predict({}),
    () => grouped.export("scheme"),
    () => grouped.export("scheme", { group: "w" }),
    () => grouped.export("scheme", { group: "v" }),
    () => fitFromJSON(machine.load("(* q x)"), json),
    () => fitFromJSON(machine.load(line), { ...json, version: 2 } as never),
    () => fitFromJSON(machine.load(line), { version: 1 }),
    ...[{}, { restarts: [] }, { ...json, optimiser: "adam" }, { ...json, states: [] }].map(
      (resume) => () => fitText(line, { ...base, resume: resume as never }),
    ),
    () => fitText(line, { ...base, params: { a: 7 }, resume: json }),
    () => fitText(line, { ...base, restarts: 2, resume: json }),
  ];
  const lines: string[] = [];
  for (const act of acts) lines.push(await told(act));
  expect(lines.join("\n")).toMatchSnapshot();
});
