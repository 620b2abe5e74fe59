/** Which inputs payloads depend on, against plain sets. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { InputSets, NO_INPUTS } from "../../src/machine/reports/input-sets.js";
import { ByteBudget } from "../../src/machine/results/byte-budget.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const step = fc.record({
  out: fc.nat(3000),
  from: fc.array(fc.nat(3000), { maxLength: 2 }),
  inputs: fc.array(fc.nat(12), { maxLength: 2 }),
});

test(`payloads depend on what plain sets say (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const sets = new InputSets(new ByteBudget(2 ** 30));
      const plain = new Map<number, Set<number>>();
      for (const { out, from, inputs } of steps) {
        const parts = [...from.map((id) => sets.of(id)), ...inputs.map((one) => sets.single(one))];
        const all = parts.reduce((a, b) => sets.union(a, b), NO_INPUTS);
        const expected = new Set([...from.flatMap((id) => [...(plain.get(id) ?? [])]), ...inputs]);
        expect([...sets.members(all)]).toEqual([...expected].sort((a, b) => a - b));
        sets.add(out, all);
        plain.set(out, new Set([...(plain.get(out) ?? []), ...expected]));
      }
      for (const [id, expected] of plain)
        expect([...sets.members(sets.of(id))]).toEqual([...expected].sort((a, b) => a - b));
    }),
    { seed },
  );
});

test("sets are kept once: many payloads of few inputs take a number for each", () => {
  // Room for payloads is doubled when it is used up.
  const sets = new InputSets(new ByteBudget(2000 + 4 * 2 ** 17));
  const both = sets.union(sets.single(0), sets.single(1));
  for (let id = 0; id < 100_000; id++)
    sets.add(id, id % 2 === 0 ? both : sets.single(id % 3 === 0 ? 0 : 1));
  expect([...sets.members(sets.of(99_998))]).toEqual([0, 1]);
  expect([...sets.members(sets.of(99_999))]).toEqual([0]);
});

test("sets that are all different are counted", () => {
  const sets = new InputSets(new ByteBudget(20_000));
  let all: number = NO_INPUTS;
  const grow = () => {
    for (let input = 0; input < 1000; input++) all = sets.union(all, sets.single(input));
  };
  expect(grow).toThrow(expect.objectContaining({ code: "E-MEMORY" }));
});
