/**
 * `ndvm serve` as a process: calls, cancelling, and bytes of every kind, which are answered or end it,
 * and never hang it.
 */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ArrayList, type Frame, FrameReader, type Shaped } from "../src/serve/frames.js";

const ndvm = resolve(import.meta.dirname, "../bin/ndvm.js");

/** A client: sends frames, and waits for frames that pass a test. */
class Client {
  readonly child: ChildProcessWithoutNullStreams = spawn(process.execPath, [ndvm, "serve"]);
  readonly #frames: Frame[] = [];
  #wake = () => {};
  #ended = false;

  constructor() {
    const reader = new FrameReader((frame) => {
      this.#frames.push(frame);
      this.#wake();
    });
    this.child.stdout.on("data", (chunk: Uint8Array) => reader.push(chunk));
    this.child.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
    this.child.stdin.on("error", () => {});
  }

  send(header: Readonly<Record<string, unknown>>, arrays = new ArrayList()): void {
    for (const part of arrays.frame(header)) this.child.stdin.write(part);
  }

  async next(): Promise<Frame | undefined> {
    while (this.#frames.length === 0) {
      if (this.#ended) return undefined;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    return this.#frames.shift();
  }

  /** The answer to a call, events left out. */
  async answer(id: number): Promise<Record<string, unknown>> {
    for (;;) {
      const frame = await this.next();
      if (frame === undefined) throw new Error("the server has ended");
      const { header } = frame;
      if (header["id"] !== id || !("result" in header || "error" in header)) continue;
      return { ...header, arrays: frame.arrays };
    }
  }

  async end(): Promise<number | null> {
    this.child.stdin.end();
    while ((await this.next()) !== undefined);
    return this.child.exitCode;
  }
}

const errorOf = (answer: Record<string, unknown>) =>
  answer["error"] as { code: string; message: string; facts: object; text: string };
const resultOf = (answer: Record<string, unknown>) => answer["result"] as Record<string, unknown>;

async function withClient(use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client();
  try {
    const hello = await client.next();
    expect(hello?.header["hello"]).toMatchObject({ protocol: 1 });
    await use(client);
  } finally {
    client.child.kill("SIGKILL");
  }
}

describe("ndvm serve", () => {
  test("loads, evaluates and differentiates, and ends with its input", async () => {
    await withClient(async (client) => {
      client.send({ id: 1, call: "load", source: "(* a (exp (* k t)))" });
      expect(resultOf(await client.answer(1))).toEqual({ program: 1, inputs: ["a", "k", "t"] });
      const arrays = new ArrayList();
      const t = { ...arrays.add(Float64Array.of(0, 1, 2)), kind: "lanes" };
      const inputs = { a: 2, k: -0.5, t };
      client.send({ id: 2, call: "gradient", program: 1, inputs, options: { wrt: ["a"] } }, arrays);
      const answer = await client.answer(2);
      const { values, slopes } = resultOf(answer) as {
        values: { $array: number };
        slopes: { a: { $array: number } };
      };
      const found = answer["arrays"] as readonly Shaped[];
      expect(found[values.$array]?.numbers[1]).toBe(2 * Math.exp(-0.5));
      expect(found[slopes.a.$array]?.numbers).toHaveLength(3);
      expect(await client.end()).toBe(0);
    });
  });

  test("arrays are looked up by index, and words for numbers are the three that there are", async () => {
    await withClient(async (client) => {
      client.send({ id: 1, call: "load", source: "(* 2 x)" });
      await client.answer(1);
      const evaluate = async (x: unknown) => {
        client.send({ id: 2, call: "evaluate", program: 1, inputs: { x } });
        return client.answer(2);
      };
      for (const index of ["constructor", "length", -1, 0.5, 7, "0", null]) {
        const answer = await evaluate({ $array: index, kind: "number" });
        expect(errorOf(answer)).toMatchObject({ code: "E-PROTOCOL" });
        expect(errorOf(answer).message).toBe(`there is no array ${JSON.stringify(index)}`);
      }
      for (const number of ["anything", "", "3", null, [1]])
        expect(errorOf(await evaluate({ number })).message).toBe(
          `input x is no number: ${JSON.stringify(number)} is not one of NaN, Infinity, -Infinity, -0`,
        );
      for (const number of ["NaN", "Infinity", "-Infinity"])
        expect(resultOf(await evaluate({ number }))["nonFinite"]).toHaveLength(1);
    });
  });

  test("a header sent again takes the new numbers, and its answers differ in numbers only", async () => {
    await withClient(async (client) => {
      client.send({ id: 1, call: "load", source: "(if (< a 0) (vec a a) (* a (sqrt (- 4 a))))" });
      await client.answer(1);
      const call = async (a: number) => {
        const arrays = new ArrayList();
        const inputs = { a: { ...arrays.add(Float64Array.of(a), []), kind: "number" } };
        client.send({ id: 7, call: "evaluate", program: 1, inputs }, arrays);
        return client.answer(7);
      };
      const valuesOf = (answer: Record<string, unknown>) =>
        Array.from((answer["arrays"] as readonly Shaped[])[0]?.numbers ?? []);
      const first = await call(3);
      const second = await call(4);
      expect([valuesOf(first), valuesOf(second)]).toEqual([[3], [0]]);
      expect(resultOf(second)).toEqual(resultOf(first));
      expect(valuesOf(await call(-1))).toEqual([-1, -1]);
      expect(resultOf(await call(5))["nonFinite"]).toHaveLength(1);
      expect(resultOf(await call(3))["nonFinite"]).toEqual([]);
      client.send({ id: 8, call: "evaluate", program: 1, inputs: { a: 2 }, release: [1] });
      expect(errorOf(await client.answer(8)).code).toBe("E-PROTOCOL");
      expect(errorOf(await call(3)).code).toBe("E-PROTOCOL");
    });
  });

  test("draws the figures of a fit until it is released", async () => {
    await withClient(async (client) => {
      client.send({ id: 1, call: "load", source: "(* a t)" });
      await client.answer(1);
      const arrays = new ArrayList();
      const column = (numbers: number[]) => ({
        ...arrays.add(Float64Array.from(numbers)),
        kind: "lanes",
      });
      const data = { t: column([1, 2, 3]), y: column([2, 4, 6.5]) };
      client.send({ id: 2, call: "fit", program: 1, options: { data, target: "y" } }, arrays);
      const { fit } = resultOf(await client.answer(2));
      client.send({ id: 3, call: "fitFigures", fit });
      expect(resultOf(await client.answer(3))["html"]).toContain("y over t: data and fit");
      client.send({ id: 4, call: "fitFigures", fit, release: [fit] });
      expect(errorOf(await client.answer(4)).code).toBe("E-PROTOCOL");
    });
  });

  test("answers mistakes of programs and of calls with typed errors, and goes on", async () => {
    await withClient(async (client) => {
      client.send({ id: 1, call: "load", source: "(+ 1" });
      expect(errorOf(await client.answer(1))).toMatchObject({ code: "E-SYNTAX" });
      client.send({ id: 2, call: "sing" });
      expect(errorOf(await client.answer(2)).message).toContain('no call "sing"');
      client.send({ id: 3, call: "evaluate", program: 99, inputs: {} });
      expect(errorOf(await client.answer(3)).code).toBe("E-PROTOCOL");
      client.send({ id: 4, call: "evaluate", inputs: 5 });
      expect(errorOf(await client.answer(4)).code).toBe("E-PROTOCOL");
      client.send({ id: 5, call: "constructor" });
      expect(errorOf(await client.answer(5)).code).toBe("E-PROTOCOL");
      expect(await client.end()).toBe(0);
    });
  });

  test("a cancelled call ends, one that waits does not begin, and others run", async () => {
    await withClient(async (client) => {
      client.send({ id: 1, call: "load", source: "(loop ((i 0)) (recur (+ i x)))" });
      await client.answer(1);
      const run = { call: "evaluate", program: 1, inputs: { x: 1 }, options: { stepsMax: 1e15 } };
      client.send({ id: 2, ...run });
      client.send({ id: 3, ...run });
      client.send({ call: "cancel", of: 3 });
      client.send({ call: "cancel", of: 2 });
      expect(errorOf(await client.answer(2)).code).toBe("E-ABORTED");
      expect(errorOf(await client.answer(3)).code).toBe("E-ABORTED");
      client.send({ id: 4, call: "load", source: "1" });
      expect(resultOf(await client.answer(4))).toMatchObject({ inputs: [] });
    });
  });

  test("budgets of a call hold", async () => {
    await withClient(async (client) => {
      client.send({ id: 1, call: "load", source: "(loop ((i 0)) (recur (+ i x)))" });
      await client.answer(1);
      const options = { stepsMax: 1000 };
      client.send({ id: 2, call: "evaluate", program: 1, inputs: { x: 1 }, options });
      expect(errorOf(await client.answer(2)).code).toBe("E-STEPS");
    });
  });

  test("a header that is no JSON is an error; bytes that are no frame end it with one", async () => {
    await withClient(async (client) => {
      const prefix = Buffer.from("NDVM\x05\0\0\0\0\0\0\0\0\0\0\0", "latin1");
      client.child.stdin.write(Buffer.concat([prefix, Buffer.from("{oops")]));
      const answer = (await client.next())?.header ?? {};
      expect(errorOf(answer).code).toBe("E-PROTOCOL");
      client.send({ id: 7, call: "load", source: "1" });
      expect(resultOf(await client.answer(7))).toMatchObject({ inputs: [] });
      client.child.stdin.write("GET / HTTP/1.1\r\n\r\n");
      expect(errorOf((await client.next())?.header ?? {}).message).toContain("not a frame");
      expect(await client.next()).toBeUndefined();
      expect(client.child.exitCode).toBe(1);
    });
  });
});

describe("frames", () => {
  const numbers = fc.array(fc.double(), { maxLength: 5 });

  test("come out as they went in, however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(numbers, { maxLength: 4 }),
        fc.integer({ min: 1, max: 40 }),
        (lists, cut) => {
          const arrays = new ArrayList();
          lists.forEach((list, i) => {
            arrays.add(i % 2 === 0 ? Float64Array.from(list) : Float32Array.from(list));
          });
          const bytes = Buffer.concat([
            ...arrays.frame({ id: 1 }),
            ...new ArrayList().frame({ id: 2 }),
          ]);
          const frames: Frame[] = [];
          const reader = new FrameReader((frame) => frames.push(frame));
          for (let at = 0; at < bytes.length; at += cut) reader.push(bytes.subarray(at, at + cut));
          expect(frames.map(({ header }) => header["id"])).toEqual([1, 2]);
          const found = frames[0]?.arrays.map((one) => Array.from(one.numbers));
          const expected = lists.map((list, i) => (i % 2 === 0 ? list : list.map(Math.fround)));
          expect(found ?? []).toEqual(expected);
        },
      ),
    );
  });

  test("arrays that reach outside their body are refused", () => {
    const headers = [
      { arrays: [{ type: "f64", shape: [2], offset: 0 }] },
      { arrays: [{ type: "f64", shape: [-1], offset: 0 }] },
      { arrays: [{ type: "f64", shape: [1e300], offset: 0 }] },
      { arrays: [{ type: "constructor", shape: [0], offset: 0 }] },
      { arrays: [{ type: "f64", shape: [0], offset: 4 }] },
      { arrays: 5 },
    ];
    for (const header of headers) {
      const frames: Frame[] = [];
      const reader = new FrameReader((frame) => frames.push(frame));
      for (const part of new ArrayList().frame(header)) reader.push(part);
      expect(frames[0], JSON.stringify(header)).toHaveProperty("broken");
    }
  });
});
