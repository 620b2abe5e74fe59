/**
 * Readers and writers of the machine's structures. An object speaks of one address.
 * Generated from src/layouts by `npm run gen`; do not edit.
 */

/** A view of memory, or numbers that lie as they do there. */
type Numbers = { [index: number]: number };
interface Words {
  readonly words: Numbers;
}
interface Doubles {
  readonly doubles: Numbers;
}

/** The first words of a program's image. Places in it are word indices. */
export class ImageHeader {
  readonly #words: Numbers;
  readonly #word: number;

  constructor(memory: Words, at: number) {
    this.#words = memory.words;
    this.#word = at / 4;
  }

  /** length of the image in words */
  get words(): number {
    return this.#words[this.#word + 0] as number;
  }
  set words(value: number) {
    this.#words[this.#word + 0] = value;
  }

  /** word index of the place where it begins */
  get entry(): number {
    return this.#words[this.#word + 1] as number;
  }
  set entry(value: number) {
    this.#words[this.#word + 1] = value;
  }

  /** how many inputs */
  get inputs(): number {
    return this.#words[this.#word + 2] as number;
  }
  set inputs(value: number) {
    this.#words[this.#word + 2] = value;
  }

  /** inputs and top-level variables together */
  get globals(): number {
    return this.#words[this.#word + 3] as number;
  }
  set globals(value: number) {
    this.#words[this.#word + 3] = value;
  }

  /** how many real constants */
  get constants(): number {
    return this.#words[this.#word + 4] as number;
  }
  set constants(value: number) {
    this.#words[this.#word + 4] = value;
  }

  /** word index of their f64 values */
  get constantsAt(): number {
    return this.#words[this.#word + 5] as number;
  }
  set constantsAt(value: number) {
    this.#words[this.#word + 5] = value;
  }

  /** 8-byte words of quoted structure */
  get heap(): number {
    return this.#words[this.#word + 6] as number;
  }
  set heap(value: number) {
    this.#words[this.#word + 6] = value;
  }

  /** word index of that structure */
  get heapAt(): number {
    return this.#words[this.#word + 7] as number;
  }
  set heapAt(value: number) {
    this.#words[this.#word + 7] = value;
  }

  /** value slots the outermost expression needs */
  get stack(): number {
    return this.#words[this.#word + 8] as number;
  }
  set stack(value: number) {
    this.#words[this.#word + 8] = value;
  }

  /** control frames the outermost expression needs */
  get control(): number {
    return this.#words[this.#word + 9] as number;
  }
  set control(value: number) {
    this.#words[this.#word + 9] = value;
  }

  /** which evaluator reads it: `CLIENT_*` */
  get client(): number {
    return this.#words[this.#word + 10] as number;
  }
  set client(value: number) {
    this.#words[this.#word + 10] = value;
  }
}

/** What an evaluator goes on with once it has a value. */
export class ControlFrame {
  readonly #words: Numbers;
  readonly #word: number;

  constructor(memory: Words, at: number) {
    this.#words = memory.words;
    this.#word = at / 4;
  }

  /** `FRAME_*`, or a kind of the client's own */
  get kind(): number {
    return this.#words[this.#word + 0] as number;
  }
  set kind(value: number) {
    this.#words[this.#word + 0] = value;
  }

  /** the place in the image that waits; its second word is a node number */
  get cell(): number {
    return (this.#words[this.#word + 1] as number) >>> 0;
  }
  set cell(value: number) {
    this.#words[this.#word + 1] = value;
  }

  /** how far that place has come */
  get index(): number {
    return this.#words[this.#word + 2] as number;
  }
  set index(value: number) {
    this.#words[this.#word + 2] = value;
  }

  /** offset of the caller's frame on the stack */
  get saved(): number {
    return (this.#words[this.#word + 3] as number) >>> 0;
  }
  set saved(value: number) {
    this.#words[this.#word + 3] = value;
  }
}

/** A payload's entry in the payload table. */
export class PayloadEntry {
  readonly #words: Numbers;
  readonly #word: number;

  constructor(memory: Words, at: number) {
    this.#words = memory.words;
    this.#word = at / 4;
  }

  /** offset in the primal arena */
  get primal(): number {
    return (this.#words[this.#word + 0] as number) >>> 0;
  }
  set primal(value: number) {
    this.#words[this.#word + 0] = value;
  }

  /** offset in the adjoint arena, for active payloads */
  get adjoint(): number {
    return (this.#words[this.#word + 1] as number) >>> 0;
  }
  set adjoint(value: number) {
    this.#words[this.#word + 1] = value;
  }

  /** rows; a scalar has 1 */
  get rows(): number {
    return this.#words[this.#word + 2] as number;
  }
  set rows(value: number) {
    this.#words[this.#word + 2] = value;
  }

  /** columns; a scalar or vector has 1 */
  get cols(): number {
    return this.#words[this.#word + 3] as number;
  }
  set cols(value: number) {
    this.#words[this.#word + 3] = value;
  }

  /** rows · cols */
  get count(): number {
    return this.#words[this.#word + 4] as number;
  }
  set count(value: number) {
    this.#words[this.#word + 4] = value;
  }

  /** `PAYLOAD_*` */
  get flags(): number {
    return this.#words[this.#word + 5] as number;
  }
  set flags(value: number) {
    this.#words[this.#word + 5] = value;
  }

  /** node that made it; −1 − i for input i */
  get origin(): number {
    return this.#words[this.#word + 6] as number;
  }
  set origin(value: number) {
    this.#words[this.#word + 6] = value;
  }

  /** mask payload of the lanes it was computed for, −1: all */
  get context(): number {
    return this.#words[this.#word + 7] as number;
  }
  set context(value: number) {
    this.#words[this.#word + 7] = value;
  }
}

/** One operation of a tape. */
export class TapeRecord {
  readonly #words: Numbers;
  readonly #word: number;

  constructor(memory: Words, at: number) {
    this.#words = memory.words;
    this.#word = at / 4;
  }

  /** op code in the low 16 bits, above it `RECORD_*` and who is first to add */
  get op(): number {
    return this.#words[this.#word + 0] as number;
  }
  set op(value: number) {
    this.#words[this.#word + 0] = value;
  }

  /** payload of the result; −1 for guards */
  get out(): number {
    return this.#words[this.#word + 1] as number;
  }
  set out(value: number) {
    this.#words[this.#word + 1] = value;
  }

  /** first operand */
  get in0(): number {
    return this.#words[this.#word + 2] as number;
  }
  set in0(value: number) {
    this.#words[this.#word + 2] = value;
  }

  /** second operand, −1 where there is none */
  get in1(): number {
    return this.#words[this.#word + 3] as number;
  }
  set in1(value: number) {
    this.#words[this.#word + 3] = value;
  }

  /** a number that belongs to the operation */
  get aux(): number {
    return this.#words[this.#word + 4] as number;
  }
  set aux(value: number) {
    this.#words[this.#word + 4] = value;
  }

  /** mask payload, −1: every lane */
  get mask(): number {
    return this.#words[this.#word + 5] as number;
  }
  set mask(value: number) {
    this.#words[this.#word + 5] = value;
  }
}

/** What a numeric kernel reads: its operands, by address. */
export class OperandBlock {
  readonly #words: Numbers;
  readonly #word: number;

  constructor(memory: Words, at: number) {
    this.#words = memory.words;
    this.#word = at / 4;
  }

  /** primal of the result */
  get z(): number {
    return (this.#words[this.#word + 0] as number) >>> 0;
  }
  set z(value: number) {
    this.#words[this.#word + 0] = value;
  }

  /** bytes from one element of z to the next */
  get zStep(): number {
    return (this.#words[this.#word + 1] as number) >>> 0;
  }
  set zStep(value: number) {
    this.#words[this.#word + 1] = value;
  }

  /** lane mask of z: 0 uniform, −1 per lane */
  get zMask(): number {
    return (this.#words[this.#word + 2] as number) >>> 0;
  }
  set zMask(value: number) {
    this.#words[this.#word + 2] = value;
  }

  /** primal of the first operand */
  get x(): number {
    return (this.#words[this.#word + 3] as number) >>> 0;
  }
  set x(value: number) {
    this.#words[this.#word + 3] = value;
  }

  /** 0 broadcasts a scalar over the elements of z */
  get xStep(): number {
    return (this.#words[this.#word + 4] as number) >>> 0;
  }
  set xStep(value: number) {
    this.#words[this.#word + 4] = value;
  }

  /** lane mask of x */
  get xMask(): number {
    return (this.#words[this.#word + 5] as number) >>> 0;
  }
  set xMask(value: number) {
    this.#words[this.#word + 5] = value;
  }

  /** primal of the second operand */
  get y(): number {
    return (this.#words[this.#word + 6] as number) >>> 0;
  }
  set y(value: number) {
    this.#words[this.#word + 6] = value;
  }

  /** as `xStep` */
  get yStep(): number {
    return (this.#words[this.#word + 7] as number) >>> 0;
  }
  set yStep(value: number) {
    this.#words[this.#word + 7] = value;
  }

  /** lane mask of y */
  get yMask(): number {
    return (this.#words[this.#word + 8] as number) >>> 0;
  }
  set yMask(value: number) {
    this.#words[this.#word + 8] = value;
  }

  /** adjoint of the result: one number per lane, also of a uniform primal */
  get gz(): number {
    return (this.#words[this.#word + 9] as number) >>> 0;
  }
  set gz(value: number) {
    this.#words[this.#word + 9] = value;
  }

  /** adjoint of x; 0: x is inactive, no work for it */
  get gx(): number {
    return (this.#words[this.#word + 10] as number) >>> 0;
  }
  set gx(value: number) {
    this.#words[this.#word + 10] = value;
  }

  /** 0 where x is a scalar */
  get gxStep(): number {
    return (this.#words[this.#word + 11] as number) >>> 0;
  }
  set gxStep(value: number) {
    this.#words[this.#word + 11] = value;
  }

  /** adjoint of y */
  get gy(): number {
    return (this.#words[this.#word + 12] as number) >>> 0;
  }
  set gy(value: number) {
    this.#words[this.#word + 12] = value;
  }

  /** 0 where y is a scalar */
  get gyStep(): number {
    return (this.#words[this.#word + 13] as number) >>> 0;
  }
  set gyStep(value: number) {
    this.#words[this.#word + 13] = value;
  }

  /** elements of z (element-wise kernels) */
  get count(): number {
    return (this.#words[this.#word + 14] as number) >>> 0;
  }
  set count(value: number) {
    this.#words[this.#word + 14] = value;
  }

  /** bytes of one run of lanes (adjoint loops, step of gz) */
  get run(): number {
    return (this.#words[this.#word + 15] as number) >>> 0;
  }
  set run(value: number) {
    this.#words[this.#word + 15] = value;
  }

  /** bytes to compute forward: 16 where z is uniform, else `run` */
  get zRun(): number {
    return (this.#words[this.#word + 16] as number) >>> 0;
  }
  set zRun(value: number) {
    this.#words[this.#word + 16] = value;
  }

  /** structured kernels: x is [rows, inner] */
  get rows(): number {
    return (this.#words[this.#word + 17] as number) >>> 0;
  }
  set rows(value: number) {
    this.#words[this.#word + 17] = value;
  }

  /** y is [inner, cols]; a vector counts as one column */
  get inner(): number {
    return (this.#words[this.#word + 18] as number) >>> 0;
  }
  set inner(value: number) {
    this.#words[this.#word + 18] = value;
  }

  /** columns of y */
  get cols(): number {
    return (this.#words[this.#word + 19] as number) >>> 0;
  }
  set cols(value: number) {
    this.#words[this.#word + 19] = value;
  }

  /** working space of kernels that declare some */
  get scratch(): number {
    return (this.#words[this.#word + 20] as number) >>> 0;
  }
  set scratch(value: number) {
    this.#words[this.#word + 20] = value;
  }

  /** element offset, row length, a guard's number: as the operation says */
  get aux(): number {
    return this.#words[this.#word + 21] as number;
  }
  set aux(value: number) {
    this.#words[this.#word + 21] = value;
  }

  /** op code of the record that the block was made from, and its flags */
  get op(): number {
    return this.#words[this.#word + 22] as number;
  }
  set op(value: number) {
    this.#words[this.#word + 22] = value;
  }

  /** payload id of z */
  get out(): number {
    return this.#words[this.#word + 23] as number;
  }
  set out(value: number) {
    this.#words[this.#word + 23] = value;
  }

  /** address of a mask: lanes a guard asks, or that take x in a merge; 0: all */
  get mask(): number {
    return (this.#words[this.#word + 24] as number) >>> 0;
  }
  set mask(value: number) {
    this.#words[this.#word + 24] = value;
  }

  /** payload id of x */
  get in0(): number {
    return this.#words[this.#word + 25] as number;
  }
  set in0(value: number) {
    this.#words[this.#word + 25] = value;
  }

  /** payload id of y */
  get in1(): number {
    return this.#words[this.#word + 26] as number;
  }
  set in1(value: number) {
    this.#words[this.#word + 26] = value;
  }

  /** bytes of gx that the backward pass clears before it adds */
  get xClear(): number {
    return (this.#words[this.#word + 27] as number) >>> 0;
  }
  set xClear(value: number) {
    this.#words[this.#word + 27] = value;
  }

  /** bytes of gy that it clears */
  get yClear(): number {
    return (this.#words[this.#word + 28] as number) >>> 0;
  }
  set yClear(value: number) {
    this.#words[this.#word + 28] = value;
  }

  /** 0 where gx holds no sum yet, else −1: what an adjoint adds to */
  get xKept(): number {
    return this.#words[this.#word + 29] as number;
  }
  set xKept(value: number) {
    this.#words[this.#word + 29] = value;
  }

  /** the same of gy */
  get yKept(): number {
    return this.#words[this.#word + 30] as number;
  }
  set yKept(value: number) {
    this.#words[this.#word + 30] = value;
  }

  /** where forward leaves what the adjoint needs; odd: not yet, 0: nowhere */
  get slope(): number {
    return (this.#words[this.#word + 31] as number) >>> 0;
  }
  set slope(value: number) {
    this.#words[this.#word + 31] = value;
  }
}

/** What a walk did. */
export class WalkReport {
  readonly #doubles: Numbers;
  readonly #double: number;

  constructor(memory: Doubles, at: number) {
    this.#doubles = memory.doubles;
    this.#double = at / 8;
  }

  /** why it stopped: `FAULT_*` */
  get fault(): number {
    return this.#doubles[this.#double + 0] as number;
  }
  set fault(value: number) {
    this.#doubles[this.#double + 0] = value;
  }

  /** lanes that live */
  get live(): number {
    return this.#doubles[this.#double + 1] as number;
  }
  set live(value: number) {
    this.#doubles[this.#double + 1] = value;
  }

  /** what was recorded to the end */
  get recording(): number {
    return this.#doubles[this.#double + 2] as number;
  }
  set recording(value: number) {
    this.#doubles[this.#double + 2] = value;
  }

  /** tag of the program's value */
  get resultTag(): number {
    return this.#doubles[this.#double + 3] as number;
  }
  set resultTag(value: number) {
    this.#doubles[this.#double + 3] = value;
  }

  /** its data */
  get resultData(): number {
    return this.#doubles[this.#double + 4] as number;
  }
  set resultData(value: number) {
    this.#doubles[this.#double + 4] = value;
  }

  /** steps of the lane that took most */
  get steps(): number {
    return this.#doubles[this.#double + 5] as number;
  }
  set steps(value: number) {
    this.#doubles[this.#double + 5] = value;
  }

  /** lanes that rarely went with the others */
  get strays(): number {
    return this.#doubles[this.#double + 6] as number;
  }
  set strays(value: number) {
    this.#doubles[this.#double + 6] = value;
  }

  /** payloads that were made */
  get payloads(): number {
    return this.#doubles[this.#double + 7] as number;
  }
  set payloads(value: number) {
    this.#doubles[this.#double + 7] = value;
  }

  /** those of them that are uniform */
  get uniformMade(): number {
    return this.#doubles[this.#double + 8] as number;
  }
  set uniformMade(value: number) {
    this.#doubles[this.#double + 8] = value;
  }

  /** and active */
  get activeMade(): number {
    return this.#doubles[this.#double + 9] as number;
  }
  set activeMade(value: number) {
    this.#doubles[this.#double + 9] = value;
  }

  /** records with a part in the backward pass */
  get tapeActive(): number {
    return this.#doubles[this.#double + 10] as number;
  }
  set tapeActive(value: number) {
    this.#doubles[this.#double + 10] = value;
  }

  /** heap objects that were made */
  get objects(): number {
    return this.#doubles[this.#double + 11] as number;
  }
  set objects(value: number) {
    this.#doubles[this.#double + 11] = value;
  }

  /** bytes of primals */
  get primalBytes(): number {
    return this.#doubles[this.#double + 12] as number;
  }
  set primalBytes(value: number) {
    this.#doubles[this.#double + 12] = value;
  }

  /** of adjoints */
  get adjointBytes(): number {
    return this.#doubles[this.#double + 13] as number;
  }
  set adjointBytes(value: number) {
    this.#doubles[this.#double + 13] = value;
  }

  /** of records */
  get tapeBytes(): number {
    return this.#doubles[this.#double + 14] as number;
  }
  set tapeBytes(value: number) {
    this.#doubles[this.#double + 14] = value;
  }

  /** of heap objects */
  get heapBytes(): number {
    return this.#doubles[this.#double + 15] as number;
  }
  set heapBytes(value: number) {
    this.#doubles[this.#double + 15] = value;
  }

  /** how often memory was compacted */
  get compactions(): number {
    return this.#doubles[this.#double + 16] as number;
  }
  set compactions(value: number) {
    this.#doubles[this.#double + 16] = value;
  }

  /** 1: the tape merges lanes */
  get hasMerges(): number {
    return this.#doubles[this.#double + 17] as number;
  }
  set hasMerges(value: number) {
    this.#doubles[this.#double + 17] = value;
  }

  /** bytes of adjoints, once the tape is linked */
  get linkedBytes(): number {
    return this.#doubles[this.#double + 18] as number;
  }
  set linkedBytes(value: number) {
    this.#doubles[this.#double + 18] = value;
  }

  /** `LINK_*`, refused where nobody asked for it */
  get link(): number {
    return this.#doubles[this.#double + 19] as number;
  }
  set link(value: number) {
    this.#doubles[this.#double + 19] = value;
  }
}
