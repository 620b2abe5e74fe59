/**
 * The default search (200 rows, two inputs) over Redis with 1 … all cores as worker processes, beside
 * as many threads: candidates a second, bytes and milliseconds of an epoch; and from these how many
 * cores one Redis and one coordinator can feed.
 *
 *   npm run bench -- cluster [--quick] [--seconds=8]      REDIS_SERVER names another redis-server
 */

import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type SearchOptions, search } from "@ndvm/search";
import { Redis } from "ioredis";
import { Checksum } from "../../core/bench/support/checksum.js";
import { printEnvironment } from "../../core/bench/support/environment.js";
import { amount } from "../../core/bench/support/settings.js";
import { count, note, section, short, table } from "../../core/bench/support/table.js";
import { openCluster } from "../src/index.js";
import { exportOf, RedisServer, WorkerProcess } from "../test/support.js";

const given = process.argv.find((word) => word.startsWith("--seconds="));
const SECONDS = given === undefined ? amount(8, 1) : Number(given.slice("--seconds=".length));
const EPOCH = amount(1024, 64);
const CORES = availableParallelism();
const COUNTS = [1, 2, 4, 8, 16, 32].filter((each) => each <= CORES).slice(0, amount(9, 1));

interface Figures {
  readonly rate: number;
  readonly epochs: number;
  readonly bytesPerEpoch: number;
  readonly coordinatorMilliseconds: number;
}

function options(archive: string, budget: SearchOptions["budget"] & object): SearchOptions {
  const rows = Array.from({ length: 200 }, (_, i) => i);
  const x = rows.map((i) => (i * 0.618034) % 4);
  const z = rows.map((i) => (i * 0.414214) % 3);
  const y = rows.map((i) => Math.sin(2 * (x[i] as number)) * (z[i] as number) + 0.1 * Math.cos(i));
  return {
    data: { x, z, y },
    target: "y",
    seed: 1,
    archive,
    budget,
    epoch: EPOCH,
    slots: 2 * CORES,
  };
}

async function measure(
  folder: string,
  name: string,
  run: (o: SearchOptions) => ReturnType<typeof search>,
  bytes: () => Promise<number>,
): Promise<Figures> {
  const file = join(folder, `${name}.db`);
  let seconds = 0;
  let candidates = 0;
  let from = Number.NaN;
  let before = 0;
  let cpu = process.cpuUsage();
  for await (const event of run(options(file, { seconds: SECONDS + 4 }))) {
    if (event.type === "progress") {
      // The first epochs warm workers up.
      if (Number.isNaN(from) && event.counts.candidates > 0) {
        from = event.seconds;
        before = event.counts.candidates;
        await bytes();
        cpu = process.cpuUsage();
      }
      seconds = event.seconds - from;
      candidates = event.counts.candidates - before;
    }
  }
  const moved = await bytes();
  const { user, system } = process.cpuUsage(cpu);
  const epochs = candidates / EPOCH;
  return {
    rate: candidates / seconds,
    epochs,
    bytesPerEpoch: moved / Math.max(1, epochs),
    coordinatorMilliseconds: (user + system) / 1000 / Math.max(1, epochs),
  };
}

/** Bytes that Redis has taken in and given out since the last call. */
function traffic(redis: Redis): () => Promise<number> {
  let last = 0;
  return async () => {
    const info = await redis.info("stats");
    const at = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, "m").exec(info)?.[1] ?? 0);
    const now = at("total_net_input_bytes") + at("total_net_output_bytes");
    const moved = now - last;
    last = now;
    return moved;
  };
}

printEnvironment();
section(`Search on a cluster, 200 rows, epochs of ${EPOCH}`);
const folder = mkdtempSync(join(tmpdir(), "ndvm-cluster-bench-"));
const server = await RedisServer.start();
const redis = new Redis(server.port, "127.0.0.1");
const rows: string[][] = [];
const perEpoch: Figures[] = [];
try {
  await checkSameStudy();
  for (const workers of COUNTS) {
    const threads = await measure(
      folder,
      `threads-${workers}`,
      (o) => search({ ...o, workers }),
      async () => 0,
    );
    const processes = Array.from({ length: workers }, () => new WorkerProcess(server.url));
    const cluster = openCluster({ url: server.url });
    const far = await measure(
      folder,
      `far-${workers}`,
      (o) => search(o, cluster.hooks()),
      traffic(redis),
    );
    for (const each of processes) await each.end();
    perEpoch.push(far);
    rows.push([
      String(workers),
      count(threads.rate),
      count(far.rate),
      short(far.rate / threads.rate),
      count(far.bytesPerEpoch),
      short(far.coordinatorMilliseconds),
    ]);
  }
} finally {
  redis.disconnect();
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
}
table(
  ["workers", "threads/s", "cluster/s", "ratio", "bytes an epoch", "coordinator ms an epoch"],
  rows,
);
printModel();

/**
 * Seconds of an epoch with W workers are a / W + b: a is a worker's, b what the coordinator does for
 * each epoch however many workers there are. Fitted by least squares of relative errors.
 */
function fitted(): { readonly a: number; readonly b: number } {
  let [ww, w1, one, wt, t1] = [0, 0, 0, 0, 0];
  for (const [i, { rate }] of perEpoch.entries()) {
    const seconds = EPOCH / rate;
    const share = 1 / (COUNTS[i] as number) / seconds;
    const unit = 1 / seconds;
    ww += share * share;
    w1 += share * unit;
    one += unit * unit;
    wt += share;
    t1 += unit;
  }
  const determinant = ww * one - w1 * w1;
  if (determinant === 0) return { a: EPOCH / (perEpoch[0] as Figures).rate, b: 0 };
  return { a: (wt * one - t1 * w1) / determinant, b: (ww * t1 - w1 * wt) / determinant };
}

function printModel(): void {
  const { a, b } = fitted();
  const coordinator = Math.min(...perEpoch.map((each) => each.coordinatorMilliseconds));
  note(
    `seconds of an epoch of ${EPOCH}: ${short(a)} / workers + ${short(b)}; the coordinator is ` +
      `busy ${short(coordinator)} ms an epoch`,
  );
  const predicted = [32, 64, 256, 1000].map((workers) => [
    String(workers),
    count(EPOCH / (a / workers + b)),
  ]);
  table(["workers", "candidates/s by the model"], predicted);
}

async function checkSameStudy(): Promise<void> {
  const budget = { candidates: 8 * EPOCH };
  const near = join(folder, "near.db");
  const far = join(folder, "far.db");
  for await (const _event of search({ ...options(near, budget), workers: 0 }));
  const worker = new WorkerProcess(server.url);
  const { hooks } = openCluster({ url: server.url });
  for await (const _event of search(options(far, budget), hooks()));
  await worker.end();
  const text = exportOf(far);
  if (text !== exportOf(near)) throw new Error("the cluster's study is another one");
  const bytes = new Checksum().add(Buffer.from(text)).toString();
  note(`same study as one thread: ${text.split("\n").length} lines, checksum ${bytes}\n`);
}
