/** Weighing within what the study says: its machine, its domain, its steps, and how many members are weighed. */

import { Machine, type Program } from "@ndvm/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Scales } from "../../src/choice/weigh.js";
import { weighFront } from "../../src/choice/weigh-front.js";
import { complexityOf } from "../../src/complexity.js";
import type { Outcome, SearchOptions, Weighing } from "../../src/index.js";
import { makeStudy, type Study } from "../../src/study.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const x = Array.from({ length: 24 }, (_, i) => i / 3 - 2);
const study = (more: Partial<SearchOptions> = {}): Study =>
  makeStudy({
    data: { x, y: x.map((at) => 2.37 * at + Math.sin(9 * at) / 50) },
    ...given,
    ...more,
  });
const given = { target: "y", seed: 3 };
const member = (visit: number, source: string, params: Outcome["params"]): Outcome =>
  ({ visit, source, params, complexity: complexityOf(source, ["x"]), loss: 1 + visit }) as Outcome;

describe("a front is weighed", () => {
  const original = Machine.prototype.load;

  test("by a machine of the study, in its domain, and within its steps", async () => {
    const create = vi.spyOn(Machine, "create");
    const load = vi.spyOn(Machine.prototype, "load");
    const steps: unknown[] = [];
    const disposals: { readonly mock: { readonly calls: unknown[] } }[] = [];
    load.mockImplementation(function (this: Machine, ...args) {
      const program: Program = original.apply(this, args);
      disposals.push(vi.spyOn(program, "dispose"));
      for (const name of ["evaluate", "gradient"] as const) {
        const run = program[name].bind(program);
        vi.spyOn(program, name).mockImplementation(((at: never, options: { stepsMax: number }) => {
          steps.push(options.stepsMax);
          return run(at, options as never);
        }) as never);
      }
      return program;
    });
    const limits = { memory: 2 ** 27, fitSteps: 54_321 };
    const own = study({ precision: "f32", domain: "clamp", limits });
    // The first becomes simpler, so that it is weighed, weighed again, scored and predicted.
    const front = [
      member(0, "(+ (* a x) (* b (sin (* 50 x))))", { a: 2.4, b: 0 }),
      member(1, "(sqrt (* a x))", { a: 1 }),
    ];
    const weighings = await weighFront(own, front);
    expect([...weighings.keys()].toSorted()).toEqual([0, 1]);
    expect(weighings.get(0)?.scores).toBeDefined();
    expect(create.mock.calls).toEqual([[{ precision: "f32", memoryMax: 2 ** 27 }]]);
    expect(load.mock.calls.length).toBeGreaterThan(4);
    for (const [, options] of load.mock.calls)
      expect(options).toEqual({ inputs: ["x"], domain: "clamp" });
    for (const { mock } of disposals) expect(mock.calls).toHaveLength(1);
    expect(steps.length).toBeGreaterThan(9);
    expect(new Set(steps)).toEqual(new Set([54_321]));
  });
  test("without the members that take longer than a fit may", async () => {
    const turns = (count: number) =>
      `(loop ((s x) (k 0)) (if (= k ${count}) (* a s) (recur (* 0.99 s) (+ k 1))))`;
    const front = [member(0, turns(3), { a: 1 }), member(1, turns(900), { a: 1 })];
    const few = study({ limits: { fitSteps: 2000, screenSteps: 2000 } });
    expect([...(await weighFront(few, front)).keys()]).toEqual([0]);
    expect([...(await weighFront(study(), front)).keys()]).toEqual([0, 1]);
  });

  test.each([
    [20_001, 19],
    [20_000, 20],
    [33_333, 12],
    [40_000, 12],
  ])("up to %i rows by %i members, the shortest", async (rows, count) => {
    const column = Array.from({ length: rows }, (_, i) => i);
    const weighed: number[] = [];
    const stub = {
      weigh: async ({ visit }: Outcome) => {
        weighed.push(visit);
        return { length: visit, complexity: 1 } as unknown as Weighing;
      },
      predict: async ({ length }: Weighing) => {
        const values = Float64Array.of(1000 * length);
        return { values, shown: values, variance: 1e-9 };
      },
      dispose: vi.fn(),
    };
    vi.spyOn(Scales, "create").mockResolvedValue(stub as unknown as Scales);
    const front = Array.from({ length: 40 }, (_, i) => member(39 - i, "(* a x)", { a: 1 }));
    const large = makeStudy({ data: { x: column, y: column.map((at) => at % 7) }, ...given });
    const weighings = await weighFront(large, front);
    expect(weighed).toEqual(Array.from({ length: count }, (_, visit) => visit));
    expect([...weighings.keys()]).toEqual(weighed);
    expect([...weighings.values()].some(({ twinOf }) => twinOf !== undefined)).toBe(false);
    expect(stub.dispose).toHaveBeenCalledTimes(1);
  });

  test("and its machine is let go of where that goes wrong", async () => {
    const dispose = vi.fn();
    const broken = new Error("ours");
    const weigh = () => Promise.reject(broken);
    vi.spyOn(Scales, "create").mockResolvedValue({ weigh, dispose } as unknown as Scales);
    await expect(weighFront(study(), [member(0, "(* a x)", { a: 1 })])).rejects.toBe(broken);
    expect(dispose).toHaveBeenCalledTimes(1);
  });
});
