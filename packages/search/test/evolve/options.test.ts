/** Numbers that `evolve` is given: what cannot be meant is refused before a study begins. */
import { expect, test } from "vitest";
import { type EvolveOptions, evolve } from "../../src/index.js";

const counts = [
  ["islands", 1],
  ["islandSize", 1],
  ["draws", 0],
  ["migrateEvery", 0],
] as const;

const refused = (options: EvolveOptions, option: string) =>
  expect(() => evolve(options), JSON.stringify(options)).toThrow(
    expect.objectContaining({
      code: "E-OPTION",
      facts: expect.objectContaining({ reason: "option", option }),
    }),
  );

test.each(counts)("%s is a whole number from %s to a million", (option, least) => {
  for (const value of [least, least + 1, 1_000_000]) evolve({ [option]: value });
  const wrong = [least - 1, 1_000_001, 2.5, Number.NaN, Number.POSITIVE_INFINITY, "7", null];
  for (const value of wrong) refused({ [option]: value } as EvolveOptions, option);
});

test("bestShare is a number from 0 to 1", () => {
  for (const bestShare of [0, 0.2, 1]) evolve({ bestShare });
  for (const bestShare of [-0.01, 1.01, Number.NaN, "0.5", null])
    refused({ bestShare } as EvolveOptions, "bestShare");
});
