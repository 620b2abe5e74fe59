/**
 * The yardstick of the streams: one program of each as a JavaScript function with its gradient
 * written by hand, fitted by the same Adam steps over the same points.
 */

import type { Points } from "./normals.js";

/** Adds residual-weighted slopes by a, b, c at one point; returns the residual. */
export type HandModel = (x: number, y: number, p: Float64Array, slopes: Float64Array) => number;

const three = (p: Float64Array) => p as unknown as readonly [number, number, number];

function add(slopes: Float64Array, byA: number, byB: number, byC: number): void {
  slopes[0] = (slopes[0] as number) + byA;
  slopes[1] = (slopes[1] as number) + byB;
  slopes[2] = (slopes[2] as number) + byC;
}

/** a · exp(b x) · sin(c x) */
export const waveByHand: HandModel = (x, y, p, slopes) => {
  const [a, b, c] = three(p);
  const growth = Math.exp(b * x);
  const sine = Math.sin(c * x);
  const value = a * growth * sine;
  const residual = value - y;
  add(
    slopes,
    residual * growth * sine,
    residual * x * value,
    residual * a * growth * x * Math.cos(c * x),
  );
  return residual;
};

const LOOP = 10;

/** s = c x, then ten times s = a s + b */
export const loopByHand: HandModel = (x, y, p, slopes) => {
  const [a, b, c] = three(p);
  let s = c * x;
  let byA = 0;
  let byB = 0;
  let byC = x;
  for (let k = 0; k < LOOP; k++) {
    byA = s + a * byA;
    byB = 1 + a * byB;
    byC = a * byC;
    s = a * s + b;
  }
  const residual = s - y;
  add(slopes, residual * byA, residual * byB, residual * byC);
  return residual;
};

/** Microseconds of one fit, the fastest of many. */
export function fitByHand(model: HandModel, points: Points, steps: number, times: number): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const started = performance.now();
    fitOnce(model, points, steps, time);
    fastest = Math.min(fastest, performance.now() - started);
  }
  return fastest * 1000;
}

function fitOnce(model: HandModel, { x, y }: Points, steps: number, seed: number): Float64Array {
  const p = Float64Array.of(0.3 + seed * 1e-4, -0.2, 0.4);
  const first = new Float64Array(3);
  const second = new Float64Array(3);
  const slopes = new Float64Array(3);
  let power1 = 1;
  let power2 = 1;
  for (let step = 0; step < steps; step++) {
    slopes.fill(0);
    for (let i = 0; i < x.length; i++) model(x[i] as number, y[i] as number, p, slopes);
    power1 *= 0.9;
    power2 *= 0.999;
    for (let i = 0; i < 3; i++) {
      const slope = (2 * (slopes[i] as number)) / x.length;
      first[i] = 0.9 * (first[i] as number) + 0.1 * slope;
      second[i] = 0.999 * (second[i] as number) + 0.001 * slope * slope;
      const size = Math.sqrt((second[i] as number) / (1 - power2)) + 1e-8;
      p[i] = (p[i] as number) - (0.05 * ((first[i] as number) / (1 - power1))) / size;
    }
  }
  return p;
}
