/**
 * What passes between the server and the calls it answers.
 */

import type { ArrayList, Shaped } from "./frames.js";
import type { Fields } from "./values.js";

/** What a call may use besides its fields. */
export interface CallContext {
  readonly arrays: readonly Shaped[];
  readonly signal: AbortSignal;
  /** Tells the client something before the answer. */
  tell(event: Fields): void;
}

/** An answer: its fields and arrays, or the bytes of its frame. */
export type Answer =
  | { readonly fields: Fields; readonly arrays?: ArrayList }
  | { readonly parts: readonly Uint8Array[] };
