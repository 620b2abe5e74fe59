/**
 * `npm run evidence -- --quick` as a process, from a checkout that is built: every experiment passes its
 * gates, and the page has every section.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isMissing, type Results, readResults } from "../../evidence/harness/store.js";
import { sections } from "../../evidence/page/page.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "ndvm-evidence-test-"));
const command = ["--import", "./scripts/register-typescript.mjs", "evidence/main.ts", "--out", out];
let results: Results;

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [...command, "--quick"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(stderr);
  results = readResults(join(out, "results"));
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

test("every section has its experiments", () => {
  const page = readFileSync(join(out, "EVIDENCE.md"), "utf8");
  for (const { label, experiments } of sections) {
    expect(page).toContain(`(${label})`);
    for (const name of experiments) expect([...results.experiments.keys()]).toContain(name);
  }
});

test("every baseline passed its gate on every program it was run on", () => {
  const entries = Object.entries(results.experiments.get("suite")?.entries ?? {});
  const gates = entries.filter(([key]) => key.endsWith("/value error"));
  expect(gates.length).toBeGreaterThan(30);
  for (const [key, entry] of gates) {
    if (isMissing(entry)) throw new Error(`${key}: ${entry.missing}`);
    const allowed = Number(entry.how?.replace("at most ", ""));
    expect(entry.statistics.median, key).toBeLessThanOrEqual(allowed);
  }
});

test("a gap says what is missing", () => {
  for (const { entries } of results.experiments.values())
    for (const entry of Object.values(entries))
      if (isMissing(entry)) expect(entry.missing).toMatch(/\w+ \w+/);
});

test("the page is made again from the results, byte for byte", () => {
  const read = () =>
    ["EVIDENCE.md", ...readdirSync(join(out, "figures")).map((name) => `figures/${name}`)].map(
      (file) => readFileSync(join(out, file), "utf8"),
    );
  const before = read();
  execFileSync(process.execPath, [...command, "--page"], { cwd: root });
  expect(read()).toEqual(before);
});

test("a label that does not exist is refused", () => {
  const { status, stderr } = spawnSync(process.execPath, [...command, "--only", "tab:nothing"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain("there is no tab:nothing");
});
