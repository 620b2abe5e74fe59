/** Columns that are called as words of the language are weighed as those of any other name. */

import { describe, expect, test } from "vitest";
import { list, run } from "../engine/support.js";

const x = Array.from({ length: 40 }, (_, i) => 0.2 + ((i * 37) % 40) / 20);
const z = x.map((_, i) => 0.2 + ((i * 17) % 40) / 20);
const y = x.map((at, i) => 2 * at - (z[i] as number) ** 2 + 0.01 * Math.sin(i * i));

/** What becomes of three programs, one with a number in its text, where the second input is called so. */
async function study(name: string) {
  const sources = [
    "(* a x)",
    `(+ (* a x) (* b ${name}))`,
    `(- (* a x) (* b ${name} ${name} 1.25))`,
  ];
  const { done } = await run({
    data: { x, [name]: z, y },
    ...{ target: "y", seed: 1, workers: 0, proposers: [list(sources)] },
  });
  const rename = (text: string | undefined) => text?.replaceAll(` ${name}`, " z");
  return {
    choice: rename(done.choice?.source),
    front: done.front.map(({ source, isWeighed, length }) => [rename(source), isWeighed, length]),
  };
}

test("what is left of a program was written with an operator that is an input, and had no length", async () => {
  const columns = { x, z, y: x.map((at, i) => at * (z[i] as number) + 0.01 * Math.sin(i * i)) };
  for (const name of ["*", "max"]) {
    const { done } = await run({
      data: { ...columns, [name]: x.map((_, i) => i % 7) },
      ...{ target: "y", seed: 1, workers: 0, proposers: [list(["(/ x (/ a z))"])] },
    });
    const [member] = done.front;
    // With a = 1 it is (* x z), which calls the column.
    const source = name === "*" ? "(/ x (/ a z))" : "(* x z)";
    expect([member?.source, member?.isWeighed]).toEqual([source, true]);
  }
});

describe("a program that reads an input called as a special form had no length", () => {
  // Forms, primitives, and names of the library: what `expand` looks up in different tables.
  test.each(["lambda", "let", "if", "define", "loop", "quote", "max", "list", "map"])(
    "%s",
    async (name) => {
      const told = await study(name);
      expect(told).toEqual(await study("z"));
      expect(told.front.every(([, isWeighed]) => isWeighed)).toBe(true);
      expect(told.choice).toContain("z");
    },
  );
});
