/**
 * A header that comes again is answered as if it came first: for every kind of call, every kind of result after
 * every other, with other arrays, in one lane and in several. And how answers and errors of calls are told.
 */

import { Machine } from "@ndvm/core";
import { afterAll, describe, expect, test } from "vitest";
import { ArrayList, type Frame, FrameReader } from "../src/serve/frames.js";
import { Runs } from "../src/serve/runs.js";
import { Server } from "../src/serve/server.js";

const machine = await Machine.create();
afterAll(() => machine.dispose());

/** Programs whose results differ with the number p, in everything that an answer tells. */
const RESULTS = [
  ...["a", "b", "(* a b)", "(vec a b)", "(vec b a)", "(vec a b a)", "(outer (vec a b) (vec 1))"],
  ...["(/ a 0)", "(car p)", "1", "(log (- a 9))"],
];
const STRUCTURES = ["(list a b)", "'word", "(lambda (q) q)"];
const chosen = (results: readonly string[]) =>
  machine.load(
    `${results.map((one, i) => `(if (= p ${i}) ${one}`).join(" ")} p${")".repeat(results.length)}`,
    { inputs: ["a", "b", "p"] },
  );

type Kind = "evaluate" | "gradient" | "jacobian";

/** The frame of an answer, or the error; both as something to compare. */
async function told(runs: Runs, kind: Kind, fields: object, numbers: readonly Float64Array[]) {
  const arrays = numbers.map((each) => ({ numbers: each, shape: [each.length] }));
  const context = { arrays, signal: new AbortController().signal, tell: () => {} };
  try {
    const answer = await runs.run(kind, fields as never, context);
    const parts =
      "parts" in answer
        ? answer.parts
        : (answer.arrays ?? new ArrayList()).frame({ id: 7, result: answer.fields });
    return Buffer.concat(parts).toString("latin1");
  } catch (error) {
    return String(error);
  }
}

const headerOf = (options: object = {}) => ({
  ...{ id: 7, options },
  inputs: {
    ...{ a: { $array: 0, kind: "lanes" }, b: { $array: 1, kind: "lanes" } },
    p: { $array: 2, kind: "lanes" },
  },
});

const arraysOf = (p: number, lanes: number, salt: number) => [
  Float64Array.from({ length: lanes }, (_, lane) => 2 + lane + salt),
  Float64Array.from({ length: lanes }, (_, lane) => 5 - lane / 4 + salt),
  new Float64Array(lanes).fill(p),
];

describe.each<[Kind, object, readonly string[]]>([
  ["evaluate", {}, [...RESULTS, ...STRUCTURES]],
  ["gradient", { seed: 1 }, RESULTS],
  ["gradient", { seed: 1, wrt: ["b", "a"] }, RESULTS],
  ["jacobian", {}, RESULTS],
  ["jacobian", { wrt: ["b"] }, RESULTS],
])("%s with %j", (kind, options, results) => {
  const program = chosen(results);

  test("is answered as it would be the first time, whatever was asked before", async () => {
    const again = new Runs(() => program);
    const header = headerOf(options);
    const seen = new Set<string>();
    for (let before = 0; before <= results.length; before++)
      for (let now = 0; now <= results.length; now++)
        for (const [first, lanes] of [
          [1, 1],
          [3, 3],
          [2, 1],
        ] as const) {
          await told(again, kind, header, arraysOf(before, first, before));
          const given = arraysOf(now, lanes, now);
          const found = await told(again, kind, header, given);
          const fresh = await told(new Runs(() => program), kind, headerOf(options), given);
          expect(found, `${results[before]} in ${first} before ${results[now]} in ${lanes}`).toBe(
            fresh,
          );
          seen.add(fresh);
        }
    expect(seen.size).toBeGreaterThan(results.length);
  });
});

test("a seed is the array of its own frame, or the number of its header", async () => {
  const program = machine.load("(* a a)");
  const runs = new Runs(() => program);
  const inputs = { a: { $array: 0, kind: "lanes" } };
  const a = Float64Array.of(1, 2, 3);
  const slopes = async (header: object, ...seeds: Float64Array[]) => {
    const text = await told(runs, "gradient", header, [a, ...seeds]);
    const bytes = Buffer.from(text, "latin1").subarray(-24);
    return [0, 8, 16].map((at) => bytes.readDoubleLE(at));
  };
  const byArray = { id: 1, inputs, options: { seed: { $array: 1 } } };
  expect(await slopes(byArray, Float64Array.of(1, 1, 1))).toEqual([2, 4, 6]);
  expect(await slopes(byArray, Float64Array.of(1, 10, 100))).toEqual([2, 40, 600]);
  expect(await slopes({ id: 1, inputs, options: { seed: 5 } })).toEqual([10, 20, 30]);
  expect(await slopes({ id: 1, inputs })).toEqual([2, 4, 6]);
});

test("stats are told of every call that asks for them, and of no other", async () => {
  const program = machine.load("(* a a)");
  const runs = new Runs(() => program);
  const inputs = { a: 3 };
  const asking = { id: 1, inputs, options: { stats: true } };
  for (let turn = 0; turn < 3; turn++) {
    expect(await told(runs, "evaluate", asking, [])).toContain('"stats":{');
    expect(await told(runs, "evaluate", { id: 1, inputs }, [])).not.toContain("stats");
    expect(await told(runs, "gradient", asking, [])).toContain('"stats":{');
  }
  const truth = { id: 1, inputs, options: { stats: 1 } };
  expect(await told(runs, "evaluate", truth, [])).not.toContain('"stats":{');
});

describe("calls of a service", () => {
  /** A service and what it has said, in order; a call is waited for. */
  function service() {
    const heard: Frame[] = [];
    const reader = new FrameReader((frame) => heard.push(frame));
    const server = new Server((parts) => {
      for (const part of parts) reader.push(part);
    });
    const ask = async (header: object): Promise<Record<string, unknown>> => {
      const before = heard.length;
      for (const part of new ArrayList().frame(header as never)) server.push(part);
      while (heard.length === before) await new Promise((resolve) => setImmediate(resolve));
      return heard.at(-1)?.header as Record<string, unknown>;
    };
    return { ask, end: () => server.end() };
  }

  test("give numbers to programs and fits that none has twice, also after a release", async () => {
    const { ask, end } = service();
    const numbers: unknown[] = [];
    const load = async (id: number, more: object = {}) => {
      const { result } = await ask({ id, call: "load", source: "(+ (square (- a 2)) 1)", ...more });
      return (result as { program: number }).program;
    };
    const fit = async (id: number, program: number) => {
      const { result } = await ask({ id, call: "fit", program, options: { params: { a: 1 } } });
      return (result as { fit: number }).fit;
    };
    const first = await load(1);
    numbers.push(first, await fit(2, first), await load(3), await fit(4, first));
    numbers.push(await load(5, { release: [first] }));
    expect(numbers).toEqual([1, 2, 3, 4, 5]);
    const figures = async (number: number) => ask({ id: 9, call: "fitFigures", fit: number });
    expect(await figures(4)).toHaveProperty("result");
    // A program's number is not a fit's.
    for (const number of [3, 6]) expect(await figures(number)).toHaveProperty("error");
    await ask({ id: 10, call: "load", source: "1", release: [2] });
    expect(await figures(2)).toMatchObject({ id: 9, error: { message: "there is no fit 2" } });
    expect(await figures(4)).toHaveProperty("result");
    await end();
  });

  test("each have their own id in their answers, which is a number or a text", async () => {
    const { ask, end } = service();
    for (const id of [0, "a", 2.5, null])
      for (const call of ["load", "nothing"])
        expect(await ask({ id, call, source: "1" })).toMatchObject({ id });
    for (const id of [false, [1], { a: 1 }])
      expect(await ask({ id, call: "load", source: "1" })).toMatchObject({
        ...{ id: null, error: { code: "E-PROTOCOL" } },
      });
    expect(await ask({ call: "nothing" })).toMatchObject({ id: null });
    await end();
  });

  test("fit many programs, each with its own result or error, in their order", async () => {
    const { ask, end } = service();
    const sources = ["(+ (square (- a 3)) 2)", "(car a)", "(+ (square (- a 5)) 1)", "(* 2"];
    const { result } = await ask({
      id: 1,
      call: "fitMany",
      sources,
      options: { params: { a: 1 } },
    });
    const { results } = result as { results: Record<string, unknown>[] };
    expect(results).toMatchObject([
      { best: { params: { a: expect.closeTo(3, 4) } }, stopped: "done" },
      { error: { code: "E-TYPE" } },
      { best: { params: { a: expect.closeTo(5, 4) } }, stopped: "done" },
      { error: { code: "E-SYNTAX" } },
    ]);
    expect(await ask({ id: 2, call: "fitMany", sources: "x" })).toMatchObject({
      error: { message: "fitMany takes a list of sources" },
    });
    await end();
  });

  test("load with every option that loading has", async () => {
    const { ask, end } = service();
    const value = async (source: string, more: object, inputs: object = {}) => {
      const { result, error } = await ask({ id: 1, call: "load", source, ...more });
      if (error !== undefined) return error as Record<string, unknown>;
      const { program } = result as { program: number };
      return ask({ id: 2, call: "evaluate", program, inputs });
    };
    const finite = { result: { nonFinite: [] } };
    expect(await value("(sqrt a)", { load: { domain: "clamp" } }, { a: -1 })).toMatchObject(finite);
    expect(await value("(sqrt a)", {}, { a: -1 })).not.toMatchObject(finite);
    expect(await value("(* 2 max)", { load: { inputs: ["max"] } }, { max: 3 })).toMatchObject(
      finite,
    );
    expect(await value("(car", { load: { file: "f.scm" } })).toMatchObject({ file: "f.scm" });
    const stack = { load: { language: "bytecode" } };
    expect(await value("(* 2 x)", stack)).toHaveProperty("code");
    expect(await value("1", { load: 5 })).toMatchObject({ message: "load is not an object" });
    // Each of a list of programs is loaded with them, too.
    const many = {
      call: "fitMany",
      sources: ["(square (sqrt a))"],
      options: { params: { a: -4 } },
    };
    const found = [
      await ask({ id: 3, ...many, load: { domain: "clamp" } }),
      await ask({ id: 4, ...many }),
    ].map(({ result }) => "best" in ((result as { results: object[] }).results[0] ?? {}));
    expect(found).toEqual([true, false]);
    await end();
  });
});
