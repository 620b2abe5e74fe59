/**
 * The registry: every primitive's op code, names, kind and number of operands, which is all that
 * reading and running a program takes. It is made from a generated list, so that a process that
 * starts need not make all declarations.
 */
import { tableOf } from "../records.js";
import { type Arity, type Kind, kinds } from "./define.js";
import { rows } from "./rows.js";

export type { Arity } from "./define.js";

export type PrimitiveName = (typeof rows)[number][0];

/** A primitive as programs know it. The declarations (index.ts) know more. */
export interface Primitive {
  readonly name: PrimitiveName;
  /** The surface name; undefined: internal, the machine chooses it. */
  readonly scheme: string | undefined;
  readonly kind: Kind;
  readonly arity: Arity;
  /** Position in `primitives`: the op code. */
  readonly op: number;
}

export const primitives: readonly Primitive[] = rows.map(([name, kind, min, max, scheme], op) => ({
  name,
  scheme,
  kind,
  arity: { min, max: max < 0 ? Infinity : max },
  op,
}));

/** Op codes by name: `Op.listRef`. */
export const Op = tableOf(primitives.map(({ name, op }) => [name, op])) as Readonly<
  Record<PrimitiveName, number>
>;

/** Surface names only, aliases included (`expt` is `pow`). */
export const primitiveByName: ReadonlyMap<string, Primitive> = new Map(
  rows.flatMap(([, , , , ...names], op) =>
    names.map((name) => [name, primitives[op] as Primitive] as const),
  ),
);

/** First and last op code of each kind. */
export const opRanges = tableOf(
  kinds.map((kind) => {
    const codes = primitives.filter((p) => p.kind === kind).map((p) => p.op);
    return [kind, { first: codes[0] as number, last: codes.at(-1) as number }];
  }),
) as Readonly<Record<Kind, { readonly first: number; readonly last: number }>>;
