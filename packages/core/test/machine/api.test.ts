/**
 * The public face: what goes in, what comes out, counters, explanations. The example of the design
 * is here word for word.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { int, Machine, mat, type Precision, vec } from "../../src/index.js";
import { bitsOf, caught, expectClose, machinesOf, precisions } from "./support.js";

let machines: Readonly<Record<Precision, Machine>>;
let machine: Machine;
beforeAll(async () => {
  machines = await machinesOf();
  machine = machines.f64;
});
afterAll(() => {
  machines.f32.dispose();
  machines.f64.dispose();
});

function resultOf(source: string): { shape: readonly number[] | undefined; text: string } {
  const result = machine.load(source).evaluate();
  return { shape: result.shape, text: result.print() };
}

test("the example of the design", async () => {
  const machine = await Machine.create({ precision: "f32" });
  const program = machine.load("(* a (exp (* k t)))");
  expect(program.inputs).toEqual(["a", "k", "t"]);
  const out = program.evaluate({ a: 2, k: -0.5, t: [0, 1, 2] });
  expect(out.values).toBeInstanceOf(Float64Array);
  const decay = [1, Math.exp(-0.5), Math.exp(-1)];
  expectClose(
    out.values,
    decay.map((y) => 2 * y),
    1e-6,
  );
  const g = program.gradient({ a: 2, k: -0.5, t: [0, 1, 2] }, { wrt: ["a", "k"] });
  expect(g.gradients["a"]).toBeInstanceOf(Float64Array);
  expectClose(
    g.values,
    decay.map((y) => 2 * y),
    1e-6,
  );
  expectClose(g.gradients["a"], decay, 1e-6);
  expectClose(
    g.gradients["k"],
    decay.map((y, t) => 2 * t * y),
    1e-6,
  );
  expect(Object.keys(g.gradients)).toEqual(["a", "k"]);
  machine.dispose();
});

describe("inputs", () => {
  test("are the free names in order of appearance, and the declared ones", () => {
    expect(machine.load("(let ((x y)) (+ x z (* y a)))").inputs).toEqual(["y", "z", "a"]);
    expect(machine.load("(+ 1 2)").inputs).toEqual([]);
    const column = machine.load("(* scale 2)", { inputs: ["scale"] });
    expect(column.inputs).toEqual(["scale"]);
    expect(column.evaluate({ scale: 4 }).values[0]).toBe(8);
    const unused = machine.load("1", { inputs: ["t"] });
    expect(unused.inputs).toEqual(["t"]);
    expect([...unused.evaluate({ t: [1, 2] }).values]).toEqual([1, 1]);
  });

  test("of every kind", () => {
    const program = machine.load("(+ (* n a) (vsum v) (ref M 1 0))");
    const M = mat([
      [1, 2],
      [10, 20],
    ]);
    const lanes = [0.5, 1.5];
    const expected = lanes.map((a) => 3 * a + 6 + 10);
    for (const a of [lanes, Float64Array.from(lanes), Float32Array.from(lanes)]) {
      const { values } = program.evaluate({ n: int(3), a, v: vec([1, 2, 3]), M });
      expect([...values]).toEqual(expected);
    }
    const flat = mat(Float64Array.of(1, 2, 10, 20), 2);
    expect(flat).toEqual(M);
    const perLane = program.evaluate({
      n: 3,
      a: 1,
      v: [vec([1, 1, 1]), vec(new Float32Array([2, 2, 2]))],
      M: [M, mat([new Float64Array([0, 0]), [7, 7]])],
    });
    expect([...perLane.values]).toEqual([3 + 3 + 10, 3 + 6 + 7]);
  });

  test("are copied: changing an array afterwards changes nothing", () => {
    const program = machine.load("(* x x)");
    const x = Float64Array.of(2, 3);
    const run = program.run({ x });
    x.fill(100);
    expect([...(run.backward()["x"] ?? [])]).toEqual([4, 6]);
  });

  test("a tensor keeps the numbers it was made of when the machine reads it", () => {
    const v = vec([1, 2]);
    expect(machine.load("(vsum v)").evaluate({ v }).values[0]).toBe(3);
    expect(machine.load("(vsum v)").evaluate({ v }).values[0]).toBe(3);
  });

  test("empty vectors and matrices", () => {
    const sum = machine.load("(vsum v)");
    expect(sum.gradient({ v: vec([]) }).values[0]).toBe(0);
    expect(sum.gradient({ v: vec([]) }).gradients["v"]?.length).toBe(0);
    expect(
      machine
        .load("(+ v 1)")
        .evaluate({ v: vec([]) })
        .print(),
    ).toBe("[]");
  });

  test("lanes without a lane-valued input", () => {
    const { values, lanes } = machine.load("(* 2 x)").evaluate({ x: 3 }, { lanes: 4 });
    expect(lanes).toBe(4);
    expect([...values]).toEqual([6, 6, 6, 6]);
    const { gradients } = machine.load("(* 2 x)").gradient({ x: 3 }, { lanes: 4 });
    expect([...(gradients["x"] ?? [])]).toEqual([2, 2, 2, 2]);
  });

  test("f32 rounds inputs and literals", () => {
    expect(machines.f32.load("x").evaluate({ x: 0.1 }).values[0]).toBe(Math.fround(0.1));
    expect(machines.f32.load("0.1").evaluate().values[0]).toBe(Math.fround(0.1));
    expect(machines.f32.load("(+ x 1)").evaluate({ x: 1e300 }).values[0]).toBe(Infinity);
  });

  test("may be called anything that is a symbol", () => {
    const program = machine.load("(* α |two words| 😀)");
    expect(program.inputs).toEqual(["α", "two words", "😀"]);
    const { gradients } = program.gradient({ α: 2, "two words": 3, "😀": 5 });
    expect(gradients["two words"]?.[0]).toBe(10);
  });

  test("may be views of larger arrays, shared memory, or earlier results", () => {
    const program = machine.load("(* 2 x)");
    const view = new Float64Array([9, 1, 2, 9]).subarray(1, 3);
    expect([...program.evaluate({ x: view }).values]).toEqual([2, 4]);
    const shared = new Float64Array(new SharedArrayBuffer(16)).fill(3);
    expect([...program.evaluate({ x: shared }).values]).toEqual([6, 6]);
    const again = program.evaluate({ x: program.evaluate({ x: view }).values });
    expect([...again.values]).toEqual([4, 8]);
  });

  test("structural integers never become payloads", () => {
    const program = machine.load("(loop ((i 0)) (if (= i n) i (recur (+ i 1))))");
    const { stats, values } = program.gradient({ n: int(1000) });
    expect(values[0]).toBe(1000);
    expect([stats.payloads, stats.tapeRecords, stats.heapObjects]).toEqual([0, 0, 0]);
  });
});

describe("results", () => {
  test("numbers, vectors, matrices: shape and values lane after lane", () => {
    const number = machine.load("(* x 2)").evaluate({ x: [1, 2] });
    expect([number.shape, [...number.values]]).toEqual([[], [2, 4]]);
    const vector = machine.load("[x (* x 2) 7]").evaluate({ x: [1, 2] });
    expect([vector.shape, [...vector.values]]).toEqual([[3], [1, 2, 7, 2, 4, 7]]);
    const matrix = machine.load("(mat [x 0] [1 x] [2 3])").evaluate({ x: [5, 6] });
    expect(matrix.shape).toEqual([3, 2]);
    expect([...matrix.values]).toEqual([5, 0, 1, 5, 2, 3, 6, 0, 1, 6, 2, 3]);
    expect(matrix.datum(1)).toEqual([
      Float64Array.of(6, 0),
      Float64Array.of(1, 6),
      Float64Array.of(2, 3),
    ]);
    expect(matrix.print(1)).toBe("(mat [6 0] [1 6] [2 3])");
  });

  test.each([
    ["#t", true, "#t"],
    ["'()", [], "()"],
    ["'name", "name", "name"],
    ["'(1 . 2)", { list: [1], tail: 2 }, "(1 . 2)"],
    ["'(1 2 . x)", { list: [1, 2], tail: "x" }, "(1 2 . x)"],
    ["(list 1 #f '(2.5 (a)) '())", [1, false, [2.5, ["a"]], []], "(1 #f (2.5 (a)) ())"],
    ["(list [1 2] 'b)", [Float64Array.of(1, 2), "b"], "([1 2] b)"],
    ["'|two words|", "two words", "|two words|"],
    ["(if #f #f)", null, "#<unspecified>"],
    ["car", { procedure: "car" }, "#<procedure car>"],
    ["(define (f x) x) f", { procedure: "f" }, "#<procedure f>"],
    ["(- 0.0)", -0, "-0.0"],
    ["(list +inf.0 -inf.0)", [Infinity, -Infinity], "(+inf.0 -inf.0)"],
  ])("%s as a JavaScript value and as text", (source, datum, text) => {
    const result = machine.load(source).evaluate();
    expect(result.datum()).toEqual(datum);
    expect(result.print()).toBe(text);
  });

  test("a symbol that looks like a procedure still reads back", () => {
    const text = machine.load("'|#<procedure car>|").evaluate().print();
    expect(machine.load(`'${text}`).evaluate().datum()).toBe("#<procedure car>");
  });

  test("matrices without elements print as what makes them", () => {
    for (const source of ["(zeros 0 3)", "(zeros 2 0)", "(eye 0)", "(zeros 0)"]) {
      const { shape, ...result } = resultOf(source);
      expect(resultOf(result.text).shape).toEqual(shape);
    }
  });

  test("lists of lane-varying numbers differ by lane", () => {
    const result = machine.load("(list x 1 (> x 1.5))").evaluate({ x: [1, 2] });
    expect([result.datum(0), result.datum(1)]).toEqual([
      [1, 1, false],
      [2, 1, true],
    ]);
    expect(result.shape).toBeUndefined();
    expect(caught(() => result.values).code).toBe("E-RESULT");
  });

  test("stay what they are after later runs", () => {
    const program = machine.load("(list x [x 2] 'a (lambda () x))");
    const first = program.evaluate({ x: 1 });
    program.evaluate({ x: 9 });
    machine
      .load("(loop ((i 0) (l '())) (if (= i 1000) l (recur (+ i 1) (cons 0.5 l))))")
      .evaluate();
    expect(first.print()).toMatch(/^\(1 \[1 2\] a #<procedure/);
    const items = first.datum() as readonly unknown[];
    expect(items.slice(0, 3)).toEqual([1, Float64Array.of(1, 2), "a"]);
  });

  test("printed numbers read back to the same bits", () => {
    const numbers = [0.1, 1 / 3, 1e-310, 5e-324, 1.7976931348623157e308, -2.5e-7, 123456789.125];
    for (const number of numbers) {
      const text = machine.load("x").evaluate({ x: number }).print();
      expect(bitsOf(machine.load(text).evaluate().values)).toEqual(bitsOf([number]));
    }
  });
});

describe("counters", () => {
  test("count lanes, steps, payloads, records and bytes", () => {
    const program = machine.load("(+ (* a x) (* b b))");
    const { stats } = program.gradient({ a: 2, x: [1, 2, 3], b: 5 });
    expect(stats).toMatchObject({
      lanes: 3,
      payloads: 6,
      uniformPayloads: 3,
      activePayloads: 6,
      tapeRecords: 3,
      heapObjects: 0,
      compactions: 0,
    });
    expect(stats.steps).toBeGreaterThan(3);
    expect(stats.tapeBytes).toBe(3 * 24);
    // Three lanes of f64 take 32 bytes with padding; a uniform number takes one vector.
    expect(stats.primalBytes).toBe(3 * 16 + 3 * 32);
    expect(stats.adjointBytes).toBe(6 * 32);
    expect(stats.memoryBytes % 65536).toBe(0);
  });

  test("structure costs no numbers", () => {
    const source = `
      (define (walk items n) (if (null? items) n (walk (cdr items) (+ n 1))))
      (let ((table '((a . 1) (b . 2) (c . 3))))
        (if (eq? 'b (car (assq 'b table)))
            (+ (walk (map (lambda (pair) (cdr pair)) table) 0) (length (list 1 2 3)))
            0))`;
    const { stats, values } = machine.load(source).gradient({});
    expect(values[0]).toBe(6);
    expect([stats.payloads, stats.tapeRecords]).toEqual([0, 0]);
    expect(stats.heapObjects).toBeGreaterThan(0);
  });

  test("what is uniform is stored once, whatever the number of lanes", () => {
    const program = machine.load("(+ (exp (* k 2)) (vsum (* v 3)) x)");
    const inputs = { k: 0.5, v: vec([1, 2, 3]) };
    const few = program.evaluate({ ...inputs, x: [1, 2] }).stats;
    const many = program.evaluate({ ...inputs, x: new Float64Array(1000) }).stats;
    expect(few.payloads).toBe(many.payloads);
    expect(few.uniformPayloads).toBe(many.uniformPayloads);
    expect(many.payloads - many.uniformPayloads).toBe(2);
  });

  test("steps do not depend on the number of lanes", () => {
    const program = machine.load("(loop ((i 0) (y x)) (if (= i 10) y (recur (+ i 1) (* y y))))");
    const one = program.evaluate({ x: 1 }).stats.steps;
    expect(program.evaluate({ x: new Float64Array(100) }).stats.steps).toBe(one);
    expect(program.gradient({ x: [1, 2, 3] }).stats.steps).toBe(one);
  });
});

describe("explain", () => {
  test("lists core forms, tape, activity, result and counters", () => {
    const source = "(let ((y (* a x))) (if (> b 0) (sin y) y))";
    const program = machine.load(source);
    const { core, tape, inputs, result, stats } = program.explain(
      { a: 2, x: [0, 0], b: 1 },
      { wrt: ["a", "b"] },
    );
    expect(core).toContain("(* a x)");
    const reached = tape.filter(({ active }) => active);
    expect(reached.map(({ op, text, uniform, shape }) => [op, text, uniform, shape])).toEqual([
      ["mul", "(* a x)", false, []],
      ["sin", "(sin y)", false, []],
    ]);
    expect(reached[1]?.in0).toBe(reached[0]?.out);
    expect(reached[1]?.in1).toBeUndefined();
    expect(inputs.map(({ name, active }) => [name, active])).toEqual([
      ["a", true],
      ["x", false],
      ["b", false],
    ]);
    expect(result).toBe("0");
    expect(stats.tapeRecords).toBe(2);
    expect(source.slice(tape[0]?.span?.start, tape[0]?.span?.end)).toBe("(* a x)");
  });

  test("the first input is an operand like any other, in either place", () => {
    for (const source of ["(* (sin a) a)", "(* a (sin a))"]) {
      const { tape } = machine.load(source).explain({ a: 2 });
      const [sine, product] = tape;
      const operands = [sine?.in0, sine?.out];
      if (source.endsWith("a)")) operands.reverse();
      expect([product?.in0, product?.in1], source).toEqual(operands);
      expect(sine?.in1).toBeUndefined();
    }
  });
});

describe("domains", () => {
  test("ieee is the default, clamp is the paper's", () => {
    for (const precision of precisions) {
      const tolerance = precision === "f32" ? 1e-6 : 1e-15;
      const x = [4, 1e-9, 0, -1, Number.NaN];
      const ieee = machines[precision].load("(sqrt x)").gradient({ x });
      expectClose(ieee.values.slice(0, 3), [2, Math.sqrt(1e-9), 0], tolerance);
      expect([...ieee.values.slice(3)]).toEqual([Number.NaN, Number.NaN]);
      const root = machines[precision].load("(sqrt x)", { domain: "clamp" }).gradient({ x });
      expectClose(root.values.slice(0, 4), [2, 1e-4, 1e-4, 1e-4], tolerance);
      expectClose(root.gradients["x"]?.slice(0, 4), [0.25, 0, 0, 0], tolerance);
      expect(root.values[4]).toBeNaN();
      const log = machines[precision].load("(log x)", { domain: "clamp" }).gradient({ x });
      const floor = Math.log(1e-8);
      expectClose(log.values.slice(0, 4), [Math.log(4), floor, floor, floor], tolerance);
      expectClose(log.gradients["x"]?.slice(0, 4), [0.25, 0, 0, 0], tolerance);
    }
  });

  test("other functions are the same in both domains", () => {
    const source = "(+ (asin x) (log1p x) (/ 1 x) (expt x 0.5))";
    const x = [0.5, -0.5, 0, 2];
    const ieee = machine.load(source).gradient({ x });
    const clamp = machine.load(source, { domain: "clamp" }).gradient({ x });
    expect(bitsOf(clamp.values)).toEqual(bitsOf(ieee.values));
    expect(bitsOf(clamp.gradients["x"] ?? [])).toEqual(bitsOf(ieee.gradients["x"] ?? []));
  });
});
