/** Named axes: how lanes are laid out, how results are read, and how gradients are summed. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Axis, Machine, mat, over, type Program, sumOver, vec } from "../src/index.js";
import { bitsOf, caught } from "./machine/support.js";

const model = "(* a (exp (* k t)))";
const restarts = [2, 3, 5, 7];
const rates = [-0.5, -0.25, 0.125, 1.5];
const times = [0, 1, 2.5];

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** Runs `work` with a program that lives no longer. */
function withProgram<T>(source: string, work: (program: Program) => T): T {
  const program = machine.load(source);
  try {
    return work(program);
  } finally {
    program.dispose();
  }
}

const product = <T>(outer: readonly unknown[], inner: readonly T[]): T[] =>
  outer.flatMap(() => [...inner]);
const repeated = <T>(outer: readonly T[], inner: readonly unknown[]): T[] =>
  outer.flatMap((value) => inner.map(() => value));

describe("lanes", () => {
  test("are the product of the axes in order of first appearance, the last one fastest", () => {
    withProgram(model, (program) => {
      const out = program.evaluate({
        a: over("restart", restarts),
        k: over("restart", rates),
        t: over("data", times),
      });
      expect(out.axes).toEqual([
        { name: "restart", size: 4 },
        { name: "data", size: 3 },
      ]);
      const plain = program.evaluate({
        a: repeated(restarts, times),
        k: repeated(rates, times),
        t: product(restarts, times),
      });
      expect(bitsOf(out.values)).toEqual(bitsOf(plain.values));
      expect(out.lane({ restart: 3, data: 1 })).toBe(10);
      expect(out.at({ restart: 3, data: 1 })).toBe(out.values[10]);
      expect(out.at({ data: 1, restart: 3 })).toBe(out.values[10]);
    });
  });

  test("follow the order of the caller's inputs, not that of the program's names", () => {
    withProgram(model, (program) => {
      const out = program.evaluate({ t: over("data", times), k: 0.5, a: over("restart", [1, 2]) });
      expect(out.axes.map(({ name }) => name)).toEqual(["data", "restart"]);
      expect(out.at({ data: 2, restart: 1 })).toBe(out.values[5]);
    });
  });

  test("take values over several axes in any order of them, with others in between", () => {
    withProgram("(+ (* 100 x) (* 10 y) z)", (program) => {
      // x over c and a, transposed; y over b alone; z over all three.
      const sizes = { a: 2, b: 3, c: 4 };
      const x = Array.from({ length: 8 }, (_, i) => i);
      const z = Array.from({ length: 24 }, (_, i) => i / 32);
      const out = program.evaluate({
        z: over(["a", "b", "c"], z, { sizes }),
        x: over(["c", "a"], x),
        y: over("b", [5, 6, 7]),
      });
      for (let a = 0; a < 2; a++)
        for (let b = 0; b < 3; b++)
          for (let c = 0; c < 4; c++)
            expect(out.at({ a, b, c })).toBe(
              100 * (c * 2 + a) + 10 * (5 + b) + (a * 12 + b * 4 + c) / 32,
            );
    });
  });

  test("are those that over was given, whatever the caller does to their list", () => {
    const names = ["a", "b"];
    const x = over(names, [1, 2, 3, 4], { sizes: { a: 2, b: 2 } });
    names[0] = "c";
    withProgram("(* 2 x)", (program) => {
      expect(program.evaluate({ x }).axes.map(({ name }) => name)).toEqual(["a", "b"]);
    });
  });

  test("take vectors and matrices over axes", () => {
    withProgram("(dot (matvec m v) v)", (program) => {
      const vectors = [vec([1, 2]), vec([3, -1]), vec([0.5, 0])];
      const matrices = [mat([[1, 2], [3, 4]]), mat([[0, 1], [-1, 0.5]])]; // biome-ignore format: rows
      const out = program.gradient({ m: over("model", matrices), v: over("data", vectors) });
      const plain = program.gradient({
        m: repeated(matrices, vectors),
        v: product(matrices, vectors),
      });
      expect(bitsOf(out.values)).toEqual(bitsOf(plain.values));
      for (const name of ["m", "v"])
        expect(bitsOf(out.gradients[name] ?? [])).toEqual(bitsOf(plain.gradients[name] ?? []));
    });
  });

  test("have the same bits for every chunk width, with branches that lanes take both ways", () => {
    const source =
      "(if (> (* a t) 4) (sqrt (* a t)) (loop ((i 0) (s t)) (if (> s 4) (* a s) (recur (+ i 1) (+ s a)))))";
    withProgram(source, (program) => {
      const as = Float64Array.from({ length: 13 }, (_, i) => 0.3 + i / 7);
      const ts = Float64Array.from({ length: 29 }, (_, i) => i / 3);
      const plain = program.gradient({
        a: repeated([...as], [...ts]),
        t: product([...as], [...ts]),
      });
      for (const chunk of [1, 7, 64, 1000, undefined]) {
        const inputs = { a: over("restart", as), t: over("data", ts) };
        const out = program.gradient(inputs, chunk === undefined ? {} : { chunk });
        expect(bitsOf(out.values)).toEqual(bitsOf(plain.values));
        expect(bitsOf(out.gradients["a"] ?? [])).toEqual(bitsOf(plain.gradients["a"] ?? []));
        expect(bitsOf(out.gradients["t"] ?? [])).toEqual(bitsOf(plain.gradients["t"] ?? []));
      }
    });
  });

  test("of plain arrays are one axis called lane, and a run where nothing varies has none", () => {
    withProgram("(* a x)", (program) => {
      const out = program.evaluate({ a: 2, x: [1, 2, 3] });
      expect(out.axes).toEqual([{ name: "lane", size: 3 }]);
      expect(out.at({ lane: 2 })).toBe(6);
      const one = program.evaluate({ a: 2, x: 4 });
      expect(one.axes).toEqual([]);
      expect(one.at({})).toBe(8);
    });
  });

  test("of a session are those of its inputs, which keep their own size", () => {
    withProgram(model, (program) => {
      const inputs = {
        a: over("restart", restarts),
        k: over("restart", rates),
        t: over("data", times),
      };
      const session = program.session(inputs, { wrt: ["a", "k"] });
      expect(session.axes.map(({ name }) => name)).toEqual(["restart", "data"]);
      expect(session.inputs["a"]).toHaveLength(4);
      for (const factor of [1, 1.5, 3]) {
        session.set(
          "a",
          restarts.map((a) => a * factor),
        );
        session.run();
        const fresh = program.gradient({
          ...inputs,
          a: over(
            "restart",
            restarts.map((a) => a * factor),
          ),
        });
        expect(bitsOf(session.values)).toEqual(bitsOf(fresh.values));
        expect(bitsOf(session.gradients["k"] ?? [])).toEqual(bitsOf(fresh.gradients["k"] ?? []));
      }
    });
  });

  test("cost no memory for an input that is laid out over them", () => {
    withProgram("(* a t)", (program) => {
      const out = program.evaluate({
        a: over("restart", new Float64Array(1000).fill(2)),
        t: over("data", new Float64Array(1000).fill(3)),
      });
      expect(out.lanes).toBe(1_000_000);
      expect(out.values.every((value) => value === 6)).toBe(true);
    });
  });
});

describe("mistakes with axes", () => {
  const mistake = (inputs: Parameters<Program["evaluate"]>[0]) =>
    withProgram(model, (program) => caught(() => program.evaluate(inputs)));

  test("unequal sizes of one axis name both inputs", () => {
    const error = mistake({ a: over("data", [1, 2]), k: 1, t: over("data", times) });
    expect(error.code).toBe("E-INPUT");
    expect(error.message).toBe("the axis data has 3 values in input t, but 2 in input a");
  });

  test("a plain array beside a named axis says what to do", () => {
    const error = mistake({ a: over("restart", [1, 2]), k: 1, t: [1, 2] });
    expect(error.code).toBe("E-INPUT");
    expect(error.message).toBe("input t is a plain array, but input a is over the axis restart");
    expect(error.help).toContain('over("restart", …)');
  });

  test("values that do not fill their axes say what the axes make", () => {
    const values = [1, 2, 3, 4, 5];
    const error = mistake({
      a: over(["r", "d"], values),
      k: over("r", [1, 2]),
      t: over("d", times),
    });
    expect(error.code).toBe("E-INPUT");
    expect(error.message).toBe(
      "input a has 5 values, which do not make r (2, from k) × d (3, from t)",
    );
  });

  test("sizes are those that fill every input, and where there are none the run is refused", () => {
    const choices = [["p"], ["q"], ["p", "q"], ["q", "p"]].flatMap((axes) =>
      [1, 2, 3, 4, 6].map((length) => ({ axes, length })),
    );
    /** All sizes of p and q with which each input has a value for every place. */
    const fillings = (inputs: readonly (typeof choices)[number][]): Axis[][] => {
      const names = [...new Set(inputs.flatMap(({ axes }) => axes))];
      const sized = (rest: readonly string[]): Axis[][] =>
        rest.length === 0
          ? [[]]
          : sized(rest.slice(0, -1)).flatMap((before) =>
              [1, 2, 3, 4, 5, 6].map((size) => [...before, { name: rest.at(-1) as string, size }]),
            );
      return sized(names).filter((all) =>
        inputs.every(({ axes, length }) => {
          const own = all.filter(({ name }) => axes.includes(name));
          return own.reduce((product, { size }) => product * size, 1) === length;
        }),
      );
    };
    withProgram("(+ a b)", (program) => {
      for (const a of choices)
        for (const b of choices) {
          const inputs = [a, b].map(({ axes, length }) => over(axes, Array(length).fill(1)));
          const run = () => program.evaluate({ a: inputs[0] as never, b: inputs[1] as never }).axes;
          const found = fillings([a, b]);
          const what = JSON.stringify([a, b]);
          const isTold = [a, b].some(({ axes }) => axes.length === 1);
          if (found.length === 1 && isTold) expect(run(), what).toEqual(found[0]);
          else if (found.length === 0)
            expect(caught(run).message, what).toMatch(/do not make|values in input|not known/);
          else expect(caught(run).message, what).toMatch(/not known/);
        }
    });
  });

  test("sizes that nothing tells are asked for", () => {
    const error = mistake({ a: over(["r", "d"], [1, 2, 3, 4]), k: 1, t: 1 });
    expect(error.message).toBe("the sizes of the axes r and d of input a are not known");
    expect(error.help).toContain("sizes: { r: … }");
  });

  test("empty axes, axes without a name and axes named twice are refused", () => {
    expect(mistake({ a: over("r", []), k: 1, t: 1 }).message).toBe("input a has no values over r");
    for (const names of ["", [], [""], ["r", ""], ["", "r"], ["r", 1], [undefined, "r"]])
      expect(caught(() => over(names as string[], [1])).message, JSON.stringify(names)).toBe(
        "over needs the name of an axis, or a list of names",
      );
    expect(caught(() => over(["r", "r"], [1])).message).toBe("over names the axis r twice");
    expect(mistake({ a: over("r", [1], { sizes: { r: 0.5 } }), k: 1, t: 1 }).message).toBe(
      "input a gives the axis r the size 0.5",
    );
  });

  test("values that are not numbers, or of another shape, are told by their index", () => {
    const wrong = [1, "2"] as unknown as number[];
    expect(caught(() => over("data", wrong)).message).toBe(
      "value 1 over data is a string, not a number, vector or matrix",
    );
    expect(caught(() => over("data", [vec([1, 2]), vec([1])])).message).toBe(
      "value 1 over data is a vector of 1, value 0 is a vector of 2",
    );
  });

  test("a number of lanes that the axes do not make is refused", () => {
    const error = withProgram("(* a 2)", (program) =>
      caught(() => program.evaluate({ a: over("r", [1, 2]) }, { lanes: 3 })),
    );
    expect(error.code).toBe("E-OPTION");
    expect(error.message).toBe("lanes is 3, but the axes make 2");
  });

  test("places outside the axes are refused", () => {
    withProgram("(* a 2)", (program) => {
      const out = program.evaluate({ a: over("r", [1, 2]) });
      expect(caught(() => out.at({ r: 2 })).message).toBe("the axis r has no index 2");
      expect(caught(() => out.at({ q: 0 })).message).toBe("the run has no axis q");
      expect(caught(() => out.at({})).message).toBe("the place says nothing about the axis r");
    });
  });
});

/** The order of sums, written down a second time and plainly. */
function plainSum(values: readonly number[]): number {
  const p = [0, 0, 0, 0, 0, 0, 0, 0];
  values.forEach((value, index) => {
    p[index % 8] = (p[index % 8] as number) + value;
  });
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = p;
  return a + b + (c + d) + (e + f + (g + h));
}

const uneven = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.sin(i * 12.9898) * 10 ** ((i * 7) % 13) - 3);

describe("sums over an axis", () => {
  test("have one order, wherever the axis stands", () => {
    const numbers = uneven(300 * 21);
    const axes: Axis[] = [
      { name: "x", size: 300 },
      { name: "y", size: 21 },
    ];
    const overX = sumOver(numbers, axes, "x");
    const overY = sumOver(numbers, axes, "y");
    expect(overX.axes).toEqual([{ name: "y", size: 21 }]);
    const column = (y: number) => Array.from({ length: 300 }, (_, x) => numbers[x * 21 + y] ?? 0);
    const row = (x: number) => numbers.slice(x * 21, x * 21 + 21);
    expect(bitsOf(overX.values)).toEqual(
      bitsOf(Array.from({ length: 21 }, (_, y) => plainSum(column(y)))),
    );
    expect(bitsOf(overY.values)).toEqual(
      bitsOf(Array.from({ length: 300 }, (_, x) => plainSum(row(x)))),
    );
  });

  test("keep a vector's elements apart", () => {
    const { values } = sumOver([1, 10, 2, 20, 3, 30], [{ name: "x", size: 3 }], "x");
    expect([...values]).toEqual([6, 60]);
  });

  test("refuse axes that are not there and values that do not fill them", () => {
    expect(caught(() => sumOver([1], [{ name: "x", size: 1 }], "y")).code).toBe("E-OPTION");
    expect(caught(() => sumOver([1, 2, 3], [{ name: "x", size: 2 }], "x")).code).toBe("E-OPTION");
  });
});

describe("reduce", () => {
  const inputs = {
    a: over("restart", restarts),
    k: 0.3,
    t: over(
      "data",
      uneven(37).map((t) => t / 1e12),
    ),
  };

  test("sums each gradient over the axes its input does not have", () => {
    withProgram(model, (program) => {
      const perLane = program.gradient(inputs);
      const { gradients, reduced } = program.gradient(inputs, { reduce: true });
      expect(perLane.reduced).toBeUndefined();
      expect(gradients["a"]).toHaveLength(4);
      expect(gradients["k"]).toHaveLength(1);
      expect(gradients["t"]).toHaveLength(37);
      expect(reduced?.gradientAxes["a"]).toEqual([{ name: "restart", size: 4 }]);
      expect(reduced?.gradientAxes["k"]).toEqual([]);
      expect(reduced?.nanLanes).toEqual({ a: 0, k: 0, t: 0 });
      const of = (name: string) => [...(perLane.gradients[name] ?? [])];
      const rows = restarts.map((_, r) => plainSum(of("a").slice(r * 37, r * 37 + 37)));
      expect(bitsOf(gradients["a"] ?? [])).toEqual(bitsOf(rows));
    });
  });

  test("does not depend on the order of the axes or the width of chunks", () => {
    withProgram(model, (program) => {
      const { a, k, t } = inputs;
      const bits = (given: typeof inputs, chunk: number) => {
        const { gradients } = program.gradient(given, { reduce: true, chunk });
        return ["a", "k", "t"].map((name) => bitsOf(gradients[name] ?? []));
      };
      const expected = bits(inputs, 1000);
      expect(bits({ t, k, a }, 1000)).toEqual(expected);
      expect(bits(inputs, 5)).toEqual(expected);
    });
  });

  test("leaves inputs that are not listed per lane", () => {
    withProgram(model, (program) => {
      const { gradients, reduced } = program.gradient(inputs, { reduce: ["k"] });
      expect(gradients["k"]).toHaveLength(1);
      expect(gradients["a"]).toHaveLength(4 * 37);
      expect(reduced?.gradientAxes["a"]).toHaveLength(2);
      const error = caught(() => program.gradient(inputs, { wrt: ["a"], reduce: ["k"] }));
      expect(error.message).toBe("cannot reduce k: its gradient was not asked for");
    });
  });

  test("gives a gradient in the order of its input's own values", () => {
    withProgram("(* w (+ x y))", (program) => {
      const w = over(["d", "r"], [1, 2, 3, 4, 5, 6]);
      const x = over("r", [10, 20]);
      const { gradients, reduced } = program.gradient(
        { x, w, y: over("d", [100, 200, 300]) },
        { reduce: true },
      );
      expect(reduced?.gradientAxes["w"]?.map(({ name }) => name)).toEqual(["d", "r"]);
      expect([...(gradients["w"] ?? [])]).toEqual([110, 120, 210, 220, 310, 320]);
    });
  });

  test("sums vectors element by element, over plain lanes too", () => {
    withProgram("(* x (dot w w))", (program) => {
      const { gradients } = program.gradient({ x: [1, 2, 3], w: vec([2, 5]) }, { reduce: true });
      expect([...(gradients["w"] ?? [])]).toEqual([24, 60]);
      expect([...(gradients["x"] ?? [])]).toEqual([29, 29, 29]);
    });
  });

  test("makes a sum NaN where a lane failed or is NaN, and counts those lanes", () => {
    withProgram("(if (> t 8) (car t) (* a (log t)))", (program) => {
      const out = program.gradient(
        { a: over("restart", [1, 2]), t: over("data", [1, -1, 9, 4]) },
        { reduce: true, wrt: ["a", "t"] },
      );
      expect(out.failures.map(({ lane }) => lane)).toEqual([2, 6]);
      expect([...(out.gradients["a"] ?? [])]).toEqual([Number.NaN, Number.NaN]);
      // d/dt of a log t is a / t, also where log t is NaN.
      expect([...(out.gradients["t"] ?? [])]).toEqual([3, -3, Number.NaN, 0.75]);
      expect(out.reduced?.nanLanes).toEqual({ a: 4, t: 2 });
    });
  });
});

describe("numbers that are not finite", () => {
  test("are told of each lane by its own vector, also of lanes that are looked at again", () => {
    // Which cell is the first that is not finite depends on both axes.
    const source =
      "(if (< (ref v 1) 2) (* k (log (ref v 0))) (round (sqrt (- (ref v 0) (ref w 0)))))";
    const vs = [1, -1, 2, -3, 0].map((one, i) => vec([one, 3 * (i % 2)]));
    const ws = [0, 1.5, -4].map((one) => vec([one]));
    withProgram(source, (program) => {
      for (const replay of [true, false])
        for (const turn of [1, 2]) {
          const inputs = { v: over("p", vs), w: over("q", ws), k: turn };
          for (const result of [
            program.evaluate(inputs, { replay }),
            program.gradient(inputs, { replay, wrt: ["k", "v"] }),
          ]) {
            const told = result.nonFinite.map(({ lane, span }) => [lane, span?.start]);
            const wanted = vs.flatMap((v, i) =>
              ws.flatMap((w, j) =>
                program
                  .evaluate({ v, w, k: turn }, { replay: false })
                  .nonFinite.map(({ span }) => [i * ws.length + j, span?.start]),
              ),
            );
            expect(wanted.length).toBeGreaterThan(3);
            expect(new Set(wanted.map(([, start]) => start)).size).toBe(2);
            expect(told).toEqual(wanted);
          }
        }
    });
  });
});
