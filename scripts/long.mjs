/**
 * `npm run long`: the checks that CI runs short, run for as long as they are worth.
 *
 *   npm run long                    all of them, one after the other
 *   npm run long -- endpoint names  some of them, by name
 *   npm run long -- --list          what there is
 *
 * A run is a name, what it sets in the environment and a command. Every run prints its seed, and
 * SEED=… in the environment repeats it. The exit code is that of the first run that failed.
 */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const vitest = (project, file) => ["npx", "vitest", "run", "--project", project, file];

const RUNS = [
  {
    name: "kills",
    env: { NDVM_KILLS: "50" },
    command: vitest("search", "packages/search/test/engine/workers.test.ts"),
  },
  {
    name: "crashes",
    env: { NDVM_CRASHES: "50" },
    command: vitest("search", "packages/search/test/archive/crash.test.ts"),
  },
  {
    name: "million",
    env: { NDVM_SOAK_CANDIDATES: "1000000" },
    command: vitest("search", "packages/search/test/engine/soak.test.ts"),
  },
  {
    name: "tables",
    env: { TABLE_ROWS: "10000000" },
    command: ["npx", "vitest", "run", "--project", "tables", "memory"],
  },
  {
    name: "archives",
    env: { NDVM_ARCHIVES: "500" },
    command: vitest("search", "packages/search/test/archive/fuzz.test.ts"),
  },
  {
    name: "fuzz",
    env: {},
    command: ["npm", "run", "fuzz", "--", "--programs", "100000"],
  },
  {
    name: "mixed-results",
    env: { HOUSES: "3000" },
    command: ["npx", "vitest", "run", "--project", "core", "lanes/mixed-results"],
  },
  {
    name: "narrow",
    env: { NARROW_PROGRAMS: "500" },
    command: ["npx", "vitest", "run", "--project", "core", "machine/narrow"],
  },
  {
    name: "lanes",
    env: { LANES_PROGRAMS: "10000" },
    command: ["npx", "vitest", "run", "--project", "core", "lanes/property"],
  },
  {
    name: "paths",
    env: { PATHS_PROGRAMS: "10000" },
    command: ["npx", "vitest", "run", "--project", "core", "machine/paths"],
  },
  {
    name: "formulas",
    env: { FORMULAS: "100000" },
    command: ["npx", "vitest", "run", "--project", "core", "syntax/formula"],
  },
  {
    name: "result-reading",
    env: { RESULTS: "20000" },
    command: ["npx", "vitest", "run", "--project", "core", "machine/reading"],
  },
  {
    name: "endpoint",
    env: { ENDPOINT_RUNS: "2000" },
    command: vitest("search", "packages/search/test/llm/hostile.test.ts"),
  },
  {
    name: "names",
    env: { NAMES_RUNS: "500" },
    command: vitest("cli", "packages/cli/test/names.test.ts"),
  },
  {
    name: "redact",
    env: { REDACT_RUNS: "20000" },
    command: vitest("search", "packages/search/test/redact.test.ts"),
  },
  {
    name: "python",
    env: { NDVM_PYTHON_CALLS: "100000", NDVM_PYTHON_LARGE: String(2 ** 28) },
    command: vitest("scripts", "scripts/test/python.test.ts"),
  },
  {
    name: "cluster-kills",
    env: { NDVM_CLUSTER_KILLS: "50" },
    command: vitest("cluster", "packages/cluster/test/search.test.ts"),
  },
  {
    name: "cluster-soak",
    env: { NDVM_CLUSTER_CANDIDATES: "1000000" },
    command: vitest("cluster", "packages/cluster/test/soak.test.ts"),
  },
];

const wanted = process.argv.slice(2);
if (wanted.includes("--list")) {
  for (const { name, env, command } of RUNS) {
    const settings = Object.entries(env).map(([key, value]) => `${key}=${value} `);
    console.log(`${name}: ${settings.join("")}${command.join(" ")}`);
  }
  process.exit(0);
}
const unknown = wanted.filter((name) => !RUNS.some((run) => run.name === name));
if (unknown.length > 0) {
  console.error(`there is no run "${unknown[0]}"; there are ${RUNS.map((r) => r.name).join(", ")}`);
  process.exit(2);
}
let failed = 0;
for (const { name, env, command } of RUNS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`long: ${name}`);
  const [program, ...args] = command;
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  if (status !== 0) console.error(`long: ${name} failed`);
  failed ||= status ?? 1;
}
process.exitCode = failed;
