/** What is in each package's tarball: what people need, and nothing else. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manifestOf, PACKAGES, type Packed, packAll, root } from "./tarballs.js";

const ALLOWED = [
  /^(README\.md|LICENSE|package\.json)$/,
  /^dist\/[\w/.-]+\.c?js$/,
  /^dist\/[\w/.-]+\.c?js\.map$/,
  /^dist\/[\w/.-]+\.d\.ts$/,
  /^build\/ndvm-f(32|64)\.wasm$/,
  /^build\/inline\.(js|d\.ts)$/,
  /^bin\/ndvm\.js$/,
];

/** Files that were made from the modules; their types are those of the modules. */
const BUNDLED = /^dist\/((bundle|node)\/.*|pool-worker\.js)$/;

let folder: string;
let tarballs: readonly Packed[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ndvm-pack-"));
  tarballs = packAll(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(PACKAGES)("%s", (name) => {
  const filesOf = (): readonly string[] => {
    const packed = tarballs.find((one) => one.name === manifestOf(name).name);
    return packed?.files.map(({ path }) => path) ?? [];
  };

  test("holds a README, a licence, code, types and source maps, and nothing else", () => {
    const files = filesOf();
    expect(files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "package.json"]));
    expect(files.filter((file) => !ALLOWED.some((pattern) => pattern.test(file)))).toEqual([]);
    const scripts = files.filter((file) => /^dist\/.*\.c?js$/.test(file));
    const modules = scripts.filter((file) => !BUNDLED.test(file));
    expect(modules.length).toBeGreaterThan(3);
    const missing = [
      ...scripts.map((file) => `${file}.map`),
      ...modules.map((file) => file.replace(/js$/, "d.ts")),
    ].filter((other) => !files.includes(other));
    expect(missing).toEqual([]);
  });

  test("has source maps that hold their sources", () => {
    const map = join(root, "packages", name, "dist/index.js.map");
    const { sources, sourcesContent } = JSON.parse(readFileSync(map, "utf8"));
    expect(sources).toEqual(["../src/index.ts"]);
    expect(sourcesContent[0]).toBe(
      readFileSync(join(root, "packages", name, "src/index.ts"), "utf8"),
    );
  });

  test("has bundles whose source maps hold the TypeScript", () => {
    const maps = filesOf().filter((file) => BUNDLED.test(file) && /js\.map$/.test(file));
    for (const file of maps) {
      const text = readFileSync(join(root, "packages", name, file), "utf8");
      const { sources, sourcesContent } = JSON.parse(text) as {
        readonly sources: readonly string[];
        readonly sourcesContent: readonly (string | null)[];
      };
      const ours = sources.filter((source) => !source.includes("node_modules"));
      expect(ours.filter((source) => !/\.ts$|^later:/.test(source))).toEqual([]);
      expect(sourcesContent.filter((content) => content === null)).toEqual([]);
    }
    expect(maps.length > 0).toBe(name === "core" || name === "cli");
  });

  test("is found by publint to be in order", async () => {
    const pkgDir = join(root, "packages", name);
    const { messages, pkg } = await publint({ pkgDir, strict: true, pack: "npm" });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("names files that are there", () => {
    const manifest = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8"),
    ) as { readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>> };
    for (const target of Object.values(manifest.exports)) {
      for (const file of typeof target === "string" ? [target] : Object.values(target)) {
        expect(existsSync(join(root, "packages", name, file)), file).toBe(true);
      }
    }
  });
});
