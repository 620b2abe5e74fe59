/**
 * Exported NumPy and SymPy compute with the machine's numbers, whatever the arrays hold: columns of
 * integers, zeros, negative numbers, infinities and NaN. A small evaluator that knows NumPy's types sees it
 * everywhere; where Python is, NumPy and SymPy themselves do.
 */

import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { exportModel, Machine } from "../../src/index.js";
import { isClose } from "../corpus/support.js";
import { Random } from "../fuzz/random.js";
import { erf, lgamma } from "./people.js";
import { callNumpy, evaluatePython, type Given } from "./python.js";
import { pythonBinary } from "./support.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.info(`python-numbers: SEED=${seed}`);

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

/** The oracle knows finite numbers, and is not exactly 0 where log Γ is. */
function gamma(x: number): number {
  if (x === 1 || x === 2) return 0;
  return Number.isFinite(x) ? lgamma(x) : Math.abs(x);
}
const more = { erf, lgamma: gamma, log_gamma: gamma };

const isSame = (got: number, want: number): boolean =>
  Object.is(got + 0, want + 0) || isClose(got, want, { relative: 1e-9, absolute: 1e-12 });

describe("a column of integers gave other numbers than the machine, or an error", () => {
  test.each([
    ["(expt x 10)", 100, 1e20],
    ["(square (square (square (square x))))", 100, 1e32],
    ["(* 2.5 (expt x -2))", 2, 0.625],
    ["(expt 10 (if (> x 1) 25 1))", 2, 1e25],
    ["(* 3000000000 (if (> x 1) 4000000000 1))", 2, 1.2e19],
    ["(expt 2 (if (> x 0) 1 -1))", -1, 0.5],
    ["(expt 2 (if (> x 0) 1 -1))", 1, 2],
    ["(* x 100000000000000000000)", 3, 3e20],
    ["(* 1000000000000 1000000000000 x)", 3, 3e24],
    ["(modulo x 0)", 7, Number.NaN],
    ["(remainder 7 (* 0 x))", 7, Number.NaN],
    ["(lgamma x)", 0, Infinity],
    ["(lgamma (- x))", 3, Infinity],
    ["(+ x (/ 1 0))", 3, Infinity],
    ["(+ x (/ -1 0))", 3, -Infinity],
    ["(- x (/ 1 (- 2 2)))", 3, -Infinity],
    ["(/ x (/ 1 0))", 3, 0],
    ["(atan x (/ 1 -0.0))", 0, Math.PI],
    ["(* x (expt -3 1.7))", 2, Number.NaN],
    ["(* x (expt 0 -2))", 2, Infinity],
    ["(* x (expt 10 400))", 2, Infinity],
    ["(* x (quotient 7 0))", 2, Infinity],
    ["(lgamma (* 2 0))", 1, Infinity],
  ])("%s at %d", (source, x, want) => {
    const program = machine.load(source);
    expect(program.evaluate(program.inputs.length > 0 ? { x } : {}).values[0]).toBe(want);
    const text = exportModel({ program }, "numpy");
    for (const given of [BigInt(x), x])
      expect(isSame(callNumpy(text, { x: given }, more) as number, want), text).toBe(true);
    program.dispose();
  });
});

test("the evaluator of these tests sees integers wrap around, and Python's own faults", () => {
  const value = (expression: string, x: bigint): unknown =>
    callNumpy(`\ndef model(x):\n    return ${expression}`, { x }, more);
  expect(value("x**10", 100n)).toBe(Number(7766279631452241920n));
  expect(value("(((x**2)**2)**2)**2", 100n)).toBe(Number(-8814407033341083648n));
  expect(value("3000000000 * np.where(x > 1, 4000000000, 1)", 2n)).toBe(
    Number(-6446744073709551616n),
  );
  expect(value("10**25 * 1.0", 2n)).toBe(1e25);
  expect(() => value("2.5 * x**(-2)", 2n)).toThrow("negative integer powers");
  expect(() => value("x + 1 / 0", 2n)).toThrow("ZeroDivisionError");
  expect(() => value("x * (-3.0)**1.7", 2n)).toThrow("complex");
  expect(() => value("np.vectorize(math.lgamma)(x)", 0n)).toThrow("math domain error");
});

test("every function stands as one operand wherever it is put, also where its text is a quotient", () => {
  const unary = "sigmoid softplus erf log1p expm1 tanh square abs sqrt exp floor lgamma".split(" ");
  const contexts =
    "(/ 2 #)|(/ # 3)|(/ # #)|(* # 3)|(* 3 #)|(/ (* 2 #) #)|(expt # 2)|(expt # 1.5)|(expt 2 #)|(- #)|(- 2 #)|(- # 2)|(+ # #)|(sqrt #)|(/ #)";
  for (const name of unary)
    for (const context of contexts.split("|")) {
      const source = context.replaceAll("#", `(${name} x)`);
      const program = machine.load(source);
      const text = exportModel({ program }, "numpy");
      for (const x of [0.7, 2.5]) {
        const want = program.evaluate({ x }).values[0] as number;
        expect(isSame(callNumpy(text, { x }, more) as number, want), `${source}: ${text}`).toBe(
          true,
        );
      }
      program.dispose();
    }
});

test("a vector without elements, and constants that need no helper", () => {
  expect(exportModel({ program: "(zeros 0)" }, "numpy")).toContain("    return np.empty(0)");
  expect(exportModel({ program: "(+ x (lgamma 0))" }, "numpy")).not.toContain("log_gamma");
  const named = exportModel({ program: "(+ log_gamma (lgamma x))" }, "numpy", {
    name: "log_gamma2",
  });
  expect(named).toContain("def log_gamma3(x):");
});

/** # is a formula, $ another one. Remainders of rounded numbers would be any number at all. */
const CONTEXTS =
  `(+ # $)|(- # $)|(* # $)|(/ # $)|(- #)|(/ #)|(* 3 #)|(- 2 #)|(/ # 4)|(square #)|(abs #)
  (expt # 2)|(expt # 10)|(expt # -2)|(expt # 1.5)|(expt # y)|(expt 10 #)|(expt -3 #)|(expt 1 #)
  (expt 2 (if (> # 0) 1 -1))|(expt 10 (if (> # 1) 25 1))|(* 3000000000 (if (> # 1) 4000000000 1))
  (min # 2)|(max # 3)|(if (< # 1) 2 $)|(if (and (>= # 0) (not (= $ 2))) 4 #)|(if (<= # $) # 9007199254740991)
  (sqrt #)|(log #)|(exp #)|(lgamma #)|(erf #)|(floor #)|(quotient x 3)|(modulo x 3)|(remainder 7 y)
  (tanh #)|(softplus #)|(sigmoid #)|(/ # 0)|(* # 1000000000000 1000000000000)`
    .split(/[|\n]\s*/)
    .map((context) => context.trim());
const ATOMS = ["x", "y", "x", "y", "x", "2", "-3", "0", "1.7", "100000", "(expt 10 12)"];

/** A formula, and the same where every part of it is multiplied by n or m. */
interface Formula {
  readonly source: string;
  readonly noisy: string;
}

function formulas(random: Random, count: number): Formula[] {
  const made = (depth: number): Formula => {
    if (depth === 0) {
      const source = random.pick(ATOMS);
      return { source, noisy: source };
    }
    const [context, noise] = [random.pick(CONTEXTS), random.pick(["n", "m"])];
    const [first, second] = [made(depth - 1), made(random.below(depth))];
    const filled = (kind: keyof Formula): string =>
      context.replaceAll("#", () => first[kind]).replaceAll("$", () => second[kind]);
    return { source: filled("source"), noisy: `(* ${noise} ${filled("noisy")})` };
  };
  return Array.from({ length: count }, () => made(random.between(1, 3)));
}

const INTEGERS = [-7, -3, -2, -1, 0, 1, 2, 3, 10, 100, 2024, 3_000_000_000];
const FLOATS = [...INTEGERS, 0.3, -0.7, 2.5, 1e-9, 1e200, Infinity, -Infinity, Number.NaN];

interface Lanes {
  readonly x: readonly number[];
  readonly y: readonly number[];
}
const lanesOf = (values: readonly number[]): Lanes => ({
  x: values.flatMap((x) => values.map(() => x)),
  y: values.flatMap(() => values),
});

const NOISE = 1e-11;

/** The machine's numbers, without those that a rounding on the way changes much. */
function wanted({ source, noisy }: Formula, { x, y }: Lanes): (number | undefined)[] {
  const valuesOf = (text: string, n: number, m: number): ArrayLike<number> => {
    const program = machine.load(text);
    const all = { x: x.map((one) => one * n), y: y.map((one) => one * m), n, m };
    const used = program.inputs.map((name) => [name, all[name as keyof typeof all]] as const);
    const { values } = program.evaluate(Object.fromEntries(used), { lanes: x.length });
    program.dispose();
    return values;
  };
  const values = valuesOf(source, 1, 1);
  const near = [NOISE, -NOISE].map((noise) => valuesOf(noisy, 1 + noise, 1 - 2 * noise));
  return Array.from(x, (_, lane) => {
    const value = values[lane] as number;
    const isTame = near.every(({ [lane]: other }) => {
      const own = other as number;
      return (
        Object.is(value + 0, own + 0) || isClose(own, value, { relative: 1e-6, absolute: 1e-9 })
      );
    });
    return isTame ? value : undefined;
  });
}

test("random formulas of integers and of floats are the machine's, by NumPy's rules", () => {
  const random = new Random(seed);
  const compared = { integers: 0, floats: 0 };
  for (const formula of formulas(random, 600)) {
    const { source } = formula;
    const text = exportModel({ program: source }, "numpy");
    for (const [kind, values] of [
      ["integers", INTEGERS],
      ["floats", FLOATS],
    ] as const) {
      const lanes = lanesOf(Array.from({ length: 5 }, () => random.pick(values)));
      for (const [lane, want] of wanted(formula, lanes).entries()) {
        if (want === undefined) continue;
        const place = { x: lanes.x[lane] as number, y: lanes.y[lane] as number };
        const given: Given = kind === "floats" ? place : { x: BigInt(place.x), y: BigInt(place.y) };
        const got = callNumpy(text, given, more) as number;
        const what = `${source} at ${JSON.stringify(place)} of ${kind}: ${got}, not ${want}\n${text}`;
        expect(isSame(got, want), what).toBe(true);
        compared[kind] += 1;
      }
    }
  }
  for (const [kind, count] of Object.entries(compared)) expect(count, kind).toBeGreaterThan(3000);
});

/** What Python prints of a program, as JSON with words for numbers that JSON has none for. */
function printed(lines: readonly string[]): unknown {
  const { stdout, stderr } = spawnSync(pythonBinary, ["-W", "ignore", "-"], {
    input: lines.join("\n"),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout.replaceAll(/-?Infinity|NaN/g, '"$&"'));
}

const hasNumpy = spawnSync(pythonBinary, ["-c", "import numpy"]).status === 0;
const hasSympy = spawnSync(pythonBinary, ["-c", "import sympy"]).status === 0;

test.runIf(hasNumpy)("NumPy itself gives the machine's numbers for random formulas", () => {
  const random = new Random(seed + 1);
  const all = formulas(random, 300);
  const [whole, floats] = [lanesOf(INTEGERS), lanesOf(FLOATS)];
  const literal = (values: readonly number[]): string =>
    `[${values.map((value) => (Number.isFinite(value) ? value : `float("${value}")`)).join(", ")}]`;
  const lines = [
    "import json",
    "results = []",
    `whole = dict(x=np.array(${literal(whole.x)}), y=np.array(${literal(whole.y)}))`,
    `floats = dict(x=np.array(${literal(floats.x)}), y=np.array(${literal(floats.y)}, dtype=float))`,
    "def run(model, names):",
    "    def values(given):",
    "        used = {name: given[name] for name in names}",
    "        return np.broadcast_to(model(**used), given['x'].shape).astype(float).tolist()",
    "    one = model(**{name: whole[name][5] for name in names})",
    "    listed = values({name: whole[name].tolist() for name in whole} | {'x': whole['x']})",
    "    results.append([isinstance(one, float), listed, values(whole), values(floats)])",
  ];
  for (const { source } of all) {
    const text = exportModel({ program: source }, "numpy");
    const [, params = ""] = /def model\((.*)\)/.exec(text) ?? [];
    lines.push(text, `run(model, ${JSON.stringify(params.split(", ").filter(Boolean))})`);
  }
  lines.push("print(json.dumps(results))");
  const results = printed(["import numpy as np", ...lines]) as [boolean, ...unknown[][]][];
  let compared = 0;
  for (const [i, formula] of all.entries()) {
    const { source } = formula;
    const [isFloat, ...found] = results[i] as [boolean, ...unknown[][]];
    expect(isFloat, `${source} of numbers is a number`).toBe(true);
    for (const [which, lanes] of [whole, whole, floats].entries())
      for (const [lane, want] of wanted(formula, lanes).entries()) {
        if (want === undefined) continue;
        const got = Number(found[which]?.[lane]);
        const what = `${source} at ${lanes.x[lane]}, ${lanes.y[lane]}: ${got}, not ${want}`;
        expect(isSame(got, want), what).toBe(true);
        compared += 1;
      }
  }
  expect(compared).toBeGreaterThan(100_000);
});

test.runIf(hasNumpy)(
  "NumPy's function keeps shapes, and takes lists, numbers and empty arrays",
  () => {
    const model = (program: string): string => exportModel({ program }, "numpy");
    const lines = [
      "import json",
      "shapes = []",
      ...["x", "(lgamma x)", "(erf x)", "(if (> x 1) 2 x)", "(expt x 2)", "(vec x 1)"].flatMap(
        (program) => [
          model(program),
          "shapes.append([np.shape(model(x)) for x in (2, [2], [], np.ones((2, 3), dtype=int))])",
        ],
      ),
      "print(json.dumps(shapes))",
    ];
    const shapes = [[], [1], [0], [2, 3]];
    expect(printed(lines)).toEqual([
      ...Array.from({ length: 5 }, () => shapes),
      shapes.map((shape) => [2, ...shape]),
    ]);
  },
);

const WITH_NAN: readonly (readonly [source: string, x: number])[] = [
  ["(if (< x (log -1)) 1 x)", 3],
  ["(if (not (< x (log -1))) 1 x)", 3],
  ["(if (and (> x 0) (<= (log -1) x)) 1 x)", 3],
  ["(if (or (> x 0) (>= x (log -1))) 1 x)", 3],
  ["(if (or (> x 0) (>= x (log -1))) 1 x)", -3],
  ["(if (= x (/ 0 0)) 1 x)", 3],
  ["(if (not (= x (/ 0 0))) 1 x)", 3],
  ["(if (< (+ 1 (* x (/ 0 0))) 1) 5 x)", 3],
  ["(if (> x 5) 1 (if (< x (log -1)) 2 (* x 3)))", 3],
  ["(max x (/ 0 0))", 3],
  ["(min (/ 0 0) x)", 3],
  ["(max x 7 (/ 0 0))", 3],
  ["(max (* x (log -1)) 1)", 3],
  ["(modulo 1e10 (/ 1 0))", 3],
  ["(+ x (modulo 1e10 (/ 1 0)))", 3],
  ["(modulo x (/ 1 0))", 3],
  ["(modulo x (/ 1 0))", -3],
  ["(modulo x (/ -1 0))", 3],
  ["(modulo x (/ -1 0))", -3],
  ["(* x (expt 1 (log -1)))", 3],
];

test("SymPy raised where a constant that is NaN was compared, and its remainders by infinity were NaN", () => {
  for (const [source, x] of WITH_NAN) {
    const program = machine.load(source);
    const want = program.evaluate(program.inputs.length > 0 ? { x } : {}).values[0] as number;
    const text = exportModel({ program }, "sympy");
    expect(text).not.toMatch(/sympy\.nan\)* [<>]|[<>]=? sympy\.nan|(?:Max|Min|Eq)\(.*sympy\.nan/);
    const found = evaluatePython(text.slice(text.indexOf("model = ") + 8), { x }, more);
    expect(isSame(found as number, want), `${source} at ${x}: ${found}, not ${want}`).toBe(true);
    program.dispose();
  }
});

test.runIf(hasSympy)(
  "SymPy raised, or gave complex numbers, where the machine gives others",
  () => {
    const cases: readonly (readonly [source: string, x: number])[] = [
      ["(+ x (/ 1 0))", 2],
      ["(* x (expt -3 1.7))", 2],
      ["(* x (expt 0 -2))", 2],
      ["(+ x (expt 10 400))", 2],
      ["(+ x (modulo 7 0))", 2],
      ["(modulo x 0)", 2],
      ["(+ x (log 0))", 2],
      ["(lgamma x)", -0.5],
      ["(lgamma x)", -3],
      ["(lgamma x)", 0],
      ["(lgamma x)", 20.25],
      ["(expt x 10)", 100],
      ["(expt 10 (if (> x 1) 25 1))", 2],
      ["(expt 2 (if (> x 0) 1 -1))", -2],
      ...WITH_NAN,
    ];
    const lines = ["import json", "results = []"];
    const numbers = cases.map(([program, x]) => {
      lines.push(exportModel({ program }, "sympy"));
      const isConstant = ["(modulo x 0)", "(modulo 1e10 (/ 1 0))"].includes(program);
      const given = isConstant ? "model" : `model.subs({x: ${x}})`;
      lines.push(`results.append(float(${given}))`);
      const loaded = machine.load(program);
      return loaded.evaluate(loaded.inputs.length > 0 ? { x } : {}).values[0] as number;
    });
    const found = printed([...lines, "print(json.dumps(results))"]) as unknown[];
    for (const [i, want] of numbers.entries())
      expect(isSame(Number(found[i]), want), `${cases[i]}: ${found[i]}, not ${want}`).toBe(true);
  },
);
