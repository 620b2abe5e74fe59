/**
 * Bugs that a person wrote down, as a reviewer would: a JSON list of
 *
 *   { "file": "packages/…", "before": "text that stands there once", "after": "what to write instead" }
 *
 * They are planted and judged like those that the rules offer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "./arguments.js";
import type { Mutant } from "./mutant.js";

interface Written {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** The bugs of a list; refused is what does not stand in its file exactly once. */
export function bugsByHand(root: string, list: string): Mutant[] {
  const all = JSON.parse(readFileSync(list, "utf8")) as readonly Written[];
  return all.map((bug) => placed(readFileSync(join(root, bug.file), "utf8"), bug));
}

export function placed(text: string, { file, before, after }: Written): Mutant {
  const parts = text.split(before);
  const [head = ""] = parts;
  if (before === "" || before === after || parts.length !== 2)
    throw new UsageError(
      `${file}: "${before}" must stand there once and be replaced by another text`,
    );
  const above = head.split("\n");
  const line = above.length;
  const lineText = text.split("\n")[line - 1]?.trim() ?? "";
  const [start, end] = [head.length, head.length + before.length];
  return { file, inside: "", kind: "by hand", line, start, end, before, after, lineText };
}
