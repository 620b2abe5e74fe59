/**
 * Sessions give the bits of `program.gradient`, whatever the lanes do and whoever runs between.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { Machine, mat, NdvmError, type Precision } from "../src/index.js";

describe.each(["f32", "f64"] as Precision[])("a session in %s", (precision) => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create({ precision });
  });

  const expectSame = (actual: ArrayLike<number> | undefined, wanted: Float64Array | undefined) =>
    expect(Array.from(actual ?? [])).toEqual(Array.from(wanted ?? []));

  test("follows numbers that change on every run", () => {
    const source = "(* a (exp (* k t)))";
    const session = machine.load(source).session({ a: 1, k: [0, 0, 0], t: 2 }, { wrt: ["a", "k"] });
    for (let turn = 0; turn < 5; turn++) {
      const inputs = { a: 1 + turn, k: [0.1 * turn, -0.2, 0.3], t: 2 - turn };
      for (const [name, value] of Object.entries(inputs)) session.set(name, value);
      session.run();
      const direct = machine.load(source).gradient(inputs, { wrt: ["a", "k"] });
      expectSame(session.values, direct.values);
      expectSame(session.gradients["a"], direct.gradients["a"]);
      expectSame(session.gradients["k"], direct.gradients["k"]);
    }
  });

  test("walks again where lanes take other ways, and streams many chunks", () => {
    const source = "(loop ((z x) (k 0)) (if (> z 10) (* z y) (recur (+ (* z 1.3) 0.5) (+ k 1))))";
    const x = Float64Array.from({ length: 700 }, (_, i) => 0.1 + ((i * 37) % 100) / 10);
    const program = machine.load(source);
    const session = program.session({ x, y: 2 }, { wrt: ["x", "y"], chunk: 64 });
    for (const scale of [1, 1.7, 0.3, 1]) {
      session.set(
        "x",
        x.map((value) => value * scale),
      );
      session.run();
      const direct = machine.load(source).gradient({ x: x.map((value) => value * scale), y: 2 });
      expectSame(session.values, direct.values);
      expectSame(session.gradients["x"], direct.gradients["x"]);
    }
  });

  test("keeps its matrices when another caller runs the same program", () => {
    const program = machine.load("(* s (vsum (matmul A A)))");
    const mine = mat([
      [1, 2],
      [3, 4],
    ]);
    const theirs = mat([
      [5, 0],
      [0, 5],
    ]);
    const session = program.session({ s: 1, A: mine }, { wrt: ["s"] });
    session.run();
    session.run();
    program.gradient({ s: 7, A: theirs }, { wrt: ["s"] });
    session.set("s", 2);
    session.run();
    expect(Array.from(session.values)).toEqual([108]);
    expect(Array.from(session.gradients["s"] ?? [])).toEqual([54]);
  });

  test("follows its numbers after the machine's memory has grown", () => {
    const session = machine.load("(* 2 x)").session({ x: 1 });
    for (let turn = 0; turn < 4; turn++) session.run();
    const big = machine.load("(vsum (zeros 900 900))");
    expect(big.evaluate().values[0]).toBe(0);
    session.set("x", 21);
    session.run();
    expect(Array.from(session.values)).toEqual([42]);
  });

  test("refuses an input it does not have", () => {
    const session = machine.load("(* 2 x)").session({ x: 1 });
    expect(() => session.set("y", 1)).toThrow(NdvmError);
  });
});
