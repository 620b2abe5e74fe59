/** Pages that describe the house: every room is named, and figures are those that scripts print. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const page = read("ARCHITECTURE.md");

/** Folders below a folder, from its package. */
function foldersIn(home: string, folder: string): string[] {
  return readdirSync(join(root, home, folder))
    .map((name) => `${folder}/${name}`)
    .filter((path) => statSync(join(root, home, path)).isDirectory())
    .flatMap((path) => [path, ...foldersIn(home, path)]);
}

/** The part of the page that is about a package. */
const sectionOf = (name: string): string => {
  const [, after = ""] = page.split(`## The rooms of \`packages/${name}\``);
  return after.split(/\n## /)[0] as string;
};

describe("ARCHITECTURE.md names every room of", () => {
  const homes = readdirSync(join(root, "packages"))
    .filter((name) => existsSync(join(root, "packages", name, "src")))
    .flatMap((name) =>
      name === "core"
        ? [
            [name, "src"],
            [name, "wasm"],
          ]
        : [[name, "src"]],
    );

  test.each(homes as [string, string][])("packages/%s/%s", (name, folder) => {
    const section = sectionOf(name);
    const missing = foldersIn(`packages/${name}`, folder).filter(
      (path) => !section.includes(`\`${path}/\``),
    );
    expect(missing).toEqual([]);
  });

  test("nothing that is gone", () => {
    const named = [...sectionOf("core").matchAll(/`((?:src|wasm)\/[\w./-]+)`/g)];
    const gone = named
      .map(([, path]) => path as string)
      .filter((path) => !existsSync(join(root, "packages/core", path)));
    expect(named.length).toBeGreaterThan(30);
    expect(gone).toEqual([]);
  });
});

test("docs/contract.md says about how many lines there are", () => {
  const script = join(root, "scripts/count-lines.mjs");
  const { stdout } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  const counted = [...stdout.matchAll(/(\d+) lines/g)].map(([, lines]) => Number(lines));
  const [, table = ""] = read("docs/contract.md").split("| Part | Lines of code |");
  const rows = (table.split("\n\n")[0] as string).replaceAll(",", "");
  const told = [...rows.matchAll(/\d+/g)].map(([lines]) => Number(lines));
  expect(told.length).toBe(counted.length);
  told.forEach((lines, i) => {
    const actual = counted[i] as number;
    expect(Math.abs(lines - actual) / actual, `${lines} told, ${actual} counted`).toBeLessThan(
      0.15,
    );
  });
});

test("ARCHITECTURE.md says how many files one gradient and one fit pass through", () => {
  const hooks = join(root, "scripts/register-typescript.mjs");
  const script = join(root, "scripts/count-files.mjs");
  const { stdout } = spawnSync(process.execPath, ["--import", hooks, script], {
    encoding: "utf8",
    cwd: root,
  });
  const [gradient = "", fit = ""] = stdout.split(/^fit: /m);
  const count = (text: string, start: string): number =>
    text.split("\n").filter((line) => line.startsWith(`  ${start}`)).length;
  expect(count(gradient, "")).toBeGreaterThan(10);
  const text = page.replaceAll(/\s+/g, " ");
  expect(text).toContain(
    `a call passes through: ${count(gradient, "")}, of which ${count(gradient, "machine/run/")} are in`,
  );
  expect(text).toContain(
    `The same script lists ${count(fit, "")} files: ${count(fit, "fit/")} of \`fit/\``,
  );
});

test("docs/memory.md says what the code has for limits", () => {
  const memory = read("docs/memory.md").replaceAll(/\s+/g, " ");
  const constant = (file: string, name: string): number => {
    const text = read(`packages/core/${file}`);
    const found = new RegExp(`const ${name}(?:: \\w+)? = ([^;]+);`).exec(text)?.[1];
    if (found === undefined) throw new Error(`${file} has no ${name}`);
    const [left = "", right] = found.split("<<");
    return right === undefined ? Number(left) : Number(left) * 2 ** Number(right);
  };
  const traces = constant("src/machine/run/traces.ts", "TRACES_MAX");
  expect(memory).toContain(`A program keeps at most ${traces} traces`);
  const split = constant("wasm/memory/memory.ts", "SPLIT_MIN");
  expect(memory).toContain(`a rest of ${split} bytes or more is split off`);
  const handed = constant("wasm/memory/arena.ts", "HANDED_BYTES_MAX");
  expect(memory).toContain(`gives arenas of up to ${handed / 1024} KiB back`);
  const first = constant("wasm/tape/payload.ts", "SMALL_MIN");
  const count = constant("wasm/tape/payload.ts", "SMALL_COUNT");
  expect(memory).toContain(`(−${-first} … ${first + count - 1})`);
});

describe("docs/memory.md lists the words of", () => {
  const tableAfter = (heading: string): [number, string][] => {
    const [, section = ""] = read("docs/memory.md").split(`\n## ${heading}\n`);
    const rows = (section.split("\n## ")[0] as string).matchAll(/^\| (\d+) \| `([A-Z_]+)` \|/gm);
    return [...rows].map(([, code, name]) => [Number(code), name as string]);
  };
  const codesOf = (file: string, prefix: string): [number, string][] => {
    const pattern = new RegExp(`^export const ${prefix}([A-Z_]+): i32 = (\\d+);`, "gm");
    return [...read(`packages/core/src/${file}`).matchAll(pattern)]
      .filter(([, name]) => name !== "SIMPLE_LAST")
      .map(([, name, code]) => [Number(code), name as string]);
  };

  test("cells, as the encoder writes them", () => {
    expect(codesOf("program/cells.ts", "CELL_").length).toBeGreaterThan(10);
    expect(tableAfter("Cells")).toEqual(codesOf("program/cells.ts", "CELL_"));
  });

  test("instructions of stack code, as the encoder writes them", () => {
    expect(codesOf("bytecode/codes.ts", "CODE_").length).toBeGreaterThan(10);
    expect(tableAfter("Instructions of stack code")).toEqual(codesOf("bytecode/codes.ts", "CODE_"));
  });
});
