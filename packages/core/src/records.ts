/**
 * Objects whose keys are names that someone else chose. `constructor` and `__proto__` are names like
 * any other: a plain object would find its prototype's, or lose what is written there.
 *
 * Maps are the first choice. These are for objects that users read (`gradients.a`) or give.
 * `scripts/check-names.mjs` sees to it that nothing else looks names up in objects.
 */

/** What an object holds under a name itself; undefined where it does not. */
export function own<Value>(
  record: { readonly [name: string]: Value } | undefined,
  name: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** An object without a prototype, so that any name can be written to it. */
export function emptyRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

const NOTHING = Object.freeze(Object.create(null)) as object;

/** As `emptyRecord`, for few names: faster to make, to fill and to read. */
export function smallRecord<Value>(): Record<string, Value> {
  return Object.create(NOTHING) as Record<string, Value>;
}

/** The same with entries in it. */
export function recordOf<Value>(
  entries: Iterable<readonly [string, Value]>,
): Record<string, Value> {
  // In this order, since V8 keeps objects fast that were filled before.
  return Object.setPrototypeOf(Object.fromEntries(entries), null) as Record<string, Value>;
}

/** A plain object, for names that we chose ourselves. */
export function tableOf<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries(entries);
}
