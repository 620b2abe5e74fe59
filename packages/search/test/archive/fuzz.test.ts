/**
 * Archives that are damaged by chance: flipped bits, cut files, pages of noise, texts that are no UTF-8.
 *
 *   NDVM_ARCHIVES=500 SEED=1 npx vitest run --project search packages/search/test/archive/fuzz.test.ts
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const seed = Number(process.env["SEED"] ?? 20261116);
const count = Number(process.env["NDVM_ARCHIVES"] ?? 32);
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Damages files in a process of its own: what it prints, and how it ended. */
function fuzz(files: number) {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-fuzz-"));
  try {
    const args = [String(seed), String(files), folder, here("./fixtures/format-2.db")];
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      [here("./fuzz.mjs"), ...args],
      { encoding: "utf8", maxBuffer: 2 ** 28 },
    );
    const lines = stdout.trimEnd().split("\n");
    const story = `${lines.at(-1)} (status ${status}, signal ${signal})\n${stderr.slice(-2000)}`;
    expect(story.startsWith("done (status 0"), story).toBe(true);
    return lines;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test(`a damaged archive tells what it held or is refused (SEED=${seed}, NDVM_ARCHIVES=${count})`, () => {
  const lines = fuzz(count);
  expect(lines).toHaveLength(count + 2);
  const counts = JSON.parse(lines.at(-2) as string) as Record<string, number>;
  for (const [what, times] of Object.entries(counts)) expect(times, what).toBeGreaterThan(0);
});

test("the printed seed did not damage the same bytes again", () => {
  const files = 8;
  const [first, second] = [fuzz(files), fuzz(files)].map((lines) => lines.slice(0, files));
  expect(second).toEqual(first);
});
