/**
 * Connections to Redis, and what can be wrong with them, in words and without passwords.
 *
 * The first connection is checked: whoever answers must be a Redis that is new enough and lets us in.
 * After that a connection that breaks comes back by itself, however long it takes, and commands wait.
 */

import type { ConnectionOptions as TlsOptions } from "node:tls";
import { checkNames, type ErrorFacts, NdvmError, namesOf } from "@ndvm/core";
import { readAddress, shownAddress } from "@ndvm/search/redact";
import { Redis } from "ioredis";

export interface ClusterOptions {
  /** Where Redis is: redis://[user:password@]host[:port][/database], or rediss:// for TLS. */
  readonly url?: string | undefined;
  /** Keys begin with it, so that several clusters can share a Redis. Default "ndvm". */
  readonly namespace?: string | undefined;
  /** Options for TLS, as Node's `tls.connect` takes them: own certificates. */
  readonly tls?: TlsOptions;
}

type ConnectionSettings = {
  host: string;
  port: number;
  username?: string;
  password?: string;
  db?: number;
  tls?: TlsOptions;
  maxRetriesPerRequest: null;
  retryStrategy(tries: number): number;
};

/** BullMQ's commands need it. */
const REDIS_MIN = [6, 2] as const;
/** Milliseconds until nobody at the address is an error, and between two tries to come back. */
const CONNECT_MAX = 10_000;
const RETRY_MAX = 5_000;

export const refuse = (
  reason: ErrorFacts["reason"] & string,
  message: string,
  help: string,
  facts: { readonly expected?: string; readonly actual?: string } = {},
): NdvmError => new NdvmError("E-CLUSTER", message, { help, facts: { reason, ...facts } });

export interface Address {
  readonly url: URL;
  /** The address as it may be printed and stored. */
  readonly shown: string;
  readonly namespace: string;
  readonly tls: TlsOptions | undefined;
}

const NAMES = namesOf<ClusterOptions>({ url: 1, namespace: 1, tls: 1 });

export function addressOf(options: ClusterOptions): Address {
  checkNames("openCluster", options, NAMES);
  const given = options.url ?? process.env["NDVM_CLUSTER"];
  if (given === undefined || given === "")
    throw refuse(
      "address",
      "there is no cluster to connect to",
      "give --cluster redis://host:6379, or set NDVM_CLUSTER",
    );
  const namespace = options.namespace ?? "ndvm";
  if (!/^[A-Za-z0-9_.-]+$/.test(namespace))
    throw refuse(
      "namespace",
      "the namespace has letters that keys of a cluster cannot have",
      "use letters, digits, points, hyphens and underlines",
    );
  const url = readAddress(given, ["redis:", "rediss:"]);
  if (url === undefined)
    throw refuse(
      "address",
      "the cluster's address is not one of a Redis",
      "it looks like redis://host:6379, or rediss://host:6380 for TLS",
    );
  if (!canDecode(url.username) || !canDecode(url.password))
    throw refuse(
      "address",
      "the user or the password in the cluster's address is not percent-encoded",
      "write % as %25, and @, : and / as %40, %3A and %2F",
    );
  return { url, shown: shownAddress(url), namespace, tls: options.tls };
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Options of a connection that waits for Redis however long it is away. */
export function connectionOptions({ url, tls }: Address): ConnectionSettings {
  const database = Number(url.pathname.slice(1) || "0");
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || "6379"),
    ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    ...(Number.isInteger(database) && database > 0 ? { db: database } : {}),
    ...(url.protocol === "rediss:" ? { tls: tls ?? {} } : {}),
    maxRetriesPerRequest: null,
    retryStrategy: (tries) => Math.min(RETRY_MAX, 50 * 2 ** Math.min(tries, 10)),
  };
}

/** The first connection, once it is known to be good. */
export async function connect(address: Address): Promise<Redis> {
  const redis = new Redis({ ...connectionOptions(address), lazyConnect: true });
  // Why a connection was closed is only told here.
  let cause: unknown;
  redis.on("error", (error: unknown) => {
    cause = error;
  });
  try {
    await withinTime(redis.connect(), address);
    await checkVersion(redis, address);
    await checkRoom(redis, address);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error instanceof NdvmError ? error : explain(cause ?? error, address);
  }
}

async function withinTime(connecting: Promise<void>, address: Address): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(nobody(address, "no answer")), CONNECT_MAX);
  });
  try {
    await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}

const nobody = ({ shown }: Address, why: string): NdvmError =>
  refuse(
    "unreachable",
    `there is no Redis at ${shown}: ${why}`,
    "is it running, and is the address right? Start one with: redis-server --port 6379",
  );

/** Errors of the driver carry a code; Redis' own begin with one word in capitals. */
function explain(error: unknown, address: Address): NdvmError {
  const { code } = (error ?? {}) as { code?: string };
  const word = replyCode(error);
  if (["NOAUTH", "WRONGPASS", "NOPERM"].includes(word))
    return refuse(
      "password",
      `the Redis at ${address.shown} does not let us in`,
      "give the right password in the address: redis://:password@host:6379",
    );
  if (word === "ERR" && address.url.password !== "")
    return refuse(
      "password",
      `the Redis at ${address.shown} refused the password`,
      "is a password set there at all?",
    );
  return nobody(address, code ?? "the connection was closed");
}

async function checkVersion(redis: Redis, { shown }: Address): Promise<void> {
  const info = await redis.info("server");
  const version = /^redis_version:([\d.]+)/m.exec(info)?.[1] ?? "0";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [least, leastMinor] = REDIS_MIN;
  if (major > least || (major === least && minor >= leastMinor)) return;
  throw refuse(
    "old",
    `the Redis at ${shown} is version ${version}, which is too old`,
    `install Redis ${REDIS_MIN.join(".")} or newer`,
    { expected: REDIS_MIN.join("."), actual: version },
  );
}

/** A Redis that throws keys away when it is full would lose epochs. */
async function checkRoom(redis: Redis, { shown }: Address): Promise<void> {
  const info = await redis.info("memory");
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? "noeviction";
  const most = Number(/^maxmemory:(\d+)/m.exec(info)?.[1] ?? "0");
  if (most > 0 && policy !== "noeviction")
    throw refuse(
      "eviction",
      `the Redis at ${shown} throws keys away when it is full (maxmemory-policy ${policy})`,
      "set it: redis-cli config set maxmemory-policy noeviction",
      { expected: "noeviction", actual: policy },
    );
}

/** Whether Redis refused a command because its memory is full. */
export const isFull = (error: unknown): boolean => replyCode(error) === "OOM";

/** Redis' answers have no field for their code: it is their first word, in capitals. */
function replyCode(error: unknown): string {
  const answer = error instanceof Error ? error.message : "";
  return /^[A-Z]+(?= )/.exec(answer)?.[0] ?? "";
}
