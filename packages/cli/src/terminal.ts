/**
 * What goes to the terminal: colours (only on a TTY, never with NO_COLOR), error messages with
 * their caret, warnings, and a quiet end when the reader of a pipe goes away.
 *
 * Everything is written by `write`, which lets no control character through. Colours of ours are
 * marked by a word that nobody else knows until they are written, so a program that holds the codes
 * of a terminal cannot pass for us.
 *
 * Sentences (errors, warnings, notes) leave without the passwords of addresses. Results leave as they
 * are: JSON, CSV and programs would be torn, and what an endpoint sends was cleaned when it came.
 */

import { formatError, inOneLine, NdvmError, replaceUnseen, visible } from "@ndvm/core/machine";
import { hideCredentials } from "@ndvm/search/redact";
import { systemReason } from "@ndvm/tables/text";
import pc from "picocolors";
import { inCommandWords } from "./command-words.js";

const wantsColour = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";

/**
 * Stands for the escape character of our own colours. Texts are written before this process starts
 * or without seeing its memory, so any number does that nobody can foresee.
 */
const MARK = `\u{f0000}${Math.random().toString(36)}${Math.random().toString(36)}`;

/** Colours of one stream; plain text where the stream is not a terminal. */
function coloursOf(stream: NodeJS.WriteStream) {
  const colours = pc.createColors(wantsColour(stream));
  const marked = (paint: (text: string) => string) => (text: string) =>
    paint(visible(text)).replaceAll("\x1b", MARK);
  return {
    isColorSupported: colours.isColorSupported,
    bold: marked(colours.bold),
    cyan: marked(colours.cyan),
    dim: marked(colours.dim),
    yellow: marked(colours.yellow),
  };
}

export const out = coloursOf(process.stdout);
const err = coloursOf(process.stderr);

/** A text without our colours. */
export const withoutColours = (text: string): string =>
  text.split(MARK).reduce((plain, piece) => plain + piece.replace(/^\[[0-9;]*m/, ""));

/** What is written for a text: no control characters, our colours. */
function written(text: string): string {
  return visible(text).replaceAll(MARK, "\x1b");
}

/** The exit code once nothing can be written any more: 0 where the reader of a pipe went away. */
let brokenCode: number | undefined;

/** The one place where text leaves for a stream. False: wait for "drain". */
export function write(stream: NodeJS.WriteStream, text: string): boolean {
  return brokenCode !== undefined || stream.write(written(text));
}

/** Moves the cursor of a terminal up and clears what is below. */
export function eraseLines(count: number): void {
  process.stdout.write(`\x1b[${count}A\x1b[J`);
}

/** Writes a line, or several. */
export function print(text: string): void {
  write(process.stdout, `${text}\n`);
}

/** Writes a long text as it is made, no faster than it is read. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (!write(process.stdout, piece)) await drained(process.stdout);
  }
}

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const event of ["drain", "close"]) stream.off(event, end);
      resolve();
    };
    for (const event of ["drain", "close"]) stream.once(event, end);
  });
}

/** Columns of the terminal, or a width that reads well in a file. */
export const widthOf = (stream: NodeJS.WriteStream): number =>
  stream.isTTY ? Math.max(40, stream.columns) : 100;

let endsInOrder = false;

/** The exit code of a command whose output could not be written to its end. */
export const codeOfBrokenOutput = (): number | undefined => brokenCode;

/**
 * A pipe that closes early (`| head`) ends the command without a word, and a disk that is full with an error.
 * Work that Ctrl-C would end in order is ended in order, so that an archive is closed and its lock is gone.
 */
export function endOnBrokenOutput(): void {
  if (endsInOrder) return;
  endsInOrder = true;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (brokenCode !== undefined) return;
      const isPipe = error.code === "EPIPE";
      if (!isPipe && stream === process.stdout) reportError(unwritten(error));
      brokenCode = isPipe ? 0 : 1;
      if (process.listenerCount("SIGINT") === 0) process.exit(brokenCode);
      process.emit("SIGINT", "SIGINT");
    });
  }
}

const unwritten = (cause: unknown): NdvmError =>
  new NdvmError("E-FILE", `cannot write standard output: ${systemReason(cause)}`, {
    help: "what was written before is cut off",
  });

export function reportError(error: NdvmError): void {
  const shown = forPeople(inCommandWords(error));
  const text = formatError(shown, { color: err.isColorSupported }).replaceAll("\x1b", MARK);
  write(process.stderr, `${text}\n`);
}

/**
 * The same error without control characters, one character for one, so that its places stay right;
 * and its message, in which other programs may speak, without passwords. Names end none of its lines.
 */
function forPeople(error: NdvmError): NdvmError {
  const clean = (text: string): string =>
    replaceUnseen(text, (mark) => (mark === "\r" ? " " : "\ufffd".repeat(mark.length)));
  const line = (text: string | undefined) =>
    text === undefined ? undefined : inOneLine(clean(text));
  const { code, message, span, source, file, help } = error;
  return new NdvmError(code, hideCredentials(inOneLine(clean(message))), {
    span,
    source: source === undefined ? undefined : clean(source),
    file: line(file),
    help: line(help),
  });
}

export function warn(message: string): void {
  write(process.stderr, `${err.yellow("warning:")} ${hideCredentials(inOneLine(message))}\n`);
}

export function note(message: string): void {
  write(process.stderr, `${err.dim(hideCredentials(message))}\n`);
}

/** What is wrong with the words of the command, some of which it repeats. */
export function complain(message: string): void {
  write(process.stderr, hideCredentials(message));
}
