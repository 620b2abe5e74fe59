/**
 * A list of programs gives a list of results, each what a fit of its own gives; failures stay in place.
 */

import { expect, test } from "vitest";
import { fit, fitMany, Machine } from "../../src/index.js";

const t = [0, 1, 2, 3];
const y = [1, 3, 5, 7.5];
const options = { data: { t, y }, target: "y", restarts: 2, seed: 3 } as const;

test("each program is fitted as if alone, and failures are results in their places", async () => {
  const machine = await Machine.create();
  const sources = ["(+ a (* b t))", "(* a", "(* a (foo t))", "(* a t)"];
  const results = await fitMany(machine, sources, options);
  expect(results.map(({ source }) => source)).toEqual(sources);
  expect(results.map(({ status }) => status)).toEqual(["fitted", "failed", "failed", "fitted"]);
  for (const one of results) {
    if (one.status === "failed") continue;
    const program = machine.load(one.source);
    const alone = await fit(program, options);
    expect(one.result.best).toEqual(alone.best);
    program.dispose();
  }
  const codes = results.map((one) => (one.status === "failed" ? one.error.code : ""));
  expect(codes).toEqual(["", "E-SYNTAX", "E-UNBOUND", ""]);
  machine.dispose();
});

test("every program is freed", async () => {
  const machine = await Machine.create();
  const count = (n: number) => Array.from({ length: n }, (_, i) => `(+ a (* ${i} t))`);
  await fitMany(machine, count(50), options);
  const before = machine.load("1").evaluate().stats.memoryBytes;
  await fitMany(machine, count(400), options);
  expect(machine.load("1").evaluate().stats.memoryBytes).toBe(before);
  machine.dispose();
});

test.each(["full", "scores"] as const)(
  "results could not predict, since their programs had been freed: %s",
  async (detail) => {
    const machine = await Machine.create();
    const load = { domain: "clamp" } as const;
    const sources = ["(+ a (* b t))", "(* a (log t))", "(vec (+ a t) (* b t))"];
    const target = (source: string) => (source.startsWith("(vec") ? ["y", "z"] : "y");
    for (const source of sources) {
      const how = { ...options, data: { t, y, z: t }, target: target(source), detail };
      const [one] = await fitMany(machine, [source], { ...how, load });
      if (one?.status !== "fitted") throw new Error("not fitted");
      const program = machine.load(source, load);
      const alone = await fit(program, how);
      const rows = { t: [-1, 0.5, 7] };
      const before = machine.load("1").evaluate().stats.memoryBytes;
      for (const level of [undefined, 0.5, undefined]) {
        const at = level === undefined ? {} : { level };
        const [is, wanted] = [one.result.predict(rows, at), alone.predict(rows, at)];
        for (const key of ["values", "standardErrors", "lower", "observationUpper"] as const)
          expect(is[key], key).toEqual(wanted[key]);
        expect(Object.keys(is.targets)).toEqual(Object.keys(wanted.targets));
      }
      expect(machine.load("1").evaluate().stats.memoryBytes).toBe(before);
      expect(one.result.export("scheme")).toBe(alone.export("scheme"));
      expect(one.result.best).toEqual(alone.best);
      program.dispose();
    }
    machine.dispose();
  },
);
