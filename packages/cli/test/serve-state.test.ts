/**
 * What the service keeps between calls: machines by their options, the head of an answer, a controller that
 * is used again, programs until they are released. A call must not see anything of another.
 */

import type { Machine } from "@ndvm/core";
import { expect, test, vi } from "vitest";
import { drawFit, type Fitted } from "../src/serve/figures.js";
import { ArrayList, FrameReader, type Numbers } from "../src/serve/frames.js";
import { Server } from "../src/serve/server.js";
import { errorJson } from "../src/serve/values.js";

const life = { machines: 0, programs: 0 };
vi.mock("@ndvm/core", async (original) => {
  const core = await original<typeof import("@ndvm/core")>();
  const counted = <T extends { dispose(): void }>(one: T, kind: keyof typeof life): T => {
    life[kind] += 1;
    const dispose = one.dispose.bind(one);
    one.dispose = () => {
      life[kind] -= 1;
      dispose();
    };
    return one;
  };
  const create: typeof Machine.create = async (...given) => {
    const machine = counted(await core.Machine.create(...given), "machines");
    const load = machine.load.bind(machine);
    machine.load = (...what) => counted(load(...what), "programs");
    return machine;
  };
  return { ...core, Machine: { create } };
});

type Header = Readonly<Record<string, unknown>>;
interface Heard {
  readonly id: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: string };
  readonly numbers: readonly number[][];
}

/** A client of a server in this process. */
function client() {
  const heard: Heard[] = [];
  const reader = new FrameReader(({ header, arrays }) =>
    heard.push({
      ...(header as unknown as Heard),
      numbers: arrays.map(({ numbers }) => [...numbers]),
    }),
  );
  const server = new Server((parts) => {
    for (const part of parts) reader.push(part);
  });
  const send = (header: Header, ...arrays: readonly Numbers[]): void => {
    const list = new ArrayList();
    for (const numbers of arrays) list.add(numbers);
    for (const part of list.frame(header)) server.push(part);
  };
  /** Waits until there are so many answers besides the greeting. */
  const answers = async (count: number): Promise<readonly Heard[]> => {
    while (heard.length <= count) await new Promise((resolve) => setImmediate(resolve));
    return heard.slice(1);
  };
  return { send, answers, end: () => server.end() };
}

const X = { x: { $array: 0, kind: "lanes" } };
const x = (...numbers: number[]) => Float64Array.from(numbers);
const load = (id: number, source: string, machine: object = {}): Header => ({
  ...{ id, call: "load", source, machine },
});

test("machines of other options are other machines, those of the same are one", async () => {
  const { send, answers, end } = client();
  const big = "(* x (trace (eye 1200)))";
  const [small, large] = [8 * 2 ** 20, 256 * 2 ** 20];
  send(load(1, big, { memoryMax: small }));
  send(load(2, big, { memoryMax: large }));
  send(load(3, "(/ x 3)", { precision: "f32", memoryMax: large }));
  send(load(4, "(/ x 3)", { memoryMax: large }));
  await answers(4);
  expect(life.machines).toBe(3);
  for (const program of [1, 2, 3, 4])
    send({ id: 10 + program, call: "evaluate", program, inputs: { x: 1 } });
  const [one, two, three, four] = (await answers(8)).slice(4);
  expect(one?.error?.code).toBe("E-MEMORY");
  expect(two?.error).toBeUndefined();
  expect(three?.numbers).toEqual([[Math.fround(1 / 3)]]);
  expect(four?.numbers).toEqual([[1 / 3]]);
  await end();
  expect(life.machines).toBe(0);
});

test("a call that waits behind another is cancelled by itself", async () => {
  const { send, answers, end } = client();
  send(load(1, "(loop ((i 0)) (if (< i n) (recur (+ i 1)) i))"));
  const evaluate = (id: number, n: number, options: object = {}): Header => ({
    ...{ id, call: "evaluate", program: 1, inputs: { n }, options: { stepsMax: 1e15, ...options } },
  });
  // The first answer leaves a controller behind, which the next call takes, and only that.
  send(evaluate(2, 1));
  await answers(2);
  send(evaluate(3, 1e15, { timeMax: 150 }));
  send(evaluate(4, 1));
  send({ call: "cancel", of: 4 });
  const [three, four] = (await answers(4)).slice(2);
  expect([three?.id, three?.error?.code]).toEqual([3, "E-TIME"]);
  expect([four?.id, four?.error?.code]).toEqual([4, "E-ABORTED"]);
  send(evaluate(5, 3));
  expect((await answers(5))[4]?.numbers).toEqual([[3]]);
  await end();
});

test("a call that was cancelled too late does not cancel the next", async () => {
  const { send, answers, end } = client();
  send(load(1, "(vec (* x x) x)"));
  await answers(1);
  send({ id: 2, call: "jacobian", program: 1, inputs: { x: 3 } });
  send({ call: "cancel", of: 2 });
  const [, two] = await answers(2);
  expect(two?.id).toBe(2);
  send({ id: 3, call: "evaluate", program: 1, inputs: { x: 2 } });
  const [, , three] = await answers(3);
  expect(three?.error).toBeUndefined();
  expect(three?.numbers).toEqual([[4, 2]]);
  await end();
});

test("the same header again is answered by what this run came to: shape, inactive inputs, lanes", async () => {
  const { send, answers, end } = client();
  send(load(1, "(if (< x 0) (vec x x) (outer (vec x x) (vec 1)))"));
  send(load(2, "(if (< x 0) 1 (* 2 x))"));
  const shaped = { id: 3, call: "evaluate", program: 1, inputs: X };
  const slopes = { id: 4, call: "gradient", program: 2, inputs: X };
  for (const value of [-1, 1, -2, 2]) send(shaped, x(value));
  for (const value of [-1, 1, -2, 2]) send(slopes, x(value));
  send(slopes, x(3, 4));
  send(slopes, x(5));
  const found = (await answers(12)).slice(2);
  expect(found.slice(0, 4).map(({ result }) => result?.["shape"])).toEqual([
    [2],
    [2, 1],
    [2],
    [2, 1],
  ]);
  expect(found.slice(4, 8).map(({ result }) => result?.["inactive"])).toEqual([
    ["x"],
    [],
    ["x"],
    [],
  ]);
  expect(found.slice(4).map(({ numbers }) => numbers)).toEqual([
    ...[
      [[1], [0]],
      [[2], [2]],
      [[1], [0]],
      [[4], [2]],
    ],
    ...[
      [
        [6, 8],
        [2, 2],
      ],
      [[10], [2]],
    ],
  ]);
  expect(found.slice(8).map(({ result }) => result?.["lanes"])).toEqual([2, 1]);
  await end();
});

test("a mistake of ours is told as one, with its own words", () => {
  for (const thrown of [new Error("boom"), "boom"])
    expect(errorJson(thrown)).toEqual({
      ...{ code: "E-INTERNAL", message: "boom", facts: {}, text: "error E-INTERNAL: boom" },
    });
});

test("programs are kept until they are released, and then let go of", async () => {
  life.programs = 0;
  const { send, answers, end } = client();
  for (const id of [1, 2, 3]) send(load(id, `(* ${id} x)`));
  await answers(3);
  expect(life.programs).toBe(3);
  send({ id: 4, call: "evaluate", program: 3, inputs: { x: 2 }, release: [1, 2, 99] });
  send({ id: 5, call: "evaluate", program: 1, inputs: { x: 2 } });
  const [kept, gone] = (await answers(5)).slice(3);
  expect(kept?.numbers).toEqual([[6]]);
  expect(gone?.error?.code).toBe("E-PROTOCOL");
  expect(life.programs).toBe(1);
  await end();
});

test("figures of a fit are drawn from its target, its groups and its trials", async () => {
  const { fit, Machine: Machines } = await import("@ndvm/core");
  const machine = await Machines.create();
  const program = machine.load("(sigmoid (+ a (* b x)))");
  const data = { x: x(0, 1, 2, 3, 4, 5), k: x(1, 2, 3, 5, 6, 7), trials: x(8, 9, 8, 9, 8, 9) };
  const options = { data, target: "k", loss: "binomial", trials: "trials" } as const;
  const fitted: Fitted = { result: await fit(program, options), options, program };
  const drawn = await drawFit(fitted);
  const { trials: _, ...without } = options;
  expect(drawn).toContain("<svg");
  expect(await drawFit({ ...fitted, options: { ...options, trials: data.trials } })).toBe(drawn);
  expect(await drawFit({ ...fitted, options: without })).not.toBe(drawn);
  expect(await drawFit({ ...fitted, options: { ...options, target: ["k"] } })).toBe(drawn);
  machine.dispose();
});

test("figures of a search are those of the report, of the rows and members that were sent", async () => {
  const { searchFigures } = await import("@ndvm/report");
  const member = (id: number, source: string, length: number) => ({
    ...{ id, visit: id, source, params: { a: 2 }, intervals: {}, complexity: 2 + id },
    ...{ r2: 0.9, trainR2: 0.9, loss: 3 - id, bic: -Infinity, score: 0.2, length },
    ...{ parts: { data: 1, constants: 2, symbols: 3, gaps: 0 }, isWeighed: true },
    ...{ simple: [], undetermined: [], hidden: 0 },
  });
  const front = [member(0, "(* a x)", 9), member(1, "(+ (* a x) (sqrt (- x 2)))", 5)];
  const worded = front.map((one) => ({ ...one, bic: { number: "-Infinity" } }));
  const rows = { x: x(0, 1, 2, 3, 4), y: x(0, 2.1, 4, 6.2, 8) };
  const { send, answers, end } = client();
  const fields = { call: "searchFigures", target: "y", inputs: ["x"], front: worded };
  const data = { x: { $array: 0, kind: "lanes" }, y: { $array: 1, kind: "lanes" } };
  const sent = [
    { id: 1, ...fields, data, chosen: worded[1] },
    { id: 2, ...fields, data },
    { id: 3, ...fields, data, chosen: worded[1], domain: "clamp" },
    { id: 4, ...fields, target: 5 },
  ];
  for (const header of sent) send(header, rows.x, rows.y);
  const [chosen, none, clamped, refused] = await answers(4);
  const wanted = (member: unknown, domain: string) =>
    searchFigures(
      { target: "y", inputs: ["x"], domain, train: rows, heldOut: {} } as never,
      front as never,
      member as never,
    );
  expect(chosen?.result?.["html"]).toBe(await wanted(front[1], "ieee"));
  expect(none?.result?.["html"]).toBe(await wanted(undefined, "ieee"));
  expect(clamped?.result?.["html"]).toBe(await wanted(front[1], "clamp"));
  expect(refused?.error?.code).toBe("E-PROTOCOL");
  expect(new Set([chosen, none, clamped].map((one) => one?.result?.["html"])).size).toBe(3);
  await end();
});
