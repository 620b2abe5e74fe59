/** Operators and forms whose words are names of columns: what is bred does without them. */

import { describe, expect, test } from "vitest";
import { briefFor, makeStudy } from "../../src/study.js";
import { run } from "../engine/support.js";

const x = Array.from({ length: 40 }, (_, i) => 0.2 + ((i * 37) % 40) / 20);
const z = x.map((_, i) => 0.2 + ((i * 17) % 40) / 20);
const w = x.map((_, i) => ((i * 7) % 40) / 30);
const y = x.map(
  (at, i) => 2 * at - (z[i] as number) ** 2 + (w[i] as number) + Math.sin(i * i) / 99,
);
const operators = ["+", "-", "*", "/", "exp", "sin", "max", "<", "if", "let", "loop"];

describe("most candidates called a column, and failed", () => {
  test.each([
    ["+", "-"],
    ["*", "exp"],
    ["max", "sin"],
    ["if", "define"],
    ["<", "loop"],
    ["let", "recur"],
    ["=", "lambda"],
  ])("%s and %s", async (one, other) => {
    const data = { x, [one]: z, [other]: w, y };
    for (const given of [{}, { operators }]) {
      const options = { data, target: "y", seed: 2, workers: 0, ...given };
      const { outcomes } = await run({ ...options, budget: { candidates: 300 } });
      expect(outcomes).toHaveLength(300);
      const codes = new Set(outcomes.map(({ failure }) => failure?.code));
      for (const code of ["E-CALL", "E-FORM", "E-UNBOUND", "E-ARITY"])
        expect(codes, JSON.stringify(given)).not.toContain(code);
    }
  });
});

test("a study in which every operator is a column is searched all the same", async () => {
  const data = { "+": x, "*": z, y };
  const options = { data, target: "y", seed: 2, workers: 0, operators: ["+", "*"] };
  const { done } = await run({ ...options, budget: { candidates: 40 } });
  expect(done.front.length).toBeGreaterThan(0);
});

test("proposers are told of operators that can be called, in the study's order", () => {
  const told = (inputs: readonly string[], given = operators) => {
    const columns = Object.fromEntries(inputs.map((name, i) => [name, i === 0 ? x : z]));
    return briefFor(makeStudy({ data: { ...columns, y }, target: "y", operators: given }), 0)
      .operators;
  };
  expect(told(["x", "z"])).toEqual(operators);
  expect(told(["x", "-"])).toEqual(operators.filter((name) => name !== "-"));
  for (const word of ["recur", "=", "loop"])
    expect(told(["x", word])).toEqual(operators.filter((name) => name !== "loop"));
  const forms = ["+", "<", "if", "loop"];
  expect(told(["x", "<"])).toEqual(operators.filter((name) => !["<", "if"].includes(name)));
  expect(told(["x", "if"])).toEqual(operators.filter((name) => !["if", "loop"].includes(name)));
  expect(told(["x", "+"], forms)).toEqual(["<", "if"]);
});
