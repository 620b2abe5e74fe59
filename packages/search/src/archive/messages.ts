/**
 * Messages between a search and the thread that writes its archive.
 */

import type { ErrorCode, NdvmError } from "@ndvm/core";
import type { Value } from "./driver.js";
import type { PackedRows } from "./rows.js";
import type { BulkTable } from "./schema.js";

export interface WriterStart {
  readonly file: string;
  readonly mayResume: boolean;
  /** What makes the study this one: texts that must agree when it is resumed. */
  readonly study: Readonly<Record<string, string>>;
  readonly seeds: Readonly<Record<string, number>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly workers: number;
  readonly budget: string;
  readonly command: string;
  /** Shared memory: 1 once the file is closed. */
  readonly closed: Int32Array;
}

export type EpochKey = readonly [round: number, slot: number];
export type BulkRows = Readonly<Record<BulkTable, PackedRows>>;

export type ToWriter =
  | {
      readonly type: "commit";
      readonly serial: number;
      readonly rows: BulkRows;
      readonly prompts: readonly (readonly [prompt: number, text: string])[];
      readonly events: readonly (readonly [at: number, type: string, body: string])[];
      /** Values of the columns of a row of `members`. */
      readonly members: readonly (readonly Value[])[];
      readonly state: string;
      readonly proposers: readonly (readonly [name: string, state: string])[];
      /** Epochs whose rows in `pending` go, and those that come. */
      readonly dropped: readonly EpochKey[];
      readonly pending: readonly (readonly [...EpochKey, body: string])[];
    }
  | { readonly type: "close" };

export type FromWriter =
  | { readonly type: "open" }
  | { readonly type: "committed"; readonly serial: number }
  | { readonly type: "closed" }
  | {
      readonly type: "failed";
      readonly code: ErrorCode;
      readonly message: string;
      readonly help?: string;
      readonly facts?: NdvmError["facts"];
    };
