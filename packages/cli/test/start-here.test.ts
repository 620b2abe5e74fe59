/** `npm start` in this process: `ndvm search` with what was not typed filled in. */

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const given: (readonly string[])[] = [];
vi.mock("../src/main.js", () => ({
  runProcess: async (args: readonly string[]) => {
    given.push(args);
    process.exitCode = 7;
  },
}));

const { argv, exitCode } = process;
const home = process.cwd();
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ndvm-start-"));
  process.chdir(folder);
  vi.resetModules();
  vi.useFakeTimers({ now: new Date(2026, 10, 2, 13, 4, 59), toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.chdir(home);
  process.argv = argv;
  process.exitCode = exitCode;
  rmSync(folder, { recursive: true });
});

async function started(...words: string[]) {
  let printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  process.argv = ["node", "start.js", ...words];
  await import("../src/start.js");
  return { args: given.at(-1) as readonly string[], printed };
}

const TABLE = ["--data", "examples/oscillator/data.csv", "--target", "height"];
const FILES = ["--out", "studies/oscillator-20261102-130459.db"];
const PAGE = ["--report", "studies/oscillator-20261102-130459.html"];

test.each<[string[], string[]]>([
  [[], [...TABLE, "--budget", "30s", ...FILES, ...PAGE]],
  [
    ["--candidates", "5"],
    [...TABLE, ...FILES, ...PAGE, "--candidates", "5"],
  ],
  [
    ["--budget", "1m"],
    [...TABLE, ...FILES, ...PAGE, "--budget", "1m"],
  ],
  [
    ["--data", "d.csv", "--target", "z"],
    ["--budget", "30s", ...FILES, ...PAGE, "--data", "d.csv", "--target", "z"],
  ],
  [
    ["--out", "a.db", "--report", "a.html"],
    [...TABLE, "--budget", "30s", "--out", "a.db", "--report", "a.html"],
  ],
])("%j is a search", async (words, wanted) => {
  const { args, printed } = await started(...words);
  expect(args).toEqual(["search", ...wanted]);
  expect(printed).toBe(`npx ndvm ${args.join(" ")}\n`);
  expect(process.exitCode).toBe(7);
  expect(existsSync(join(folder, "studies"))).toBe(true);
});

test("starts again where there are studies already", async () => {
  await started();
  vi.resetModules();
  expect((await started("--budget", "2s")).args).toContain("2s");
});
