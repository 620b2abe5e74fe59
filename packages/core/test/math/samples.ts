/**
 * Arguments for the accuracy tests: seeded, over every exponent, over the interesting range, and
 * edges.
 */
import { type Real, type UnaryName, unaryNames } from "./door.js";

export type Random = () => number;

/** Uniform in [0, 1) with 53 bits, the same sequence for the same seed. */
export function randomOf(seed: number): Random {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
}

/** Where the function bends, between saturation on either side. */
const ranges: Record<UnaryName, [number, number]> = {
  exp: [-20, 20],
  expm1: [-4, 4],
  log: [0.25, 4],
  log1p: [-0.9, 3],
  sin: [-40, 40],
  cos: [-40, 40],
  tan: [-40, 40],
  asin: [-1, 1],
  acos: [-1, 1],
  atan: [-4, 4],
  sinh: [-5, 5],
  cosh: [-5, 5],
  tanh: [-4, 4],
  sigmoid: [-20, 20],
  softplus: [-20, 20],
  erf: [-5, 5],
  lgamma: [-9, 12],
  digamma: [-9, 12],
};

const words = new DataView(new ArrayBuffer(8));

/** A number with random bits: every exponent is as likely as any other. */
export function anyBits(real: Real, random: Random): number {
  words.setUint32(0, random() * 2 ** 32);
  words.setUint32(4, random() * 2 ** 32);
  return real === "f32" ? words.getFloat32(0) : words.getFloat64(0);
}

/** Signed, log-uniform between 2^low and 2^high. */
const logUniform = (random: Random, low: number, high: number): number =>
  (random() < 0.5 ? -1 : 1) * 2 ** (low + (high - low) * random());

const thresholds = [
  709.782712893384,
  709.7827128933841,
  -745.1332191019411,
  -745.1332191019412,
  -708.3964185322641,
  88.72283172607422,
  88.72283935546875,
  -103.97207641601562,
  -103.97208404541016,
  -87.33654022216797,
  0.34657359027997264,
  0.41421356237309503,
  1.4616321449683622,
  Math.SQRT2,
  0.4375,
  0.6875,
  1.1875,
  2.4375,
  0.625,
  0.5,
  1,
  2,
  22,
  40,
  708,
  8,
  1.5,
  2.5,
  1.23,
  6,
  4,
  1647098,
  1647099,
  1647100,
];

/** Doubles unusually close to a multiple of π/2 (the first is the closest of all). */
const nearQuarterTurns = [
  6381956970095103 * 2 ** 797,
  5.319372648326541e255,
  1.5707963267948966,
  Math.PI,
  22,
  355,
  103993,
  16367173 * 2 ** 72,
  4.71238898038469,
  2 ** 1023,
  1e22,
  5706674932067741 * 2 ** -20,
];

const neighbours = (real: Real, x: number): number[] => {
  const scale = real === "f32" ? 2 ** -23 : 2 ** -52;
  return [-2, -1, 0, 1, 2].map((n) => x * (1 + n * scale));
};

/** Finite arguments of a unary function; the caller drops those outside its domain. */
export function samplesOf(real: Real, name: UnaryName, count: number): number[] {
  const random = randomOf(1 + unaryNames.indexOf(name));
  const [low, high] = ranges[name];
  const edges = [...thresholds, ...nearQuarterTurns].flatMap((x) => neighbours(real, x));
  const samples = [...edges, ...edges.map((x) => -x)];
  for (let i = 0; i < count; i++) {
    samples.push(anyBits(real, random));
    samples.push(logUniform(random, -40, 12));
    samples.push(low + (high - low) * random());
  }
  const round = real === "f32" ? Math.fround : (x: number) => x;
  return samples.map(round).filter((x) => Number.isFinite(x) && x !== 0);
}
