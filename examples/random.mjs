/**
 * Noise for the examples' data: the same numbers for the same seed on every machine.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Numbers between 0 and 1 (xorshift32). */
export function uniforms(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Numbers of a normal distribution: sums of twelve uniform ones, which need no logarithm. */
export function normals(seed) {
  const uniform = uniforms(seed);
  for (let i = 0; i < 20; i++) uniform();
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += uniform();
    return sum;
  };
}

/** Writes a table beside the script that made it, unless another script only wants its text. */
export function writeTable(script, text) {
  const isMain = process.argv[1] === fileURLToPath(script);
  if (isMain) writeFileSync(new URL("data.csv", script), text);
}
