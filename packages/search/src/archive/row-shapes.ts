/**
 * What the JSON in each column of an archive must be. Readers, `check` and `salvage` use the same shapes,
 * so that what one of them takes the others take, too.
 */

import type { OutcomeCounts } from "../engine/progress.js";
import {
  isAmount,
  isCount,
  isCounts,
  isJson,
  isNames,
  isNumber,
  isNumberMap,
  isRecord,
  isStarts,
  isText,
  listOf,
  mapOf,
  maybe,
  objectOf,
  oneOf,
  orNull,
  type Shape,
} from "../shapes.js";
import type { CandidateLimits, LengthParts, MemberScores, Outcome, SearchEvent } from "../types.js";
import { LEDGER_ROW, type Ledger } from "./ledger.js";
import type { PendingBody } from "./pending.js";
import type { Row, Table } from "./schema.js";
import { isState } from "./state-shapes.js";

/** What became of the visits of an epoch, kept or not, and how many rows tell of it. */
export interface EpochCounts {
  readonly scored: number;
  /** By code. */
  readonly failed: Readonly<Record<string, number>>;
  readonly duplicates: number;
  readonly revisits: number;
  readonly fits: number;
  readonly rows: Readonly<Record<"candidates" | "revisits" | "fits" | "failures", number>>;
  /** In a salvaged archive: visits that were lost. */
  readonly lost?: number;
}

export const isEpochCounts: Shape<EpochCounts> = objectOf<EpochCounts>({
  scored: isCount,
  failed: mapOf(isCount),
  duplicates: isCount,
  revisits: isCount,
  fits: isCount,
  rows: objectOf<EpochCounts["rows"]>({
    candidates: isCount,
    revisits: isCount,
    fits: isCount,
    failures: isCount,
  }),
  lost: maybe(isCount),
});

export const isLedger: Shape<Ledger> = objectOf<Ledger>({
  rows: mapOf(isCount),
  salvaged: maybe(
    objectOf<{ canResume: boolean }>({ canResume: (value) => typeof value === "boolean" }),
  ),
});

export const isEvent = (value: unknown): value is SearchEvent =>
  isRecord(value) && isText(value["type"]) && isJson(value);

export const isParts: Shape<LengthParts> = objectOf<LengthParts>({
  data: isNumber,
  constants: isNumber,
  symbols: isNumber,
  gaps: isNumber,
});

/** Ends that are not known are NaN, which JSON says as null. */
export type KeptIntervals = Readonly<Record<string, readonly [number | null, number | null]>>;
const isEnd = orNull(isNumber);
export const isIntervals: Shape<KeptIntervals> = mapOf(
  (pair): pair is readonly [number | null, number | null] =>
    Array.isArray(pair) && pair.length === 2 && pair.every(isEnd),
);

export type KeptScores = Readonly<Record<keyof MemberScores, number | null>>;
export const isScores: Shape<KeptScores> = objectOf<KeptScores>({
  loss: isEnd,
  trainR2: isEnd,
  r2: isEnd,
  bic: isEnd,
});

type KeptOutcome = Omit<Outcome, "loss" | "trainR2" | "r2" | "bic"> & KeptScores;

/** An outcome as outcome-json.ts reads it. */
export const isKeptOutcome: Shape<KeptOutcome> = objectOf<KeptOutcome>({
  id: isCount,
  visit: isCount,
  round: isCount,
  slot: isCount,
  proposer: isText,
  origin: isText,
  source: isText,
  parents: isCounts,
  skeleton: isText,
  complexity: isCount,
  status: oneOf("scored", "failed", "duplicate"),
  failure: maybe(
    objectOf<NonNullable<Outcome["failure"]>>({
      stage: oneOf("parse", "screen", "fit", "score"),
      code: isText,
      message: isText,
      facts: maybe(isRecord) as Shape<NonNullable<Outcome["failure"]>["facts"]>,
    }),
  ),
  duplicateOf: maybe(isCount),
  rung: isCount,
  fits: isCount,
  params: isNumberMap,
  loss: isEnd,
  trainR2: isEnd,
  r2: isEnd,
  bic: isEnd,
});

export const isPendingBody = (value: unknown): value is PendingBody =>
  isRecord(value) &&
  (value["kind"] === "proposed"
    ? isText(value["proposals"])
    : value["kind"] === "settled" && listOf(isKeptOutcome)(value["outcomes"]));

type Columns = Readonly<Record<string, readonly number[]>>;
const isColumns = (value: unknown): value is Columns => {
  if (!mapOf(listOf(isNumber))(value)) return false;
  const [first, ...others] = Object.values(value);
  return first !== undefined && others.every(({ length }) => length === first.length);
};

const isRecipe = objectOf<{
  optimiser: string;
  rungs: readonly Readonly<Record<string, number>>[];
  startDeviation: number | undefined;
  adam: Readonly<Record<string, number>> | undefined;
}>({
  optimiser: isText,
  rungs: listOf(isNumberMap),
  startDeviation: maybe(isAmount),
  adam: maybe(isNumberMap),
});

/** As far as a search may go. */
const isLimit = (value: unknown): value is number =>
  isCount(value) && value > 0 && value <= 2 ** 32;
const isLimits = objectOf<Required<CandidateLimits>>({
  screenSteps: isLimit,
  fitSteps: isLimit,
  sourceLength: isLimit,
  nesting: isLimit,
  parameters: isLimit,
  memory: isLimit,
});

const isPositive = (value: unknown): value is number => isCount(value) && value > 0;

const STUDY: ReadonlyMap<string, Shape<unknown>> = new Map<string, Shape<unknown>>([
  ["target", isText],
  ["inputs", isNames],
  ["train", isColumns],
  ["heldOut", isColumns],
  ["seed", isCount],
  ["recipe", isRecipe],
  ["limits", isLimits],
  ["complexityMax", orNull(isPositive)],
  ["operators", isNames],
  ["precision", oneOf("f32", "f64")],
  ["domain", oneOf("ieee", "clamp")],
  ["description", isText],
  ["epoch", isPositive],
  ["slots", isPositive],
  ["lag", isPositive],
  ["islands", isPositive],
  ["keep", oneOf("all", "scored", "front")],
  ["proposers", isNames],
]);

/** Shapes by table and column; those of `study` and `state` depend on the row. */
const COLUMNS: {
  readonly [T in Table]?: Readonly<Record<string, (row: Row<T>) => Shape<unknown>>>;
} = {
  study: { value: ({ key }) => STUDY.get(key) ?? isJson },
  runs: { budget: () => mapOf(orNull(isNumber)) },
  epochs: { candidates: () => isCounts, front: () => isCounts },
  candidates: { parents: () => isCounts, params: () => isStarts },
  revisits: { parents: () => isCounts, params: () => isStarts },
  fits: { params: () => isNumberMap },
  failures: { facts: () => isFacts },
  members: {
    parts: () => isParts,
    params: () => isNumberMap,
    intervals: () => isIntervals,
    undetermined: () => isNames,
    simple: () => isNames,
    scores: () => isScores,
  },
  events: { body: () => isEvent },
  state: { state: ({ one }) => (one === LEDGER_ROW ? isLedger : isState) },
  proposers: { state: () => isJson },
  pending: { body: () => isPendingBody },
};

export const isFacts = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isRecord(value) && isJson(value);

/** What the JSON of a column must be; undefined where it holds none. */
export function shapeOf<T extends Table>(
  table: T,
  column: string,
  row: Row<T>,
): Shape<unknown> | undefined {
  const columns = COLUMNS[table];
  return columns !== undefined && Object.hasOwn(columns, column)
    ? columns[column]?.(row)
    : undefined;
}

/** Counts of a study in which nothing has happened. */
export const noCounts = (candidates: number): OutcomeCounts => ({
  candidates,
  revisits: 0,
  scored: 0,
  duplicates: 0,
  failed: 0,
  fits: 0,
  failures: {},
});
