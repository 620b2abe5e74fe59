/**
 * What the machine may ask about a Scheme program: answers from its core nodes.
 */

import type { Span } from "../errors.js";
import { primitiveByName } from "../primitives/registry.js";
import { constants } from "../syntax/constants.js";
import type { Core, Expansion, LambdaNode } from "../syntax/core.js";
import { expand } from "../syntax/expand.js";
import { builtinNames } from "../syntax/names.js";
import { printCore } from "../syntax/print-core.js";
import { read } from "../syntax/read.js";
import { encode } from "./encode.js";
import { encodeFormula } from "./formula.js";
import {
  FAULT_ARITY,
  FAULT_NOT_ALIST,
  FAULT_NOT_LIST,
  FAULT_NOT_NUMBER,
  FAULT_NOT_PAIR,
  FAULT_NOT_PROCEDURE,
  FAULT_NOT_SCALAR,
  FAULT_NOT_TENSOR,
  FAULT_SHAPE,
  TAG_PAIR,
} from "./layout.js";
import type { EncodeOptions, Image, ParsedProgram, ProcedureInfo } from "./parsed-program.js";
import { selectElement } from "./select.js";

const SHAPE_HELP =
  "a vector is [1 2 3], a matrix (mat [1 2] [3 4]); vlen, rows and cols tell their sizes";

const NO_NAMES: readonly string[] = [];

const helps: ReadonlyMap<number, string> = new Map([
  [FAULT_NOT_PROCEDURE, "parentheses call: (f x) calls f; write a plain value without them"],
  [FAULT_ARITY, "count the arguments of the call; (apply f list) passes one for each element"],
  [FAULT_NOT_PAIR, "car and cdr take lists that are not empty; test with pair? first"],
  [FAULT_NOT_LIST, "a list is '(1 2 3) or (list a b c); [1 2 3] is a vector"],
  [FAULT_NOT_NUMBER, "numbers, vectors and matrices are numeric; test with number? first"],
  [FAULT_NOT_SCALAR, SHAPE_HELP],
  [FAULT_NOT_TENSOR, SHAPE_HELP],
  [FAULT_SHAPE, SHAPE_HELP],
  [FAULT_NOT_ALIST, "an association list is written '((a 1) (b 2))"],
]);

export class ParsedScheme implements ParsedProgram {
  readonly #source: string;
  readonly #declared: readonly string[] | undefined;
  /** Made when somebody asks for it: what runs without a fault is asked for nothing. */
  #expansion: Expansion | undefined;
  /** The inputs of a formula, once it has been encoded. */
  #formula: readonly string[] | undefined;

  /** A program that was expanded already, or its text and the inputs that the caller declares. */
  constructor(source: string, known: Expansion | undefined, declared?: readonly string[]) {
    this.#source = source;
    this.#expansion = known;
    this.#declared = declared;
  }

  get expansion(): Expansion {
    this.#expansion ??= expand(read(this.#source), { inputs: this.#declared });
    return this.#expansion;
  }

  get inputs(): readonly string[] {
    return this.#formula ?? this.expansion.inputs;
  }

  get builtins(): readonly string[] {
    return [...builtinNames()];
  }

  get constants(): readonly string[] {
    if (this.#formula !== undefined) return NO_NAMES;
    // A symbol that is quoted has the text of the constant, and not its number.
    const names = this.expansion.nodes.map((node) =>
      node.kind === "const" && node.value.kind === "number"
        ? this.#source.slice(node.span.start, node.span.end)
        : "",
    );
    return [...constants.keys()].filter((name) => names.includes(name));
  }

  get procedureValues(): readonly string[] {
    if (this.#formula !== undefined) return NO_NAMES;
    const { nodes } = this.expansion;
    const called = new Set(nodes.map((node) => (node.kind === "call" ? node.operator : undefined)));
    const isValue = (node: Core): boolean =>
      node.kind === "primitive" && !called.has(node) && node.span.start >= 0;
    const names = nodes.filter(isValue).map(({ span }) => this.#source.slice(span.start, span.end));
    return [...new Set(names)];
  }

  get hasBranches(): boolean {
    if (this.#formula !== undefined) return false;
    return this.expansion.nodes.some(({ kind }) => kind === "if");
  }

  #node(index: number): Core | undefined {
    return this.expansion.nodes[index];
  }

  spanOf(node: number): Span | undefined {
    const span = this.#node(node)?.span;
    return span === undefined || span.start < 0 ? undefined : span;
  }

  inputSpan(name: string): Span | undefined {
    const use = this.expansion.nodes.find((node) => node.kind === "input" && node.name === name);
    return use === undefined || use.span.start < 0 ? undefined : use.span;
  }

  procedureAt(node: number): ProcedureInfo {
    const { name, params, rest } = this.#node(node) as LambdaNode;
    return { name, min: params.length, max: rest === undefined ? params.length : -1 };
  }

  variableAt(node: number): string | undefined {
    const at = this.#node(node);
    return at?.kind === "ref" ? at.variable.name : undefined;
  }

  calledAt(node: number, isApply: boolean): string | undefined {
    const at = this.#node(node);
    if (at?.kind !== "call" || at.span.start < 0) return undefined;
    const called = isApply ? at.operands[0] : at.operator;
    return called === undefined ? undefined : nameOf(called);
  }

  operationAt(node: number): string | undefined {
    const at = this.#node(node);
    if (at?.kind !== "call" || at.span.start < 0 || at.operator.kind !== "primitive")
      return undefined;
    const { span, name } = at.operator;
    if (name === "apply" || span.start < 0) return undefined;
    const text = this.#source.slice(span.start, span.end);
    return primitiveByName.has(text) ? text : undefined;
  }

  operandAt(node: number, operand: number): string | undefined {
    const at = this.#node(node);
    if (at?.kind !== "call" || at.span.start < 0) return undefined;
    const from = at.operands[operand];
    return from === undefined ? undefined : nameOf(from);
  }

  libraryCall(failed: number, visible: number): string | undefined {
    const inside = this.#node(failed);
    if (inside === undefined || inside.span.start >= 0) return undefined;
    if (inside.kind !== "call" || inside.operator.kind !== "primitive") return undefined;
    const at = this.#node(visible);
    return at?.kind === "call" ? nameOf(at.operator) : undefined;
  }

  helpFor(fault: number, tag: number): string | undefined {
    if (fault === FAULT_NOT_NUMBER && tag === TAG_PAIR)
      return "to add up a list write (fold-left + 0 items) or (apply + items)";
    return helps.get(fault);
  }

  print(): string {
    return printCore(this.expansion);
  }

  encode(options: EncodeOptions): Image {
    if (this.#expansion === undefined) {
      const formula = encodeFormula(this.#source, this.#declared, options);
      this.#formula = formula?.inputs;
      if (formula !== undefined) return formula;
    }
    return encode(this.expansion, options);
  }

  elementBy(index: string): ParsedProgram {
    return new ParsedScheme(this.#source, selectElement(this.expansion, index));
  }
}

function nameOf(node: Core): string | undefined {
  if (node.kind === "ref") return node.variable.name;
  return node.kind === "input" || node.kind === "primitive" ? node.name : undefined;
}
