/**
 * Small things of a machine that calls rarely come to: limits of its options and their words, options of
 * programs on the ways that load one, what is gone with a program, and causes that are cut to a line.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type GradientOptions,
  type LoadOptions,
  Machine,
  type MachineOptions,
  mat,
  over,
  type Program,
  vec,
} from "../../src/index.js";
import { LANES_MAX } from "../../src/machine/options.js";
import { caught, caughtLater, covered } from "./support.js";

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

describe("options of a machine", () => {
  test.each([4 * 2 ** 20, 4 * 2 ** 20 + 1, 2 ** 32 - 65_536])(
    "memory of %d bytes",
    async (most) => {
      const own = await Machine.create({ memoryMax: most });
      expect([own.memoryMax, own.load("(+ 1 x)").evaluate({ x: 2 }).values[0]]).toEqual([most, 3]);
      own.dispose();
    },
  );

  test.each<[MachineOptions, string, string, string]>([
    [
      { memoryMax: 4 * 2 ** 20 - 1 },
      "memoryMax",
      "whole bytes from 4194304 to 4294901760",
      "4194303",
    ],
    [
      { memoryMax: 2 ** 32 - 65_535 },
      "memoryMax",
      "whole bytes from 4194304 to 4294901760",
      "4294901761",
    ],
    [
      { memoryMax: 2 ** 23 + 0.5 },
      "memoryMax",
      "whole bytes from 4194304 to 4294901760",
      "8388608.5",
    ],
    [{ precision: "f16" as never }, "precision", '"f32" or "f64"', '"f16"'],
    [{ precision: null as never }, "precision", '"f32" or "f64"', "null"],
    [{ clock: {} as never }, "clock", "a function that returns milliseconds", "an object"],
    [{ clock: [] as never }, "clock", "a function that returns milliseconds", "an array"],
  ])("%o is refused with what it may be", async (options, option, expected, actual) => {
    const error = await caughtLater(Machine.create(options));
    expect([error.code, error.facts]).toEqual([
      "E-OPTION",
      { reason: "setting", option, expected, actual },
    ]);
    expect(error.message).toBe(`${option} must be ${expected}, got ${actual}`);
  });

  test("mechanisms are turned off one by one, and the others stay on", async () => {
    const filter = `(loop ((k 0) (x [0 0]) (P (mat [1 0] [0 1])) (L 0.0))
      (if (= k 12) L
        (let* ((Ppred (+ P (scale q (eye 2)))) (e (- (ref obs k) x)) (S (+ Ppred (scale 0.2 (eye 2))))
               (Sinv (inv S)) (K (matmul Ppred Sinv)))
          (recur (+ k 1) (+ x (matvec K e)) (matmul (- (eye 2) K) Ppred)
            (+ L (* k q) (log (det S)) (dot e (matvec Sinv e)))))))`;
    const q = Float64Array.from({ length: 300 }, (_, i) => 0.05 * (1 + i * 1e-3));
    const obs = mat(Array.from({ length: 12 }, (_, k) => [Math.sin(k), Math.cos(2 * k)]));
    const counters = async (mechanisms: object) => {
      const own = await Machine.create({ mechanisms });
      const program = own.load(filter);
      const { integerPoolHits } = program.gradient({ q, obs }).stats;
      const { smallShapeCalls, fusedCalls, adjointBytes } = program.gradient({ q, obs }).stats;
      own.dispose();
      return [smallShapeCalls, fusedCalls, integerPoolHits, adjointBytes];
    };
    const names = ["smallShapes", "fusing", "integerPool", "adjointReuse"] as const;
    const on = await counters({});
    expect(on.slice(0, 2).every((count) => Number(count) > 0)).toBe(true);
    expect(await counters(Object.fromEntries(names.map((name) => [name, true])))).toEqual(on);
    const all = Object.fromEntries(names.map((name) => [name, true]));
    for (const [at, name] of names.entries()) {
      const off = await counters({ [name]: false });
      expect(off[at], name).not.toBe(on[at]);
      expect(off, `without ${name}`).toEqual(await counters({ ...all, [name]: false }));
    }
  });
});

describe("options of a run", () => {
  const wrong: readonly (readonly [object, string, string, string])[] = [
    [{ stepsMax: 0 }, "stepsMax", "a whole number from 1", "0"],
    [{ stepsMax: 1.5 }, "stepsMax", "a whole number from 1", "1.5"],
    [{ stepsMax: 2 ** 53 }, "stepsMax", "a whole number from 1", "9007199254740992"],
    [{ stepsMax: -Infinity }, "stepsMax", "a whole number from 1", "-Infinity"],
    [{ chunk: 0 }, "chunk", "a whole number from 1", "0"],
    [{ chunk: Infinity }, "chunk", "a whole number from 1", "Infinity"],
    [{ chunk: "8" }, "chunk", "a whole number from 1", '"8"'],
    [{ timeMax: 0 }, "timeMax", "a number above 0", "0"],
    [{ timeMax: Number.NaN }, "timeMax", "a number above 0", "NaN"],
    [{ timeMax: "1" }, "timeMax", "a number above 0", '"1"'],
    [{ tapeBytesMax: -1 }, "tapeBytesMax", "a number above 0", "-1"],
    [{ tapeBytesMax: null }, "tapeBytesMax", "a number above 0", "null"],
    [{ lanes: 0 }, "lanes", `a whole number from 1 to ${LANES_MAX}`, "0"],
    [
      { lanes: LANES_MAX + 1 },
      "lanes",
      `a whole number from 1 to ${LANES_MAX}`,
      `${LANES_MAX + 1}`,
    ],
    [{ replay: 1 }, "replay", "true or false", "1"],
    [{ replay: "no" }, "replay", "true or false", '"no"'],
    [{ replay: null }, "replay", "true or false", "null"],
  ];

  test.each(wrong)("%o is refused on every way", async (own, option, expected, actual) => {
    const program = machine.load("(* a x)");
    const inputs = { a: 2, x: 3 };
    const options = own as GradientOptions;
    const told = (error: { message: string; facts: object }) => [error.message, error.facts];
    const wanted = [
      `${option} must be ${expected}, got ${actual}`,
      { reason: "setting", option, expected, actual },
    ];
    // Before any call of the program, and after so many that calls have a quick way.
    for (let round = 0; round < 2; round++) {
      for (const way of [
        () => program.evaluate(inputs, options),
        () => program.gradient(inputs, options),
        () => program.run(inputs, options),
        () => program.jacobian(inputs, options),
        () => program.session(inputs, options),
        () => program.diagnose(inputs, options),
        () => program.explain(inputs, options),
      ])
        expect(told(caught(way)), `${way}`).toEqual(wanted);
      expect(told(await caughtLater(program.evaluateAsync(inputs, options)))).toEqual(wanted);
      expect(told(await caughtLater(program.gradientAsync(inputs, options)))).toEqual(wanted);
      for (let call = 0; call < 6; call++) program.gradient(inputs);
    }
    program.dispose();
  });

  test.each([
    [["a", 1], "an array"],
    ["ab", '"ab"'],
    ["", '""'],
    [5, "5"],
    [null, "null"],
    [{ a: true }, "an object"],
  ])("wrt of %j is no list of names", (wrt, shown) => {
    const program = machine.load("(* a x)");
    const error = caught(() => program.gradient({ a: 1, x: 2 }, { wrt: wrt as never }));
    expect(error.message).toBe(`wrt must be an array of input names, got ${shown}`);
    const own = typeof wrt === "string" ? JSON.stringify(wrt) : '"a"';
    expect(error.help).toBe(`write wrt: [${own}]`);
    program.dispose();
  });

  test("what is just allowed is allowed", () => {
    const program = machine.load("(* a x)");
    for (const own of [
      { stepsMax: Number.MAX_SAFE_INTEGER },
      { stepsMax: Infinity },
      { timeMax: Infinity },
      { tapeBytesMax: Infinity },
      { chunk: Number.MAX_SAFE_INTEGER },
      { chunk: 1 },
      { lanes: 1 },
    ])
      expect([...program.gradient({ a: 2, x: 3 }, own).values]).toEqual([6]);
    program.dispose();
  });

  test("as many lanes as there may be are laid out, and no more", () => {
    const program = machine.load("(* a x)");
    const axes = { a: over("r", new Float64Array(4097)), x: over("d", new Float64Array(4096)) };
    const error = caught(() => program.evaluate(axes));
    expect(error.message).toBe(`the axes make ${4097 * 4096} lanes, more than ${LANES_MAX}`);
    const wide = caught(() => program.evaluate({ a: 1, x: new Float32Array(LANES_MAX + 1) }));
    expect(wide.message).toBe(`input x has ${LANES_MAX + 1} lanes, more than ${LANES_MAX}`);
    expect(wide.help).toBe("run the lanes in several parts");
    const none = caught(() => program.evaluate({ a: 1, x: [] }));
    expect(none.message).toBe("input x is an empty array: no lanes");
    program.dispose();
  });
});

describe("options of a program", () => {
  test("stack code takes all that other programs take", () => {
    const options: LoadOptions = { file: "code.bc", domain: "clamp", inputs: ["log", "more"] };
    const program = machine.loadBytecode("LOAD x\nLOG", { domain: "clamp", file: "code.bc" });
    expect(program.file).toBe("code.bc");
    expect(program.evaluate({ x: -1 }).values[0]).toBe(Math.log(1e-8));
    const error = caught(() => machine.loadBytecode("LOAD x\nADD", options));
    expect([error.file, error.source]).toEqual(["code.bc", "LOAD x\nADD"]);
    const same = machine.load("LOAD x\nLOG", { language: "bytecode" });
    expect(same.evaluate({ x: -1 }).values[0]).toBeNaN();
    const other = caught(() => machine.load("x", { language: "lisp" as never }));
    expect(other.message).toBe('language must be "scheme" or "bytecode", got "lisp"');
    program.dispose();
    same.dispose();
  });

  test("a program beside has the domain of the other, unless it has its own", () => {
    const clamped = machine.load("x", { domain: "clamp" });
    const plain = machine.load("x");
    const logOf = (program: Program) => program.evaluate({ x: -1 }).values[0];
    expect(logOf(clamped.loadBeside("(log x)"))).toBe(Math.log(1e-8));
    expect(logOf(clamped.loadBeside("(log x)", { file: "f" }))).toBe(Math.log(1e-8));
    expect(clamped.loadBeside("(log x)", { file: "f" }).file).toBe("f");
    expect(logOf(clamped.loadBeside("(log x)", { domain: "ieee" }))).toBeNaN();
    expect(logOf(plain.loadBeside("(log x)"))).toBeNaN();
    expect(logOf(plain.loadBeside("(log x)", { domain: "clamp" }))).toBe(Math.log(1e-8));
  });

  test("errors of a program have its text and file, whether it is read, called or run", () => {
    const load = { file: "here.scm" };
    const program = machine.load("(* a (car b))", load);
    for (const error of [
      caught(() => machine.load("(* a", load)),
      caught(() => program.evaluate({ a: 1 })),
      caught(() => program.evaluate({ a: 1, b: 2 })),
      caught(() => program.gradient({ a: 1, b: 2 }, { wrt: ["q"] })),
      caught(() => program.session({ a: 1, b: 2 }).run()),
      caught(() => program.evaluate({ a: 1, b: 2 }, { stepsMax: 1 })),
    ]) {
      expect(error.file, error.message).toBe("here.scm");
      expect(error.source?.startsWith("(* a"), error.message).toBe(true);
    }
    program.dispose();
  });

  test("whole numbers stay exact as far as the precision goes", async () => {
    for (const [precision, most] of [
      ["f32", 2 ** 24],
      ["f64", 2 ** 31 - 1],
    ] as const) {
      const own = await Machine.create({ precision });
      const print = (text: string) => own.load(text).evaluate().print();
      expect(print(`(list ${most} ${-most})`)).toBe(`(${most} ${-most})`);
      expect(print(`(list-ref '(1 2) (- ${most} ${most - 1}))`)).toBe("2");
      own.dispose();
    }
  });
});

describe("names of JavaScript's own objects", () => {
  const names = ["constructor", "toString", "__proto__", "hasOwnProperty"];

  test("are axes like any other, with sizes and places of their own", () => {
    const program = machine.load("(* a x)");
    for (const name of names) {
      const inputs = { a: over(name, [1, 2, 3]), x: over(["d", name], [1, 2, 3, 4, 5, 6]) };
      const out = program.gradient(inputs, { reduce: true });
      expect(out.axes, name).toEqual([
        { name, size: 3 },
        { name: "d", size: 2 },
      ]);
      expect(out.at(Object.fromEntries([[name, 1], ["d", 1]]))).toBe(2 * 5); // biome-ignore format: pairs
      expect(caught(() => out.at({ d: 1 })).message).toBe(
        `the place says nothing about the axis ${name}`,
      );
      expect([...(out.gradients["a"] ?? [])]).toEqual([5, 7, 9]);
      const sizes = Object.fromEntries([[name, 2]]);
      const two = over([name, "d"], [1, 2, 3, 4], { sizes });
      expect(program.evaluate({ a: two, x: 1 }).axes.map(({ size }) => size)).toEqual([2, 2]);
    }
    program.dispose();
  });

  test("are no inputs, gradients or numbers of a session unless the program has them", () => {
    const program = machine.load("(* a x)");
    const session = program.session({ a: 1, x: 2 }, { wrt: ["a"] });
    for (const name of names) {
      expect(caught(() => session.set(name, 1)).message).toBe(
        `the session has no number input ${name}`,
      );
      expect(caught(() => program.gradient({ a: 1, x: 2 }, { reduce: [name] })).message).toBe(
        `cannot reduce ${name}: its gradient was not asked for`,
      );
      expect(caught(() => program.gradient({ a: 1, x: 2 }, { wrt: [name] })).message).toBe(
        `cannot differentiate by ${name}: it is not an input of the program`,
      );
    }
    program.dispose();
  });

  test.each([0, 1, 2, 3, 7])("what an object inherits is no input, after %i calls", (calls) => {
    const program = machine.load("(* a x)");
    for (let call = 0; call < calls; call++) {
      program.gradient({ a: 1, x: 2 });
      program.evaluate({ a: 1, x: 2 });
    }
    for (const inherited of [
      Object.create({ a: 2, x: 3 }),
      Object.assign(Object.create({ x: 3 }), { a: 2 }),
    ])
      for (const way of [() => program.gradient(inherited), () => program.evaluate(inherited)])
        expect(caught(way).message).toMatch(/^input [ax] has no value$/);
    const bare = Object.assign(Object.create(null), { x: 3, a: 2 });
    expect([program.gradient(bare).values[0], program.evaluate(bare).values[0]]).toEqual([6, 6]);
    program.dispose();
  });
});

test("places of a program are told with their first thousand characters", () => {
  for (const length of [998, 999, 1000, 1001, 1500]) {
    const name = "x".repeat(length - "(if (> ) 1 2)".length - 2);
    const cell = `(if (>  ${name} 0) 1 2)`.replace("  ", " ");
    const source = `(+ 1 ${cell})`;
    const [branch] = machine.load(source).diagnose({ [name]: 1 }).branches;
    expect(branch?.text).toBe(cell.length > 1000 ? `${cell.slice(0, 999)}…` : cell);
    expect(branch?.span).toEqual({ start: 5, end: 5 + cell.length });
  }
});

describe("what is gone", () => {
  test.each([0, 1, 2, 3, 4, 9])("a program after %i calls, on every way", async (calls) => {
    for (const isMachine of [false, true]) {
      const own = await Machine.create();
      const program = own.load("(* a x)");
      const inputs = { a: 2, x: 3 };
      for (let call = 0; call < calls; call++) {
        program.gradient(inputs);
        program.evaluate(inputs);
      }
      const session = program.session(inputs, { wrt: ["a"] });
      const untouched = program.session(inputs, { wrt: ["a"] });
      if (calls > 0) session.run();
      const what = isMachine ? "machine" : "program";
      if (isMachine) own.dispose();
      else program.dispose();
      for (const way of [
        () => program.evaluate(inputs),
        () => program.gradient(inputs),
        () => program.gradient(inputs, { wrt: ["x"] }),
        () => program.evaluate({ a: [1, 2], x: 3 }),
        () => program.run(inputs),
        () => program.jacobian(inputs),
        () => program.diagnose(inputs),
        () => program.explain(inputs),
        () => program.session(inputs),
        () => program.elementBy("i"),
        () => session.run(),
        () => untouched.run(),
        () => untouched.enter(),
      ]) {
        const error = caught(way);
        expect([error.code, error.message], `${way}`).toEqual([
          "E-DISPOSED",
          `this ${what} has been disposed`,
        ]);
      }
      expect((await caughtLater(program.evaluateAsync(inputs))).code).toBe("E-DISPOSED");
      expect((await caughtLater(program.gradientAsync(inputs))).code).toBe("E-DISPOSED");
      if (isMachine) expect((await caughtLater(own.pool({ workers: 1 }))).code).toBe("E-DISPOSED");
      own.dispose();
    }
  });

  test("programs that go leave the places of the others as they are", async () => {
    const own = await Machine.create();
    for (const order of [
      [0, 2, 1],
      [2, 0, 1],
      [1, 0, 2],
      [0, 1, 2],
      [2, 1, 0],
    ]) {
      const programs = [2, 3, 5].map((factor) => own.load(`(* ${factor} x)`));
      for (const gone of order) {
        programs[gone]?.dispose();
        own.clearMemory();
        const left = programs.filter((_, at) => order.indexOf(at) > order.indexOf(gone));
        expect(left.map(({ place }) => place).sort()).toEqual(left.map((_, at) => at));
        for (const program of left)
          expect(program.evaluate({ x: 1 }).values[0]).toBe([2, 3, 5][programs.indexOf(program)]);
      }
    }
    own.dispose();
  });
});

describe("what made a number infinite", () => {
  test("is told in one line of sixty characters at most", () => {
    for (const length of [59, 60, 61, 200]) {
      const name = "n".repeat(length - "(/ 1 )".length);
      const { nonFinite } = machine.load(`(* 2 (/ 1 ${name}))`).evaluate({ [name]: [0] });
      const cell = `(/ 1 ${name})`;
      const shown = length > 60 ? `${cell.slice(0, 57)}…` : cell;
      expect(nonFinite[0]?.cause).toBe(`first made so by ${shown}`);
      expect(nonFinite[0]?.message).toBe(`lane 0 is Infinity: first made so by ${shown}`);
    }
    const lines = machine.load("(* 2\n  (/ 1\n     x))").evaluate({ x: [0, 1] });
    expect(lines.nonFinite.map(({ cause }) => cause)).toEqual(["first made so by (/ 1 x)"]);
    const long = "m".repeat(70);
    expect(machine.load(`(* 2 ${long})`).evaluate({ [long]: [Infinity] }).nonFinite[0]?.cause).toBe(
      `input ${"m".repeat(57)}… is not finite`,
    );
  });

  test("is the first element of a vector, by its own number", () => {
    const { nonFinite } = machine.load("(vec 1 (/ x 0) (log x))").evaluate({ x: [-1, 1, 0] });
    expect(nonFinite.map(({ lane, value }) => [lane, value])).toEqual([
      [0, -Infinity],
      [1, Infinity],
      [2, Number.NaN],
    ]);
  });

  test("is not looked for once more where a walk took very many steps", () => {
    const program = machine.load(
      "(loop ((i 0) (s (/ 1 x))) (if (= i n) s (recur (+ i 1) (* s 1.0))))",
    );
    const cause = (n: number) =>
      program.evaluate({ x: [0], n }, { replay: false }).nonFinite[0]?.cause;
    expect([cause(1000), cause(600_000)]).toEqual(["first made so by (/ 1 x)", ""]);
    program.dispose();
  });
});

test("a limit that a run passed is told with where it was, what it is and its number", () => {
  const program = machine.load("(loop ((i 0) (s x)) (if (= i 1000) s (recur (+ i 1) (* s 2))))", {
    file: "loop.scm",
  });
  const error = caught(() => program.evaluate({ x: vec([1]) }, { stepsMax: 100 }));
  expect([error.code, error.message, error.facts, error.file]).toEqual([
    "E-STEPS",
    "the program took more than 100 steps",
    { reason: "budget", option: "stepsMax", limit: 100 },
    "loop.scm",
  ]);
  expect(covered(error)).toMatch(/^\(/);
  program.dispose();
});
