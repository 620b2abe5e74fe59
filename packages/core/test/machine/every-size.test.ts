/**
 * Memory that ends anywhere: programs that need a lot of each kind of memory run at every size of it, so
 * that it runs out in every place. The outcome is the right one, or an error that names memory; never
 * another error, and never another number.
 */

import { describe, expect, test } from "vitest";
import { int, Machine, NdvmError } from "../../src/index.js";
import { spread } from "./histories.js";

const PAGE = 65_536;

/** So many turns that some sizes are too small. */
const turns: Readonly<Record<string, number>> = {
  "a tape": 30_000,
  pairs: 60_000,
  "a deep stack": 60_000,
  vectors: 3000,
  "branches that lanes take both ways": 30_000,
};

const programs: Readonly<Record<string, string>> = {
  "a tape": "(loop ((i 0) (x a)) (if (= i n) x (recur (+ i 1) (+ (* x 0.5) (sin x)))))",
  pairs: "(define (build n l) (if (= n 0) l (build (- n 1) (cons (* n a) l)))) (car (build n '()))",
  "a deep stack": "(define (f n) (if (= n 0) a (+ 0.5 (f (- n 1))))) (f n)",
  vectors: "(loop ((i 0) (v (zeros 60))) (if (= i n) (vsum v) (recur (+ i 1) (+ (* v a) 0.25))))",
  "branches that lanes take both ways":
    "(loop ((i 0) (x a)) (if (= i n) x (recur (+ i 1) (if (< x 0.5) (* x 1.9) (* 1.9 (- 1 x))))))",
};

/** What a machine with so many pages comes to: values and gradients, or the code of its error. */
async function outcomeAt(source: string, pages: number, lanes: number, n: number): Promise<string> {
  const machine = await Machine.create({ memoryMax: pages * PAGE });
  try {
    const program = machine.load(source);
    const a = lanes === 1 ? 0.3 : spread(lanes, 0.1, 0.9);
    const outcome: string[] = [];
    // The second call finds traces, and what they hold.
    for (let turn = 0; turn < 2; turn++) {
      const run = program.gradient({ a, n: int(n) }, { wrt: ["a"] });
      outcome.push(`${[...run.values]} ${[...(run.gradients["a"] ?? [])]}`);
      for (const { error } of run.failures) outcome.push(error.code);
    }
    return outcome.join("\n");
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, facts, help } = error;
    expect(help, code).toBeTruthy();
    return ["E-MEMORY", "E-RECURSION", "E-TAPE"].includes(code)
      ? "short"
      : `${code} ${JSON.stringify(facts)}`;
  } finally {
    machine.dispose();
  }
}

describe.each(Object.entries(programs))("%s", (name, source) => {
  test.each([1, 3])("%d lanes, at every size of memory", async (lanes) => {
    const n = turns[name] as number;
    const wanted = await outcomeAt(source, 4096, lanes, n);
    expect(wanted).not.toContain("short");
    let shortages = 0;
    let successes = 0;
    for (let pages = 64; successes < 3 && pages < 1500; pages += Math.ceil(pages / 12)) {
      const got = await outcomeAt(source, pages, lanes, n);
      if (got === "short") shortages += 1;
      else {
        expect(got, `${pages} pages`).toBe(wanted);
        successes += 1;
      }
    }
    expect(successes).toBe(3);
    expect(shortages).toBeGreaterThan(0);
  });
});

describe.each(["a tape", "branches that lanes take both ways"])("%s", (name) => {
  test("lanes that fit one by one fit in chunks that are narrow enough", async () => {
    const [source, n] = [programs[name] as string, 16_000];
    const wanted = await outcomeAt(source, 4096, 5, n);
    let least = 64;
    while ((await outcomeAt(source, least, 1, n)) === "short") least += 4;
    for (let pages = least; pages < 400; pages += Math.ceil(pages / 16))
      expect(await outcomeAt(source, pages, 5, n), `${pages} pages`).toBe(wanted);
  });
});

describe("bytes for lanes", () => {
  test.each([1, 2, 3, 5, 16, 33])("%d lanes are written, and nothing after them", async (lanes) => {
    const machine = await Machine.create();
    const x = spread(lanes, 0, 1);
    const source = "(if (< x 0.4) (car '()) (* x 2))";
    const { failures } = machine.load(source).evaluate({ x: lanes === 1 ? [0.9] : x });
    expect(failures.length).toBe(lanes === 1 ? 0 : x.filter((at) => at < 0.4).length);
    const room = 4 * lanes + 64;
    const at = machine.exports.allocate(room);
    const bytes = () => new Uint8Array(machine.exports.memory.buffer, at, room);
    const untouched = (from: number) =>
      expect([...bytes().subarray(from)].every((b) => b === 170)).toBe(true);
    bytes().fill(170);
    machine.exports.writeLive(at, lanes);
    expect([...bytes().subarray(0, lanes)].every((byte) => byte <= 1)).toBe(true);
    untouched(lanes);
    bytes().fill(170);
    machine.exports.writeCounting(at);
    untouched(lanes);
    bytes().fill(170);
    const found = machine.exports.writeRefused(at, lanes);
    expect(found).toBeLessThanOrEqual(lanes);
    untouched(4 * found);
    machine.dispose();
  });
});
