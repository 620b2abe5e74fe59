/** The inputs of a call, sorted and checked: every kind with every shape, and every refusal word for word. */

import { int, mat, type NdvmError, vec } from "@ndvm/core";
import type { Tensor } from "@tensorflow/tfjs";
import { describe, expect, test } from "vitest";
import { inputOf, readCall } from "../src/arguments.js";
import type { InputKind } from "../src/types.js";
import { tf } from "./support.js";

const KINDS: Readonly<Record<string, InputKind>> = {
  ...{ a: "number", b: "number", n: "integer", v: "vector", m: "matrix" },
};
const names = Object.keys(KINDS);
const call = (inputs: unknown) =>
  readCall(inputs as never, (name) => KINDS[name] as InputKind, names);

function refusalOf(inputs: unknown) {
  try {
    call(inputs);
  } catch (error) {
    const { code, message, help } = error as NdvmError;
    return `${code}: ${message}; ${help}`;
  }
  return undefined;
}

/** What the program is given for one tensor beside others. */
function given(name: string, tensor: Tensor, others: Readonly<Record<string, unknown>> = {}) {
  const { arguments: all, lanes } = call({ ...others, [name]: tensor });
  const own = all.find((each) => each.name === name);
  return own && inputOf(own, lanes);
}

describe("inputs", () => {
  test.each([5, "x", undefined, null, () => 1])("that are %o are none", (inputs) => {
    expect(refusalOf(inputs)).toBe(
      "E-INPUT: an operation takes its inputs by name; call it as op({ a, k, t })",
    );
  });

  test("that are a tensor are none", () => {
    expect(refusalOf(tf.scalar(1))).toContain("takes its inputs by name");
  });

  test("are tensors with their lanes, and plain ones", () => {
    const [a, v, n] = [tf.tensor1d([1, 2, 3]), tf.tensor1d([4, 5]), tf.scalar(6, "int32")];
    const found = call({ a, b: 7, v, n });
    expect(found.lanes).toBe(3);
    expect([...found.plain]).toEqual([["b", 7]]);
    expect(
      found.arguments.map(({ name, kind, lanes, isFloat }) => [name, kind, lanes, isFloat]),
    ).toEqual([
      ["a", "number", 3, true],
      ["v", "vector", undefined, true],
      ["n", "integer", undefined, false],
    ]);
    expect(found.arguments[0]?.tensor).toBe(a);
    expect(call({}).lanes).toBeUndefined();
    expect(call({ b: 7 }).lanes).toBeUndefined();
    expect(call({ b: [1, 2] }).lanes).toBe(2);
    expect(call({ b: Float64Array.of(1, 2) }).lanes).toBe(2);
    expect(call({ b: Float32Array.of(1) }).lanes).toBe(1);
    expect(call({ a: tf.tensor1d([1]), b: [1, 2] }).lanes).toBe(2);
    expect(call({ a: tf.tensor1d([1, 2]), b: [1] }).lanes).toBe(2);
  });

  test.each<[string, () => unknown, string]>([
    [
      "an unknown name",
      () => ({ z: 1 }),
      "E-INPUT: the program has no input z; its inputs are a, b, n, v, m",
    ],
    [
      "another copy's tensor",
      () => ({ a: { dataSync() {} } }),
      "E-INPUT: input a is a tensor of another copy of TensorFlow.js; " +
        "let all packages share one @tensorflow/tfjs-core",
    ],
    [
      "truth values",
      () => ({ a: tf.tensor1d([true, false], "bool") }),
      'E-INPUT: input a is bool[2]; programs take float32 and int32 tensors; convert it: a.cast("float32")',
    ],
    [
      "a matrix for a number",
      () => ({ a: tf.zeros([2, 2]) }),
      "E-INPUT: input a is float32[2, 2], but it is declared as a number; give rank 0 to share it, " +
        'rank 1 for one number a lane; declare others: { inputs: { a: "vector" } } or "matrix"',
    ],
    [
      "a number for a vector",
      () => ({ v: tf.scalar(1) }),
      "E-INPUT: input v is float32[], but it is declared as a vector; " +
        "give rank 1 to share it, rank 2 for one vector a lane",
    ],
    [
      "a tensor of four axes for a matrix",
      () => ({ m: tf.zeros([1, 1, 1, 1]) }),
      "E-INPUT: input m is float32[1, 1, 1, 1], but it is declared as a matrix; " +
        "give rank 2 to share it, rank 3 for one matrix a lane",
    ],
    [
      "integers in lanes",
      () => ({ n: tf.tensor1d([1, 2], "int32") }),
      "E-INPUT: input n is int32[2], but it is declared as an integer; " +
        "an integer is one number for all lanes: a tensor of rank 0",
    ],
    [
      "lanes that differ",
      () => ({ a: tf.tensor1d([1, 2]), b: tf.tensor1d([1, 2, 3]) }),
      "E-INPUT: input b has 3 lanes, but a has 2; " +
        "tensors with a lane axis must agree in it; use a tensor without one to share a value",
    ],
    [
      "lanes that differ from a plain list",
      () => ({ b: [1, 2, 3], v: tf.zeros([2, 2]) }),
      "E-INPUT: input b has 3 lanes, but v has 2; " +
        "tensors with a lane axis must agree in it; use a tensor without one to share a value",
    ],
  ])("are refused: %s", (_, make, words) => {
    expect(refusalOf(make())).toBe(words);
  });
});

describe("a tensor becomes", () => {
  test("a number, or one for each lane", () => {
    expect(given("a", tf.scalar(2))).toBe(2);
    expect(given("a", tf.tensor1d([2]))).toEqual(Float32Array.of(2));
    expect(given("a", tf.tensor1d([2]), { b: [1, 2] })).toBe(2);
    expect(given("a", tf.tensor1d([2, 3]))).toEqual(Float32Array.of(2, 3));
    expect(given("a", tf.tensor1d([2, 3], "int32"))).toEqual(Float64Array.of(2, 3));
  });

  test("an integer, which must be whole", () => {
    expect(given("n", tf.scalar(4, "int32"))).toEqual(int(4));
    expect(given("n", tf.scalar(4))).toEqual(int(4));
    expect(() => given("n", tf.scalar(4.5))).toThrow(
      "input n is 4.5, but it is declared as an integer",
    );
  });

  test("a vector or a matrix, or one for each lane, lanes of one being shared", () => {
    const three = Float32Array.of(1, 2, 3);
    expect(given("v", tf.tensor1d([1, 2, 3]))).toEqual(vec(three));
    expect(given("v", tf.tensor2d([[1, 2, 3]]), { b: [1, 2] })).toEqual(vec(three));
    expect(
      given(
        "v",
        tf.tensor2d([
          [1, 2, 3],
          [4, 5, 6],
        ]),
      ),
    ).toEqual([vec(three), vec(Float32Array.of(4, 5, 6))]);
    const six = Float32Array.of(1, 2, 3, 4, 5, 6);
    expect(
      given(
        "m",
        tf.tensor2d([
          [1, 2],
          [3, 4],
          [5, 6],
        ]),
      ),
    ).toEqual(mat(six, 3));
    expect(
      given(
        "m",
        tf.tensor3d([
          [
            [1, 2],
            [3, 4],
            [5, 6],
          ],
        ]),
      ),
    ).toEqual([mat(six, 3)]);
    expect(given("m", tf.tensor3d([[[1, 2, 3]], [[4, 5, 6]]]))).toEqual([
      mat(three, 1),
      mat(Float32Array.of(4, 5, 6), 1),
    ]);
  });
});
