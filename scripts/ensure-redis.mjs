/**
 * Finds the redis-server that the cluster's tests start, and on Debian as root installs it when it is
 * missing. Never skips silently: without one it says what to do and exits with 1.
 *
 *   node scripts/ensure-redis.mjs     prints the path of the binary
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

function findRedis() {
  const named = process.env.REDIS_SERVER || "redis-server";
  const { status } = spawnSync(named, ["--version"], { stdio: "ignore" });
  return status === 0 ? named : undefined;
}

function fail(message) {
  console.error(`The cluster's tests need redis-server. ${message}`);
  process.exit(1);
}

function installOnDebian() {
  console.error("redis-server is missing: installing Debian's package.");
  const options = {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "redis-server"]]) {
    const { status } = spawnSync("apt-get", args, options);
    if (status !== 0) fail(`apt-get ${args.join(" ")} ended with ${status}.`);
  }
}

/** The binary's name or path. */
export function ensureRedis() {
  const found = findRedis();
  if (found !== undefined) return found;
  const isDebian = existsSync("/etc/debian_version");
  if (!isDebian || process.getuid?.() !== 0)
    fail(isDebian ? "Run `sudo apt-get install redis-server`." : "Install Redis 6.2 or newer.");
  installOnDebian();
  return findRedis() ?? fail("apt-get installed it, yet it does not run.");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(ensureRedis());
