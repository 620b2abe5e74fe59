/**
 * Programs of this computer: which there are, and where built files go. A temporary folder is
 * removed at exit.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const evidenceFolder = fileURLToPath(new URL("../", import.meta.url));
export const repositoryRoot = fileURLToPath(new URL("../../", import.meta.url));

let folder: string | undefined;

/** A folder for built files, removed at exit. */
export function buildFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "ndvm-evidence-"));
    process.on("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
}

const DEBIAN = "/usr/bin/python3";
export const python = process.env["NDVM_PYTHON"] ?? (existsSync(DEBIAN) ? DEBIAN : "python3");

const versions = new Map<string, string | undefined>();

/** Version of a module of Python; undefined where it cannot be imported. */
export function pythonModule(name: string): string | undefined {
  if (!versions.has(name)) {
    const code = `import ${name}; print(${name}.__version__)`;
    const { status, stdout } = spawnSync(python, ["-c", code], { encoding: "utf8" });
    versions.set(name, status === 0 ? stdout.trim() : undefined);
  }
  return versions.get(name);
}

/** First line that a program says about itself; undefined where there is none. */
export function versionOf(command: string, argument = "--version"): string | undefined {
  const { status, stdout } = spawnSync(command, [argument], { encoding: "utf8" });
  return status === 0 ? stdout.split("\n")[0]?.trim() : undefined;
}

export const CPP_FLAGS = ["-O3", "-std=c++17"] as const;
const built = new Map<string, string | undefined>();

/** Builds one C++ file; undefined where there is no compiler. */
export function buildCpp(source: string): string | undefined {
  if (!built.has(source)) {
    const file = join(buildFolder(), `cpp-${built.size}`);
    const { status } = spawnSync("g++", [...CPP_FLAGS, "-o", file, source]);
    built.set(source, status === 0 ? file : undefined);
  }
  return built.get(source);
}

export const ASC_FLAGS = ["-O3", "--noAssert", "--enable", "simd"] as const;

/** Builds one AssemblyScript file and returns the path of its module. */
export function buildAssemblyScript(
  source: string,
  runtime: "stub" | "incremental",
  more: readonly string[] = [],
  cwd = dirname(source),
): string {
  const key = `${source} ${runtime} ${more.join(" ")}`;
  const known = built.get(key);
  if (known !== undefined) return known;
  const require = createRequire(import.meta.url);
  const asc = join(dirname(require.resolve("assemblyscript/package.json")), "bin/asc.js");
  const output = join(buildFolder(), `as-${built.size}.wasm`);
  const flags = [...ASC_FLAGS, "--runtime", runtime, ...more];
  const args = [asc, relative(cwd, source), ...flags, "-o", output];
  execFileSync(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  built.set(key, output);
  return output;
}

/** One thread, so that a figure is of one core. */
const ONE_CORE = {
  OMP_NUM_THREADS: "1",
  MKL_NUM_THREADS: "1",
  OPENBLAS_NUM_THREADS: "1",
  JAX_PLATFORMS: "cpu",
} as const;
export const PYTHON_FLAGS = Object.entries(ONE_CORE).map(([name, value]) => `${name}=${value}`);

let gpu: { readonly name: string | undefined } | undefined;

/** The accelerator that the JAX of this Python has to run on; undefined where there is none. */
export function jaxGpu(): string | undefined {
  if (gpu === undefined) {
    const code = "import jax; d = jax.devices()[0]; print(d.platform, d.device_kind, sep='|')";
    const has = pythonModule("jax") !== undefined;
    const found = has ? spawnSync(python, ["-c", code], { encoding: "utf8" }).stdout.trim() : "";
    const [platform, name] = found.split("\n").at(-1)?.split("|") ?? [];
    gpu = { name: platform === "gpu" ? name : undefined };
  }
  return gpu.name;
}

/** Runs Python on a file with a job as JSON on its standard input, and reads JSON back. */
export function runPython<T>(
  file: string,
  job: unknown,
  environment: Readonly<Record<string, string>> = {},
): T {
  const text = execFileSync(python, [join(evidenceFolder, file)], {
    input: JSON.stringify(job),
    maxBuffer: 2 ** 28,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...ONE_CORE, ...environment },
  }).toString();
  return JSON.parse(text) as T;
}
