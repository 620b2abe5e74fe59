/**
 * Misuse from JavaScript: inputs, options, seeds, disposed and stale things. Each is a typed error
 * with help, and the machine evaluates the next program correctly.
 */

import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type GradientOptions,
  type Inputs,
  int,
  Machine,
  type MachineOptions,
  mat,
  over,
  type Program,
  vec,
} from "../../src/index.js";
import { caught, caughtLater, covered, expectUsable } from "./support.js";

let machine: Machine;
let product: Program;
beforeAll(async () => {
  machine = await Machine.create();
});
beforeEach(() => {
  product = machine.load("(* a b)");
});

/** What JavaScript callers can pass although TypeScript ones cannot. */
const untyped = <T>(value: unknown): T => value as T;

interface BadInputs {
  readonly title: string;
  readonly inputs: unknown;
  readonly message: string;
  readonly help?: string;
}

const laneHelp = "arrays are one value per lane; use vec(…) for a vector that all lanes share";
const kindHelp = "give a number, an array of numbers (one per lane), vec(…), mat(…) or int(…)";

describe("inputs of (* a b)", () => {
  test.each<BadInputs>([
    {
      title: "one is missing",
      inputs: { a: 1 },
      message: "input b has no value",
      help: "the program's inputs are its free names: a, b",
    },
    {
      title: "none is given",
      inputs: {},
      message: "input a has no value",
      help: "the program's inputs are its free names: a, b",
    },
    {
      title: "one is misnamed",
      inputs: { a: 1, b: 2, bb: 3 },
      message: "the program has no input bb: its inputs are a, b",
      help: "did you mean b?",
    },
    {
      title: "lanes of unequal length",
      inputs: { a: [1, 2], b: [1, 2, 3] },
      message: "input b has 3 lanes, but a has 2",
      help: laneHelp,
    },
    {
      title: "typed lanes of unequal length",
      inputs: { a: new Float64Array(2), b: new Float32Array(3) },
      message: "input b has 3 lanes, but a has 2",
      help: laneHelp,
    },
    { title: "no lanes", inputs: { a: [], b: 1 }, message: "input a is an empty array: no lanes" },
    {
      title: "no lanes, typed",
      inputs: { a: new Float64Array(0), b: 1 },
      message: "input a is an empty array: no lanes",
    },
    {
      title: "text",
      inputs: { a: "1", b: 1 },
      message: "input a is a string, not a number",
      help: kindHelp,
    },
    { title: "null", inputs: { a: null, b: 1 }, message: "input a is null, not a number" },
    { title: "boolean", inputs: { a: true, b: 1 }, message: "input a is a boolean, not a number" },
    { title: "bigint", inputs: { a: 1n, b: 1 }, message: "input a is a bigint, not a number" },
    {
      title: "an array of integers",
      inputs: { a: new Int32Array(2), b: 1 },
      message: "input a is an object, not a number",
    },
    {
      title: "text in a lane",
      inputs: { a: [1, "x"], b: 1 },
      message: "input a in lane 1 is a string, not a number",
    },
    {
      title: "a hole in the lanes",
      // biome-ignore lint/suspicious/noSparseArray: the hole is the case.
      inputs: { a: [1, , 3], b: 1 },
      message: "input a in lane 1 is undefined, not a number",
    },
    {
      title: "a vector without vec",
      inputs: { a: [[1, 2]], b: 1 },
      message: "input a in lane 0 is an array, not a number",
      help: "wrap a vector as vec([…])",
    },
    {
      title: "vectors of different shapes",
      inputs: { a: [vec([1]), vec([1, 2])], b: 1 },
      message: "input a has another shape in lane 1 than in lane 0",
    },
    {
      title: "a number among vectors",
      inputs: { a: [vec([1]), 3], b: 1 },
      message: "input a in lane 1 is a number, not a vector or matrix as in lane 0",
    },
  ])("$title", ({ inputs, message, help }) => {
    const error = caught(() => product.evaluate(untyped<Inputs>(inputs)));
    expect(error.code).toBe("E-INPUT");
    expect(error.message).toBe(message);
    if (help === undefined) expect(error.help).toMatch(/\S+ \S+/);
    else expect(error.help).toBe(help);
    expect(product.evaluate({ a: 6, b: 7 }).values[0]).toBe(42);
    expectUsable(machine);
  });

  test("a missing input points at its first use", () => {
    expect(covered(caught(() => product.evaluate({ a: 1 })))).toBe("b");
    for (const source of [
      "(+ (* 2 b) (* 3 b) b)",
      "(let ((u (* 2 b))) (+ u b))",
      "(define (f q) (* q b)) (+ (f b) b)",
      "(if (< b 0) (* b b) (loop ((v b)) (if (> v 9) b (recur (+ v b)))))",
    ]) {
      const error = caught(() => machine.load(source).evaluate({}));
      expect(error.span, source).toMatchObject({ start: source.search(/\bb\b/) });
    }
  });

  test("names of JavaScript's own objects are names like any other", () => {
    const program = machine.load("(* constructor __proto__ toString)");
    expect(caught(() => program.evaluate({})).message).toBe("input constructor has no value");
    const inputs = Object.fromEntries([
      ["constructor", 2],
      ["__proto__", 3],
      ["toString", 5],
    ]);
    const { values, gradients } = program.gradient(inputs);
    expect(values[0]).toBe(30);
    expect(Object.entries(gradients).map(([name, [g]]) => [name, g])).toEqual([
      ["constructor", 15],
      ["__proto__", 10],
      ["toString", 6],
    ]);
  });

  const whole = "pass a plain number where it may have a fraction";
  const vector = "vec([1, 2]) takes arrays of numbers";
  const matrix = "mat([[1, 2], [3, 4]]) takes arrays of numbers";
  const equal = "mat(numbers, rows) takes a row count that divides the count of the numbers";
  const rows = "write mat([[1, 2], [3, 4]]), or mat(numbers, rows) with a Float64Array";

  test.each<[string, string, () => unknown]>([
    ["int takes a whole number up to 2^24, got 1.5", whole, () => int(1.5)],
    ["int takes a whole number up to 2^24, got 16777217", whole, () => int(2 ** 24 + 1)],
    ["int takes a whole number up to 2^24, got -33554432", whole, () => int(-(2 ** 25))],
    ["int takes a whole number up to 2^24, got NaN", whole, () => int(Number.NaN)],
    ["element 1 is a string, not a number", vector, () => vec(untyped([1, "x"]))],
    ["vec got a number for an array", vector, () => vec(untyped(5))],
    ["element 1 is a string, not a number", matrix, () => mat(untyped([[1, "x"]]))],
    ["mat got a number for an array", matrix, () => mat(untyped([1, 2]))],
    ["5 numbers do not make 2 equal rows", equal, () => mat(new Float64Array(5), 2)],
    ["5 numbers do not make 0 equal rows", equal, () => mat(new Float64Array(5), 0)],
    ["5 numbers do not make 2.5 equal rows", equal, () => mat(new Float32Array(5), 2.5)],
    [
      "0 numbers do not make 9007199254740991 equal rows",
      equal,
      () => mat(new Float64Array(0), 2 ** 53 - 1),
    ],
    [
      "0 numbers do not make 16777217 equal rows",
      equal,
      () => mat(new Float64Array(0), 2 ** 24 + 1),
    ],
    ["mat takes an array of rows, got a string", rows, () => mat(untyped("x"))],
    [
      "row 1 of a matrix has 2 numbers, row 0 has 1",
      "all rows of a matrix are of one length",
      () => mat([[1], [1, 2]]),
    ],
  ])("makers of inputs say: %s; %s", (message, help, make) => {
    const error = caught(make);
    expect([error.code, error.message, error.help]).toEqual(["E-INPUT", message, help]);
  });

  test("makers of inputs take what is just allowed", () => {
    expect([int(2 ** 24).value, int(-(2 ** 24)).value]).toEqual([2 ** 24, -(2 ** 24)]);
    expect(mat(new Float64Array(5), 5).cols).toBe(1);
    expect(mat(new Float32Array(5), 1).rows).toBe(1);
    expect(mat(new Float32Array(0), 2 ** 24).rows).toBe(2 ** 24);
  });
});

describe("options", () => {
  test.each<[string, unknown, RegExp]>([
    ["lanes 0", { lanes: 0 }, /^lanes must be a whole number from 1/],
    ["lanes 1.5", { lanes: 1.5 }, /^lanes must be a whole number from 1/],
    ["lanes NaN", { lanes: Number.NaN }, /^lanes must be a whole number from 1/],
    ["lanes beyond all memory", { lanes: 2 ** 33 }, /^lanes must be a whole number from 1/],
    ["stepsMax 0", { stepsMax: 0 }, /^stepsMax must be/],
    ["stepsMax NaN", { stepsMax: Number.NaN }, /^stepsMax must be/],
    ["stepsMax of half a step", { stepsMax: 0.5, timeMax: 100 }, /^stepsMax must be/],
    ["stepsMax as text", { stepsMax: "7" }, /^stepsMax must be/],
    ["timeMax below 0", { timeMax: -1 }, /^timeMax must be a number above 0, got -1/],
    ["tapeBytesMax 0", { tapeBytesMax: 0 }, /^tapeBytesMax must be a number above 0, got 0/],
    ["wrt as text", { wrt: "ab" }, /^wrt must be/],
    [
      "reduce as text, which was all inputs or those of its letters",
      { reduce: "ab" },
      /^reduce must/,
    ],
    ["reduce as empty text", { reduce: "" }, /^reduce must be true, false or an array/],
    ["reduce as a number", { reduce: 1 }, /^reduce must be/],
    ["names to reduce that are no texts", { reduce: [1] }, /^reduce must be/],
    ["a seed as text, whose gradient was NaN", { seed: "x" }, /^seed must be a number or an array/],
    ["a seed of texts", { seed: ["7"] }, /^seed must be a number or an array/],
  ])("%s", (_, options, message) => {
    const inputs = { a: 2, b: 3 };
    const error = caught(() => product.gradient(inputs, untyped<GradientOptions>(options)));
    expect(error.code).toBe("E-OPTION");
    expect(error.message).toMatch(message);
    expect(error.help).toMatch(/\S+ \S+/);
    expect(product.gradient(inputs).gradients["a"]?.[0]).toBe(3);
  });

  test("lists of names and seeds are looked at on every way", async () => {
    const inputs = { a: [2, 3], b: 3 };
    const ways: ((options: GradientOptions) => unknown)[] = [
      (options) => product.gradient(inputs, options),
      (options) => product.gradientAsync(inputs, options),
      (options) => product.jacobian(inputs, options),
      (options) => product.run(inputs, options),
      (options) => product.session(inputs, options),
      (options) => product.diagnose(inputs, options),
      (options) => product.explain(inputs, options),
    ];
    for (const wrong of [{ wrt: "a" }, { reduce: "a" }, { seed: "1" }])
      for (const way of ways) {
        const error = await caughtLater((async () => way(untyped<GradientOptions>(wrong)))());
        expect([error.code, error.message.split(" ")[0]]).toEqual([
          "E-OPTION",
          Object.keys(wrong)[0],
        ]);
      }
    const backward = caught(() => product.run(inputs).backward(untyped("12")));
    expect(backward.message).toBe('seed must be a number or an array of numbers, got "12"');
  });

  test.each([
    ["big integers", new BigInt64Array(2)],
    ["unsigned big integers", new BigUint64Array(2)],
    ["bytes without a type", new DataView(new ArrayBuffer(16))],
    ["an array of big integers", [1n, 2n]],
    ["an array with a hole", Object.assign([], { 1: 1 })],
  ])("seeds of %s were no refusal, or one without a code", async (_, seed) => {
    const inputs = { a: [2, 3], b: 3 };
    const options = untyped<GradientOptions>({ seed });
    const pool = await machine.pool({ workers: 1 });
    const ways: (() => unknown)[] = [
      () => product.gradient(inputs, options),
      () => product.gradientAsync(inputs, options),
      () => product.run(inputs).backward(untyped(seed)),
      () => product.diagnose(inputs, options),
      () => product.explain(inputs, options),
      () => pool.gradient(product, inputs, options),
    ];
    for (const way of ways) {
      const { code, message } = await caughtLater((async () => way())());
      expect(code).toBe("E-OPTION");
      expect(message).toMatch(
        /^seed must be a number or an array of numbers, got an (array|object)$/,
      );
    }
    await pool.dispose();
    const session = product.session(inputs);
    const error = caught(() => session.set("a", untyped(seed)));
    expect(error.code).toBe("E-INPUT");
    expect(error.message).toMatch(/^a is set to an (array|object), not to numbers$/);
    expect(caught(() => product.evaluate(untyped({ a: seed, b: 1 }))).code).toBe("E-INPUT");
    expect(caught(() => product.evaluate({ a: over("d", untyped(seed)), b: 1 })).code).toBe(
      "E-INPUT",
    );
  });

  test("typed arrays of whole numbers are seeds, and numbers of a session", () => {
    const inputs = { a: [2, 3], b: 3 };
    const seed = Int32Array.of(2, 3);
    const { gradients } = product.gradient(inputs, untyped<GradientOptions>({ seed }));
    expect([...(gradients["a"] ?? [])]).toEqual([6, 9]);
    const session = product.session(inputs);
    session.set("a", seed);
    session.run();
    expect([...session.values]).toEqual([6, 9]);
    session.set("a", { length: 2, 0: 4, 1: 5 });
    session.run();
    expect([...session.values]).toEqual([12, 15]);
  });

  test("budgets without end are allowed", () => {
    const endless = Number.POSITIVE_INFINITY;
    const options = { stepsMax: endless, timeMax: endless, tapeBytesMax: endless };
    expect(product.gradient({ a: 2, b: 3 }, options).values[0]).toBe(6);
  });

  test("lanes that contradict an input", () => {
    const error = caught(() => product.evaluate({ a: [1, 2], b: 1 }, { lanes: 3 }));
    expect(error.message).toBe("input a has 2 lanes, but the option lanes has 3");
  });

  test.each<[unknown, RegExp]>([
    [{ precision: "f16" }, /^precision must be "f32" or "f64", got "f16"$/],
    [{ memoryMax: 1 }, /^memoryMax must be whole bytes from \d+ to \d+, got 1$/],
    [{ memoryMax: Number.NaN }, /^memoryMax must be whole bytes/],
    [{ memoryMax: 2 ** 33 }, /^memoryMax must be whole bytes/],
  ])("of a machine: %o", async (options, message) => {
    const error = await caughtLater(Machine.create(untyped<MachineOptions>(options)));
    expect(error.code).toBe("E-OPTION");
    expect(error.message).toMatch(message);
  });

  test("of load", () => {
    const domain = caught(() => machine.load("x", { domain: untyped("wrap") }));
    expect(domain.code).toBe("E-OPTION");
    expect(domain.message).toBe('domain must be "ieee" or "clamp", got "wrap"');
    const bytes = caught(() => machine.load(untyped(new Uint8Array([40, 41]))));
    expect(bytes.code).toBe("E-SYNTAX");
    expect(bytes.message).toBe("a program is text, got an object");
    expect(bytes.help).toMatch(/\S+ \S+/);
  });
});

describe("gradients that make no sense", () => {
  test("by what is not an input, or by an integer", () => {
    const unknown = caught(() => product.gradient({ a: 1, b: 2 }, { wrt: ["c"] }));
    expect(unknown.code).toBe("E-INPUT");
    expect(unknown.message).toBe("cannot differentiate by c: it is not an input of the program");
    expect(unknown.help).toBe("its inputs are a, b");
    const integer = caught(() => product.gradient({ a: 1, b: int(2) }, { wrt: ["b"] }));
    expect(integer.message).toBe("cannot differentiate by b: it is an integer");
  });

  test("with a seed of another size", () => {
    const error = caught(() => product.gradient({ a: [1, 2], b: 2 }, { seed: [1, 2, 3] }));
    expect(error.code).toBe("E-INPUT");
    expect(error.message).toBe("the seed has 3 numbers, the result has 2");
    expect(error.help).toBe("one number per lane and element, lane after lane");
  });

  test("of a vector without a seed, of a list, of a symbol", () => {
    const vector = caught(() => machine.load("(vec a a)").gradient({ a: 1 }));
    expect(vector.code).toBe("E-RESULT");
    expect(vector.message).toBe("the result is a vector, which has no single gradient");
    expect(vector.help).toBe("give a seed (output adjoints), or use program.jacobian");
    for (const source of ["(list a)", "(if (> a 0) 'up 'down)", "(> a 0)", "(lambda () a)"]) {
      const error = caught(() => machine.load(source).gradient({ a: 1 }));
      expect(error.code).toBe("E-RESULT");
      expect(error.message).toMatch(/^the program returned a \w+, not numbers$/);
      expect(error.help).toMatch(/^use datum/);
      expect(caught(() => machine.load(source).jacobian({ a: 1 })).code).toBe("E-RESULT");
    }
    expectUsable(machine);
  });

  test("of a lane that is not there", () => {
    const error = caught(() => product.evaluate({ a: [1, 2], b: 1 }).datum(2));
    expect(error.code).toBe("E-OPTION");
    expect(error.message).toBe("there is no lane 2: the run has 2");
    expect(caught(() => product.evaluate({ a: 1, b: 1 }).print(-1)).code).toBe("E-OPTION");
  });
});

describe("what is gone", () => {
  test("a disposed program", () => {
    product.dispose();
    product.dispose();
    for (const use of [
      () => product.evaluate({ a: 1, b: 2 }),
      () => product.gradient({ a: 1, b: 2 }),
      () => product.run({ a: 1, b: 2 }),
      () => product.jacobian({ a: 1, b: 2 }),
      () => product.explain({ a: 1, b: 2 }),
    ]) {
      const error = caught(use);
      expect(error.code).toBe("E-DISPOSED");
      expect(error.message).toBe("this program has been disposed");
      expect(error.help).toBe("load it again with machine.load(source)");
    }
    expect(product.inputs).toEqual(["a", "b"]);
    expectUsable(machine);
  });

  test("a disposed machine", async () => {
    const other = await Machine.create();
    const program = other.load("(* a 2)");
    const result = program.evaluate({ a: 4 });
    const run = program.run({ a: 4 });
    other.dispose();
    other.dispose();
    for (const use of [
      () => other.load("1"),
      () => program.evaluate({ a: 1 }),
      () => program.gradient({ a: 1 }),
      () => run.backward(),
    ]) {
      const error = caught(use);
      expect(error.code).toBe("E-DISPOSED");
      expect(error.message).toBe("this machine has been disposed");
      expect(error.help).toBe("make another one with Machine.create()");
    }
    expect(result.values[0]).toBe(8);
    expect(result.print()).toBe("8");
    program.dispose();
  });

  test("a run is differentiated whatever ran after it", () => {
    const first = product.run({ a: 2, b: 3 });
    expect(first.backward()["a"]?.[0]).toBe(3);
    machine.load("(+ 1 2)").evaluate();
    product.gradient({ a: 20, b: 30 });
    expect(first.backward()["a"]?.[0]).toBe(3);
    expect(first.values[0]).toBe(6);
  });

  test("a run survives loads and disposals, but not its own program's", () => {
    const run = product.run({ a: 2, b: 3 });
    for (let i = 0; i < 50; i++) machine.load(`(+ ${i} x)`).dispose();
    const more = machine.load("(* 2 x)");
    expect(run.backward(10)["b"]?.[0]).toBe(20);
    product.dispose();
    machine.load("(list 1 2 3 4 5 6 7 8 9 (quote (a b c d e f)))");
    const error = caught(() => run.backward(1));
    expect(error.code).toBe("E-DISPOSED");
    expect(error.message).toBe("this program has been disposed");
    expect(run.values[0]).toBe(6);
    more.dispose();
  });
});

describe("an asynchronous run", () => {
  const endless = "(loop ((x 1.0)) (recur (+ x 1.0)))";
  const forever = { stepsMax: 1e15 };
  const aborter = (): { signal: AbortSignal; abort: () => void } => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  };

  test("holds the machine: other uses are refused until it ends", async () => {
    const { signal, abort } = aborter();
    const running = caughtLater(machine.load(endless).evaluateAsync({}, { ...forever, signal }));
    for (const use of [
      () => machine.load("1"),
      () => product.evaluate({ a: 1, b: 2 }),
      () => product.gradient({ a: 1, b: 2 }),
    ]) {
      const error = caught(use);
      expect(error.code).toBe("E-OPTION");
      expect(error.message).toBe("the machine is busy with an asynchronous evaluation");
      expect(error.help).toBe("await it first, or use another machine");
    }
    const second = await caughtLater(product.evaluateAsync({ a: 1, b: 2 }));
    expect(second.code).toBe("E-OPTION");
    abort();
    expect((await running).code).toBe("E-ABORTED");
    expectUsable(machine);
  });

  test("two at once never give a stale tape: the second waits or is refused", async () => {
    const runs = [product.gradientAsync({ a: 2, b: 3 }), product.gradientAsync({ a: 5, b: 7 })];
    const [first, second] = await Promise.allSettled(runs);
    expect(first?.status === "fulfilled" && first.value.gradients["a"]?.[0]).toBe(3);
    if (second?.status === "fulfilled") expect(second.value.gradients["a"]?.[0]).toBe(7);
    else
      expect(await caughtLater(Promise.reject(second?.reason))).toHaveProperty("code", "E-OPTION");
    expectUsable(machine);
  });

  test("cannot lose its program or its machine unnoticed", async () => {
    const program = machine.load(endless);
    const { signal, abort } = aborter();
    const outcome = caughtLater(program.evaluateAsync({}, { ...forever, signal }));
    let refusal = "";
    try {
      program.dispose();
    } catch (error) {
      refusal = (error as Error).message;
    }
    abort();
    expect((await outcome).code).toBe(refusal === "" ? "E-DISPOSED" : "E-ABORTED");
    expectUsable(machine);

    const other = await Machine.create();
    const lost = caughtLater(other.load(endless).evaluateAsync({}, forever));
    other.dispose();
    expect((await lost).code).toBe("E-DISPOSED");
  });

  test("with a signal that has fired already does nothing", async () => {
    const signal = AbortSignal.abort();
    const error = await caughtLater(product.evaluateAsync({ a: 1, b: 2 }, { signal }));
    expect(error.code).toBe("E-ABORTED");
    expect(error.help).toMatch(/\S+ \S+/);
    expectUsable(machine);
  });
});
