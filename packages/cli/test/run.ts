/** Runs the real command in a process of its own, in a scratch folder with files of the test. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const binary = fileURLToPath(new URL("../bin/ndvm.js", import.meta.url));
export const repository = fileURLToPath(new URL("../../..", import.meta.url));

export const folder = mkdtempSync(join(tmpdir(), "ndvm-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export function writeFile(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

const environment = (extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  XDG_STATE_HOME: join(folder, "state"),
  NO_COLOR: "1",
  ...extra,
});

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function ndvm(args: readonly string[], input = "", env = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [binary, ...args], {
    cwd: folder,
    input,
    env: environment(env),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return { code: status, stdout, stderr };
}

/** Starts the command without waiting for it; standard input stays open. */
export function startNdvm(args: readonly string[]): ChildProcess & { outcome: Promise<Outcome> } {
  const child = spawn(process.execPath, [binary, ...args], { cwd: folder, env: environment({}) });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const outcome = new Promise<Outcome>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
  return Object.assign(child, { outcome });
}

/** What a shell makes of a whole command line with `ndvm` on it; for pipes. */
export function shell(line: string): Outcome {
  const command = `set -o pipefail; ndvm() { "${process.execPath}" "${binary}" "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", command], {
    cwd: folder,
    env: environment({}),
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

/** Clock ticks of processor time a started command must have used before it counts as busy. */
const BUSY_TICKS = 200;

/** Waits until the process is deep in its work, so that a signal meets a running evaluation. */
export async function untilBusy(child: ChildProcess): Promise<void> {
  const stat = `/proc/${child.pid}/stat`;
  const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));
  if (!existsSync(stat)) return void (await pause(4000));
  while (child.exitCode === null && existsSync(stat)) {
    const fields = readFileSync(stat, "utf8").split(") ")[1]?.split(" ") ?? [];
    if (Number(fields[11]) + Number(fields[12]) >= BUSY_TICKS) return;
    await pause(50);
  }
}
