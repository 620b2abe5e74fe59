/**
 * A copy of the repository to plant bugs in: sources, tests and what is built, in a folder of the
 * system's temporary files. Dependencies are links, except for the workspace's own packages, which must
 * be those of the copy.
 */
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Never copied: what is large, private to the checkout, or made by runs. */
const NOT_COPIED = new Set(["node_modules", ".git", ".vitest", "bench-results", "studies"]);
const OWN = "@ndvm";

export function makeScratch(root: string): string {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "ndvm-mutate-")));
  cpSync(root, scratch, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !NOT_COPIED.has(basename(path)),
  });
  linkModules(join(root, "node_modules"), join(scratch, "node_modules"));
  return scratch;
}

export function removeScratch(scratch: string): void {
  rmSync(scratch, { recursive: true, force: true });
}

function linkModules(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name === ".vite" || name === ".vitest" || name === OWN) continue;
    symlinkSync(join(from, name), join(to, name));
  }
  // The workspace's links are relative, so that a copy of them leads to the copy's packages.
  for (const name of readdirSync(from).filter(isOwnLink(from))) {
    rmSync(join(to, name));
    cpSync(join(from, name), join(to, name), { verbatimSymlinks: true });
  }
  cpSync(join(from, OWN), join(to, OWN), { recursive: true, verbatimSymlinks: true });
}

/** A package of the workspace outside the scope, such as the command itself. */
const isOwnLink = (from: string) => (name: string) => {
  return name !== OWN && lstatSync(join(from, name)).isSymbolicLink();
};
