/**
 * Finds the Chromium that the browser tests run in, and on Debian as root installs it when it is
 * missing. Never skips silently: without a browser it says what to do and exits with 1.
 *
 *   node scripts/ensure-chromium.mjs     prints the path of the binary
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PLACES = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function findChromium() {
  if (process.env.CHROMIUM_PATH) {
    if (isExecutable(process.env.CHROMIUM_PATH)) return process.env.CHROMIUM_PATH;
    fail(`CHROMIUM_PATH is ${process.env.CHROMIUM_PATH}, which is not an executable file.`);
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const candidates = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...candidates, ...PLACES].find(isExecutable);
}

function fail(message) {
  console.error(`The browser tests need Chromium. ${message}`);
  process.exit(1);
}

function installOnDebian() {
  console.log("Chromium is missing: installing Debian's package.");
  const options = { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const { status } = spawnSync("apt-get", args, options);
    if (status !== 0) fail(`apt-get ${args.join(" ")} ended with ${status}.`);
  }
}

export function ensureChromium() {
  const found = findChromium();
  if (found !== undefined) return found;
  const isDebian = existsSync("/etc/debian_version");
  if (!isDebian || process.getuid?.() !== 0) {
    const how = isDebian ? "run `sudo apt-get install chromium`" : "install Chromium or Chrome";
    fail(`No binary named ${NAMES.join(", ")} is on the PATH: ${how}, or set CHROMIUM_PATH.`);
  }
  installOnDebian();
  return findChromium() ?? fail("apt-get installed it, yet no chromium binary is on the PATH.");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(ensureChromium());
