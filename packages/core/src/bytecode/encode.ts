/**
 * The encoder: verified procedures → one image, the program as the machine reads it (codes.ts has
 * the format). The stream stays a stream; an instruction becomes one or a few, never code.
 *
 * Node numbers are those of the instructions, procedure after procedure; after them come the
 * procedures themselves.
 */

import { Op, type Primitive } from "../primitives/registry.js";
import {
  CLIENT_STACK,
  IMAGE_HEADER,
  TAG_BOOL,
  TAG_CLOSURE,
  TAG_INT,
  TAG_NIL,
  TAG_PRIMITIVE,
  TAG_REAL,
  TAG_SYMBOL,
  TAG_UNINITIALISED,
} from "../program/layout.js";
import type { EncodeOptions, Image } from "../program/parsed-program.js";
import { ImageHeader } from "../program/structures.js";
import {
  CODE_APPLY,
  CODE_ARRIVE,
  CODE_BRANCH,
  CODE_CALL,
  CODE_CALL_NAMED,
  CODE_CAPTURED,
  CODE_CLOSURE,
  CODE_COPY,
  CODE_COUNT,
  CODE_DROP,
  CODE_INPUT,
  CODE_JUMP,
  CODE_LOCAL,
  CODE_LOOP,
  CODE_PICK,
  CODE_PRIMITIVE,
  CODE_PROCEDURE,
  CODE_PUSH,
  CODE_RETURN,
  CODE_SELF,
  CODE_STORE,
  CODE_SWAP,
  CODE_TAIL_CALL,
  CODE_TAIL_NAMED,
} from "./codes.js";
import { type Arrival, type Copies, findCopies } from "./copies.js";
import { type Block, EXIT } from "./flow.js";
import type { Bytecode, Instruction, Literal, Procedure } from "./program.js";
import { type Verified, verify } from "./verify.js";

export function encodeBytecode(bytecode: Bytecode, options: EncodeOptions): Image {
  return new Encoder(bytecode, options).encode();
}

/** A place that is not written yet: an edge with work to do before it arrives. */
interface Stub {
  readonly patch: number;
  readonly from: number;
  readonly to: number;
  readonly node: number;
}

/** Words of the running procedure while it is written. */
interface Writing {
  readonly verified: Verified;
  readonly copies: Copies;
  readonly firstNode: number;
  /** Where each block lies that has been written. */
  readonly places: Int32Array;
  /** Words to fill with the place of a block. */
  readonly patches: [number, number][];
  readonly stubs: Stub[];
}

class Encoder {
  readonly #bytecode: Bytecode;
  readonly #options: EncodeOptions;
  readonly #words: number[] = new Array(IMAGE_HEADER).fill(0);
  readonly #reals: number[] = [];
  readonly #symbols = new Map<string, number>();
  /** Where each procedure is described. */
  readonly #descriptions: number[] = [];
  /** Closures of procedures that capture nothing, by procedure: heap indices. */
  readonly #closures: readonly number[];

  constructor(bytecode: Bytecode, options: EncodeOptions) {
    this.#bytecode = bytecode;
    this.#options = options;
    let heap = 0;
    this.#closures = bytecode.procedures.map(({ captures }) =>
      captures.length === 0 ? heap++ : -1,
    );
  }

  encode(): Image {
    const { procedures, inputs } = this.#bytecode;
    const verified = procedures.map((procedure) => verify(procedure, procedures));
    const instructions = procedures.reduce((sum, { code }) => sum + code.length, 0);
    procedures.forEach((procedure, i) => {
      this.#descriptions.push(this.#words.length);
      const { params, captures, slots } = procedure;
      const room = roomOf(verified[i] as Verified);
      const locals = slots.length - params.length;
      this.#emit(CODE_PROCEDURE, instructions + i, params.length, captures.length, 0, room, locals);
    });
    let firstNode = 0;
    const entries = procedures.map((procedure, i) => {
      const entry = this.#writeProcedure(verified[i] as Verified, firstNode);
      this.#words[(this.#descriptions[i] as number) + 4] = entry;
      firstNode += procedure.code.length;
      return entry;
    });
    return this.#finish(
      entries.at(-1) as number,
      inputs.length,
      roomOf(verified.at(-1) as Verified),
    );
  }

  #finish(entry: number, inputs: number, room: number): Image {
    const words = this.#words;
    if (words.length % 2 !== 0) words.push(0);
    const constantsAt = words.length;
    for (let i = 0; i < this.#reals.length; i++) words.push(0, 0);
    const heapAt = words.length;
    this.#closures.forEach((heap, procedure) => {
      if (heap >= 0) this.#emit(0, this.#descriptions[procedure] as number);
    });
    const header = new ImageHeader({ words }, 0);
    header.words = words.length;
    header.entry = entry;
    header.inputs = inputs;
    header.globals = inputs;
    header.constants = this.#reals.length;
    header.constantsAt = constantsAt;
    header.heap = (words.length - heapAt) / 2;
    header.heapAt = heapAt;
    header.stack = room;
    header.control = 2;
    header.client = CLIENT_STACK;
    const image = Int32Array.from(words);
    new Float64Array(image.buffer, constantsAt * 4, this.#reals.length).set(this.#reals);
    return { words: image, symbols: [...this.#symbols.keys()] };
  }

  #emit(...words: readonly number[]): void {
    for (const word of words) this.#words.push(word);
  }

  /** Writes the blocks of a procedure; returns where it begins. */
  #writeProcedure(verified: Verified, firstNode: number): number {
    const { procedure, flow } = verified;
    const entry = this.#words.length;
    const writing: Writing = {
      verified,
      copies: findCopies(verified, this.#bytecode.procedures),
      firstNode,
      places: new Int32Array(flow.blocks.length),
      patches: [],
      stubs: [],
    };
    // A call makes the locals of a procedure; nobody calls the program.
    if (procedure.name === undefined)
      for (const _ of procedure.slots) this.#emit(CODE_PUSH, firstNode, TAG_UNINITIALISED, 0);
    flow.blocks.forEach((block, i) => {
      if (flow.isReachable[i] === 1) this.#writeBlock(writing, block, i);
    });
    for (const { patch, from, to, node } of writing.stubs) {
      this.#words[patch] = this.#words.length;
      this.#arrive(writing, to, writing.copies.arrival(from, to) as Arrival, node);
    }
    for (const [at, block] of writing.patches) this.#words[at] = writing.places[block] as number;
    return entry;
  }

  #writeBlock(writing: Writing, { start, end, next }: Block, index: number): void {
    const { verified, firstNode, copies, places } = writing;
    places[index] = this.#words.length;
    for (let i = start; i < end; i++) {
      const code = verified.procedure.code[i] as Instruction;
      for (const slot of copies.before(i)) this.#emit(CODE_COPY, firstNode + i, slot);
      if (code.kind === "branch") this.#turn(writing, [CODE_BRANCH], index, firstNode + i);
      else if (code.kind === "loop") this.#loop(writing, code.slot, index, firstNode + i);
      else if (code.kind !== "jump") {
        const [kind, ...operands] = this.#wordsOf(code);
        this.#emit(kind as number, firstNode + i, ...operands);
      }
    }
    const [to] = next;
    if (next.length !== 1 || to === undefined) return;
    const node = firstNode + end - 1;
    const arrival = copies.arrival(index, to);
    if (arrival !== undefined) this.#arrive(writing, to, arrival, node);
    else if (verified.procedure.code[end - 1]?.kind === "jump") {
      this.#emit(CODE_JUMP, node);
      this.#place(writing, to);
    }
  }

  /** A word that will hold the place of a block. */
  #place(writing: Writing, block: number): void {
    writing.patches.push([this.#words.length, block]);
    this.#emit(0);
  }

  /** Two ways and where they meet; a way with work to do before it arrives gets a stub. */
  #turn(
    writing: Writing,
    [code, ...operands]: readonly [number, ...number[]],
    from: number,
    node: number,
  ) {
    const { flow } = writing.verified;
    this.#emit(code, node, ...operands);
    for (const to of flow.blocks[from]?.next ?? []) {
      if (writing.copies.arrival(from, to) === undefined) this.#place(writing, to);
      else {
        writing.stubs.push({ patch: this.#words.length, from, to, node });
        this.#emit(0);
      }
    }
    const join = flow.meets[from] as number;
    if (join === EXIT) this.#emit(0);
    else this.#place(writing, join);
  }

  /** The turn, then the count: taken whichever way the test was made. */
  #loop(writing: Writing, slot: number, from: number, node: number): void {
    const { flow } = writing.verified;
    const [body] = flow.blocks[from]?.next ?? [];
    const at = this.#words.length;
    this.#turn(writing, [CODE_LOOP, slot], from, node);
    // The first way leads to the count, which goes on where the way would have led.
    const way = at + 3;
    const counts = this.#words.length;
    this.#emit(CODE_COUNT, node, slot);
    this.#redirect(writing, way, counts);
    const arrival = writing.copies.arrival(from, body as number);
    if (arrival !== undefined) this.#arrive(writing, body as number, arrival, node);
  }

  #redirect(writing: Writing, at: number, place: number): void {
    const patched = writing.patches.findLastIndex(([word]) => word === at);
    if (patched >= 0) writing.patches.splice(patched, 1);
    const stub = writing.stubs.findLastIndex(({ patch }) => patch === at);
    if (stub >= 0) writing.stubs.splice(stub, 1);
    this.#words[at] = place;
  }

  #arrive(writing: Writing, to: number, { copies, dying }: Arrival, node: number): void {
    const { flow, heights, procedure } = writing.verified;
    for (const slot of copies) this.#emit(CODE_COPY, node, slot);
    this.#emit(CODE_ARRIVE, node);
    this.#place(writing, to);
    const height = heights[(flow.blocks[to] as Block).start] as number;
    this.#emit(procedure.slots.length + height, dying.size, ...dying);
  }

  /** Code and operands of an instruction that stands for itself. */
  #wordsOf(code: Instruction): readonly number[] {
    switch (code.kind) {
      case "push":
        return [CODE_PUSH, ...this.#literal(code.value)];
      case "local":
        return [CODE_LOCAL, code.slot];
      case "captured":
        return [CODE_CAPTURED, code.index];
      case "input":
        return [CODE_INPUT, code.index];
      case "store":
        return [CODE_STORE, code.slot];
      case "pick":
        return [CODE_PICK, code.depth];
      case "drop":
        return [CODE_DROP];
      case "swap":
        return [CODE_SWAP];
      case "self":
        return [CODE_SELF];
      case "return":
        return [CODE_RETURN];
      case "primitive":
        return [CODE_PRIMITIVE, this.#op(code.primitive), code.count];
      case "procedure":
        return [CODE_PUSH, TAG_PRIMITIVE, this.#op(code.primitive)];
      case "closure":
        return this.#closure(code.procedure);
      case "call":
        return this.#call(code.procedure, code.count, code.isTail);
      case "apply":
        return [CODE_APPLY, code.count];
      default:
        throw new Error(`${code.kind} ends a block`);
    }
  }

  #closure(index: number): readonly number[] {
    const { captures } = this.#bytecode.procedures[index] as Procedure;
    if (captures.length === 0) return [CODE_PUSH, TAG_CLOSURE, this.#closures[index] as number];
    return [CODE_CLOSURE, this.#descriptions[index] as number, captures.length];
  }

  #call(procedure: number | undefined, count: number, isTail: boolean): readonly number[] {
    if (procedure === undefined) return [isTail ? CODE_TAIL_CALL : CODE_CALL, count];
    const closure = this.#closures[procedure] as number;
    return [isTail ? CODE_TAIL_NAMED : CODE_CALL_NAMED, closure, count];
  }

  #op({ op }: Primitive): number {
    if (!this.#options.clamps) return op;
    if (op === Op.sqrt) return Op.sqrtClamp;
    return op === Op.log ? Op.logClamp : op;
  }

  #literal(literal: Literal): readonly [number, number] {
    switch (literal.kind) {
      case "boolean":
        return [TAG_BOOL, literal.value ? 1 : 0];
      case "nil":
        return [TAG_NIL, 0];
      case "symbol": {
        const id = this.#symbols.get(literal.name) ?? this.#symbols.size;
        this.#symbols.set(literal.name, id);
        return [TAG_SYMBOL, id];
      }
      case "number": {
        const { value, exact } = literal;
        if (exact && Math.abs(value) <= this.#options.integerMax && !Object.is(value, -0))
          return [TAG_INT, value];
        return [TAG_REAL, this.#reals.push(value) - 1];
      }
    }
  }
}

/** Value slots above the frame: one more for a callee that is put below its arguments. */
function roomOf({ procedure, heightMax }: Verified): number {
  return procedure.slots.length + heightMax + 1;
}
