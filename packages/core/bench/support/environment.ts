/**
 * The manifest: on what the figures were measured. Printed once, by whichever file comes first.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isQuick } from "./settings.js";
import { note, section } from "./table.js";

export const repositoryRoot = fileURLToPath(new URL("../../../../", import.meta.url));

let isPrinted = false;

export function printEnvironment(): void {
  if (isPrinted) return;
  isPrinted = true;
  const { versions, platform, arch } = process;
  section("Environment");
  note(`CPU     ${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores`);
  note(`caches  ${caches() || "unknown"}`);
  note(`memory  ${(totalmem() / 2 ** 30).toFixed(1)} GiB`);
  note(`Node    ${versions.node} (V8 ${versions.v8}), ${platform} ${arch}`);
  note(`commit  ${commit()}`);
  note(`load    ${loadText()} over 1, 5 and 15 minutes`);
  note(`mode    ${isQuick ? "quick: amounts are small, figures are not to be quoted" : "full"}`);
}

export function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(", ");
}

function caches(): string {
  const folder = "/sys/devices/system/cpu/cpu0/cache";
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith("index"))
      .map((name) => {
        const read = (file: string) => readFileSync(join(folder, name, file), "utf8").trim();
        return `L${read("level")} ${read("type").toLowerCase()} ${read("size")}`;
      })
      .join(", ");
  } catch {
    return "";
  }
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: repositoryRoot, stdio: ["ignore", "pipe", "ignore"] })
      .toString()
      .trim();
  try {
    const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
    return `${git("rev-parse", "--short=12", "HEAD")}${isChanged ? " with changes" : ""}`;
  } catch {
    return "unknown";
  }
}
