/**
 * Completes package-lock.json after `npm install` against a registry that does not carry every
 * platform's binaries: npm then leaves those optional packages out of the lock file, and `npm ci`
 * refuses it everywhere. Adds an entry for each of them, with version and platform but without an
 * integrity hash, which such a registry cannot tell. Changes nothing that is already there.
 *
 *   node scripts/complete-lockfile.mjs [lock file]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = process.argv[2] ?? fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(file, "utf8"));

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32", "aix", "sunos"];
const PROCESSORS = [
  "x64",
  "arm64",
  "arm",
  "ia32",
  "ppc64",
  "riscv64",
  "s390x",
  "loong64",
  "wasm32",
];

/** Platform of a package named like @scope/binding-linux-arm64-musl. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.includes("linux") && words.some((word) => word.startsWith("gnu"))
      ? ["glibc"]
      : [];
  return Object.fromEntries(
    Object.entries({ cpu, libc, os }).filter(([, values]) => values.length > 0),
  );
}

/** Whether npm finds `name` from `path`: in its own node_modules, or in one further out. */
function isLocked(path, name) {
  const parts = path.split("/node_modules/");
  const folders = parts.map((_, index) => `${parts.slice(0, index + 1).join("/node_modules/")}/`);
  return ["", ...folders].some((folder) => lock.packages[`${folder}node_modules/${name}`]);
}

const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(path, name)) continue;
    if (!/^\d/.test(version)) throw new Error(`${path} wants ${name} ${version}: not one version`);
    const platform = platformOf(name);
    if (Object.keys(platform).length === 0) throw new Error(`${name} names no platform`);
    const dev = entry.dev ? { dev: true } : {};
    lock.packages[`node_modules/${name}`] = { version, ...platform, ...dev, optional: true };
    added.push(name);
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
if (added.length > 0) {
  lock.packages = Object.fromEntries(sorted);
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
}
console.log(`${added.length} optional packages added`);
