/**
 * Calls single kernels of the built machine: writes payloads and an operand block into scratch
 * memory, dispatches by op code and reads the result back.
 *
 * A payload is values[element][lane]; a uniform one has a single lane, stored as a splatted vector.
 * Padding lanes hold NaN, so that a kernel that mixes lanes shows.
 */
import { readFileSync } from "node:fs";
import { BLOCK_BYTES } from "../../src/program/layout.js";
import { OperandBlock } from "../../src/program/structures.js";

export type Precision = "f32" | "f64";
export type Values = readonly (readonly number[])[];

export interface Payload {
  readonly values: Values;
  readonly isUniform?: boolean;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  allocate(bytes: number): number;
  forwardElementwise(op: number, at: number): void;
  adjointElementwise(op: number, at: number): void;
  forwardPredicate(op: number, at: number): void;
}

export interface AdjointCall {
  readonly x: Payload;
  readonly y?: Payload | undefined;
  readonly z: Payload;
  readonly g: Values;
  /** What the targets hold before; null: the operand is inactive. */
  readonly gx: Values | null;
  /** "x": y is the same payload as x, so their adjoints are one buffer. */
  readonly gy?: Values | null | "x";
  /** What the targets hold is no sum yet: the kernel begins it. */
  readonly isFresh?: { readonly x: boolean; readonly y: boolean };
}

const SCRATCH_BYTES = 1 << 18;
const GUARD_BYTES = 1024;

const FIELDS = {
  X: { at: "x", step: "xStep", mask: "xMask" },
  Y: { at: "y", step: "yStep", mask: "yMask" },
  Z: { at: "z", step: "zStep", mask: "zMask" },
} as const;

export class KernelDoor {
  readonly #exports: Exports;
  readonly #scratch: number;
  readonly #bytes: 4 | 8;
  #top = 0;

  constructor(readonly precision: Precision) {
    const file = new URL(`../../build/ndvm-${precision}.wasm`, import.meta.url);
    const module = new WebAssembly.Module(readFileSync(file));
    const instance = new WebAssembly.Instance(module, {});
    this.#exports = instance.exports as unknown as Exports;
    this.#scratch = this.#exports.allocate(SCRATCH_BYTES);
    this.#bytes = precision === "f32" ? 4 : 8;
  }

  /** Rounds to the door's precision. */
  round(value: number): number {
    return this.precision === "f32" ? Math.fround(value) : value;
  }

  forward(
    op: number,
    x: Payload,
    y: Payload | undefined,
    count: number,
    lanes: number,
  ): number[][] {
    const z = this.#forward(op, x, y, count, lanes, this.#exports.forwardElementwise);
    return this.#read(z, count, lanes);
  }

  /** Values and slopes of an op that leaves its slopes, and x's adjoint by them and without them. */
  forwardWithSlope(op: number, x: readonly number[]) {
    const lanes = x.length;
    const block = this.#begin(1, lanes, this.#run(lanes));
    const payload = { values: [x] };
    const [z, s, gx] = [0, 0, 0].map(() => this.#take(this.#run(lanes))) as [
      number,
      number,
      number,
    ];
    this.#operand(block, "X", this.#write(payload, lanes), payload, 1, lanes);
    this.#operand(block, "Z", z, payload, 1, lanes);
    block.set("gx", gx);
    block.set("gz", this.#write({ values: [x.map(() => 1)] }, lanes));
    const adjoint = () => {
      this.#exports.adjointElementwise(op, block.at);
      return this.#read(gx, 1, lanes)[0];
    };
    block.set("slope", s | 1);
    const before = adjoint();
    this.#exports.forwardElementwise(op, block.at);
    const after = adjoint();
    const [values, slopes] = [z, s].map((at) => this.#read(at, 1, lanes)[0]);
    return { values, slopes, before, after };
  }

  /** The result's lanes as bit patterns, in hexadecimal. */
  test(op: number, x: Payload, y: Payload | undefined, lanes: number): string[] {
    const z = this.#forward(op, x, y, 1, lanes, this.#exports.forwardPredicate);
    const bytes = new Uint8Array(this.#exports.memory.buffer, z, lanes * this.#bytes);
    return Array.from({ length: lanes }, (_, lane) =>
      Buffer.from(bytes.subarray(lane * this.#bytes, (lane + 1) * this.#bytes)).toString("hex"),
    );
  }

  /** The targets after the adjoint ran; null where an operand is inactive. */
  adjoint(op: number, call: AdjointCall): { gx: number[][] | null; gy: number[][] | null } {
    const lanes = call.g[0]?.length ?? 0;
    const block = this.#begin(call.g.length, lanes, this.#run(lanes));
    const z = this.#write(call.z, lanes);
    this.#operand(block, "Z", z, call.z, call.g.length, lanes);
    this.#operand(block, "X", this.#write(call.x, lanes), call.x, call.g.length, lanes);
    if (call.y) this.#operand(block, "Y", this.#write(call.y, lanes), call.y, call.g.length, lanes);
    block.set("gz", this.#write({ values: call.g }, lanes));
    const gx = call.gx && this.#write({ values: call.gx }, lanes);
    const isShared = call.gy === "x";
    const gy = isShared ? gx : this.#target(call.gy, lanes);
    const step = (values: Values) => (values.length === 1 ? 0 : this.#run(lanes));
    block.set("gx", gx ?? 0);
    block.set("gxStep", step(call.x.values));
    block.set("gy", gy ?? 0);
    block.set("gyStep", step(call.y?.values ?? []));
    block.set("xKept", call.isFresh?.x ? 0 : -1);
    block.set("yKept", call.isFresh?.y ? 0 : -1);
    const before = this.#snapshot();
    this.#exports.adjointElementwise(op, block.at);
    const targets = [gx, gy].map((at, i) => {
      if (at === null) return { at: this.#scratch, bytes: 0 };
      const count = (i === 0 || isShared ? call.x : call.y)?.values.length ?? 0;
      return { at, bytes: count * this.#run(lanes) };
    });
    this.#expectOnly(before, targets);
    return {
      gx: gx === null ? null : this.#read(gx, call.x.values.length, lanes),
      gy: gy === null ? null : this.#read(gy, (call.y ?? call.x).values.length, lanes),
    };
  }

  #target(values: Values | null | undefined | "x", lanes: number): number | null {
    return values && values !== "x" ? this.#write({ values }, lanes) : null;
  }

  #forward(
    op: number,
    x: Payload,
    y: Payload | undefined,
    count: number,
    lanes: number,
    kernel: (op: number, at: number) => void,
  ): number {
    const isUniform = x.isUniform === true && (y === undefined || y.isUniform === true);
    const zRun = isUniform ? 16 : this.#run(lanes);
    const block = this.#begin(count, lanes, zRun);
    this.#operand(block, "X", this.#write(x, lanes), x, count, lanes);
    if (y) this.#operand(block, "Y", this.#write(y, lanes), y, count, lanes);
    const z = this.#take(count * this.#run(lanes));
    block.set("z", z);
    block.set("zStep", zRun);
    block.set("zMask", isUniform ? 0 : -1);
    const before = this.#snapshot();
    kernel(op, block.at);
    this.#expectOnly(before, [{ at: z, bytes: count * zRun }]);
    if (!isUniform) return z;
    // Read back as if per lane: every lane of a splatted vector is the same.
    const splatted = this.#read(z, count, 1, 16).map(([value]) => Array(lanes).fill(value));
    return this.#write({ values: splatted as number[][] }, lanes);
  }

  #begin(count: number, lanes: number, zRun: number) {
    this.#top = 0;
    const at = this.#take(BLOCK_BYTES);
    const view = this.#view();
    for (let field = 0; field < BLOCK_BYTES; field += 4) view.setInt32(at + field, 0, true);
    const set = (field: keyof OperandBlock, value: number) => {
      const words = new Int32Array(this.#exports.memory.buffer);
      new OperandBlock({ words }, at)[field] = value;
    };
    set("count", count);
    set("run", this.#run(lanes));
    set("zRun", zRun);
    return { at, set };
  }

  #operand(
    block: { set(field: keyof OperandBlock, value: number): void },
    name: "X" | "Y" | "Z",
    at: number,
    payload: Payload,
    count: number,
    lanes: number,
  ): void {
    const isBroadcast = payload.values.length === 1 && count > 1;
    const step = payload.isUniform ? 16 : this.#run(lanes);
    const field = FIELDS[name];
    block.set(field.at, at);
    block.set(field.step, isBroadcast ? 0 : step);
    block.set(field.mask, payload.isUniform ? 0 : -1);
  }

  #run(lanes: number): number {
    return Math.ceil((lanes * this.#bytes) / 16) * 16;
  }

  #view(): DataView {
    return new DataView(this.#exports.memory.buffer);
  }

  #take(bytes: number): number {
    const at = this.#scratch + this.#top;
    this.#top += Math.ceil(bytes / 16) * 16;
    if (this.#top > SCRATCH_BYTES - GUARD_BYTES)
      throw new Error("the test asks for more scratch than there is");
    return at;
  }

  #write({ values, isUniform }: Payload, lanes: number): number {
    const run = isUniform ? 16 : this.#run(lanes);
    const at = this.#take(values.length * run);
    const view = this.#view();
    values.forEach((element, e) => {
      for (let lane = 0; lane < run / this.#bytes; lane++) {
        const value = (isUniform ? element[0] : element[lane]) ?? Number.NaN;
        const address = at + e * run + lane * this.#bytes;
        if (this.#bytes === 4) view.setFloat32(address, value, true);
        else view.setFloat64(address, value, true);
      }
    });
    return at;
  }

  #read(at: number, count: number, lanes: number, run = this.#run(lanes)): number[][] {
    const view = this.#view();
    const value = (address: number) =>
      this.#bytes === 4 ? view.getFloat32(address, true) : view.getFloat64(address, true);
    return Array.from({ length: count }, (_, e) =>
      Array.from({ length: lanes }, (_, lane) => value(at + e * run + lane * this.#bytes)),
    );
  }

  /** The scratch in use and some bytes behind it; a write near address 0 is seen too. */
  #snapshot(): Uint8Array {
    const memory = new Uint8Array(this.#exports.memory.buffer);
    return Buffer.concat([
      memory.slice(this.#scratch, this.#scratch + this.#top + GUARD_BYTES),
      memory.slice(0, GUARD_BYTES),
    ]);
  }

  /** A kernel writes to its targets and nowhere else. */
  #expectOnly(before: Uint8Array, targets: readonly { at: number; bytes: number }[]): void {
    const after = this.#snapshot();
    for (const { at, bytes } of targets) {
      const start = at - this.#scratch;
      after.set(before.subarray(start, start + bytes), start);
    }
    if (Buffer.compare(before, after) === 0) return;
    throw new Error(`wrote outside its targets, at ${before.findIndex((b, i) => b !== after[i])}`);
  }
}
