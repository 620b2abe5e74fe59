/**
 * Names of a program as identifiers of another language: each thing gets one, no two the same, none
 * of them a word that the language keeps for itself.
 */

const RESERVED: ReadonlySet<string> = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval
  export extends false finally for function if implements import in instanceof interface let new
  null package private protected public return static super switch this throw true try typeof
  undefined var void while with yield Infinity NaN Math Number Object Array Float64Array ArrayBuffer
  TypeError JSON and as assert async def del elif except from global is lambda nonlocal not or pass
  raise None True False __debug__ np sympy math`.split(/\s+/),
);

/** Whether a function or a module can be called so in all languages that we write. */
export const isIdentifier = (name: string): boolean =>
  /^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name);

export class Names<T> {
  readonly #taken: Set<string>;
  readonly #names = new Map<T, string>();

  constructor(taken: readonly string[]) {
    this.#taken = new Set([...RESERVED, ...taken]);
  }

  /** The identifier of a thing, made from its name when it is first asked for. */
  of(thing: T, name: string): string {
    let known = this.#names.get(thing);
    if (known === undefined) {
      known = this.fresh(name);
      this.#names.set(thing, known);
    }
    return known;
  }

  /** An identifier that nothing has yet. */
  fresh(name: string): string {
    const plain = identifier(name);
    let own = plain;
    for (let count = 2; this.#taken.has(own); count++) own = `${plain}${count}`;
    this.#taken.add(own);
    return own;
  }
}

/**
 * list-ref becomes listRef, x0? becomes x0, 2nd becomes _2nd, x² becomes x2. Python takes names of one
 * compatible form for the same name (NFKC), and no language takes ² or ½ in a name.
 */
function identifier(name: string): string {
  const words = name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .split(/[^\p{L}\p{Nd}\p{Nl}\p{Mn}\p{Mc}_]+|\u2e2f/u)
    .filter((word) => word !== "");
  const joined = words
    .map((word, i) => (i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("")
    .normalize("NFKC");
  if (joined === "") return "x";
  return /^[\p{Nd}\p{Mn}\p{Mc}]/u.test(joined) ? `_${joined}` : joined;
}
