/**
 * Which names are parameters, where they start and how they may move.
 *
 * A free name of the program that is not a column is a parameter, declared or not; one that looks like
 * a slip of another name is refused. A parameter of a group stands once for every group.
 */

import { type ErrorFacts, NdvmError } from "../../errors.js";
import { textOf } from "../../machine/options.js";
import { nearest } from "../../nearest.js";
import type { ParsedProgram } from "../../program/parsed-program.js";
import { makeError } from "../../words.js";
import { setField } from "../data/fields.js";
import { exp, log } from "../math/elementary.js";
import { Random } from "../math/random.js";
import type { FitOptions, ParameterOptions, ParameterSpec } from "../types.js";
import { makeTransform, type Transform } from "./transforms.js";

/** One number that the fit is after. */
export interface Free {
  /** What results call it: the input's name, or name[group]. */
  readonly label: string;
  /** The program's input it is bound to. */
  readonly input: string;
  /** Index of its group, −1 for a parameter that all rows share. */
  readonly group: number;
  readonly lower: number;
  readonly upper: number;
  readonly isLog: boolean;
  readonly start: number | undefined;
  readonly range: readonly [number, number];
  /** The place that the transform is made around. */
  readonly origin: number;
  readonly transform: Transform;
}

export interface Parameters {
  readonly free: readonly Free[];
  readonly fixed: Readonly<Record<string, number>>;
  readonly assumed: readonly string[];
}

const NO_PARAMS: NonNullable<FitOptions["params"]> = {};
const NO_SPEC: ParameterOptions = {};

/** Where a parameter starts that nobody said anything about. */
const START = 1;

export function refuse(message: string, help: string, facts?: ErrorFacts): NdvmError {
  return new NdvmError("E-INPUT", message, { help, facts });
}

/** Which inputs of the program are what; `columns` are the names that are data. */
export function resolveParameters(
  parsed: Pick<ParsedProgram, "inputs" | "builtins" | "constants" | "procedureValues">,
  columns: readonly string[],
  options: FitOptions,
  groups: readonly string[],
): Parameters {
  const { inputs } = parsed;
  const declared = options.params ?? NO_PARAMS;
  const constant = parsed.constants.find((name) => Object.hasOwn(options.data ?? {}, name));
  if (constant !== undefined) throw builtinName(constant, "column");
  checkDeclared(parsed, columns, declared, options);
  const free: Free[] = [];
  const fixed: Record<string, number> = {};
  const assumed: string[] = [];
  for (const name of inputs) {
    if (columns.includes(name)) continue;
    const given = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (given === undefined) {
      refuseSlip(name, parsed, columns, Object.keys(declared));
      assumed.push(name);
    }
    const spec = typeof given === "number" ? { start: given } : (given ?? NO_SPEC);
    checkKeys(name, spec);
    if (spec.fixed !== undefined) {
      setField(fixed, name, checkFixed(name, spec, spec.fixed));
      continue;
    }
    const isGrouped = options.groups?.params.includes(name) ?? false;
    if (!isGrouped) free.push(makeFree(name, name, -1, spec));
    else
      for (const [index, group] of groups.entries())
        free.push(makeFree(`${name}[${group}]`, name, index, spec));
  }
  const [procedure] = parsed.procedureValues;
  if (free.length === 0 && procedure !== undefined) throw builtinName(procedure, "parameter");
  if (free.length === 0)
    throw refuse(
      "the program has no parameter to fit",
      inputs.length === 0
        ? "use a free name that is not a column for each number that fit is to find"
        : "all of its names are columns or fixed",
    );
  return { free, fixed, assumed };
}

/** A name of the user's that the program's text uses with the meaning of the language. */
const builtinName = (name: string, what: "parameter" | "column"): NdvmError =>
  makeError(
    "E-INPUT",
    { reason: "builtin", names: [name], expected: what },
    {
      message: `${name} means something in the language, so the program does not read the ${what} ${name}`,
    },
  );

function checkDeclared(
  { inputs, builtins }: Pick<ParsedProgram, "inputs" | "builtins">,
  columns: readonly string[],
  declared: Readonly<Record<string, ParameterSpec>>,
  options: FitOptions,
): void {
  const grouped = options.groups?.params;
  const asked = Object.keys(declared);
  for (const name of grouped === undefined ? asked : [...asked, ...grouped]) {
    if (inputs.includes(name)) {
      if (!columns.includes(name)) continue;
      throw refuse(`${name} is both a parameter and a column of the data`, "rename one of them");
    }
    if (builtins.includes(name)) throw builtinName(name, "parameter");
    const open = inputs.filter(
      (other) => !columns.includes(other) && !Object.hasOwn(declared, other),
    );
    const near = nearest(name, open);
    throw refuse(
      `the program never uses the parameter ${name}`,
      near === undefined
        ? `its free names are ${inputs.join(", ") || "none"}`
        : `did you mean ${near}, which the program uses?`,
    );
  }
}

/** Letters in order, so that swapped neighbours and other cases compare equal. */
const letters = (name: string): string => [...name.toLowerCase()].sort().join("");
const stem = (name: string): string => name.replace(/[0-9_]+$/, "");

/** Refuses an undeclared name that looks like another one mistyped. */
function refuseSlip(
  name: string,
  parsed: Pick<ParsedProgram, "inputs" | "builtins">,
  columns: readonly string[],
  declared: readonly string[],
): void {
  if (name.length < 3) return;
  const isOther = (other: string) => other.length >= 3 && stem(other) !== stem(name);
  const near = nearest(name, columns.filter(isOther));
  if (near !== undefined && isClose(name, near)) throw slip(name, near, "the column");
  const unused = declared.filter((other) => !parsed.inputs.includes(other));
  const missed = nearest(name, unused);
  if (missed !== undefined) throw slip(name, missed, "the parameter");
  const swapped = declared.find((other) => other !== name && letters(other) === letters(name));
  if (swapped !== undefined && name.length > 3) throw slip(name, swapped, "the parameter");
  if (name.length < 5) return;
  const known = parsed.builtins.filter(
    (other) => !other.includes(stem(name)) && !stem(name).includes(other),
  );
  const builtin = nearest(name, known);
  if (builtin !== undefined && (letters(builtin) === letters(name) || isOneOff(name, builtin)))
    throw slip(name, builtin, "the procedure");
}

/** A slip of one letter, or of two in a long name. */
const isClose = (name: string, other: string): boolean =>
  letters(name) === letters(other) ||
  isOneOff(name, other) ||
  (name.length >= 7 && nearest(name, [other]) !== undefined);

/** Whether one letter is missing, too many or another. */
function isOneOff(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  const rest = [a.slice(i + 1) === b.slice(i + 1), a.slice(i) === b.slice(i + 1)];
  return rest[0] === true || rest[1] === true || a.slice(i + 1) === b.slice(i);
}

const slip = (name: string, near: string, what: string): NdvmError =>
  refuse(
    `the program uses ${name}, which is neither a column nor a declared parameter`,
    `did you mean ${what} ${near}? If ${name} is a parameter, declare it: params: { ${name}: {} }`,
    { reason: "slip", names: [name], expected: `${what} ${near}` },
  );

const KEYS = ["start", "range", "bounds", "fixed", "scale"];

/** As `KEYS.includes`, which takes longer than all else that is checked of most settings. */
const isKey = (key: string): boolean =>
  key === "start" || key === "range" || key === "bounds" || key === "fixed" || key === "scale";

function checkKeys(name: string, spec: ParameterOptions): void {
  for (const key in spec)
    if (!isKey(key) && Object.hasOwn(spec, key))
      throw refuse(
        `parameter ${name} has an unknown setting ${key}`,
        `it may have ${KEYS.join(", ")}`,
      );
  if (spec.scale !== undefined && spec.scale !== "log" && spec.scale !== "linear")
    throw refuse(
      `parameter ${name} has the scale ${textOf(spec.scale)}`,
      "the scales are linear and log",
    );
}

function checkFixed(name: string, spec: ParameterOptions, value: number): number {
  checkFinite(name, "fixed value", value);
  const other = ["start", "range"].find((key) => Object.hasOwn(spec, key));
  if (other !== undefined)
    throw refuse(`parameter ${name} is fixed, but has a ${other}`, "leave out one of the two");
  return value;
}

function checkFinite(name: string, what: string, value: number): void {
  if (typeof value !== "number" || !Number.isFinite(value))
    throw refuse(
      `the ${what} of parameter ${name} is ${textOf(value)}`,
      "it must be a finite number",
    );
}

function makeFree(label: string, input: string, group: number, spec: ParameterOptions): Free {
  const isLog = spec.scale === "log";
  const least = spec.bounds?.[0] ?? -Infinity;
  const upper = spec.bounds?.[1] ?? Infinity;
  checkBounds(input, least, upper, isLog);
  const lower = isLog && least < 0 ? 0 : least;
  if (spec.start !== undefined) checkStart(input, spec.start, lower, upper, isLog);
  if (spec.range !== undefined) checkRange(input, spec.range, lower, upper, isLog);
  const start =
    spec.start ?? (spec.range === undefined ? defaultStart(lower, upper, isLog) : undefined);
  const around = spec.range ?? rangeAround(start ?? START, lower, upper, isLog);
  const first = nudge(start ?? middleOf(around, isLog), lower, upper, isLog);
  // A start that was moved far off its bound would leave all restarts behind it, at one place.
  const isLeft = spec.range === undefined && (first < around[0] || first > around[1]);
  const range = isLeft ? rangeAround(first, lower, upper, isLog) : around;
  return {
    label,
    input,
    group,
    lower,
    upper,
    isLog,
    start: start === undefined ? undefined : first,
    range,
    origin: first,
    transform: makeTransform(lower, upper, first, isLog),
  };
}

function checkBounds(name: string, lower: number, upper: number, isLog: boolean): void {
  if ([lower, upper].some((bound) => typeof bound !== "number" || Number.isNaN(bound)))
    throw refuse(`a bound of parameter ${name} is not a number`, "leave it out or give null");
  if (!(lower < upper))
    throw refuse(
      `the bounds of parameter ${name} contradict each other: ${lower} is not below ${upper}`,
      lower === upper ? `to keep it there: { fixed: ${lower} }` : "the lower bound comes first",
      {
        reason: "bounds",
        names: [name],
        ...(Number.isFinite(lower) ? { value: lower } : {}),
        ...(Number.isFinite(upper) ? { limit: upper } : {}),
      },
    );
  if (isLog && upper <= 0)
    throw refuse(
      `parameter ${name} has a log scale, but must be below ${upper}`,
      "log is for positive numbers",
    );
}

function checkStart(
  name: string,
  start: number,
  lower: number,
  upper: number,
  isLog: boolean,
): void {
  checkFinite(name, "start", start);
  if (start < lower || start > upper)
    throw refuse(
      `the start of parameter ${name} is ${start}, outside its bounds ${lower} to ${upper}`,
      "start inside the bounds",
    );
  if (isLog && start <= 0)
    throw refuse(
      `the start of parameter ${name} is ${start}, but its scale is log`,
      "start above 0",
    );
}

function checkRange(
  name: string,
  range: readonly [number, number],
  lower: number,
  upper: number,
  isLog: boolean,
): void {
  if (!Array.isArray(range))
    throw refuse(
      `the range of parameter ${name} is ${textOf(range)}`,
      "it is two numbers: [0, 10]",
    );
  checkFinite(name, "range's lower end", range[0]);
  checkFinite(name, "range's upper end", range[1]);
  if (!(range[0] < range[1]))
    throw refuse(
      `the range of parameter ${name} is empty: ${range[0]} to ${range[1]}`,
      "the lower end comes first",
    );
  if (range[0] < lower || range[1] > upper)
    throw refuse(
      `the range of parameter ${name}, ${range[0]} to ${range[1]}, leaves its bounds ` +
        `${lower} to ${upper}`,
      "restarts begin inside the bounds",
    );
  if (isLog && range[0] <= 0)
    throw refuse(
      `the range of parameter ${name} begins at ${range[0]}, but its scale is log`,
      "begin above 0",
    );
}

const middleOf = ([low, high]: readonly [number, number], isLog: boolean): number =>
  isLog ? Math.sqrt(low) * Math.sqrt(high) : low / 2 + high / 2;

function defaultStart(lower: number, upper: number, isLog: boolean): number {
  if (lower < START && START < upper) return START;
  if (Number.isFinite(lower) && Number.isFinite(upper))
    return middleOf([lower, upper], isLog && lower > 0);
  if (Number.isFinite(lower)) return lower + Math.max(1, Math.abs(lower));
  return upper - Math.max(1, Math.abs(upper));
}

/** Where restarts begin when only a start is known: as far to each side as its size. */
function rangeAround(
  start: number,
  lower: number,
  upper: number,
  isLog: boolean,
): [number, number] {
  if (isLog) return [Math.max(start / 10, lower), Math.min(start * 10, upper)];
  const reach = start === 0 ? 1 : Math.abs(start);
  return [Math.max(start - reach, lower), Math.min(start + reach, upper)];
}

/** Closer to a single bound than this, or than its last digits, the map's squares have no numbers. */
const NEAR_LEAST = 1e-120;

/**
 * Moves a start off its bounds, where a smooth map has no slope. A map with one bound has its unit from
 * the start's distance, so a start just above 0 stays. On a log scale near is what is near by its logarithm, and
 * 0 is no bound that is ever near.
 */
function nudge(x: number, lower: number, upper: number, isLog: boolean): number {
  if (isLog) return nudgeByFactor(x, lower, upper);
  const hasTwo = Number.isFinite(upper - lower);
  const off = (hasTwo ? upper - lower : Math.max(1, Math.abs(x))) * 1e-3;
  const near = (bound: number): number =>
    hasTwo ? off * 1e-3 : Math.max(NEAR_LEAST, Math.abs(bound) * 1e-6);
  // Nothing is near a bound that is infinite, where these are NaN.
  if (x < lower + near(lower)) return lower + off;
  return x > upper - near(upper) ? upper - off : x;
}

function nudgeByFactor(x: number, lower: number, upper: number): number {
  const [low, high] = [log(lower), log(upper)];
  const off = (Number.isFinite(high - low) ? high - low : 1) * 1e-3;
  const near = off * 1e-3;
  if (log(x) < low + near) return lower * exp(off);
  return log(x) > high - near ? upper * exp(-off) : x;
}

/** Where a restart begins, in the user's units. */
export function startOf(free: readonly Free[], restart: number, seed: number): Float64Array {
  const starts = new Float64Array(free.length);
  const isGiven = restart === 0 && free.every(({ start }) => start !== undefined);
  const random = isGiven ? undefined : new Random(seed, restart);
  for (let j = 0; j < free.length; j++) {
    const one = free[j] as Free;
    // A parameter takes its number even where it has a start, so that the others keep theirs.
    const share = random?.uniform() ?? 0;
    starts[j] = restart === 0 && one.start !== undefined ? one.start : drawnFrom(one, share);
  }
  return starts;
}

/** The place at a share of the way through a parameter's range. */
function drawnFrom({ range, isLog, lower, upper }: Free, share: number): number {
  const low = range[0];
  const high = range[1];
  const drawn = isLog ? exp(log(low) + share * (log(high) - log(low))) : low + share * (high - low);
  return nudge(drawn, lower, upper, isLog);
}
