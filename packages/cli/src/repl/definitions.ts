/**
 * The definitions a dialogue has collected, and the program text they make with a new input.
 *
 * The machine evaluates whole programs, so a dialogue is its definitions, in order, followed by the
 * input. A name that is defined again replaces the old definition in its place: what depends on it
 * follows, as in a notebook.
 */

import { type Datum, type NdvmError, read, type Span } from "@ndvm/core";

export interface Definition {
  readonly name: string;
  readonly text: string;
}

export interface Forms {
  readonly definitions: readonly Definition[];
  /** The input without its definitions, each of them blanked out so that offsets stay. */
  readonly expressions: string;
  readonly hasExpression: boolean;
}

/** (define name …) and (define (name …) …); undefined for any other datum. */
function definedName(datum: Datum): string | undefined {
  if (datum.kind !== "list") return undefined;
  const [head, target] = datum.items;
  if (head?.kind !== "symbol" || head.name !== "define") return undefined;
  if (target?.kind === "symbol") return target.name;
  const inner = target?.kind === "list" ? target.items[0] : undefined;
  return inner?.kind === "symbol" ? inner.name : undefined;
}

/** Splits an input into definitions and expressions; throws E-SYNTAX for what does not read. */
export function splitForms(input: string): Forms {
  const definitions: Definition[] = [];
  const expressions: string[] = [];
  let hasExpression = false;
  let at = 0;
  for (const datum of read(input)) {
    const name = definedName(datum);
    const { start, end } = datum.span;
    if (name === undefined) hasExpression = true;
    else {
      const text = input.slice(start, end);
      definitions.push({ name, text });
      expressions.push(input.slice(at, start), text.replace(/[^\n]/g, " "));
      at = end;
    }
  }
  expressions.push(input.slice(at));
  return { definitions, expressions: expressions.join(""), hasExpression };
}

/** One piece of a program and where it starts in the program's text. */
interface Piece {
  readonly start: number;
  readonly text: string;
  readonly file: string | undefined;
}

export class DialogueProgram {
  readonly text: string;
  readonly #pieces: readonly Piece[];

  constructor(definitions: readonly Definition[], input: string) {
    const pieces: Piece[] = [];
    let text = "";
    for (const { name, text: definition } of definitions) {
      pieces.push({ start: text.length, text: definition, file: `definition of ${name}` });
      text += `${definition}\n`;
    }
    pieces.push({ start: text.length, text: input, file: undefined });
    this.text = text + input;
    this.#pieces = pieces;
  }

  /** The same error, with its span pointing into what the user typed. */
  locate(error: NdvmError): NdvmError {
    const { span } = error;
    if (span === undefined) return error.with({ source: undefined, file: undefined });
    const piece = this.#pieces.findLast(({ start }) => start <= span.start);
    if (piece === undefined) return error;
    const local: Span = { start: span.start - piece.start, end: span.end - piece.start };
    return error.with({
      span: { start: local.start, end: Math.min(local.end, piece.text.length) },
      source: piece.text,
      file: piece.file,
    });
  }
}

/** The definitions after new ones: known names are replaced in place, others go to the end. */
export function withDefinitions(
  known: readonly Definition[],
  added: readonly Definition[],
): Definition[] {
  const all = [...known, ...added];
  return [...new Map(all.map((definition) => [definition.name, definition])).values()];
}
