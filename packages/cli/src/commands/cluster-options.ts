/**
 * Which cluster a command means: `--cluster URL`, or NDVM_CLUSTER.
 */

import type { ClusterOptions } from "@ndvm/cluster";
import type { Command } from "commander";

export interface ClusterCommandOptions {
  /** True where the option has no value: NDVM_CLUSTER says it. */
  readonly cluster?: string | true;
  readonly namespace?: string;
}

export function addClusterOptions(command: Command): Command {
  return command
    .option("--cluster [url]", "Redis of the cluster: redis://host:6379 (default: NDVM_CLUSTER)")
    .option(
      "--namespace <name>",
      "name that keeps it apart from others on this Redis (default: ndvm)",
    );
}

export function clusterOf({ cluster, namespace }: ClusterCommandOptions): ClusterOptions {
  return { url: typeof cluster === "string" ? cluster : undefined, namespace };
}
