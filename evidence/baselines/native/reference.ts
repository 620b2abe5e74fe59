/**
 * The author's C++ runtime, from a checkout that NDVM_REFERENCE names: built in a temporary folder with a
 * driver of ours, never copied in.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildFolder, CPP_FLAGS, evidenceFolder } from "../../harness/tools.js";
import type { Case } from "../../programs.js";
import { inputLines, linesOf } from "./boxed.js";

export const NO_REFERENCE = "NDVM_REFERENCE names no checkout of the author's runtime";

export interface ReferenceRun {
  readonly value: number;
  readonly gradients: readonly number[];
  /** Microseconds of a call with all its lanes. */
  readonly forward: readonly number[];
  readonly gradient: readonly number[];
}

let built: string | undefined;

/** The path of the driver; undefined where there is no checkout or no compiler. */
function build(): string | undefined {
  const checkout = process.env["NDVM_REFERENCE"];
  if (built !== undefined || checkout === undefined) return built;
  const sources = [join(checkout, "ndvm/src"), join(checkout, "src")].find((each) =>
    existsSync(join(each, "interp.hpp")),
  );
  if (sources === undefined) return undefined;
  const files = readdirSync(sources)
    .filter((name) => name.endsWith(".cpp"))
    .map((name) => join(sources, name));
  const file = join(buildFolder(), "reference");
  const driver = join(evidenceFolder, "baselines/native/reference.cpp");
  const includes = ["-I", sources, "-I", join(sources, "../include")];
  const flags = [...CPP_FLAGS, ...includes, "-pthread", "-o", file];
  const { status } = spawnSync("g++", [...flags, driver, ...files]);
  if (status === 0) built = file;
  return built;
}

export function runReference(
  one: Case,
  lanes: number,
  runs: number,
  calls: number,
): ReferenceRun | undefined {
  const file = build();
  if (file === undefined) return undefined;
  const text = execFileSync(file, [String(lanes), String(runs), String(calls)], {
    input: inputLines(one),
  }).toString();
  const [value, ...gradients] = linesOf(text, "result") as [number, ...number[]];
  const microseconds = (name: string) => linesOf(text, name).map((each) => each / 1000);
  return {
    value,
    gradients,
    forward: microseconds("forward"),
    gradient: microseconds("gradient"),
  };
}
