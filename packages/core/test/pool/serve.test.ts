/**
 * What a worker of a pool answers, in one thread: messages go to it and come back through a port of the
 * test's own. Answers are held against the same runs on a machine.
 */

import { describe, expect, test } from "vitest";
import { type GradientOptions, type Inputs, Machine, type NdvmError } from "../../src/index.js";
import { type BoundInput, bindInputs } from "../../src/machine/inputs/inputs.js";
import { machineModule } from "../../src/machine/instance.js";
import { PoolOutcome } from "../../src/machine/pool/outcome.js";
import {
  type BlocksRequest,
  type FromWorker,
  NONE_NON_FINITE,
  type Part,
  type PartRequest,
  type ToWorker,
} from "../../src/machine/pool/parts.js";
import { servePool } from "../../src/machine/pool/serve.js";
import { InputRoom, openInputs, shareInputs, takeBlock } from "../../src/machine/pool/shared.js";
import { SharedWork } from "../../src/machine/pool/shared-work.js";
import { READY } from "../../src/workers/port.js";

interface Posted {
  readonly message: FromWorker | typeof READY;
  readonly transfer: readonly ArrayBuffer[];
}

class Thread {
  readonly posted: Posted[] = [];
  readonly seen: string[] = [];
  tell: (message: ToWorker) => void = () => {};

  constructor() {
    servePool(
      {
        listen: (hear) => {
          this.tell = hear;
        },
        post: (message, transfer = []) => {
          this.posted.push({ message, transfer });
        },
      },
      (source, inputs) => this.seen.push(`${source} ${JSON.stringify(inputs)}`),
    );
  }

  static async started(): Promise<Thread> {
    const thread = new Thread();
    const module = await machineModule("f64");
    thread.tell({ kind: "start", module, options: { precision: "f64" }, hasOthers: true });
    return thread;
  }

  ask(request: Partial<PartRequest> & Pick<PartRequest, "inputs">): FromWorker {
    const usual = {
      kind: "part",
      program: 1,
      load: undefined,
      options: {},
      isGradient: false,
    } as const;
    this.tell({ ...usual, ...request });
    return this.posted.at(-1)?.message as FromWorker;
  }
}

const load = (source: string): PartRequest["load"] => ({ source, options: {} });
const partOf = (answer: FromWorker): Part => {
  if (answer.kind !== "done") throw new Error(`the answer is ${answer.kind}`);
  return answer.part;
};

describe("a worker", () => {
  test("says that it is ready, and loads a program once", async () => {
    const thread = await Thread.started();
    expect(thread.posted).toEqual([{ message: READY, transfer: [] }]);
    const first = partOf(thread.ask({ load: load("(* a x)"), inputs: { a: 2, x: [1, 2] } }));
    expect([first.lanes, first.shape, [...(first.values ?? [])]]).toEqual([2, [], [2, 4]]);
    const again = partOf(thread.ask({ inputs: { a: 3, x: [5] } }));
    expect([...(again.values ?? [])]).toEqual([15]);
    const other = partOf(thread.ask({ program: 2, load: load("(+ a 1)"), inputs: { a: [1] } }));
    expect([...(other.values ?? [])]).toEqual([2]);
    expect([...(partOf(thread.ask({ inputs: { a: 1, x: [9] } })).values ?? [])]).toEqual([9]);
    expect(thread.seen).toEqual([
      '(* a x) {"a":2,"x":[1,2]}',
      '(* a x) {"a":3,"x":[5]}',
      '(+ a 1) {"a":[1]}',
      '(* a x) {"a":1,"x":[9]}',
    ]);
  });

  test("forgets a program that is dropped, and no other", async () => {
    const thread = await Thread.started();
    thread.ask({ load: load("(* a 2)"), inputs: { a: [1] } });
    thread.ask({ program: 2, load: load("(* a 3)"), inputs: { a: [1] } });
    const answers = thread.posted.length;
    thread.tell({ kind: "drop", program: 1 });
    thread.tell({ kind: "drop", program: 7 });
    expect(thread.posted).toHaveLength(answers);
    // Nobody asks for it again: that would be the pool's mistake, and ends the worker.
    expect(() => thread.ask({ inputs: { a: [1] } })).toThrow(TypeError);
    expect([...(partOf(thread.ask({ program: 2, inputs: { a: [1] } })).values ?? [])]).toEqual([3]);
    const back = thread.ask({ load: load("(* a 5)"), inputs: { a: [1] } });
    expect([...(partOf(back).values ?? [])]).toEqual([5]);
  });

  test("refuses what a machine refuses, in the same words", async () => {
    const thread = await Thread.started();
    const machine = await Machine.create();
    const cases: [string, Inputs, GradientOptions][] = [
      ["(* a", { a: 1 }, {}],
      ["(* a x)", { a: 1 }, {}],
      ["(* a x)", { a: 1, x: [1] }, { stepsMax: -1 }],
    ];
    for (const [source, inputs, options] of cases) {
      let wanted: NdvmError | undefined;
      try {
        machine.load(source).evaluate(inputs, options);
      } catch (error) {
        wanted = error as NdvmError;
      }
      const answer = thread.ask({ load: load(source), inputs, options });
      const { code, message, help, facts, span } = wanted as NdvmError;
      expect(answer).toEqual({ kind: "refused", error: { code, message, help, facts, span } });
      expect(thread.posted.at(-1)?.transfer).toEqual([]);
    }
    machine.dispose();
  });

  const runs: [string, string, Inputs][] = [
    ["numbers", "(* a x x)", { a: 2, x: [1, 2, 3] }],
    ["an input that does nothing", "(begin a (* x x))", { a: 2, x: [1, 2] }],
    ["vectors", "(vec a x)", { a: 2, x: [1, 2] }],
    ["structure", "(list a 'b x)", { a: 2, x: [1, 2] }],
    ["other things in other lanes", "(if (< x 2) x (list x))", { x: [1, 2, 1.5] }],
    ["lanes that fail", "(if (< x 2) (* a x) (car x))", { a: 2, x: [1, 2, 1.5, 3] }],
    ["lanes that fail beside structure", "(if (< x 2) (list x) (car x))", { x: [1, 2, 1.5] }],
    ["all lanes fail", "(car x)", { x: [1, 2] }],
    ["numbers that are not finite", "(log x)", { x: [1, -1, 0] }],
  ];

  test.each(runs)("answers with %s", async (_, source, inputs) => {
    const machine = await Machine.create();
    for (const isGradient of [false, true]) {
      const thread = await Thread.started();
      const isNumber =
        source.startsWith("(*") || source.startsWith("(begin") || source === "(log x)";
      if (isGradient && !isNumber) continue;
      const part = partOf(thread.ask({ load: load(source), inputs, isGradient }));
      const program = machine.load(source);
      const { outcome, inactive } = program.runPart(inputs, {}, isGradient);
      const { results } = outcome;
      expect(part.lanes).toBe(outcome.lanes);
      expect(part.shape).toEqual(results.shape);
      expect([part.isPlaced, part.inactive]).toEqual([false, inactive]);
      expect(part.values).toEqual(results.isNumeric ? results.values : undefined);
      expect(part.gradients).toEqual(results.gradients);
      expect(part.nonFinite).toEqual(results.notFinite?.pack() ?? NONE_NON_FINITE);
      const failed = new Map(results.failures.map(({ lane, error }) => [lane, error]));
      expect([...part.failures.lanes]).toEqual([...failed.keys()]);
      const isStructure = !results.isNumeric && failed.size < outcome.lanes;
      expect(part.refusal === undefined).toBe(!isStructure);
      expect(part.mixture).toEqual(results.packStructure());
      expect(part.mixture === undefined).toBe(!isStructure);
      // Numbers are handed over, each array of them once.
      const arrays = [part.values, ...Object.values(part.gradients)].filter(
        (one) => one !== undefined,
      );
      expect(thread.posted.at(-1)?.transfer).toEqual(arrays.map(({ buffer }) => buffer));
      const { memoryBytes: _bytes, ...counts } = part.stats as NonNullable<Part["stats"]>;
      expect(counts).toMatchObject({ lanes: outcome.lanes, walks: outcome.stats.walks });
    }
    machine.dispose();
  });
});

describe("blocks of a call", () => {
  const sources: readonly (readonly [string, string, boolean])[] = [
    ["numbers", "(* a x x)", true],
    ["vectors", "(vec a x)", false],
    ["structure", "(list a x)", false],
    ["other things in other lanes", "(if (< x 300) x (list x))", false],
    ["lanes that fail", "(if (< x 700) (* a x) (car x))", true],
    ["numbers that are not finite", "(log (- x 900))", true],
  ];
  const x = Float64Array.from({ length: 1300 }, (_, i) => (i * 7) % 1300);

  test.each(sources)(
    "are all run by a worker that is alone, and told at once: %s",
    async (_, source, isGradient) => {
      const machine = await Machine.create();
      const program = machine.load(source);
      const inputs: Inputs = program.inputs.includes("a") ? { a: 2, x } : { x };
      const bound = bindInputs(program.parsed, inputs, undefined);
      const seed = isGradient ? x.map((value) => 1 + value) : undefined;
      const options = seed === undefined ? {} : { seed };
      for (const others of [[], [0], [2, 3]]) {
        const order = { program: 1, inputs: bound.inputs, lanes: x.length, options, isGradient };
        const work = new SharedWork(order, 2, 1, new InputRoom());
        const [mine, theirs] = [await Thread.started(), await Thread.started()];
        const message = (place: number) =>
          work.request(place)?.message as Omit<BlocksRequest, "load">;
        const [request, second] = [message(0), message(1)];
        const { starts } = request.blocks;
        const count = starts.length - 1;
        expect(count).toBeGreaterThan(4);
        // Another worker has taken some of them first.
        for (const block of others) expect(takeBlock(request.blocks, block, 1)).toBe(block);
        mine.tell({ ...request, load: load(source) });
        const answer = mine.posted.at(-1)?.message as FromWorker & { kind: "blocks" };
        const told = [...answer.reports.map(({ block }) => block), ...answer.plain];
        const own = Array.from({ length: count }, (_, i) => i).filter((i) => !others.includes(i));
        expect(told.sort((a, b) => a - b)).toEqual(own);
        expect(mine.seen).toHaveLength(own.length);
        // The counters of all blocks come with the first of them.
        const { reports } = answer;
        expect(reports.map(({ part }) => part.stats === undefined)).toEqual(
          reports.map((_, i) => i > 0),
        );
        const lanesOf = (block: number) =>
          (starts[block + 1] as number) - (starts[block] as number);
        expect(reports[0]?.part.stats?.lanes).toBe(own.reduce((sum, i) => sum + lanesOf(i), 0));
        work.take(0, answer);
        expect(work.isDone).toBe(others.length === 0);
        for (const block of others) request.blocks.words[1 + block] = 0;
        if (others.length > 0) {
          theirs.tell({ ...second, load: load(source) });
          work.take(1, theirs.posted.at(-1)?.message as FromWorker & { kind: "blocks" });
        }
        expect(work.isDone).toBe(true);
        const text = { source, file: undefined };
        const outcome = new PoolOutcome(work.parts, x.length, bound.axes, text, work.allLanes);
        const wanted = isGradient ? program.gradient(inputs, options) : program.evaluate(inputs);
        expect([outcome.shape, outcome.nonFinite.length]).toEqual([
          wanted.shape,
          wanted.nonFinite.length,
        ]);
        expect(outcome.failures.map(({ lane, error }) => [lane, error.message])).toEqual(
          wanted.failures.map(({ lane, error }) => [lane, error.message]),
        );
        if (wanted.shape !== undefined) expect(outcome.values).toEqual(wanted.values);
        if ("gradients" in wanted) expect(work.allLanes.gradients).toEqual(wanted.gradients);
        for (const lane of [0, 1, 299, 640, 1299])
          if (!wanted.failures.some((failure) => failure.lane === lane))
            expect(outcome.print(lane)).toBe(wanted.print(lane));
      }
      machine.dispose();
    },
  );
});

describe("inputs in shared memory", () => {
  const bound = (others: object): BoundInput =>
    ({ name: "x", kind: "numbers", value: 0, rank: 0, rows: 1, cols: 1, ...others }) as BoundInput;

  test("take as many bytes as they have numbers, and are read as they were", () => {
    const tensors = [0, 1, 2].map((lane) => ({
      ...{ kind: "tensor", rank: 2, rows: 2, cols: 3 },
      data: Float64Array.from({ length: 6 }, (_, i) => 10 * lane + i),
    }));
    const given = [
      bound({ name: "m", rank: 2, rows: 2, cols: 3, tensors }),
      bound({ name: "v", rank: 1, rows: 2, shared: Float64Array.of(7, 8) }),
      bound({ name: "f", perLane: Float32Array.of(1, 2, 3) }),
      bound({ name: "l", perLane: [4, 5, 6] }),
      bound({ name: "n", value: 9 }),
    ];
    const asked: number[] = [];
    const room = {
      take: (bytes: number) => {
        asked.push(bytes);
        return new SharedArrayBuffer(bytes);
      },
    };
    const { inputs, seed } = shareInputs(given, [1, 2, 3], room as never);
    // Three matrices of six, two numbers, three singles in two places of eight bytes, three, and the seed.
    expect(asked).toEqual([8 * (18 + 2 + 2 + 3 + 3)]);
    expect([...(seed as Float64Array)]).toEqual([1, 2, 3]);
    const opened = openInputs(inputs);
    expect(opened[0]?.tensors).toEqual(tensors);
    expect([opened[1]?.shared, opened[2]?.perLane, opened[4]?.value]).toEqual([
      ...[Float64Array.of(7, 8), Float32Array.of(1, 2, 3), 9],
    ]);
    expect([...(opened[3]?.perLane ?? [])]).toEqual([4, 5, 6]);
    // What is shared already is not copied.
    const own = new Float64Array(new SharedArrayBuffer(16));
    const again = shareInputs([bound({ perLane: own })], 2, room as never);
    expect([again.inputs[0]?.perLane, again.seed, asked.at(-1)]).toEqual([own, 2, 0]);
  });
});
