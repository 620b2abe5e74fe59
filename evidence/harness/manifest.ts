/**
 * The manifest: on what and with what the samples were taken. No host name, no paths.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Options } from "./options.js";
import { CHANGED, type Manifest } from "./store.js";
import {
  ASC_FLAGS,
  CPP_FLAGS,
  jaxGpu,
  PYTHON_FLAGS,
  python,
  pythonModule,
  repositoryRoot,
  versionOf,
} from "./tools.js";

const absent = "absent";

export function manifestOf(options: Options): Manifest {
  const { versions, platform, arch } = process;
  const gpu = jaxGpu();
  const modules = ["numpy", "scipy", "torch", "jax", "casadi"].map(
    (name) => [`Python ${name}`, pythonModule(name) ?? absent] as const,
  );
  return {
    date: new Date().toISOString().slice(0, 10),
    mode: options.isQuick ? "quick: amounts are small, figures are not to be quoted" : "full",
    minutes: String(options.minutes),
    CPU: cpus()[0]?.model.trim() ?? "unknown",
    cores: String(availableParallelism()),
    caches: caches() || "unknown",
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    "load at the start": loadavg()
      .map((load) => load.toFixed(1))
      .join(", "),
    system: `${platform} ${arch}, ${release()}`,
    Node: `${versions.node} (V8 ${versions.v8})`,
    commit: commit(),
    "@ndvm/core": packageVersion("@ndvm/core"),
    AssemblyScript: `${packageVersion("assemblyscript")} ${ASC_FLAGS.join(" ")}`,
    "TensorFlow.js": `${packageVersion("@tensorflow/tfjs")}, CPU backend`,
    "g++": `${versionOf("g++") ?? absent} ${CPP_FLAGS.join(" ")}`,
    Python: versionOf(python) ?? absent,
    ...Object.fromEntries(modules),
    "Python's environment": PYTHON_FLAGS.join(" "),
    "author's runtime": checkout("NDVM_REFERENCE"),
    "author's interpreter": checkout("NDVM_DMCI"),
    "external cases": process.env["NDVM_CORPUS"] ? "given by NDVM_CORPUS" : absent,
    GPU:
      gpu === undefined
        ? "none: every figure is of processor cores"
        : `${gpu}, in rows that say so`,
  };
}

/** A checkout that a variable names, with its commit where it has one. */
function checkout(variable: string): string {
  const folder = process.env[variable];
  if (folder === undefined || folder === "") return absent;
  const { status, stdout } = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], {
    cwd: existsSync(folder) ? folder : repositoryRoot,
    encoding: "utf8",
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(resolve(folder)) },
  });
  const commit = status === 0 ? `, commit ${stdout.trim()}` : "";
  return existsSync(folder) ? `given by ${variable}${commit}` : `${variable} names nothing`;
}

function packageVersion(name: string): string {
  try {
    const file = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  } catch {
    return "of this repository";
  }
}

function caches(): string {
  const folder = "/sys/devices/system/cpu/cpu0/cache";
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith("index"))
      .map((name) => {
        const read = (file: string) => readFileSync(join(folder, name, file), "utf8").trim();
        return `L${read("level")} ${read("type").toLowerCase()} ${read("size")}`;
      })
      .join(", ");
  } catch {
    return "";
  }
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: repositoryRoot, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  // Where a checkout travels without its history, who sends it says which one it is.
  const given = process.env["NDVM_COMMIT"];
  if (given) return /^[0-9a-f]{40}$/.test(given) ? given.slice(0, 12) : given;
  try {
    const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
    return `${git("rev-parse", "--short=12", "HEAD")}${isChanged ? CHANGED : ""}`;
  } catch {
    return "unknown";
  }
}
