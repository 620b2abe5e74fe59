/**
 * The oracle's own reader: text to syntax trees, without spans, with an explicit stack.
 *
 *   number, boolean   JavaScript's own
 *   Sym               a name
 *   Form              a parenthesised list, with the tree after a dot in `tail`
 *
 * [a b c] reads as a Form headed by `bracketHead`, a symbol no text can spell.
 */

import { RefError } from "./values.js";

export class Sym {
  constructor(readonly name: string) {}
}

export class Form {
  constructor(
    readonly items: readonly Syntax[],
    readonly tail?: Syntax,
  ) {}
}

export type Syntax = number | boolean | Sym | Form;

const interned = new Map<string, Sym>();

/** The one symbol of this name. */
export function symbol(name: string): Sym {
  const known = interned.get(name);
  if (known) return known;
  const made = new Sym(name);
  interned.set(name, made);
  return made;
}

export const bracketHead = new Sym("[]");

const prefixes: Readonly<Record<string, string>> = {
  "'": "quote",
  "`": "quasiquote",
  ",": "unquote",
  ",@": "unquote-splicing",
};
const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]" };
const token = /\s+|;[^\n]*|#\|[\s\S]*?\|#|(#;|,@|[()[\]'`,]|[^\s()[\]'`,;]+)/gy;
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** One open list, or one prefix that waits for its datum. */
interface Open {
  readonly opener: string;
  readonly items: Syntax[];
  tail?: Syntax;
  dotted: boolean;
}

/** Every datum of the text. */
export function read(source: string): Syntax[] {
  const stack: Open[] = [open("top")];
  for (const text of tokens(source)) {
    if (text === "(" || text === "[" || text === "#;" || prefixes[text]) stack.push(open(text));
    else if (text === ")" || text === "]") close(stack, text);
    else if (text === ".") dot(stack);
    else add(stack, atom(text));
  }
  const top = stack.pop() as Open;
  if (top.opener !== "top") throw new RefError("E-SYNTAX", `unfinished ${top.opener}`);
  return top.items;
}

function open(opener: string): Open {
  return { opener, items: [], dotted: false };
}

function* tokens(source: string): Generator<string> {
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const match = token.exec(source);
    if (!match) throw new RefError("E-SYNTAX", `unreadable text at ${at}`);
    if (match[1] !== undefined) yield match[1];
  }
}

function dot(stack: Open[]): void {
  const last = stack[stack.length - 1] as Open;
  if (last.opener !== "(" || last.items.length === 0 || last.dotted) {
    throw new RefError("E-SYNTAX", "misplaced dot");
  }
  last.dotted = true;
}

function close(stack: Open[], text: string): void {
  const last = stack.pop() as Open;
  const complete = !last.dotted || last.tail !== undefined;
  if (closers[last.opener] !== text || !complete) throw new RefError("E-SYNTAX", `stray ${text}`);
  add(stack, last.opener === "[" ? new Form([bracketHead, ...last.items]) : toForm(last));
}

function toForm({ items, tail }: Open): Form {
  if (tail instanceof Form) return new Form([...items, ...tail.items], tail.tail);
  return new Form(items, tail);
}

/** Adds a datum to the innermost list, completing the prefixes that wait for it. */
function add(stack: Open[], datum: Syntax): void {
  let done = datum;
  for (;;) {
    const last = stack[stack.length - 1] as Open;
    const prefix = prefixes[last.opener];
    if (prefix) {
      stack.pop();
      done = new Form([symbol(prefix), done]);
    } else if (last.opener === "#;") {
      stack.pop();
      return;
    } else {
      if (!last.dotted) last.items.push(done);
      else if (last.tail === undefined) last.tail = done;
      else throw new RefError("E-SYNTAX", "two datums after a dot");
      return;
    }
  }
}

function atom(text: string): Syntax {
  if (text === "#t" || text === "#true") return true;
  if (text === "#f" || text === "#false") return false;
  if (text === "+inf.0") return Number.POSITIVE_INFINITY;
  if (text === "-inf.0") return Number.NEGATIVE_INFINITY;
  if (text === "+nan.0" || text === "-nan.0") return Number.NaN;
  if (decimal.test(text)) return Number(text);
  if (text.startsWith("#") || text.includes('"')) {
    throw new RefError("E-REFUSED", `${text} is outside the language`);
  }
  return symbol(text);
}
