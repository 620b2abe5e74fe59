/**
 * Runs unary f32 kernels over all 2^32 inputs (or every N-th) and prints the worst error in ULP
 * with its argument.
 *
 *   node scripts/ulp-sweep.mjs [--function exp] [--stride N] [--jobs J] [--json]
 *
 * Without --function every unary kernel is swept. The oracle is JavaScript's Math in double
 * precision; erf, lgamma and digamma, which it lacks, are taken from the f64 kernels, which
 * test/math.test.ts holds against an oracle in long integers. Where a function is known to round
 * to a constant or to x itself (regions in SWEPT), every result is compared with that instead,
 * which is exact and fast. A NaN must be NaN and a zero have the right sign: else the error counts
 * as Infinity.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const names = [
  ..."exp expm1 log log1p sin cos tan asin acos".split(" "),
  ..."atan sinh cosh tanh sigmoid softplus erf lgamma digamma".split(" "),
];
/** Inputs at a time: two buffers of doubles fit into the module's first megabyte. */
const blockCount = 1 << 15;

const sigmoid = (x) => (x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x)));
const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/**
 * Per function: the oracle (null: the f64 kernel) and regions with a known rounded result: below
 * `tiny` in magnitude it is `near` ("x" or a number), from `top` up `above`, from `bottom` down
 * `below`.
 */
const SWEPT = {
  exp: {
    oracle: Math.exp,
    tiny: 2 ** -26,
    near: 1,
    top: 89,
    above: Infinity,
    bottom: -104,
    below: 0,
  },
  expm1: {
    oracle: Math.expm1,
    tiny: 2 ** -26,
    near: "x",
    top: 89,
    above: Infinity,
    bottom: -20,
    below: -1,
  },
  log: { oracle: Math.log, bottom: -(2 ** -149), below: NaN },
  log1p: { oracle: Math.log1p, tiny: 2 ** -26, near: "x", bottom: -1.0001, below: NaN },
  sin: { oracle: Math.sin, tiny: 2 ** -12, near: "x" },
  cos: { oracle: Math.cos, tiny: 2 ** -13, near: 1 },
  tan: { oracle: Math.tan, tiny: 2 ** -13, near: "x" },
  asin: {
    oracle: Math.asin,
    tiny: 2 ** -12,
    near: "x",
    top: 1.0001,
    above: NaN,
    bottom: -1.0001,
    below: NaN,
  },
  acos: {
    oracle: Math.acos,
    tiny: 2 ** -27,
    near: Math.PI / 2,
    top: 1.0001,
    above: NaN,
    bottom: -1.0001,
    below: NaN,
  },
  atan: {
    oracle: Math.atan,
    tiny: 2 ** -13,
    near: "x",
    top: 2 ** 27,
    above: Math.PI / 2,
    bottom: -(2 ** 27),
    below: -Math.PI / 2,
  },
  sinh: {
    oracle: Math.sinh,
    tiny: 2 ** -12,
    near: "x",
    top: 90,
    above: Infinity,
    bottom: -90,
    below: -Infinity,
  },
  cosh: {
    oracle: Math.cosh,
    tiny: 2 ** -13,
    near: 1,
    top: 90,
    above: Infinity,
    bottom: -90,
    below: Infinity,
  },
  tanh: { oracle: Math.tanh, tiny: 2 ** -13, near: "x", top: 10, above: 1, bottom: -10, below: -1 },
  sigmoid: {
    oracle: sigmoid,
    tiny: 2 ** -25,
    near: 0.5,
    top: 20,
    above: 1,
    bottom: -104,
    below: 0,
  },
  softplus: {
    oracle: softplus,
    tiny: 2 ** -25,
    near: Math.LN2,
    top: 20,
    above: "x",
    bottom: -104,
    below: 0,
  },
  erf: { oracle: null, top: 4, above: 1, bottom: -4, below: -1 },
  lgamma: { oracle: null },
  digamma: { oracle: null },
};

const load = (real) =>
  new WebAssembly.Instance(
    new WebAssembly.Module(readFileSync(join(root, "build", `math-${real}.wasm`))),
    { env: { abort: () => {} } },
  ).exports;

/** 1/ulp of an f32 with the exponent bits of a double. */
const inverseUlp = Float64Array.from({ length: 2048 }, (_, bits) =>
  bits === 2047 ? 0 : 2 ** -(Math.max(bits - 1023, -126) - 23),
);
const probe = new Float64Array(1);
const probeWords = new Uint32Array(probe.buffer);

function ulpError(got, want) {
  if (got === want && want !== 0) return 0;
  if (Number.isNaN(got) || Number.isNaN(want))
    return Number.isNaN(got) && Number.isNaN(want) ? 0 : Infinity;
  if (got === 0 && want === 0) return Object.is(got, want) ? 0 : Infinity;
  probe[0] = want;
  const scale = inverseUlp[(probeWords[1] >>> 20) & 0x7ff];
  // Overflow stands for the next power of two, on either side.
  const limit = 2 ** 128;
  if (got === Infinity || got === -Infinity || want >= limit || want <= -limit) {
    const bounded = Math.max(Math.min(got, limit), -limit);
    return Math.abs(bounded - Math.max(Math.min(want, limit), -limit)) * 2 ** -104;
  }
  return Math.abs(got - want) * scale;
}

/** The result a whole region rounds to: "x", a number, or undefined outside of every region. */
function regionOf(name, value) {
  const { tiny = 0, near, top = Infinity, above, bottom = -Infinity, below } = SWEPT[name];
  if (value < tiny && value > -tiny) return near;
  if (value >= top && value < Infinity) return above;
  if (value <= bottom && value > -Infinity) return below;
  return undefined;
}

/** Whether every result of a block has the bits that its region prescribes. */
function matches(region, inputBits, resultBits, results, count) {
  if (region === "x") {
    for (let i = 0; i < count; i++) if (inputBits[i] !== resultBits[i]) return false;
  } else if (Number.isNaN(region)) {
    for (let i = 0; i < count; i++) if (!Number.isNaN(results[i])) return false;
  } else {
    const bits = new Uint32Array(Float32Array.of(region).buffer)[0];
    for (let i = 0; i < count; i++) if (resultBits[i] !== bits) return false;
  }
  return true;
}

/** The worst error over the bit patterns from `start` to `end` by `stride`. */
function sweep(name, start, end, stride) {
  const fn = names.indexOf(name);
  const oracle = SWEPT[name].oracle;
  const kernel = load("f32");
  const wide = load("f64");
  const x = 1 << 17;
  const z = x + blockCount * 8;
  const bits = new Uint32Array(kernel.memory.buffer, x, blockCount);
  const inputs = new Float32Array(kernel.memory.buffer, x, blockCount);
  const results = new Float32Array(kernel.memory.buffer, z, blockCount);
  const resultBits = new Uint32Array(kernel.memory.buffer, z, blockCount);
  const wants = new Float64Array(wide.memory.buffer, z, blockCount);
  const wideInputs = new Float64Array(wide.memory.buffer, x, blockCount);
  let worst = { ulp: 0, x: 0, got: 0, want: 0 };
  for (let at = start; at < end; at += blockCount * stride) {
    const count = Math.min(blockCount, Math.ceil((end - at) / stride));
    for (let i = 0; i < count; i++) bits[i] = at + i * stride;
    kernel.mathApply(fn, x, x, z, ((count + 3) >> 2) << 4);
    // Blocks ascend in magnitude, so one whose ends lie in a region of one sign lies in it.
    const region = regionOf(name, inputs[0]);
    const oneSign = bits[0] >>> 31 === bits[count - 1] >>> 31;
    if (region !== undefined && oneSign && Object.is(region, regionOf(name, inputs[count - 1]))) {
      if (matches(region, bits, resultBits, results, count)) continue;
    }
    if (oracle === null) {
      wideInputs.set(inputs);
      wide.mathApply(fn, x, x, z, ((count + 1) >> 1) << 4);
    } else {
      for (let i = 0; i < count; i++) wants[i] = oracle(inputs[i]);
    }
    for (let i = 0; i < count; i++) {
      const ulp = ulpError(results[i], wants[i]);
      if (ulp > worst.ulp) worst = { ulp, x: inputs[i], got: results[i], want: wants[i] };
    }
  }
  return worst;
}

function option(name, fallback) {
  const index = process.argv.indexOf(name);
  return index < 0 ? fallback : process.argv[index + 1];
}

async function main() {
  const build = [
    join(root, "scripts/build-wasm.mjs"),
    "--entry",
    "wasm/math/door.ts",
    "--name",
    "math",
  ];
  if (spawnSync(process.execPath, build, { stdio: ["ignore", "ignore", "ignore"] }).status !== 0) {
    throw new Error("the math kernels do not build: run scripts/build-wasm.mjs to see why");
  }
  const stride = Number(option("--stride", "1"));
  const jobs = Number(option("--jobs", "1"));
  const only = option("--function", "");
  if (only && !names.includes(only)) throw new Error(`--function: one of ${names.join(", ")}`);
  for (const name of only ? [only] : names) {
    const began = performance.now();
    const share = 2 ** 32 / jobs;
    const parts = await Promise.all(
      Array.from({ length: jobs }, (_, job) => {
        // Shares start on multiples of the stride: what is swept does not depend on the jobs.
        const from = Math.ceil((job * share) / stride) * stride;
        const worker = new Worker(new URL(import.meta.url), {
          workerData: { name, start: from, end: Math.floor((job + 1) * share), stride },
        });
        return new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
      }),
    );
    const worst = parts.reduce((a, b) => (b.ulp > a.ulp ? b : a));
    const count = Math.ceil(2 ** 32 / stride);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    if (process.argv.includes("--json")) {
      console.log(
        JSON.stringify({ name, count, ...worst, ulp: String(worst.ulp), x: String(worst.x) }),
      );
    } else {
      const { ulp, x, got, want } = worst;
      const error = `${ulp.toFixed(4)} ULP at x = ${x}: ${got}, exact ${want}`;
      console.log(`${name.padEnd(9)} ${error} (${count} inputs, ${seconds} s)`);
    }
  }
}

if (isMainThread) await main();
else
  parentPort.postMessage(
    sweep(workerData.name, workerData.start, workerData.end, workerData.stride),
  );
