/**
 * The assembler: text → procedures of instructions with names, labels and callees resolved. Errors
 * name the word they are about. Linear in the text, without host recursion.
 */

import { NdvmError, type Span } from "../errors.js";
import { nearest } from "../nearest.js";
import {
  type InstructionInfo,
  instructionByName,
  knownNames,
  primitiveOf,
  usualCount,
} from "./instructions.js";
import { type Line, readLines, shown, type Word } from "./lines.js";
import { readLiteral } from "./literal.js";
import type { Action, Bytecode, Instruction, Procedure } from "./program.js";

export interface AssembleOptions {
  /** Names that are inputs whether or not the text has them. */
  readonly inputs?: readonly string[] | undefined;
}

export function assemble(source: string, options: AssembleOptions = {}): Bytecode {
  return new Assembler(source, options).assemble();
}

/** A procedure as the text has it. */
interface Draft {
  readonly name: Word | undefined;
  readonly params: readonly Word[];
  captures: readonly Word[];
  readonly lines: Line[];
  span: Span;
}

const COUNT_MAX = 2 ** 16;

class Assembler {
  readonly #source: string;
  readonly #drafts: Draft[] = [];
  readonly #main: Draft;
  readonly #procedures = new Map<string, number>();
  readonly #inputs = new Map<string, number>();
  #declaresInputs = false;

  constructor(source: string, options: AssembleOptions) {
    this.#source = source;
    const span = { start: 0, end: source.length };
    this.#main = { name: undefined, params: [], captures: [], lines: [], span };
    this.#split(readLines(source));
    for (const name of options.inputs ?? []) this.#addInput(name);
  }

  assemble(): Bytecode {
    if (this.#main.lines.length === 0)
      throw new NdvmError("E-SYNTAX", "the program has no instructions", {
        span: { start: 0, end: Math.min(1, this.#source.length) },
        help: "its value is what its last instruction leaves on the stack, such as PUSH 1",
      });
    this.#drafts.push(this.#main);
    const procedures = this.#drafts.map((draft) => this.#procedure(draft));
    const declaresInputs = this.#declaresInputs;
    return { procedures, inputs: [...this.#inputs.keys()], declaresInputs };
  }

  /** Shares the lines out to the program and its procedures. */
  #split(lines: readonly Line[]): void {
    let open: Draft | undefined;
    for (const line of lines) {
      const [first, ...rest] = line.words;
      if (first === undefined || !first.text.startsWith(".")) {
        (open ?? this.#main).lines.push(line);
        continue;
      }
      const [label] = line.labels;
      if (label !== undefined)
        throw new NdvmError(
          "E-SYNTAX",
          `the label ${shown(label.text)} stands before a directive`,
          {
            span: label.span,
            help: "labels name instructions; put it on the line of one",
          },
        );
      open = this.#directive(first, rest, open);
    }
    if (open !== undefined)
      throw new NdvmError("E-SYNTAX", `the procedure ${open.name?.text} has no .end`, {
        span: open.span,
        help: "close it with a line that says .end",
      });
  }

  /** Returns the procedure whose lines follow. */
  #directive(first: Word, rest: readonly Word[], open: Draft | undefined): Draft | undefined {
    const misplaced = (help: string) =>
      new NdvmError("E-SYNTAX", `${first.text} is out of place`, { span: first.span, help });
    switch (first.text.toLowerCase()) {
      case ".input":
        if (open !== undefined) throw misplaced("declare inputs outside procedures");
        this.#declaresInputs = true;
        for (const { text } of rest) this.#addInput(text);
        return undefined;
      case ".proc":
        if (open !== undefined) throw misplaced("procedures do not nest: write .end before it");
        return this.#openProcedure(first, rest);
      case ".captures":
        if (open === undefined || open.lines.length > 0)
          throw misplaced("it follows .proc, before the first instruction");
        if (open.captures.length > 0) throw misplaced("a procedure names all captures in one line");
        checkNames([...open.params, ...rest]);
        open.captures = rest;
        return open;
      case ".end":
        if (open === undefined) throw misplaced("there is no .proc to end");
        if (rest[0] !== undefined) throw extraWord(".end", rest[0]);
        open.span = { start: open.span.start, end: first.span.end };
        return undefined;
      default:
        throw new NdvmError("E-SYNTAX", `${shown(first.text)} is not a directive`, {
          span: first.span,
          help: didYouMean(first.text, [".input", ".proc", ".captures", ".end"]),
        });
    }
  }

  #openProcedure(first: Word, [name, ...params]: readonly Word[]): Draft {
    if (name === undefined)
      throw new NdvmError("E-FORM", ".proc needs a name", {
        span: first.span,
        help: "write .proc name parameter …",
      });
    if (/^\d/.test(name.text) || this.#procedures.has(name.text))
      throw new NdvmError(
        "E-FORM",
        this.#procedures.has(name.text)
          ? `there are two procedures called ${shown(name.text)}`
          : `a procedure cannot be called ${shown(name.text)}`,
        { span: name.span, help: "give it another name" },
      );
    checkNames(params);
    this.#procedures.set(name.text, this.#drafts.length);
    const span = { start: first.span.start, end: (params.at(-1) ?? name).span.end };
    const draft: Draft = { name, params, captures: [], lines: [], span };
    this.#drafts.push(draft);
    return draft;
  }

  #addInput(name: string): number {
    const known = this.#inputs.get(name);
    if (known !== undefined) return known;
    this.#inputs.set(name, this.#inputs.size);
    return this.#inputs.size - 1;
  }

  #procedure(draft: Draft): Procedure {
    const scope = new Scope(draft, this.#declaresInputs ? this.#inputs : undefined);
    const code: Instruction[] = [];
    for (const line of draft.lines) {
      const [first, ...rest] = line.words;
      if (first === undefined) continue;
      const span = { start: first.span.start, end: (rest.at(-1) ?? first).span.end };
      const text = this.#source.slice(first.span.start, first.span.end);
      code.push({ ...this.#instruction(first, rest, scope), text, span });
    }
    if (scope.needsReturn(code)) code.push(impliedReturn(draft, code));
    return {
      name: draft.name?.text,
      params: draft.params.map(({ text }) => text),
      captures: draft.captures.map(({ text }) => text),
      slots: [...scope.slots.keys()],
      code,
      span: draft.span,
    };
  }

  #instruction(first: Word, operands: readonly Word[], scope: Scope): Action {
    const info = instructionByName.get(first.text.toUpperCase());
    if (info === undefined) return primitiveAction(first, operands);
    const wanted = info.operands.length;
    const extra = operands[wanted];
    if (extra !== undefined) throw extraWord(info.name, extra);
    if (operands.length < wanted) throw missingOperand(info, first, operands.length);
    const [operand, second] = operands as readonly [Word, Word];
    switch (info.name) {
      case "PUSH":
        return { kind: "push", value: readLiteral(operand) };
      case "LOAD":
        return this.#load(operand, scope);
      case "STORE":
        return { kind: "store", slot: scope.slotOf(operand, "STORE") };
      case "DUP":
        return { kind: "pick", depth: 0 };
      case "PICK":
        return { kind: "pick", depth: readCount(operand, "a depth") };
      case "JUMP":
        return { kind: "jump", target: scope.target(operand) };
      case "BRANCH":
      case "BRANCHNOT":
        return { kind: "branch", target: scope.target(operand), when: info.name === "BRANCH" };
      case "LOOP":
        return { kind: "loop", slot: scope.slotOf(operand, "LOOP"), target: scope.target(second) };
      case "CALL":
      case "TAILCALL":
        return this.#call(operand, info.name === "TAILCALL");
      case "APPLY":
        return { kind: "apply", count: readCount(operand, "a count of arguments", 1) };
      case "CLOSURE":
        return { kind: "closure", procedure: this.#procedureNamed(operand) };
      case "PROC":
        return { kind: "procedure", primitive: knownPrimitive(operand) };
      case "RET":
        return { kind: "return" };
      case "SWAP":
        return { kind: "swap" };
      case "SELF":
        return { kind: "self" };
      default:
        return { kind: "drop" };
    }
  }

  #load(word: Word, scope: Scope): Action {
    const slot = scope.slots.get(word.text);
    if (slot !== undefined) return { kind: "local", slot };
    const captured = scope.captures.indexOf(word.text);
    if (captured >= 0) return { kind: "captured", index: captured };
    if (this.#declaresInputs && !this.#inputs.has(word.text))
      throw new NdvmError("E-UNBOUND", `${shown(word.text)} is neither a local nor an input`, {
        span: word.span,
        help: didYouMean(word.text, [
          ...scope.slots.keys(),
          ...scope.captures,
          ...this.#inputs.keys(),
        ]),
      });
    return { kind: "input", index: this.#addInput(word.text) };
  }

  #call(word: Word, isTail: boolean): Action {
    if (/^\d+$/.test(word.text))
      return { kind: "call", procedure: undefined, count: readCount(word, "a count"), isTail };
    const procedure = this.#procedureNamed(word);
    const { params, captures } = this.#drafts[procedure] as Draft;
    if (captures.length > 0)
      throw new NdvmError("E-FORM", `${word.text} captures values and cannot be called by name`, {
        span: word.span,
        help: `make a closure with CLOSURE ${word.text}, or SELF inside it, and CALL ${params.length}`,
      });
    return { kind: "call", procedure, count: params.length, isTail };
  }

  #procedureNamed(word: Word): number {
    const found = this.#procedures.get(word.text);
    if (found !== undefined) return found;
    throw new NdvmError("E-UNBOUND", `there is no procedure ${shown(word.text)}`, {
      span: word.span,
      help: didYouMean(word.text, [...this.#procedures.keys()], "define it with .proc"),
    });
  }
}

/** Names and labels inside one procedure. */
class Scope {
  readonly slots = new Map<string, number>();
  readonly captures: readonly string[];
  readonly #labels = new Map<string, number>();
  readonly #length: number;
  readonly #inputs: ReadonlyMap<string, number> | undefined;
  /** Whether a label stands after the last instruction. */
  #reachesEnd = false;

  constructor(draft: Draft, inputs: ReadonlyMap<string, number> | undefined) {
    this.captures = draft.captures.map(({ text }) => text);
    this.#inputs = inputs;
    for (const { text } of draft.params) this.slots.set(text, this.slots.size);
    let length = 0;
    for (const { labels, words } of draft.lines) {
      for (const label of labels) this.#addLabel(label, length);
      if (words.length === 0) continue;
      length += 1;
      this.#noteLocal(words);
    }
    this.#length = length;
  }

  #addLabel({ text, span }: Word, at: number): void {
    if (this.#labels.has(text))
      throw new NdvmError("E-FORM", `the label ${shown(text)} stands twice`, {
        span,
        help: "labels are unique within a procedure; rename one of them",
      });
    this.#labels.set(text, at);
  }

  /** STORE and LOOP make locals. */
  #noteLocal([first, operand]: readonly Word[]): void {
    const name = first?.text.toUpperCase();
    if ((name !== "STORE" && name !== "LOOP") || operand === undefined) return;
    const { text } = operand;
    if (this.slots.has(text) || this.captures.includes(text) || this.#inputs?.has(text)) return;
    this.slots.set(text, this.slots.size);
  }

  slotOf({ text, span }: Word, by: string): number {
    const slot = this.slots.get(text);
    if (slot !== undefined) return slot;
    const what = this.captures.includes(text) ? "a captured value" : "an input";
    throw new NdvmError("E-FORM", `${by} ${shown(text)}: it is ${what} and never changes`, {
      span,
      help: `LOAD ${text} and STORE it under another name first`,
    });
  }

  target({ text, span }: Word): number {
    const isIndex = /^[-+]?\d+$/.test(text);
    const found = isIndex ? Number(text) : this.#labels.get(text);
    if (found === undefined)
      throw new NdvmError("E-UNBOUND", `there is no label ${shown(text)} in this procedure`, {
        span,
        help: didYouMean(text, [...this.#labels.keys()], `write ${text}: before an instruction`),
      });
    if (found < 0 || found > this.#length)
      throw new NdvmError("E-RANGE", `there is no instruction ${text} in this procedure`, {
        span,
        help: `its instructions are numbered from 0 to ${this.#length - 1}; ${this.#length} is its end`,
      });
    if (found === this.#length) this.#reachesEnd = true;
    return found;
  }

  /** Whether the procedure can run off its end. */
  needsReturn(code: readonly Instruction[]): boolean {
    const last = code.at(-1);
    if (last === undefined || this.#reachesEnd) return true;
    if (last.kind === "call") return !last.isTail;
    return last.kind !== "return" && last.kind !== "jump";
  }
}

function impliedReturn(draft: Draft, code: readonly Instruction[]): Instruction {
  const end = code.at(-1)?.span ?? draft.span;
  return { kind: "return", text: "RET", span: end, isImplied: true };
}

function checkNames(names: readonly Word[]): void {
  const seen = new Set<string>();
  for (const { text, span } of names) {
    if (seen.has(text))
      throw new NdvmError("E-FORM", `the name ${shown(text)} stands twice`, {
        span,
        help: "parameters and captured values have different names",
      });
    seen.add(text);
  }
}

function primitiveAction(first: Word, [operand, extra]: readonly Word[]): Action {
  const primitive = primitiveOf(first.text);
  if (primitive === undefined)
    throw new NdvmError("E-UNBOUND", `there is no instruction ${shown(first.text)}`, {
      span: first.span,
      help: didYouMean(first.text.toUpperCase(), knownNames, "docs/bytecode.md lists them"),
    });
  if (extra !== undefined) throw extraWord(first.text, extra);
  const { min, max } = primitive.arity;
  if (operand === undefined) {
    const count = usualCount(primitive);
    if (count !== undefined) return { kind: "primitive", primitive, count };
    throw new NdvmError("E-FORM", `${first.text} needs a count of operands`, {
      span: first.span,
      help: `it takes any number of values from the stack: write ${first.text} 3`,
    });
  }
  const count = readCount(operand, "a count of operands");
  if (count < min || count > max)
    throw new NdvmError("E-ARITY", `${first.text} cannot take ${count} operands`, {
      span: operand.span,
      help: `it takes ${min === max ? min : `${min} to ${Number.isFinite(max) ? max : "any number"}`}`,
    });
  return { kind: "primitive", primitive, count };
}

function knownPrimitive(word: Word): NonNullable<ReturnType<typeof primitiveOf>> {
  const primitive = primitiveOf(word.text);
  if (primitive !== undefined) return primitive;
  throw new NdvmError("E-UNBOUND", `there is no primitive ${shown(word.text)}`, {
    span: word.span,
    help: didYouMean(word.text.toUpperCase(), knownNames, "docs/primitives.md lists them"),
  });
}

function readCount({ text, span }: Word, what: string, least = 0): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= COUNT_MAX) return count;
  throw new NdvmError("E-FORM", `${shown(text)} is not ${what}`, {
    span,
    help: `write a whole number from ${least} to ${COUNT_MAX}`,
  });
}

function missingOperand(info: InstructionInfo, first: Word, got: number): NdvmError {
  return new NdvmError("E-FORM", `${info.name} needs ${describeOperand(info, got)}`, {
    span: first.span,
    help: `write ${[info.name, ...info.operands.map((kind) => examples[kind])].join(" ")}`,
  });
}

const examples = {
  literal: "1.5",
  name: "x",
  label: "label",
  depth: "1",
  count: "2",
  procedure: "f",
  callee: "f",
} as const;

function describeOperand(info: InstructionInfo, index: number): string {
  const kind = info.operands[index] ?? "name";
  return `a ${kind === "callee" ? "procedure, or a count of arguments" : kind}`;
}

function extraWord(name: string, word: Word): NdvmError {
  return new NdvmError("E-SYNTAX", `${shown(word.text)} is too much after ${name}`, {
    span: word.span,
    help: "one instruction a line; a comment starts with ;",
  });
}

function didYouMean(name: string, known: readonly string[], otherwise = "check the name"): string {
  const near = nearest(name, known);
  return near === undefined ? otherwise : `did you mean ${near}?`;
}
