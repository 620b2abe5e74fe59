/** Objects with fields by the user's names, which may be any: `constructor`, `__proto__`. */

/** Sets a field, whatever its name: assigning to `__proto__` would make no field. */
export function setField<Value>(fields: Record<string, Value>, name: string, value: Value): void {
  if (name !== "__proto__") fields[name] = value;
  else {
    const like = { enumerable: true, writable: true, configurable: true };
    Object.defineProperty(fields, name, { value, ...like });
  }
}

/** A field that an object has itself. */
export function ownField<Value>(
  fields: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
