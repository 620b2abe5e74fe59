/** Shared memory: how lanes are cut, whose blocks are whose, and where numbers lie. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine, mat, type Pool, vec } from "../../src/index.js";
import {
  BlockTable,
  endBlock,
  InputRoom,
  planBlocks,
  takeBlock,
} from "../../src/machine/pool/shared.js";
import { bitsOf, caughtLater } from "../machine/support.js";

const seed = Number(process.env["SEED"] ?? 20261116);
const sizesOf = (starts: readonly number[]): number[] =>
  starts.slice(1).map((start, i) => start - (starts[i] as number));

describe(`blocks (SEED=${seed})`, () => {
  test("cover all lanes once, and never grow", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300_000 }), fc.integer({ min: 1, max: 64 }), (n, w) => {
        const starts = planBlocks(n, w);
        const sizes = sizesOf(starts);
        expect([starts[0], starts.at(-1)]).toEqual([0, n]);
        expect(Math.min(...sizes)).toBeGreaterThan(0);
        expect(sizes.every((size, i) => i === 0 || size <= (sizes[i - 1] as number))).toBe(true);
        // None is more than half a fair share, but for what alignment adds.
        expect(sizes[0]).toBeLessThanOrEqual(Math.max(8, Math.ceil(n / w) + 128));
      }),
      { seed },
    );
  });

  test("become smaller towards the end, so that workers end together", () => {
    const sizes = sizesOf(planBlocks(40_000, 16));
    expect(sizes[0]).toBe(1280);
    expect(sizes.at(-2)).toBe(128);
    expect(sizes.length).toBeLessThan(100);
  });

  test("are one for each worker below 256 lanes a worker, and from there on half of what is left", () => {
    for (const workers of [1, 2, 3, 7, 16])
      for (const lanes of [
        1,
        7,
        8,
        9,
        255,
        256 * workers - 1,
        256 * workers,
        256 * workers + 1,
        5000,
      ]) {
        const blocks: number[] = [];
        for (let left = lanes; left > 0; ) {
          const isOne = lanes < 256 * workers;
          const share = isOne ? lanes / workers : left / (2 * workers);
          const step = isOne ? 8 : 128;
          let size = Math.ceil(share);
          while (size % step !== 0) size += 1;
          for (let worker = 0; worker < workers && left > 0; worker++) {
            blocks.push(Math.min(size, left));
            left -= Math.min(size, left);
          }
        }
        expect(sizesOf(planBlocks(lanes, workers)), `${lanes} for ${workers}`).toEqual(blocks);
      }
  });

  test("are taken once each, and by nobody once the call is over", () => {
    const table = new BlockTable(10_000, 2);
    const taken = new Set<number>();
    for (let place = 0; ; place = 1 - place) {
      const block = takeBlock(table.blocks, 0, place);
      if (block < 0) break;
      expect(taken.has(block)).toBe(false);
      taken.add(block);
    }
    expect(taken.size).toBe(table.count);
    expect(table.hasFree()).toBe(false);
    const over = new BlockTable(10_000, 2);
    over.stop();
    expect(takeBlock(over.blocks, 0, 0)).toBe(-1);
  });

  test("of a worker that died are free again; only the one it was at has cost a worker", () => {
    const table = new BlockTable(64, 4);
    const first = takeBlock(table.blocks, 0, 2);
    endBlock(table.blocks, first, 2);
    const second = takeBlock(table.blocks, 0, 2);
    const other = takeBlock(table.blocks, 0, 1);
    expect(table.release(2, true, 2)).toEqual([]);
    expect(takeBlock(table.blocks, 0, 3)).toBe(first);
    expect(takeBlock(table.blocks, 0, 3)).toBe(second);
    endBlock(table.blocks, first, 3);
    expect(table.release(3, true, 2)).toEqual([second]);
    expect(takeBlock(table.blocks, 0, 0)).toBe(first);
    expect(takeBlock(table.blocks, first + 1, 0)).not.toBe(other);
  });

  test("cost a worker each when one is never ready, so that a pool without workers ends", () => {
    const table = new BlockTable(64, 4);
    expect(table.release(0, false, 2)).toEqual([]);
    expect(table.release(0, false, 2)).toEqual([0, 1, 2, 3]);
    expect(table.hasFree()).toBe(false);
  });
});

test("any order of taking, ending and dying leaves every block free, running, done or given up", () => {
  const act = fc.tuple(fc.constantFrom("take", "take", "end", "die", "stillborn"), fc.nat(2));
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40, size: "max" }), (acts) => {
      const table = new BlockTable(40, 5);
      // The plain way: who has it, whether it is done, and how many it has cost.
      const plain = Array.from({ length: table.count }, () => ({
        place: -1,
        isDone: false,
        cost: 0,
      }));
      const isLost = ({ cost }: { cost: number }): boolean => cost >= 2;
      for (const [what, place] of acts) {
        const at = plain.findIndex((block) => block.place === place && !block.isDone);
        if (what === "take" && at < 0) {
          const free = plain.findIndex((block) => block.place < 0 && !isLost(block));
          expect(takeBlock(table.blocks, 0, place)).toBe(free);
          if (free >= 0) Object.assign(plain[free] as object, { place });
        } else if (what === "end" && at >= 0) {
          endBlock(table.blocks, at, place);
          Object.assign(plain[at] as object, { isDone: true });
        } else if (what === "die" || what === "stillborn") {
          const lost: number[] = [];
          for (const [i, block] of plain.entries()) {
            const isBlamed = i === at || (what === "stillborn" && block.place < 0);
            if (isLost(block) || (!isBlamed && block.place !== place)) continue;
            Object.assign(block, {
              place: -1,
              isDone: false,
              cost: block.cost + (isBlamed ? 1 : 0),
            });
            if (isLost(block)) lost.push(i);
          }
          expect(table.release(place, what === "die", 2)).toEqual(lost);
        }
        expect(table.hasFree()).toBe(plain.some((block) => block.place < 0 && !isLost(block)));
      }
    }),
    { seed },
  );
});

describe("memory for inputs", () => {
  const bytes = (byteLength: number): SharedArrayBuffer => ({ byteLength }) as SharedArrayBuffer;

  test("is used again by a call that it is large enough for, by one at a time", () => {
    const room = new InputRoom();
    const first = room.take(16);
    expect(first.byteLength).toBe(16);
    room.giveBack(first);
    expect(room.take(17)).not.toBe(first);
    expect(room.take(16)).toBe(first);
    expect(room.take(16)).not.toBe(first);
    room.giveBack(first);
    expect(room.take(1)).toBe(first);
  });

  test("that is kept is the largest so far, up to 64 MiB", () => {
    const room = new InputRoom();
    const [small, large, tooLarge] = [bytes(8), bytes(2 ** 26), bytes(2 ** 26 + 8)];
    for (const given of [small, large, small, tooLarge]) room.giveBack(given);
    expect(room.take(4)).toBe(large);
    room.giveBack(tooLarge);
    expect(room.take(4)).not.toBe(tooLarge);
  });
});

describe("numbers in shared memory", () => {
  let machine: Machine;
  let pool: Pool;
  beforeAll(async () => {
    machine = await Machine.create();
    pool = await machine.pool({ workers: 2 });
  });
  afterAll(async () => {
    await pool.dispose();
    machine.dispose();
  });
  const lanes = 3000;
  const shared = (): Float64Array =>
    new Float64Array(new SharedArrayBuffer(8 * lanes)).map((_, i) => i / lanes);

  test("results are written where the caller reads them", async () => {
    const program = machine.load("(* x (sin y))");
    const inputs = { x: shared(), y: 0.5 };
    const out = await pool.gradient(program, inputs);
    expect(out.values.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(out.gradients["x"]?.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(bitsOf(out.values)).toEqual(bitsOf(program.gradient(inputs).values));
    program.dispose();
  });

  test("results of one call are inputs of the next, without a copy", async () => {
    const first = await pool.evaluate("(+ x 1)", { x: shared() });
    const second = await pool.evaluate("(* x 2)", { x: first.values });
    expect(bitsOf(second.values)).toEqual(bitsOf(shared().map((x) => (x + 1) * 2)));
  });

  test("values of another size than last time come all the same", async () => {
    const program = machine.load("(if (> n 1) (vec x x) x)");
    for (const n of [1, 2, 2, 1]) {
      const out = await pool.evaluate(program, { x: shared(), n });
      expect(bitsOf(out.values)).toEqual(bitsOf(program.evaluate({ x: shared(), n }).values));
    }
    program.dispose();
  });

  test("vectors of each lane, vectors that all share, singles and a seed are read there", async () => {
    const program = machine.load("(vec (dot v w) (* a (dot v v)))");
    const inputs = {
      v: Array.from({ length: lanes }, (_, i) => vec([i / 10, 1 - i / 7])),
      w: vec([0.25, 4]),
      a: Float32Array.from({ length: lanes }, (_, i) => 1 / (i + 1)),
    };
    const weights = Array.from({ length: 2 * lanes }, (_, i) => i % 5);
    for (const seeds of [weights, Float64Array.from(weights), Float32Array.from(weights)]) {
      const alone = program.gradient(inputs, { seed: seeds });
      const out = await pool.gradient(program, inputs, { seed: seeds });
      expect(bitsOf(out.values)).toEqual(bitsOf(alone.values));
      for (const name of ["v", "w", "a"])
        expect(bitsOf(out.gradients[name] ?? [])).toEqual(bitsOf(alone.gradients[name] ?? []));
    }
    program.dispose();
  });

  test("several calls at once do not share what they write", async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, i) => pool.evaluate("(* x k)", { x: shared(), k: i })),
    );
    for (const [i, { values }] of all.entries())
      expect(bitsOf(values)).toEqual(bitsOf(shared().map((x) => x * i)));
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 32])("%d workers are refused", async (workers) => {
    const error = await caughtLater(machine.pool({ workers }));
    expect(error).toMatchObject({ code: "E-OPTION", facts: { option: "workers" } });
    expect(`${error.message} ${error.help}`).toContain("from 1 to 1024");
  });

  test("an option that is neither true nor false is refused, and copies can be had", async () => {
    const wrong = { workers: 1, sharedMemory: "yes" as unknown as boolean };
    const error = await caughtLater(machine.pool(wrong));
    expect([error.code, error.facts.option]).toEqual(["E-OPTION", "sharedMemory"]);
    const copying = await machine.pool({ workers: 1, sharedMemory: false });
    expect([pool.sharedMemory, copying.sharedMemory]).toEqual([true, false]);
    const m = mat([[1, 2]]);
    const { values } = await copying.evaluate("(ref m 0 1)", { m });
    expect(values.buffer).toBeInstanceOf(ArrayBuffer);
    await copying.dispose();
  });
});

describe("chunks of a pool", () => {
  test("divide its blocks, and take less of a cache that workers share", async () => {
    const machine = await Machine.create({ precision: "f32" });
    // About 14 kB of numbers a lane: 128 lanes are too many for half a cache, 64 are not.
    const long =
      "(loop ((k 0) (x p)) (if (= k 900) x (recur (+ k 1) (+ x (* 0.001 (- x (* x x)))))))";
    const program = machine.load(long);
    const lanes = 4096;
    const p = Float64Array.from({ length: lanes }, (_, i) => 0.1 + i / lanes);
    const counts: number[] = [];
    const bits: string[] = [];
    for (const workers of [1, 2]) {
      const pool = await machine.pool({ workers });
      // On a busy computer one worker may have taken all blocks before the other began.
      let outcome = await pool.gradient(program, { p });
      while (outcome.stats.walks > 0) outcome = await pool.gradient(program, { p });
      counts.push(outcome.stats.replays);
      bits.push(bitsOf(outcome.gradients["p"] as Float64Array).join());
      await pool.dispose();
    }
    machine.dispose();
    const [alone, together] = counts as [number, number];
    expect(together).toBeGreaterThan(alone);
    expect(128 % (lanes / together)).toBe(0);
    expect(bits[1]).toBe(bits[0]);
  });
});
