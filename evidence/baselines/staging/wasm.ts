/**
 * Staged program → bytes of a WebAssembly module, one for each program: scalar f32, or f32x4 with
 * four lanes at a time where control is the same in all lanes.
 *
 * Memory: inputs, results, arrays and tape follow one another; the module exports
 * `run(lanes)`. exp, log, sin and cos are JavaScript's, imported.
 */

import {
  CLAMP,
  isLocal,
  type Operand,
  type Staged,
  StagingRefused,
  type Statement,
  type Test,
} from "./ir.js";

const IMPORTED = ["exp", "log", "sin", "cos"] as const;
const F32 = 0x7d;
const V128 = 0x7b;
const I32 = 0x7f;
const EMPTY = 0x40;

export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const isDone = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(isDone ? low : low | 0x80);
    if (isDone) return bytes;
  }
}

const float = new Float32Array(1);
const floatBytes = new Uint8Array(float.buffer);
const f32Bytes = (value: number): number[] => {
  float[0] = value;
  return [...floatBytes];
};

const vector = (items: readonly (readonly number[])[]): number[] => [
  ...unsigned(items.length),
  ...items.flat(),
];
const section = (id: number, bytes: readonly number[]): number[] => [
  id,
  ...unsigned(bytes.length),
  ...bytes,
];
const string = (words: string): number[] => [
  ...unsigned(words.length),
  ...new TextEncoder().encode(words),
];

export interface Places {
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly arrays: ReadonlyMap<string, number>;
  readonly tape: number;
  readonly bytes: number;
}

export interface WasmOptions {
  readonly order: readonly string[];
  readonly wrt: readonly string[];
  readonly lanesMost: number;
  readonly arrays: ReadonlyMap<string, readonly number[]>;
  readonly isSimd: boolean;
  /** A number in a section of its own: engines remember modules by their bytes. */
  readonly salt?: number;
}

const TAPE_BYTES = 1 << 19;
const rounded = (bytes: number) => Math.ceil(bytes / 16) * 16;

export function placesOf({ order, wrt, lanesMost, arrays }: WasmOptions): Places {
  let at = 16;
  const take = (bytes: number) => {
    const from = at;
    at += rounded(bytes);
    return from;
  };
  const inputs = order.map(() => take(4 * lanesMost + 16));
  const outputs = [0, ...wrt].map(() => take(4 * lanesMost + 16));
  const placed = new Map([...arrays].map(([name, data]) => [name, take(4 * data.length)]));
  const tape = take(TAPE_BYTES);
  return { inputs, outputs, arrays: placed, tape, bytes: at };
}

/**
 * Locals of `run`: the lanes, the address of the lane, the tape's end, then those of the program.
 */
const LANES = 0;
const AT = 1;
const SP = 2;
const FIRST = 3;

class Emitter {
  readonly code: number[] = [];

  constructor(
    readonly staged: Staged,
    readonly places: Places,
    readonly isSimd: boolean,
  ) {}

  op(...bytes: readonly number[]): void {
    this.code.push(...bytes);
  }

  simd(opcode: number, ...rest: readonly number[]): void {
    this.op(0xfd, ...unsigned(opcode), ...rest);
  }

  get(local: number): void {
    this.op(0x20, ...unsigned(local));
  }

  push(operand: Operand): void {
    if (isLocal(operand)) {
      this.get(operand.local + FIRST);
      return;
    }
    if (!this.isSimd) {
      this.op(0x43, ...f32Bytes(operand.value));
      return;
    }
    const bytes = f32Bytes(operand.value);
    this.simd(12, ...bytes, ...bytes, ...bytes, ...bytes);
  }

  /** The first lane of an operand, as f32: control is the same in all lanes. */
  pushScalar(operand: Operand): void {
    if (!isLocal(operand)) {
      this.op(0x43, ...f32Bytes(operand.value));
      return;
    }
    this.get(operand.local + FIRST);
    if (this.isSimd) this.simd(31, 0);
  }

  store(local: number): void {
    this.op(0x21, ...unsigned(local + FIRST));
  }

  test({ name, left, right }: Test): void {
    this.pushScalar(left);
    this.pushScalar(right);
    this.op({ "=": 0x5b, "<": 0x5d, ">": 0x5e, "<=": 0x5f, ">=": 0x60 }[name]);
  }

  block(statements: readonly Statement[], keeps: boolean): void {
    for (const each of statements) this.statement(each, keeps);
  }

  statement(each: Statement, keeps: boolean): void {
    if (each.kind === "op") {
      this.arithmetic(each);
      return;
    }
    if (each.kind === "load") {
      this.load(each);
      return;
    }
    if (each.kind === "if") {
      this.if(each, keeps);
      return;
    }
    if (each.kind === "loop") {
      this.loop(each, keeps);
      return;
    }
    this.back(each, keeps);
    return;
  }

  arithmetic({ out, op, of }: Statement & { kind: "op" }): void {
    const index = (IMPORTED as readonly string[]).indexOf(op);
    if (index >= 0) {
      this.imported(index, out, of[0] as Operand);
      return;
    }
    if (op === "gate") {
      this.gate(out, of as [Operand, Operand]);
      return;
    }
    if (op === "sign") {
      this.sign(out, of[0] as Operand);
      return;
    }
    for (const operand of of) this.push(operand);
    if (op === "clamp") this.push({ value: CLAMP });
    const codes = { "+": [0x92, 228], "-": [0x93, 229], "*": [0x94, 230], "/": [0x95, 231] };
    const more = { neg: [0x8c, 225], abs: [0x8b, 224], sqrt: [0x91, 227], clamp: [0x97, 233] };
    const code = (op === "set" ? undefined : { ...codes, ...more }[op as "+"]) as
      | readonly [number, number]
      | undefined;
    if (code !== undefined && this.isSimd) this.simd(code[1]);
    else if (code !== undefined) this.op(code[0]);
    this.store(out);
  }

  imported(index: number, out: number, operand: Operand): void {
    if (!this.isSimd) {
      this.push(operand);
      this.op(0x10, ...unsigned(index));
      this.store(out);
      return;
    }
    this.push({ value: 0 });
    for (let lane = 0; lane < 4; lane++) {
      this.push(operand);
      this.simd(31, lane);
      this.op(0x10, ...unsigned(index));
      this.simd(32, lane);
    }
    this.store(out);
  }

  /** The value where the test is above the clamp, else 0. */
  gate(out: number, [value, test]: readonly [Operand, Operand]): void {
    this.push(value);
    if (!this.isSimd) this.push({ value: 0 });
    this.push(test);
    this.push({ value: CLAMP });
    if (this.isSimd) {
      this.simd(68);
      this.simd(78);
    } else this.op(0x5e, 0x1b);
    this.store(out);
  }

  /** −1, 0 or 1: (x > 0) − (x < 0). */
  sign(out: number, x: Operand): void {
    for (const [scalar, wide] of [
      [0x5e, 68],
      [0x5d, 67],
    ] as const) {
      this.push({ value: 1 });
      if (!this.isSimd) this.push({ value: 0 });
      this.push(x);
      this.push({ value: 0 });
      if (this.isSimd) {
        this.simd(wide);
        this.simd(78);
      } else this.op(scalar, 0x1b);
    }
    if (this.isSimd) this.simd(229);
    else this.op(0x93);
    this.store(out);
  }

  load({ out, array, index, scale, offset }: Statement & { kind: "load" }): void {
    this.pushScalar(index);
    this.op(0xfc, 0x00, 0x41, ...signed(scale * 4), 0x6c);
    const at = unsigned((this.places.arrays.get(array) as number) + offset * 4);
    if (this.isSimd) this.simd(9, 2, ...at);
    else this.op(0x2a, 2, ...at);
    this.store(out);
  }

  if(each: Statement & { kind: "if" }, keeps: boolean): void {
    if (this.isSimd) throw new StagingRefused("lanes may part at an if");
    if (each.test !== undefined) {
      this.test(each.test);
      this.op(0xb2);
      this.store(each.flag);
    }
    this.push({ local: each.flag });
    this.push({ value: 0 });
    this.op(0x5c, 0x04, EMPTY);
    this.block(each.yes, keeps);
    this.op(0x05);
    this.block(each.no, keeps);
    this.op(0x0b);
  }

  loop(each: Statement & { kind: "loop" }, keeps: boolean): void {
    this.push({ value: 0 });
    this.store(each.turns);
    this.op(0x02, EMPTY, 0x03, EMPTY);
    this.block(each.head, keeps);
    this.test(each.test);
    if (!each.leavesWhen) this.op(0x45);
    this.op(0x0d, 1);
    this.block(each.body, keeps);
    if (keeps) this.keep(each.saved);
    this.block(each.next, keeps);
    this.count(each.turns, 0x92, 228);
    this.op(0x0c, 0, 0x0b, 0x0b);
  }

  count(turns: number, scalar: number, wide: number): void {
    this.push({ local: turns });
    this.push({ value: 1 });
    if (this.isSimd) this.simd(wide);
    else this.op(scalar);
    this.store(turns);
  }

  get #size(): number {
    return this.isSimd ? 16 : 4;
  }

  /** A program whose turns need more than the tape traps, and is refused. */
  keep(saved: readonly number[]): void {
    if (saved.length === 0) return;
    saved.forEach((local, i) => {
      this.get(SP);
      this.push({ local });
      const at = unsigned(i * this.#size);
      if (this.isSimd) this.simd(11, 4, ...at);
      else this.op(0x38, 2, ...at);
    });
    this.move(saved.length * this.#size);
  }

  move(bytes: number): void {
    this.get(SP);
    this.op(0x41, ...signed(bytes), 0x6a, 0x21, SP);
  }

  back({ turns, saved, body }: Statement & { kind: "back" }, keeps: boolean): void {
    this.op(0x02, EMPTY, 0x03, EMPTY);
    this.pushScalar({ local: turns });
    this.op(0x43, ...f32Bytes(0), 0x5e, 0x45, 0x0d, 1);
    if (saved.length > 0) this.move(-saved.length * this.#size);
    saved.forEach((local, i) => {
      this.get(SP);
      const at = unsigned(i * this.#size);
      if (this.isSimd) this.simd(0, 4, ...at);
      else this.op(0x2a, 2, ...at);
      this.store(local);
    });
    this.block(body, keeps);
    this.count(turns, 0x93, 229);
    this.op(0x0c, 0, 0x0b, 0x0b);
  }

  /** A lane's number at an address. */
  read(place: number, local: number): void {
    this.get(AT);
    if (this.isSimd) this.simd(0, 2, ...unsigned(place));
    else this.op(0x2a, 2, ...unsigned(place));
    this.store(local);
  }

  write(place: number, operand: Operand): void {
    this.get(AT);
    this.push(operand);
    if (this.isSimd) this.simd(11, 2, ...unsigned(place));
    else this.op(0x38, 2, ...unsigned(place));
  }
}

function bodyOf(staged: Staged, options: WasmOptions, places: Places): number[] {
  const { order, wrt, isSimd } = options;
  const emitter = new Emitter(staged, places, isSimd);
  const isForward = wrt.length === 0;
  emitter.op(0x41, 0, 0x21, AT);
  emitter.op(0x02, EMPTY, 0x03, EMPTY);
  emitter.get(AT);
  emitter.get(LANES);
  emitter.op(0x41, 2, 0x74, 0x4f, 0x0d, 1);
  emitter.op(0x41, ...signed(places.tape), 0x21, SP);
  order.forEach((name, i) => {
    const local = staged.inputs.get(name);
    if (local !== undefined) emitter.read(places.inputs[i] as number, local);
  });
  emitter.block(staged.forward, !isForward);
  emitter.write(places.outputs[0] as number, staged.result);
  if (!isForward) {
    emitter.push({ value: 1 });
    emitter.store(staged.seed);
    emitter.block(staged.backward, true);
    wrt.forEach((name, i) => {
      const local = staged.gradients.get(name);
      const operand = local === undefined ? { value: 0 } : { local };
      emitter.write(places.outputs[i + 1] as number, operand);
    });
  }
  emitter.get(AT);
  emitter.op(0x41, isSimd ? 16 : 4, 0x6a, 0x21, AT, 0x0c, 0, 0x0b, 0x0b, 0x0b);
  const kinds = [
    [...unsigned(2), I32],
    [...unsigned(staged.locals), isSimd ? V128 : F32],
  ];
  return [...vector(kinds), ...emitter.code];
}

export function moduleBytes(
  staged: Staged,
  options: WasmOptions,
  places: Places,
): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil(places.bytes / 65536);
  const body = bodyOf(staged, options, places);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      vector([
        [0x60, 1, F32, 1, F32],
        [0x60, 1, I32, 0],
      ]),
    ),
    ...section(2, vector(IMPORTED.map((name) => [...string("m"), ...string(name), 0, 0]))),
    ...section(3, vector([[1]])),
    ...section(5, vector([[0, ...unsigned(pages)]])),
    ...section(
      7,
      vector([
        [...string("run"), 0, ...unsigned(IMPORTED.length)],
        [...string("memory"), 2, 0],
      ]),
    ),
    ...section(10, vector([[...unsigned(body.length), ...body]])),
    ...(options.salt === undefined
      ? []
      : section(0, [...string("salt"), ...unsigned(options.salt)])),
  ]);
}

export interface WasmProgram {
  readonly inputs: readonly Float32Array[];
  readonly outputs: readonly Float32Array[];
  run(lanes: number): void;
}

const imports = { m: { exp: Math.exp, log: Math.log, sin: Math.sin, cos: Math.cos } };

export function instantiate(staged: Staged, options: WasmOptions): WasmProgram {
  const places = placesOf(options);
  const module = new WebAssembly.Module(moduleBytes(staged, options, places));
  const { exports } = new WebAssembly.Instance(module, imports);
  const { buffer } = exports["memory"] as WebAssembly.Memory;
  const view = (at: number) => new Float32Array(buffer, at, options.lanesMost);
  for (const [name, data] of options.arrays)
    new Float32Array(buffer, places.arrays.get(name) as number, data.length).set(data);
  return {
    inputs: places.inputs.map(view),
    outputs: places.outputs.map(view),
    run: exports["run"] as (lanes: number) => void,
  };
}
