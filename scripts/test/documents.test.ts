/**
 * The documents do not lie: their code compiles under strict settings and runs, their commands run
 * against the built command in a scratch folder, their Python runs where Python is. Scheme blocks have
 * their own test (packages/core/test/machine/docs.test.ts), so have those of docs/contract.md.
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ensurePython } from "../ensure-python.mjs";
import { type Block, blocksOf, commandsOf, pages, root } from "./documents/blocks.js";
import { compileAll } from "./documents/modules.js";

const folder = mkdtempSync(join(tmpdir(), "ndvm-documents-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files that the pages' commands speak of. */
const times = Array.from({ length: 41 }, (_, row) => row / 10);
const decay = times.map((t, row) => 3 * Math.exp(-1.2 * t) + 0.01 * Math.sin(7 * row));
const rows = times.map((t, row) => `${t},${t},${decay[row]}`).join("\n");
writeFileSync(join(folder, "model.scm"), "(* a (exp (- (* k t))))\n");
writeFileSync(join(folder, "data.csv"), `time,t,y\n${rows}\n`);
writeFileSync(join(folder, "decay.csv"), `t,y\n${rows.replaceAll(/^[^,]*,/gm, "")}\n`);
cpSync(join(root, "examples/oscillator/data.csv"), join(folder, "swing.csv"));
cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true });

const blocks = pages.flatMap(blocksOf);
const OTHERS = new Set(["scheme", "yaml", "text", ""]);
/** Checked, in their own way, by packages/core/test/bytecode/contract.test.ts. */
const CONTRACT = "docs/contract.md";
const known = blocks.filter(({ language, page }) => !OTHERS.has(language) && page !== CONTRACT);
const run = known.filter(({ reason }) => reason === undefined);
const inLanguages = (...languages: string[]): Block[] =>
  run.filter(({ language }) => languages.includes(language));

test("every block is run, or says why it is not", () => {
  const left = known.filter(({ reason }) => reason !== undefined);
  console.log(left.map(({ place, reason }) => `${place} is not run: ${reason}`).join("\n"));
  expect(left.filter(({ reason = "" }) => reason.length < 10)).toEqual([]);
  const languages = new Set(known.map(({ language }) => language));
  expect([...languages].sort()).toEqual(["js", "python", "sh", "ts"]);
  expect(run.length).toBeGreaterThan(3 * left.length);
});

describe("JavaScript and TypeScript", () => {
  const compiled = compileAll(
    known.filter(
      ({ language, isCompiled }) => (language === "js" || language === "ts") && isCompiled,
    ),
  );

  test.each(compiled.map((one) => [one.block.place, one] as const))(
    "%s",
    (_place, { block, file, complaints }) => {
      expect(complaints).toEqual([]);
      if (block.reason !== undefined) return;
      const cwd = mkdtempSync(join(folder, "block-"));
      const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
        cwd,
        encoding: "utf8",
      });
      expect(status, stderr).toBe(0);
      if (block.prints !== undefined) expect(stdout.trimEnd()).toBe(block.prints);
    },
  );
});

const binary = join(root, "packages/cli/bin/ndvm.js");

/** What differs from run to run. */
const settled = (text: string): string =>
  text
    .replaceAll(/in [\d.,]+ (ms|s|µs)/g, "in TIME")
    .replaceAll(/[^\S\n]+$/gm, "")
    .trim();

describe("commands", () => {
  const commands = inLanguages("sh").flatMap((block) =>
    commandsOf(block).map(({ words, output }) => ({ place: block.place, words, output })),
  );

  test.each(commands)("$place $words", ({ words, output }) => {
    // A study as long as the page says would keep everybody waiting.
    const short = / ?ndvm search /.test(` ${words}`) ? `${words} --candidates 200` : words;
    const line = `ndvm() { "${process.execPath}" "${binary}" "$@"; }; ${short.replace(/^npx /, "")}`;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", line], {
      cwd: folder,
      input: "",
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1", XDG_STATE_HOME: join(folder, "state") },
    });
    expect(stderr).not.toContain("error");
    expect(status).toBe(0);
    if (output !== "") expect(settled(stdout)).toBe(settled(output));
  });
});

const { python, missing } = ensurePython();

describe.skipIf(python === undefined)(
  python === undefined ? `Python [not run: ${missing}]` : "Python",
  () => {
    const own = inLanguages("python");

    test.each([...new Set(own.map(({ page }) => page))])("%s", (page) => {
      const code = own
        .filter((block) => block.page === page)
        .map(({ given, text }) => `${given}\n${text}`)
        .join("\n");
      const { status, stderr } = spawnSync(python as string, ["-c", code], {
        cwd: folder,
        encoding: "utf8",
        env: {
          ...process.env,
          PYTHONPATH: join(root, "python/src"),
          NDVM_SERVE: join(root, "packages/cli/dist/commands/serve-main.js"),
        },
      });
      expect(stderr).toBe("");
      expect(status).toBe(0);
    });
  },
);
