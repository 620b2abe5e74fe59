/**
 * Counts the packages of others that come with each of ours, from the lock file alone.
 *
 *   node scripts/count-dependencies.mjs [root]          one line for each package
 *   node scripts/count-dependencies.mjs --check [root]  also fails where docs/security.md says
 *                                                       another number, or lacks a dependency
 *                                                       or a package that runs a script when installed
 *
 * Optional packages (a database's binaries for other systems) are counted apart: a machine gets one of each kind.
 */
import { readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const args = process.argv.slice(2).filter((arg) => arg !== "--check");
const root = resolve(args[0] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
const lock = new Map(
  Object.entries(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages),
);
const ours = [...lock.keys()].filter((path) => /^packages\/[^/]+$/.test(path)).sort();
const ourNames = new Set(ours.map((path) => lock.get(path).name));

/** Where Node finds a package: in the nearest node_modules at or above the one that asks. */
function placeOf(name, from) {
  for (let at = from; ; at = posix.dirname(at)) {
    const path = at === "." || at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (lock.has(path)) return lock.get(path).link ? lock.get(path).resolved : path;
    if (at === "." || at === "") return undefined;
  }
}

/** Everything that `path` needs to run, ours left out but walked through. */
function needsOf(path) {
  const found = { needed: new Set(), optional: new Set() };
  const waiting = [path];
  const seen = new Set(waiting);
  while (waiting.length > 0) {
    const at = waiting.pop();
    const { dependencies = {}, optionalDependencies = {} } = lock.get(at);
    for (const name of Object.keys(optionalDependencies)) {
      const place = placeOf(name, at);
      if (place !== undefined) found.optional.add(place);
    }
    for (const name of Object.keys(dependencies)) {
      if (Object.hasOwn(optionalDependencies, name)) continue;
      const place = placeOf(name, at);
      if (place === undefined) throw new Error(`package-lock.json has no ${name} for ${at}`);
      if (!ourNames.has(name)) found.needed.add(place);
      if (!seen.has(place)) waiting.push(place);
      seen.add(place);
    }
  }
  return found;
}

/** Packages that may come with `path`, optional ones included, and run a script when they are installed. */
function scriptsOf(path) {
  const seen = new Set([path]);
  // A set that grows is gone through to its end.
  for (const at of seen) {
    const { dependencies = {}, optionalDependencies = {} } = lock.get(at);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(name, at);
      if (place !== undefined) seen.add(place);
    }
  }
  return [...seen].filter((at) => lock.get(at).hasInstallScript === true);
}

const directOf = (path) =>
  Object.keys(lock.get(path).dependencies ?? {}).filter((name) => !ourNames.has(name));

const lines = [];
const problems = [];
const page = process.argv.includes("--check")
  ? readFileSync(join(root, "docs/security.md"), "utf8")
  : undefined;
for (const path of ours) {
  const { needed, optional } = needsOf(path);
  const name = lock.get(path).name;
  const binaries = optional.size === 0 ? "" : ` and one of ${optional.size} binaries`;
  lines.push(`${name}: ${directOf(path).length} direct, ${needed.size} in all${binaries}`);
  if (page === undefined) continue;
  const row = `| \`${name}\` | ${directOf(path).length} | ${needed.size} |`;
  if (!page.includes(row)) problems.push(`docs/security.md lacks the row "${row}"`);
  for (const place of scriptsOf(path)) {
    const script = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
    if (!page.includes(`\`${script}\``))
      problems.push(
        `docs/security.md does not say that ${script} runs a script when it is installed`,
      );
  }
  for (const direct of directOf(path)) {
    const reason = new RegExp(`^\\| \`${direct.replace("/", "\\/")}\` \\| \\S`, "m");
    if (!reason.test(page)) problems.push(`docs/security.md does not say why ${direct} is there`);
  }
}
console.log(lines.join("\n"));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
