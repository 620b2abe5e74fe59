/** Which lines of the working tree differ from a revision. */
import { execFileSync } from "node:child_process";

/** Line numbers by file; a file that git does not know yet is changed as a whole. */
export function changedLines(root: string, revision: string): ReadonlyMap<string, Set<number>> {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const lines = linesOfDiff(git("diff", "--unified=0", "--no-color", "--no-ext-diff", revision));
  for (const file of git("ls-files", "--others", "--exclude-standard").split("\n")) {
    if (file !== "") lines.set(file, new Set(Array.from({ length: 10_000 }, (_, at) => at + 1)));
  }
  return lines;
}

/** Reads `+++ b/file` and `@@ -a,b +start,count @@` of a diff without context. */
export function linesOfDiff(diff: string): Map<string, Set<number>> {
  const lines = new Map<string, Set<number>>();
  let current = new Set<number>();
  for (const line of diff.split("\n")) {
    const file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1];
    if (file !== undefined) {
      current = new Set();
      lines.set(file, current);
    }
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!hunk) continue;
    const start = Number(hunk[1]);
    for (let at = 0; at < Number(hunk[2] ?? 1); at++) current.add(start + at);
  }
  return lines;
}
