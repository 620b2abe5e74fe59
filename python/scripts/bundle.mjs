/**
 * Bundles what the Python package carries into python/src/ndvm/js: `ndvm serve` in one file, the code
 * of its workers, and the two WebAssembly modules.
 *
 * The folder mirrors packages/: each module finds its neighbours (workers, .wasm, package.json) by its
 * own address, so the bundle gives every module the address it would have here.
 *
 *   node python/scripts/bundle.mjs        after npm run build
 */
import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const out = join(root, "python/src/ndvm/js");
const packages = join(root, "packages");

/** The one that Python starts: what few calls need lies beside it and is read when they come. */
const MAIN = ["cli/dist/commands/serve-main.js", "ndvm-serve"];
/** Entries whose own files other modules ask for. */
const ENTRIES = [
  ["search/dist/worker.js", "search/dist/worker.js"],
  ["core/dist/machine/pool-worker.js", "core/dist/machine/pool-worker.js"],
];
const COPIES = [
  "core/build/ndvm-f32.wasm",
  "core/build/ndvm-f64.wasm",
  "core/package.json",
  "search/package.json",
  "cli/package.json",
];

/** Gives a module the address that it has in packages/, below the folder of the bundle. */
const addresses = (outFile) => ({
  name: "addresses",
  setup({ onLoad }) {
    onLoad(
      { filter: /[/\\]packages[/\\](core|search|report|tables|cli)[/\\]dist[/\\].*\.js$/ },
      ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta.url")) return { contents: text, loader: "js" };
        const up =
          relative(dirname(join(out, outFile)), out)
            .split(sep)
            .join("/") || ".";
        const own = relative(packages, path).split(sep).join("/");
        const address = `new URL(${JSON.stringify(`${up}/${own}`)}, import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", `(${address})`), loader: "js" };
      },
    );
  },
});

/** Archives need a SQLite driver, which is a binary: the package on npm has it, this bundle has not. */
const withoutDriver = {
  name: "without-driver",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^libsql$/ }, () => ({ path: "libsql", namespace: "absent" }));
    onLoad({ filter: /.*/, namespace: "absent" }, () => ({
      contents: `export default class Absent {
        constructor() { throw Object.assign(new Error("no SQLite driver"), { code: "ABSENT" }); }
      }`,
    }));
  },
};

const bundle = (to, where) =>
  build({
    ...where,
    bundle: true,
    conditions: ["development"],
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    banner: {
      js: 'import { createRequire as ndvmRequire } from "node:module"; const require = ndvmRequire(import.meta.url);',
    },
    plugins: [addresses(to), withoutDriver],
    logLevel: "warning",
  });

rmSync(out, { recursive: true, force: true });
const [from, name] = MAIN;
await bundle(`${name}.mjs`, {
  entryPoints: { [name]: join(packages, from) },
  outdir: out,
  outExtension: { ".js": ".mjs" },
  splitting: true,
});
for (const [path, to] of ENTRIES)
  await bundle(to, { entryPoints: [join(packages, path)], outfile: join(out, to) });
for (const file of COPIES) {
  mkdirSync(dirname(join(out, file)), { recursive: true });
  cpSync(join(packages, file), join(out, file));
}
console.log(`bundled into ${relative(process.cwd(), out)}`);
