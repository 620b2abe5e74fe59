/** How wide chunks are: the widest allowed width whose lanes stay in the cache, found by trying them all. */

import { describe, expect, test } from "vitest";
import { int, Machine, type RunStats } from "../../src/index.js";
import { OWN_CACHE, POOL_CACHE } from "../../src/machine/run/cache.js";
import { evenWidth, fittingWidth, ROOMY } from "../../src/machine/run/widths.js";

/** Multiples of a block up to 1,024, and what is left when a block is halved down to 8. */
function allowed(blockLanes: number): number[] {
  const widths: number[] = [];
  for (let half = blockLanes; half >= 8; half /= 2) widths.unshift(half);
  for (let width = 2 * blockLanes; width <= 1024; width += blockLanes) widths.push(width);
  return widths;
}

describe("the width of a chunk", () => {
  test.each([
    ["a machine of its own", OWN_CACHE, 1536 * 1024, 8],
    ["a worker of a pool", POOL_CACHE, 1024 * 1024, 128],
  ])("fills the cache: %s", (_, cache, bytes, blockLanes) => {
    expect(cache).toEqual({ bytes, blockLanes });
    const widths = allowed(blockLanes);
    const exact = [...widths, 1, 7, 9, 127, 129, 1025, 2048].map((width) =>
      Math.floor(bytes / width),
    );
    for (const bytesPerLane of [...exact, ...exact.map((each) => each + 1), 0, 0.5, 1e9]) {
      const fitting = widths.filter((width) => width * Math.max(bytesPerLane, 1) <= bytes);
      expect(fittingWidth(cache, bytesPerLane), `${bytesPerLane} bytes`).toBe(fitting.at(-1) ?? 8);
    }
  });

  test("that is even makes the fewest chunks of a quarter more at most, all about as wide", () => {
    expect(ROOMY).toBe(1.25);
    for (const width of [8, 16, 128, 1000, 1024])
      for (const lanes of [1, 7, 8, 9, 129, 160, 161, 1024, 1280, 1281, 5000]) {
        let chunks = 1;
        while (lanes / chunks > 1.25 * width) chunks += 1;
        let even = 8;
        while (even * chunks < lanes) even += 8;
        expect(evenWidth(lanes, width), `${lanes} lanes at ${width}`).toBe(even);
      }
  });
});

test("many lanes are walked a second time where twice as many fit, or half as many", async () => {
  const machine = await Machine.create();
  const program = machine.load("(loop ((i 0) (x a)) (if (= i n) x (recur (+ i 1) (* x 0.5 a))))");
  const run = (lanes: number, n: number) => {
    program.clearTraces();
    const a = Array.from({ length: lanes }, (_, lane) => 1 + lane / lanes);
    return program.gradient({ a, n: int(n) }, { wrt: ["a"] }).stats;
  };
  const seen = new Set<number>();
  for (const aim of [56, 64, 72, 128, 248, 256, 264, 512]) {
    // As many turns as make lanes take a share of the cache, by what one turn takes.
    const turn = (bytesOf(run(128, 100)) - bytesOf(run(128, 50))) / 50;
    const n = Math.floor(OWN_CACHE.bytes / (aim + 0.5) / turn) - 3;
    const width = fittingWidth(OWN_CACHE, bytesOf(run(128, n)));
    seen.add(width);
    const isFar = width <= 64 || width >= 256;
    const { walks, chunkWidth } = run(2000, n);
    expect({ walks, chunkWidth }, `${width} lanes would fit`).toEqual({
      ...{ walks: isFar ? 2 : 1, chunkWidth: isFar ? Math.max(128, width) : 128 },
    });
  }
  expect([...seen]).toEqual([56, 64, 72, 128, 248, 256, 264, 512]);
  machine.dispose();
});

/** Bytes of numbers and adjoints that each of 128 lanes took. */
const bytesOf = ({ primalBytes, adjointBytes }: RunStats): number =>
  (primalBytes + adjointBytes) / 128;
