/** Packs every package, and installs the tarballs into a folder of their own, once for a test file. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const PACKAGES = ["core", "tables", "report", "search", "cluster", "tfjs", "cli"] as const;
/** The ones that need nothing of other people's large packages. */
const INSTALLED = ["core", "tables", "report", "search", "cluster", "cli"];

/** One tarball as `npm pack` tells of it. */
export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

export function runIn(folder: string, command: string, args: readonly string[]): string {
  return execFileSync(command, [...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 26,
  });
}

export function packAll(folder: string, names: readonly string[] = PACKAGES): Packed[] {
  const args = ["pack", "--json", "--pack-destination", folder];
  const workspaces = names.flatMap((name) => ["-w", `packages/${name}`]);
  const packed = JSON.parse(runIn(root, "npm", [...args, ...workspaces])) as
    | Packed[]
    | Readonly<Record<string, Packed>>;
  return Array.isArray(packed) ? packed : Object.values(packed);
}

/** A folder with nothing but the packages, as `npm install` leaves it. */
export function installAll(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-packages-"));
  const dependencies = Object.fromEntries(
    packAll(folder, INSTALLED).map(({ name, filename }) => [name, `file:${filename}`]),
  );
  const manifest = { name: "consumer", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  runIn(folder, "npm", [
    "install",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
  ]);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export const manifestOf = (name: string): { readonly version: string; readonly name: string } =>
  JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
