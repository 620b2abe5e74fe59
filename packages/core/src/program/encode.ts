/**
 * The encoder: core nodes → one image, the program as the machine reads it (layout.ts has the
 * format). Linear: one pass to analyse, one to write. Children are written before their parents,
 * so a cell knows where its operands lie. The program stays a tree of cells; nothing is compiled.
 */

import { Op, primitiveByName } from "../primitives/index.js";
import type { Core, Expansion, LambdaNode, Variable } from "../syntax/core.js";
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
  FLAG_SPREAD,
  FLAG_TAIL,
} from "./cells.js";
import {
  CLIENT_SCHEME,
  IMAGE_CLIENT,
  IMAGE_CONSTANTS,
  IMAGE_CONSTANTS_AT,
  IMAGE_CONTROL,
  IMAGE_ENTRY,
  IMAGE_GLOBALS,
  IMAGE_HEADER,
  IMAGE_HEAP,
  IMAGE_HEAP_AT,
  IMAGE_INPUTS,
  IMAGE_STACK,
  IMAGE_WORDS,
  TAG_PRIMITIVE,
  TAG_UNSPECIFIED,
} from "./layout.js";
import type { EncodeOptions, Image } from "./listing.js";
import { ROLE_LOOP, ROLE_LOOP_ENTRY, ROLE_LOOP_LAMBDA, ROLE_RECUR, ROLE_SKIPPED } from "./loops.js";
import { Constants, type Word } from "./quoted.js";
import { filled } from "./tree.js";

export function encode(expansion: Expansion, options: EncodeOptions): Image {
  return new Encoder(expansion, options).encode();
}

/** Ops that have a variant with a clamped input. */
const clampVariants: ReadonlyMap<number, number> = new Map([
  [Op.sqrt, Op.sqrtClamp],
  [Op.log, Op.logClamp],
]);

/** Where images are written before they are copied: one at a time, nobody else sees it. */
let scratch = new Int32Array(1024);

class Encoder {
  readonly #analysis: Analysis;
  readonly #expansion: Expansion;
  readonly #options: EncodeOptions;
  readonly #constants: Constants;
  readonly #inputs: Map<string, number>;
  /** Where each node's cell lies. */
  readonly #cells: number[];
  /** Variables that the prelude defines. */
  readonly #library = new Set<Variable>();
  /** Recurs whose loop body is not written yet: word to patch, by loop. */
  readonly #pending = new Map<number, number[]>();
  #words = scratch;
  #length = IMAGE_HEADER;

  constructor(expansion: Expansion, options: EncodeOptions) {
    const { nodes, inputs } = expansion;
    this.#expansion = expansion;
    this.#options = options;
    this.#analysis = new Analysis(expansion, options.findsLoops);
    this.#constants = new Constants(options.integerMax);
    this.#inputs = new Map(inputs.map((name, i) => [name, i]));
    this.#cells = filled(nodes.length, 0);
    for (const node of nodes)
      if (node.kind === "define" && node.span.start < 0) this.#library.add(node.variable);
  }

  encode(): Image {
    const { nodes, inputs, globals } = this.#expansion;
    const { role, flags, stackMax, controlMax } = this.#analysis;
    for (let i = 0; i < nodes.length; i++) {
      if (role[i] === ROLE_SKIPPED) continue;
      this.#cells[i] = this.#writeNode(nodes[i] as Core, i);
      if (((flags[i] as number) & COPIED) !== 0) {
        const child = this.#cells[i] as number;
        this.#cells[i] = this.#open(CELL_COPY, i);
        this.#word(child);
      }
    }
    const entry = this.#cells[nodes.length - 1] as number;
    const constantsAt = this.#writeReals();
    const heapAt = this.#writeHeap();
    const words = this.#words;
    words[IMAGE_WORDS] = this.#length;
    words[IMAGE_ENTRY] = entry;
    words[IMAGE_INPUTS] = inputs.length;
    words[IMAGE_GLOBALS] = inputs.length + globals.length;
    words[IMAGE_CONSTANTS] = this.#constants.reals.length;
    words[IMAGE_CONSTANTS_AT] = constantsAt;
    words[IMAGE_HEAP] = this.#constants.heap.length / 2;
    words[IMAGE_HEAP_AT] = heapAt;
    words[IMAGE_STACK] = stackMax.get(PROGRAM) as number;
    words[IMAGE_CONTROL] = controlMax.get(PROGRAM) as number;
    words[IMAGE_CLIENT] = CLIENT_SCHEME;
    return { words: words.slice(0, this.#length), symbols: this.#constants.symbols };
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#words.length) return;
    const grown = new Int32Array(Math.max(this.#words.length * 2, this.#length + count));
    grown.set(this.#words);
    this.#words = grown;
    scratch = grown;
  }

  #word(value: number): void {
    this.#reserve(1);
    this.#words[this.#length++] = value;
  }

  #open(kind: number, node: number): number {
    const at = this.#length;
    this.#reserve(4);
    this.#words[this.#length++] = kind;
    this.#words[this.#length++] = node;
    return at;
  }

  #writeReals(): number {
    const { reals } = this.#constants;
    if (this.#length % 2 !== 0) this.#word(0);
    const at = this.#length;
    this.#reserve(reals.length * 2);
    new Float64Array(this.#words.buffer, at * 4, reals.length).set(reals);
    this.#length += reals.length * 2;
    return at;
  }

  #writeHeap(): number {
    const { heap } = this.#constants;
    const at = this.#length;
    this.#reserve(heap.length);
    this.#words.set(heap, at);
    this.#length += heap.length;
    return at;
  }

  #writeNode(node: Core, i: number): number {
    const role = this.#analysis.role[i];
    switch (node.kind) {
      case "const":
        return this.#writeConstant(i, this.#constants.datum(node.value));
      case "unspecified":
        return this.#writeConstant(i, { tag: TAG_UNSPECIFIED, data: 0 });
      case "primitive":
        return this.#writeConstant(i, { tag: TAG_PRIMITIVE, data: this.#op(node.name) });
      case "input":
        return this.#writeIndexed(CELL_GLOBAL, i, this.#inputs.get(node.name) as number);
      case "ref":
        return this.#writeRef(i, node.variable);
      case "if":
        return this.#writeIf(i);
      case "lambda":
        return role === ROLE_LOOP_LAMBDA
          ? (this.#cells[i - 1] as number)
          : this.#writeLambda(i, node);
      case "call":
        return this.#writeCall(i, node.operator, role);
      case "let":
        return this.#writeBinding(CELL_LET, i, i - 1, i, 0, node.inits.length);
      case "letrec":
        return role === ROLE_LOOP ? this.#writeNamedLoop(i) : this.#writeLetrec(i, node.variables);
      case "seq":
        return this.#writeSeq(i);
      case "loop":
        return this.#closeLoop(i, i - 1, () =>
          this.#writeBinding(CELL_LOOP, i, i - 1, i, 0, node.inits.length),
        );
      case "recur":
        return this.#writeRecur(i, 0, node.operands.length);
      case "define":
        return this.#writeDefine(i, node.variable);
    }
  }

  #op(name: string): number {
    const primitive = primitiveByName.get(name);
    if (primitive === undefined) throw new Error(`no primitive ${name}`);
    const variant = this.#options.clamps ? clampVariants.get(primitive.op) : undefined;
    return variant ?? primitive.op;
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
    const binding = this.#analysis.bindings.get(variable) as Binding;
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

  #writeIf(i: number): number {
    const at = this.#open(CELL_IF, i);
    for (let k = 0; k < 3; k++) this.#word(this.#childCell(i, k));
    return at;
  }

  #childCell(i: number, position: number): number {
    return this.#cells[this.#analysis.tree.child(i, position)] as number;
  }

  #writeLambda(i: number, node: LambdaNode): number {
    const { captures, stackMax, controlMax, owner } = this.#analysis;
    const captured = captures.get(i) as Captures;
    const at = this.#open(CELL_LAMBDA, i);
    this.#word(node.params.length);
    this.#word(node.rest === undefined ? 0 : 1);
    this.#word(this.#cells[i - 1] as number);
    this.#word(stackMax.get(i) as number);
    this.#word(controlMax.get(i) as number);
    this.#word(captured.size);
    for (const variable of captured.keys())
      this.#word(this.#captureSource(variable, owner[i] as number));
    return at;
  }

  #captureSource(variable: Variable, owner: number): number {
    const { bindings, captures } = this.#analysis;
    const binding = bindings.get(variable) as Binding;
    if (owner === binding.owner) return (binding.slot << 2) | CAPTURE_LOCAL;
    if (owner === binding.lambda) return CAPTURE_SELF;
    const index = (captures.get(owner) as Captures).get(variable) as number;
    return (index << 2) | CAPTURE_CAPTURED;
  }

  /** The count and cells of operands `from` … of node i. */
  #writeOperands(i: number, from: number, count: number): void {
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
    return this.#library.has(operator.variable);
  }

  #writeCall(i: number, operator: Core, role: number | undefined): number {
    const count = (this.#analysis.tree.count[i] as number) - 1;
    if (role === ROLE_LOOP_ENTRY) return 0;
    if (role === ROLE_RECUR) return this.#writeRecur(i, 1, count);
    const isTail = ((this.#analysis.flags[i] as number) & TAIL_PROCEDURE) !== 0;
    const tail = isTail && !this.#isLibraryCall(i, operator) ? FLAG_TAIL : 0;
    if (operator.kind !== "primitive") {
      const at = this.#open(CELL_CALL | tail, i);
      this.#word(0);
      this.#writeOperands(i, 0, count + 1);
      return at;
    }
    if (operator.name === "apply") {
      const at = this.#open(CELL_CALL | tail | FLAG_SPREAD, i);
      this.#word(0);
      this.#writeOperands(i, 1, count);
      return at;
    }
    const at = this.#open(CELL_PRIMITIVE, i);
    this.#word(this.#op(operator.name));
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
    const { tree } = this.#analysis;
    const lambda = tree.child(i, 0);
    const entry = tree.child(i, 1);
    const count = (tree.count[entry] as number) - 1;
    return this.#closeLoop(i, lambda, () =>
      this.#writeBinding(CELL_LOOP, i, lambda, entry, 1, count),
    );
  }

  /** Writes a loop and tells its recurs where the body lies. */
  #closeLoop(i: number, body: number, write: () => number): number {
    for (const at of this.#pending.get(i) ?? []) this.#words[at] = this.#cells[body] as number;
    this.#pending.delete(i);
    return write();
  }

  #writeRecur(i: number, from: number, count: number): number {
    const loop = this.#analysis.target[i] as number;
    const at = this.#open(CELL_RECUR, i);
    const pending = this.#pending.get(loop);
    if (pending === undefined) this.#pending.set(loop, [this.#length]);
    else pending.push(this.#length);
    this.#word(0);
    this.#writeOperands(i, from, count);
    this.#word(this.#analysis.depth[loop] as number);
    return at;
  }

  #writeLetrec(i: number, variables: readonly Variable[]): number {
    const at = this.#writeBinding(CELL_LETREC, i, i - 1, i, 0, variables.length);
    for (const variable of variables) {
      const { isBoxed } = this.#analysis.bindings.get(variable) as Binding;
      this.#word(isBoxed ? 1 : 0);
    }
    return at;
  }

  #writeSeq(i: number): number {
    const at = this.#open(CELL_SEQ, i);
    this.#word(0);
    this.#writeOperands(i, 0, this.#analysis.tree.count[i] as number);
    return at;
  }

  #writeDefine(i: number, variable: Variable): number {
    const at = this.#open(CELL_DEFINE, i);
    this.#word((this.#analysis.bindings.get(variable) as Binding).slot);
    this.#word(this.#childCell(i, 0));
    return at;
  }
}
