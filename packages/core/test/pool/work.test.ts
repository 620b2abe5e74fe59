/**
 * The work of one call by copies: whatever order workers take parts, answer and die in, every lane is
 * told once, in its place, and a part that cost two workers is given up.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { BoundInput } from "../../src/machine/inputs/inputs.js";
import type { Part, PartRequest } from "../../src/machine/pool/parts.js";
import { CopiedWork, sentOptions } from "../../src/machine/pool/work.js";

const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
console.info(`work: SEED=${seed}`);

function workOf(lanes: number, workers: number) {
  const x = Float64Array.from({ length: lanes }, (_, i) => i);
  const input = { name: "x", kind: "numbers", rank: 0, rows: 1, cols: 1, perLane: x } as BoundInput;
  const options = { seed: x.map((lane) => 2 * lane), stepsMax: 7 };
  return new CopiedWork({ program: 3, inputs: [input], lanes, options, isGradient: true }, workers);
}

interface Given {
  readonly from: number;
  readonly to: number;
}

/** What a request asks for. */
function given(work: CopiedWork, place: number): Given | undefined {
  const request = work.request(place);
  if (request === undefined) return undefined;
  const { inputs, options, program, isGradient, kind } = request.message as PartRequest;
  const lanes = [...(inputs["x"] as Float64Array)];
  const [from, to] = [lanes[0] as number, (lanes.at(-1) as number) + 1];
  expect(lanes).toEqual(Array.from({ length: to - from }, (_, i) => from + i));
  expect([kind, program, isGradient]).toEqual(["part", 3, true]);
  expect({ ...options, seed: [...(options.seed as Float64Array)] }).toEqual({
    ...{ stepsMax: 7, lanes: to - from, seed: lanes.map((lane) => 2 * lane) },
  });
  expect(request.transfer).toEqual([(inputs["x"] as Float64Array).buffer]);
  return { from, to };
}

const partOf = ({ from, to }: Given): Part =>
  ({
    lanes: to - from,
    values: Float64Array.from({ length: to - from }, (_, i) => from + i),
  }) as Part;

test("parts are equal shares of whole vectors, and four for each worker where there are many lanes", () => {
  for (const [lanes, workers, first, count] of [
    [1, 4, 1, 1],
    [16, 2, 8, 2],
    [17, 2, 16, 2],
    [100, 3, 40, 3],
    [8191, 2, 4096, 2],
    [8192, 2, 1024, 8],
    [8193, 2, 1032, 8],
  ] as const) {
    const work = workOf(lanes, workers);
    expect(work.parts).toHaveLength(count);
    const own = given(work, 0) as Given;
    expect([own.from, own.to], `${lanes} lanes for ${workers}`).toEqual([
      0,
      Math.min(first, lanes),
    ]);
  }
});

test("any order of requests, answers and deaths tells every lane once", () => {
  const step = fc.tuple(fc.nat(3), fc.constantFrom("ask", "ask", "answer", "answer", "die"));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 90 }),
      fc.array(step, { maxLength: 60, size: "max" }),
      (lanes, steps) => {
        const work = workOf(lanes, 4);
        const running = new Map<number, Given>();
        const deaths = new Map<number, number>();
        const [again, settled] = [[] as number[], new Map<number, boolean>()];
        let next = 0;
        const total = work.parts.length;
        const act = (place: number, what: string): void => {
          const own = running.get(place);
          if (what === "ask" && own === undefined) {
            const part = given(work, place);
            // What cost a worker goes first, then the lanes in their order.
            const wanted = again.length > 0 ? again.pop() : next < lanes ? next : undefined;
            expect(part?.from).toBe(wanted);
            if (part === undefined) return;
            if (part.from === next) next = part.to;
            running.set(place, part);
          } else if (what === "answer" && own !== undefined) {
            work.take(place, { kind: "done", part: partOf(own) });
            settled.set(own.from, true);
            running.delete(place);
          } else if (what === "die") {
            work.bury(place);
            if (own === undefined) return;
            const count = (deaths.get(own.from) ?? 0) + 1;
            deaths.set(own.from, count);
            if (count < 2) again.push(own.from);
            else settled.set(own.from, false);
            running.delete(place);
          }
          expect(work.isDone).toBe(settled.size === total);
        };
        for (const [place, what] of steps) act(place, what);
        for (let left = 4 * total + 4; left > 0 && !work.isDone; left--)
          for (let place = 0; place < 4; place++) {
            act(place, "ask");
            act(place, "answer");
          }
        expect(work.isDone).toBe(true);
        let from = 0;
        for (const part of work.parts) {
          if (settled.get(from)) expect(part.values?.[0]).toBe(from);
          else {
            expect([...part.failures.lanes]).toEqual([...Array(part.lanes).keys()]);
            expect(part.faults.map(({ error }) => error.code)).toEqual(["E-WORKER"]);
          }
          from += part.lanes;
        }
        expect(from).toBe(lanes);
      },
    ),
    { seed, numRuns: 150 },
  );
});

test("nothing is given once the call is closed, and answers nobody asked for are a mistake", () => {
  const work = workOf(64, 4);
  const part = given(work, 0) as Given;
  work.close();
  expect(work.request(1)).toBeUndefined();
  expect(() => work.take(1, { kind: "done", part: partOf(part) })).toThrow("nobody asked for");
  expect(() => work.take(0, { kind: "blocks", reports: [], plain: [] })).toThrow(
    "nobody asked for",
  );
  work.take(0, { kind: "done", part: partOf(part) });
  expect(() => work.take(0, { kind: "done", part: partOf(part) })).toThrow("nobody asked for");
});

test("options that stay with the caller, and functions, do not travel", () => {
  const options = { wrt: ["x"], stepsMax: 5, signal: new AbortController().signal, reduce: true };
  expect(sentOptions({ ...options, load: {}, odd: () => 1, chunk: 8 })).toEqual({
    ...{ wrt: ["x"], stepsMax: 5, chunk: 8 },
  });
});
