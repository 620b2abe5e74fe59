/**
 * The paper's own figures, as printed. They stand beside ours and are never computed with, except
 * to be drawn.
 */

export const PROGRAMS = ["scalar", "michaelis", "oscillator", "logistic", "kalman"] as const;
export type ProgramName = (typeof PROGRAMS)[number];

type Row = Readonly<Record<ProgramName, readonly string[]>>;

/** tab:wallclock: forward ms, backward ms, steps, forward/backward. */
export const wallclock: Row = {
  scalar: ["3.08", "0.19", "1", "16.6×"],
  michaelis: ["4.49", "0.21", "1", "21.1×"],
  oscillator: ["10.16", "0.38", "1", "27.1×"],
  logistic: ["160.81", "2.04", "16", "78.8×"],
  kalman: ["7012.39", "27.31", "80", "256.8×"],
};

/** fig:batch_independence: forward time over that of one lane, at 1, 8, 64, 256 and 1024. */
export const batch: Readonly<Record<string, readonly number[]>> = {
  scalar: [1, 1.017, 1.02, 1.024, 1.036],
  michaelis: [1, 1.017, 1.019, 1.024, 1.025],
  oscillator: [1, 1.011, 1.015, 1.018, 1.026],
  logistic: [1, 1.007, 1.01, 1.007, 1.009],
};

/**
 * fig:cost_decomposition: value representation, traversal, heap, dispatch, compute, wrappers, in %.
 */
export const decomposition: Row = {
  scalar: ["56.8", "29.3", "6.9", "2.9", "1.1", "3.2"],
  michaelis: ["57.8", "27.9", "6.7", "3.1", "1.0", "3.6"],
  oscillator: ["49.4", "40.2", "4.2", "3.3", "0.6", "2.3"],
  logistic: ["59.1", "26.6", "6.8", "4.1", "0.6", "2.9"],
  kalman: ["61.0", "25.2", "6.2", "4.8", "0.2", "2.6"],
};

/** tab:boxing: boxing, walking and arithmetic calls, boxing over arithmetic. */
export const boxing: Readonly<Record<string, readonly string[]>> = {
  scalar: ["828", "27", "8", "104×"],
  logistic: ["43,214", "719", "258", "168×"],
  kalman: ["1,994,674", "35,095", "3,442", "580×"],
};

/** tab:alloc: boxed tensors, payload slots, reduction. */
export const alloc: Row = {
  scalar: ["128", "5", "26×"],
  michaelis: ["180", "6", "30×"],
  oscillator: ["429", "12", "36×"],
  logistic: ["6,037", "133", "45×"],
  kalman: ["273,238", "972", "281×"],
};

/** tab:decomp: representation, native, total. */
export const decomp: Row = {
  scalar: ["4.7×", "8.0×", "37×"],
  michaelis: ["4.4×", "13.2×", "58×"],
  oscillator: ["5.0×", "24.4×", "122×"],
  logistic: ["4.7×", "415×", "1964×"],
  kalman: ["5.1×", "2133×", "10821×"],
};

/** tab:native-boxed: boxed C++ ms, NDVM ms, boxed over NDVM. */
export const nativeBoxed: Row = {
  scalar: ["0.0017", "0.0069", "0.25"],
  michaelis: ["0.0022", "0.0073", "0.30"],
  oscillator: ["0.0048", "0.0102", "0.47"],
  logistic: ["0.0333", "0.0216", "1.54"],
  kalman: ["0.986", "0.554", "1.78"],
};

/** tab:jax-staged: JAX forward+gradient ms, NDVM ms, staging ms, n* against NDVM. */
export const jaxStaged: Row = {
  scalar: ["0.013", "0.159", "34.7", "229"],
  michaelis: ["0.013", "0.157", "30.3", "213"],
  oscillator: ["0.014", "0.171", "38.4", "249"],
  logistic: ["0.014", "0.150", "54.5", "403"],
  kalman: ["0.614", "0.730", "3412.1", "42185"],
};

/** Per-lane sweep through the PyTorch boundary: ms a lane. */
export const perLane: Readonly<Record<string, string>> = {
  1: "0.625",
  8: "0.120",
  64: "0.039",
  256: "0.029",
  1024: "0.029",
};

/** fig:multicore: speed-up over one thread. */
export const multicore: Readonly<Record<string, number>> = {
  1: 1,
  2: 2,
  4: 4.01,
  8: 7.78,
  16: 14.92,
  32: 28.23,
  64: 30.22,
};

/** tab:second-client: fused ms, split ms, µs a lane at 256, speed-up. */
export const secondClient: Readonly<Record<string, readonly string[]>> = {
  "W1 scalar expression": ["0.297", "0.124", "0.512", "2.39×"],
  "W2 counted loop": ["1.387", "0.430", "1.775", "3.23×"],
  "W3 branch": ["0.136", "0.076", "0.308", "1.77×"],
  "W4 matrix-vector": ["0.668", "0.200", "0.824", "3.34×"],
};

/** fig:cosearch: best held-out R² at 14 checkpoints in 900 s. */
export const cosearch = {
  dmci: [
    0.117, 0.226, 0.226, 0.395, 0.395, 0.395, 0.806, 0.834, 0.8995, 0.8995, 0.909, 0.935, 0.935,
    0.969,
  ],
  ndvm: [
    0.395, 0.806, 0.834, 0.8995, 0.935, 0.969, 0.993, 0.995, 0.995, 0.995, 0.995, 0.995, 0.996,
    0.996,
  ],
} as const;

/** tab:fuzz-coverage: programs of seed 1234 by family. */
export const fuzz: Readonly<Record<string, string>> = {
  literal: "173",
  param: "200",
  binop: "200",
  "unary transcendental": "137",
  "unary nonsmooth": "60",
  division: "98",
  let: "81",
  "let*": "75",
  "if and comparison": "98",
  "loop and recur": "57",
  "all programs": "200",
};

/** Variance: median ms and CV in % of the tagged, tuned and native cells. */
export const variance: Readonly<Record<string, readonly string[]>> = {
  scalar: ["0.34", "2.44", "5.75"],
  michaelis: ["0.20", "4.48", "3.52"],
  oscillator: ["0.19", "0.41", "3.02"],
  logistic: ["4.64", "17.56", "3.65"],
};
