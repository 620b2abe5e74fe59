/**
 * Yardsticks in plain JavaScript: the scalar programs as functions with gradients written by hand.
 *
 * Each takes its parameters in the model's order and writes value and gradients into `out`.
 */

import { type Model, type Numbers, variantCount, variants } from "./programs.js";
import type { Subject } from "./timing.js";

export type Closure = (p: Float64Array, out: Float64Array) => void;

const at = (numbers: Float64Array, i: number) => numbers[i] as number;

export const lineByHand: Closure = (p, out) => {
  out[0] = at(p, 0) * at(p, 2) + at(p, 1);
  out[1] = at(p, 2);
  out[2] = 1;
  out[3] = at(p, 0);
};

export const michaelisByHand: Closure = (p, out) => {
  const sum = at(p, 1) + at(p, 2);
  const value = (at(p, 0) * at(p, 2)) / sum;
  out[0] = value;
  out[1] = at(p, 2) / sum;
  out[2] = -value / sum;
  out[3] = (at(p, 0) - value) / sum;
};

export const oscillatorByHand: Closure = (p, out) => {
  const a = at(p, 0);
  const b = at(p, 1);
  const omega = at(p, 2);
  const t = at(p, 3);
  const decay = Math.exp(-b * t);
  const cosine = Math.cos(omega * t);
  const slope = -a * decay * Math.sin(omega * t);
  const value = a * decay * cosine;
  out[0] = value;
  out[1] = decay * cosine;
  out[2] = -t * value;
  out[3] = slope * t;
  out[4] = -b * value + slope * omega;
};

const MAP_STEPS = 16;
const states = new Float64Array(MAP_STEPS);

export const logisticByHand: Closure = (p, out) => {
  const r = at(p, 0);
  let x = at(p, 1);
  for (let k = 0; k < MAP_STEPS; k++) {
    states[k] = x;
    x = r * x * (1 - x);
  }
  let adjoint = 1;
  let byR = 0;
  for (let k = MAP_STEPS - 1; k >= 0; k--) {
    const state = states[k] as number;
    byR += adjoint * state * (1 - state);
    adjoint *= r * (1 - 2 * state);
  }
  out[0] = x;
  out[1] = byR;
  out[2] = adjoint;
};

export const tentByHand: Closure = (p, out) => {
  const r = at(p, 0);
  let x = at(p, 1);
  for (let k = 0; k < MAP_STEPS; k++) {
    states[k] = x;
    x = x < 0.5 ? r * x : r * (1 - x);
  }
  let adjoint = 1;
  let byR = 0;
  for (let k = MAP_STEPS - 1; k >= 0; k--) {
    const state = states[k] as number;
    byR += adjoint * (state < 0.5 ? state : 1 - state);
    adjoint *= state < 0.5 ? r : -r;
  }
  out[0] = x;
  out[1] = byR;
  out[2] = adjoint;
};

/** A closure over the same inputs as the machine's subject, lane after lane. */
export function closureSubject(model: Model, closure: Closure, lanes: number): Subject {
  const tables = Object.values(variants(model, lanes));
  const count = variantCount(lanes);
  const p = new Float64Array(tables.length);
  const out = new Float64Array(tables.length + 1);
  const results = new Float32Array(lanes * out.length);
  const call = (turn: number) => {
    for (let lane = 0; lane < lanes; lane++) {
      for (let i = 0; i < p.length; i++) {
        const numbers = (tables[i] as Numbers[])[turn % count] as Numbers;
        p[i] = numbers[lane] as number;
      }
      closure(p, out);
      for (let i = 0; i < out.length; i++) results[i * lanes + lane] = out[i] as number;
    }
  };
  return { name: `${model.name}, JavaScript`, call };
}
