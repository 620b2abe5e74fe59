/**
 * Names of columns as identifiers of JavaScript and Python. People call columns x², m½ and ﬁt: exported
 * functions did not parse, or took one argument twice, since Python reads ª and a as one name.
 */

import { describe, expect, test } from "vitest";
import { exportModel, NdvmError, recordOf } from "../../src/index.js";
import { functionOf } from "./support.js";

/** Pairs of columns, the second of which could be mistaken for the first. */
const PAIRS = [
  ["x²", "x2"],
  ["½", "①"],
  ["ﬁ", "fi"],
  ["ª", "a"],
  ["𝒙", "x"],
  ["ſ", "s"],
  ["Ⅷ", "VIII"],
  ["a٣", "٣"],
  ["ⸯ", "x"],
  ["q ŉ", "q ʼn"],
  ["e\u0301", "é"],
  ["__debug__", "__proto__"],
  ["तापमान", "तपमन"],
  ["\u0301", "x"],
  ["می\u200cشود", "میشود"],
] as const;

const written = (a: string, b: string, format: "javascript" | "numpy" | "sympy"): string =>
  exportModel({ program: `(+ (* 2 |${a}|) (* 3 |${b}|))`, numbers: [a, b] }, format);

describe.each(PAIRS)("columns %s and %s", (a, b) => {
  test("are two arguments in JavaScript", () => {
    const model = functionOf(written(a, b, "javascript"));
    const given = recordOf([
      [a, 1],
      [b, 5],
    ]);
    expect(model(given)).toBe(17);
  });

  test("are two names in Python, which it reads as they are written", () => {
    const [, params = ""] = /def model\((.*)\):/.exec(written(a, b, "numpy")) ?? [];
    const symbols = [...written(a, b, "sympy").matchAll(/^(.*) = sympy\.Symbol/gm)];
    for (const names of [params.split(", "), symbols.map(([, name = ""]) => name)]) {
      expect(new Set(names).size, names.join()).toBe(2);
      for (const name of names) {
        expect(name).toMatch(/^[\p{XID_Start}_]\p{XID_Continue}*$/u);
        expect(name.normalize("NFKC")).toBe(name);
        expect(name).not.toBe("__debug__");
      }
    }
  });
});

test("vowels and accents that are marks of their own stay in names: तापमान was तपमन", () => {
  for (const name of ["तापमान", "อุณหภูมิ", "m\u0304"])
    expect(exportModel({ program: `(* 2 |${name}|)` }, "numpy")).toContain(`def model(${name}):`);
});

test.each([
  ["class", "numpy"],
  ["class", "javascript"],
  ["lambda", "sympy"],
  ["eval", "javascript"],
  ["np", "numpy"],
  ["lgamma", "javascript"],
  ["Math", "javascript"],
] as const)("a function that is to be called %s is refused in %s", (name, format) => {
  const model = { program: "(lgamma x)" };
  expect(() => exportModel(model, format, { name })).toThrow(NdvmError);
  expect(() => exportModel(model, format, { name })).toThrow(
    `"${name}" cannot be the name of a function`,
  );
  expect(exportModel(model, format, { name: `${name}1` })).toContain(`${name}1`);
});
