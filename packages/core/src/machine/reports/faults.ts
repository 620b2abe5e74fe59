/**
 * Faults in words: what the machine stopped on, told in the user's names, with where and what to do.
 */

import type { ErrorCode, ErrorFacts, NdvmError, Span } from "../../errors.js";
import { primitives } from "../../primitives/registry.js";
import {
  FAULT_ARITY,
  FAULT_INDEX,
  FAULT_MEMORY,
  FAULT_NOT_ALIST,
  FAULT_NOT_BOOLEAN,
  FAULT_NOT_INTEGER,
  FAULT_NOT_LIST,
  FAULT_NOT_NUMBER,
  FAULT_NOT_PAIR,
  FAULT_NOT_PROCEDURE,
  FAULT_NOT_SCALAR,
  FAULT_NOT_TENSOR,
  FAULT_RECURSION,
  FAULT_ROWS_DIFFER,
  FAULT_SHAPE,
  FAULT_SHAPES_DIFFER,
  FAULT_SIZE,
  FAULT_STEPS,
  FAULT_TAPE,
  FAULT_UNINITIALISED,
  SHAPE_INNER_DIFFER,
  SHAPE_LENGTHS_DIFFER,
  SHAPE_NEEDS_MATRIX,
  SHAPE_NEEDS_MATRIX_FIRST,
  SHAPE_NEEDS_MATRIX_VECTOR,
  SHAPE_NEEDS_SCALAR_FIRST,
  SHAPE_NEEDS_SQUARE,
  SHAPE_NEEDS_TENSOR,
  SHAPE_NEEDS_VECTOR,
  SHAPE_NEEDS_VECTOR3,
  TAG_BOOL,
  TAG_CLOSURE,
  TAG_INT,
  TAG_MASK,
  TAG_NIL,
  TAG_PAIR,
  TAG_PRIMITIVE,
  TAG_REAL,
  TAG_SYMBOL,
  TAG_TENSOR,
} from "../../program/layout.js";
import type { ParsedProgram, ProcedureInfo } from "../../program/parsed-program.js";
import { makeError } from "../../words.js";
import type { Exports } from "../instance.js";
import { payloadInfo } from "../results/payloads.js";

/** What the words need to know of the program. */
export interface FaultContext {
  readonly parsed: ParsedProgram;
  readonly source: string;
  readonly file: string | undefined;
  readonly symbols: readonly string[];
  /** The number of a real value in a lane that failed, as text. */
  numberText(payload: number): string;
  /** The procedure a closure was made from. */
  procedureOf(closure: number): ProcedureInfo;
  /** Nodes of the calls that are under way, innermost first. */
  callers(): Iterable<number>;
}

interface Words {
  readonly code: ErrorCode;
  readonly message: string;
  readonly help?: string | undefined;
  readonly facts?: ErrorFacts;
}

export function faultError(exports: Exports, context: FaultContext): NdvmError {
  const fault = new Fault(exports, context);
  const { code, facts, ...words } = fault.words();
  const { source, file } = context;
  return makeError(code, facts ?? {}, { ...words, span: fault.span, source, file });
}

const shapeNeeds: ReadonlyMap<number, string> = new Map([
  [SHAPE_NEEDS_TENSOR, "a vector or matrix"],
  [SHAPE_NEEDS_VECTOR, "vectors"],
  [SHAPE_NEEDS_MATRIX, "a matrix"],
  [SHAPE_NEEDS_SQUARE, "a square matrix"],
  [SHAPE_NEEDS_VECTOR3, "two vectors of length 3"],
  [SHAPE_LENGTHS_DIFFER, "vectors of equal length"],
  [SHAPE_INNER_DIFFER, "as many columns in the first as rows in the second"],
  [SHAPE_NEEDS_MATRIX_VECTOR, "a matrix and a vector"],
  [SHAPE_NEEDS_SCALAR_FIRST, "a number and then a vector or matrix"],
  [SHAPE_NEEDS_MATRIX_FIRST, "a matrix and then a vector or matrix"],
]);

/** The first of a node and the calls around it that the user's text has; -1 where none is. */
export function nearestVisible(
  parsed: ParsedProgram,
  node: number,
  callers: Iterable<number>,
): number {
  if (parsed.spanOf(node) !== undefined) return node;
  for (const caller of callers) if (parsed.spanOf(caller) !== undefined) return caller;
  return -1;
}

class Fault {
  readonly #exports: Exports;
  readonly #context: FaultContext;
  readonly #parsed: ParsedProgram;
  readonly #node: number;
  /** The user's node nearest to the fault: code of a library has no place in their text. */
  readonly #visible: number;

  constructor(exports: Exports, context: FaultContext) {
    this.#exports = exports;
    this.#context = context;
    this.#parsed = context.parsed;
    this.#node = exports.currentNode.value as number;
    this.#visible = nearestVisible(this.#parsed, this.#node, context.callers());
  }

  get span(): Span | undefined {
    return this.#parsed.spanOf(this.#visible);
  }

  words(): Words {
    const code = this.#exports.faultCode.value as number;
    switch (code) {
      case FAULT_MEMORY:
        return this.#budget("E-MEMORY", "the memory budget is used up", "memoryMax");
      case FAULT_TAPE:
        return this.#budget("E-TAPE", "the tape budget is used up", "tapeBytesMax");
      case FAULT_RECURSION:
        return {
          code: "E-RECURSION",
          message: "recursion went so deep that it used up the memory budget",
          facts: { reason: "recursion", option: "memoryMax" },
        };
      case FAULT_STEPS:
        return this.#steps();
      case FAULT_UNINITIALISED:
        return this.#uninitialised();
      case FAULT_NOT_PROCEDURE:
        return this.#notProcedure();
      case FAULT_ARITY:
        return this.#arity();
      case FAULT_INDEX:
        return this.#index();
      case FAULT_SHAPE:
      case FAULT_SHAPES_DIFFER:
      case FAULT_ROWS_DIFFER:
        return this.#shape(code);
      default:
        return this.#operand(code);
    }
  }

  #budget(code: ErrorCode, message: string, option: string): Words {
    return { code, message, facts: { reason: "budget", option } };
  }

  /** One primitive alone took too many. */
  #steps(): Words {
    return {
      code: "E-STEPS",
      message: `${this.#opName()} alone took more than 5·10⁷ steps`,
      help: "structure that shares its parts unfolds when it is compared; compare less of it",
    };
  }

  #uninitialised(): Words {
    const name = shortName(this.#parsed.variableAt(this.#node)) ?? "a variable";
    return {
      code: "E-UNINITIALISED",
      message: `${name} is used before its definition has run`,
      help: `move the definition of ${name} before this use`,
    };
  }

  #notProcedure(): Words {
    const what = this.#describe(this.#exports.faultValue.value as bigint);
    const isApply = (this.#exports.faultDetail.value as number) === 1;
    const name = shortName(this.#parsed.calledAt(this.#node, isApply));
    const subject = name === undefined ? what : `${name} = ${what}`;
    return {
      code: "E-CALL",
      message: `${subject} is not a procedure and cannot be called`,
      help: this.#help(FAULT_NOT_PROCEDURE),
    };
  }

  /** The name of the operation that failed, as the user spells it where they wrote it. */
  #opName(): string {
    const usual = primitiveName(this.#exports.faultOp.value as number);
    return shortName(this.#parsed.operationAt(this.#node)) ?? usual;
  }

  #arity(): Words {
    const value = this.#exports.faultValue.value as bigint;
    const got = this.#exports.faultDetail.value as number;
    const { name, min, max } = this.#procedure(value);
    return {
      code: "E-ARITY",
      message: `${name} takes ${argumentCount(min, max)}, got ${got}`,
      help:
        max === -1 || min === max
          ? this.#help(FAULT_ARITY)
          : "count the arguments of the call; the last ones may be left out",
    };
  }

  #procedure(value: bigint): { name: string; min: number; max: number } {
    const data = dataOf(value);
    if (tagOf(value) === TAG_PRIMITIVE) {
      const primitive = primitives[data];
      const { min, max } = primitive?.arity ?? { min: 0, max: 0 };
      return { name: primitiveName(data), min, max: Number.isFinite(max) ? max : -1 };
    }
    const { name, min, max } = this.#context.procedureOf(data);
    return { name: shortName(name) ?? "this procedure", min, max };
  }

  #index(): Words {
    const index = this.#exports.faultDetail.value as number;
    const container = this.#exports.faultOther.value as bigint;
    // Lists and tensors are indexed as the first operand.
    const isPlaced = (this.#exports.faultOperand.value as number) >= 0;
    const indexed = `${isPlaced ? this.#operandText(0) : ""}${this.#describe(container)}`;
    return {
      code: "E-RANGE",
      message: `${this.#opName()}: index ${index} is out of range for ${indexed}`,
      help: "indices start at 0",
    };
  }

  #shape(code: number): Words {
    const first = this.#exports.faultValue.value as bigint;
    const second = this.#exports.faultOther.value as bigint;
    const detail = this.#exports.faultDetail.value as number;
    const needs =
      code === FAULT_SHAPES_DIFFER
        ? "equal shapes, or a number and a vector or matrix"
        : code === FAULT_ROWS_DIFFER
          ? "rows of equal length"
          : this.#shapeNeeds(detail, second);
    const place = this.#exports.faultOperand.value as number;
    const otherPlace = this.#exports.faultOtherOperand.value as number;
    const got = `${this.#operandText(place)}${this.#describe(first)}`;
    const isPair = tagOf(second) !== TAG_NIL && second !== first;
    const also = isPair ? ` and ${this.#operandText(otherPlace)}${this.#describe(second)}` : "";
    return {
      code: "E-SHAPE",
      message: `${this.#opName()} needs ${needs}, got ${got}${also}`,
      help: this.#help(FAULT_SHAPE),
    };
  }

  #shapeNeeds(detail: number, second: bigint): string {
    const isOfOne = tagOf(second) === TAG_NIL || second === this.#exports.faultValue.value;
    if (detail === SHAPE_NEEDS_VECTOR && isOfOne && this.#opName() !== "mat") return "a vector";
    return shapeNeeds.get(detail) ?? "other shapes";
  }

  #operand(code: number): Words {
    const op = this.#opName();
    const operand = this.#exports.faultOperand.value as number;
    const value = this.#exports.faultValue.value as bigint;
    const got = `${this.#operandText(operand)}${this.#describe(value, code)}`;
    const library = this.#parsed.libraryCall(this.#node, this.#visible);
    if (library !== undefined && (code === FAULT_NOT_PAIR || code === FAULT_NOT_LIST))
      return this.#notListIn(library, value);
    const needs: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
      [FAULT_NOT_PAIR, ["E-TYPE", "a pair"]],
      [FAULT_NOT_LIST, ["E-TYPE", "a list"]],
      [FAULT_NOT_NUMBER, ["E-TYPE", "a number"]],
      [FAULT_NOT_BOOLEAN, ["E-TYPE", "a boolean"]],
      [FAULT_NOT_SCALAR, ["E-SHAPE", "a number"]],
      [FAULT_NOT_TENSOR, ["E-SHAPE", "a vector or matrix"]],
      [FAULT_NOT_INTEGER, ["E-TYPE", "a whole number"]],
      [FAULT_NOT_ALIST, ["E-TYPE", "a list of pairs, its element"]],
      [FAULT_SIZE, ["E-RANGE", "a size from 0 to 2^24"]],
    ]);
    const [usual, general] = needs.get(code) ?? ["E-TYPE", "something else"];
    const need = code === FAULT_NOT_TENSOR && op === "mat" ? "vectors" : general;
    // A number where a vector belongs has the wrong shape; a list is the wrong kind of thing.
    const errorCode = usual === "E-SHAPE" && !isNumeric(tagOf(value)) ? "E-TYPE" : usual;
    const isElement = code === FAULT_NOT_ALIST;
    const message = isElement
      ? `${op} needs a list of pairs, but an element is ${this.#describe(value)}`
      : `${op} needs ${need}, got ${got}`;
    if (code === FAULT_NOT_NUMBER && tagOf(value) === TAG_PRIMITIVE) {
      // A name that was meant as a parameter, perhaps: (* scale x).
      const facts = { reason: "builtin", names: [primitiveName(dataOf(value))] } as const;
      return { code: errorCode, message, facts };
    }
    return { code: errorCode, message, help: this.#operandHelp(code, value) };
  }

  /** A library procedure walked a list of the user's that is none. */
  #notListIn(name: string, value: bigint): Words {
    return {
      code: "E-TYPE",
      message: `${name} needs a list, got ${this.#describe(value, FAULT_NOT_LIST)}`,
      help: this.#help(FAULT_NOT_LIST),
    };
  }

  /** What the client's users would do about it. */
  #help(fault: number, tag = 0): string | undefined {
    return this.#parsed.helpFor(fault, tag);
  }

  #operandHelp(code: number, value: bigint): string {
    if (code === FAULT_NOT_PAIR && tagOf(value) === TAG_NIL)
      return "the list is empty here; test with null? first";
    return (
      this.#help(code, tagOf(value)) ?? operandHelps.get(code) ?? "check what the expression yields"
    );
  }

  /** `name = ` where the operand is a plain name in the user's text. */
  #operandText(operand: number): string {
    if (operand < 0) return "";
    const name = shortName(this.#parsed.operandAt(this.#node, operand));
    return name === undefined ? "" : `${name} = `;
  }

  #describe(value: bigint, code?: number): string {
    const data = dataOf(value);
    switch (tagOf(value)) {
      case TAG_INT:
        return String(data);
      case TAG_REAL:
        return this.#context.numberText(data);
      case TAG_TENSOR: {
        const exports = this.#exports;
        const views = { words: new Int32Array(exports.memory.buffer) };
        const { rank, rows, cols } = payloadInfo({ exports, views }, data);
        return rank === 1 ? `vector[${rows}]` : `matrix[${rows},${cols}]`;
      }
      case TAG_BOOL:
        return data === 0 ? "#f" : "#t";
      case TAG_MASK:
        return "a boolean that differs between lanes";
      case TAG_NIL:
        return "the empty list";
      case TAG_SYMBOL:
        return `the symbol ${shortName(this.#context.symbols[data])}`;
      case TAG_PAIR:
        return code === FAULT_NOT_LIST ? "a pair that does not end in ()" : "a list";
      case TAG_CLOSURE:
        return `the procedure ${shortName(this.#context.procedureOf(data).name) ?? "(lambda …)"}`;
      case TAG_PRIMITIVE:
        return `the procedure ${primitiveName(data)}`;
      default:
        return "an unspecified value";
    }
  }
}

const operandHelps: ReadonlyMap<number, string> = new Map([
  [FAULT_NOT_INTEGER, "round, floor, ceiling and truncate make whole numbers"],
  [FAULT_NOT_BOOLEAN, "comparisons and tests such as null? make booleans"],
  [FAULT_SIZE, "check how the size is computed"],
]);

/** Each lane that fails has its own message, so none holds more of a name than people read. */
const NAME_CHARACTERS = 100;

const shortName = <Name extends string | undefined>(name: Name): Name | string =>
  name !== undefined && name.length > NAME_CHARACTERS
    ? `${name.slice(0, NAME_CHARACTERS - 1)}…`
    : name;

/** How many arguments a procedure takes, in words; max -1: any number. */
function argumentCount(min: number, max: number): string {
  const many = (n: number) => `${n} argument${n === 1 ? "" : "s"}`;
  if (max === min) return many(min);
  if (max === -1) return `at least ${many(min)}`;
  return max === min + 1 ? `${min} or ${many(max)}` : `${min} to ${many(max)}`;
}

const isNumeric = (tag: number): boolean =>
  tag === TAG_INT || tag === TAG_REAL || tag === TAG_TENSOR;

const tagOf = (value: bigint): number => Number(BigInt.asUintN(8, value));
const dataOf = (value: bigint): number => Number(BigInt.asIntN(32, value >> 32n));

const surfaceOf: ReadonlyMap<string, string> = new Map([
  ["neg", "-"],
  ["atan2", "atan"],
  ["sqrtClamp", "sqrt"],
  ["logClamp", "log"],
]);

export function primitiveName(op: number): string {
  const primitive = primitives[op];
  if (primitive === undefined) return "this operation";
  return primitive.scheme ?? surfaceOf.get(primitive.name) ?? primitive.name;
}
