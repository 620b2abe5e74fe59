/**
 * How a fit runs: the same bits for one seed, limits, interruption, progress, resumption.
 */

import { describe, expect, test } from "vitest";
import { type FitJson, type FitOptions, type FitProgress, fit, Machine } from "../../src/index.js";
import { fitText, machine, steps } from "./support.js";

const t = steps(0, 6, 40);
const y = t.map((v) => 2 * Math.exp(-0.4 * v) * Math.cos(2 * v) + 0.01 * Math.sin(37 * v));
const source = "(* a (exp (- (* k t))) (cos (* w t)))";
const options: FitOptions = {
  data: { t, y },
  target: "y",
  params: { a: { range: [0.5, 4] }, k: { range: [0.01, 2] }, w: { range: [0.5, 4] } },
  restarts: 12,
  seed: 7,
};
const bare = ({ counters: _counters, ...rest }: Record<string, unknown>) => rest;
const plain = (result: { toJSON(): FitJson }) => JSON.stringify(bare({ ...result.toJSON() }));

describe("determinism", () => {
  test.each(["lm", "lbfgs", "adam"] as const)(
    "%s gives the same bits however many restarts run together",
    async (optimiser) => {
      const how = { ...options, optimiser, ...(optimiser === "adam" ? { steps: 60 } : {}) };
      const all = await fitText(source, how);
      const one = await fitText(source, { ...how, together: 1 });
      const five = await fitText(source, { ...how, together: 5 });
      expect(plain(one)).toBe(plain(all));
      expect(plain(five)).toBe(plain(all));
      expect(plain(await fitText(source, how))).toBe(plain(all));
    },
  );

  test("the best restart finds the oscillation", async () => {
    const result = await fitText(source, options);
    expect(result.best.params["w"]).toBeCloseTo(2, 2);
    expect(result.best.r2).toBeGreaterThan(0.999);
    expect(result.best.loss).toBe(Math.min(...result.restarts.map(({ loss }) => loss)));
  });
});

describe("limits", () => {
  test("steps end a restart, and it is said that it did not converge", async () => {
    const result = await fitText(source, { ...options, restarts: 1, steps: 2 });
    expect(result.restarts[0]).toMatchObject({ reason: "steps", steps: 2, hasConverged: false });
    expect(result.diagnostics.notes[0]).toContain("did not converge");
  });

  test("no time gives the start, and says that the fit was ended", async () => {
    const result = await fitText(source, { ...options, timeMax: 0 });
    expect(result.stopped).toBe("time");
    expect(result.restarts.every(({ reason }) => reason === "time")).toBe(true);
    expect(Number.isFinite(result.best.loss)).toBe(true);
  });

  test("a signal ends the fit with the best so far", async () => {
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    const params = { a: { range: [0.5, 4] as const }, w: { range: [0.5, 4] as const } };
    const result = await fitText(source, {
      ...options,
      params,
      optimiser: "adam",
      steps: 1e6,
      signal: controller.signal,
      onProgress,
    });
    expect(result.stopped).toBe("aborted");
    expect(result.diagnostics.notes[0]).toContain("best so far");
  });

  test("an error of who listens to progress is told as it is", async () => {
    const onProgress = () => {
      throw new RangeError("a mistake of the listener");
    };
    const ended = fitText(source, { ...options, onProgress });
    await expect(ended).rejects.toThrow(new RangeError("a mistake of the listener"));
    expect((await fitText(source, options)).stopped).toBe("done");
  });

  test("a fit that waits for its machine does not wait longer than it may", async () => {
    const shared = await Machine.create();
    const program = shared.load(source);
    const other = new AbortController();
    const endless = shared.load("(loop ((i 0)) (if (< i 0) i (recur (+ i 1))))");
    const busy = endless.evaluateAsync({}, { signal: other.signal }).catch(() => "ended");
    const late = fit(program, { ...options, timeMax: 20 });
    await expect(late).rejects.toMatchObject({ code: "E-TIME", message: /busy/ });
    const controller = new AbortController();
    const aborted = fit(program, { ...options, signal: controller.signal });
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ code: "E-ABORTED", message: /busy/ });
    other.abort();
    expect(await busy).toBe("ended");
    expect((await fit(program, options)).stopped).toBe("done");
  });

  test("progress counts restarts", async () => {
    const seen: FitProgress[] = [];
    await fitText(source, { ...options, onProgress: (progress) => seen.push(progress) });
    const last = seen.at(-1) as FitProgress;
    expect(last).toMatchObject({ restarts: 12, restartsDone: 12, restartsRunning: 0 });
    expect(Number.isFinite(last.bestLoss)).toBe(true);
  });
});

test("fits of one machine that run at the same time do not disturb each other", async () => {
  const how = { ...options, optimiser: "adam" as const, steps: 300 };
  const other = "(+ a (* k t) (* w (sin t)))";
  const alone = [await fitText(source, how), await fitText(other, how)];
  const program = machine.load(source);
  const both = await Promise.all([fit(program, how), fitText(other, how), fit(program, how)]);
  expect(plain(both[0])).toBe(plain(alone[0] as (typeof both)[0]));
  expect(plain(both[1])).toBe(plain(alone[1] as (typeof both)[0]));
  expect(plain(both[2])).toBe(plain(both[0]));
});

test("scores are the same without the details", async () => {
  const full = await fitText(source, options);
  const scores = await fitText(source, { ...options, detail: "scores" });
  expect(scores.best).toEqual(full.best);
  expect(scores.restarts).toEqual(full.restarts);
  expect(scores.covariance).toBeUndefined();
  expect(scores.standardErrors["a"]).toBeNaN();
});

describe("resumption", () => {
  test.each([
    ["lm", 3],
    ["lbfgs", 9],
    ["adam", 17],
  ] as const)("%s interrupted and resumed equals a fit in one go", async (optimiser, rounds) => {
    const program = machine.load(source);
    // A machine that keeps no traces looks at the signal after every round.
    const walking = await Machine.create({ precision: "f64", mechanisms: { replay: false } });
    const how = { ...options, optimiser, steps: 50 };
    const whole = await fit(program, how);
    let polls = 0;
    const signal = {
      get aborted() {
        polls += 1;
        return polls > rounds;
      },
    } as AbortSignal;
    const part = await fit(walking.load(source), { ...how, signal });
    expect(part.stopped).toBe("aborted");
    const resume = JSON.parse(JSON.stringify(part)) as FitJson;
    walking.dispose();
    const resumed = await fit(program, { ...how, resume });
    expect(resumed.best).toEqual(whole.best);
    expect(
      resumed.restarts.map(({ params, loss, steps: n, reason }) => [params, loss, n, reason]),
    ).toEqual(
      whole.restarts.map(({ params, loss, steps: n, reason }) => [params, loss, n, reason]),
    );
    await expect(fit(program, { ...how, seed: 8, resume })).rejects.toThrow("began elsewhere");
  });

  test.each([3, 6, 8])("lm keeps the scale of its start over round %d", async (rounds) => {
    // The slope falls to a small part of what it was at the start, where damping has a least.
    const square = "(* 1e-4 a a)";
    const how = {
      ...{ data: { y: [4e-4, 4.1e-4, 3.9e-4] }, target: "y", params: { a: { start: 1000 } } },
      ...{ optimiser: "lm" as const, steps: 11 },
    };
    const walking = await Machine.create({ precision: "f64", mechanisms: { replay: false } });
    const program = walking.load(square);
    const whole = await fit(program, how);
    let polls = 0;
    const signal = {
      get aborted() {
        polls += 1;
        return polls > rounds;
      },
    } as AbortSignal;
    const part = await fit(program, { ...how, signal });
    expect(part.stopped).toBe("aborted");
    const resumed = await fit(program, { ...how, resume: JSON.parse(JSON.stringify(part)) });
    expect(resumed.best.params).toEqual(whole.best.params);
    expect(resumed.restarts[0]).toMatchObject({ steps: whole.restarts[0]?.steps });
    walking.dispose();
  });

  test("what is no result of this fit is refused", async () => {
    const how = { ...options, restarts: 1, steps: 50 };
    const part = (await fitText(source, { ...how, optimiser: "adam", timeMax: 0 })).toJSON();
    const outcome = (part as unknown as { restarts: object[] }).restarts[0];
    const others: readonly unknown[] = [
      part,
      null,
      {},
      { ...part, optimiser: "lm", states: [{}] },
      { ...part, optimiser: "lm", states: [{ start: [1, 1, 1] }] },
      { ...part, optimiser: "lm", restarts: [{}] },
      { ...part, optimiser: "lm", restarts: [outcome, outcome] },
    ];
    for (const resume of others)
      await expect(
        fitText(source, { ...how, optimiser: "lm", resume: resume as FitJson }),
      ).rejects.toMatchObject({ code: "E-OPTION", message: /of another fit/ });
    const { stopped } = await fitText(source, { ...how, optimiser: "adam", resume: part });
    expect(stopped).toBe("done");
  });
});
