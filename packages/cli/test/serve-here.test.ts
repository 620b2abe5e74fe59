/**
 * The service in this process: whole answers to every call, frames however they are cut, and values
 * between JSON and the library at their edges. Renew with `npx vitest run --project cli
 * packages/cli/test/serve-here -u` after a change that means to change them, and read the difference.
 */

import { Readable } from "node:stream";
import type { NdvmError } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { ArrayList, type Frame, FrameReader, type Numbers } from "../src/serve/frames.js";
import { Server, serve } from "../src/serve/server.js";
import { arrayOf, dataOf, inputOf, mapFields, plain, unworded } from "../src/serve/values.js";

type Header = Readonly<Record<string, unknown>>;

/** Answers of a server to headers, one after the other. */
async function answers(calls: readonly (readonly [Header, ArrayList?])[]): Promise<Frame[]> {
  const frames: Frame[] = [];
  let wake = (): void => {};
  const reader = new FrameReader((frame) => {
    frames.push(frame);
    wake();
  });
  const server = new Server((parts) => {
    for (const part of parts) reader.push(part);
  });
  const found: Frame[] = [];
  for (const [header, arrays = new ArrayList()] of calls) {
    const before = frames.length;
    for (const part of arrays.frame(header)) expect(server.push(part)).toBe(true);
    const isAnswer = ({ header: own }: Frame) => "result" in own || "error" in own;
    while (!frames.slice(before).some(isAnswer))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    found.push(...frames.slice(before));
  }
  await server.end();
  return found;
}

/** Answers as text: numbers to ten digits, times and counts of rounds taken out. */
function told(frames: readonly Frame[]): unknown {
  const steady = (value: unknown, key = ""): unknown => {
    if (/seconds|illiseconds|evaluations|rounds|text|html|stats/.test(key)) return `<${key}>`;
    if (typeof value === "number") return Number(value.toPrecision(8));
    if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, (one) => steady(one));
    if (Array.isArray(value)) return value.map((one) => steady(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, steady(one, name)]),
    );
  };
  return frames.map(({ header, arrays }) => {
    const { arrays: _, ...rest } = header;
    const lists = arrays.map(({ numbers, shape }) => ({ shape, numbers }));
    return steady({ ...rest, lists });
  });
}

function lanes(list: ArrayList, numbers: Numbers, kind = "lanes", shape?: readonly number[]) {
  return { ...list.add(numbers, shape), kind };
}

const load = (source: string, more: object = {}): readonly [Header] => [
  { id: "load", call: "load", source, ...more },
];
const run = (call: string, make: (list: ArrayList) => object): readonly [Header, ArrayList] => {
  const list = new ArrayList();
  return [{ id: call, call, program: 1, ...make(list) }, list];
};
const x = Float64Array.of(1, 2, 3);

describe("a call", () => {
  test.each<[string, readonly (readonly [Header, ArrayList?])[]]>([
    [
      "evaluates numbers",
      [load("(* a x)"), run("evaluate", (l) => ({ inputs: { a: 2, x: lanes(l, x) } }))],
    ],
    [
      "evaluates vectors",
      [load("(* 2 v)"), run("evaluate", (l) => ({ inputs: { v: lanes(l, x, "vector") } }))],
    ],
    [
      "evaluates vectors of lanes",
      [
        load("(vsum v)"),
        run("evaluate", (l) => ({
          inputs: { v: lanes(l, Float64Array.of(1, 2, 3, 4, 5, 6), "vector", [2, 3]) },
        })),
      ],
    ],
    [
      "evaluates matrices",
      [
        load("(matvec m (vec 1 1))"),
        run("evaluate", (l) => ({
          inputs: { m: lanes(l, Float32Array.of(1, 2, 3, 4, 5, 6), "matrix", [3, 2]) },
        })),
      ],
    ],
    [
      "evaluates matrices of lanes",
      [
        load("(vsum (matvec m (vec 1 1)))"),
        run("evaluate", (l) => ({
          inputs: { m: lanes(l, Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8), "matrix", [2, 2, 2]) },
        })),
      ],
    ],
    [
      "evaluates integers and words for numbers",
      [
        load("(if (> a 1) n (list a n))"),
        run("evaluate", () => ({ inputs: { a: { number: "Infinity" }, n: { int: 3 } } })),
        run("evaluate", () => ({ inputs: { a: { number: "-Infinity" }, n: { int: 3 } } })),
      ],
    ],
    [
      "evaluates lists",
      [load("(list a 'w (vec a 1) #t)"), run("evaluate", (l) => ({ inputs: { a: lanes(l, x) } }))],
    ],
    [
      "tells of lanes that fail",
      [load("(if (< a 2) a (car a))"), run("evaluate", (l) => ({ inputs: { a: lanes(l, x) } }))],
    ],
    [
      "tells of lanes that are not finite",
      [load("(log (- a 2))"), run("evaluate", (l) => ({ inputs: { a: lanes(l, x) } }))],
    ],
    [
      "differentiates",
      [
        load("(* a (dot v v))"),
        run("gradient", (l) => ({ inputs: { a: lanes(l, x), v: lanes(l, x, "vector") } })),
        run("gradient", (l) => ({
          inputs: { a: lanes(l, x), v: lanes(l, x, "vector") },
          options: { wrt: ["v"] },
        })),
      ],
    ],
    [
      "differentiates what does not reach",
      [load("(if (< a 2) b b)"), run("gradient", () => ({ inputs: { a: 1, b: 2 } }))],
    ],
    [
      "differentiates from seeds",
      [
        load("(* a a)"),
        run("gradient", (l) => ({
          inputs: { a: lanes(l, x) },
          options: { seed: l.add(Float64Array.of(1, 10, 100)) },
        })),
        run("gradient", (l) => ({ inputs: { a: lanes(l, x) }, options: { seed: 5 } })),
      ],
    ],
    [
      "gives jacobians",
      [load("(vec (* a b) (+ a b))"), run("jacobian", () => ({ inputs: { a: 2, b: 3 } }))],
    ],
    [
      "gives stats where they are asked for",
      [load("(* a a)"), run("evaluate", () => ({ inputs: { a: 2 }, options: { stats: true } }))],
    ],
    [
      "fits",
      [
        load("(+ a (* b x))"),
        run("fit", (l) => ({
          options: {
            data: { x: lanes(l, x), y: lanes(l, Float64Array.of(3, 5, 7.5)) },
            target: "y",
          },
        })),
      ],
    ],
    [
      "fits an objective",
      [
        load("(+ (square (- a 2)) (square b))"),
        run("fit", () => ({ options: { params: { a: 1, b: { start: 1 } } } })),
      ],
    ],
    [
      "exports",
      [
        [{ id: 1, call: "export", source: "(* a x)", format: "math", params: { a: 2.5 } }],
        [{ id: 2, call: "export", source: "(* a x)", format: "cobol" }],
        [{ id: 3, call: "export", source: "(* a x)", format: "math", params: 5 }],
        ...[
          { inputs: ["max"], domain: "clamp" },
          { inputs: ["max", "zz"] },
          {},
          { inputs: "max" },
          { domain: "bad" },
          5,
        ].map((given, i): readonly [Header] => [
          { id: 4 + i, call: "export", source: "(* 2 (sqrt max))", format: "math", load: given },
        ]),
      ],
    ],
    [
      "loads with options",
      [
        load("(sqrt max)", { options: { inputs: ["max"], domain: "clamp" } }),
        run("evaluate", () => ({ inputs: { max: -1 } })),
        load("(/ a 3)", { machine: { precision: "f32" } }),
        [{ id: 2, call: "evaluate", program: 2, inputs: { a: 1 } }],
      ],
    ],
    [
      "is refused: no program",
      [
        run("evaluate", () => ({ inputs: {} })),
        run("fit", () => ({})),
        [{ id: 1, call: "fitFigures", fit: 1 }],
      ],
    ],
    ["is refused: no source", [[{ id: 1, call: "load" }], [{ id: 2, call: "load", source: 5 }]]],
    ["is refused: no call", [[{ id: 1, call: 5 }], [{ id: 2 }], [{ call: "sing" }]]],
    [
      "is refused: inputs of another kind",
      [
        load("a"),
        ...[5, { a: "x" }, { a: null }, { a: {} }, { a: { $array: 3 } }, { a: [] }, {}].map(
          (inputs) => run("evaluate", () => ({ inputs })),
        ),
      ],
    ],
    [
      "is refused: arrays of another shape",
      [
        load("a"),
        ...(["lanes", "vector", "matrix", "number", "cube"] as const).flatMap((kind) =>
          [[], [2, 2], [1, 2, 2], [2, 1, 1, 2]].map((shape) =>
            run("evaluate", (l) => ({
              inputs: {
                a: lanes(l, new Float64Array(shape.reduce((p, q) => p * q, 1)), kind, shape),
              },
            })),
          ),
        ),
      ],
    ],
    [
      "is refused: options of another kind",
      [
        load("a"),
        run("evaluate", () => ({ inputs: { a: 1 }, options: 5 })),
        run("evaluate", () => ({ inputs: { a: 1 }, options: { stepsMax: -1 } })),
        run("fit", () => ({ options: { data: 5 } })),
      ],
    ],
    [
      "after a release",
      [
        load("a"),
        load("(* 2 b)"),
        [{ id: 3, call: "evaluate", program: 2, inputs: { b: 1 }, release: [1] }],
        run("evaluate", () => ({ inputs: { a: 1 } })),
      ],
    ],
  ])("%s", async (_, calls) => {
    expect(told(await answers(calls))).toMatchSnapshot();
  });

  test("exports a text as it is loaded with `load`", async () => {
    const text = async (load: object) => {
      const call = { id: 1, call: "export", source: "(* 2 (sqrt max))", format: "math", load };
      const [answer] = await answers([[call]]);
      return (answer?.header["result"] as { text: string } | undefined)?.text;
    };
    expect(await text({ inputs: ["max"] })).toBe("2·√max");
    expect(await text({ inputs: ["max"], domain: "clamp" })).toBe("2·√max(max, 1e−8)");
    expect(await text({ inputs: ["max"], language: "bytecode" })).toBeUndefined();
  });

  test("that searches tells of it and gives the choice", async () => {
    const list = new ArrayList();
    const at = Float64Array.from({ length: 20 }, (__, i) => i / 4);
    const data = {
      x: lanes(list, at),
      y: lanes(
        list,
        at.map((one) => 3 * one),
      ),
    };
    const options = {
      data,
      target: "y",
      budget: { candidates: 12 },
      workers: 0,
      seed: 1,
      evolve: { draws: 12 },
    };
    const frames = await answers([[{ id: 1, call: "search", options }, list]]);
    const last = frames.at(-1)?.header["result"] as { done: { counts: { candidates: number } } };
    expect(last.done.counts.candidates).toBe(12);
    const told = frames
      .slice(0, -1)
      .map(({ header }) => (header["event"] as { type: string }).type);
    expect(told).toContain("started");
    // Of every candidate would be too much, and the end is the answer.
    expect(told).not.toContain("candidate");
    expect(told).not.toContain("done");
    expect(frames.every(({ header }) => header["id"] === 1)).toBe(true);
  });
});

describe("a client", () => {
  test("is greeted, and ends the service with its input or with bytes that are none", async () => {
    const served = async (...chunks: readonly Uint8Array[]) => {
      const frames: Frame[] = [];
      const reader = new FrameReader((frame) => frames.push(frame));
      const code = await serve(Readable.from(chunks, { objectMode: true }), (parts) => {
        for (const part of parts) reader.push(part);
      });
      return { code, headers: frames.map(({ header }) => header) };
    };
    const quiet = await served();
    expect(quiet.code).toBe(0);
    expect(quiet.headers).toMatchObject([{ hello: { protocol: 1, node: process.version } }]);
    const bad = await served(Buffer.from("GET / HTTP/1.1\r\n\r\n"));
    expect(bad.code).toBe(1);
    expect(bad.headers[1]).toMatchObject({
      id: null,
      error: { code: "E-PROTOCOL", message: "these bytes are not a frame" },
    });
  });

  test("that cancels a call that waits, and one that does not exist, hears of the first", async () => {
    const heard: Header[] = [];
    const reader = new FrameReader(({ header }) => heard.push(header));
    const server = new Server((parts) => {
      for (const part of parts) reader.push(part);
    });
    const send = (header: Header) => {
      for (const part of new ArrayList().frame(header)) server.push(part);
    };
    send({ id: 1, call: "load", source: "(loop ((i 0)) (recur (+ i x)))" });
    const endless = { call: "evaluate", program: 1, inputs: { x: 1 }, options: { stepsMax: 1e15 } };
    for (const id of [2, 3, 4]) send({ id, ...endless });
    send({ call: "cancel", of: 99 });
    for (const id of [3, 2, 4]) send({ call: "cancel", of: id });
    while (heard.length < 5) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(
      heard.slice(2).map((header) => [header["id"], (header["error"] as { code: string }).code]),
    ).toEqual([2, 3, 4].map((id) => [id, "E-ABORTED"]));
    send({ id: 5, ...endless });
    send({ id: 6, ...endless });
    await server.end();
    expect(heard.slice(5).map((header) => header["id"])).toEqual([5]);
  });
});

describe("frames", () => {
  test("with arrays of every type begin at multiples of eight", () => {
    const list = new ArrayList();
    expect(list.add(Int32Array.of(1))).toEqual({ $array: 0 });
    expect(list.add(Float32Array.of(1, 2, 3), [3, 1])).toEqual({ $array: 1 });
    expect(list.add(Float64Array.of(5))).toEqual({ $array: 2 });
    const bytes = Buffer.concat(list.frame({ id: 1 }));
    const header = JSON.parse(bytes.subarray(16, 16 + bytes.readUInt32LE(4)).toString());
    expect(header).toEqual({
      id: 1,
      arrays: [
        { type: "i32", shape: [1], offset: 0 },
        { type: "f32", shape: [3, 1], offset: 8 },
        { type: "f64", shape: [1], offset: 24 },
      ],
    });
    expect([bytes.subarray(0, 4).toString(), bytes.readUInt32LE(8), bytes.length]).toEqual([
      "NDVM",
      32,
      16 + bytes.readUInt32LE(4) + 32,
    ]);
  });

  const read = (...chunks: readonly Uint8Array[]) => {
    const frames: Frame[] = [];
    const reader = new FrameReader((frame) => frames.push(frame));
    for (const chunk of chunks) reader.push(chunk);
    return frames.map(({ header, arrays, broken }) => ({
      broken,
      header,
      arrays: arrays.map(({ numbers }) => [...numbers]),
    }));
  };

  test("are read whole, cut anywhere, one after the other, and repeated with other numbers", () => {
    const make = (value: number) => {
      const list = new ArrayList();
      list.add(Float64Array.of(value));
      return Buffer.concat(list.frame({ id: 7 }));
    };
    const all = Buffer.concat([make(1), ...new ArrayList().frame({ id: 8 }), make(2)]);
    const whole = read(all);
    expect(whole.map(({ header, arrays }) => [header["id"], arrays])).toEqual([
      [7, [[1]]],
      [8, []],
      [7, [[2]]],
    ]);
    for (let cut = 1; cut < all.length; cut++)
      expect(read(all.subarray(0, cut), all.subarray(cut)), `cut at ${cut}`).toEqual(whole);
    expect(read(...[...all].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  test("a header that is the same object when it comes again, as long as it is short", () => {
    const headers: Header[] = [];
    const reader = new FrameReader(({ header }) => headers.push(header));
    const push = (header: Header) => {
      for (const part of new ArrayList().frame(header)) reader.push(part);
    };
    const long = { text: "x".repeat(5000) };
    for (const header of [{ a: 1 }, { a: 2 }, { a: 1 }, long, long]) push(header);
    expect(headers[2]).toBe(headers[0]);
    expect(headers[1]).not.toBe(headers[0]);
    expect(headers[4]).not.toBe(headers[3]);
    expect(headers[4]).toEqual(headers[3]);
    for (let i = 0; i < 600; i++) push({ b: i });
    push({ a: 1 });
    expect(headers.at(-1)).not.toBe(headers[0]);
  });

  const prefixed = (magic: string, header: number, body: bigint) => {
    const bytes = Buffer.alloc(16);
    bytes.write(magic, "latin1");
    bytes.writeUInt32LE(header, 4);
    bytes.writeBigUInt64LE(body, 8);
    return bytes;
  };

  test.each<[string, Uint8Array, string]>([
    ["other bytes", prefixed("NDVN", 0, 0n), "these bytes are not a frame"],
    [
      "a header too long",
      prefixed("NDVM", 64 * 2 ** 20 + 1, 0n),
      "a header of 67108865 bytes is longer than 67108864",
    ],
    [
      "a body too long",
      prefixed("NDVM", 0, 8n * 2n ** 30n + 1n),
      "a body of 8589934593 bytes is longer than 8589934592",
    ],
  ])("%s are refused", (_, bytes, message) => {
    expect(() => read(bytes)).toThrow(message);
    expect(() => read(...[...bytes].map((byte) => Uint8Array.of(byte)))).toThrow(message);
  });

  test("a body for which Node has no array is refused: it was an internal error", () => {
    let frames: unknown[] = [];
    let code = "none";
    try {
      frames = read(prefixed("NDVM", 2, 8n * 2n ** 30n), Buffer.from("{}"));
    } catch (error) {
      code = (error as NdvmError).code;
    }
    // Where there is room, the body is waited for.
    expect(["none", "E-PROTOCOL"]).toContain(code);
    expect(frames).toEqual([]);
  });

  test("as long as they may be are waited for", () => {
    expect(read(prefixed("NDVM", 64 * 2 ** 20, 0n))).toEqual([]);
  });

  test.each<[string, unknown, number, string]>([
    ["one that ends with the body", { type: "f64", shape: [2], offset: 0 }, 16, ""],
    [
      "one byte too long",
      { type: "f64", shape: [2], offset: 0 },
      15,
      "an array lies outside the body",
    ],
    [
      "one that is behind the body",
      { type: "f64", shape: [0], offset: 24 },
      16,
      "an array lies outside the body",
    ],
    [
      "one between places",
      { type: "f32", shape: [1], offset: 2 },
      16,
      "an array lies outside the body",
    ],
    [
      "one between places of eight",
      { type: "f64", shape: [1], offset: 4 },
      16,
      "an array lies outside the body",
    ],
    ["f32 at four", { type: "f32", shape: [1], offset: 4 }, 16, ""],
    ["no type", { shape: [1], offset: 0 }, 16, "no array type undefined"],
    ["no shape", { type: "i32", offset: 0 }, 16, "an array has no shape"],
    ["half a size", { type: "i32", shape: [0.5], offset: 0 }, 16, "an array has no shape"],
    ["nothing", null, 16, "no array type undefined"],
  ])("an array: %s", (_, array, bytes, problem) => {
    const head = Buffer.from(JSON.stringify({ arrays: [array] }));
    const frame = Buffer.concat([
      prefixed("NDVM", head.length, BigInt(bytes)),
      head,
      Buffer.alloc(bytes),
    ]);
    const [found] = read(frame);
    expect(found?.broken).toBe(problem === "" ? undefined : problem);
    expect(found?.arrays).toHaveLength(problem === "" ? 1 : 0);
  });

  test.each(["5", "null", "[]", '"x"', "{", ""])("a header %j is none", (text) => {
    const head = Buffer.from(text);
    const [found] = read(Buffer.concat([prefixed("NDVM", head.length, 0n), head]));
    expect(found).toHaveProperty("broken");
  });
});

describe("values", () => {
  test("that JSON has no word for go as words and come back", () => {
    const value = {
      a: Number.NaN,
      b: [Infinity, 1],
      c: Float64Array.of(1, -Infinity),
      d: null,
      e: undefined,
      f: () => 1,
      g: "w",
      h: { i: true },
    };
    const sent = plain(value);
    expect(JSON.parse(JSON.stringify(sent))).toEqual({
      a: { number: "NaN" },
      b: [{ number: "Infinity" }, 1],
      c: [1, { number: "-Infinity" }],
      d: null,
      g: "w",
      h: { i: true },
    });
    expect(unworded(JSON.parse(JSON.stringify(sent)))).toEqual({
      a: Number.NaN,
      b: [Infinity, 1],
      c: [1, -Infinity],
      d: null,
      g: "w",
      h: { i: true },
    });
    const finite = { a: [1, "x", { b: null }] };
    expect(plain(finite)).toBe(finite);
    expect(unworded({ number: "1", other: 2 })).toEqual({ number: "1", other: 2 });
  });

  test("dotted pairs in dotted pairs were counted twice", async () => {
    // Lists alone, dotted pairs alone, and each in the other: a level is a level.
    for (const wrap of [
      "(list all)",
      "(cons all 2)",
      "(list (cons all 2))",
      "(cons (list all) 2)",
    ]) {
      const source = `(loop ((i 0) (all 1)) (if (= i n) all (recur (+ i 1) ${wrap})))`;
      const each = wrap.split("(").length - 1;
      const turns = [200 / each, 200 / each + 1];
      const [, whole, refused] = await answers([
        [{ id: 1, call: "load", source }],
        ...turns.map((n): readonly [Header] => [
          { id: n, call: "evaluate", program: 1, inputs: { n: { int: n } } },
        ]),
      ]);
      let levels = 0;
      let [inner] = ((whole as Frame).header["result"] as { datums: unknown[] }).datums;
      for (; typeof inner === "object"; levels++) {
        const list = Array.isArray(inner) ? inner : (inner as { list: unknown[] }).list;
        if (!Array.isArray(inner)) expect(inner).toMatchObject({ tail: 2 });
        expect(list).toHaveLength(1);
        [inner] = list;
      }
      expect([levels, inner], wrap).toEqual([200, 1]);
      expect(refused?.header["error"], wrap).toMatchObject({
        code: "E-RESULT",
        facts: { limit: 200 },
      });
    }
  });

  test("lists 100,000 levels deep were an internal error, and 200 levels come whole", async () => {
    const nested = "(loop ((i 0) (all 1)) (if (= i n) all (recur (+ i 1) (list all))))";
    const levels = (n: number): readonly [Header, ArrayList] => {
      const inputs = { n: { int: n } };
      return [{ id: n, call: "evaluate", program: 1, inputs }, new ArrayList()];
    };
    const [, first, ...others] = (await answers([
      [{ id: 1, call: "load", source: nested }],
      ...[200, 201, 100_000].map(levels),
    ])) as [Frame, Frame];
    let [depth, inner] = [0, (first.header["result"] as { datums: unknown[] }).datums[0]];
    for (; Array.isArray(inner); depth++) [inner] = inner as unknown[];
    expect([depth, inner]).toEqual([200, 1]);
    for (const { header } of others as Frame[])
      expect(header["error"]).toMatchObject({
        code: "E-RESULT",
        facts: { limit: 200 },
      });
  });

  test("vectors, numbers without a word and symbols inside dotted pairs", async () => {
    const source = "(cons (cons (vec 1 (/ 1 0)) 'a) (/ 0 0))";
    const [, { header }] = (await answers([
      [{ id: 1, call: "load", source }],
      [{ id: 2, call: "evaluate", program: 1 }],
    ])) as [Frame, Frame];
    expect((header["result"] as { datums: unknown[] }).datums).toEqual([
      {
        list: [{ list: [{ vector: [1, { number: "Infinity" }] }], tail: "a" }],
        tail: { number: "NaN" },
      },
    ]);
  });

  test("a record whose only name is number was taken for a number", () => {
    for (const value of [{ number: 2 }, { number: "a" }, { number: [1] }, { number: { start: 1 } }])
      expect(unworded({ params: value })).toEqual({ params: value });
    for (const number of [Number.NaN, Infinity, -Infinity, -0, 1.5]) {
      const params = { number };
      expect(unworded(JSON.parse(JSON.stringify(plain({ params }))))).toEqual({ params });
    }
  });

  test("are columns, inputs and records without prototypes", () => {
    const arrays = [{ numbers: Int32Array.of(1, 2), shape: [2] }];
    expect(dataOf(["u", "v"], "c", arrays)).toEqual(["u", "v"]);
    expect(dataOf({ $array: 0, kind: "lanes" }, "c", arrays)).toEqual(Float64Array.of(1, 2));
    expect(dataOf(5, "c", arrays)).toBe(5);
    expect(inputOf({ number: "Infinity" }, "c", arrays)).toBe(Infinity);
    expect(() => inputOf({ number: "1e400" }, "c", arrays)).toThrow("c is no number");
    expect(arrayOf({ $array: 0 }, arrays)).toBe(arrays[0]);
    expect(arrayOf({}, arrays)).toBeUndefined();
    expect(() => arrayOf({ $array: 1 }, arrays)).toThrow("there is no array 1");
    const record = mapFields(JSON.parse('{"__proto__": 1, "b": 2}'), "it", (one) => one);
    expect(Object.getPrototypeOf(record)).toBeNull();
    expect(Object.entries(record)).toEqual([
      ["__proto__", 1],
      ["b", 2],
    ]);
    expect(() => mapFields([], "it", (one) => one)).toThrow("it is not an object");
  });
});
