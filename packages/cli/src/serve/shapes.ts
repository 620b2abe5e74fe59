/**
 * The shape of what a client may say, call by call, looked at before anything is made of it. A client
 * writes JSON by hand, in any language, so nothing about it is known. What an option means is the
 * library's to check; here is only whether it is a number, a text, a list or an object, as the
 * library's types say, and whether a count is one that memory has room for.
 */

import { makeError, NdvmError, recordOf } from "@ndvm/core";

/** Throws E-OPTION where a value is not of the shape. `path` names it in the message. */
export type Shape = (value: unknown, path: string) => void;

/** A stranger's value in words. Nothing of it is called, so that no object can fail in it. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    const text = value.length > 40 ? `${value.slice(0, 39)}…` : value;
    return JSON.stringify(text);
  }
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function refuseShape(path: string, expected: string, value: unknown): never {
  const facts = { reason: "setting", option: path, expected, actual: shown(value) } as const;
  throw makeError("E-OPTION", facts);
}

const missing = (path: string): NdvmError =>
  new NdvmError("E-PROTOCOL", `${path} is missing`, { help: "docs/protocol.md describes calls" });

const one =
  (wanted: string, holds: (value: unknown) => boolean): Shape =>
  (value, path) => {
    if (!holds(value)) refuseShape(path, wanted, value);
  };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): boolean => typeof value === "number";
const isText = (value: unknown): boolean => typeof value === "string";

const text = one("a text", isText);
const number = one("a number", isNumber);
const flag = one("true or false", (value) => typeof value === "boolean");
const nothing = one("left out: it is not an option here", () => false);

/** Most things that are made at once because a number says so. */
const COUNT_MOST = 100_000;
const count = one(
  `a number up to ${COUNT_MOST}`,
  (value) => isNumber(value) && (value as number) <= COUNT_MOST,
);

const listOf =
  (shape: Shape): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) return refuseShape(path, "a list", value);
    for (const [index, part] of value.entries()) shape(part, `${path}[${index}]`);
  };

/** An object by names that the client chose. */
const byName =
  (shape: Shape): Shape =>
  (value, path) => {
    if (!isObject(value)) return refuseShape(path, "an object", value);
    for (const [name, part] of Object.entries(value)) shape(part, `${path}.${name}`);
  };

/** An object of these fields. What else it has is the library's to refuse. */
const object = (fields: Readonly<Record<string, Shape>>, needed: readonly string[] = []): Shape => {
  const shapes = new Map(Object.entries(fields));
  return (value, path) => {
    if (!isObject(value)) return refuseShape(path, "an object", value);
    const inner = (name: string): string => (path === "" ? name : `${path}.${name}`);
    for (const name of needed) if (!Object.hasOwn(value, name)) throw missing(inner(name));
    for (const [name, part] of Object.entries(value)) shapes.get(name)?.(part, inner(name));
  };
};

const numbers = (...names: readonly string[]): Readonly<Record<string, Shape>> =>
  recordOf(names.map((name) => [name, number]));
const texts = (...names: readonly string[]): Readonly<Record<string, Shape>> =>
  recordOf(names.map((name) => [name, text]));

const either =
  (isFirst: (value: unknown) => boolean, second: Shape): Shape =>
  (value, path) => {
    if (!isFirst(value)) second(value, path);
  };

/** A column that is named, listed, or stands in the frame's body; or one for each target. */
const column = one(
  "the name of a column, a list, or an array",
  (value) => isText(value) || Array.isArray(value) || isObject(value),
);
const bound = one("a number or null", (value) => value === null || isNumber(value));
const adam = object(numbers("rate", "beta1", "beta2", "epsilon"));

const parameter = either(
  isNumber,
  object({
    ...numbers("start", "fixed"),
    range: listOf(number),
    bounds: listOf(bound),
    scale: text,
  }),
);

export const fitShape = object({
  target: either(isText, listOf(text)),
  params: byName(parameter),
  ...texts("loss", "optimiser", "detail"),
  ...numbers("huberWidth", "seed", "steps", "stepsMax", "chunk", "timeMax", "level"),
  weights: column,
  sigma: column,
  trials: column,
  groups: object({ by: text, params: listOf(text) }),
  isNegativeLogLikelihood: flag,
  restarts: count,
  together: count,
  tolerances: object(numbers("gradient", "step", "loss")),
  adam,
  resume: object({}),
  isProgressWanted: flag,
  onProgress: nothing,
  signal: nothing,
});

const evolve = object({
  name: text,
  seeds: listOf(text),
  islands: count,
  islandSize: count,
  draws: count,
  ...numbers("migrateEvery", "bestShare"),
});

export const searchShape = object({
  target: text,
  // The library says of a text what is wrong with it.
  inputs: either(isText, listOf(text)),
  holdOut: either(isNumber, listOf(number)),
  budget: object(numbers("seconds", "candidates", "fits", "tokens", "r2")),
  ...texts("archive", "keep", "precision", "domain", "description", "command"),
  ...numbers("workers", "seed", "complexityMax", "epoch", "slots", "lag", "islands"),
  resume: flag,
  recipe: object({
    optimiser: text,
    adam,
    rungs: listOf(
      object({ restarts: count, ...numbers("steps", "share") }, ["restarts", "steps", "share"]),
    ),
    startDeviation: number,
  }),
  operators: listOf(text),
  limits: object(
    numbers("screenSteps", "fitSteps", "sourceLength", "nesting", "parameters", "memory"),
  ),
  evolve,
  proposers: nothing,
  signal: nothing,
});

const interval: Shape = (value, path) => {
  listOf(number)(value, path);
  if ((value as readonly unknown[]).length !== 2) refuseShape(path, "two numbers", value);
};

/** A member of a search's front, as `done` has it. */
const MEMBER = {
  ...texts("source"),
  ...numbers("complexity", "loss", "r2", "trainR2", "length", "bic", "score", "id"),
  params: byName(number),
  intervals: byName(interval),
  simple: listOf(text),
  undetermined: listOf(text),
};
export const memberShape = object(MEMBER, Object.keys(MEMBER));
export const frontShape = listOf(memberShape);

export const studyShape = object({ target: text, inputs: listOf(text), domain: text }, [
  "target",
  "inputs",
  "front",
]);

export const exportShape = object({
  ...texts("name", "constants"),
  isSymbolic: flag,
  isModule: flag,
  digits: number,
  group: either(isNumber, text),
});

export const machineShape = object({});
export const loadShape = object({ file: text });
