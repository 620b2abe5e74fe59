/** The repl's history file, under the user's XDG state folder. Losing it is never an error. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { visible } from "@ndvm/core";

/** Lines that the file and a session keep. */
export const LINES_MAX = 1000;

function historyFile(): string {
  const state = process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  return join(state, "ndvm", "history");
}

/** Newest first, as readline wants it, which writes them as they are: none that would steer the terminal. */
export function loadHistory(): string[] {
  try {
    return readFileSync(historyFile(), "utf8")
      .split("\n")
      .filter((line) => line !== "" && visible(line) === line)
      .reverse()
      .slice(0, LINES_MAX);
  } catch {
    return [];
  }
}

export function saveHistory(newestFirst: readonly string[]): void {
  const lines = newestFirst.slice(0, LINES_MAX).reverse();
  try {
    mkdirSync(dirname(historyFile()), { recursive: true, mode: 0o700 });
    writeFileSync(historyFile(), lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  } catch {
    // A read-only home folder keeps no history; the dialogue itself is unharmed.
  }
}
