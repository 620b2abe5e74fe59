/**
 * The generator's one door: every generated file by its path from the repository's root.
 * scripts/gen.mjs writes them.
 */
import { generateOps } from "./generate-ops.js";

export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    "packages/core/wasm/generated/ops.ts": generateOps(),
  };
}
