/** Fits by absolute deviations that time or a signal ends while they are settled. */

import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type FitJson,
  type FitOptions,
  type FitResult,
  fit,
  fitFromJSON,
} from "../../src/index.js";
import { endingAfter, machine, noise, steps } from "./support.js";

const x = steps(0, 5, 40);
const away = noise(40, 1);
const y = x.map((at, i) => 3 * Math.exp(-0.7 * at) + 0.5 + (away[i] as number) ** 3);
const text = "(+ c (* a (exp (- (* k x)))))";
const how: FitOptions = {
  ...{ data: { x, y }, target: "y", loss: "absolute", restarts: 2 },
  params: { a: 1, k: 1, c: 0 },
};

afterEach(() => vi.restoreAllMocks());

const load = () => machine.load(text);

const jsonOf = (result: FitResult): FitJson => JSON.parse(JSON.stringify(result)) as FitJson;

/** Whether the optimisers had ended when the fit was cut; then its best restart is told as cut. */
function isCutAtLast(result: FitResult, stopped: "time" | "aborted"): boolean {
  const states = jsonOf(result)["states"] as readonly { readonly ended?: string }[];
  const cut = states.findIndex(({ ended }) => ended !== undefined);
  if (cut < 0) return false;
  expect(result.stopped).toBe(stopped);
  expect(result.best.restart).toBe(cut);
  expect(result.restarts[cut]).toMatchObject({ reason: stopped, hasConverged: false });
  expect(result.diagnostics.notes[0]).toContain(`ended early (${stopped})`);
  return true;
}

const told = ({ best, restarts }: FitResult) => ({ best, restarts });

describe("a fit that is cut while it is settled was told as done; resumed, it equals one in one go", () => {
  test("after a signal", async () => {
    const whole = await fit(load(), how);
    let inside = 0;
    for (let most = 1; most < 40; most++) {
      const part = await fit(load(), { ...how, signal: endingAfter(most) });
      if (!isCutAtLast(part, "aborted")) continue;
      inside += 1;
      expect(part.best.loss).toBeGreaterThan(whole.best.loss);
      const resumed = await fit(load(), { ...how, resume: jsonOf(part) });
      expect(told(resumed)).toEqual(told(whole));
    }
    expect(inside).toBeGreaterThan(3);
  });

  test("when its time is over", async () => {
    const whole = await fit(load(), how);
    let inside = 0;
    for (let timeMax = 5; timeMax < 400; timeMax += 5) {
      let now = 0;
      // A clock by which every look at it takes a millisecond.
      const clock = vi.spyOn(performance, "now").mockImplementation(() => ++now);
      const part = await fit(load(), { ...how, timeMax });
      clock.mockRestore();
      if (!isCutAtLast(part, "time")) continue;
      inside += 1;
      const resumed = await fit(load(), { ...how, resume: jsonOf(part) });
      expect(told(resumed)).toEqual(told(whole));
    }
    expect(inside).toBeGreaterThan(3);
  });
});

/** All that a result tells but how much work it was: what was cut in a last look counts twice. */
function allOf(result: FitResult) {
  const {
    counters: _,
    states: _states,
    restarts,
    ...all
  } = jsonOf(result) as unknown as FitResult & {
    states: unknown;
  };
  return { ...all, restarts: restarts.map(({ evaluations: _, ...one }) => one) };
}

const years = x.map((_, i) => 1981 + i / 3);
const many = years.map((at, i) => Math.round(12 + 9 * (at - 1981) + 20 * (away[i] as number)));
const pair = years.map((at, i) => 3 + 0.2 * (at - 1981) + (away[i] as number));
const line = "(+ a (* b x))";
const ofYears: FitOptions = {
  data: { x: years, y: many },
  target: "y",
  params: { a: -300, b: 0.15 },
};
const looked: Readonly<Record<string, readonly [source: string, options: FitOptions]>> = {
  "absolute deviations": [text, how],
  "absolute deviations of a line, by Adam": [
    line,
    { data: { x, y }, target: "y", loss: "absolute", optimiser: "adam", steps: 20 },
  ],
  "absolute deviations of two targets and groups": [
    "(vec (+ a (* b x)) (+ c (* d x)))",
    {
      data: { x, y, z: many, g: x.map((_, i) => "pq"[i % 2] as string) },
      ...{ target: ["y", "z"], loss: "absolute", groups: { by: "g", params: ["b"] } },
    },
  ],
  "counts of years": ["(exp (+ a (* b x)))", { ...ofYears, loss: "poisson", restarts: 2 }],
  "Huber's loss of years": [line, { ...ofYears, loss: "huber", huberWidth: 5 }],
  "a loss of its own": [line, { ...ofYears, loss: "(log (+ 9 (square (- pred y))))" }],
  "least squares by L-BFGS": [line, { ...ofYears, optimiser: "lbfgs", restarts: 3 }],
  "least squares that began at a saddle": [
    "(* (* p p) (+ 1 x))",
    { data: { x, y: x.map((at) => 2 + 2 * at) }, target: "y", params: { p: 0 } },
  ],
  "an objective beside a constant": [
    "(+ 1e12 (square (- p 3)) (* 4 (square (- q 5))) (* p q))",
    { params: { p: 1, q: 1 } },
  ],
  "a likelihood": [
    "(let ((r (- y (+ a (* b x)))) (s (exp q))) (+ (* 40 (log s)) (/ (dot r r) (* 2 s s))))",
    { data: { x: years, y: pair }, isNegativeLogLikelihood: true, params: { q: 3, a: 1, b: 0 } },
  ],
};

const LONG = /absolute|counts|saddle|constant/;

describe("cut anywhere, by a signal or its time, a fit goes on from its JSON to the same whole result:", () => {
  test.each(Object.entries(looked))("%s", async (name, [source, options]) => {
    const program = machine.load(source);
    const whole = await fit(program, options);
    let inside = 0;
    const check = async (part: FitResult, stopped: "time" | "aborted", what: string) => {
      if (part.stopped === "done") return;
      if (isCutAtLast(part, stopped)) inside += 1;
      const resumed = await fit(program, { ...options, resume: jsonOf(part) });
      expect(allOf(resumed), what).toEqual(allOf(whole));
      // The cut result is what it was after a second way through JSON, too.
      const back = fitFromJSON(program, jsonOf(part));
      const again = await fit(program, { ...options, resume: jsonOf(back) });
      expect(allOf(again), what).toEqual(allOf(whole));
    };
    for (let most = 1; most < 11; most++)
      await check(
        await fit(program, { ...options, signal: endingAfter(most) }),
        "aborted",
        `after ${most}`,
      );
    for (const timeMax of [2, 5, 8, 12, 17, 24, 33, 45, 60, 90, 140]) {
      let now = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => ++now);
      const part = await fit(program, { ...options, timeMax }).catch(() => undefined);
      clock.mockRestore();
      if (part !== undefined) await check(part, "time", `in ${timeMax}`);
    }
    // Where second derivatives find that the optimiser has arrived, there is nothing to cut.
    if (LONG.test(name)) expect(inside).toBeGreaterThan(0);
    program.dispose();
  });
});
