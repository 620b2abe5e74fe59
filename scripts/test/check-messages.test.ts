/** The check of messages must refuse every way to read a sentence, and nothing else. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("../check-messages.mjs", import.meta.url));

/** One line after another, in a package of its own. */
function check(lines: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "ndvm-messages-"));
  try {
    const folder = join(root, "packages/some/src/room");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "file.ts"), `${lines.join("\n")}\n`);
    return spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  } finally {
    rmSync(root, { recursive: true });
  }
}

const refused = [
  'if (error.message.includes("not finite")) retry();',
  'if (error.message.startsWith("lane")) retry();',
  'const help = error.help?.replace("stepsMax", "--steps");',
  'const words = (error.help ?? "").split(" ");',
  "const name = /^input (.*)$/.exec(error.message)?.[1];",
  "if (/busy/.test((error as Error).message)) wait();",
  "const rest = entry.message.slice(5);",
  "const rest = message.slice(5);",
  "const at = error.message.trim().indexOf(name);",
  'if (error.message === "busy") wait();',
  'if ("busy" !== error.help) wait();',
  'const found = error["message"].match(/x/);',
  "const same = refusals.every(({ message }) => message === first.message);",
];

test("every way to read a sentence is refused, with file and line", () => {
  const { status, stderr } = check(refused);
  expect(status).toBe(1);
  const named = new Set(
    stderr
      .trim()
      .split("\n")
      .map((line) => line.split(": ")[0]),
  );
  expect(named).toEqual(new Set(refused.map((_, i) => `packages/some/src/room/file.ts:${i + 1}`)));
});

test("sentences that go on as a whole are fine, and so are other texts", () => {
  const { status, stderr, stdout } = check([
    "const told = [name, error.message].join();",
    "if (error.help === undefined) return error;",
    'if (error.facts.reason === "busy") wait();',
    'const cells = line.split(",");',
    "port.on('message', take);",
    "print(error.message);",
    'if (message === "stop") end();',
  ]);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout).toContain("none reads a sentence");
});
