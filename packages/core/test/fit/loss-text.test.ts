/**
 * Losses as text: expressions over the prediction, the target and the columns.
 */

import { expect, test } from "vitest";
import { type FitOptions, formatError, type NdvmError } from "../../src/index.js";
import { fitText, machine, noise, steps } from "./support.js";

const t = steps(0, 3, 21);
const y = t.map((at, i) => 3 - 0.5 * at + (noise(21, 0.2)[i] as number));
const w = t.map((_, i) => (i % 3) + 1);
const line = "(+ a (* b t))";
const options: FitOptions = { data: { t, y, w }, target: "y", params: { a: 1, b: 0 } };

test("an expression is the loss of a point", async () => {
  const named = await fitText(line, { ...options, optimiser: "lbfgs" });
  const written = await fitText(line, { ...options, loss: "(square (- pred y))" });
  expect(written.best.params["a"]).toBeCloseTo(named.best.params["a"] as number, 8);
  expect(written.best.loss).toBeCloseTo(named.best.loss, 12);
  expect(written.loss).toBe("program");
  const other = await fitText(line, { ...options, loss: "(square (- pred target))" });
  expect(other.best).toEqual(written.best);
});

test("it may read columns that the model does not", async () => {
  const weighed = await fitText(line, { ...options, weights: "w", optimiser: "lbfgs" });
  const written = await fitText(line, { ...options, loss: "(* w (square (- pred y)))" });
  expect(written.best.params["b"]).toBeCloseTo(weighed.best.params["b"] as number, 8);
});

test("it may define and branch, and be a declared likelihood", async () => {
  const loss = "(define off (abs (- pred y))) (if (< off 0.05) (square off) (* 0.05 off))";
  expect((await fitText(line, { ...options, loss })).best.params["a"]).toBeCloseTo(3, 1);
  const likelihood = await fitText(line, {
    ...options,
    loss: "(* 0.5 (square (/ (- pred y) 0.06)))",
    isNegativeLogLikelihood: true,
  });
  const known = await fitText(line, { ...options, sigma: t.map(() => 0.06) });
  expect(likelihood.standardErrors["a"]).toBeCloseTo(known.standardErrors["a"] as number, 8);
});

test("a loaded program may be used for many fits, text leaves nothing behind", async () => {
  const program = machine.load(line);
  const loss = machine.load("(abs (- pred y))");
  const { fit } = await import("../../src/index.js");
  const first = await fit(program, { ...options, loss });
  const before = program.machineTraces();
  for (let i = 0; i < 20; i++) {
    const again = await fit(program, { ...options, loss: "(abs (- pred y))" });
    expect(again.best).toEqual(first.best);
  }
  expect(program.machineTraces()).toBeLessThanOrEqual(before + 2);
  expect((await fit(program, { ...options, loss })).best).toEqual(first.best);
});

test("bad losses are told with their place", async () => {
  const bad = [
    "(abs (- pred y)",
    "(abz (- pred y))",
    "(abs (- pred z))",
    "(abs (- pred yy))",
    "(square y)",
    "(list pred y)",
    "(log (- pred y))",
    "(car pred)",
    "square",
    "pred",
    "",
  ];
  const told: string[] = [];
  for (const loss of bad) {
    const error = (await fitText(line, { ...options, loss }).then(
      () => new Error("it was taken"),
      (reason: unknown) => reason,
    )) as NdvmError;
    told.push(`${loss}\n${error.code} ${formatError(error, { color: false })}`);
  }
  expect(`${told.join("\n\n")}\n`).toMatchSnapshot();
});

test("a loss that fails at one target's prediction names that row, whatever the other targets' are", async () => {
  const x = [1, 2, 3, 4];
  const data = { x, y: x.map((each) => 2 * each), z: x.map((each) => each * each) };
  // At the start the predictions of y are 10, 20, 30, 40 and those of z are 3, 2, 1, 0.
  const several = "(vec (* a x) (- (+ b 3) x))";
  const settings = { data, target: ["y", "z"], params: { a: 10, b: 1 } } as const;
  for (const [least, rows] of [
    [0.5, [4]],
    [1.5, [3, 4]],
    [2.5, [2, 3, 4]],
  ] as const) {
    const loss = `(square (- target (log (- pred ${least}))))`;
    const error = await fitText(several, { ...settings, loss }).then(
      () => undefined,
      (reason: NdvmError) => reason,
    );
    expect(error?.facts).toMatchObject({ reason: "loss", rows: rows.map((row) => row - 1) });
  }
});
