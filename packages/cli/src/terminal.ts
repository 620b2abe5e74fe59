/**
 * What goes to the terminal: colours (only on a TTY, never with NO_COLOR), error messages with
 * their caret, warnings, and a quiet end when the reader of a pipe goes away.
 */

import { formatError, type NdvmError } from "@ndvm/core";
import pc from "picocolors";
import { inCommandWords } from "./command-words.js";

const wantsColour = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

/** Colours of one stream; plain text where the stream is not a terminal. */
export const out = pc.createColors(wantsColour(process.stdout));
const err = pc.createColors(wantsColour(process.stderr));

/** Writes a line, or several. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Columns of the terminal, or a width that reads well in a file. */
export const widthOf = (stream: NodeJS.WriteStream): number =>
  stream.isTTY ? Math.max(40, stream.columns) : 100;

let endsQuietly = false;

/** A pipe that closes early (`| head`) ends the command without a word. */
export function endQuietlyOnBrokenPipe(): void {
  if (endsQuietly) return;
  endsQuietly = true;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
}

export function reportError(error: NdvmError): void {
  const text = formatError(inCommandWords(error), { color: err.isColorSupported });
  process.stderr.write(`${text}\n`);
}

export function warn(message: string): void {
  process.stderr.write(`${err.yellow("warning:")} ${message}\n`);
}

export function note(message: string): void {
  process.stderr.write(`${err.dim(message)}\n`);
}
