/**
 * `ndvm serve`: other programs use NDVM over this process' standard input and output.
 */

import { writeSync } from "node:fs";
import { serve as serveStreams } from "../serve/server.js";

const STDOUT = 1;

/** Writes all of it, waiting where the pipe is full. */
function writeAll(bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(STDOUT, bytes, at, bytes.length - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** Small frames go out in one piece: each write wakes the reader. */
const JOINED_MAX = 65_536;

function send(parts: readonly Uint8Array[]): void {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  if (bytes <= JOINED_MAX) writeAll(Buffer.concat(parts));
  else for (const part of parts) writeAll(part);
}

export async function serve(): Promise<number> {
  // Standard output belongs to frames: whatever else is printed goes to standard error.
  console.log = console.error;
  // Ctrl-C in a terminal reaches the whole group; the client decides what it means.
  process.on("SIGINT", () => {});
  try {
    return await serveStreams(process.stdin, send);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return 0;
    throw error;
  }
}
