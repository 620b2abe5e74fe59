/**
 * Writes build/inline.js: the machine's code and that of a pool's worker as text, for pages whose
 * bundler follows imports only. Run after tsc and build-wasm.mjs.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const { outputFiles } = await build({
  entryPoints: [join(root, "dist/machine/pool-worker.js")],
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  write: false,
  logLevel: "error",
});
const [worker] = outputFiles;
const bytesOf = (precision) => readFileSync(join(root, `build/ndvm-${precision}.wasm`), "base64");

const CODE = `/**
 * The machine's code and that of a pool's worker, inside a module. Made by scripts/build-inline.mjs.
 */

const decode = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

export const f32 = () => decode("${bytesOf("f32")}");

export const f64 = () => decode("${bytesOf("f64")}");

export const poolWorkerUrl = () =>
  URL.createObjectURL(new Blob([${JSON.stringify(worker.text)}], { type: "text/javascript" }));
`;

const TYPES = `/** The machine's code for f32, to be given as \`wasm\` to \`Machine.create\`. */
export declare const f32: () => Uint8Array<ArrayBuffer>;
/** The machine's code for f64. */
export declare const f64: () => Uint8Array<ArrayBuffer>;
/** An address of the code of a pool's worker, to be given as \`workerUrl\`; in pages only. */
export declare const poolWorkerUrl: () => string;
`;

for (const [name, text] of [
  ["inline.js", CODE],
  ["inline.d.ts", TYPES],
]) {
  const file = join(root, "build", name);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
