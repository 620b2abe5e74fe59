/**
 * What small calls are measured against in the same run: C++ by hand (yardsticks/small.cpp, where g++
 * is there), and the paper's C++ runtime, where NDVM_REFERENCE names a program that takes the same
 * arguments and prints the same lines, or a built checkout that has it as `bench/small`. Lines that
 * it names `line-text` and so on are from a text that it has not seen to the gradient.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { amount } from "./settings.js";
import { type Spread, spreadOf } from "./timing.js";

/** One formula as another program computes it. */
export interface Yardstick {
  /** Value and gradients for the first numbers. */
  readonly numbers: readonly number[];
  readonly spread: Spread;
}

export interface Yardsticks {
  readonly rows: ReadonlyMap<string, Yardstick>;
  /** Why there are none. */
  readonly missing: string | undefined;
}

const none = (missing: string): Yardsticks => ({ rows: new Map(), missing });

function runSmall(file: string): Yardsticks {
  const text = execFileSync(file, [String(amount(200, 20)), String(amount(400, 50))]).toString();
  const rows = text
    .trim()
    .split("\n")
    .map((row): [string, Yardstick] => {
      const [left = "", right = ""] = row.split("|");
      const [name = "", ...numbers] = left.trim().split(" ");
      const times = right.trim().split(" ").map(Number);
      return [
        name,
        { numbers: numbers.map(Number), spread: spreadOf(times.map((each) => each / 1000)) },
      ];
    });
  return { rows: new Map(rows), missing: undefined };
}

/** The C++ functions, compiled now. */
export function nativeYardsticks(): Yardsticks {
  const folder = mkdtempSync(join(tmpdir(), "ndvm-small-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "small");
  const source = fileURLToPath(new URL("../yardsticks/small.cpp", import.meta.url));
  const { status } = spawnSync("g++", ["-O3", "-o", file, source]);
  return status === 0 ? runSmall(file) : none("g++ is not there");
}

/** The paper's runtime. */
export function referenceYardsticks(): Yardsticks {
  const named = process.env["NDVM_REFERENCE"];
  if (!named) return none("NDVM_REFERENCE is not set");
  const inside = join(named, "bench", "small");
  const file = existsSync(named) && statSync(named).isFile() ? named : inside;
  return existsSync(file) ? runSmall(file) : none(`NDVM_REFERENCE has no ${inside}`);
}
