/**
 * Drives the structured kernels directly: lays payloads and an operand block out in the memory of
 * a test build of wasm/linalg, calls a kernel, and reads the result back.
 *
 * A payload is a list of elements (row by row), each element one number per lane. A uniform
 * payload is stored as the machine stores it: one splatted vector per element.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BLOCK_BYTES } from "../../src/program/layout.js";
import { OperandBlock } from "../../src/program/structures.js";
import * as ops from "../../wasm/generated/ops.js";

export type Real = "f32" | "f64";
export type Elements = number[][];

export interface Operand {
  /** 0 scalar, 1 vector, 2 matrix. */
  rank: number;
  rows: number;
  cols: number;
  elements: Elements;
  uniform?: boolean;
}

export interface Call {
  op: string;
  x: Operand;
  y?: Operand;
  /** `aux` and `count` of place and pick. */
  aux?: number;
  count?: number;
  /** Shape of the result of place and pick. */
  like?: Operand;
}

export interface Seeds {
  gz: Elements;
  /** Starting values of the targets; a missing one is inactive. */
  gx?: Elements | undefined;
  gy?: Elements | undefined;
  /** gy is gx's buffer. */
  shared?: boolean;
  /** Targets that hold no sum yet, as the kernel is told. */
  isFresh?: { readonly x: boolean; readonly y: boolean };
}

export interface Shape {
  code: number;
  rank: number;
  rows: number;
  cols: number;
  dims: [number, number, number];
}

type Kernel = (at: number) => void;

type BlockField = keyof OperandBlock;

const core = fileURLToPath(new URL("../..", import.meta.url));
execFileSync(process.execPath, [
  `${core}/scripts/build-wasm.mjs`,
  ...["--entry", "wasm/linalg/door.ts", "--name", "linalg"],
]);

/** Bytes behind everything that a kernel is given: a few rows of a small matrix. */
const GUARD_BYTES = 256;
const FIRST_BYTE = 1 << 17;

export class Kernels {
  readonly laneCountPerVector: number;
  readonly #exports: WebAssembly.Exports;
  readonly #memory: WebAssembly.Memory;
  #top = FIRST_BYTE;

  constructor(readonly real: Real) {
    const module = new WebAssembly.Module(readFileSync(`${core}/build/linalg-${real}.wasm`));
    const abort = () => {
      throw new Error("the kernel aborted");
    };
    this.#exports = new WebAssembly.Instance(module, { env: { abort } }).exports;
    this.#memory = this.#exports["memory"] as WebAssembly.Memory;
    this.laneCountPerVector = real === "f32" ? 4 : 2;
  }

  /** Rounds numbers to the build's precision. */
  round(elements: Elements): Elements {
    return this.real === "f64" ? elements : elements.map((lanes) => lanes.map(Math.fround));
  }

  shape(op: string, x: Operand, y?: Operand): Shape {
    const code = (this.#exports["structuredShape"] as (...values: number[]) => number)(
      opCode(op),
      ...[x.rank, x.rows, x.cols],
      ...(y === undefined ? [-1, 0, 0] : [y.rank, y.rows, y.cols]),
    );
    const [rank, rows, cols] = ["shapeRank", "shapeRows", "shapeCols"].map((name) =>
      this.#global(name),
    ) as [number, number, number];
    const dims = ["dimRows", "dimInner", "dimCols"].map((name) => this.#global(name));
    return { code, rank, rows, cols, dims: dims as [number, number, number] };
  }

  /** Which adjoints the kernel of a call begins by itself: bit 0 for x, bit 1 for y. */
  written(call: Call): number {
    const { dims } = this.shape(call.op, call.x, call.y);
    const written = this.#exports["structuredWritten"] as (...values: number[]) => number;
    return written(opCode(call.op), ...dims);
  }

  forward(call: Call, kernel = `${call.op}Forward`): Elements {
    this.#begin();
    const block = this.#block(call);
    this.#run(kernel, block.at);
    return this.#readResult(call, block);
  }

  /** Runs the adjoint; `z` is the primal result, as `forward` gave it. */
  adjoint(call: Call, z: Elements, seeds: Seeds, kernel = `${call.op}Adjoint`) {
    this.#begin();
    const block = this.#block(call);
    this.#write(block.z, z, block.zUniform, block.lanes);
    const set = (field: BlockField, value: number) => this.#set(block.at, field, value);
    set("gz", this.#allocate(seeds.gz, false));
    const gx = seeds.gx === undefined ? 0 : this.#allocate(seeds.gx, false);
    set("gx", gx);
    set("gxStep", call.x.rank === 0 ? 0 : block.run);
    let gy = 0;
    if (seeds.shared) gy = gx;
    else if (seeds.gy !== undefined) gy = this.#allocate(seeds.gy, false);
    set("gy", gy);
    set("gyStep", block.run);
    set("xKept", seeds.isFresh?.x ? 0 : -1);
    set("yKept", seeds.isFresh?.y ? 0 : -1);
    this.#run(kernel, block.at);
    const read = (at: number, like: Elements | undefined) =>
      at === 0 || like === undefined ? [] : this.#read(at, like.length, block.lanes, block.run);
    return { gx: read(gx, seeds.gx), gy: read(gy, seeds.shared ? seeds.gx : seeds.gy) };
  }

  /** Writes an operand block with everything a forward call needs. */
  #block(call: Call) {
    const { x, y } = call;
    const lanes = x.elements[0]?.length ?? 1;
    const zUniform = x.uniform === true && (y === undefined || y.uniform === true);
    const run = Math.ceil(lanes / this.laneCountPerVector) * 16;
    const at = this.#allocateBytes(BLOCK_BYTES);
    const set = (field: BlockField, value: number) => this.#set(at, field, value);
    const operand = (base: BlockField, step: BlockField, mask: BlockField, value: Operand) => {
      set(base, this.#allocate(value.elements, value.uniform === true));
      set(step, value.uniform ? 16 : run);
      set(mask, value.uniform ? 0 : -1);
    };
    operand("x", "xStep", "xMask", x);
    if (y !== undefined) operand("y", "yStep", "yMask", y);
    const shape = call.like ?? this.shape(call.op, x, y);
    const zCount = shape.rows * shape.cols;
    const z = this.#guarded(zCount * run);
    set("z", z);
    set("zStep", zUniform ? 16 : run);
    set("zMask", zUniform ? 0 : -1);
    set("zRun", zUniform ? 16 : run);
    set("run", run);
    set("count", call.count ?? zCount);
    set("aux", call.aux ?? 0);
    const dims = "dims" in shape ? shape.dims : [1, 1, 1];
    set("rows", dims[0] as number);
    set("inner", dims[1] as number);
    set("cols", dims[2] as number);
    const scratchBytes = this.#exports["structuredScratchBytes"] as (...values: number[]) => number;
    const scratch = scratchBytes(opCode(call.op), ...dims, run);
    set("scratch", this.#guarded(scratch));
    return { at, z, zCount, zUniform, lanes, run };
  }

  #begin(): void {
    this.#top = FIRST_BYTE;
    this.#guards = [];
  }

  /** Memory that no kernel may write beyond. */
  #guarded(bytes: number): number {
    const at = this.#allocateBytes(bytes);
    const guard = this.#allocateBytes(GUARD_BYTES);
    new Uint8Array(this.#memory.buffer, guard, GUARD_BYTES).fill(0xa5);
    this.#guards.push(guard);
    return at;
  }
  #guards: number[] = [];

  /** Runs a kernel, which writes nothing beyond its result, its adjoints and its scratch memory. */
  #run(name: string, block: number): void {
    this.#kernel(name)(block);
    for (const guard of this.#guards)
      if (new Uint8Array(this.#memory.buffer, guard, GUARD_BYTES).some((byte) => byte !== 0xa5))
        throw new Error(`${name} wrote where nothing is its own`);
  }

  #readResult(
    call: Call,
    block: { z: number; zCount: number; zUniform: boolean; lanes: number; run: number },
  ) {
    if (!block.zUniform) return this.#read(block.z, block.zCount, block.lanes, block.run);
    const one = this.#read(block.z, block.zCount, this.laneCountPerVector, 16);
    const lanes = call.x.elements[0]?.length ?? 1;
    return one.map((element) => Array.from({ length: lanes }, () => element[0] as number));
  }

  #kernel(name: string): Kernel {
    const kernel = this.#exports[name];
    if (typeof kernel !== "function") throw new Error(`no kernel ${name}`);
    return kernel as Kernel;
  }

  #global(name: string): number {
    return (this.#exports[name] as WebAssembly.Global).value as number;
  }

  #set(at: number, field: BlockField, value: number): void {
    const words = new Int32Array(this.#memory.buffer);
    new OperandBlock({ words }, at)[field] = value;
  }

  #allocateBytes(bytes: number): number {
    const at = this.#top;
    this.#top += Math.ceil(bytes / 16) * 16;
    const missing = this.#top - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / 65536));
    return at;
  }

  #allocate(elements: Elements, uniform: boolean): number {
    const lanes = elements[0]?.length ?? 1;
    const run = Math.ceil(lanes / this.laneCountPerVector) * 16;
    const at = this.#guarded(elements.length * (uniform ? 16 : run));
    this.#write(at, elements, uniform, lanes);
    return at;
  }

  /** Padding lanes hold NaN: no kernel may let them reach a used lane. */
  #write(at: number, elements: Elements, uniform: boolean, lanes: number): void {
    const perVector = this.laneCountPerVector;
    const width = uniform ? perVector : Math.ceil(lanes / perVector) * perVector;
    elements.forEach((element, e) => {
      const view = this.#view(at + (e * width * 16) / perVector, width);
      view.fill(uniform ? (element[0] as number) : Number.NaN);
      if (!uniform) view.set(element);
    });
  }

  #read(at: number, count: number, lanes: number, step: number): Elements {
    return Array.from({ length: count }, (_, e) => Array.from(this.#view(at + e * step, lanes)));
  }

  #view(at: number, count: number): Float32Array | Float64Array {
    return this.real === "f32"
      ? new Float32Array(this.#memory.buffer, at, count)
      : new Float64Array(this.#memory.buffer, at, count);
  }
}

function opCode(op: string): number {
  const code = (ops as unknown as Record<string, number>)[`OP_${op.toUpperCase()}`];
  if (code === undefined) throw new Error(`no op ${op}`);
  return code;
}
