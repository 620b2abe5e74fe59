/**
 * External cases that NDVM_CORPUS names, read in place.
 */

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StreamCandidate, StreamTask } from "./baselines/external.js";
import { repositoryRoot } from "./harness/tools.js";

export const NO_CORPUS = "NDVM_CORPUS names no folder with the co-search streams";

interface Raw {
  readonly task: Readonly<Record<"xtr" | "ytr" | "xho" | "yho", number[]>>;
  readonly candidates: readonly { readonly src: string; readonly params: readonly string[] }[];
}

export interface Stream {
  readonly task: StreamTask;
  readonly candidates: readonly StreamCandidate[];
}

/** One of the two streams of the paper's co-search tasks; undefined where they are not. */
export function readStream(name: "flat" | "rec"): Stream | undefined {
  const named = process.env["NDVM_CORPUS"];
  const folders = named ? [resolve(named), resolve(repositoryRoot, named)] : [];
  const file = folders
    .map((folder) => join(folder, `reference/cosearch_${name}.json`))
    .find((each) => existsSync(each));
  if (file === undefined) return undefined;
  const text = readFileSync(file, "utf8").replace(/([:[,]\s*)(-?Infinity|NaN)\b/g, '$1"$2"');
  const { task, candidates } = JSON.parse(text) as Raw;
  return {
    task: { x: task.xtr, y: task.ytr, heldX: task.xho, heldY: task.yho },
    candidates: candidates.map(({ src, params }) => ({ source: src, params })),
  };
}
