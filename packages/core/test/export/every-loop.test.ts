/**
 * Exported JavaScript: loops in every place of loops leave and continue the right one; matrices and vectors
 * come in in every form of list, and equal nothing of another shape; and no input is called what the text of
 * any format calls something else.
 */

import { createContext, Script } from "node:vm";
import { afterAll, describe, expect, test } from "vitest";
import { type ExportFormat, exportModel, Machine, mat, NdvmError, vec } from "../../src/index.js";
import { primitiveByName } from "../../src/primitives/index.js";
import { Random } from "../fuzz/random.js";
import { functionOf, isSameValue } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

/** The value of an exported text, in a world of its own that ends what goes round for ever. */
function valueIn(text: string, inputs: Readonly<Record<string, number>>): unknown {
  const script = new Script(`"use strict";\n${text}\nmodel(${JSON.stringify(inputs)});`);
  return script.runInContext(createContext({}), { timeout: 2000 });
}

/** Programs of loops in the inits, tests, bodies, operands and tails of loops. */
function loopsIn(random: Random): string {
  let count = 0;
  const value = (depth: number, scope: readonly string[]): string => {
    const one = () => value(depth - 1, scope);
    if (depth <= 0) return random.pick([...scope, "a", "1", "2"]);
    return random.pick([
      () => `(+ ${one()} ${one()})`,
      () => `(* 0.5 ${one()})`,
      () => `(let ((v${depth} ${one()})) ${value(depth - 1, [...scope, `v${depth}`])})`,
      () => `(if (< ${one()} ${one()}) ${one()} ${one()})`,
      () => `(begin ${one()} ${one()})`,
      () => `((lambda (w${depth}) ${value(depth - 1, [...scope, `w${depth}`])}) ${one()})`,
      () => loop(depth, scope),
      () => loop(depth, scope),
    ])();
  };
  const loop = (depth: number, scope: readonly string[]): string => {
    const [i, s, f] = [`i${count}`, `s${count}`, `f${count++}`];
    const inner = [...scope, s];
    const isNamed = random.chance(0.5);
    const again = (): string =>
      `(${isNamed ? f : "recur"} (+ ${i} 1) ${value(depth - 2, [...inner, i])})`;
    // The end of the loop is a value, often another loop; its turn stands below lets, choices and sequences.
    const turn = (levels: number): string =>
      levels === 0
        ? again()
        : random.pick([
            () => `(let ((t${count} ${value(depth - 2, inner)})) ${turn(levels - 1)})`,
            () =>
              `(if (< ${s} ${value(depth - 2, inner)}) ${turn(levels - 1)} ${turn(levels - 1)})`,
            () => `(if (< ${s} -9) ${value(depth - 1, inner)} ${turn(levels - 1)})`,
            () => `(begin ${value(depth - 2, inner)} ${turn(levels - 1)})`,
          ])();
    const inits = `((${i} 0) (${s} ${value(depth - 1, scope)}))`;
    const end = value(depth - 1, inner);
    const next = turn(random.below(3));
    const body = random.chance(0.5)
      ? `(if (< ${i} 2) ${next} ${end})`
      : `(if (>= ${i} 2) ${end} ${next})`;
    return isNamed ? `(let ${f} ${inits} ${body})` : `(loop ${inits} ${body})`;
  };
  const whole = loop(random.between(2, 4), ["x"]);
  return random.pick([
    () => whole,
    () => `(+ 1 ${whole})`,
    () => `(let ((u ${whole})) (* u u))`,
    () => `(define (g x) ${whole}) (+ (g a) (g 2))`,
    () => `(if (< ${whole} 1) a ${whole})`,
  ])();
}

test(`loops in loops go round as the machine's do, SEED=${seed}`, () => {
  const random = new Random(seed);
  let compared = 0;
  for (let turn = 0; turn < 400; turn++) {
    const source = loopsIn(random);
    if (source.length > 6000) continue;
    const program = machine.load(source, { inputs: ["a", "x"] });
    const text = exportModel({ program }, "javascript");
    for (const inputs of [
      { a: 0.75, x: -1.5 },
      { a: -2, x: 3 },
    ]) {
      const want = program.evaluate(inputs).datum(0);
      const got = valueIn(text, inputs);
      expect(
        isSameValue(got, want),
        `${source}\n${text}\ngave ${String(got)}, wanted ${String(want)}`,
      ).toBe(true);
      compared += 1;
    }
    program.dispose();
  }
  expect(compared).toBeGreaterThan(400);
});

describe("tensors of the same numbers", () => {
  const TENSORS = [
    "[1 2 3 4 5 6]",
    "(mat [1 2 3 4 5 6])",
    "(mat [1] [2] [3] [4] [5] [6])",
    "(mat [1 2 3] [4 5 6])",
    "(mat [1 2] [3 4] [5 6])",
    "[1 2 3 4 5 7]",
    "(mat [1 2 3] [4 5 7])",
    "[1 2 3 4 5]",
    "(list 1 2 3 4 5 6)",
    "(list (mat [1 2 3] [4 5 6]))",
    "(list (mat [1 2] [3 4] [5 6]))",
    "(list [1 2 3 4 5 6])",
    "(list [1 2] 3)",
    "1",
    "(mat [1])",
    "[1]",
  ];
  const said = (work: () => unknown): unknown => {
    try {
      return work();
    } catch (error) {
      if (error instanceof NdvmError || error instanceof TypeError) return "refused";
      throw error;
    }
  };
  const twoOperands = [...primitiveByName].filter(
    ([, { arity }]) => arity.min <= 2 && arity.max >= 2,
  );

  test.each(twoOperands)("%s tells their shapes apart", (name) => {
    for (const x of TENSORS)
      for (const y of TENSORS) {
        const source = `(let ((x ${x}) (y ${y})) (${name} x y))`;
        const program = machine.load(source);
        const want = said(() => program.evaluate().datum(0));
        program.dispose();
        const got = said(() => functionOf(exportModel({ program: source }, "javascript"))());
        const isSame = want === "refused" ? got === want : isSameValue(got, want);
        expect(isSame, `${source}: ${JSON.stringify(got)} for ${JSON.stringify(want)}`).toBe(true);
      }
  });
});

describe("an input", () => {
  const kinds = [Float64Array, Float32Array, Int32Array, Int8Array, Uint8Array, Uint16Array];
  const program = "(list (matvec m v) (ref m 1) (ref v 2) (rows m) (cols m) (vlen v))";
  const tables = [
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [[7, 8, 9]],
    [
      [1, 0, 2],
      [0, 3, 1],
      [5, 5, 4],
      [2, 2, 2],
    ],
  ];

  test("may be a matrix in every form of rows, and a vector in every form of list", () => {
    const call = functionOf(exportModel({ program, tensors: ["m", "v"] }, "javascript"));
    const v = [3, -1, 2];
    for (const table of tables.filter(({ length }) => length > 1)) {
      const loaded = machine.load(program);
      const want = loaded.evaluate({ m: mat(table), v: vec(v) }).datum(0);
      loaded.dispose();
      const rows: unknown[] = [
        table,
        ...kinds.map((kind) => table.map((row) => kind.from(row))),
        table.map((row, i) => (i === 0 ? row : Float64Array.from(row))),
        table.map((row, i) => (i === 0 ? Float32Array.from(row) : row)),
      ];
      for (const m of rows)
        for (const vector of [v, Float64Array.from(v)])
          expect(isSameValue(call({ m, v: vector }), want), `${String(m)}`).toBe(true);
    }
  });

  test("may be a matrix of one row, and its rows are not its columns", () => {
    const call = functionOf(
      exportModel({ program: "(list (rows m) (cols m) m)", tensors: ["m"] }, "javascript"),
    );
    for (const table of tables)
      for (const m of [table, ...kinds.map((kind) => table.map((row) => kind.from(row)))])
        expect(call({ m }), String(m)).toEqual([table.length, 3, table]);
  });
});

describe("names that a text uses for something else", () => {
  /** Programs whose texts call everything that an export may call. */
  const programs = [
    "(+ # (erf #) (lgamma y) (sigmoid y) (softplus #) (min # y) (atan # y) (round y) (modulo # y))",
    "(if (and (< # y) (not (= # 1))) (+ (abs #) (sqrt y)) (max # (floor y) (quotient # y)))",
    "(define (f n) (if (< n 1) # (* n (f (- n 1))))) (+ # (f 3) (loop ((i 0)) (if (< i 3) (recur (+ i 1)) #)))",
    "(+ # (vsum [# y]) (fold-left + 0 (map (lambda (u) (* u #)) (list 1 y))) (length (list #)))",
    "(+ # (det (mat [# 1] [y 2])) (ref (solve (mat [# 1] [1 2]) [y 1]) 0) (gcd 4 6))",
  ];
  const python = `False None True and as assert async await break class continue def del elif else except
    finally for from global if import in is lambda nonlocal not or pass raise return try while with yield
    np math sympy abs float int print`;
  const javascript = `Math Number Object Array Float64Array NaN Infinity JSON TypeError RangeError ArrayBuffer
    undefined null true false arguments eval await async break case catch class const continue debugger default
    delete do else enum export extends finally for function if implements import in instanceof interface let new
    package private protected public return static super switch this throw try typeof var void while with yield
    loop loop1 loop2 model x inputs i n u f Matrix Bounce fail vec mat ref dot car cdr cons listOf number`;
  const words = [...new Set(`${python} ${javascript}`.split(/\s+/))].filter((word) => word !== "y");

  /** Words that the program itself does not use. */
  const wordsFor = (program: string): string[] =>
    words.filter((word) => !program.split(/[\s()[\]]+/).includes(word));

  const withName = (program: string, name: string, format: ExportFormat): string | undefined => {
    const loaded = machine.load(program.replaceAll("#", name), { inputs: [name, "y"] });
    try {
      return exportModel({ program: loaded, numbers: [name, "y"] }, format);
    } catch (error) {
      if (error instanceof NdvmError && error.code === "E-REFUSED") return undefined;
      throw error;
    } finally {
      loaded.dispose();
    }
  };

  test.each(programs)("are no names of inputs in Python: %s", (program) => {
    const reserved = new Set(python.split(/\s+/).slice(0, -4));
    for (const word of wordsFor(program)) {
      const numpy = withName(program, word, "numpy");
      if (numpy === undefined) continue;
      const [, params = ""] = /def model\((.*)\):/.exec(numpy) ?? [];
      const body = numpy.slice(numpy.indexOf("return "));
      const modules = [...body.matchAll(/(?<![\w.])(\w+)\./g)].map(([, name]) => name);
      for (const name of params.split(", ")) {
        expect(reserved.has(name), `${name} in ${numpy}`).toBe(false);
        expect(
          modules.filter((one) => one === name && !/^\d/.test(one)),
          numpy,
        ).toEqual([]);
      }
      const sympy = withName(program, word, "sympy");
      for (const [, name = ""] of sympy?.matchAll(/^(\w+) = sympy\.Symbol/gm) ?? [])
        expect(reserved.has(name) || name === "sympy" || name === "model", sympy).toBe(false);
    }
  });

  test.each(programs)("are inputs like others in JavaScript: %s", (program) => {
    const wanted = functionOf(withName(program, "plainly", "javascript") as string);
    for (const word of wordsFor(program))
      for (const [value, y] of [
        [0.75, 2],
        [2, 1],
      ] as const) {
        const text = withName(program, word, "javascript") as string;
        const got = functionOf(text)({ [word]: value, y });
        expect(isSameValue(got, wanted({ plainly: value, y })), `${word}: ${text}`).toBe(true);
      }
  });
});
