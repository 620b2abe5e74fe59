/**
 * Tables of digests: what they remember, and that a log makes them as they were.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDigests,
  DigestLog,
  DigestTable,
  digestNumber,
  digestOf,
  hashText,
} from "../../src/digest.js";

const seed = Number(process.env["SEED"] ?? 20261116);

describe(`digests (SEED=${seed})`, () => {
  test("of different texts differ", () => {
    const known = new Set<string>();
    for (let i = 0; i < 20_000; i++) {
      const { high, low } = digestOf(`(+ P0 (* ${i} x))`);
      known.add(`${high} ${low}`);
    }
    expect(known.size).toBe(20_000);
  });

  test.each([
    ["", 815795670, 3257118115],
    ["x", 1593277176, 1028316766],
    ["(* P0 x)", 763522073, 2534520861],
    ["(+ P0 (* P1 (sin x)))", 2423380702, 1902190082],
    ["é", 2021947578, 4000308089],
  ])("of %j are what archives hold", (text, high, low) => {
    expect(digestOf(text)).toEqual({ high, low });
    expect(digestNumber({ high, low })).toBe((high % 2 ** 21) * 2 ** 32 + low);
  });

  test.each([
    ["", 15216031280547],
    ["a", 8948978738066659],
    ["prompt", 307821343019000],
    ["a longer prompt, of two\nlines", 6194960616849743],
    ["\u{1f600}", 3629093764081841],
  ])("archives know the prompt %j by %i", (text, number) => {
    expect(hashText(text)).toBe(number);
  });

  test("a table remembers at least the latest half, with their numbers", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
        const table = new DigestTable(true, 128);
        for (let i = 0; i < count; i++) {
          const { high, low } = digestOf(`${i}`);
          table.add(high, low, i);
        }
        for (let i = Math.max(0, count - 64); i < count; i++)
          expect(table.get(digestOf(`${i}`))).toBe(i);
        expect(table.size).toBeLessThanOrEqual(128);
        expect(table.get(digestOf("never"))).toBeUndefined();
      }),
      { seed },
    );
  });

  test.each([false, true])("a table that grows forgets nothing (with numbers: %s)", (hasValues) => {
    const table = new DigestTable(hasValues, 2 ** 14);
    for (let i = 0; i < 6000; i++) {
      // Many that would like to be at the same place, too.
      const { high, low } = i % 3 === 0 ? { high: 7, low: 4096 * (i + 1) } : digestOf(`${i}`);
      expect(table.has({ high, low })).toBe(false);
      if (hasValues) table.add(high, low, i);
      else table.add(high, low);
      if (i % 500 !== 499) continue;
      for (let before = 0; before <= i; before++) {
        const digest =
          before % 3 === 0 ? { high: 7, low: 4096 * (before + 1) } : digestOf(`${before}`);
        expect(table.has(digest)).toBe(true);
        if (hasValues) expect(table.get(digest)).toBe(before);
      }
      expect(table.size).toBe(i + 1);
    }
  });

  test("a log makes a table as it was after so many", () => {
    fc.assert(
      fc.property(fc.nat(400), fc.nat(60), (before, since) => {
        const log = new DigestLog(128);
        const table = new DigestTable(false, 128);
        for (let i = 0; i < before + since; i++) {
          const digest = digestOf(`${i}`);
          log.add(digest);
          if (i < before) table.add(digest.high, digest.low);
        }
        const again = new DigestTable(false, 128);
        addDigests(again, log.between(log.beginningFor(before), before));
        expect(again.size).toBe(table.size);
        for (let i = 0; i < before + since; i++)
          expect(again.has(digestOf(`${i}`))).toBe(table.has(digestOf(`${i}`)));
      }),
      { seed },
    );
  });
});
