/**
 * What the machine may ask about a stack program: answers from its instructions. Node numbers are
 * those of encode.ts: instructions, procedure after procedure, then the procedures.
 */

import type { Span } from "../errors.js";
import {
  FAULT_ARITY,
  FAULT_NOT_ALIST,
  FAULT_NOT_BOOLEAN,
  FAULT_NOT_LIST,
  FAULT_NOT_NUMBER,
  FAULT_NOT_PAIR,
  FAULT_NOT_PROCEDURE,
  FAULT_NOT_SCALAR,
  FAULT_NOT_TENSOR,
  FAULT_SHAPE,
} from "../program/layout.js";
import type {
  EncodeOptions,
  Image,
  ParsedProgram,
  ProcedureInfo,
} from "../program/parsed-program.js";
import { disassemble } from "./disassemble.js";
import { encodeBytecode } from "./encode.js";
import type { Bytecode, Instruction, Procedure } from "./program.js";
import { selectElement } from "./select.js";

const SHAPE_HELP = "VEC 3 makes a vector of three values, MAT 2 a matrix of two vectors";

const helps: ReadonlyMap<number, string> = new Map([
  [FAULT_NOT_PROCEDURE, "the closure lies below its arguments: CLOSURE f, the arguments, CALL 2"],
  [FAULT_ARITY, "count the values between the closure and the call"],
  [FAULT_NOT_PAIR, "CAR and CDR take lists that are not empty; test with PAIR? first"],
  [FAULT_NOT_LIST, "LIST 3 makes a list of three values; PUSH nil and CONS build one"],
  [FAULT_NOT_NUMBER, "numbers, vectors and matrices are numeric; test with NUMBER? first"],
  [FAULT_NOT_BOOLEAN, "comparisons such as LT, and tests such as NULL?, make booleans"],
  [FAULT_NOT_SCALAR, SHAPE_HELP],
  [FAULT_NOT_TENSOR, SHAPE_HELP],
  [FAULT_SHAPE, SHAPE_HELP],
  [FAULT_NOT_ALIST, "an association list is a list of pairs"],
]);

export class ParsedBytecode implements ParsedProgram {
  readonly bytecode: Bytecode;
  readonly #nodes: readonly Instruction[];

  constructor(bytecode: Bytecode) {
    this.bytecode = bytecode;
    this.#nodes = bytecode.procedures.flatMap(({ code }) => code);
  }

  get inputs(): readonly string[] {
    return this.bytecode.inputs;
  }

  /** An instruction's name never stands where a variable's does. */
  get builtins(): readonly string[] {
    return [];
  }

  get constants(): readonly string[] {
    return [];
  }

  get procedureValues(): readonly string[] {
    return [];
  }

  get hasBranches(): boolean {
    return this.#nodes.some(({ kind }) => kind === "branch" || kind === "loop");
  }

  #procedure(node: number): Procedure | undefined {
    return this.bytecode.procedures[node - this.#nodes.length];
  }

  spanOf(node: number): Span | undefined {
    return (this.#nodes[node] ?? this.#procedure(node))?.span;
  }

  inputSpan(name: string): Span | undefined {
    const index = this.inputs.indexOf(name);
    return this.#nodes.find((code) => code.kind === "input" && code.index === index)?.span;
  }

  procedureAt(node: number): ProcedureInfo {
    const { name, params } = this.#procedure(node) as Procedure;
    return { name, min: params.length, max: params.length };
  }

  variableAt(): string | undefined {
    return undefined;
  }

  calledAt(): string | undefined {
    return undefined;
  }

  operationAt(node: number): string | undefined {
    return this.#nodes[node]?.text;
  }

  operandAt(): string | undefined {
    return undefined;
  }

  libraryCall(): string | undefined {
    return undefined;
  }

  helpFor(fault: number): string | undefined {
    return helps.get(fault);
  }

  print(): string {
    return disassemble(this.bytecode);
  }

  encode(options: EncodeOptions): Image {
    return encodeBytecode(this.bytecode, options);
  }

  elementBy(index: string): ParsedProgram {
    return new ParsedBytecode(selectElement(this.bytecode, index));
  }
}
