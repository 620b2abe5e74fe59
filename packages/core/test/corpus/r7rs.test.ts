/**
 * R7RS expression/value pairs from an independent test suite. Every core case passes, and so does
 * every extended case inside our language; the others are refused with a typed error. What is
 * outside stands in one table by feature, with the reason: a case that is neither in the table nor
 * passing is a failure, and so is a case in the table that evaluates.
 *
 * f64 only: expected values have up to 14 digits. Results in f32 are the language suite's business.
 */

import { expect, test } from "vitest";
import { NdvmError } from "../../src/errors.js";
import { describeCorpus, readCorpus } from "./corpus.js";
import { readExpected, resultMatches } from "./expected.js";
import { withProgram } from "./support.js";

interface R7rsCase {
  readonly id: string;
  readonly tier: "core" | "extended";
  readonly defs: readonly string[];
  readonly expr: string;
  readonly expected: string;
}

interface Outside {
  readonly feature: string;
  readonly pattern: RegExp;
  readonly reason: string;
}

const outside: readonly Outside[] = [
  {
    feature: "vectors of anything",
    pattern: /#\(|\bvector|make-vector/,
    reason: "our vectors hold numbers and are made by vec; a sequence of anything is a list",
  },
  {
    feature: "case-lambda",
    pattern: /case-lambda/,
    reason: "dispatch on the number of arguments is written with rest arguments",
  },
  {
    feature: "multiple values",
    pattern: /values\b/,
    reason: "an expression has one value; several are returned as a list",
  },
  {
    feature: "exactness predicates",
    pattern: /\((exact|inexact|rational)\? /,
    reason: "integers are a representation, never a type: no program can ask for it",
  },
  {
    feature: "typed equality",
    pattern: /\((boolean|symbol)=\? /,
    reason: "eq? and equal? compare booleans and symbols",
  },
];

function featureOutside(test: R7rsCase): Outside | undefined {
  const text = [...test.defs, test.expr].join(" ");
  return outside.find(({ pattern }) => pattern.test(text));
}

function sourceOf({ defs, expr }: R7rsCase): string {
  return `(let () ${defs.join(" ")} ${expr})`;
}

describeCorpus("R7RS", () => {
  const cases = readCorpus<readonly R7rsCase[]>("r7rs_subset/r7rs_cases.json");
  const inside = cases.filter((each) => featureOutside(each) === undefined);
  const refused = cases.filter((each) => featureOutside(each) !== undefined);

  test("every core case is inside our language", () => {
    expect(refused.filter(({ tier }) => tier === "core")).toEqual([]);
  });

  test.each(inside)("$id ($tier): $expr => $expected", async (each) => {
    await withProgram("f64", sourceOf(each), {}, (program) => {
      const out = program.evaluate({});
      const tolerance = { relative: 1e-9, absolute: 1e-12 };
      const matches = resultMatches(out, 0, readExpected(each.expected), tolerance);
      expect(matches, `printed ${out.print(0)}, expected ${each.expected}`).toBe(true);
    });
  });

  test.each(refused.map((each) => ({ ...each, ...featureOutside(each) })))(
    "$id: $expr is refused ($feature: $reason)",
    async (each) => {
      const attempt = withProgram("f64", sourceOf(each), {}, (program) => program.evaluate({}));
      const error = await attempt.then(
        (out) => expect.fail(`evaluated to ${out.print(0)}`),
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(NdvmError);
      expect(["E-REFUSED", "E-SYNTAX", "E-UNBOUND"]).toContain((error as NdvmError).code);
      expect((error as NdvmError).span).toBeDefined();
    },
  );
});
