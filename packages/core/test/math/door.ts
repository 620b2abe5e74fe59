/**
 * Drives the transcendental kernels directly: builds wasm/math/door.ts where it is out of date, and
 * applies a kernel to numbers, one lane each.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type Real = "f32" | "f64";

/** In the order of the function numbers in wasm/math/door.ts. */
export const unaryNames = [
  "exp",
  "expm1",
  "log",
  "log1p",
  "sin",
  "cos",
  "tan",
  "asin",
  "acos",
  "atan",
  "sinh",
  "cosh",
  "tanh",
  "sigmoid",
  "softplus",
  "erf",
  "lgamma",
  "digamma",
] as const;
export const binaryNames = ["atan2", "pow", "gcd"] as const;

export type UnaryName = (typeof unaryNames)[number];
export type BinaryName = (typeof binaryNames)[number];

const numbers: readonly string[] = [...unaryNames, ...binaryNames];
export const core = fileURLToPath(new URL("../..", import.meta.url));

interface Door {
  memory: WebAssembly.Memory;
  mathApply(fn: number, x: number, y: number, z: number, bytes: number): void;
}

execFileSync(
  process.execPath,
  [`${core}/scripts/build-wasm.mjs`, "--entry", "wasm/math/door.ts", "--name", "math"],
  { stdio: ["ignore", "ignore", "pipe"] },
);

const doors = new Map<Real, Door>();

function doorOf(real: Real): Door {
  const known = doors.get(real);
  if (known) return known;
  const module = new WebAssembly.Module(readFileSync(`${core}/build/math-${real}.wasm`));
  const imports = { env: { abort: () => {} } };
  const door = new WebAssembly.Instance(module, imports).exports as unknown as Door;
  doors.set(real, door);
  return door;
}

/** fn(x[i], y[i]) for every i, each number in a lane of its own, padded with ones. */
export function applyKernel(
  real: Real,
  name: UnaryName | BinaryName,
  x: ArrayLike<number>,
  y: ArrayLike<number> = x,
): Float64Array {
  const door = doorOf(real);
  const size = real === "f32" ? 4 : 8;
  const bytes = Math.ceil((x.length * size) / 16) * 16;
  const at = [0, 1, 2].map((index) => 131072 + index * bytes) as [number, number, number];
  const missing = at[2] + bytes - door.memory.buffer.byteLength;
  if (missing > 0) door.memory.grow(Math.ceil(missing / 65536));
  const view = (ptr: number) =>
    real === "f32"
      ? new Float32Array(door.memory.buffer, ptr, bytes / size)
      : new Float64Array(door.memory.buffer, ptr, bytes / size);
  view(at[0]).fill(1).set(Array.from(x));
  view(at[1]).fill(1).set(Array.from(y));
  door.mathApply(numbers.indexOf(name), at[0], at[1], at[2], bytes);
  return Float64Array.from(view(at[2]).subarray(0, x.length));
}
