/**
 * Asking a proposer, which may take as long as it likes: whoever asks leaves when the search ends.
 */

import type { Proposals, Proposer } from "../types.js";

/** Undefined: the search ended before the answer came. */
export async function ask(
  proposer: Proposer,
  count: number,
  signal: AbortSignal,
): Promise<Proposals | undefined> {
  let leave = (): void => {};
  const ended = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
  });
  // Before anybody is asked: a proposer may end the search itself.
  signal.addEventListener("abort", leave);
  try {
    const asked = proposer.propose(count, signal);
    // Whoever answers too late may fail unheard.
    asked.catch(() => {});
    return await Promise.race([asked, ended]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
