/**
 * A program as its client has read it, for the machine: how to encode it, where a node stands in the
 * text, what names the user gave, and how the client's users would put something right.
 */

import type { Span } from "../errors.js";

/** What an encoder makes: the words that the machine reads, and the names of symbols. */
export interface Image {
  /** The first of them is how many make the image. They are good until another is encoded. */
  readonly words: Int32Array;
  readonly symbols: readonly string[];
}

export interface EncodeOptions {
  /** Largest integer that stays an immediate: 2²⁴ for f32, 2³¹ − 1 for f64. */
  readonly integerMax: number;
  /** `sqrt` and `log` clamp their input as the paper does. */
  readonly clamps: boolean;
  /** Procedures that are only looped become loops, where a client knows such. */
  readonly findsLoops: boolean;
}

export interface ProcedureInfo {
  readonly name: string | undefined;
  readonly min: number;
  /** −1: any number of arguments. */
  readonly max: number;
}

export interface ParsedProgram {
  readonly inputs: readonly string[];
  /** Names that mean something without being defined: a new name near one may be a slip. */
  readonly builtins: readonly string[];
  /** Names that it uses for numbers of the language, such as pi. */
  readonly constants: readonly string[];
  /** Procedures of the language that it uses as values: perhaps meant as names of inputs. */
  readonly procedureValues: readonly string[];
  /** Whether it ever decides which way to go: with numbers, or with structure alone. */
  readonly hasBranches: boolean;
  /** Where a node stands in the user's text; undefined where it is not of their writing. */
  spanOf(node: number): Span | undefined;
  /** Where an input is first used. */
  inputSpan(name: string): Span | undefined;
  /** The procedure whose node a closure names. */
  procedureAt(node: number): ProcedureInfo;
  /** The variable that a node reads. */
  variableAt(node: number): string | undefined;
  /** The name that stands for what a node calls; `isApply`: by `apply`. */
  calledAt(node: number, isApply: boolean): string | undefined;
  /** The operation of a node as the user spells it. */
  operationAt(node: number): string | undefined;
  /** The name that stands for an operand of a node, counted from 0. */
  operandAt(node: number, operand: number): string | undefined;
  /** The library procedure a node calls, where what failed lies inside the library. */
  libraryCall(failed: number, visible: number): string | undefined;
  /** What to do about a fault (FAULT_* of layout.ts) over a value with that tag. */
  helpFor(fault: number, tag: number): string | undefined;
  /** The program as the machine sees it, as text. */
  print(): string;
  /** The words that the machine reads. Throws where the program cannot be loaded. */
  encode(options: EncodeOptions): Image;
  /** A program whose value is one element of this one's vector; the index is a new input. */
  elementBy(index: string): ParsedProgram;
}
