/**
 * Parts of a pool put together, by themselves: values, failures, numbers that are not finite, counters and
 * what is inactive, in the order of the lanes, with parts that failed or hold something else among them.
 */

import { describe, expect, test } from "vitest";
import { type PackedError, packError, unpackError } from "../../src/errors.js";
import { NdvmError, type RunStats } from "../../src/index.js";
import type { BoundInput } from "../../src/machine/inputs/inputs.js";
import {
  commonInactive,
  joinArrays,
  PoolOutcome,
  sumStats,
} from "../../src/machine/pool/outcome.js";
import {
  blockInputs,
  deadPart,
  NONE_NON_FINITE,
  type Part,
  partInputs,
} from "../../src/machine/pool/parts.js";
import type { PackedMixture, ResultArrays } from "../../src/machine/results/results.js";
import { NonFiniteLanes } from "../../src/machine/results/troubles.js";
import { TAG_SYMBOL } from "../../src/program/layout.js";
import { caught } from "../machine/support.js";

const text = { source: "(f x)", file: "f.scm" };
const stats = (steps: number, chunkWidth: number) => ({ steps, chunkWidth, lanes: 99 }) as RunStats;

/** Lanes that failed, each with which of the errors it has. */
const failing = (
  errors: readonly PackedError[],
  lanes: readonly (readonly [lane: number, error: number])[],
): Pick<Part, "faults" | "failures"> => ({
  faults: errors.map((one) => ({ error: one, own: [] })),
  failures: {
    lanes: Uint32Array.from(lanes, ([lane]) => lane),
    faults: Uint32Array.from(lanes, ([, which]) => which),
    places: new Uint32Array(lanes.length),
  },
});

/** A symbol for each lane. */
const symbols = (...names: string[]): PackedMixture => ({
  structure: {
    snapshots: names.map((name, number) => ({
      root: { tag: TAG_SYMBOL, data: number },
      pairs: new Int32Array(0),
      numbers: { lanes: 1, starts: [], infos: [], values: new Float64Array(0) },
      symbols: new Map([[number, name]]),
      procedures: new Map(),
    })),
    snapshotOf: Uint32Array.from(names, (_, lane) => lane + 1),
    placeOf: new Uint32Array(names.length),
  },
  shape: [],
  values: undefined,
});

const part = (lanes: number, others: Partial<Part> = {}): Part => ({
  lanes,
  shape: [],
  values: Float64Array.from({ length: lanes }, (_, i) => 10 * lanes + i),
  isPlaced: false,
  mixture: undefined,
  refusal: undefined,
  gradients: {},
  inactive: [],
  ...failing([], []),
  nonFinite: NONE_NON_FINITE,
  stats: stats(lanes, lanes),
  ...others,
});

const error = packError(
  new NdvmError("E-TYPE", "no", {
    help: "do",
    span: { start: 1, end: 2 },
    facts: { reason: "failure" },
  }),
);
const outcome = (parts: readonly Part[], allLanes?: ResultArrays): PoolOutcome => {
  const lanes = parts.reduce((sum, one) => sum + one.lanes, 0);
  return new PoolOutcome(parts, lanes, [{ name: "lane", size: lanes }], text, allLanes);
};

describe("parts put together", () => {
  test("have their numbers in the order of the lanes", () => {
    const out = outcome([part(2), part(1), part(3)]);
    expect([out.lanes, out.shape, [...out.values]]).toEqual([6, [], [20, 21, 10, 30, 31, 32]]);
    const lanes = [0, 1, 2, 3, 4, 5];
    expect(lanes.map((lane) => out.datum(lane))).toEqual([...out.values]);
    expect(lanes.map((lane) => out.print(lane))).toEqual(["20", "21", "10", "30", "31", "32"]);
    expect(lanes.map((lane) => out.at({ lane }))).toEqual([...out.values]);
    expect(out.stats).toEqual({ steps: 6, chunkWidth: 3, lanes: 6 });
    for (const lane of [-1, 6, 0.5, Number.NaN])
      for (const read of [() => out.datum(lane), () => out.print(lane)]) {
        const { code, message, help } = caught(read);
        expect({ code, message, help }).toEqual({
          code: "E-OPTION",
          message: `there is no lane ${lane}: the run has 6`,
          help: "lanes are numbered from 0 to 5",
        });
      }
  });

  test("are read in the first lane where nobody names one, as a machine's are", () => {
    const numbers = outcome([part(2), part(3)]);
    expect([numbers.datum(), numbers.print()]).toEqual([20, "20"]);
    const texts = {
      shape: undefined,
      values: undefined,
      mixture: symbols("a", "|"),
    };
    const lists = outcome([part(2, { ...texts, refusal: error }), part(1)]);
    expect([lists.datum(), lists.print(), lists.print(1)]).toEqual(["a", "a", "|\\||"]);
  });

  test("of one part are a copy, so that the caller may write into them", () => {
    const only = part(2);
    const out = outcome([only]);
    out.values[0] = -1;
    expect([only.values?.[0], out.datum(0)]).toEqual([20, 20]);
  });

  test("left where the pool wanted them are not copied, unless one came another way", () => {
    const all = { count: 1, values: Float64Array.of(1, 2, 3), gradients: {} } as ResultArrays;
    const placed = [
      part(2, { values: all.values.subarray(0, 2) }),
      part(1, { values: all.values.subarray(2) }),
    ];
    expect(outcome(placed, all).values).toBe(all.values);
    const failed = part(1, {
      values: undefined,
      shape: undefined,
      ...failing([error], [[0, 0]]),
    });
    expect(outcome([placed[0] as Part, failed], all).values).toBe(all.values);
    const other = [placed[0] as Part, part(1, { values: Float64Array.of(7) })];
    expect([...outcome(other, all).values]).toEqual([1, 2, 7]);
  });

  test("have vectors and matrices element by element", () => {
    const vectors = [
      part(1, { shape: [2], values: Float64Array.of(1, 2) }),
      part(2, { shape: [2], values: Float64Array.of(3, 4, 5, 6) }),
    ];
    const out = outcome(vectors);
    expect([out.shape, [...out.values]]).toEqual([[2], [1, 2, 3, 4, 5, 6]]);
    expect([0, 1, 2].map((lane) => [...(out.datum(lane) as Float64Array)])).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(out.print(2)).toBe("[5 6]");
    const matrix = outcome([part(1, { shape: [2, 3], values: Float64Array.of(1, 2, 3, 4, 5, 6) })]);
    expect((matrix.datum(0) as Float64Array[]).map((row) => [...row])).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  test("of other shapes have no values together, and each its own", () => {
    for (const shape of [[2], [1], [2, 1]]) {
      const size = shape.reduce((a, b) => a * b, 1);
      const out = outcome([part(1), part(1, { shape, values: new Float64Array(size) })]);
      expect(out.shape).toBeUndefined();
      expect(caught(() => out.values)).toMatchObject({
        code: "E-RESULT",
        facts: { reason: "structure", actual: "different things" },
        ...text,
      });
      expect(out.datum(0)).toBe(10);
    }
    const [row, column] = [
      [1, 2],
      [2, 1],
    ].map((shape) => part(1, { shape, values: new Float64Array(2) }));
    expect(outcome([row as Part, column as Part]).shape).toBeUndefined();
  });

  const structured = (actual: string, others: Partial<Part> = {}): Part =>
    part(1, {
      ...{ shape: undefined, values: undefined, mixture: symbols(actual.slice(2)) },
      refusal: { ...error, message: actual, facts: { reason: "structure", actual } },
      ...others,
    });

  test("of structure are refused as one where all are alike", () => {
    const alike = outcome([structured("a list"), structured("a list")]);
    expect(caught(() => alike.values)).toMatchObject({ message: "a list", ...text });
    expect([alike.datum(1), alike.print(1)]).toEqual(["list", "list"]);
    for (const parts of [
      [structured("a list"), structured("a symbol")],
      [structured("a list"), part(1)],
    ])
      expect(caught(() => outcome(parts).values).facts.actual).toBe("different things");
  });

  test("tell failures and numbers that are not finite by the lane of the whole", () => {
    const bad = new NonFiniteLanes(2);
    const cause = bad.addCause({ span: { start: 0, end: 3 }, cause: "by (f x)" });
    bad.add(1, Number.NaN, cause);
    bad.add(0, -Infinity, 0);
    const out = outcome([
      part(2, { ...failing([error], [[1, 0]]) }),
      part(2, { nonFinite: bad.pack() }),
      part(2, {
        ...failing(
          [
            { ...error, message: "p" },
            { ...error, message: "q" },
          ],
          [
            [1, 1],
            [0, 0],
          ],
        ),
      }),
    ]);
    expect(out.failures.map(({ lane, error: one }) => [lane, one.message])).toEqual([
      [1, "no"],
      [4, "p"],
      [5, "q"],
    ]);
    expect(out.failures[0]?.error).toMatchObject({ ...error, ...text });
    expect(out.nonFinite).toEqual([
      { lane: 2, value: -Infinity, span: undefined, cause: "", message: "lane 2 is -Infinity" },
      {
        ...{ lane: 3, value: Number.NaN, span: { start: 0, end: 3 }, cause: "by (f x)" },
        message: "lane 3 is NaN: by (f x)",
      },
    ]);
    expect(caught(() => out.datum(4)).message).toBe("p");
    expect(caught(() => out.print(1)).message).toBe("no");
  });

  test("throw the first failure where every lane failed, and a part that failed has no say in shapes", () => {
    const failed = part(1, {
      shape: undefined,
      values: undefined,
      ...failing([error], [[0, 0]]),
    });
    expect(caught(() => outcome([failed, deadPart(2)]))).toMatchObject({
      code: "E-TYPE",
      message: "no",
    });
    const out = outcome([failed, part(2)]);
    expect([out.shape, [...out.values]]).toEqual([[], [Number.NaN, 20, 21]]);
    const dead = outcome([part(1), deadPart(2)]);
    expect(dead.failures.map(({ lane, error: one }) => [lane, one.code])).toEqual([
      [1, "E-WORKER"],
      [2, "E-WORKER"],
    ]);
    expect(dead.failures[0]?.error.facts).toEqual({ reason: "crash", attempts: 2 });
  });

  test("arrays by lane are joined, NaN where a part has none", () => {
    const parts = [
      part(1, { gradients: { a: Float64Array.of(1, 2) } }),
      part(2),
      part(1, { gradients: { a: Float64Array.of(5, 6) } }),
    ];
    const { NaN: none } = Number;
    expect([...joinArrays(parts, 2, ({ gradients }) => gradients["a"])]).toEqual([
      1,
      2,
      none,
      none,
      none,
      none,
      5,
      6,
    ]);
    expect([...joinArrays([part(2)], 3, () => undefined)]).toEqual(Array(6).fill(none));
  });

  test("inactive are inputs that no part with a result depends on", () => {
    const inactive = (...names: string[]): Part => part(1, { inactive: names });
    const failed = part(1, { inactive: [], ...failing([error], [[0, 0]]) });
    expect(commonInactive([inactive("a", "b"), inactive("b", "c")])).toEqual(["b"]);
    expect(commonInactive([inactive("a", "b"), failed])).toEqual(["a", "b"]);
    expect(commonInactive([failed])).toEqual([]);
    const half = part(2, { inactive: ["a"], ...failing([error], [[0, 0]]) });
    expect(commonInactive([half, inactive("b")])).toEqual([]);
  });

  test("counters add up, but for those whose greatest is told", () => {
    const all = [{ steps: 2, walks: 5 }, undefined, { steps: 7, walks: 1 }] as (
      | RunStats
      | undefined
    )[];
    expect({ ...sumStats(all, []) }).toEqual({ steps: 9, walks: 6 });
    expect({ ...sumStats(all, ["walks"]) }).toEqual({ steps: 9, walks: 5 });
  });

  test("errors travel whole", () => {
    expect(unpackError(error, "s", "f")).toMatchObject({ ...error, source: "s", file: "f" });
  });
});

describe("inputs of a part", () => {
  const bound = (others: Partial<BoundInput>): BoundInput =>
    ({ name: "x", kind: "numbers", value: 0, rank: 0, rows: 1, cols: 1, ...others }) as BoundInput;

  test("are cut out, copied for a worker and viewed for a block", () => {
    const numbers = Float64Array.of(1, 2, 3, 4);
    const inputs = [
      bound({ perLane: numbers }),
      bound({ name: "y", perLane: [5, 6, 7, 8] as never }),
      bound({ name: "z", value: 9 }),
      bound({ name: "i", kind: "int", value: 3 } as Partial<BoundInput>),
    ];
    const cut = partInputs(inputs, 1, 3);
    expect({ ...cut.inputs }).toEqual({
      x: Float64Array.of(2, 3),
      y: Float64Array.of(6, 7),
      z: 9,
      i: { kind: "int", value: 3 },
    });
    expect(cut.transfer).toHaveLength(2);
    expect((cut.inputs["x"] as Float64Array).buffer).not.toBe(numbers.buffer);
    expect((blockInputs(inputs, 1, 3)["x"] as Float64Array).buffer).toBe(numbers.buffer);
    expect({ ...blockInputs(inputs, 1, 3) }).toEqual({ ...cut.inputs });
  });

  test("over axes keep all their values, and begin at another lane", () => {
    const stride = { terms: [{ size: 2, step: 1, over: 1 }], offset: 4 } as never;
    const values = Float64Array.of(1, 2);
    const { inputs, transfer } = partInputs([bound({ perLane: values, stride })], 3, 8);
    expect(inputs["x"]).toEqual({
      kind: "part",
      lanes: 5,
      stride: { ...(stride as object), offset: 7 },
      values,
    });
    expect(transfer).toEqual([]);
  });

  test("vectors and matrices by lane are those of its lanes, and shared ones are one", () => {
    const tensors = [1, 2, 3].map((one) => ({ kind: "tensor", data: [one] })) as never[];
    const shared = Float64Array.of(1, 2, 3, 4);
    const { inputs } = partInputs(
      [
        bound({ tensors } as Partial<BoundInput>),
        bound({ name: "m", rank: 2, rows: 2, cols: 2, shared } as Partial<BoundInput>),
      ],
      1,
      3,
    );
    expect(inputs["x"]).toEqual(tensors.slice(1));
    expect(inputs["m"]).toEqual({ kind: "tensor", rank: 2, rows: 2, cols: 2, data: shared });
  });
});
