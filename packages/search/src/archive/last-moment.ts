/**
 * The last moment of a process: archives that are open are closed, so that no lock and no log stays
 * beside them. It comes with `process.exit`, with an error that nobody catches, and with a signal that
 * ends the process and that nobody else listens to. SIGKILL, a power cut and a crash of the process itself
 * (SIGABRT, SIGSEGV …) leave a lock file, which stops nobody: the lock itself goes with the process.
 *
 * Nothing asynchronous happens any more at that moment, so a closer blocks until it is done.
 */

import { constants } from "node:os";

/**
 * Those that end a process and can be listened to, where the system has them. Not SIGPIPE and SIGXFSZ:
 * Node ignores them, and a reader who goes away or a full disk is an error of the stream or the file.
 */
const SIGNALS = (
  [
    ...["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGXCPU"],
    ...["SIGIO", "SIGPWR", "SIGSTKFLT"],
  ] as readonly NodeJS.Signals[]
).filter((signal) => Object.hasOwn(constants.signals, signal));

const closers = new Set<() => void>();

/** Registers what closes an archive now. Gives back how to take it off again. */
export function atLastMoment(close: () => void): () => void {
  if (closers.size === 0) listen();
  closers.add(close);
  return () => {
    if (closers.delete(close) && closers.size === 0) stopListening();
  };
}

function closeAll(): void {
  for (const close of closers) close();
  closers.clear();
  stopListening();
}

/** Ends the process as the signal would have, unless somebody else has plans for it. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  closeAll();
  process.kill(process.pid, signal);
}

function listen(): void {
  process.on("exit", closeAll);
  for (const signal of SIGNALS) process.on(signal, onSignal);
}

function stopListening(): void {
  process.off("exit", closeAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}
