/**
 * The words of co-search: what `search` takes, what it tells, and what a proposer is.
 *
 * Order is everything here. Candidates come in epochs of a fixed size, epochs in slots of rounds, and
 * are numbered in that order. Whoever makes those of round r has heard of every outcome up to round
 * r − lag and of none after it, however many workers there are and however fast they run. So a
 * study's candidates, fits and front depend on its options and its seed only.
 */

import type { AdamOptions, Column, NdvmError, Optimiser, ParameterSpec } from "@ndvm/core";
import type { EvolveOptions } from "./evolve/breeder.js";

/** What JSON can hold: a proposer's state, an event. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** Columns of one length. */
export type SearchData = Readonly<Record<string, Column>>;

/** One column as a proposer may know it. */
export interface ColumnSummary {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly deviation: number;
  /** Values are origin + whole number · step; undefined where they are scattered. */
  readonly lattice?: { readonly origin: number; readonly step: number };
}

/** What every proposer is told once, before its first batch. */
export interface StudyBrief {
  readonly target: ColumnSummary;
  readonly inputs: readonly ColumnSummary[];
  readonly rows: number;
  /** Names of primitives and forms ("+", "sin", "if", "loop") that programs may use. */
  readonly operators: readonly string[];
  readonly complexityMax: number;
  /** Islands of a proposer that has such. */
  readonly islands: number;
  /** A number of the study's seed and the proposer's place: all chance of a proposer starts here. */
  readonly seed: number;
  /** A few training rows, for proposers that look at data: inputs and target by name. */
  readonly sample: readonly Readonly<Record<string, number>>[];
  /** What the user says the data are; empty where nothing was said. */
  readonly description: string;
}

/** A program someone suggests. Free names that are no inputs are its parameters. */
export interface Proposal {
  readonly source: string;
  /** Ids of candidates it was made from. */
  readonly parents: readonly number[];
  /** How it was made: "draw", "cross", "mutate-constant", "read", "answer" … */
  readonly origin: string;
  /** Where its parameters start; names left out start where the recipe says. */
  readonly params?: Readonly<Record<string, ParameterSpec>>;
  /** The prompt that it answers, where there is one. */
  readonly prompt?: string;
  /** True: fit it even if its skeleton was seen (`replay`'s revisits). */
  readonly isRevisit?: boolean;
}

/** What a proposer spent on a batch; the engine adds it up and holds it against the budget. */
export interface Spending {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In the currency of the prices given; 0 where there are none. */
  readonly cost: number;
}

export interface Proposals {
  readonly proposals: readonly Proposal[];
  readonly spending?: Spending;
  /** Something the user should hear: a model that cannot be reached, an answer that was refused. */
  readonly problems?: readonly ProposerProblem[];
  /** True: nothing more will ever come from this proposer. */
  readonly isExhausted?: boolean;
}

export interface ProposerProblem {
  readonly code: string;
  readonly message: string;
}

/**
 * One source of programs. All of its state goes through `save` and `restore`.
 *
 * A batch without programs that is not exhausted means "not yet": the next proposer has its turn.
 */
export interface Proposer {
  readonly name: string;
  /**
   * How it breeds, as plain data: then programs are bred where they are fitted, and `propose` and
   * `observe` are never called by a search. Of `evolve` only.
   */
  readonly breeding?: EvolveOptions;
  begin(brief: StudyBrief): void;
  /** At most `count` programs. `signal` ends the wait for something slow. */
  propose(count: number, signal: AbortSignal): Promise<Proposals>;
  /** Outcomes of all proposers' candidates, in the order of their visits, batch after batch. */
  observe(outcomes: readonly Outcome[]): void;
  /** A text that is stored or printed, without the proposer's keys and passwords. */
  redact?(text: string): string;
  /** Called at any time; while `propose` is under way, the state from before it. */
  save(): Json;
  restore(state: Json): void;
}

/** Where a candidate's way ended. */
export type Stage = "parse" | "screen" | "fit" | "score";

export interface Failure {
  readonly stage: Stage;
  /** An NdvmError's code, or one of search's own ("E-WORKER", "E-NOT-FINITE"). */
  readonly code: string;
  readonly message: string;
  /** What the error was about, for code to read. */
  readonly facts?: NdvmError["facts"];
}

/** What became of a candidate after the last fit of a visit. */
export interface Outcome {
  /** The number of the candidate: that of its first visit. */
  readonly id: number;
  /** The number of the proposal. It differs from `id` for revisits only. */
  readonly visit: number;
  /** The epoch that it came from: its round, and its slot there. */
  readonly round: number;
  readonly slot: number;
  readonly proposer: string;
  readonly origin: string;
  readonly source: string;
  readonly parents: readonly number[];
  /** The program in one canonical spelling, its parameters as P0, P1 …: see skeleton.ts. */
  readonly skeleton: string;
  readonly complexity: number;
  readonly status: "scored" | "failed" | "duplicate";
  readonly failure?: Failure;
  /** The candidate of the same skeleton that came first, of a duplicate. */
  readonly duplicateOf?: number;
  /** Which rung of the ladder of fits it reached: 0 is the short fit. */
  readonly rung: number;
  /** Fits that were run: the restarts of all rungs. */
  readonly fits: number;
  /** Fitted parameters. They and the numbers below are empty and NaN where there is no score. */
  readonly params: Readonly<Record<string, number>>;
  /** Sum of squares over the training rows. */
  readonly loss: number;
  readonly trainR2: number;
  /** Held-out R². */
  readonly r2: number;
  readonly bic: number;
}

/** One rung of the ladder of fits: successive halving inside each epoch. */
export interface Rung {
  readonly restarts: number;
  readonly steps: number;
  /** Share of an epoch's candidates on the rung before that are promoted here; 1 for rung 0. */
  readonly share: number;
}

export interface Recipe {
  readonly optimiser: Optimiser;
  readonly adam?: AdamOptions;
  readonly rungs: readonly Rung[];
  /** Standard deviation of the parameters' starts, drawn around 0. */
  readonly startDeviation: number;
}

/** What ends a search. Whichever comes first does. */
export interface Budget {
  /** Wall-clock. Ends work that is under way. */
  readonly seconds?: number;
  /** Proposals taken, revisits and duplicates too. */
  readonly candidates?: number;
  /** Restarts fitted. Never exceeded. */
  readonly fits?: number;
  /** Tokens of language models, in and out. */
  readonly tokens?: number;
  /** Stop when a member of the front has this held-out R², whichever member it is. */
  readonly r2?: number;
}

/** What one candidate may use. All of them count something that no clock knows. */
export interface CandidateLimits {
  /** Steps of one walk over a few rows, before any fit. Default 5,000. */
  readonly screenSteps?: number;
  /** Steps of one walk in a fit. Default 50,000. */
  readonly fitSteps?: number;
  /** Letters of a program. Default 10,000. */
  readonly sourceLength?: number;
  /** Parentheses, brackets and quotes inside each other. Default 1,000. */
  readonly nesting?: number;
  /** Parameters of a program. Default 32. */
  readonly parameters?: number;
  /** Bytes of a machine. Default 256 MiB. */
  readonly memory?: number;
}

/** What stays of a study: every visit, the scored ones, or those that ever stood on the front. */
export type Keep = "all" | "scored" | "front";

export interface SearchOptions {
  readonly data: SearchData;
  readonly target: string;
  /** Default: every other column. */
  readonly inputs?: readonly string[];
  /** Share of the rows that are held out (default 0.25), or their indices. */
  readonly holdOut?: number | readonly number[];
  /** Default: one `evolve`. They take turns, in this order. */
  readonly proposers?: readonly Proposer[];
  readonly budget?: Budget;
  /** Default: one for each core; 0 runs in this thread. */
  readonly workers?: number;
  /** File of the study's archive. Without it nothing is kept. */
  readonly archive?: string;
  /**
   * Which visits the archive keeps: all of them (the default), those that were scored, or those that
   * stood on the front when their batch was settled. The others are counted.
   */
  readonly keep?: Keep;
  /** Go on with the study in `archive`. */
  readonly resume?: boolean;
  /** Default 0. */
  readonly seed?: number;
  readonly recipe?: Partial<Recipe>;
  readonly operators?: readonly string[];
  readonly complexityMax?: number;
  readonly precision?: "f32" | "f64";
  readonly domain?: "ieee" | "clamp";
  /** What the data are, in words, for proposers that read words. */
  readonly description?: string;
  /** How a user can start this search again: the archive keeps it for reports. */
  readonly command?: string;
  /** Ends the search: what is done is kept and returned. */
  readonly signal?: AbortSignal;
  /**
   * Candidates in an epoch, epochs of each proposer in a round, and how many rounds a proposer is
   * behind. Defaults 16 (down to 4 for data of more than 2,000 rows), 16 and 2.
   */
  readonly epoch?: number;
  readonly slots?: number;
  readonly lag?: number;
  /** Islands of `evolve`, where its own options do not say. Default 4. */
  readonly islands?: number;
  readonly limits?: CandidateLimits;
}

/** Parts of a description length, in bits. */
export interface LengthParts {
  /** The target's digits, given the model's predictions of all rows. */
  readonly data: number;
  /** Constants, at the precision that the data give them. */
  readonly constants: number;
  /** Operators, names and numbers of the program. */
  readonly symbols: number;
  /** Swings between neighbouring rows that no row shows. */
  readonly gaps: number;
}

export type Intervals = Readonly<Record<string, readonly [number, number]>>;

/** What all rows, held-out ones too, say about a member of the front: choice/weigh.ts. */
export interface Weighing {
  /** The program, with constants that are 0, 1 or −1 written out and what follows taken away. */
  readonly source: string;
  readonly complexity: number;
  readonly length: number;
  readonly parts: LengthParts;
  /** Constants fitted on all rows. */
  readonly params: Readonly<Record<string, number>>;
  readonly intervals: Intervals;
  /** Constants that are simple numbers: 2, −1, 1/2, π. */
  readonly simple: readonly string[];
  /** Constants that the data do not tell from 0: 0 is in their interval, or they have none. */
  readonly undetermined: readonly string[];
  /** Share of the gaps between neighbouring rows in which the model swings unseen. */
  readonly hidden: number;
  /** Where the program is another one than the visit's: how that does on the study's rows. */
  readonly scores?: MemberScores;
  /** The visit of a shorter member that is the same function: choice/twins.ts. */
  readonly twinOf?: number;
}

/** As in `Outcome`, for a program whose constants are fitted to the training rows. */
export type MemberScores = Pick<Outcome, "loss" | "trainR2" | "r2" | "bic">;

/** A member of the front: nothing that is no larger is both more accurate and shorter. */
export interface FrontMember {
  readonly id: number;
  /** The visit whose fit it is. */
  readonly visit: number;
  readonly source: string;
  /** Fitted on all rows once it is weighed, until then on the training rows. */
  readonly params: Readonly<Record<string, number>>;
  readonly intervals: Intervals;
  /** Held-out R² of the constants that the training rows gave. */
  readonly r2: number;
  readonly trainR2: number;
  readonly loss: number;
  readonly bic: number;
  readonly complexity: number;
  /** Description length in bits: the shortest member is the choice. Rough until it is weighed. */
  readonly length: number;
  readonly parts: LengthParts;
  /** Whether the length is that of all rows: a search weighs its front when it ends. */
  readonly isWeighed: boolean;
  readonly simple: readonly string[];
  readonly undetermined: readonly string[];
  readonly hidden: number;
  /** Fall of log loss per unit of complexity from the member before: PySR's score. */
  readonly score: number;
}

export interface Counts {
  /** Proposals taken, and how many of them were revisits. */
  readonly candidates: number;
  readonly revisits: number;
  readonly scored: number;
  readonly duplicates: number;
  readonly failed: number;
  readonly fits: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly workersReplaced: number;
  readonly spending: Spending;
}

/** How much a study has come to, and this run of it. */
export interface Amounts {
  /** Of the study. */
  readonly counts: Counts;
  /** What this run has added to them. */
  readonly inThisRun: Pick<Counts, "candidates" | "fits">;
  /** Of this run. */
  readonly seconds: number;
}

export type StopCause =
  | "seconds"
  | "candidates"
  | "fits"
  | "tokens"
  | "r2"
  | "aborted"
  | "exhausted";

/** Every event of a study, in order; those with a candidate are in the archive before they are told. */
export type SearchEvent =
  | {
      readonly type: "started";
      readonly seed: number;
      readonly workers: number;
      readonly rows: { readonly train: number; readonly heldOut: number };
      readonly resumedFrom: number;
    }
  | { readonly type: "candidate"; readonly outcome: Outcome }
  | { readonly type: "front"; readonly front: readonly FrontMember[] }
  | ({ readonly type: "progress" } & Amounts)
  | { readonly type: "problem"; readonly proposer: string; readonly problem: ProposerProblem }
  | { readonly type: "worker"; readonly worker: number; readonly message: string }
  | { readonly type: "warning"; readonly message: string }
  | SearchDone;

export interface SearchDone extends Amounts {
  readonly type: "done";
  readonly stopped: StopCause;
  /** The most accurate member on the training rows. Undefined where no candidate could be scored. */
  readonly best?: FrontMember;
  /** The member of least description length. */
  readonly choice?: FrontMember;
  /** Why it is the choice, and what the next best would be, in a sentence. */
  readonly why?: string;
  readonly front: readonly FrontMember[];
  /** What to be wary of, in sentences. */
  readonly warnings: readonly string[];
}
