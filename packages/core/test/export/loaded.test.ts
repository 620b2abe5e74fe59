/**
 * How a text is loaded, given to an export: it is checked as the machine checks it, and a text with it is
 * exported as the program is that the machine loads with it.
 */

import { describe, expect, test } from "vitest";
import { exportFormats, exportModel, type LoadOptions, NdvmError } from "../../src/index.js";
import { fitText, machine, steps } from "../fit/support.js";
import { functionOf } from "./support.js";

function told(act: () => string): string {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    return `${error.code} ${error.message} | ${error.help}`;
  }
}

/** A text and what the machine makes of it are one model: the same text in every format, or the same refusal. */
function expectOneModel(source: string, load: LoadOptions, params: Record<string, number>) {
  for (const format of exportFormats)
    for (const isSymbolic of [false, true]) {
      const text = told(() =>
        exportModel({ program: source, load, params }, format, { isSymbolic }),
      );
      const program = () => machine.load(source, load);
      const loaded = told(() =>
        exportModel({ program: program(), params }, format, { isSymbolic }),
      );
      expect(text, `${format} of ${source}`).toBe(loaded);
    }
}

describe("a text with `load` and the loaded program", () => {
  test.each([
    ["(* 2 max)", { inputs: ["max"] }, {}],
    ["(* c (sqrt max))", { inputs: ["max", "list"], domain: "clamp" }, { c: 4 }],
    ["(* a t)", { inputs: ["zz"] }, { a: 2 }],
    ["(* a t)", { inputs: ["zz", "t"] }, { a: 2, zz: 0.5 }],
    ["(+ (* a let) define)", { inputs: ["if", "let", "define"] }, { a: 2 }],
    ["(* 2 if)", {}, {}],
  ] as [string, LoadOptions, Record<string, number>][])("%s", (source, load, params) => {
    expectOneModel(source, load, params);
  });

  test("leave out what is declared and never named, constants of it too", async () => {
    const [t, load] = [steps(0, 4, 9), { inputs: ["zz"] }];
    const fitted = await fitText(
      "(* a t)",
      { data: { t, y: t.map((at) => 2 * at) }, target: "y" },
      ["zz"],
    );
    const { params } = fitted.best;
    expect(Object.keys(params)).toEqual(["a", "zz"]);
    const model = { program: "(* a t)", load, params };
    expect(exportModel(model, "math")).toBe(fitted.export("math"));
    for (const text of [exportModel(model, "json"), fitted.export("json")]) {
      const told = JSON.parse(text);
      expect([told.inputs, told.declared, Object.keys(told.params)]).toEqual([["t"], [], ["a"]]);
    }
    expect(functionOf(exportModel(model, "javascript"))({ t: 3 })).toBeCloseTo(6, 9);
    expect(() => exportModel({ ...model, load: {} }, "math")).toThrow("has no parameter zz");
  });
});

describe("how a text is loaded was not checked", () => {
  test.each([
    [{ domain: "bad" }, 'domain must be "ieee" or "clamp", got "bad"'],
    [{ inputs: "max" }, 'inputs must be an array of names, got "max"'],
    [{ inputs: ["max", 5] }, "inputs must be an array of names, got an array"],
    [{ inputs: { max: 1 } }, "inputs must be an array of names, got an object"],
    [{ language: "lisp" }, 'language must be "scheme" or "bytecode", got "lisp"'],
    [null, "the options of load are null, not an object"],
    [5, "the options of load are a number, not an object"],
    [{ domian: "clamp" }, "load has no option domian"],
  ] as unknown as [LoadOptions, string][])("%o", (load, message) => {
    expect(() => exportModel({ program: "(* 2 max)", load }, "math")).toThrow(message);
    expect(() => machine.load("(* 2 max)", load)).toThrow(message);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a text alone", "(* 2 a)"],
    ["a program alone", machine.load("(* 2 a)")],
    ["params alone", { params: { a: 1 } }],
    ["a program that is none", { program: 5 }],
    ["an empty program", { program: null }],
  ] as unknown as [string, { program: string }][])("%s is refused by every format", (_, given) => {
    for (const format of exportFormats)
      expect(told(() => exportModel(given, format))).toBe(
        "E-INPUT there is no program to export | give { program } with a text or a loaded program, or the result of a fit",
      );
  });

  test.each([null, 5])("values of parameters that are %s are refused", (params) => {
    const given = { program: "(* 2 a)", params } as unknown as { program: string };
    for (const format of exportFormats)
      expect(told(() => exportModel(given, format))).toContain(
        `E-OPTION params must be an object of numbers by their names, got ${params}`,
      );
  });

  test("stack code is refused as such", () => {
    const load = { language: "bytecode" } as const;
    const source = "PUSH 2\nLOAD a\nMUL";
    const text = told(() => exportModel({ program: source, load }, "math"));
    expect(text).toBe(told(() => exportModel({ program: machine.load(source, load) }, "math")));
    expect(text).toContain("only programs in Scheme can be exported");
  });

  test("an error says in which file it is", () => {
    const load = { file: "law.scm" };
    for (const source of ["(* 2", "(* 2 (list a))"])
      expect(() => exportModel({ program: source, load }, "math")).toThrow(
        expect.objectContaining({ file: "law.scm", source }),
      );
  });
});

test("a procedure where a number belongs is named, and how to declare an input of its name", () => {
  for (const [source, name] of [
    ["(* 2 max)", "max"],
    ["(+ 1 (* 2 map))", "map"],
    ["(vec 1 sin)", "sin"],
    ["(+ (vec 1 2) exp)", "exp"],
    ["(if (< 1 list) 2 3)", "list"],
  ] as const) {
    const text = told(() => exportModel({ program: source }, "math"));
    expect(text).toContain(`something that is not a number, the procedure ${name} |`);
    expect(text).toContain(`declare it as an input: load: { inputs: ["${name}"] }`);
    expect(exportModel({ program: source, load: { inputs: [name] } }, "math")).toContain(name);
  }
  const own = told(() => exportModel({ program: "(define (f x) x) (* 2 f)" }, "math"));
  expect(own).toMatch(/not a number \| export it as/);
});
