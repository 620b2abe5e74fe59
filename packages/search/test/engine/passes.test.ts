/** Endless programs take at most eight passes to be told, and logs of digests grow as they are filled. */

import { expand, read } from "@ndvm/core";
import { expect, test } from "vitest";
import { DigestLog, digestOf } from "../../src/digest.js";
import { endlessnessOf } from "../../src/endless.js";

/** A program that never ends, beside a chain of procedures of which each pass finds one that returns. */
function chained(length: number): string {
  const links = Array.from({ length }, (_, i) =>
    i === length - 1 ? `(define (f${i} q) q)` : `(define (f${i} q) (f${i + 1} q))`,
  );
  return `${links.join("\n")}\n(define (g q) (g (f0 q)))\n(g x)`;
}

test("a program is told endless after eight passes at most", () => {
  const told = (length: number) => endlessnessOf(expand(read(chained(length)), { inputs: ["x"] }));
  const lengths = Array.from({ length: 12 }, (_, i) => i + 1).filter((n) => told(n) !== undefined);
  expect(lengths).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("a log gives back every digest in its place, also where it grew", () => {
  const log = new DigestLog(2 ** 14);
  const digests = Array.from({ length: 20_000 }, (_, i) => digestOf(`${i}`));
  for (const digest of digests) log.add(digest);
  expect(log.count).toBe(20_000);
  const words = log.between(0, 20_000);
  expect([...words]).toEqual(digests.flatMap(({ high, low }) => [high, low]));
  expect([...log.between(8191, 8193)]).toEqual([...words.subarray(2 * 8191, 2 * 8193)]);
  expect(log.between(5, 5)).toHaveLength(0);
  expect(
    [0, 1, 8192, 8193, 16_384, 16_385, 20_000].map((count) => log.beginningFor(count)),
  ).toEqual([0, 0, 0, 0, 0, 8192, 8192]);
  for (let i = 20_000; i < 40_000; i++) log.add(digestOf(`${i}`));
  expect(() => log.between(0, 1)).toThrow("these digests were forgotten");
  expect(log.between(16_384, 16_385)).toHaveLength(2);
});
