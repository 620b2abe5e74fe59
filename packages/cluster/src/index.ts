/**
 * The public face of @ndvm/cluster: a search, its workers and populations on many computers.
 *
 *   const cluster = openCluster({ url: "redis://host:6379" });
 *   for await (const event of search(options, cluster.hooks())) …
 *   const worker = await cluster.worker({ tell: console.log });   // on every computer
 */

import type { GradientOptions, Inputs, Program } from "@ndvm/core";
import type { SearchHooks } from "@ndvm/search";
import { addressOf, type ClusterOptions } from "./connection.js";
import { ClusterRunner } from "./coordinator.js";
import { clusterGradient } from "./gradient.js";
import type { Population } from "./parts.js";
import { checkSettings, type Settings } from "./settings.js";
import { type ClusterStatus, clusterStatus } from "./status.js";
import { ClusterWorker, type WorkerEvents } from "./worker.js";

export interface Cluster {
  /** Where it is, without a password. */
  readonly address: string;
  /** What `search` needs to run its epochs here. */
  hooks(): SearchHooks;
  /** Joins as a worker, until it is closed. */
  worker(events?: WorkerEvents): Promise<ClusterWorker>;
  /** Who is there, what waits, candidates a second. */
  status(): Promise<ClusterStatus>;
  /** Values and gradients of a population, with the bits of one machine. */
  gradient(
    program: Program,
    inputs: Inputs,
    options?: GradientOptions & { readonly signal?: AbortSignal },
  ): Promise<Population>;
}

/** A cluster by its address; nothing is connected before it is used. */
export function openCluster(
  options: ClusterOptions = {},
  settings: Partial<Settings> = {},
): Cluster {
  const address = addressOf(options);
  checkSettings(settings);
  return {
    address: address.shown,
    hooks: () => ({
      startRunner: (setting, _workers, events) =>
        ClusterRunner.start(address, setting, events, settings),
    }),
    worker: (events = { tell: () => {} }) => ClusterWorker.start(address, events, settings),
    status: () => clusterStatus(address),
    gradient: (program, inputs, given) => clusterGradient(address, program, inputs, given),
  };
}

export type { ClusterOptions } from "./connection.js";
export type { Population } from "./parts.js";
export type { Settings as ClusterSettings } from "./settings.js";
export type { ClusterStatus, StudyStatus, WorkerStatus } from "./status.js";
export type { ClusterWorker, WorkerEvents } from "./worker.js";
