/**
 * How the layout of memory is declared: structures, with their fields in order, and codes, the
 * numbers with a name. Everything else about them is written by generate.ts.
 *
 *   defineLayout({
 *     name: "TapeRecord",                 the class on both sides
 *     at: "recordAt",                     the record at an address, for asc
 *     size: "RECORD_BYTES",               a constant for both sides
 *     doc: "One operation of a tape.",
 *     fields: [["op", "i32", "its code"], …],
 *   });
 *
 * A field lies at the next multiple of its own size, so that nobody writes an offset. A structure
 * that extends another begins with the fields of that; several may extend one, for what lies in the
 * same place by turns.
 */

export type NumberType = "i32" | "u32" | "usize" | "u64" | "f64";

/** Bytes of each type; WebAssembly's addresses have 32 bits. */
const BYTES: Readonly<Record<NumberType, number>> = { i32: 4, u32: 4, usize: 4, u64: 8, f64: 8 };

export interface Field {
  readonly name: string;
  readonly type: NumberType | Layout;
  readonly doc: string;
  readonly offset: number;
  /** How many of them lie side by side. */
  readonly count: number;
}

export interface Layout {
  readonly name: string;
  readonly at: string;
  readonly doc: string;
  /** Whether TypeScript reads or writes it too. */
  readonly host: boolean;
  readonly base: Layout | undefined;
  /** Its own fields, without those of the base. */
  readonly fields: readonly Field[];
  /** Where the fields end, and bytes behind them for structures that extend this one. */
  readonly end: number;
  readonly room: number;
  readonly bytes: number;
  readonly align: number;
  /** The constant that says its size, and the number. */
  readonly size: { readonly name: string; readonly value: number } | undefined;
}

type FieldDeclaration = readonly [
  name: string,
  type: NumberType | Layout,
  doc: string,
  count?: number,
];

export interface LayoutDeclaration {
  readonly name: string;
  /** The function of asc that takes an address for the structure there. */
  readonly at: string;
  readonly doc: string;
  /** Whether TypeScript reads or writes it too. */
  readonly host?: boolean;
  readonly extends?: Layout;
  /** The constant that says its size in bytes, or in units of `sizeIn` bytes. */
  readonly size?: string;
  readonly sizeIn?: number;
  /** Its size is a multiple of this many bytes. */
  readonly align?: number;
  /** Bytes behind the fields that structures which extend it have for themselves. */
  readonly room?: number;
  readonly fields: readonly FieldDeclaration[];
}

const alignedTo = (align: number, bytes: number): number => Math.ceil(bytes / align) * align;

export const bytesOf = (type: NumberType | Layout): number =>
  typeof type === "string" ? BYTES[type] : type.bytes;

const alignOf = (type: NumberType | Layout): number =>
  typeof type === "string" ? BYTES[type] : type.align;

export function defineLayout(declaration: LayoutDeclaration): Layout {
  const { name, at, doc, extends: base, size, sizeIn = 1, room = 0, host = false } = declaration;
  const fields: Field[] = [];
  let end = base?.end ?? 0;
  for (const [field, type, holds, count = 1] of declaration.fields) {
    if (namesOf(base, fields).has(field)) throw new Error(`${name} has two fields ${field}`);
    if (holds === "") throw new Error(`${name} does not say what ${field} holds`);
    const offset = alignedTo(alignOf(type), end);
    fields.push({ name: field, type, doc: holds, offset, count });
    end = offset + count * bytesOf(type);
  }
  const own = fields.map(({ type }) => alignOf(type));
  const align = Math.max(declaration.align ?? 1, base?.align ?? 1, ...own);
  const bytes = alignedTo(align, Math.max(end + room, base?.bytes ?? 0));
  if (base !== undefined && base.room > 0 && end > base.bytes)
    throw new Error(`${name} does not fit into the ${base.bytes} bytes of ${base.name}`);
  const constant = size === undefined ? undefined : { name: size, value: bytes / sizeIn };
  return { name, at, doc, host, base, fields, end, room, bytes, align, size: constant };
}

function namesOf(base: Layout | undefined, fields: readonly Field[]): Set<string> {
  const names = new Set(fields.map(({ name }) => name));
  for (let layout = base; layout !== undefined; layout = layout.base)
    for (const { name } of layout.fields) names.add(name);
  return names;
}

/** Numbers with names, of one kind. */
export interface Codes {
  readonly name: string;
  readonly doc: string;
  readonly codes: readonly (readonly [name: string, value: number, doc: string])[];
}

export function defineCodes(declaration: Codes): Codes {
  const names = new Set<string>();
  for (const [name] of declaration.codes) {
    if (names.has(name)) throw new Error(`${declaration.name} has two codes ${name}`);
    names.add(name);
  }
  return declaration;
}
