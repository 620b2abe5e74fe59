/**
 * The structures of memory, for asc.
 * Generated from src/layouts by `npm run gen`; do not edit.
 */

/** What lies in front of the content of every block of memory. */
@unmanaged
export class BlockHeader {
  /** bytes of the content, a multiple of 16 */
  bytes: usize;
  /** bytes of the block before */
  before: usize;
  /** 1 where the block is free */
  isFree: u32;
  /** next free block of its bin */
  nextFree: usize;
}
if (offsetof<BlockHeader>() != 16) ERROR("BlockHeader is not as it was declared");

// @ts-ignore: decorator
@inline export function headerAt(address: usize): BlockHeader {
  return changetype<BlockHeader>(address);
}

/** A free block, whose content begins with the one before it in its bin. */
@unmanaged
export class FreeBlock extends BlockHeader {
  /** previous free block of its bin */
  previousFree: usize;
}
if (offsetof<FreeBlock>() != 20) ERROR("FreeBlock is not as it was declared");

// @ts-ignore: decorator
@inline export function freeAt(address: usize): FreeBlock {
  return changetype<FreeBlock>(address);
}

/** The first words of a program's image. Places in it are word indices. */
@unmanaged
export class ImageHeader {
  /** length of the image in words */
  words: i32;
  /** word index of the place where it begins */
  entry: i32;
  /** how many inputs */
  inputs: i32;
  /** inputs and top-level variables together */
  globals: i32;
  /** how many real constants */
  constants: i32;
  /** word index of their f64 values */
  constantsAt: i32;
  /** 8-byte words of quoted structure */
  heap: i32;
  /** word index of that structure */
  heapAt: i32;
  /** value slots the outermost expression needs */
  stack: i32;
  /** control frames the outermost expression needs */
  control: i32;
  /** which evaluator reads it: `CLIENT_*` */
  client: i32;
}
if (offsetof<ImageHeader>() != 44) ERROR("ImageHeader is not as it was declared");

// @ts-ignore: decorator
@inline export function imageAt(address: usize): ImageHeader {
  return changetype<ImageHeader>(address);
}

/** What an evaluator goes on with once it has a value. */
@unmanaged
export class ControlFrame {
  /** `FRAME_*`, or a kind of the client's own */
  kind: i32;
  /** the place in the image that waits; its second word is a node number */
  cell: usize;
  /** how far that place has come */
  index: i32;
  /** offset of the caller's frame on the stack */
  saved: usize;
}
if (offsetof<ControlFrame>() != 16) ERROR("ControlFrame is not as it was declared");

// @ts-ignore: decorator
@inline export function frameAt(address: usize): ControlFrame {
  return changetype<ControlFrame>(address);
}

/** The header of a heap object; its fields, values of 8 bytes, follow. */
@unmanaged
export class HeapObject {
  /** how many fields; −1 where compaction has moved the object */
  fields: i32;
  /** a word of the client's own, or where the object has moved to */
  own: i32;
}
if (offsetof<HeapObject>() != 8) ERROR("HeapObject is not as it was declared");

// @ts-ignore: decorator
@inline export function objectAt(address: usize): HeapObject {
  return changetype<HeapObject>(address);
}

/** A payload's entry in the payload table. */
@unmanaged
export class PayloadEntry {
  /** offset in the primal arena */
  primal: u32;
  /** offset in the adjoint arena, for active payloads */
  adjoint: u32;
  /** rows; a scalar has 1 */
  rows: i32;
  /** columns; a scalar or vector has 1 */
  cols: i32;
  /** rows · cols */
  count: i32;
  /** `PAYLOAD_*` */
  flags: i32;
  /** node that made it; −1 − i for input i */
  origin: i32;
  /** mask payload of the lanes it was computed for, −1: all */
  context: i32;
}
if (offsetof<PayloadEntry>() != 32) ERROR("PayloadEntry is not as it was declared");

// @ts-ignore: decorator
@inline export function payloadAt(address: usize): PayloadEntry {
  return changetype<PayloadEntry>(address);
}

/** One operation of a tape. */
@unmanaged
export class TapeRecord {
  /** op code in the low 16 bits, above it `RECORD_*` and who is first to add */
  op: i32;
  /** payload of the result; −1 for guards */
  out: i32;
  /** first operand */
  in0: i32;
  /** second operand, −1 where there is none */
  in1: i32;
  /** a number that belongs to the operation */
  aux: i32;
  /** mask payload, −1: every lane */
  mask: i32;
}
if (offsetof<TapeRecord>() != 24) ERROR("TapeRecord is not as it was declared");

// @ts-ignore: decorator
@inline export function recordAt(address: usize): TapeRecord {
  return changetype<TapeRecord>(address);
}

/** What a numeric kernel reads: its operands, by address. */
@unmanaged
export class OperandBlock {
  /** primal of the result */
  z: usize;
  /** bytes from one element of z to the next */
  zStep: usize;
  /** lane mask of z: 0 uniform, −1 per lane */
  zMask: usize;
  /** primal of the first operand */
  x: usize;
  /** 0 broadcasts a scalar over the elements of z */
  xStep: usize;
  /** lane mask of x */
  xMask: usize;
  /** primal of the second operand */
  y: usize;
  /** as `xStep` */
  yStep: usize;
  /** lane mask of y */
  yMask: usize;
  /** adjoint of the result: one number per lane, also of a uniform primal */
  gz: usize;
  /** adjoint of x; 0: x is inactive, no work for it */
  gx: usize;
  /** 0 where x is a scalar */
  gxStep: usize;
  /** adjoint of y */
  gy: usize;
  /** 0 where y is a scalar */
  gyStep: usize;
  /** elements of z (element-wise kernels) */
  count: u32;
  /** bytes of one run of lanes (adjoint loops, step of gz) */
  run: usize;
  /** bytes to compute forward: 16 where z is uniform, else `run` */
  zRun: usize;
  /** structured kernels: x is [rows, inner] */
  rows: u32;
  /** y is [inner, cols]; a vector counts as one column */
  inner: u32;
  /** columns of y */
  cols: u32;
  /** working space of kernels that declare some */
  scratch: usize;
  /** element offset, row length, a guard's number: as the operation says */
  aux: i32;
  /** op code of the record that the block was made from, and its flags */
  op: i32;
  /** payload id of z */
  out: i32;
  /** address of a mask: lanes a guard asks, or that take x in a merge; 0: all */
  mask: usize;
  /** payload id of x */
  in0: i32;
  /** payload id of y */
  in1: i32;
  /** bytes of gx that the backward pass clears before it adds */
  xClear: u32;
  /** bytes of gy that it clears */
  yClear: u32;
  /** 0 where gx holds no sum yet, else −1: what an adjoint adds to */
  xKept: i32;
  /** the same of gy */
  yKept: i32;
  /** where forward leaves what the adjoint needs; odd: not yet, 0: nowhere */
  slope: usize;
}
if (offsetof<OperandBlock>() != 128) ERROR("OperandBlock is not as it was declared");

// @ts-ignore: decorator
@inline export function blockAt(address: usize): OperandBlock {
  return changetype<OperandBlock>(address);
}

/** The arenas that make up a trace. */
@unmanaged
export class TraceArenas {
  /** where the payload entries lie */
  tableBase: usize;
  /** bytes there is room for */
  tableBytes: usize;
  /** bytes of it that are used */
  tableTop: usize;
  /** where the primals lie */
  primalBase: usize;
  /** bytes there is room for */
  primalBytes: usize;
  /** bytes of it that are used */
  primalTop: usize;
  /** where the records lie */
  tapeBase: usize;
  /** bytes there is room for */
  tapeBytes: usize;
  /** bytes of it that are used */
  tapeTop: usize;
  /** where the adjoints lie */
  adjointBase: usize;
  /** bytes there is room for */
  adjointBytes: usize;
  /** bytes of it that are used */
  adjointTop: usize;
  /** where the operand blocks lie */
  blocksBase: usize;
  /** bytes there is room for */
  blocksBytes: usize;
  /** bytes of it that are used */
  blocksTop: usize;
  /** where the working space of kernels lies */
  scratchBase: usize;
  /** bytes there is room for */
  scratchBytes: usize;
}
if (offsetof<TraceArenas>() != 68) ERROR("TraceArenas is not as it was declared");

// @ts-ignore: decorator
@inline export function arenasAt(address: usize): TraceArenas {
  return changetype<TraceArenas>(address);
}

/** A trace that is kept: its arenas, and what a replay of it must know. */
@unmanaged
export class KeptTrace extends TraceArenas {
  /** lanes of the walk that made it */
  lanes: i32;
  /** bytes of one run of lanes */
  run: usize;
  /** bytes of adjoints that are cleared before a pass */
  standing: usize;
  /** 1 where it has guards, masks or merges */
  hasControl: i32;
}
if (offsetof<KeptTrace>() != 84) ERROR("KeptTrace is not as it was declared");

// @ts-ignore: decorator
@inline export function traceAt(address: usize): KeptTrace {
  return changetype<KeptTrace>(address);
}

/** A place for an adjoint that is no longer needed, noted while a tape is linked. */
@unmanaged
export class FreePlace {
  /** elements that it has room for */
  count: u32;
  /** its offset in the adjoint arena */
  adjoint: u32;
}
if (offsetof<FreePlace>() != 8) ERROR("FreePlace is not as it was declared");

// @ts-ignore: decorator
@inline export function placeAt(address: usize): FreePlace {
  return changetype<FreePlace>(address);
}

/** A small integer that met a real number. */
@unmanaged
export class SmallInteger {
  /** its payload */
  id: i32;
  /** the generation that the payload belongs to */
  generation: u32;
}
if (offsetof<SmallInteger>() != 8) ERROR("SmallInteger is not as it was declared");

// @ts-ignore: decorator
@inline export function smallAt(address: usize): SmallInteger {
  return changetype<SmallInteger>(address);
}

/** Two values that are still to be compared. */
@unmanaged
export class ValuePair {
  /** one of them */
  first: u64;
  /** the other */
  second: u64;
}
if (offsetof<ValuePair>() != 16) ERROR("ValuePair is not as it was declared");

// @ts-ignore: decorator
@inline export function pairAt(address: usize): ValuePair {
  return changetype<ValuePair>(address);
}

/** A branch that lanes take both ways. What both sides have comes twice: then, else. */
@unmanaged
export class Divergence {
  /** the context before, as a value */
  context: u64;
  /** the lanes of each side, as values */
  masks: u64;
  masks1: u64;
  /** values of the outcomes */
  values: u64;
  values1: u64;
  /** offset of the stack at the branch */
  stack: usize;
  /** of the frame */
  frame: usize;
  /** of the control stack */
  control: usize;
  /** where the sides begin */
  starts: usize;
  starts1: usize;
  /** what the outcomes are */
  kinds: i32;
  kinds1: i32;
  /** places of pending jumps and calls */
  places: usize;
  places1: usize;
  /** their first operands among those that are saved */
  operands: usize;
  operands1: usize;
  /** how many operands they have */
  counts: i32;
  counts1: i32;
  /** the slot that a jump names its target by */
  jumps: usize;
  jumps1: usize;
  /** the side that runs */
  side: i32;
  /** jumps to slots below this are outcomes */
  slots: usize;
  /** tail calls from frames up to this are outcomes */
  frames: usize;
  /** operands that were saved before */
  saved: usize;
  /** first slot that the sides may change */
  kept: usize;
  /** slots that the sides need */
  roomSlots: usize;
  /** frames that the sides need */
  roomFrames: usize;
  /** where the sides meet, 0: nowhere before a value */
  join: usize;
  @inline masksAt(i: i32): usize {
    return changetype<usize>(this) + 8 + (<usize>i << 3);
  }
  @inline valuesAt(i: i32): usize {
    return changetype<usize>(this) + 24 + (<usize>i << 3);
  }
  @inline startsAt(i: i32): usize {
    return changetype<usize>(this) + 52 + (<usize>i << 2);
  }
  @inline kindsAt(i: i32): usize {
    return changetype<usize>(this) + 60 + (<usize>i << 2);
  }
  @inline placesAt(i: i32): usize {
    return changetype<usize>(this) + 68 + (<usize>i << 2);
  }
  @inline operandsAt(i: i32): usize {
    return changetype<usize>(this) + 76 + (<usize>i << 2);
  }
  @inline countsAt(i: i32): usize {
    return changetype<usize>(this) + 84 + (<usize>i << 2);
  }
  @inline jumpsAt(i: i32): usize {
    return changetype<usize>(this) + 92 + (<usize>i << 2);
  }
}
if (offsetof<Divergence>() != 132) ERROR("Divergence is not as it was declared");

// @ts-ignore: decorator
@inline export function divergenceAt(address: usize): Divergence {
  return changetype<Divergence>(address);
}

/** What a walk did. */
@unmanaged
export class WalkReport {
  /** why it stopped: `FAULT_*` */
  fault: f64;
  /** lanes that live */
  live: f64;
  /** what was recorded to the end */
  recording: f64;
  /** tag of the program's value */
  resultTag: f64;
  /** its data */
  resultData: f64;
  /** steps of the lane that took most */
  steps: f64;
  /** lanes that rarely went with the others */
  strays: f64;
  /** payloads that were made */
  payloads: f64;
  /** those of them that are uniform */
  uniformMade: f64;
  /** and active */
  activeMade: f64;
  /** records with a part in the backward pass */
  tapeActive: f64;
  /** heap objects that were made */
  objects: f64;
  /** bytes of primals */
  primalBytes: f64;
  /** of adjoints */
  adjointBytes: f64;
  /** of records */
  tapeBytes: f64;
  /** of heap objects */
  heapBytes: f64;
  /** how often memory was compacted */
  compactions: f64;
  /** 1: the tape merges lanes */
  hasMerges: f64;
  /** bytes of adjoints, once the tape is linked */
  linkedBytes: f64;
  /** `LINK_*`, refused where nobody asked for it */
  link: f64;
}
if (offsetof<WalkReport>() != 160) ERROR("WalkReport is not as it was declared");

// @ts-ignore: decorator
@inline export function reportAt(address: usize): WalkReport {
  return changetype<WalkReport>(address);
}
