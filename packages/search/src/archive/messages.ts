/**
 * Messages between a search and the thread that writes its archive.
 */

import type { ErrorCode } from "@ndvm/core";
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
}

export type BulkRows = Readonly<Record<BulkTable, PackedRows>>;

export type ToWriter =
  | {
      readonly type: "commit";
      readonly serial: number;
      readonly rows: BulkRows;
      readonly prompts: readonly (readonly [prompt: number, text: string])[];
      readonly events: readonly (readonly [at: number, type: string, body: string])[];
      readonly intervals: readonly (readonly [visit: number, text: string])[];
      readonly state: string;
      readonly proposers: readonly (readonly [name: string, state: string])[];
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
    };
