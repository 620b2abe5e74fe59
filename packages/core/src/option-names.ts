/**
 * Names of options: whatever takes an object of options refuses other values, and names it does not
 * know. What is misspelt would be left at its default, and nobody would hear of it.
 */

import { NdvmError } from "./errors.js";
import { nearest } from "./nearest.js";

/** Each name of a type once, so that none is forgotten: `namesOf<Caps>({ cost: 1, tokens: 1 })`. */
export const namesOf = <Options>(
  names: {
    readonly [Name in keyof Required<Options>]: 1;
  },
): ReadonlySet<string> => new Set(Object.keys(names));

/**
 * Throws where `options` is not an object, or has a name that is none of `names`. `owner` is what
 * takes them: "search", or a group of options as JavaScript spells it, such as "search.recipe".
 */
export function checkNames(owner: string, options: unknown, names: ReadonlySet<string>): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw notOptions(owner, options, names);
  // Faster than a list of keys. What it has from elsewhere is not what the caller wrote.
  for (const name in options)
    if (!names.has(name) && Object.hasOwn(options, name)) throw noOption(owner, name, names);
}

function notOptions(owner: string, value: unknown, names: ReadonlySet<string>): NdvmError {
  const actual = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return new NdvmError("E-OPTION", `the options of ${owner} are ${actual}, not an object`, {
    help: `write them by name: { ${[...names].slice(0, 3).join(", ")}${names.size > 3 ? ", …" : ""} }`,
    facts: { option: owner, expected: "an object of options", actual },
  });
}

function noOption(owner: string, name: string, names: ReadonlySet<string>): NdvmError {
  const known = [...names];
  const near = nearest(name, known);
  return new NdvmError("E-OPTION", `${owner} has no option ${name}`, {
    help: near === undefined ? `its options are ${known.join(", ")}` : `did you mean ${near}?`,
    facts: { reason: "unknown", option: name, ...(near === undefined ? {} : { expected: near }) },
  });
}
