/**
 * Images word by word: what the encoder writes for programs that use every kind of cell, and what the
 * machine may ask about them. Changing the encoder changes these texts, and someone reads the difference.
 */

import { describe, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import { readProgram } from "../../src/machine/languages.js";
import * as layout from "../../src/program/layout.js";
import type { EncodeOptions } from "../../src/program/parsed-program.js";
import type { ParsedScheme } from "../../src/program/parsed-scheme.js";
import { imageText, parsedText } from "./image-text.js";
import { schemePrograms } from "./programs.js";

const double: EncodeOptions = { integerMax: 2 ** 31 - 1, clamps: false, findsLoops: true };
const cases = Object.entries(schemePrograms);
const listingOf = (source: string) => readProgram(source, {}) as ParsedScheme;

const imageOf = (source: string, options = double, index?: string): string => {
  const parsed = listingOf(source);
  const shown = index === undefined ? parsed : parsed.elementBy(index);
  return imageText(shown.encode(options), shown, source);
};

/** The first and last lines of a long text. */
function ends(text: string): string {
  const lines = text.split("\n");
  return lines.length < 80 ? text : [...lines.slice(0, 12), "…", ...lines.slice(-12)].join("\n");
}

describe("the image of a program", () => {
  test.each(cases)("%s", (_, source) => {
    expect(ends(imageOf(source))).toMatchSnapshot("f64");
  });

  test("f32 keeps smaller integers, and clamps are other ops", () => {
    const single: EncodeOptions = { integerMax: 2 ** 24, clamps: true, findsLoops: true };
    for (const name of ["constants of every kind", "clamped ones", "a primitive as a value"])
      expect(imageOf(schemePrograms[name] as string, single)).toMatchSnapshot(name);
  });

  test("without loops every procedure is called", () => {
    const plain: EncodeOptions = { ...double, findsLoops: false };
    for (const name of ["a named loop", "a letrec that is a loop", "loop and recur"])
      expect(imageOf(schemePrograms[name] as string, plain)).toMatchSnapshot(name);
  });

  test("an element of a vector is taken from the last expression", () => {
    for (const source of ["[a b]", "(define (f x) [x a]) (+ 1 2) (f b)"])
      expect(imageOf(source, double, "which")).toMatchSnapshot(source);
  });

  test("does not depend on what was encoded before", () => {
    const alone = new Map(cases.map(([name, source]) => [name, imageOf(source)]));
    // Larger than the room of the usual encoder, larger than most, and one that fails half-way.
    const large = `(+ ${"(* a 2) ".repeat(300)})`;
    const huge = `(+ ${"(let f ((n 1)) (if (= n 0) 'q (f (- n 1)))) ".repeat(600)})`;
    const between = [large, huge, "(let f ((n 1.5)) (if #t 'x (f n)))"];
    for (const [i, [name, source]] of [...cases].reverse().entries()) {
      imageOf(between[i % between.length] as string);
      expect(imageOf(source), name).toBe(alone.get(name));
    }
    expect(imageOf(huge)).toBe(imageOf(huge));
    expect(imageOf(large).split("\n").slice(0, 1)).toMatchSnapshot("large");
    expect(imageOf(huge).split("\n").slice(0, 1)).toMatchSnapshot("huge");
  });

  test("nothing is encoded that has no meaning", () => {
    expect(() => imageOf("(if 1 2")).toThrow(NdvmError);
  });
});

test("lets have their own slots wherever they stand", async () => {
  const machine = await Machine.create();
  const square = (x: number): number => x * x;
  const looped = (a: number, b: number): number => {
    let s = square(b);
    for (let i = square(a); i < 3; i = 1 + 2 * i) s = square(s);
    return 2 * square(s);
  };
  const wanted: Readonly<Record<string, (a: number, b: number) => number>> = {
    "lets in a test and in branches": (a) => 1 + square(a),
    "lets in operands": (a, b) => square(a) * (square(b) + square(a)),
    "lets in a sequence": (_, b) => 1 + square(b),
    "lets in the inits of a let": (a, b) => square(a) * square(b) * square(square(a)),
    "lets in a loop": looped,
    "lets in a named loop": looped,
    "lets in a letrec": (a, b) => 2 * (square(square(b)) + square(a)),
    "lets in definitions": (a, b) => square(a) + 2 * square(b),
  };
  expect(Object.keys(wanted)).toEqual(
    cases.map(([name]) => name).filter((name) => /^lets in (?!each)/.test(name)),
  );
  for (const [name, value] of Object.entries(wanted)) {
    const program = machine.load(schemePrograms[name] as string);
    for (const [a, b] of [
      [2, -0.5],
      [0.25, 3],
      [0.5, 1.5],
    ] as const) {
      const inputs = { a, b };
      const given = Object.fromEntries(
        program.inputs.map((key) => [key, inputs[key as "a" | "b"]]),
      );
      expect(program.evaluate(given).values[0], `${name} at ${a}, ${b}`).toBeCloseTo(
        value(a, b),
        12,
      );
    }
  }
  machine.dispose();
});

describe("what the machine may ask", () => {
  test("help for every fault and every kind of value", () => {
    const parsed = listingOf("a");
    const of = (prefix: string) =>
      Object.entries(layout).filter(([name]) => name.startsWith(prefix)) as [string, number][];
    const lines = of("FAULT_").flatMap(([fault, code]) =>
      of("TAG_").map(([tag, value]) => `${fault} ${tag} ${parsed.helpFor(code, value) ?? "·"}`),
    );
    expect([
      ...new Set(lines.map((line) => line.replace(/TAG_(?!PAIR)\w+/, "TAG"))),
    ]).toMatchSnapshot();
    expect(parsed.builtins).toContain("let*");
    expect(parsed.builtins).toContain("sqrt");
    expect(new Set(parsed.builtins).size).toBe(parsed.builtins.length);
  });

  test.each([
    "a closure kept",
    "a named loop inside an operand",
    "a procedure of the library in tail position",
    "apply",
    "a primitive as a value",
    "constants of every kind",
  ])("every answer about %s", (name) => {
    const parsed = listingOf(schemePrograms[name] as string);
    expect(parsedText(parsed, parsed.expansion.nodes.length)).toMatchSnapshot();
  });

  test("procedures with their names and counts, and calls of the library", () => {
    const source =
      "(define (f x . r) x) (list (lambda () 1) f (lambda (a b) a) (map car (list 1)))";
    const parsed = listingOf(source);
    const { nodes } = parsed.expansion;
    const told = nodes.flatMap(({ kind, span }, node) =>
      kind === "lambda" && span.start >= 0 ? [parsed.procedureAt(node)] : [],
    );
    expect(told).toEqual([
      { name: "f", min: 1, max: -1 },
      { name: undefined, min: 0, max: 0 },
      { name: undefined, min: 2, max: 2 },
    ]);
    const calls = nodes.flatMap((node, failed) => {
      if (node.kind !== "call") return [];
      const visible = nodes.map((_, at) => parsed.libraryCall(failed, at));
      return [[source.slice(node.span.start, node.span.end), [...new Set(visible)]] as const];
    });
    expect(calls).toMatchSnapshot();
  });
});
