/**
 * Correctness as figures: the differential test over frozen corpora (family × gate), every adjoint
 * against the slope of its forward, and which tests stand behind each feature.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Inputs, Machine } from "../../packages/core/src/index.js";
import { formulaText } from "../../packages/core/src/primitives/formula.js";
import {
  adjointGraphs,
  forwardGraph,
} from "../../packages/core/src/primitives/generate-kernels.js";
import { type Primitive, primitives } from "../../packages/core/src/primitives/index.js";
import { machineInputs } from "../../packages/core/test/fuzz/check.js";
import { generate } from "../../packages/core/test/fuzz/generate.js";
import {
  differentiable,
  isTame,
  type Opinion,
  opinionOf,
  seededGradient,
  seedOf,
} from "../../packages/core/test/fuzz/oracle.js";
import { type FuzzProgram, sourceOf } from "../../packages/core/test/fuzz/program.js";
import { RefError } from "../../packages/core/test/reference/values.js";
import type { Context, Definition } from "../harness/context.js";
import { uniforms } from "../harness/statistics.js";
import { repositoryRoot } from "../harness/tools.js";

/** The paper's tolerances: absolute and relative. */
export const GATES = {
  G1: [1e-4, 1e-4],
  G2: [2e-3, 2e-3],
  G3: [1e-2, 5e-2],
} as const;
type Gate = keyof typeof GATES;

export const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ["literal", /[\s(]-?\d/],
  ["param", /\bp\d/],
  ["binop", /\([-+*/] /],
  ["unary transcendental", /\((sin|cos|exp|log|sqrt|tanh|atan|expt) /],
  ["unary nonsmooth", /\((abs|min|max|floor) /],
  ["division", /\(\/ /],
  ["let", /\(let /],
  ["let*", /\(let\* /],
  ["if and comparison", /\((if|cond|case|when|unless) /],
  ["loop and recur", /\((loop|do|recur) /],
  ["closures", /\(lambda /],
  ["lists", /\((list|map|fold-left|fold-right|cons|append|filter|reverse) /],
  ["vectors and matrices", /\((vec|mat|dot|matmul|matvec|scale|inv|det|outer|transpose) /],
];

export const CORPORA = [
  { seed: 1234, count: 200 },
  { seed: 7, count: 500 },
] as const;

const isClose = (a: number, b: number, gate: Gate): boolean =>
  Math.abs(a - b) <= GATES[gate][0] + GATES[gate][1] * Math.abs(b);

/** Decisions closer than this may come out otherwise at a neighbouring point. */
const MARGIN = 1e-4;
const STEP = 1e-6;

type Verdict = { readonly G1: boolean; readonly G2: boolean; readonly G3: boolean | undefined };

/** The first lane, judged by the reference evaluator; undefined where that says nothing. */
function verdictOf(machine: Machine, program: FuzzProgram): Verdict | undefined {
  const opinion = opinionOrNone(program);
  if (opinion === undefined || !isTame(opinion) || opinion.exact.shape === undefined)
    return undefined;
  const { exact } = opinion;
  const loaded = machine.load(sourceOf(program), { domain: program.domain });
  try {
    const inputs = machineInputs(loaded, program, [0]);
    const wrt = differentiable(program)
      .map(({ name }) => name)
      .filter((name) => loaded.inputs.includes(name));
    const seed = seedOf(exact.numbers.length);
    const { values, gradients } = loaded.gradient(inputs, { lanes: 1, wrt, seed });
    const weighed = (given: Inputs) =>
      loaded
        .evaluate(given, { lanes: 1 })
        .values.reduce((sum, x, i) => sum + x * (seed[i] as number), 0);
    const scalars = wrt.filter((name) => typeof at(inputs, name) === "number");
    const slopes = scalars.map((name) => slopeAt(inputs, name, weighed));
    return {
      G1: exact.numbers.every((x, i) => isClose(values[i] as number, x, "G1")),
      G2: wrt.every((name) =>
        seededGradient(exact, name).every((x, i) =>
          isClose(gradients[name]?.[i] as number, x, "G2"),
        ),
      ),
      G3:
        exact.tracer.margin < MARGIN
          ? undefined
          : scalars.every((name, i) =>
              isClose(gradients[name]?.[0] as number, slopes[i] as number, "G3"),
            ),
    };
  } finally {
    loaded.dispose();
  }
}

/** The number of a scalar input in the first lane; undefined for other inputs. */
function at(inputs: Inputs, name: string): number | undefined {
  const input = inputs[name];
  if (typeof input === "number") return input;
  return Array.isArray(input) && typeof input[0] === "number" ? input[0] : undefined;
}

function slopeAt(inputs: Inputs, name: string, value: (given: Inputs) => number): number {
  const x = at(inputs, name) as number;
  const step = STEP * (1 + Math.abs(x));
  const moved = (by: number) => value({ ...inputs, [name]: [x + by] });
  return (moved(step) - moved(-step)) / (2 * step);
}

function opinionOrNone(program: FuzzProgram): Opinion | undefined {
  try {
    return opinionOf(program, 0);
  } catch (error) {
    if (error instanceof RefError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function corpus(
  context: Context,
  machine: Machine,
  { seed, count }: (typeof CORPORA)[number],
): void {
  const { recorder } = context;
  const used = context.amount(count, Math.min(count, 60));
  const hash = createHash("sha256");
  const passed = new Map<string, number>();
  const add = (key: string) => passed.set(key, (passed.get(key) ?? 0) + 1);
  for (let index = 0; index < used; index++) {
    const program = generate(seed, index, { divergence: false, lanes: 1 });
    const source = sourceOf(program);
    hash.update(`${source}\n`);
    const verdict = verdictOf(machine, program);
    const families = FAMILIES.filter(([, pattern]) => pattern.test(source)).map(([name]) => name);
    for (const family of [...families, "all programs"]) {
      add(`${family}/programs`);
      if (verdict === undefined) continue;
      add(`${family}/judged`);
      if (verdict.G3 !== undefined) add(`${family}/judged by G3`);
      for (const gate of ["G1", "G2", "G3"] as const) if (verdict[gate]) add(`${family}/${gate}`);
    }
    if (verdict && Object.values(verdict).includes(false))
      context.say(`seed ${seed}, program ${index} fails a gate:\n${source}`);
  }
  recorder.condition(
    `corpus ${seed}`,
    `${used} programs, SHA-256 ${hash.digest("hex").slice(0, 16)}`,
  );
  for (const family of [...FAMILIES.map(([name]) => name), "all programs"])
    for (const part of ["programs", "judged", "judged by G3", "G1", "G2", "G3"])
      recorder.count(`${seed}/${family}/${part}`, passed.get(`${family}/${part}`) ?? 0);
}

export const fuzz: Definition = {
  name: "fuzz",
  weight: 2,
  async run(context) {
    const machine = await Machine.create({ precision: "f64" });
    context.recorder.condition(
      "oracle",
      "an evaluator with its own derivatives (packages/core/test/reference); programs whose value is no number, or that it cannot judge, are counted but not judged",
    );
    for (const each of CORPORA) corpus(context, machine, each);
    machine.dispose();
  },
};

function formulas(p: Primitive): readonly [string, string] | undefined {
  if (p.kind === "unary" || p.kind === "binary") {
    const graphs = adjointGraphs(p);
    if (graphs === undefined) return undefined;
    const { x, y } = graphs;
    const parts = [x && `x: ${formulaText(x)}`, y && `y: ${formulaText(y)}`].filter(Boolean);
    return [formulaText(forwardGraph(p)), parts.join("; ")];
  }
  if (p.kind === "structuredUnary" || p.kind === "structuredBinary")
    return [p.formula, p.adjointFormula];
  return undefined;
}

/** Programs that exercise the primitives of vectors and matrices, with a number as their result. */
const STRUCTURED: ReadonlyMap<string, string> = new Map([
  ["vsum", "(vsum (vec a (* a b) b))"],
  ["norm", "(norm (vec a (* a b) b))"],
  ["normalize", "(dot (normalize (vec a b 1)) (vec 1 2 3))"],
  ["transpose", "(dot (matvec (transpose (mat (vec a b) (vec 1 2))) (vec 1 3)) (vec 2 1))"],
  ["trace", "(trace (mat (vec a b) (vec 1 (* a b))))"],
  ["det", "(det (mat (vec a 0.3) (vec b 2)))"],
  ["logdet", "(logdet (mat (vec (+ 2 a) 0.3) (vec 0.2 (+ 2 b))))"],
  ["inv", "(trace (inv (mat (vec (+ 2 a) 0.3) (vec 0.2 (+ 2 b)))))"],
  ["dot", "(dot (vec a b) (vec b 3))"],
  ["matvec", "(vsum (matvec (mat (vec a b) (vec 1 2)) (vec a 1)))"],
  ["outer", "(trace (outer (vec a 1) (vec b a)))"],
  ["matmul", "(trace (matmul (mat (vec a b) (vec 1 2)) (mat (vec b 1) (vec a 3))))"],
  ["solve", "(vsum (solve (mat (vec (+ 2 a) 0.3) (vec 0.2 (+ 2 b))) (vec a 1)))"],
  ["scale", "(trace (scale a (mat (vec a b) (vec 1 b))))"],
  ["cross", "(dot (cross (vec a b 1) (vec b 2 a)) (vec 1 2 3))"],
  ["cholesky", "(vsum (matvec (cholesky (mat (vec (+ 2 a) 0.3) (vec 0.3 (+ 2 b)))) (vec 1 2)))"],
  // What the machine chooses for another spelling, for a domain, and for what leaves a branch.
  ["neg", "(- a)"],
  ["atan2", "(atan a b)"],
  ["sqrtClamp", "(sqrt a)"],
  ["logClamp", "(log a)"],
  ["copy", "(if (< a 100) a (* a b))"],
]);

/** A program around a primitive, and points in its domain; undefined where none is known. */
function trial(p: Primitive): { source: string; points: (readonly number[])[] } | undefined {
  const next = uniforms(p.op + 1);
  const between = ([low, high]: readonly [number, number]) => low + (high - low) * next();
  if ((p.kind === "unary" || p.kind === "binary") && p.scheme !== undefined) {
    const { x, y } = p.params;
    const points = Array.from({ length: 8 }, () => [between(x.fuzz), between(y?.fuzz ?? x.fuzz)]);
    return { source: p.kind === "unary" ? `(${p.scheme} a)` : `(${p.scheme} a b)`, points };
  }
  const source = STRUCTURED.get(p.name);
  const points = Array.from({ length: 8 }, () => [between([0.3, 2]), between([0.3, 2])]);
  return source === undefined ? undefined : { source, points };
}

function worstSlope(
  machine: Machine,
  source: string,
  points: (readonly number[])[],
  domain: "ieee" | "clamp",
): number {
  const program = machine.load(source, { domain });
  const wrt = program.inputs.filter((name) => name === "a" || name === "b");
  const inputs = (a: number, b: number): Inputs =>
    Object.fromEntries(wrt.map((name) => [name, name === "a" ? a : b]));
  const value = (a: number, b: number) => program.evaluate(inputs(a, b)).values[0] as number;
  let worst = 0;
  for (const [a, b] of points as [number, number][]) {
    const { gradients } = program.gradient(inputs(a, b), { wrt });
    const h = 1e-6;
    const slopes: Readonly<Record<string, number>> = {
      a: (value(a + h, b) - value(a - h, b)) / (2 * h),
      b: (value(a, b + h) - value(a, b - h)) / (2 * h),
    };
    for (const name of wrt) {
      const slope = slopes[name] as number;
      const apart = Math.abs((gradients[name]?.[0] as number) - slope) / (1 + Math.abs(slope));
      if (Number.isFinite(slope)) worst = Math.max(worst, apart);
    }
  }
  program.dispose();
  return worst;
}

export const adjoints: Definition = {
  name: "adjoints",
  weight: 1,
  async run(context) {
    const { recorder } = context;
    const machine = await Machine.create({ precision: "f64" });
    for (const p of primitives) {
      const found = formulas(p);
      if (found === undefined) continue;
      recorder.condition(p.scheme ?? p.name, `${found[0]} → ${found[1]}`);
      const tried = trial(p);
      const key = `${p.scheme ?? p.name}/error`;
      if (tried === undefined) recorder.missing(key, "no program of this experiment reaches it");
      else {
        const domain = p.name.endsWith("Clamp") ? "clamp" : "ieee";
        const worst = worstSlope(machine, tried.source, tried.points, domain);
        recorder.count(key, worst, "relative", "8 points, central differences in f64");
        if (!(worst < 1e-3)) throw new Error(`the adjoint of ${p.name} is off by ${worst}`);
      }
    }
    machine.dispose();
  },
};

/** What the paper's table of features lists, and the files or folders of tests behind each. */
export const FEATURES: readonly (readonly [string, readonly string[]])[] = [
  ["scalar primitives", ["packages/core/test/primitives.test.ts", "packages/core/test/primitives"]],
  ["transcendentals", ["packages/core/test/math.test.ts", "packages/core/test/math"]],
  ["matrix primitives", ["packages/core/test/linalg.test.ts", "packages/core/test/linalg"]],
  ["closures", ["packages/core/test/language"]],
  [
    "recursion and proper tail calls",
    ["packages/core/test/language", "packages/core/test/machine"],
  ],
  ["lists and pairs", ["packages/core/test/language"]],
  ["environments", ["packages/core/test/expander.test.ts"]],
  ["divergent control and lane masks", ["packages/core/test/lanes"]],
  ["batch gradients", ["packages/core/test/axes.test.ts", "packages/core/test/session.test.ts"]],
  ["mechanisms, same bits", ["packages/core/test/mechanisms.test.ts"]],
  ["worker pool", ["packages/core/test/pool.test.ts", "packages/core/test/pool"]],
  ["boundary to TensorFlow.js", ["packages/tfjs/test"]],
  ["boundary to PyTorch", ["python/tests"]],
  ["stack machine", ["packages/core/test/bytecode"]],
  [
    "differential testing",
    ["packages/core/test/fuzz.test.ts", "packages/core/test/reference.test.ts"],
  ],
];

/** Cases in a file: tests of vitest, of pytest, or expectations of a language file. */
function casesIn(path: string): number {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return 0;
  if (info.isDirectory())
    return readdirSync(path).reduce((sum, name) => sum + casesIn(join(path, name)), 0);
  const patterns: readonly (readonly [string, RegExp])[] = [
    [".test.ts", /^\s*(test|it)(\.each\(.*\))?\(/gm],
    [".py", /^\s*def test_/gm],
    [".scm", /; => /g],
  ];
  const pattern = patterns.find(([end]) => path.endsWith(end))?.[1];
  return pattern === undefined ? 0 : (readFileSync(path, "utf8").match(pattern) ?? []).length;
}

export const features: Definition = {
  name: "features",
  weight: 0.2,
  run({ recorder }) {
    for (const [feature, paths] of FEATURES) {
      const cases = paths.reduce((sum, path) => sum + casesIn(join(repositoryRoot, path)), 0);
      recorder.condition(feature, paths.join(", "));
      if (cases === 0) recorder.missing(`${feature}/cases`, "its tests are not in this checkout");
      else recorder.count(`${feature}/cases`, cases);
    }
  },
};
