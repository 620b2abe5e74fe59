/**
 * The packages as people install them, from tarballs in an empty folder: the command runs, strict
 * TypeScript finds the types, and pages made by Vite and esbuild work in Chromium.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { build as buildByEsbuild } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installAll, root, runIn } from "./tarballs.js";

let installed: ReturnType<typeof installAll>;
beforeAll(() => {
  installed = installAll();
});
afterAll(() => installed.remove());

const ndvm = (...args: readonly string[]): string =>
  runIn(installed.folder, "npx", ["--no-install", "ndvm", ...args]);

function write(name: string, text: string): void {
  writeFileSync(join(installed.folder, name), text);
}

const ROWS = Array.from({ length: 30 }, (_, row) => [row / 10, 3 * Math.exp(-1.2 * (row / 10))]);

describe("npx ndvm in an empty folder", () => {
  beforeAll(() => write("decay.csv", `t,y\n${ROWS.map((row) => row.join(",")).join("\n")}\n`));

  test("evaluates", () => {
    expect(ndvm("eval", "-e", "(* a 2)", "--set", "a=21").trim()).toBe("42");
  });

  test("fits", () => {
    const model = ["-e", "(* a (exp (- (* k t))))", "--data", "decay.csv", "--target", "y"];
    const { best } = JSON.parse(ndvm("fit", ...model, "--json", "--quiet"));
    expect(best.params.k).toBeCloseTo(1.2, 6);
  });

  test("searches", () => {
    const args = ["--data", "decay.csv", "--target", "y", "--candidates", "300", "--seed", "1"];
    const last =
      ndvm("search", ...args, "--json", "--quiet")
        .trim()
        .split("\n")
        .at(-1) ?? "";
    expect(JSON.parse(last).type).toBe("done");
  });
});

/** Uses every package by its types; wrong types are errors of this text. */
const CONSUMER = `
import { fit, Machine, type FitResult } from "@ndvm/core";
import { search } from "@ndvm/search";
import { readTable, type Table } from "@ndvm/tables";
import { readTableFile } from "@ndvm/tables/node";
import { drawChart, type Html } from "@ndvm/report";
import { f32 } from "@ndvm/core/inline";

export const inlined: Machine = await Machine.create({ precision: "f32", wasm: f32() });
const machine: Machine = await Machine.create({ precision: "f64" });
const program = machine.load("(* a (exp (* k t)))");
const { gradients } = program.gradient({ a: 2, k: 0, t: [1, 2] }, { wrt: ["a", "k"] });
export const numbers: Float64Array = gradients.a;
// @ts-expect-error: t was not asked for.
export const none: Float64Array = gradients.t;
export const result: FitResult = await fit(program, {
  data: { t: [0, 1, 2], y: [1, 2, 3] }, target: "y", params: { a: {}, k: {} },
});
export const chart: Html = await drawChart({
  description: "y", x: { label: "t" }, y: { label: "y" }, layers: [{ kind: "level", y: 0 }],
});
export const table: Table = await readTable("x\\n1\\n");
export const column: Float64Array = (await readTableFile("t.csv")).numbers("x");
export const events = search({ data: { x: [1, 2], y: [1, 2] }, target: "y", seed: 1 });
`;

describe("strict TypeScript", () => {
  test.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])("module %s, resolution %s", (module, moduleResolution) => {
    write("consumer.ts", CONSUMER);
    write(
      `tsconfig.${moduleResolution}.json`,
      JSON.stringify({
        compilerOptions: {
          module,
          moduleResolution,
          target: "es2022",
          lib: ["es2023", "dom", "dom.iterable"],
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          skipLibCheck: false,
          noEmit: true,
        },
        files: ["consumer.ts"],
      }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const run = () =>
      runIn(installed.folder, process.execPath, [tsc, "-p", `tsconfig.${moduleResolution}.json`]);
    expect(outputOf(run)).toBe("");
  });
});

/** What a command printed, also where it failed. */
function outputOf(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return String((error as { readonly stdout?: string }).stdout ?? error);
  }
}

/** A page that evaluates, reads a table, fits, runs a pool and draws. `open` makes machine and pool. */
const page = (open: string): string => `
import { fit, Machine } from "@ndvm/core";
import { drawChart } from "@ndvm/report";
import { readTable } from "@ndvm/tables";
${open}
async function main() {
  const machine = await openMachine();
  const table = await readTable(${JSON.stringify(`t,y\n${ROWS.map((row) => row.join(",")).join("\n")}\n`)});
  const program = machine.load("(* a (exp (- (* k t))))");
  const value = program.evaluate({ a: 2, k: 0, t: 1 }).values[0];
  const data = { t: table.numbers("t"), y: table.numbers("y") };
  const { best } = await fit(program, { data, target: "y", params: { a: {}, k: {} } });
  const pool = await openPool(machine);
  const { gradients } = await pool.gradient("(* x x)", { x: [1, 2, 3] }, { wrt: ["x"] });
  await pool.dispose();
  const points = Array.from(data.t, (t, row) => [t, data.y[row]]);
  const { text } = await drawChart({
    description: "decay", x: { label: "t" }, y: { label: "y" },
    layers: [{ kind: "dots", points, color: "red" }],
  });
  const dots = text.split("<circle").length - 1;
  return { dots, value, k: best.params.k.toFixed(6), gradients: [...gradients.x] };
}
main().then(
  (outcome) => { document.title = JSON.stringify(outcome); },
  (error) => { document.title = "failed: " + error.message; },
);
`;

const EXPECTED = JSON.stringify({ dots: 30, value: 2, k: "1.200000", gradients: [2, 4, 6] });
const TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html"],
  [".js", "text/javascript"],
  [".wasm", "application/wasm"],
]);

async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = path === "/" ? "/index.html" : path;
    try {
      const bytes = readFileSync(join(folder, file));
      response.writeHead(200, { "content-type": TYPES.get(extname(file)) ?? "text/plain" });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

describe("pages in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
    });
  });
  afterAll(async () => browser.close());

  /** The title that the page gives itself when it is done. */
  async function outcomeOf(folder: string): Promise<string> {
    const server = await serve(folder);
    try {
      const { port } = server.address() as AddressInfo;
      const tab = await browser.newPage();
      tab.setDefaultTimeout(0);
      await tab.goto(`http://127.0.0.1:${port}/`);
      await tab.waitForFunction("document.title !== 'waiting'");
      const title = await tab.title();
      await tab.close();
      return title;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  const INDEX = '<title>waiting</title><script type="module" src="/page.js"></script>';

  test("vite build, without a configuration", async () => {
    write("index.html", INDEX);
    write(
      "page.js",
      page(`const openMachine = () => Machine.create();
        const openPool = (machine) => machine.pool({ workers: 2 });`),
    );
    const vite = join(root, "node_modules/vite/bin/vite.js");
    const built = outputOf(() => runIn(installed.folder, process.execPath, [vite, "build"]));
    expect(built).toContain("built in");
    expect(await outcomeOf(join(installed.folder, "dist"))).toBe(EXPECTED);
  });

  test("esbuild --bundle, without a further option", async () => {
    write(
      "plain.js",
      page(`import { f64, poolWorkerUrl } from "@ndvm/core/inline";
        const openMachine = () => Machine.create({ wasm: f64() });
        const openPool = (machine) => machine.pool({ workers: 2, workerUrl: poolWorkerUrl() });`),
    );
    const outdir = join(installed.folder, "plain");
    mkdirSync(outdir);
    const esbuild = join(root, "node_modules/esbuild/bin/esbuild");
    const args = ["plain.js", "--bundle", `--outfile=${join(outdir, "page.js")}`];
    runIn(installed.folder, esbuild, args);
    writeFileSync(join(outdir, "index.html"), INDEX);
    expect(await outcomeOf(outdir)).toBe(EXPECTED);
  });

  test("esbuild --bundle with the code beside it", async () => {
    write(
      "bundle.js",
      page(`import wasm from "@ndvm/core/ndvm-f64.wasm";
        const openMachine = () => Machine.create({ wasm });
        const openPool = (machine) =>
          machine.pool({ workers: 2, workerUrl: new URL("pool-worker.js", import.meta.url) });`),
    );
    const outdir = join(installed.folder, "bundled");
    await buildByEsbuild({
      absWorkingDir: installed.folder,
      entryPoints: [
        { in: "bundle.js", out: "page" },
        { in: "node_modules/@ndvm/core/dist/machine/pool-worker.js", out: "pool-worker" },
      ],
      bundle: true,
      format: "esm",
      loader: { ".wasm": "binary" },
      logLevel: "error",
      outdir,
    });
    writeFileSync(join(outdir, "index.html"), INDEX);
    expect(await outcomeOf(outdir)).toBe(EXPECTED);
  });
});
