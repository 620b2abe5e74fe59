/**
 * Lets Node run this repository's TypeScript directly: `node --import ./scripts/register-typescript.mjs
 * file.ts`. Types are stripped, not checked (`npm run types` does that). Used by benchmarks and the
 * fuzzer, which want plain Node and no test runner around them.
 */
import { register } from "node:module";

register("./typescript-hooks.mjs", import.meta.url);
