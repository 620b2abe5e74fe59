/**
 * Pools whose workers get on when the test says so: whatever order calls, answers, deaths and signals come
 * in, every call ends as on one machine, workers are sent what they need and no more, and nothing stays
 * behind in them.
 */

import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Evaluation,
  type GradientResult,
  type Inputs,
  Machine,
  type NdvmError,
  type Pool,
  type PoolGradientOptions,
  type Program,
} from "../../src/index.js";
import { bitsOf, caught, caughtLater } from "../machine/support.js";
import { Crowd, requestsOf, settled, type Thread } from "./threads.js";

let crowd = new Crowd();
vi.mock("../../src/workers/host.js", async (original) => ({
  ...(await original<typeof import("../../src/workers/host.js")>()),
  hostStarter: async () => crowd.startHost,
}));

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.info(`scripted pools: SEED=${seed}`);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());
beforeEach(() => {
  crowd = new Crowd();
});

const poolOf = (workers: number, sharedMemory: boolean): Promise<Pool> =>
  crowd.poolOf(machine, workers, sharedMemory);

const numbers = (lanes: number): Float64Array =>
  Float64Array.from({ length: lanes }, (_, i) => 1 + i / 3);

/** A signal that counts who listens to it. */
function countedSignal() {
  const abort = new AbortController();
  const { signal } = abort;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener, signal.removeEventListener];
  signal.addEventListener = (...args: unknown[]) => {
    listeners += 1;
    add.apply(signal, args as never);
  };
  signal.removeEventListener = (...args: unknown[]) => {
    listeners -= 1;
    remove.apply(signal, args as never);
  };
  return { abort: () => abort.abort(), signal, listeners: () => listeners };
}

interface Wish {
  readonly program: Program | string;
  readonly inputs: Inputs;
  readonly options: PoolGradientOptions;
  readonly isGradient: boolean;
}

/** What a caller sees: bits, or the refusal. */
type Seen =
  | { readonly values: string[]; readonly gradients: string[] }
  | Pick<NdvmError, "code" | "message" | "help">;

const refusalOf = ({ code, message, help }: NdvmError): Seen => ({ code, message, help });

const seenOf = (out: Evaluation): Seen => ({
  values: bitsOf(out.values),
  gradients: Object.values((out as Partial<GradientResult>).gradients ?? {}).flatMap((each) => [
    ...bitsOf(each as Float64Array),
  ]),
});

function alone({ program, inputs, options, isGradient }: Wish): Seen {
  const own = typeof program === "string" ? machine.load(program) : program;
  try {
    return seenOf(isGradient ? own.gradient(inputs, options) : own.evaluate(inputs, options));
  } catch (error) {
    return refusalOf(error as NdvmError);
  } finally {
    if (own !== program) own.dispose();
  }
}

describe.each([true, false])("with shared memory: %s", (sharedMemory) => {
  const texts = ["(* a x)", "(if (< x 2) (* x x) (+ x 1))", "(vec x x)"];

  const action = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ call: fc.nat(5), lanes: fc.integer({ min: 1, max: 70 }) }),
    },
    { weight: 10, arbitrary: fc.record({ step: fc.nat(2) }) },
    {
      weight: 2,
      arbitrary: fc.record({ die: fc.nat(2), parts: fc.option(fc.nat(2), { nil: undefined }) }),
    },
    { weight: 1, arbitrary: fc.record({ abort: fc.nat(9) }) },
  );

  test("any order of calls, answers, deaths and signals ends every call as one machine does", async () => {
    const programs = texts.map((text) => machine.load(`${text} ; kept`));
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 50, size: "max" }), async (actions) => {
        crowd = new Crowd();
        const pool = await poolOf(3, sharedMemory);
        const calls: {
          wish: Wish;
          signal: ReturnType<typeof countedSignal>;
          isAborted: boolean;
          deaths: number;
          ended: Seen | undefined;
        }[] = [];
        const deaths = (): number =>
          crowd.threads.filter(({ isGone, wasEnded }) => isGone && !wasEnded).length;
        const begin = (which: number, lanes: number): void => {
          const [text, program] = [texts[which % 3] as string, programs[which % 3] as Program];
          const signal = countedSignal();
          const inputs = text === "(* a x)" ? { a: 3, x: numbers(lanes) } : { x: numbers(lanes) };
          const isGradient = (which + lanes) % 2 === 0;
          const wish = { program: which < 3 ? text : program, inputs, isGradient, options: {} };
          const call = {
            wish,
            signal,
            isAborted: false,
            deaths: deaths(),
            ended: undefined,
          } as never;
          const own = call as (typeof calls)[number];
          calls.push(own);
          const options = { signal: signal.signal };
          const running = isGradient
            ? pool.gradient(wish.program, inputs, options)
            : pool.evaluate(wish.program, inputs, options);
          running.then(
            (out) => {
              const [failure] = out.failures;
              own.ended = failure === undefined ? seenOf(out) : refusalOf(failure.error);
            },
            (error) => {
              own.ended = refusalOf(error);
            },
          );
        };
        const look = (): void => {
          for (const thread of crowd.alive)
            if (thread.isReady) expect(thread.isHeld).toBe(thread.isBusy);
          const waiting = calls.filter(({ ended }) => ended === undefined).length;
          // Nobody is idle beside a call that nobody works at.
          if (crowd.busy.length < 3) expect(crowd.busy.length).toBeGreaterThanOrEqual(waiting);
        };
        for (const one of actions) {
          const { call, lanes, step, die, parts, abort } = one as Record<
            string,
            number | undefined
          >;
          if (call !== undefined) begin(call, lanes as number);
          if (step !== undefined) crowd.alive.at(step)?.step();
          if (die !== undefined) crowd.alive.at(die)?.die(parts);
          const target = abort === undefined ? undefined : calls[abort];
          if (target !== undefined && target.ended === undefined) {
            target.isAborted = true;
            target.signal.abort();
          }
          await settled();
          look();
        }
        await crowd.drain();
        expect(crowd.mistakes).toEqual([]);
        for (const { wish, isAborted, deaths: before, ended, signal } of calls) {
          expect(signal.listeners()).toBe(0);
          const code = (ended as NdvmError | undefined)?.code;
          if (isAborted) expect(code).toBe("E-ABORTED");
          else if (code === "E-WORKER") expect(deaths() - before).toBeGreaterThan(1);
          else expect(ended).toEqual(alone(wish));
        }
        for (const { isBusy, isHeld, has } of crowd.alive) {
          expect([isBusy, isHeld]).toEqual([false, false]);
          // Programs stay for the next call; a text is gone with its own.
          expect([...has.values()].filter((source) => !source.endsWith("; kept"))).toEqual([]);
        }
        await pool.dispose();
        expect(crowd.alive).toEqual([]);
      }),
      { seed, numRuns: 60 },
    );
    for (const program of programs) program.dispose();
  });

  test("a worker that has nothing of one call gets something of the next", async () => {
    const pool = await poolOf(3, sharedMemory);
    const all = [1, 2, 3, 4].map((a) => pool.evaluate("(* a x)", { a, x: [1] }));
    await settled();
    const given = crowd.threads.map((thread) => requestsOf(thread).map(({ program }) => program));
    expect(given).toEqual([[1], [2], [3]]);
    await crowd.drain();
    expect((await Promise.all(all)).map(({ values }) => values[0])).toEqual([1, 2, 3, 4]);
    await pool.dispose();
  });

  test("several parts that cost two workers each are given up, each once, and the others are told", async () => {
    const pool = await poolOf(1, sharedMemory);
    const x = numbers(sharedMemory ? 1500 : 9000);
    const running = pool.evaluate("(* x x)", { x });
    await settled();
    for (let deaths = 0; deaths < 4; deaths++) {
      const [worker] = crowd.alive as [Thread];
      if (!worker.isReady) worker.step();
      worker.die(0);
      worker.step();
      await settled();
    }
    await crowd.drain();
    const { values, failures } = await running;
    const lost = new Set(failures.map(({ lane }) => lane));
    expect(new Set(failures.map(({ error }) => error.code))).toEqual(new Set(["E-WORKER"]));
    expect(lost.size).toBe(failures.length);
    expect(lost.size).toBeGreaterThan(0);
    expect(lost.size).toBeLessThan(x.length);
    expect(bitsOf(values)).toEqual(
      bitsOf(x.map((each, lane) => (lost.has(lane) ? Number.NaN : each * each))),
    );
    await pool.dispose();
  });

  test("a text is gone from all workers after its call, also from those that answer late", async () => {
    const pool = await poolOf(3, sharedMemory);
    const text = "(vec x x)";
    const refused = caughtLater(pool.gradient(text, { x: numbers(24) }));
    await settled();
    expect(crowd.busy).toHaveLength(3);
    crowd.threads[1]?.step();
    expect((await refused).code).toBe("E-RESULT");
    expect(crowd.threads.map(({ has }) => has.size)).toEqual([1, 0, 1]);
    // Its other workers were not ended, and are of use again.
    await crowd.drain();
    expect(crowd.threads.map(({ has, isGone }) => [has.size, isGone])).toEqual(
      Array(3).fill([0, false]),
    );
    expect(crowd.mistakes).toEqual([]);
    await pool.dispose();
  });

  test("a signal ends the workers that run its call and no others", async () => {
    const pool = await poolOf(3, sharedMemory);
    const { signal, abort, listeners } = countedSignal();
    const ended = caughtLater(pool.evaluate("(* x x)", { x: numbers(16) }, { signal }));
    const other = pool.evaluate("(+ x 1)", { x: [1] });
    await settled();
    expect([crowd.busy.length, listeners()]).toEqual([3, 1]);
    abort();
    const error = await ended;
    expect([error.code, error.source, error.facts]).toEqual([
      ...["E-ABORTED", "(* x x)", { reason: "aborted" }],
    ]);
    expect(crowd.threads.map(({ wasEnded }) => wasEnded)).toEqual([true, true, false]);
    expect(listeners()).toBe(0);
    await crowd.drain();
    expect([...(await other).values]).toEqual([2]);
    // New ones are started when there is work for them.
    const next = pool.evaluate("(* x x)", { x: numbers(24) });
    await settled();
    expect(crowd.alive).toHaveLength(3);
    await crowd.drain();
    expect([...(await next).values]).toEqual([...numbers(24)].map((x) => x * x));
    expect(crowd.mistakes).toEqual([]);
    await pool.dispose();
  });

  test.each([
    ["a signal", { x: numbers(24) }, "(* x x)"],
    ["a refusal", { x: numbers(24) }, "(vec x x)"],
    ["a text that cannot be read", { x: numbers(24) }, "(car 5)"],
  ])("whoever waits for workers of a call that %s ends goes on", async (how, inputs, text) => {
    const pool = await poolOf(2, sharedMemory);
    const { signal, abort } = countedSignal();
    const first = caughtLater(pool.gradient(text, inputs, { signal }));
    const heard: number[][] = [];
    const waiting = [2, 3, 4].map(async (a) => {
      heard.push([...(await pool.evaluate("(* a x)", { a, x: [1, 2, 3] })).values]);
    });
    await settled();
    expect(crowd.busy).toHaveLength(2);
    if (how === "a signal") abort();
    await crowd.drain();
    await first;
    await settled();
    expect(heard).toHaveLength(3);
    await Promise.all(waiting);
    expect(heard.sort()).toEqual([
      [2, 4, 6],
      [3, 6, 9],
      [4, 8, 12],
    ]);
    expect(crowd.mistakes).toEqual([]);
    await pool.dispose();
  });

  test("a worker keeps 32 programs, and drops the one that was not used for longest", async () => {
    const pool = await poolOf(1, sharedMemory);
    const programs = Array.from({ length: 33 }, (_, i) => machine.load(`(* x ${i})`));
    const run = async (i: number): Promise<void> => {
      const out = pool.evaluate(programs[i] as Program, { x: [2] });
      await crowd.drain();
      expect((await out).values[0]).toBe(2 * i);
    };
    for (let i = 0; i < 32; i++) await run(i);
    await run(0);
    const [worker] = crowd.threads as [Thread];
    const sent = (): (string | undefined)[] => requestsOf(worker).map(({ load }) => load?.source);
    expect(sent().at(-1)).toBeUndefined();
    expect(worker.has.size).toBe(32);
    await run(32);
    expect(worker.has.size).toBe(32);
    // The second was used longest ago.
    await run(0);
    expect(sent().at(-1)).toBeUndefined();
    await run(1);
    expect(sent().at(-1)).toBe("(* x 1)");
    expect(crowd.mistakes).toEqual([]);
    await pool.dispose();
    for (const program of programs) program.dispose();
  });

  test("a call takes its numbers and its seed as they are when it is made", async () => {
    const pool = await poolOf(1, sharedMemory);
    const [x, weights] = [numbers(9000), numbers(9000)];
    const wanted = bitsOf(weights.map((weight, i) => 2 * weight * (x[i] as number)));
    const running = pool.gradient("(* x x)", { x }, { seed: weights });
    await settled();
    x.fill(0);
    weights.fill(0);
    await crowd.drain();
    expect(bitsOf((await running).gradients["x"] ?? [])).toEqual(wanted);
    await pool.dispose();
  });

  test("what one machine refuses is refused before a worker hears of it", async () => {
    const pool = await poolOf(1, sharedMemory);
    const program = machine.load("(* x x)");
    const wrong: readonly [Program | string, Inputs, object][] = [
      [program, { x: [1, 2] }, { stepsMax: -1 }],
      [program, { x: [1, 2] }, { timeMax: Number.NaN }],
      [program, { x: [1, 2] }, { lanes: 3 }],
      [program, { x: [1, 2] }, { wrt: "x" }],
      [program, { y: 1 }, {}],
      [program, {}, {}],
      ["(* x", { x: 1 }, {}],
      ["(let ((x)) x)", { x: 1 }, {}],
    ];
    for (const [which, inputs, options] of wrong) {
      const { code, message, help, source } = await caughtLater(
        pool.gradient(which, inputs, options),
      );
      const own = caught(() => {
        const loaded = typeof which === "string" ? machine.load(which) : which;
        loaded.gradient(inputs, options);
      });
      expect({ code, message, help, source }).toEqual({
        ...{ code: own.code, message: own.message, help: own.help, source: own.source },
      });
    }
    const short = await caughtLater(pool.gradient(program, { x: [1, 2] }, { seed: [1, 2, 3] }));
    expect(short).toMatchObject({ code: "E-INPUT", message: "the seed has 3 numbers for 2 lanes" });
    program.dispose();
    expect((await caughtLater(pool.evaluate(program, { x: 1 }))).code).toBe("E-DISPOSED");
    expect(crowd.threads[0]?.got).toEqual([]);
    await pool.dispose();
  });

  test("a pool that is disposed refuses all its calls and ends all its workers", async () => {
    const pool = await poolOf(2, sharedMemory);
    const signals = [0, 1, 2].map(countedSignal);
    const running = signals.map(({ signal }, i) =>
      caughtLater(pool.evaluate("(* x x)", { x: numbers(20 + i) }, { signal })),
    );
    await settled();
    await pool.dispose();
    expect((await Promise.all(running)).map(({ code }) => code)).toEqual(
      Array(3).fill("E-DISPOSED"),
    );
    expect(crowd.threads.map(({ wasEnded }) => wasEnded)).toEqual([true, true]);
    expect(signals.map(({ listeners }) => listeners())).toEqual([0, 0, 0]);
    expect((await caughtLater(pool.evaluate("1"))).code).toBe("E-DISPOSED");
    expect(crowd.mistakes).toEqual([]);
  });
});

describe("a pool in the making", () => {
  test("ends the workers it has when one of them dies", async () => {
    const making = caughtLater(machine.pool({ workers: 3 }));
    while (crowd.threads.length < 3) await settled();
    crowd.threads[0]?.step();
    crowd.threads[2]?.die();
    const error = await making;
    expect([error.code, error.facts]).toEqual(["E-WORKER", { reason: "crash", value: 1 }]);
    expect(crowd.threads.map(({ wasEnded }) => wasEnded)).toEqual([true, true, false]);
  });

  test("tells workers whether they are alone, and lets the process end while they wait", async () => {
    for (const workers of [1, 2]) {
      crowd = new Crowd();
      const pool = await poolOf(workers, true);
      expect(crowd.threads.map(({ start }) => start?.hasOthers)).toEqual(
        Array(workers).fill(workers > 1),
      );
      expect(crowd.threads.map(({ isHeld }) => isHeld)).toEqual(Array(workers).fill(false));
      await pool.dispose();
    }
  });
});

describe("room for results in shared memory", () => {
  test("is what the program's values took last time, whatever became of the first lanes", async () => {
    const pool = await poolOf(2, true);
    const program = machine.load("(if (< x 2) (car x) (vec x x x))");
    const counts = async (x: readonly number[]): Promise<number[]> => {
      const before = crowd.threads.map(({ got }) => got.length);
      const running = pool.evaluate(program, { x }).catch(() => undefined);
      await crowd.drain();
      await running;
      return crowd.threads.flatMap((thread, i) =>
        thread.got
          .slice(before[i])
          .flatMap((message) => (message.kind === "blocks" ? [message.results.count] : [])),
      );
    };
    const failing = Array.from({ length: 8 }, () => 1);
    const x = [...failing, 2, 3];
    expect(await counts(x)).toEqual([1, 1]);
    expect(await counts(x)).toEqual([3, 3]);
    // A call without any value changes nothing.
    expect(await counts(failing)).toEqual([3]);
    expect(await counts(x)).toEqual([3, 3]);
    program.dispose();
    await pool.dispose();
  });
});
