/**
 * Ending a fit inside a step, fits beside each other, and the same bits however lanes are cut.
 */

import { describe, expect, test, vi } from "vitest";
import { type FitJson, type FitOptions, fit, Machine, type NdvmError } from "../../src/index.js";
import { endingAfter, fitText, machine, steps } from "./support.js";

const t = steps(0, 2, 12);
const y = t.map((v) => 1.5 * v);

/** Loops `turns` times at the start; as often as 10 000 times more where k has moved. */
const slow = (turns: number) =>
  `(loop ((i 0) (s 0)) (if (>= i ${turns}) (* k t (+ 1 (* 0 s))) (recur (+ i 1) (+ s (* 1e-9 k)))))`;

/** Milliseconds in which the first evaluation is done even where the machine is busy. */
const AFTER_THE_FIRST = 500;

/** Turns without end as soon as k leaves its start. */
const endless =
  "(loop ((i 0) (s (* k t))) (if (= k 1) s (if (< i 1e12) (recur (+ i 1) (+ s 1e-30)) s)))";

/** A fit that was ended in its first evaluation has no result. */
function aborted(error: unknown): undefined {
  expect(error).toMatchObject({ code: "E-ABORTED" });
}

describe("inside a step", () => {
  test("time ends it, and the best before is the result", async () => {
    const result = await fitText(endless, {
      data: { t, y },
      target: "y",
      params: { k: 1 },
      timeMax: AFTER_THE_FIRST,
    });
    expect(result.stopped).toBe("time");
    expect(result.best.params).toEqual({ k: 1 });
    expect(result.restarts[0]).toMatchObject({ reason: "time", evaluations: 1 });
    expect(result.diagnostics.notes[0]).toContain("ended early (time)");
  });

  test("a signal ends it, and the machine goes on", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), AFTER_THE_FIRST);
    const result = await fitText(endless, {
      data: { t, y },
      target: "y",
      params: { k: 1 },
      signal: controller.signal,
    });
    expect(result.stopped).toBe("aborted");
    expect(machine.load("(+ 1 2)").evaluate().values[0]).toBe(3);
    const next = await fitText("(* k t)", { data: { t, y }, target: "y" });
    expect(next.best.params["k"]).toBeCloseTo(1.5, 12);
  });

  test("where not even the start can be evaluated, that is an error", async () => {
    const source = "(loop ((i 0)) (if (< i 1e12) (recur (+ i 1)) (* k t)))";
    const how: FitOptions = { data: { t, y }, target: "y", params: { k: 1 } };
    const late = (await fitText(source, { ...how, timeMax: 30 }).catch((e) => e)) as NdvmError;
    expect(late).toMatchObject({ code: "E-TIME" });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const { signal } = controller;
    const ended = (await fitText(source, { ...how, signal }).catch((e) => e)) as NdvmError;
    expect(ended).toMatchObject({ code: "E-ABORTED" });
  });

  test("objective mode can be ended too", async () => {
    const source =
      "(loop ((i 0) (s (square (- k 2)))) (if (= k 1) s (if (< i 1e12) (recur (+ i 1) s) s)))";
    const result = await fitText(source, { params: { k: 1 }, timeMax: AFTER_THE_FIRST });
    expect(result).toMatchObject({ stopped: "time", best: { loss: 1 } });
  });

  test.each(["lm", "lbfgs", "adam"] as const)(
    "%s ended inside a step and resumed equals a fit in one go",
    async (optimiser) => {
      // Every k has a path of its own, so that every round walks, and longer than without a pause.
      const text = `(loop ((i 0) (s (* k t)))
        (if (>= i (* 60000 (abs k))) s (recur (+ i 1) (+ s 1e-30))))`;
      const how: FitOptions = {
        data: { t: [0.5, 1, 2], y: [0.8, 1.4, 3.1] },
        target: "y",
        params: { k: { range: [0.5, 2] } },
        restarts: 2,
        together: 1,
        optimiser,
        steps: 3,
        detail: "scores",
      };
      // A program that has run keeps its traces, which need no walk.
      const whole = await fit(machine.load(text), how);
      let inside = 0;
      // How often a round asks depends on how long it takes: ended early and late, it must go on.
      for (const most of [20, 45, 70, 95, 120]) {
        const program = machine.load(text);
        const part = await fit(program, { ...how, signal: endingAfter(most) }).catch(aborted);
        if (part?.stopped !== "aborted") continue;
        // Between rounds alone it would have been asked as often as there were rounds.
        if (part.counters.rounds <= most) inside += 1;
        const resume = JSON.parse(JSON.stringify(part)) as FitJson;
        const resumed = await fit(program, { ...how, resume });
        expect(resumed.best).toEqual(whole.best);
        expect(resumed.restarts.map(({ loss }) => loss)).toEqual(
          whole.restarts.map(({ loss }) => loss),
        );
      }
      expect(inside).toBeGreaterThan(0);
    },
  );
});

test("slow fits of one machine wait for each other", async () => {
  const { signal } = new AbortController();
  const how: FitOptions = { data: { t, y }, target: "y", params: { k: 1 }, steps: 3, signal };
  const programs = [slow(20_000), "(* k t)", slow(15_000)].map((text) => machine.load(text));
  const alone = [];
  for (const program of programs) alone.push((await fit(program, how)).best);
  const both = await Promise.all(programs.map((program) => fit(program, how)));
  expect(both.map(({ best }) => best)).toEqual(alone);
});

const source = "(if (> (sin (* w t)) 0) (* a (exp (- (* k t)))) (+ a (* k t)))";
const wide = steps(0, 5, 90);
const wave = wide.map((v) => (Math.sin(2 * v) > 0 ? 1.5 * Math.exp(-0.6 * v) : 1.5 + 0.6 * v));

test.each(["lm", "lbfgs", "adam"] as const)("%s: the same bits at any chunk width", async (by) => {
  const how: FitOptions = {
    data: { t: wide, y: wave },
    target: "y",
    params: { a: { range: [0.5, 3] }, k: { range: [0.1, 2] }, w: { fixed: 2 } },
    restarts: 6,
    optimiser: by,
    steps: 40,
    seed: 3,
  };
  const plain = ({ counters: _counters, ...rest }: Record<string, unknown>) => JSON.stringify(rest);
  const texts = new Set<string>();
  for (const extra of [{}, { chunk: 4 }, { chunk: 64 }, { chunk: 32, together: 2 }]) {
    const own = await Machine.create();
    const result = await fit(own.load(source), { ...how, ...extra });
    texts.add(plain({ ...result.toJSON() }));
    own.dispose();
  }
  expect(texts.size).toBe(1);
});

test.each(["lm", "lbfgs", "adam"] as const)(
  "%s: the same bits however slow the rounds",
  async (by) => {
    const how: FitOptions = {
      data: { t: wide, y: wave },
      target: "y",
      params: { a: { range: [0.5, 3] }, k: { range: [-2, 2] }, w: { fixed: 2 } },
      restarts: 8,
      optimiser: by,
      steps: 40,
    };
    const clock = performance.now.bind(performance);
    let late = 0;
    /** A clock that jumps makes rounds look slow, so that they are done in pieces. */
    const run = async (jump: number, seed: number): Promise<unknown> => {
      const spy = vi.spyOn(performance, "now").mockImplementation(() => {
        late += jump;
        return clock() + late;
      });
      const own = await Machine.create();
      const program = own.load("(if (> (sin (* w t)) 0) (* a (log (+ 1 (* k t)))) (+ a (* k t)))");
      const { restarts } = await fit(program, { ...how, seed });
      spy.mockRestore();
      own.dispose();
      return restarts;
    };
    for (let seed = 0; seed < 4; seed++) expect(await run(30, seed)).toEqual(await run(0, seed));
  },
);

test("fitting a text again is as much work as fitting a new one", async () => {
  const how: FitOptions = { data: { t: wide, y: wave }, target: "y", params: { a: 1, k: 1 } };
  const text = (i: number) => `(+ a (* k t) (* 0 ${i}))`;
  const work = async (source: string) => {
    const program = machine.load(source);
    const result = await fit(program, how);
    const { rounds, evaluations } = result.counters;
    const { walks, replays } = program.evaluate({ a: 1, k: 1, t: 1 }).stats;
    const seen = { rounds, evaluations, walks, replays, traces: program.traces.count };
    program.dispose();
    return seen;
  };
  const first = await work(text(0));
  expect(await work(text(0))).toEqual(first);
  expect(await work(text(1))).toEqual(first);
});

describe("in the last look at the best restart", () => {
  const x = Array.from({ length: 13 }, (_, i) => 1981 + i);
  const n = [12, 14, 33, 50, 67, 74, 123, 141, 165, 204, 253, 246, 240];
  const data = { x, n };
  const options = { data, target: "n", loss: "poisson", params: { a: -300, b: 0.15 } } as const;
  const model = "(exp (+ a (* b x)))";

  test("a fit whose signal fired was said to be kept by rounding from following the loss", async () => {
    const whole = await fitText(model, options);
    expect(whole.restarts[0]).toMatchObject({ hasConverged: true });
    let ends = 0;
    for (let most = 1; most < 8; most++) {
      const part = await fitText(model, { ...options, signal: endingAfter(most) });
      expect(part.diagnostics.notes.join("\n")).not.toContain("rounding");
      if (part.stopped === "done") expect(part.best.loss).toBeCloseTo(whole.best.loss, 6);
      else {
        ends += 1;
        expect(part.stopped).toBe("aborted");
        expect(part.restarts[0]).toMatchObject({ reason: "aborted", hasConverged: false });
        expect(part.best.loss).toBeGreaterThan(whole.best.loss);
      }
    }
    expect(ends).toBeGreaterThan(1);
  });
});
