/**
 * What the suites share: TensorFlow.js on its CPU backend, and a machine in f32 as its tensors are.
 */

import { createRequire } from "node:module";
import { Machine } from "@ndvm/core";

/** The package's ES modules do not load in Node without a bundler. */
export const tf = createRequire(import.meta.url)(
  "@tensorflow/tfjs",
) as typeof import("@tensorflow/tfjs");
tf.enableProdMode();
await tf.setBackend("cpu");

export const machine = await Machine.create({ precision: "f32" });

/** The bits of numbers, so that −0 and NaN count. */
export const bitsOf = (numbers: ArrayLike<number>): readonly number[] => [
  ...new Uint32Array(Float32Array.from(numbers).buffer),
];
