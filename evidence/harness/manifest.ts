/**
 * The manifest: on what and with what the samples were taken. No host name, no paths.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Options } from "./options.js";
import type { Manifest } from "./store.js";
import { ASC_FLAGS, CPP_FLAGS, python, pythonModule, repositoryRoot, versionOf } from "./tools.js";

const absent = "absent";

export function manifestOf(options: Options): Manifest {
  const { versions, platform, arch } = process;
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
    "author's runtime": process.env["NDVM_REFERENCE"] ? "given by NDVM_REFERENCE" : absent,
    "external cases": process.env["NDVM_CORPUS"] ? "given by NDVM_CORPUS" : absent,
    GPU: "not used: every figure is of processor cores",
  };
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
  try {
    const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
    return `${git("rev-parse", "--short=12", "HEAD")}${isChanged ? " with changes" : ""}`;
  } catch {
    return "unknown";
  }
}
