/** The layout of the machine's memory: structures that both sides of the boundary know. */

import { defineLayout } from "./define.js";

export const blockHeader = defineLayout({
  name: "BlockHeader",
  at: "headerAt",
  size: "HEADER_BYTES",
  doc: "What lies in front of the content of every block of memory.",
  fields: [
    ["bytes", "usize", "bytes of the content, a multiple of 16"],
    ["before", "usize", "bytes of the block before"],
    ["isFree", "u32", "1 where the block is free"],
    ["nextFree", "usize", "next free block of its bin"],
  ],
});

export const freeBlock = defineLayout({
  name: "FreeBlock",
  at: "freeAt",
  extends: blockHeader,
  doc: "A free block, whose content begins with the one before it in its bin.",
  fields: [["previousFree", "usize", "previous free block of its bin"]],
});

export const imageHeader = defineLayout({
  name: "ImageHeader",
  at: "imageAt",
  host: true,
  size: "IMAGE_HEADER",
  sizeIn: 4,
  doc: "The first words of a program's image. Places in it are word indices.",
  fields: [
    ["words", "i32", "length of the image in words"],
    ["entry", "i32", "word index of the place where it begins"],
    ["inputs", "i32", "how many inputs"],
    ["globals", "i32", "inputs and top-level variables together"],
    ["constants", "i32", "how many real constants"],
    ["constantsAt", "i32", "word index of their f64 values"],
    ["heap", "i32", "8-byte words of quoted structure"],
    ["heapAt", "i32", "word index of that structure"],
    ["stack", "i32", "value slots the outermost expression needs"],
    ["control", "i32", "control frames the outermost expression needs"],
    ["client", "i32", "which evaluator reads it: `CLIENT_*`"],
  ],
});

export const controlFrame = defineLayout({
  name: "ControlFrame",
  at: "frameAt",
  host: true,
  size: "CONTROL_FRAME_BYTES",
  doc: "What an evaluator goes on with once it has a value.",
  fields: [
    ["kind", "i32", "`FRAME_*`, or a kind of the client's own"],
    ["cell", "usize", "the place in the image that waits; its second word is a node number"],
    ["index", "i32", "how far that place has come"],
    ["saved", "usize", "offset of the caller's frame on the stack"],
  ],
});

export const heapObject = defineLayout({
  name: "HeapObject",
  at: "objectAt",
  size: "OBJECT_HEADER_BYTES",
  doc: "The header of a heap object; its fields, values of 8 bytes, follow.",
  fields: [
    ["fields", "i32", "how many fields; −1 where compaction has moved the object"],
    ["own", "i32", "a word of the client's own, or where the object has moved to"],
  ],
});

export const payloadEntry = defineLayout({
  name: "PayloadEntry",
  at: "payloadAt",
  host: true,
  size: "PAYLOAD_BYTES",
  doc: "A payload's entry in the payload table.",
  fields: [
    ["primal", "u32", "offset in the primal arena"],
    ["adjoint", "u32", "offset in the adjoint arena, for active payloads"],
    ["rows", "i32", "rows; a scalar has 1"],
    ["cols", "i32", "columns; a scalar or vector has 1"],
    ["count", "i32", "rows · cols"],
    ["flags", "i32", "`PAYLOAD_*`"],
    ["origin", "i32", "node that made it; −1 − i for input i"],
    ["context", "i32", "mask payload of the lanes it was computed for, −1: all"],
  ],
});

export const tapeRecord = defineLayout({
  name: "TapeRecord",
  at: "recordAt",
  host: true,
  size: "RECORD_BYTES",
  doc: "One operation of a tape.",
  fields: [
    ["op", "i32", "op code in the low 16 bits, above it `RECORD_*` and who is first to add"],
    ["out", "i32", "payload of the result; −1 for guards"],
    ["in0", "i32", "first operand"],
    ["in1", "i32", "second operand, −1 where there is none"],
    ["aux", "i32", "a number that belongs to the operation"],
    ["mask", "i32", "mask payload, −1: every lane"],
  ],
});

export const operandBlock = defineLayout({
  name: "OperandBlock",
  at: "blockAt",
  host: true,
  size: "BLOCK_BYTES",
  doc: "What a numeric kernel reads: its operands, by address.",
  fields: [
    ["z", "usize", "primal of the result"],
    ["zStep", "usize", "bytes from one element of z to the next"],
    ["zMask", "usize", "lane mask of z: 0 uniform, −1 per lane"],
    ["x", "usize", "primal of the first operand"],
    ["xStep", "usize", "0 broadcasts a scalar over the elements of z"],
    ["xMask", "usize", "lane mask of x"],
    ["y", "usize", "primal of the second operand"],
    ["yStep", "usize", "as `xStep`"],
    ["yMask", "usize", "lane mask of y"],
    ["gz", "usize", "adjoint of the result: one number per lane, also of a uniform primal"],
    ["gx", "usize", "adjoint of x; 0: x is inactive, no work for it"],
    ["gxStep", "usize", "0 where x is a scalar"],
    ["gy", "usize", "adjoint of y"],
    ["gyStep", "usize", "0 where y is a scalar"],
    ["count", "u32", "elements of z (element-wise kernels)"],
    ["run", "usize", "bytes of one run of lanes (adjoint loops, step of gz)"],
    ["zRun", "usize", "bytes to compute forward: 16 where z is uniform, else `run`"],
    ["rows", "u32", "structured kernels: x is [rows, inner]"],
    ["inner", "u32", "y is [inner, cols]; a vector counts as one column"],
    ["cols", "u32", "columns of y"],
    ["scratch", "usize", "working space of kernels that declare some"],
    ["aux", "i32", "element offset, row length, a guard's number: as the operation says"],
    ["op", "i32", "op code of the record that the block was made from, and its flags"],
    ["out", "i32", "payload id of z"],
    ["mask", "usize", "address of a mask: lanes a guard asks, or that take x in a merge; 0: all"],
    ["in0", "i32", "payload id of x"],
    ["in1", "i32", "payload id of y"],
    ["xClear", "u32", "bytes of gx that the backward pass clears before it adds"],
    ["yClear", "u32", "bytes of gy that it clears"],
    ["xKept", "i32", "0 where gx holds no sum yet, else −1: what an adjoint adds to"],
    ["yKept", "i32", "the same of gy"],
    ["slope", "usize", "where forward leaves what the adjoint needs; odd: not yet, 0: nowhere"],
  ],
});

export const traceArenas = defineLayout({
  name: "TraceArenas",
  at: "arenasAt",
  size: "ARENAS_BYTES",
  doc: "The arenas that make up a trace.",
  fields: [
    ["tableBase", "usize", "where the payload entries lie"],
    ["tableBytes", "usize", "bytes there is room for"],
    ["tableTop", "usize", "bytes of it that are used"],
    ["primalBase", "usize", "where the primals lie"],
    ["primalBytes", "usize", "bytes there is room for"],
    ["primalTop", "usize", "bytes of it that are used"],
    ["tapeBase", "usize", "where the records lie"],
    ["tapeBytes", "usize", "bytes there is room for"],
    ["tapeTop", "usize", "bytes of it that are used"],
    ["adjointBase", "usize", "where the adjoints lie"],
    ["adjointBytes", "usize", "bytes there is room for"],
    ["adjointTop", "usize", "bytes of it that are used"],
    ["blocksBase", "usize", "where the operand blocks lie"],
    ["blocksBytes", "usize", "bytes there is room for"],
    ["blocksTop", "usize", "bytes of it that are used"],
    ["scratchBase", "usize", "where the working space of kernels lies"],
    ["scratchBytes", "usize", "bytes there is room for"],
  ],
});

export const keptTrace = defineLayout({
  name: "KeptTrace",
  at: "traceAt",
  extends: traceArenas,
  size: "TRACE_BYTES",
  doc: "A trace that is kept: its arenas, and what a replay of it must know.",
  fields: [
    ["lanes", "i32", "lanes of the walk that made it"],
    ["run", "usize", "bytes of one run of lanes"],
    ["standing", "usize", "bytes of adjoints that are cleared before a pass"],
    ["hasControl", "i32", "1 where it has guards, masks or merges"],
  ],
});

export const freePlace = defineLayout({
  name: "FreePlace",
  at: "placeAt",
  size: "PLACE_BYTES",
  doc: "A place for an adjoint that is no longer needed, noted while a tape is linked.",
  fields: [
    ["count", "u32", "elements that it has room for"],
    ["adjoint", "u32", "its offset in the adjoint arena"],
  ],
});

export const smallInteger = defineLayout({
  name: "SmallInteger",
  at: "smallAt",
  size: "SMALL_BYTES",
  doc: "A small integer that met a real number.",
  fields: [
    ["id", "i32", "its payload"],
    ["generation", "u32", "the generation that the payload belongs to"],
  ],
});

export const valuePair = defineLayout({
  name: "ValuePair",
  at: "pairAt",
  size: "VALUE_PAIR_BYTES",
  doc: "Two values that are still to be compared.",
  fields: [
    ["first", "u64", "one of them"],
    ["second", "u64", "the other"],
  ],
});

export const divergence = defineLayout({
  name: "Divergence",
  at: "divergenceAt",
  size: "DIVERGENCE_BYTES",
  doc: "A branch that lanes take both ways. What both sides have comes twice: then, else.",
  fields: [
    ["context", "u64", "the context before, as a value"],
    ["masks", "u64", "the lanes of each side, as values", 2],
    ["values", "u64", "values of the outcomes", 2],
    ["stack", "usize", "offset of the stack at the branch"],
    ["frame", "usize", "of the frame"],
    ["control", "usize", "of the control stack"],
    ["starts", "usize", "where the sides begin", 2],
    ["kinds", "i32", "what the outcomes are", 2],
    ["places", "usize", "places of pending jumps and calls", 2],
    ["operands", "usize", "their first operands among those that are saved", 2],
    ["counts", "i32", "how many operands they have", 2],
    ["jumps", "usize", "the slot that a jump names its target by", 2],
    ["side", "i32", "the side that runs"],
    ["slots", "usize", "jumps to slots below this are outcomes"],
    ["frames", "usize", "tail calls from frames up to this are outcomes"],
    ["saved", "usize", "operands that were saved before"],
    ["kept", "usize", "first slot that the sides may change"],
    ["roomSlots", "usize", "slots that the sides need"],
    ["roomFrames", "usize", "frames that the sides need"],
    ["join", "usize", "where the sides meet, 0: nowhere before a value"],
  ],
});

export const walkReport = defineLayout({
  name: "WalkReport",
  at: "reportAt",
  host: true,
  size: "REPORT_BYTES",
  doc: "What a walk did.",
  fields: [
    ["fault", "f64", "why it stopped: `FAULT_*`"],
    ["live", "f64", "lanes that live"],
    ["recording", "f64", "what was recorded to the end"],
    ["resultTag", "f64", "tag of the program's value"],
    ["resultData", "f64", "its data"],
    ["steps", "f64", "steps of the lane that took most"],
    ["strays", "f64", "lanes that rarely went with the others"],
    ["payloads", "f64", "payloads that were made"],
    ["uniformMade", "f64", "those of them that are uniform"],
    ["activeMade", "f64", "and active"],
    ["tapeActive", "f64", "records with a part in the backward pass"],
    ["objects", "f64", "heap objects that were made"],
    ["primalBytes", "f64", "bytes of primals"],
    ["adjointBytes", "f64", "of adjoints"],
    ["tapeBytes", "f64", "of records"],
    ["heapBytes", "f64", "of heap objects"],
    ["compactions", "f64", "how often memory was compacted"],
    ["hasMerges", "f64", "1: the tape merges lanes"],
    ["linkedBytes", "f64", "bytes of adjoints, once the tape is linked"],
    ["link", "f64", "`LINK_*`, refused where nobody asked for it"],
  ],
});

export const machineLayouts = [
  blockHeader,
  freeBlock,
  imageHeader,
  controlFrame,
  heapObject,
  payloadEntry,
  tapeRecord,
  operandBlock,
  traceArenas,
  keptTrace,
  freePlace,
  smallInteger,
  valuePair,
  divergence,
  walkReport,
];
