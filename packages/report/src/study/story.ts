/** What a page about a study tells, as plain data: the archive's rows, and what was made of them. */

import type { Domain } from "@ndvm/core";
import type { DrawingLimits } from "./curves.js";

/** A member of the front. */
export interface StudyMember {
  readonly id: number;
  readonly source: string;
  readonly params: Readonly<Record<string, number>>;
  readonly intervals: Readonly<Record<string, readonly [number, number]>>;
  /** Constants that are taken as exact, and those that the data do not tell from 0. */
  readonly simple: readonly string[];
  readonly undetermined: readonly string[];
  readonly complexity: number;
  readonly loss: number;
  readonly r2: number;
  readonly trainR2: number;
  readonly bic: number;
  readonly score: number;
  /** The description length in bits, and its parts. */
  readonly length: number;
  readonly parts: {
    readonly data: number;
    readonly constants: number;
    readonly symbols: number;
    readonly gaps: number;
  };
}

/** How the programs of a study are loaded. */
export type StudyLoad = Pick<StudyStory, "inputs" | "domain">;

/** A candidate that the chosen one comes from. */
export interface StudyAncestor {
  readonly id: number;
  readonly proposer: string;
  readonly origin: string;
  readonly parents: readonly number[];
  readonly r2: number;
  readonly source: string;
}

export interface StudyRun {
  readonly run: number;
  readonly started: string;
  readonly workers: number;
  readonly command: string;
  readonly resumedFrom: number;
  readonly versions: Readonly<Record<string, string>>;
}

type Columns = Readonly<Record<string, Float64Array>>;

export interface StudyStory {
  /** The archive. */
  readonly file: string;
  readonly target: string;
  readonly inputs: readonly string[];
  readonly domain: Domain;
  /** What its programs may use. Default: what those of any search may. */
  readonly limits?: DrawingLimits | undefined;
  /** Rows that were fitted, and those held out. */
  readonly train: Columns;
  readonly heldOut: Columns;
  /** Further options of the study, by name. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly front: readonly StudyMember[];
  readonly chosen: StudyMember | undefined;
  /** Why it was chosen, as the rest of a sentence. */
  readonly why: string | undefined;
  readonly warnings: readonly string[];
  readonly counts: {
    readonly visits: number;
    readonly fits: number;
    readonly seconds: number;
    readonly duplicates: number;
    readonly failed: number;
  };
  /** Failed candidates by code: how many, and one of them. */
  readonly failures: readonly {
    readonly code: string;
    readonly count: number;
    readonly source: string;
    readonly message: string;
  }[];
  readonly discoveries: readonly {
    readonly seconds: number;
    readonly fits: number;
    readonly r2: number;
  }[];
  readonly throughput: readonly { readonly second: number; readonly visits: number }[];
  readonly timings: {
    readonly screen: number;
    readonly walk: number;
    readonly replay: number;
    readonly fit: number;
    readonly score: number;
    readonly fitShare: number;
  };
  /** The chosen one and its ancestors. */
  readonly lineage: readonly StudyAncestor[];
  readonly runs: readonly StudyRun[];
}
