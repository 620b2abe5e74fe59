/**
 * The encoder: core nodes → one image, the program as the machine reads it (layout.ts has the
 * format). Linear: one pass to analyse, one to write. Children are written before their parents,
 * so a cell knows where its operands lie. The program stays a tree of cells; nothing is compiled.
 */

import type {
  CallNode,
  ConstNode,
  Core,
  DefineNode,
  Expansion,
  InputNode,
  LambdaNode,
  LetrecNode,
  PrimitiveNode,
  RefNode,
  Variable,
} from "../syntax/core.js";
import {
  Analysis,
  type Binding,
  type Captures,
  COPIED,
  PROGRAM,
  TAIL_PROCEDURE,
  TAIL_UNWOUND,
} from "./analyse.js";
import {
  CAPTURE_CAPTURED,
  CAPTURE_LOCAL,
  CAPTURE_SELF,
  CELL_CALL,
  CELL_CAPTURED,
  CELL_CAPTURED_BOX,
  CELL_CONST,
  CELL_COPY,
  CELL_DEFINE,
  CELL_GLOBAL,
  CELL_IF,
  CELL_LAMBDA,
  CELL_LET,
  CELL_LETREC,
  CELL_LOCAL,
  CELL_LOCAL_BOX,
  CELL_LOOP,
  CELL_PRIMITIVE,
  CELL_RECUR,
  CELL_SELF,
  CELL_SEQ,
  FLAG_APPLY,
  FLAG_TAIL,
} from "./cells.js";
import { CLIENT_SCHEME, IMAGE_HEADER, TAG_PRIMITIVE, TAG_UNSPECIFIED } from "./layout.js";
import { ROLE_LOOP, ROLE_LOOP_ENTRY, ROLE_LOOP_LAMBDA, ROLE_RECUR, ROLE_SKIPPED } from "./loops.js";
import { opOf, writeReal } from "./operations.js";
import type { EncodeOptions, Image } from "./parsed-program.js";
import { Constants, type Word } from "./quoted.js";
import { ImageHeader } from "./structures.js";
import { Kind } from "./tree.js";

/** The image of a program; its words are good until the next one is encoded. */
export function encode(expansion: Expansion, options: EncodeOptions): Image {
  const isUsual = expansion.nodes.length <= USUAL_NODES;
  return (isUsual ? usual : new Encoder()).encode(expansion, options);
}

/** Larger programs get an encoder of their own, so that nobody keeps the room they took. */
const USUAL_NODES = 4096;

/**
 * Words of a cell and its copy at most, besides those for each operand (two in a letrec, which says
 * whether it is boxed) and each variable that a lambda captures.
 */
const CELL_WORDS_MOST = 12;

/** Inputs of most programs: fewer than it takes for a map to be faster than looking through them. */
const INPUTS_FEW = 8;

/**
 * One encoder serves program after program: what it needs to know of their nodes lies in arrays that
 * stay. With new ones for every program, half the time of loading went into making them.
 */
class Encoder {
  readonly #analysis = new Analysis();
  readonly #tree = this.#analysis.tree;
  #expansion: Expansion = { nodes: [], inputs: [], globals: [] };
  #clamps = false;
  #constants = new Constants(0);
  /** Places of inputs by name, where there are too many to look through them. */
  #inputs: Map<string, number> | undefined;
  /** Where each node's cell lies. */
  #cells: Int32Array = new Int32Array(0);
  /**
   * By loop: the recur that waits for the place of its body, 0 for none. The word it waits for holds
   * the next one that waits. All are 0 between programs, since every loop ends the waiting.
   */
  #pending: Int32Array = new Int32Array(0);
  #words: Int32Array = new Int32Array(1024);
  #length = 0;

  encode(expansion: Expansion, options: EncodeOptions): Image {
    this.#begin(expansion, options);
    const { nodes, inputs, globals } = expansion;
    const { flags } = this.#analysis;
    const { role } = this.#tree;
    const cells = this.#cells;
    for (let i = 0; i < nodes.length; i++) {
      if (role[i] === ROLE_SKIPPED) continue;
      this.#reserve(CELL_WORDS_MOST);
      const cell = this.#writeNode(i);
      cells[i] = ((flags[i] as number) & COPIED) === 0 ? cell : this.#writeCopy(i, cell);
    }
    const constantsAt = this.#writeReals();
    const heapAt = this.#writeHeap();
    const words = this.#words;
    const header = new ImageHeader({ words }, 0);
    header.words = this.#length;
    header.entry = cells[nodes.length - 1] as number;
    header.inputs = inputs.length;
    header.globals = inputs.length + globals.length;
    header.constants = this.#constants.reals.length;
    header.constantsAt = constantsAt;
    header.heap = this.#constants.heap.length / 2;
    header.heapAt = heapAt;
    header.stack = this.#analysis.stackMax(PROGRAM);
    header.control = this.#analysis.controlMax(PROGRAM);
    header.client = CLIENT_SCHEME;
    return { words, symbols: this.#constants.symbols };
  }

  #begin(expansion: Expansion, { integerMax, clamps, findsLoops }: EncodeOptions): void {
    const { inputs } = expansion;
    this.#expansion = expansion;
    this.#clamps = clamps;
    this.#analysis.read(expansion, findsLoops);
    this.#constants = new Constants(integerMax);
    this.#inputs =
      inputs.length > INPUTS_FEW ? new Map(inputs.map((name, i) => [name, i])) : undefined;
    this.#length = IMAGE_HEADER;
    const { room } = this.#tree;
    if (this.#cells.length < room) {
      this.#cells = new Int32Array(room);
      this.#pending = new Int32Array(room);
    }
  }

  #inputAt(name: string): number {
    return this.#inputs?.get(name) ?? this.#expansion.inputs.indexOf(name);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#words.length) return;
    const grown = new Int32Array(Math.max(this.#words.length * 2, this.#length + count));
    grown.set(this.#words);
    this.#words = grown;
  }

  /** There must be room for it. */
  #word(value: number): void {
    this.#words[this.#length++] = value;
  }

  #open(kind: number, node: number): number {
    const at = this.#length;
    this.#words[this.#length++] = kind;
    this.#words[this.#length++] = node;
    return at;
  }

  #writeReals(): number {
    const { reals } = this.#constants;
    this.#reserve(1 + reals.length * 2);
    if (this.#length % 2 !== 0) this.#word(0);
    const at = this.#length;
    for (const real of reals) this.#length = writeReal(this.#words, this.#length, real);
    return at;
  }

  #writeHeap(): number {
    const { heap } = this.#constants;
    const at = this.#length;
    this.#reserve(heap.length);
    for (const word of heap) this.#words[this.#length++] = word;
    return at;
  }

  #writeNode(i: number): number {
    const tree = this.#tree;
    const node = tree.node(i);
    switch (tree.kind[i] as Kind) {
      case Kind.Input:
        return this.#writeIndexed(CELL_GLOBAL, i, this.#inputAt((node as InputNode).name));
      case Kind.Call:
        return this.#writeCall(i);
      case Kind.Ref:
        return this.#writeRef(i, (node as RefNode).variable);
      case Kind.Const:
        return this.#writeConstant(i, this.#constants.datum((node as ConstNode).value));
      case Kind.Unspecified:
        return this.#writeConstant(i, unspecified);
      case Kind.Primitive:
        return this.#writeConstant(i, {
          tag: TAG_PRIMITIVE,
          data: this.#op(node as PrimitiveNode),
        });
      case Kind.If:
        return this.#writeIf(i);
      case Kind.Lambda:
        return tree.role[i] === ROLE_LOOP_LAMBDA
          ? (this.#cells[i - 1] as number)
          : this.#writeLambda(i, node as LambdaNode);
      case Kind.Let:
        return this.#writeBinding(CELL_LET, i, i - 1, i, 0, (tree.count[i] as number) - 1);
      case Kind.Letrec:
        return tree.role[i] === ROLE_LOOP
          ? this.#writeNamedLoop(i)
          : this.#writeLetrec(i, (node as LetrecNode).variables);
      case Kind.Seq:
        return this.#writeSeq(i);
      case Kind.Loop:
        return this.#writeLoop(i, i - 1, i, 0);
      case Kind.Recur:
        return this.#writeRecur(i, 0, tree.count[i] as number);
      case Kind.Define:
        return this.#writeDefine(i, (node as DefineNode).variable);
    }
  }

  #op({ name }: PrimitiveNode): number {
    return opOf(name, this.#clamps);
  }

  #writeConstant(i: number, { tag, data }: Word): number {
    const at = this.#open(CELL_CONST, i);
    this.#word(tag);
    this.#word(data);
    return at;
  }

  #writeIndexed(kind: number, i: number, index: number): number {
    const at = this.#open(kind, i);
    this.#word(index);
    return at;
  }

  #writeRef(i: number, variable: Variable): number {
    const binding = this.#analysis.binding(variable);
    if (binding.isGlobal) return this.#writeIndexed(CELL_GLOBAL, i, binding.slot);
    const owner = this.#analysis.owner[i] as number;
    if (owner === binding.owner)
      return this.#writeIndexed(binding.isBoxed ? CELL_LOCAL_BOX : CELL_LOCAL, i, binding.slot);
    if (owner === binding.lambda) return this.#open(CELL_SELF, i);
    const index = (this.#analysis.captures.get(owner) as Captures).get(variable) as number;
    const kind = this.#isBoxedIn(binding, owner) ? CELL_CAPTURED_BOX : CELL_CAPTURED;
    return this.#writeIndexed(kind, i, index);
  }

  /** Whether `lambda` captures the box of a variable rather than its value. */
  #isBoxedIn(binding: Binding, lambda: number): boolean {
    if (!binding.isBoxed) return false;
    let at = lambda;
    while (at !== binding.owner) {
      if (at === binding.lambda) return false;
      at = this.#analysis.owner[at] as number;
    }
    return true;
  }

  #writeCopy(i: number, child: number): number {
    return this.#writeIndexed(CELL_COPY, i, child);
  }

  #writeIf(i: number): number {
    const at = this.#open(CELL_IF, i);
    for (let k = 0; k < 3; k++) this.#word(this.#childCell(i, k));
    return at;
  }

  #childCell(i: number, position: number): number {
    return this.#cells[this.#tree.child(i, position)] as number;
  }

  #writeLambda(i: number, node: LambdaNode): number {
    const { captures, owner } = this.#analysis;
    const captured = captures.get(i) as Captures;
    this.#reserve(CELL_WORDS_MOST + captured.size);
    const at = this.#open(CELL_LAMBDA, i);
    this.#word(node.params.length);
    this.#word(node.rest === undefined ? 0 : 1);
    this.#word(this.#cells[i - 1] as number);
    this.#word(this.#analysis.stackMax(i));
    this.#word(this.#analysis.controlMax(i));
    this.#word(captured.size);
    for (const variable of captured.keys())
      this.#word(this.#captureSource(variable, owner[i] as number));
    return at;
  }

  #captureSource(variable: Variable, owner: number): number {
    const { captures } = this.#analysis;
    const binding = this.#analysis.binding(variable);
    if (owner === binding.owner) return (binding.slot << 2) | CAPTURE_LOCAL;
    if (owner === binding.lambda) return CAPTURE_SELF;
    const index = (captures.get(owner) as Captures).get(variable) as number;
    return (index << 2) | CAPTURE_CAPTURED;
  }

  /** The count and cells of operands `from` … of node i. */
  #writeOperands(i: number, from: number, count: number): void {
    this.#reserve(CELL_WORDS_MOST + 2 * count);
    this.#word(count);
    for (let k = 0; k < count; k++) this.#word(this.#childCell(i, from + k));
  }

  /**
   * Whether the user's text calls a procedure of the prelude. Such a call keeps its frame even in
   * tail position, so that a failure inside the procedure can be told where the user called it. No
   * procedure of the prelude calls its arguments in tail position, so nothing grows for that.
   */
  #isLibraryCall(i: number, operator: Core): boolean {
    if (operator.kind !== "ref" || (this.#expansion.nodes[i] as Core).span.start < 0) return false;
    return this.#analysis.binding(operator.variable).isLibrary;
  }

  #writeCall(i: number): number {
    const count = (this.#tree.count[i] as number) - 1;
    const role = this.#tree.role[i];
    if (role === ROLE_LOOP_ENTRY) return 0;
    if (role === ROLE_RECUR) return this.#writeRecur(i, 1, count);
    const { operator } = this.#tree.node(i) as CallNode;
    const isTail = ((this.#analysis.flags[i] as number) & TAIL_PROCEDURE) !== 0;
    const tail = isTail && !this.#isLibraryCall(i, operator) ? FLAG_TAIL : 0;
    if (operator.kind !== "primitive") {
      const at = this.#open(CELL_CALL | tail, i);
      this.#word(0);
      this.#writeOperands(i, 0, count + 1);
      return at;
    }
    if (operator.name === "apply") {
      const at = this.#open(CELL_CALL | tail | FLAG_APPLY, i);
      this.#word(0);
      this.#writeOperands(i, 1, count);
      return at;
    }
    const at = this.#open(CELL_PRIMITIVE, i);
    this.#word(this.#op(operator));
    this.#writeOperands(i, 1, count);
    return at;
  }

  /** A let or loop: `body` node, inits from position `from` of node `holder`. */
  #writeBinding(
    kind: number,
    i: number,
    body: number,
    holder: number,
    from: number,
    count: number,
  ): number {
    const isTail = ((this.#analysis.flags[i] as number) & TAIL_UNWOUND) !== 0;
    const at = this.#open(isTail ? kind | FLAG_TAIL : kind, i);
    this.#word(this.#cells[body] as number);
    this.#writeOperands(holder, from, count);
    this.#word(this.#analysis.depth[i] as number);
    return at;
  }

  #writeNamedLoop(i: number): number {
    const lambda = this.#tree.child(i, 0);
    const entry = this.#tree.child(i, 1);
    return this.#writeLoop(i, lambda, entry, 1);
  }

  /** Writes a loop and tells its recurs where the body lies. */
  #writeLoop(i: number, body: number, holder: number, from: number): number {
    const words = this.#words;
    let waiting = this.#pending[i] as number;
    this.#pending[i] = 0;
    while (waiting !== 0) {
      const next = words[waiting] as number;
      words[waiting] = this.#cells[body] as number;
      waiting = next;
    }
    const count = (this.#tree.count[holder] as number) - 1;
    return this.#writeBinding(CELL_LOOP, i, body, holder, from, count);
  }

  #writeRecur(i: number, from: number, count: number): number {
    const loop = this.#tree.target[i] as number;
    const at = this.#open(CELL_RECUR, i);
    const waiting = this.#length;
    this.#word(this.#pending[loop] as number);
    this.#pending[loop] = waiting;
    this.#writeOperands(i, from, count);
    this.#word(this.#analysis.depth[loop] as number);
    return at;
  }

  #writeLetrec(i: number, variables: readonly Variable[]): number {
    const at = this.#writeBinding(CELL_LETREC, i, i - 1, i, 0, variables.length);
    for (const variable of variables) {
      const { isBoxed } = this.#analysis.binding(variable);
      this.#word(isBoxed ? 1 : 0);
    }
    return at;
  }

  #writeSeq(i: number): number {
    const at = this.#open(CELL_SEQ, i);
    this.#word(0);
    this.#writeOperands(i, 0, this.#tree.count[i] as number);
    return at;
  }

  #writeDefine(i: number, variable: Variable): number {
    const at = this.#open(CELL_DEFINE, i);
    this.#word(this.#analysis.binding(variable).slot);
    this.#word(this.#childCell(i, 0));
    return at;
  }
}

const unspecified: Word = { tag: TAG_UNSPECIFIED, data: 0 };

const usual = new Encoder();
