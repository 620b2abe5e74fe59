/**
 * The commands of clusters: `worker` and `cluster`. `search --cluster` belongs to `search`.
 */

import type { Command } from "commander";
import { parseCount } from "../options.js";
import type { ClusterShowOptions } from "./cluster.js";
import { addClusterOptions } from "./cluster-options.js";
import type { WorkerCommandOptions } from "./worker.js";

type Finish = (code: number) => void;

export function addClusterCommands(root: Command, finish: Finish): void {
  addClusterOptions(root.command("worker"))
    .description("work for the searches of a cluster")
    .option("--workers <n>", "processes (default: one for each core)", parseCount)
    .addHelpText("after", "\nExample:\n  ndvm worker --cluster redis://host:6379")
    .action(async (options: WorkerCommandOptions) => {
      const { worker } = await import("./worker.js");
      finish(await worker(options));
    });
  addClusterOptions(root.command("cluster"))
    .description("show the workers and studies of a cluster")
    .option("--watch", "stay, and show it again every second")
    .option("--json", "JSON instead of text")
    .action(async (options: ClusterShowOptions) => {
      const { cluster } = await import("./cluster.js");
      finish(await cluster(options));
    });
}
