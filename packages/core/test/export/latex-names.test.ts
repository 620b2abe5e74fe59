/** Names in LaTeX: whatever they hold, the formula is of them, and nothing in it is a command of their own. */

import { expect, test } from "vitest";
import { exportModel } from "../../src/index.js";

test("names with signs of LaTeX made a comment of the rest, or no formula", () => {
  const named = (name: string) => exportModel({ program: `(* 2 |${name}|)` }, "latex");
  const written: readonly [string, string][] = [
    ["a%b", "a\\%b"],
    ["a#b", "a\\#b"],
    ["$ab", "\\$ab"],
    ["a&b", "a\\&b"],
    ["a{b}", "a\\{b\\}"],
    ["a~b", "a{\\sim}b"],
    ["a^b", "a{\\wedge}b"],
    ["a\\\\b", "a{\\backslash}b"],
    ["wind speed", "wind\\ speed"],
    ["a\\tb", "a\\ b"],
    ["a->b", "a->b"],
  ];
  for (const [name, latex] of written) expect(named(name)).toBe(`2 \\, \\mathrm{${latex}}`);
  expect(named("x_12_y")).toBe("2 \\, x_{\\mathrm{12\\_y}}");
  // Whatever a name holds, its braces close and no sign is left that means something else.
  for (let code = 32; code < 127; code++) {
    const sign = String.fromCharCode(code);
    const text = named(`a${sign === "|" || sign === "\\" ? "\\" : ""}${sign}b`);
    const rest = text.replaceAll(/\\([a-z]+|.)/g, "");
    expect(rest.replaceAll(/_\{/g, "{"), text).not.toMatch(/[#$%&_~^\\]/);
    expect(rest.split("{").length, text).toBe(rest.split("}").length);
  }
});
