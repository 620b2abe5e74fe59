/**
 * `ndvm cluster`: who is there, what waits, candidates a second. With --watch it stays.
 */

import { type ClusterStatus, openCluster } from "@ndvm/cluster";
import { formatGrid } from "@ndvm/report";
import { print } from "../terminal.js";
import { type ClusterCommandOptions, clusterOf } from "./cluster-options.js";

export interface ClusterShowOptions extends ClusterCommandOptions {
  readonly watch?: boolean;
  readonly json?: boolean;
}

const EVERY_MILLISECONDS = 1000;
const CLEAR = "\u001b[H\u001b[2J";

export async function cluster(options: ClusterShowOptions): Promise<number> {
  const opened = openCluster(clusterOf(options));
  const show = async (): Promise<void> => {
    const status = await opened.status();
    const text = options.json ? JSON.stringify(status) : statusText(status);
    if (options.watch && process.stdout.isTTY && !options.json) process.stdout.write(CLEAR);
    print(text);
  };
  await show();
  if (!options.watch) return 0;
  let isOver = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      isOver = true;
    });
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MILLISECONDS));
    if (!isOver) await show();
  }
  return 0;
}

export function statusText({ address, namespace, workers, studies, rate }: ClusterStatus): string {
  const lines = [
    `${address}, namespace ${namespace}: ${count(workers.length, "worker")}, ` +
      `${count(studies.length, "study", "studies")}, ${Math.round(rate)} candidates a second`,
  ];
  if (workers.length > 0)
    lines.push(
      "",
      formatGrid([
        ["host", "process", "epochs", "candidates", "per second", "seen", "studies"],
        ...workers.map((one) => [
          one.host,
          String(one.process),
          String(one.epochs),
          String(one.candidates),
          String(Math.round(one.rate)),
          `${one.silent.toFixed(0)} s ago`,
          one.studies.map((digest) => digest.slice(0, 8)).join(" "),
        ]),
      ]),
    );
  if (studies.length > 0)
    lines.push(
      "",
      formatGrid([
        ["study", "target", "coordinator", "waiting", "running", "again", "given up"],
        ...studies.map((one) => [
          one.digest.slice(0, 8),
          one.target,
          `${one.host} ${one.process}`,
          String(one.waiting),
          String(one.active),
          String(one.delayed),
          String(one.failed),
        ]),
      ]),
    );
  return lines.join("\n");
}

const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`;
