/**
 * Before the suites: a redis-server, installed from Debian's packages if it is missing.
 */

import { ensureRedis } from "../../../scripts/ensure-redis.mjs";

export default function setup(): void {
  process.env["REDIS_SERVER"] = ensureRedis();
}
