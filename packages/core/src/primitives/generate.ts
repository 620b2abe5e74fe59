/**
 * The generator's one door: every generated file by its path from the repository's root.
 * scripts/gen.mjs writes them.
 */
import { tableOf } from "../records.js";
import { generateDocs } from "./generate-docs.js";
import { generateKernels } from "./generate-kernels.js";
import { generateOps, generateRows } from "./generate-ops.js";
import { generateProducts } from "./generate-products.js";
import { generateTiles } from "./generate-tiles.js";

const GENERATED = "packages/core/wasm/generated";

export function generatedFiles(): Readonly<Record<string, string>> {
  const kernels = [...Object.entries(generateKernels()), ...Object.entries(generateTiles())];
  return {
    "docs/primitives.md": generateDocs(),
    "packages/core/src/primitives/rows.ts": generateRows(),
    [`${GENERATED}/ops.ts`]: generateOps(),
    [`${GENERATED}/products.ts`]: generateProducts(),
    ...tableOf(kernels.map(([name, text]) => [`${GENERATED}/${name}`, text])),
  };
}
