/**
 * Words about inputs and results, each with the fact that it is about: which input has other lanes than which,
 * what a program returned where it returned no numbers, how numbers and names are written, and which lanes and
 * inputs a report names.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Evaluation,
  followBranches,
  type Inputs,
  int,
  laneNumbers,
  Machine,
  mat,
  type NdvmError,
  over,
  vec,
} from "../../src/index.js";
import { Reals, Views } from "../../src/machine/inputs/inputs.js";
import { Structure } from "../../src/machine/results/structure.js";
import { primitives } from "../../src/primitives/registry.js";
import { bitsOf, caught } from "./support.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

const refusal = (source: string, inputs: Inputs, lanes?: number): NdvmError =>
  caught(() => machine.load(source).evaluate(inputs, lanes === undefined ? {} : { lanes }));

describe("inputs that do not go together", () => {
  test.each<[Inputs, number | undefined, string, string | undefined, object]>([
    [
      { a: [1, 2], b: [1, 2], c: [1, 2, 3] },
      undefined,
      "input c has 3 lanes, but a has 2",
      "arrays are one value per lane; use vec(…) for a vector that all lanes share",
      { reason: "lanes", names: ["c", "a"], value: 3, limit: 2 },
    ],
    [
      { a: 1, b: [1, 2], c: [1, 2, 3] },
      undefined,
      "input c has 3 lanes, but b has 2",
      "arrays are one value per lane; use vec(…) for a vector that all lanes share",
      { reason: "lanes", names: ["c", "b"], value: 3, limit: 2 },
    ],
    [
      { a: 1, b: [1, 2], c: [1, 2, 3] },
      2,
      "input c has 3 lanes, but the option lanes has 2",
      "arrays are one value per lane; use vec(…) for a vector that all lanes share",
      { reason: "lanes", names: ["c", "the option lanes"], value: 3, limit: 2 },
    ],
    [
      {
        a: over(["r", "d"], [1, 2, 3, 4, 5, 6], { sizes: { r: 2 } }),
        b: over("r", [1, 2, 3]),
        c: 1,
      },
      undefined,
      "the axis r has 3 values in input b, but 2 in input a",
      "inputs over one axis have as many values; give another axis another name",
      {},
    ],
    [
      {
        a: over(["r", "d"], [1, 2, 3, 4, 5, 6], { sizes: { r: 2 } }),
        b: over(["d", "r"], [1, 2, 3, 4, 5, 6], { sizes: { r: 3 } }),
        c: 1,
      },
      undefined,
      "the axis r has 3 values in input b, but 2 in input a",
      "inputs over one axis have as many values; give another axis another name",
      {},
    ],
    [
      { a: over("r", [1, 2]), b: Float64Array.of(1, 2), c: 1 },
      undefined,
      "input b is a plain array, but input a is over the axis r",
      'say which axis b varies along: over("r", …); vec(…) is a vector',
      {},
    ],
    [
      { a: over("r", [1, 2]), b: 1, c: Float32Array.of(1, 2) },
      undefined,
      "input c is a plain array, but input a is over the axis r",
      'say which axis c varies along: over("r", …); vec(…) is a vector',
      {},
    ],
    [
      { a: [vec([1, 2, 3]), mat([[1], [2], [3]])], b: 1, c: 1 },
      undefined,
      "input a has another shape in lane 1 than in lane 0",
      "an array has one value per lane: numbers, or vec(…) or mat(…) of one shape",
      {},
    ],
    [
      { a: [mat([[1, 2, 3]]), mat([[1], [2], [3]])], b: 1, c: 1 },
      undefined,
      "input a has another shape in lane 1 than in lane 0",
      "an array has one value per lane: numbers, or vec(…) or mat(…) of one shape",
      {},
    ],
  ])("case %#: %j", (inputs, lanes, message, help, facts) => {
    const error = refusal("(+ (vsum (* [1] a)) b c)", inputs, lanes);
    expect([error.code, error.message, error.help]).toEqual(["E-INPUT", message, help]);
    expect(error.facts).toEqual(facts);
    expect(error.source).toBe("(+ (vsum (* [1] a)) b c)");
  });

  test("an axis of one array has its size, also one", () => {
    const program = machine.load("(* 2 x)");
    const axesOf = (x: Inputs["x"], lanes?: number) =>
      program.evaluate({ x: x as number }, lanes === undefined ? {} : { lanes }).axes;
    expect([axesOf([5]), axesOf([5, 6]), axesOf(5), axesOf(5, 1), axesOf(5, 3)]).toEqual([
      [{ name: "lane", size: 1 }],
      [{ name: "lane", size: 2 }],
      [],
      [{ name: "lane", size: 1 }],
      [{ name: "lane", size: 3 }],
    ]);
  });
});

describe("a result that is no numbers of one shape", () => {
  const different = "different things in different lanes, not numbers of one shape";
  test.each([
    ["'()", "a list, not numbers", "a list"],
    ["(list x)", "a list, not numbers", "a list"],
    ["(cons x 2)", "a list, not numbers", "a list"],
    ["(> x 1)", "a boolean, not numbers", "a boolean"],
    ["#t", "a boolean, not numbers", "a boolean"],
    ["'a", "a symbol, not numbers", "a symbol"],
    ["car", "a procedure, not numbers", "a procedure"],
    ["(lambda (y) y)", "a procedure, not numbers", "a procedure"],
    ["(if #f #f)", "nothing, not numbers", "nothing"],
    ["(if (> x 1) (list x) (list x x))", "a list, not numbers", "a list"],
    ["(if (> x 1) car (lambda (y) y))", "a procedure, not numbers", "a procedure"],
    ["(if (> x 1) x '())", different, "different things"],
    ["(if (> x 1) '() x)", different, "different things"],
    ["(if (> x 1) (list 1) 'b)", different, "different things"],
    ["(if (> x 1) [1 2] 5)", different, "different things"],
    // Vectors of two lengths were told to be "a number, not numbers".
    ["(if (> x 1) [1 2] [1 2 3])", different, "different things"],
    ["(if (> x 1) [1 2 3 4] (mat [1 2] [3 4]))", different, "different things"],
  ])("%s", (source, what, actual) => {
    const program = machine.load(source, { inputs: ["x"], file: "it.scm" });
    const out = program.evaluate({ x: [1, 2] });
    const { code, message, help, facts, file } = caught(() => out.values);
    expect([code, message, file]).toEqual(["E-RESULT", `the program returned ${what}`, "it.scm"]);
    expect(facts).toEqual({ reason: "structure", actual });
    expect(help).toBe("use datum(lane) to read it; only numbers, vectors and matrices have values");
    expect(out.shape).toBeUndefined();
    program.dispose();
  });

  test("in some of the lanes, whether the numbers come first or last", () => {
    for (const x of [[1, 2], [2, 1], [1, 2, 1], [2, 1, 2]]) // biome-ignore format: one line
      for (const chunk of [1, 2, 8]) {
        const out = machine.load("(if (> x 1) [x 2] [x 2 3])").evaluate({ x }, { chunk });
        expect(caught(() => out.values).message).toContain("different things");
        expect(x.map((_, lane) => out.print(lane))).toEqual(
          x.map((one) => (one > 1 ? `[${one} 2]` : `[${one} 2 3]`)),
        );
      }
  });
});

describe("what is written of a result", () => {
  const written: readonly (readonly [number, string])[] = [
    [1e20, "100000000000000000000"],
    [-1e20, "-100000000000000000000"],
    [1e21, "1e+21"],
    [-1e21, "-1e+21"],
    [-0, "-0.0"],
    [0, "0"],
    [2 ** 53, "9007199254740992"],
    [-7, "-7"],
    [0.1, "0.1"],
  ];

  test("numbers are written alike by themselves, in lists and in vectors, on every way", () => {
    const texts = ["x", "(list x)", "(vec x 1)", "(mat [x 1])", "(cons x x)"] as const;
    const programs = texts.map((text) => machine.load(text));
    for (let turn = 0; turn < 5; turn++)
      for (const [x, text] of written) {
        const printed = programs.map((program) => program.evaluate({ x }).print());
        expect(printed).toEqual([
          text,
          `(${text})`,
          `[${text} 1]`,
          `(mat [${text} 1])`,
          `(${text} . ${text})`,
        ]);
        expect(programs[0]?.evaluate({ x: [x, 1] }).print(0)).toBe(text);
        expect(programs[0]?.gradient({ x }).print()).toBe(text);
      }
  });

  test("names of symbols and procedures are apart, whatever their numbers", () => {
    const names = Array.from({ length: 12 }, (_, i) => `s${i}`);
    const source = `(define (f y) (* 2 y)) (define (g y) y)
      (list ${names.map((name) => `'${name} (cons '${name} f) (cons g '${name}) (cons (lambda (z) z) car)`).join(" ")} (cons x 'last) f (> x 1) '(a . b))`;
    const program = machine.load(source);
    const out = program.evaluate({ x: [1, 2] });
    const [procedure, other] = ["#<procedure f>", "#<procedure g>"];
    const anonymous = "#<procedure (lambda …)>";
    const inner = names.map(
      (name) =>
        `${name} (${name} . ${procedure}) (${other} . ${name}) (${anonymous} . #<procedure car>)`,
    );
    for (const lane of [0, 1]) {
      const text = `(${inner.join(" ")} (${lane + 1} . last) ${procedure} ${lane === 1 ? "#t" : "#f"} (a . b))`;
      expect(out.print(lane)).toBe(text);
      // As they travel, with the names that are in them and no program.
      const packed = structuredClone((out as unknown as Packing).results.packStructure().structure);
      const structure = new Structure(2, packed as never);
      expect(structure.print(lane, unlimited)).toBe(text);
      expect(structure.datum(lane, unlimited)).toEqual(out.datum(lane));
      expect(structure.has(2)).toBe(false);
    }
    program.dispose();
  });

  test("a NaN inside a list is the one that everybody has", () => {
    const program = machine.load("(list (- x) (vec (- x) 1))");
    const x = new Float64Array(new BigUint64Array([0xfff8000000000123n]).buffer);
    const [one, vector] = program.evaluate({ x }).datum(0) as unknown as [number, Float64Array];
    expect(bitsOf([one, ...vector])).toEqual(bitsOf([Number.NaN, Number.NaN, 1]));
    expect(bitsOf(machine.load("(vec (- x) 1)").evaluate({ x }).values)).toEqual(
      bitsOf([Number.NaN, 1]),
    );
    program.dispose();
  });
});

interface Packing extends Evaluation {
  readonly results: { packStructure(): { readonly structure: object } };
}
const unlimited = { take: () => {} } as never;

describe("a fault", () => {
  test.each(["x", "x\ue000", "x\ue000\ue001", "\ue001x", "x\ue000\ue002"])(
    "tells each lane its own numbers beside the name %j",
    (name) => {
      const faulty = (body: string) =>
        machine
          .load(`(let ((${name} (* a 1)) (b (* a 2))) (if (> a 0) ${body} 1))`)
          .evaluate({ a: [-1, 1, 2] })
          .failures.map(({ error }) => error.message);
      expect(faulty(`(car ${name})`)).toEqual([
        `car needs a pair, got ${name} = 1`,
        `car needs a pair, got ${name} = 2`,
      ]);
      expect(faulty(`(dot ${name} b)`)).toEqual([
        `dot needs vectors, got ${name} = 1 and b = 2`,
        `dot needs vectors, got ${name} = 2 and b = 4`,
      ]);
    },
  );

  test("writes names of up to a hundred characters, and cuts longer ones", () => {
    for (const length of [99, 100, 101, 150]) {
      const name = "v".repeat(length);
      const shown = length > 100 ? `${"v".repeat(99)}…` : name;
      expect(refusal(`(car ${name})`, { [name]: 1 }).message).toBe(
        `car needs a pair, got ${shown} = 1`,
      );
      expect(refusal(`(define (${name} a) a) (${name})`, {}).message).toBe(
        `${shown} takes 1 argument, got 0`,
      );
    }
  });

  const usual = "count the arguments of the call; (apply f list) passes one for each element";
  const some = "count the arguments of the call; the last ones may be left out";
  test.each([
    ["((lambda (a) a) 1 2)", "this procedure takes 1 argument, got 2", usual],
    ["(define (f a) a) (f)", "f takes 1 argument, got 0", usual],
    ["(define (f a b) a) (f 1)", "f takes 2 arguments, got 1", usual],
    ["(define (f) 1) (f 1)", "f takes 0 arguments, got 1", usual],
    ["(define (f a . b) a) (f)", "f takes at least 1 argument, got 0", usual],
    ["(define (f a b . c) a) (f 1)", "f takes at least 2 arguments, got 1", usual],
    ["(apply atan '(1 2 3))", "atan takes 1 or 2 arguments, got 3", some],
    ["(apply exp '(1 2 3))", "exp takes 1 argument, got 3", usual],
    ["(apply - '())", "- takes at least 1 argument, got 0", usual],
  ])("of arguments: %s", (source, message, help) => {
    const error = refusal(source, {});
    expect([error.code, error.message, error.help]).toEqual(["E-ARITY", message, help]);
  });
});

describe("reports", () => {
  test("name clamped lanes in the order of their numbers", () => {
    const program = machine.load("(log x)", { domain: "clamp" });
    const x = Array.from({ length: 120 }, (_, lane) => ([2, 9, 10, 100].includes(lane) ? -1 : 1));
    for (const chunk of [8, 64, 1000])
      expect(program.diagnose({ x }, { chunk }).clamped.map(({ lanes }) => lanes)).toEqual([
        [2, 9, 10, 100],
      ]);
    program.dispose();
  });

  test("name inputs that tests look at, and none for the number of a branch", () => {
    // Branches have nodes of every small number, as payloads have.
    const program = machine.load(
      "(if (> a 0) (if (> b 0) (if (> c 0) (* d d) d) (* 2 d)) (* e d))",
    );
    const inputs = { a: 1, b: 1, c: 1, d: 2, e: 5 };
    expect(program.diagnose(inputs).predicateOnly).toEqual(["a", "b", "c"]);
    expect(program.diagnose({ ...inputs, a: -1 }).predicateOnly).toEqual(["a"]);
    expect(program.diagnose({ ...inputs, b: [1, -1] }).predicateOnly).toEqual(["a", "b", "c"]);
  });

  test("take every test of numbers for one, by itself and between others", () => {
    const predicates = primitives.filter(({ kind }) => /Predicate$/.test(kind));
    expect(predicates.length).toBeGreaterThan(5);
    let seen = 0;
    for (const { scheme, name, kind } of predicates) {
      const operands = kind === "unaryPredicate" ? "a" : "a b";
      const program = machine.load(`(begin (${scheme ?? name} ${operands}) (* a b))`);
      if (program.inputs.length === 2) {
        program.gradient({ a: [2, 3], b: [3, 4] });
        expect(program.isPlain, program.source).toBe(false);
        seen += 1;
      }
      program.dispose();
    }
    expect(seen).toBe(predicates.length);
  });

  test("follow branches of whole numbers and of as many lanes as asked for", () => {
    const program = machine.load("(if (> n 2) x (* 2 x))");
    expect([...laneNumbers(program, { n: int(3), x: vec([1, 2]) })]).toEqual([{ n: 3 }]);
    expect([...laneNumbers(program, { n: 1, x: 2 }, { lanes: 2 })]).toEqual([
      { n: 1, x: 2 },
      { n: 1, x: 2 },
    ]);
    const runs = [1, 3, 3, 2].map((n) => ({ n: int(n), x: 1 }));
    const { flips, instability } = followBranches(program, runs, { lanes: 3 });
    expect(flips.map(({ lane, before, now, from, to }) => [lane, before, now, from, to])).toEqual(
      [
        [1, 3, false],
        [3, 2, true],
      ].flatMap(([from, to, before]) =>
        [0, 1, 2].map((lane) => [
          ...[lane, before, !before],
          ...[
            { n: from, x: 1 },
            { n: to, x: 1 },
          ],
        ]),
      ),
    );
    expect(instability).toBe(6 / 9);
    program.dispose();
  });

  test("where a run ends sooner, a flip is told at the branch that the other came to", () => {
    const program = machine.load("(if (> x 0) (if (> x 1) 1 2) 3)");
    const log = followBranches(program, [{ x: -1 }, { x: 0.5 }, { x: 2 }, { x: -1 }]);
    expect(log.flips.map(({ after, text, before, now }) => [after, text, before, now])).toEqual([
      [0, "(if (> x 0) (if (> x 1) 1 2) 3)", false, true],
      [1, "(if (> x 1) 1 2)", false, true],
      [0, "(if (> x 0) (if (> x 1) 1 2) 3)", true, false],
    ]);
    program.dispose();
  });
});

test("telling why numbers are infinite takes none of the run's time", async () => {
  let looks = 0;
  const own = await Machine.create({
    clock: () => {
      looks += 1;
      return looks;
    },
  });
  const source = "(loop ((i 0) (s (/ 1 x))) (if (= i 50000) s (recur (+ i 1) (* s 1.0))))";
  const looksFor = (x: number): number => {
    const program = own.load(source);
    const before = looks;
    const { nonFinite } = program.evaluate({ x: [x] }, { timeMax: 1e6, replay: false });
    expect(nonFinite.map(({ cause }) => cause)).toEqual(
      x === 0 ? ["first made so by (/ 1 x)"] : [],
    );
    program.dispose();
    return looks - before;
  };
  expect(looksFor(0)).toBe(looksFor(2));
  expect(looksFor(2)).toBeGreaterThan(1);
  own.dispose();
});

test("views of memory that has grown are made anew, whichever is asked for first", () => {
  for (const first of ["doubles", "words"] as const) {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 4 });
    const exports = { memory } as never;
    const views = new Views(exports);
    const singles = new Reals(exports, 4);
    for (let pages = 1; pages < 4; pages++) {
      const other = first === "doubles" ? "words" : "doubles";
      expect(views[first].byteLength).toBe(pages * 65_536);
      expect(views[other].byteLength).toBe(pages * 65_536);
      expect(singles.view().byteLength).toBe(pages * 65_536);
      expect(views[first].buffer).toBe(memory.buffer);
      memory.grow(1);
    }
  }
});
