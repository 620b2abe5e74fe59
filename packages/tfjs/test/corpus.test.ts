/**
 * Values and gradients through TensorFlow.js have core's bits in f32: the paper's five programs, the 34
 * conformance programs and 200 random ones; and 30 Adam steps of TensorFlow.js' own optimiser over the
 * paper's Kalman filter end at its published figures.
 */

import { mat, type Program } from "@ndvm/core";
import type { Scalar, Tensor } from "@tensorflow/tfjs";
import { expect, test } from "vitest";
import { describeCorpus, readCorpus } from "../../core/test/corpus/corpus.js";
import { type InputKind, operation } from "../src/index.js";
import { bitsOf, machine, tf } from "./support.js";

interface Matrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: readonly number[];
}
interface Case {
  readonly name?: string;
  readonly id?: number;
  readonly src: string;
  readonly scalars: Readonly<Record<string, number>>;
  readonly matrices?: Readonly<Record<string, Matrix>>;
}

/** The program's value and gradients by its scalars, by core and through an operation. */
function bothWays({ src, scalars, matrices = {} }: Case) {
  const names = Object.keys(scalars);
  const constants = Object.entries(matrices);
  const inputs = [...names, ...constants.map(([name]) => name)];
  const program = machine.load(src, { inputs, domain: "clamp" });
  try {
    const given = Object.fromEntries(
      constants.map(([name, { rows, data }]) => [name, mat(Float64Array.from(data), rows)]),
    );
    const core = program.gradient({ ...scalars, ...given }, { wrt: names });
    return { core, ours: throughTensors(program, scalars, constants) };
  } finally {
    program.dispose();
  }
}

function throughTensors(
  program: Program,
  scalars: Case["scalars"],
  constants: readonly (readonly [string, Matrix])[],
) {
  const names = Object.keys(scalars);
  const kinds: Record<string, InputKind> = Object.fromEntries(
    constants.map(([name]) => [name, "matrix" as const]),
  );
  const op = operation(program, { wrt: names, inputs: kinds });
  return tf.tidy(() => {
    const matrices = constants.map(([name, { rows, cols, data }]) => [
      name,
      tf.tensor2d([...data], [rows, cols]),
    ]);
    const call = (...values: Tensor[]) =>
      op(Object.fromEntries([...names.map((name, i) => [name, values[i]]), ...matrices]));
    const values = names.map((name) => tf.scalar(scalars[name] as number));
    const value = call(...values).dataSync();
    const gradients = tf.grads(call as (...values: Tensor[]) => Scalar)(values);
    return { value, gradients: gradients.map((gradient) => gradient.dataSync()) };
  });
}

const FILES = [
  ["the paper's five programs", "reference/five_programs.json", (all: unknown) => all as Case[]],
  ["34 conformance programs", "reference/oracle_refs_34.json", casesOf],
  ["200 random programs", "reference/fuzz_seed1234_200.json", casesOf],
] as const;

function casesOf(file: unknown): Case[] {
  if (Array.isArray(file)) return file as Case[];
  const lists = Object.values(file as object).filter(Array.isArray) as Case[][];
  return lists.find((list) => typeof list[0]?.src === "string") ?? [];
}

describeCorpus("through TensorFlow.js", () => {
  test.each(FILES)("%s have core's bits", (_, path, pick) => {
    const cases = pick(readCorpus(path)).filter(({ scalars }) => Object.keys(scalars).length > 0);
    expect(cases.length).toBeGreaterThan(4);
    for (const one of cases) {
      const { core, ours } = bothWays(one);
      const label = `${one.name ?? one.id}`;
      expect(bitsOf(ours.value), label).toEqual(bitsOf(core.values));
      for (const [i, name] of Object.keys(one.scalars).entries())
        expect(bitsOf(ours.gradients[i] as Float32Array), `${label}, ${name}`).toEqual(
          bitsOf(core.gradients[name] as Float64Array),
        );
    }
  });

  test("30 Adam steps over the Kalman filter end at the paper's figures", () => {
    const kalman = readCorpus<Case[]>("reference/five_programs.json").find(
      ({ name }) => name === "kalman2d_T80",
    ) as Required<Case>;
    const { rows, cols, data } = kalman.matrices["obs"] as Matrix;
    const program = machine.load(kalman.src, { inputs: ["q", "r", "obs"], domain: "clamp" });
    const op = operation(program, { wrt: ["q", "r"], inputs: { obs: "matrix" } });
    const obs = tf.tensor2d([...data], [rows, cols]);
    const q = tf.variable(tf.scalar(0.3));
    const r = tf.variable(tf.scalar(0.3));
    const least = tf.scalar(1e-4);
    const loss = () => op({ q: q.maximum(least), r: r.maximum(least), obs }) as Scalar;
    const optimiser = tf.train.adam(0.08, 0.9, 0.999, 1e-8);
    let before = Number.NaN;
    for (let step = 0; step < 30; step++)
      before = (optimiser.minimize(loss, true) as Scalar).dataSync()[0] as number;
    expect(before).toBeCloseTo(164.94514, 3);
    expect(r.dataSync()[0]).toBeCloseTo(1.07321, 4);
    program.dispose();
  });
});
