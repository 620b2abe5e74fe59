/**
 * One analysis serves program after program: nothing of the one before is left, and nothing grows.
 */

import { describe, expect, test } from "vitest";
import { Analysis } from "../../src/program/analyse.js";
import { ParsedScheme } from "../../src/program/parsed-scheme.js";
import type { Core, Expansion, Variable } from "../../src/syntax/core.js";
import { expand } from "../../src/syntax/expand.js";
import { read } from "../../src/syntax/read.js";
import { schemePrograms } from "./programs.js";

/** Programs that fill the room for nodes, and end in a procedure. */
const long = [60, 61, 62, 200, 90].map(
  (count) => `${"(sin x) ".repeat(count)}(lambda (p q) (+ p (* q p)))`,
);
const sources = [...Object.values(schemePrograms), ...long];

function variablesOf({ nodes, globals }: Expansion): Variable[] {
  const local = nodes.flatMap((node) => {
    if (node.kind === "let" || node.kind === "letrec" || node.kind === "loop")
      return node.variables;
    return node.kind === "lambda" ? [...node.params, ...(node.rest ? [node.rest] : [])] : [];
  });
  return [...globals, ...local];
}

/**
 * All that an analysis found of a program, but for primitives that are called and what loops have taken
 * the place of: nobody asks for those.
 */
function found(analysis: Analysis, expansion: Expansion, findsLoops: boolean): string {
  const { nodes } = expansion;
  const called = new Set(nodes.map((node) => (node.kind === "call" ? node.operator : undefined)));
  const asked = [...nodes.keys()].filter((at) => {
    const node = nodes[at] as Core;
    return !findsLoops && (node.kind !== "primitive" || !called.has(node));
  });
  const { owner, depth, control, flags } = analysis;
  const owners = new Set(asked.map((at) => owner[at] as number));
  return JSON.stringify([
    asked.map((at) => [owner[at], depth[at], control[at], flags[at]]),
    [...owners].map((one) => [one, analysis.stackMax(one), analysis.controlMax(one)]),
    [...analysis.captures].map(([node, captured]) => [node, [...captured.values()]]),
    variablesOf(expansion).map((variable) => boundAs(analysis, variable)),
  ]);
}

/** The loop that a procedure became has no binding for it. */
function boundAs(analysis: Analysis, variable: Variable): unknown {
  try {
    const { variable: _, ...binding } = analysis.binding(variable);
    return { ...binding, name: variable.name, mark: variable.mark };
  } catch (error) {
    return (error as Error).message;
  }
}

const analysed = (analysis: Analysis, source: string, findsLoops: boolean): string => {
  const expansion = expand(read(source));
  analysis.read(expansion, findsLoops);
  return found(analysis, expansion, findsLoops);
};

describe("an analysis", () => {
  test.each([true, false])("is the same whatever was analysed before (loops: %s)", (findsLoops) => {
    const alone = sources.map((source) => analysed(new Analysis(), source, findsLoops));
    const one = new Analysis();
    for (const order of [[...sources.keys()], [...sources.keys()].reverse()])
      for (const at of order)
        expect(analysed(one, sources[at] as string, findsLoops), sources[at]).toBe(alone[at]);
  });

  test("numbers the bindings of a program from 0 on", () => {
    const one = new Analysis();
    for (let turn = 0; turn < 3; turn++)
      for (const source of sources) {
        const expansion = expand(read(source));
        one.read(expansion, false);
        const marks = variablesOf(expansion).map(({ mark }) => mark);
        expect(marks.sort((a, b) => a - b)).toEqual([...marks.keys()]);
      }
  });
});

describe("what is known of a formula", () => {
  const formulas = ["(* a (exp (* k t)))", "(+ x 1)", "(< a b)", "(dot (vec a 1) (vec 2 b))"];
  const options = { integerMax: 2 ** 31 - 1, clamps: false, findsLoops: true };
  const facts = (parsed: ParsedScheme, source: string) => ({
    inputs: parsed.inputs,
    constants: parsed.constants,
    procedureValues: parsed.procedureValues,
    hasBranches: parsed.hasBranches,
    places: parsed.inputs.map((name) => parsed.inputSpan(name)),
    spans: Array.from({ length: 12 }, (_, node) => parsed.spanOf(node)),
    texts: Array.from({ length: 12 }, (_, node) => {
      const span = parsed.spanOf(node);
      return span && source.slice(span.start, span.end);
    }),
    operations: Array.from({ length: 12 }, (_, node) => parsed.operationAt(node)),
    called: Array.from({ length: 12 }, (_, node) => parsed.calledAt(node, false)),
    variables: Array.from({ length: 12 }, (_, node) => parsed.variableAt(node)),
  });

  test.each(formulas)("is what its expansion says: %s", (source) => {
    const quick = new ParsedScheme(source, undefined);
    quick.encode(options);
    expect(facts(quick, source)).toEqual(
      facts(new ParsedScheme(source, expand(read(source))), source),
    );
  });

  test.each([
    ["(* a (exp (* k t)))", true],
    ["(+ x 1)", true],
    ["(let ((y x)) (* y y))", false],
    ["(if (< x 1) x 2)", false],
  ])("is read by its characters, without nodes, where that can be: %s", (source, isFormula) => {
    const parsed = new ParsedScheme(source, undefined);
    // Only the quick way tells the inputs with the image.
    expect("inputs" in parsed.encode(options)).toBe(isFormula);
  });

  test("places begin at the first letter of a text", () => {
    const at = (source: string) => new ParsedScheme(source, undefined);
    expect(at("x").inputSpan("x")).toEqual({ start: 0, end: 1 });
    expect(at(" x").inputSpan("x")).toEqual({ start: 1, end: 2 });
    expect([at("x").inputSpan("y"), at("(+ 1 x)").inputSpan("x")]).toEqual([
      undefined,
      { start: 5, end: 6 },
    ]);
    expect([at("x").spanOf(0), at("x").spanOf(99)]).toEqual([{ start: 0, end: 1 }, undefined]);
    expect([at("sin").procedureValues, at("pi").constants]).toEqual([["sin"], ["pi"]]);
    const call = at("(f x) (define (f y) y) 1");
    const nodes = Array.from({ length: 8 }, (_, node) => node);
    expect(nodes.flatMap((node) => call.calledAt(node, false) ?? [])).toEqual(["f"]);
    expect(nodes.flatMap((node) => at("(sin x)").operationAt(node) ?? [])).toEqual(["sin"]);
    // What the language itself brings along has no place in the text.
    const library = at("(map sin x)");
    const spans = library.expansion.nodes.map((_, node) => library.spanOf(node));
    expect(spans.some((span) => span === undefined)).toBe(true);
    expect(spans.every((span) => span === undefined || span.start >= 0)).toBe(true);
  });

  test("constants and procedures that are values, by the names they have in the text", () => {
    const source =
      "(define (f g) (if (< (g pi) e) (map sin (list 1 nan)) (apply + (list (abs a) max)))) (f cos)";
    const { constants, procedureValues, hasBranches } = new ParsedScheme(source, undefined);
    expect(hasBranches).toBe(true);
    expect({ constants, procedureValues }).toMatchSnapshot();
  });

  test("procedures that are values are those that the text names, wherever it hands one on", () => {
    const places: readonly (readonly [string, number])[] = [
      ["#", 1],
      ["(list # a #)", 2],
      ["(let ((u #)) (u a))", 1],
      ["((lambda (u) (u a)) #)", 1],
      ["(if a # #)", 2],
      ["(apply # (list a))", 1],
      ["(apply # a (list a))", 1],
      ["(cond (a # #) (a (list #)) (else #))", 4],
      ["(define (f g . h) (g a)) (f # # #)", 3],
      ["(sin (cos a))", 0],
      ["(let ((sin 1) (cos a)) (list sin cos))", 0],
      ["'(sin cos)", 0],
      ...["map", "fold-left", "fold-right", "reduce", "filter", "member", "assoc"].flatMap((name) =>
        [1, 2, 3, 4].flatMap((count): [string, number][] => [
          [`(${name} # ${"a ".repeat(count)})`, 1],
          [`(${name} a # ${"a ".repeat(count)})`, 1],
          [`(let ((u #)) (${name} u ${"a ".repeat(count)}))`, 1],
          [`(${name} ${"a ".repeat(count)})`, 0],
        ]),
      ),
    ];
    const values = ["sin", "+", "car", "cons", "null?", "vsum", "matmul", "eq?", "apply"];
    for (const [place, count] of places)
      for (let turn = 0; turn < values.length; turn++) {
        let next = turn;
        const source = place.replaceAll("#", () => values[next++ % values.length] as string);
        const named = Array.from({ length: count }, (_, k) => values[(turn + k) % values.length]);
        let parsed: ParsedScheme;
        try {
          parsed = new ParsedScheme(source, expand(read(source)));
        } catch {
          continue;
        }
        expect([...parsed.procedureValues].sort(), source).toEqual([...new Set(named)].sort());
      }
  });
});
