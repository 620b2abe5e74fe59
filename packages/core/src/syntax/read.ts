/**
 * The reader: program text → datums.
 *
 * One pass over the text with a stack of open frames, so nesting costs no host stack. A frame is
 * something that still waits for datums: an open list or bracket, a quote mark, a `#;`.
 *
 *   (a . (b c)) is the same datum as (a b c): a list that opens after a dot goes on filling the
 *   items of the list around it (`Rest`), so a chain of dotted lists is read in linear time.
 *
 * Invariant: the tail of a list datum is never itself a list.
 */

import { NdvmError, type Span } from "../errors.js";
import { own } from "../records.js";
import { Class, classOf } from "./characters.js";
import type { Datum, SymbolDatum } from "./datum.js";
import { parseNumber, startsNumber } from "./number-text.js";
import { positionOf } from "./position.js";

enum Open {
  Program,
  List,
  Rest,
  Bracket,
  Abbreviation,
  Comment,
}

enum Dot {
  None,
  Seen,
  /** What follows the dot has been read: a list, whose items are the frame's own, … */
  Filled,
  /** … with a tail, or another datum: that is the last one read. */
  Tailed,
}

interface Frame {
  readonly open: Open;
  readonly start: number;
  /** Where this frame's own datums start among those that wait. */
  readonly base: number;
  dot: Dot;
}

/**
 * Reads every datum of a program. The errors it throws know their source and file. What is nested
 * deeper than `nestingMax` is refused; any depth can be read.
 */
export function read(
  source: string,
  file?: string,
  nestingMax = Number.POSITIVE_INFINITY,
): Datum[] {
  try {
    checkWellFormed(source);
    return new Reader(source, nestingMax).read();
  } catch (error) {
    throw error instanceof NdvmError ? error.in(source, file) : error;
  }
}

class Reader {
  private at = 0;
  /** Datums whose list is still open, and those of the program itself. */
  private readonly waiting: Datum[] = [];
  /** What a datum that is finished goes to, and the frames around it. */
  private top: Frame = { open: Open.Program, start: 0, base: 0, dot: Dot.None };
  private readonly around: Frame[] = [];

  constructor(
    private readonly source: string,
    private readonly nestingMax: number,
  ) {}

  read(): Datum[] {
    const { source } = this;
    while (this.at < source.length) {
      const code = source.charCodeAt(this.at);
      const kind = classOf(code);
      if (kind === Class.Constituent) this.readToken();
      else if (kind === Class.Space) this.at++;
      else this.readMark(code);
    }
    this.checkEnd();
    return this.waiting;
  }

  private readMark(code: number): void {
    const start = this.at++;
    if (code === 40) this.openList(start);
    else if (code === 41 || code === 93) this.close(code);
    else if (code === 91) this.push(Open.Bracket, start);
    else if (code === 39) this.openAbbreviation("quote", start);
    else if (code === 96) this.openAbbreviation("quasiquote", start);
    else if (code === 44) this.openUnquote(start);
    else if (code === 59) this.skipLine();
    else if (code === 35) this.readHash(start);
    else if (code === 124) this.readBarSymbol(start);
    else if (code === 34) throw this.refuseString(start);
    else if (classOf(code) === Class.Control) throw notText(code, start);
    else throw syntax(`${this.source[start]} has no meaning here`, { start, end: this.at });
  }

  private openList(start: number): void {
    this.push(this.top.dot === Dot.Seen ? Open.Rest : Open.List, start);
  }

  private openUnquote(start: number): void {
    const isSplice = this.source.charCodeAt(this.at) === 64;
    if (isSplice) this.at++;
    this.openAbbreviation(isSplice ? "unquote-splicing" : "unquote", start);
  }

  private openAbbreviation(name: string, start: number): void {
    this.push(Open.Abbreviation, start);
    this.waiting.push(symbol(name, start, this.at));
  }

  private push(open: Open, start: number): void {
    if (this.around.length >= this.nestingMax) throw tooDeep(this.nestingMax, start);
    this.around.push(this.top);
    this.top = { open, start, base: this.waiting.length, dot: Dot.None };
  }

  private pop(): void {
    this.top = this.around.pop() as Frame;
  }

  /** The datums from `base` on, which wait no more. */
  private takeFrom(base: number): Datum[] {
    const { waiting } = this;
    const taken = new Array<Datum>(waiting.length - base);
    for (let i = taken.length - 1; i >= 0; i--) taken[i] = waiting.pop() as Datum;
    return taken;
  }

  /** Gives a finished datum to whatever waits for it. */
  private add(datum: Datum): void {
    let finished = datum;
    for (;;) {
      const { top } = this;
      if (top.open <= Open.Bracket) {
        if (top.dot === Dot.None) this.waiting.push(finished);
        else this.addAfterDot(top, finished);
        return;
      }
      this.pop();
      if (top.open === Open.Comment) return;
      this.waiting.push(finished);
      const span = { start: top.start, end: finished.span.end };
      finished = { kind: "list", items: this.takeFrom(top.base), span };
    }
  }

  private addAfterDot(top: Frame, datum: Datum): void {
    if (top.dot !== Dot.Seen) throw syntax("only one datum may follow a dot", datum.span);
    top.dot = datum.kind === "list" && datum.tail === undefined ? Dot.Filled : Dot.Tailed;
    if (datum.kind !== "list") this.waiting.push(datum);
    else {
      for (const item of datum.items) this.waiting.push(item);
      if (datum.tail !== undefined) this.waiting.push(datum.tail);
    }
  }

  private close(code: number): void {
    const { at, top } = this;
    const closer = top.open === Open.Bracket ? 93 : 41;
    const isFitting = top.open >= Open.List && top.open <= Open.Bracket && code === closer;
    if (!isFitting || top.dot === Dot.Seen) throw this.misclosed(code);
    this.pop();
    if (top.open === Open.Rest) this.closeRest(top.dot === Dot.Tailed);
    else this.add(this.closed(top, { start: top.start, end: at }));
  }

  /** What a closing mark makes of the datums since the mark that opened. */
  private closed({ open, base, dot }: Frame, span: Span): Datum {
    const tail = dot === Dot.Tailed ? this.waiting.pop() : undefined;
    const items = this.takeFrom(base);
    if (open === Open.Bracket) return { kind: "bracket", items, span };
    return tail === undefined ? { kind: "list", items, span } : { kind: "list", items, tail, span };
  }

  private closeRest(isTailed: boolean): void {
    this.top.dot = isTailed ? Dot.Tailed : Dot.Filled;
  }

  /** A token begins here. */
  private readToken(): void {
    const { source } = this;
    const { length } = source;
    const start = this.at;
    let end = start + 1;
    for (; end < length; end++) {
      const code = source.charCodeAt(end);
      const kind = classOf(code);
      if (kind === Class.Constituent) continue;
      if (kind !== Class.Space) this.checkTokenEnd(start, end, code, kind);
      break;
    }
    this.at = end;
    const text = source.slice(start, end);
    const span = { start, end };
    if (startsNumber(text)) this.add(numberDatum(text, span));
    else if (text === ".") this.readDot(span);
    else this.add({ kind: "symbol", name: text, span });
  }

  private checkTokenEnd(start: number, end: number, code: number, kind: Class): void {
    if (kind === Class.Control) throw notText(code, end);
    if (kind === Class.Delimiter && code !== 124 && code !== 34) return;
    const span = { start, end: end + 1 };
    const mark = this.source[end];
    throw syntax(`${mark} cannot be part of a name`, span, `put a space before ${mark}`);
  }

  private readDot(span: Span): void {
    const { top } = this;
    const isAllowed = top.open === Open.List || top.open === Open.Rest;
    if (!isAllowed) throw syntax("a dot stands only inside a list, before its tail", span);
    if (top.dot !== Dot.None) throw syntax("a list can have only one dot", span);
    if (this.waiting.length === top.base) throw syntax("a dot needs something before it", span);
    top.dot = Dot.Seen;
  }

  private readBarSymbol(start: number): void {
    const { source } = this;
    let name = "";
    let from = this.at;
    for (let at = from; at < source.length; at++) {
      const code = source.charCodeAt(at);
      if (code === 124) {
        name += source.slice(from, at);
        this.at = at + 1;
        this.endBarSymbol(name, start);
        return;
      }
      if (code === 92) {
        const escaped = readEscape(source, at);
        name += source.slice(from, at) + escaped.text;
        from = escaped.end;
        at = escaped.end - 1;
      } else if (classOf(code) === Class.Control) throw notText(code, at);
    }
    throw syntax("this |name| is never closed", { start, end: start + 1 }, "close it with |");
  }

  private endBarSymbol(name: string, start: number): void {
    const { at: end, source } = this;
    const kind = end < source.length ? classOf(source.charCodeAt(end)) : Class.Space;
    const isBar = source.charCodeAt(end) === 124;
    if (isBar || (kind !== Class.Space && kind !== Class.Delimiter)) {
      throw syntax("a |name| ends at its second bar", { start, end: end + 1 });
    }
    this.add(symbol(name, start, end));
  }

  private readHash(start: number): void {
    const { source } = this;
    const next = source.charCodeAt(this.at);
    if (next === 124) {
      this.skipBlock(start);
      return;
    }
    if (next === 59) {
      this.at++;
      this.push(Open.Comment, start);
      return;
    }
    if (next === 40) throw refuseVector({ start, end: start + 2 });
    if (next === 92) throw refuseCharacter({ start, end: start + 2 });
    let end = this.at;
    while (end < source.length && !endsHash(source.charCodeAt(end))) end++;
    this.at = end;
    const text = source.slice(start, end);
    const span = { start, end };
    if (text === "#t" || text === "#true") this.add({ kind: "boolean", value: true, span });
    else if (text === "#f" || text === "#false") this.add({ kind: "boolean", value: false, span });
    else throw badHash(text, span);
  }

  private skipLine(): void {
    const { source } = this;
    while (this.at < source.length) {
      const code = source.charCodeAt(this.at);
      if (code === 10 || code === 13) return;
      if (classOf(code) === Class.Control) throw notText(code, this.at);
      this.at++;
    }
  }

  private skipBlock(start: number): void {
    const { source } = this;
    let depth = 1;
    let at = this.at + 1;
    while (at < source.length) {
      const code = source.charCodeAt(at);
      const next = source.charCodeAt(at + 1);
      if (code === 124 && next === 35) {
        at += 2;
        depth--;
        if (depth === 0) {
          this.at = at;
          return;
        }
      } else if (code === 35 && next === 124) {
        at += 2;
        depth++;
      } else if (classOf(code) === Class.Control) throw notText(code, at);
      else at++;
    }
    throw syntax("this comment is never closed", { start, end: start + 2 }, "close it with |#");
  }

  private checkEnd(): void {
    const { top } = this;
    if (top.open === Open.Program) {
      if (this.waiting.length > 0) return;
      const help = "write an expression, such as (* a (exp (* k t)))";
      throw syntax("the program is empty", { start: 0, end: this.source.length }, help);
    }
    if (top.open === Open.Abbreviation || top.open === Open.Comment) throw this.nothingAfter(top);
    const closers = [...this.around, top]
      .filter(({ open }) => open >= Open.List && open <= Open.Bracket)
      .map(({ open }) => (open === Open.Bracket ? "]" : ")"))
      .reverse();
    const missing =
      closers.length > 20 ? `${closers.length} closing parentheses` : closers.join("");
    const opener = top.open === Open.Bracket ? "[" : "(";
    const span = { start: top.start, end: top.start + 1 };
    throw syntax(`this ${opener} is never closed`, span, `${missing} missing before the end`);
  }

  /** Why the mark before `at` cannot close what is open. */
  private misclosed(code: number): NdvmError {
    const { at, top } = this;
    const span = { start: at - 1, end: at };
    if (top.open === Open.Program) {
      const mark = String.fromCharCode(code);
      return syntax(`nothing is open that this ${mark} could close`, span, "delete it");
    }
    if (top.open === Open.Abbreviation || top.open === Open.Comment) return this.nothingAfter(top);
    const isDotted = code === (top.open === Open.Bracket ? 93 : 41);
    return isDotted
      ? syntax("nothing follows the dot of this list", span)
      : this.mismatch(top, span);
  }

  private nothingAfter(frame: Frame): NdvmError {
    const mark = frame.open === Open.Comment ? "#;" : this.source[frame.start];
    const end = frame.open === Open.Comment ? frame.start + 2 : frame.start + 1;
    return syntax(`nothing follows ${mark}`, { start: frame.start, end });
  }

  private mismatch(frame: Frame, span: Span): NdvmError {
    const [opener, wanted] = frame.open === Open.Bracket ? ["[", "]"] : ["(", ")"];
    const got = this.source[span.start];
    const { line, column } = positionOf(this.source, frame.start);
    const message = `the ${opener} at line ${line}, column ${column} is closed by ${got}`;
    return syntax(message, span, `write ${wanted} here, or close what is open inside first`);
  }

  private refuseString(start: number): NdvmError {
    const { source } = this;
    let end = start + 1;
    while (end < source.length && source.charCodeAt(end) !== 34) end++;
    const span = { start, end: Math.min(end + 1, source.length) };
    const help = "a symbol can stand for a text: 'name";
    return new NdvmError("E-REFUSED", "strings are left out of this language", { span, help });
  }
}

function symbol(name: string, start: number, end: number): SymbolDatum {
  return { kind: "symbol", name, span: { start, end } };
}

function numberDatum(text: string, span: Span): Datum {
  const parsed = parseNumber(text);
  if (parsed === undefined) {
    const help = "a name cannot start like a number; write it |so| if it must";
    throw syntax(`${text} is neither a number nor a name`, span, help);
  }
  if (!Number.isFinite(parsed.value) && !text.endsWith("f.0") && !text.endsWith("n.0")) {
    const help = "the largest number is about 1.8e308; infinity is written +inf.0";
    throw syntax(`${shorten(text)} is too large for a number`, span, help);
  }
  return { kind: "number", value: parsed.value, exact: parsed.exact, span };
}

/** Inside |…|: \| \\ \a \t \n \r and \x41; as R7RS has them. */
function readEscape(source: string, at: number): { text: string; end: number } {
  const mark = source[at + 1] ?? "";
  const simple: Readonly<Record<string, string>> = {
    "|": "|",
    "\\": "\\",
    a: "\x07",
    t: "\t",
    n: "\n",
    r: "\r",
  };
  const text = own(simple, mark);
  if (text !== undefined) return { text, end: at + 2 };
  const close = source.indexOf(";", at);
  const digits = mark === "x" && close > 0 ? source.slice(at + 2, close) : "";
  const code = /^[\da-f]+$/i.test(digits) ? Number.parseInt(digits, 16) : NaN;
  if (!(code >= 0 && code <= 0x10ffff) || isSurrogate(code)) {
    throw syntax(
      `\\${mark} is not an escape`,
      { start: at, end: at + 2 },
      "write \\x41; for a code",
    );
  }
  return { text: String.fromCodePoint(code), end: close + 1 };
}

function endsHash(code: number): boolean {
  const kind = classOf(code);
  return kind === Class.Space || kind === Class.Delimiter || kind === Class.Control;
}

function badHash(text: string, span: Span): NdvmError {
  const isNumber = /^#[bodxei]/i.test(text);
  const help = isNumber
    ? "numbers are written in base ten, without a prefix"
    : "after # come t, f, ; (datum comment) or | (block comment)";
  return syntax(`${shorten(text)} has no meaning`, span, help);
}

function tooDeep(nestingMax: number, start: number): NdvmError {
  const help = "give parts of it names, with let or define";
  return syntax(`this is nested deeper than ${nestingMax}`, { start, end: start + 1 }, help);
}

function refuseVector(span: Span): NdvmError {
  const message = "vector literals #( ) are left out of this language";
  return new NdvmError("E-REFUSED", message, { span, help: "write [1 2 3], or a list '(1 2 3)" });
}

function refuseCharacter(span: Span): NdvmError {
  const help = "a symbol can stand for a character: 'a";
  return new NdvmError("E-REFUSED", "characters are left out of this language", { span, help });
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000;

/** Half of a surrogate pair alone is not a character, so UTF-8 cannot say it. */
function checkWellFormed(source: string): void {
  if (isAscii(source)) return;
  const lone = /\p{Surrogate}/u.exec(source);
  if (lone !== null) throw notText(source.charCodeAt(lone.index), lone.index);
}

function isAscii(source: string): boolean {
  for (let i = 0; i < source.length; i++) if (source.charCodeAt(i) > 127) return false;
  return true;
}

function notText(code: number, start: number): NdvmError {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const help = "save the program as plain UTF-8 text";
  return syntax(`the source is not UTF-8 text: it holds ${name}`, { start, end: start + 1 }, help);
}

function syntax(message: string, span: Span, help?: string): NdvmError {
  return new NdvmError("E-SYNTAX", message, { span, help });
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
