/**
 * The yardstick: what lengths of one study are measured by, and a rough length that costs nothing.
 *
 * It is a pure function of the study, so every thread and every computer has the same one.
 */

import { own } from "@ndvm/core";
import type { LengthParts, Outcome } from "../types.js";
import { log2 } from "./bits.js";

type Numbers = ArrayLike<number>;
type Part = Readonly<Record<string, Numbers>>;

/** What a yardstick needs of a study; an archive's study has it, too. */
export interface Measured {
  readonly target: string;
  readonly inputs: readonly string[];
  readonly operators: readonly string[];
  readonly precision: "f32" | "f64";
  readonly train: Part;
  readonly heldOut: Part;
}

export interface Yardstick {
  /** All rows, and those that are trained on. */
  readonly rows: number;
  readonly trainRows: number;
  /** Price of an operator, a name or a number: the logarithm of how many there are. */
  readonly symbolBits: number;
  /** The smallest step of the target that counts: the data's last digit, or rounding. */
  readonly resolution: number;
  /** Mean square of the least residuals that count. */
  readonly leastSquare: number;
  /** Logarithm of the resolution's square, and the rough price of a constant. */
  readonly resolutionBits: number;
  readonly roughConstantBits: number;
  readonly inputs: readonly string[];
  /** Inputs whose rows lie on a lattice, by the lattice's step. */
  readonly lattices: ReadonlyMap<string, Lattice>;
}

/** Values of a column are origin + whole number · step. */
export interface Lattice {
  readonly origin: number;
  readonly step: number;
}

/**
 * Steps below these shares of the target's size are rounding: some tens of units in the last place,
 * as they come together in a formula of some tens of operations.
 */
const ROUNDING = { f64: 2 ** -46, f32: 2 ** -18 } as const;
/** Digits that a column must leave out to count as written with fewer digits. */
const DIGITS_MOST = 13;

export function yardstickOf(study: Measured): Yardstick {
  const { target, train, heldOut, operators, inputs, precision } = study;
  const trained = own(train, target) as Numbers;
  const held = own(heldOut, target) as Numbers;
  let squares = 0;
  for (const part of [trained, held])
    for (let i = 0; i < part.length; i++) squares += (part[i] as number) * (part[i] as number);
  const rows = trained.length + held.length;
  const size = Math.sqrt(squares / rows);
  const resolution = Math.max(decimalStep([trained, held]), ROUNDING[precision] * size);
  const lattices = new Map<string, Lattice>();
  for (const name of inputs) {
    const lattice = latticeOf([own(train, name) as Numbers, own(heldOut, name) as Numbers]);
    if (lattice !== undefined) lattices.set(name, lattice);
  }
  return {
    rows,
    trainRows: trained.length,
    // A constant is a symbol, too.
    symbolBits: log2(operators.length + inputs.length + 1),
    resolution,
    leastSquare: (resolution * resolution) / 12,
    resolutionBits: 2 * log2(resolution),
    roughConstantBits: 0.5 * log2(rows) + CONSTANT_BITS,
    inputs,
    lattices,
  };
}

/** The power of ten that all numbers are whole multiples of; 0 where they have all their digits. */
export function decimalStep(columns: readonly Numbers[]): number {
  let most = 0;
  for (const column of columns)
    for (let i = 0; i < column.length; i++) most = Math.max(most, Math.abs(column[i] as number));
  if (!(most > 0) || !Number.isFinite(most)) return 0;
  const top = Number(most.toExponential().split("e")[1]);
  for (let digits = 0; digits < DIGITS_MOST; digits++) {
    const step = Number(`1e${top - digits}`);
    if (step > 0 && columns.every((column) => areMultiples(column, step))) return step;
  }
  return 0;
}

function areMultiples(column: Numbers, step: number): boolean {
  for (let i = 0; i < column.length; i++) {
    const turns = (column[i] as number) / step;
    if (Math.abs(turns - Math.round(turns)) > 1e-15 * Math.abs(turns) + 1e-9) return false;
  }
  return true;
}

/** Rows may be off a lattice by this share of its step. */
const JITTER = 0.01;
/** A lattice finer than this many times the range per value tells nothing: everything lies on it. */
const LATTICE_FINEST = 4;

/** The lattice that a column's values lie on; undefined where they are scattered. */
export function latticeOf(columns: readonly Numbers[]): Lattice | undefined {
  const values = new Set<number>();
  for (const column of columns)
    for (let i = 0; i < column.length; i++) values.add(column[i] as number);
  const sorted = Float64Array.from(values).sort();
  const [origin] = sorted;
  if (origin === undefined || sorted.length < 4) return undefined;
  const width = (sorted.at(-1) as number) - origin;
  let step = Number.POSITIVE_INFINITY;
  for (let i = 1; i < sorted.length; i++)
    step = Math.min(step, (sorted[i] as number) - (sorted[i - 1] as number));
  if (width / step > LATTICE_FINEST * sorted.length) return undefined;
  // Made exact by the whole width, so that a step that is a little off does not add up.
  step = width / Math.round(width / step);
  for (const value of sorted) {
    const turns = (value - origin) / step;
    if (Math.abs(turns - Math.round(turns)) > JITTER) return undefined;
  }
  return { origin, step };
}

/**
 * The length as a fit alone tells it: each constant at the precision that so many rows give to a
 * constant of its own size. It decides which of two programs of one size the front keeps; the
 * members' own lengths are in `weigh.ts`.
 */
export function roughLength(
  outcome: Pick<Outcome, "loss" | "params" | "complexity">,
  yardstick: Yardstick,
): LengthParts {
  const { rows, trainRows, symbolBits, leastSquare, resolutionBits } = yardstick;
  const meanSquare = Math.max(outcome.loss / trainRows, leastSquare);
  const constants = Object.keys(outcome.params).length;
  return {
    data: 0.5 * rows * (log2(meanSquare) - resolutionBits + LOG2_TWO_PI_E),
    constants: constants * yardstick.roughConstantBits,
    symbols: outcome.complexity * symbolBits,
    gaps: 0,
  };
}

const LOG2_TWO_PI_E = 4.094191046;

/** Price of a constant beside its digits: its sign. */
export const CONSTANT_BITS = 1;

export const totalOf = ({ data, constants, symbols, gaps }: LengthParts): number =>
  data + constants + symbols + gaps;
