/**
 * Makes what loads fast: one minified file for each entry of @ndvm/core and of the command, in
 * dist/bundle, from the modules in dist. Code that entries share, and code that is imported when it
 * is needed, is in files of its own beside them. Source maps lead to the TypeScript. What Node loads
 * of @ndvm/core is in dist/node, and the larger part of it is read when it is called.
 *
 *   node scripts/bundle.mjs
 *
 * The modules stay in the packages: `node --conditions=development` runs them instead.
 */
import { readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleRooms } from "./rooms.mjs";

const packages = fileURLToPath(new URL("../packages", import.meta.url));

/**
 * Where the files go by what they are made from. Modules of src/machine and src/commands find other
 * files by paths two folders up, as those in dist/bundle do; a pool finds its worker in dist.
 */
const CORE = {
  "bundle/index": "index.js",
  "bundle/machine": "light.js",
  "bundle/workers": "workers/index.js",
  "pool-worker": "machine/pool-worker.js",
};
/**
 * For Node: rooms that are read when something in them is first called, by the modules that others
 * import from them (scripts/rooms.mjs). A first value or gradient of a formula needs none of them.
 */
const ROOMS = {
  suggestions: ["syntax/suggest.js"],
  language: [
    "syntax/read.js",
    "syntax/expand.js",
    "syntax/format-error.js",
    "syntax/print-core.js",
    "program/encode.js",
    "program/select.js",
  ],
  runs: [
    "machine/inputs/axes.js",
    "machine/reports/branch-log.js",
    "machine/reports/diagnose.js",
    "machine/reports/explain.js",
    "machine/reports/sites.js",
    "machine/results/result-text.js",
    "machine/results/results.js",
    "machine/results/sums.js",
    "machine/run/backward.js",
    "machine/run/execute.js",
    "machine/run/job.js",
    "machine/run/schedule.js",
    "machine/run/session-layout.js",
    "machine/run/session-port.js",
    "machine/run/session.js",
  ],
  bytecode: ["bytecode/assemble.js", "bytecode/parsed-bytecode.js"],
  exports: ["export/model.js"],
  fits: [
    "fit/data/scale.js",
    "fit/diagnosis/diagnosis.js",
    "fit/fit-many.js",
    "fit/fit.js",
    "fit/math/elementary.js",
    "fit/quality/scores.js",
    "fit/result/restore.js",
  ],
  pools: ["machine/pool/pool.js"],
};
const LATE = ["export/model.js", "syntax/suggest.js"];
const COMMAND = { "bundle/main": "main.js" };

/** Entries of our packages that are a few functions and import nothing but @ndvm/core. */
const FUNCTIONS = ["@ndvm/report/text", "@ndvm/search/redact", "@ndvm/tables/text"];
/** Libraries that every run of the command needs: as they are, they take longer than a machine. */
const LIBRARIES = ["commander", "picocolors"];
const INSIDE = new Set([...FUNCTIONS, ...LIBRARIES]);

/**
 * commander starts programs for commands that are files, and ours are none: the module behind that
 * is loaded when it is asked for.
 */
const CHILDREN = `Object.defineProperty(exports, "spawn", {
  get: () => require("node:" + "child_process").spawn,
});`;

/** Libraries that are CommonJS ask for Node's modules, and their licences ask to be named. */
const HEAD = [
  ...LIBRARIES.map((name) => {
    const folder = fileURLToPath(new URL(`../node_modules/${name}/`, import.meta.url));
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `/*! ${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8")}*/`;
  }),
  'import { createRequire as requireFrom } from "node:module";',
  "const require = requireFrom(import.meta.url);",
].join("\n");

/** Leaves all other packages where they are: two copies of one would not know each other. */
const others = {
  name: "others",
  setup(build) {
    // Of commander alone: our own code that starts programs asks for more than this.
    build.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes("/commander/") ? { path, namespace: "later" } : { path, external: true },
    );
    build.onLoad({ filter: /./, namespace: "later" }, () => ({ contents: CHILDREN }));
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || INSIDE.has(path) ? undefined : { path, external: true },
    );
  },
};

/**
 * Keeps what an entry needs at once in one file: each module that is imported later imports the
 * entry too, which is loaded by then, so nothing of the entry is shared by some of them only.
 */
const together = (entry) => ({
  name: "together",
  setup(build) {
    const later = new Set();
    build.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      if (kind === "dynamic-import") later.add(join(resolveDir, path));
      return undefined;
    });
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!later.has(path)) return undefined;
      const text = await readFile(path, "utf8");
      const also = `import ${JSON.stringify(entry)};\n//# sourceMappingURL`;
      return { contents: text.replace("//# sourceMappingURL", also) };
    });
  },
});

const COMMON = {
  minify: true,
  // An error that nobody catches prints its line.
  lineLimit: 100,
  target: "es2022",
  platform: "neutral",
  sourcemap: true,
  legalComments: "none",
  conditions: ["development"],
  logLevel: "warning",
};

async function bundle(name, entries, options) {
  const folder = join(packages, name, "dist");
  rmSync(join(folder, "bundle"), { recursive: true, force: true });
  await build({
    ...COMMON,
    absWorkingDir: folder,
    entryPoints: Object.entries(entries).map(([out, file]) => ({ in: join(folder, file), out })),
    outdir: folder,
    chunkNames: "bundle/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    ...options,
  });
}

await bundle("core", CORE, {
  plugins: [others, together(join(packages, "core/dist/light.js"))],
  // The import that keeps things together is for its effect on files alone.
  ignoreAnnotations: true,
});
const core = join(packages, "core/dist");
rmSync(join(core, "node"), { recursive: true, force: true });
await bundleRooms({
  folder: core,
  out: join(core, "node"),
  entry: "index.js",
  rooms: ROOMS,
  late: LATE,
  options: COMMON,
});
await bundle("cli", COMMAND, {
  plugins: [others, together(join(packages, "cli/dist/main.js"))],
  banner: { js: HEAD },
  mainFields: ["main"],
});
