/**
 * The machine: one WebAssembly instance with its memory, and the programs loaded into it.
 *
 * Machines share nothing. A machine runs one program at a time; its memory grows on demand up to
 * `memoryMax` and is given back when the machine is disposed.
 */

import { NdvmError } from "../errors.js";
import { checkNames, namesOf } from "../option-names.js";
import type { Image, ParsedProgram } from "../program/parsed-program.js";
import { ImageHeader } from "../program/structures.js";
import { makeError } from "../words.js";
import { Reals, Views } from "./inputs/inputs.js";
import { type Exports, foreignCode, givenModule, instantiate, machineModule } from "./instance.js";
import { readProgram } from "./languages.js";
import { badOption, checkLoadNames, describe } from "./options.js";
import type { Pool, PoolOptions } from "./pool/pool.js";
import { Program } from "./program.js";
import { type CacheShare, OWN_CACHE } from "./run/cache.js";
import { TraceSlots } from "./run/traces.js";
import { MEMORY_MAX } from "./text-room.js";
import type { LoadOptions, MachineOptions, Mechanisms, Precision, WasmSource } from "./types.js";

const MEMORY_MOST = 2 ** 32 - 65536;
const MEMORY_LEAST = 4 * 2 ** 20;
const WORD_BYTES = 4;
/** ErrorFacts of a machine whose memory is taken by what it holds already. */
const ROOM = { reason: "room", option: "memoryMax" } as const;

/** Integers beyond these are no longer exact as reals (f32), or leave 32 bits (f64). */
const INTEGER_MAX = { f32: 2 ** 24, f64: 2 ** 31 - 1 } as const;

const MACHINE_NAMES = namesOf<MachineOptions>({
  precision: 1,
  memoryMax: 1,
  mechanisms: 1,
  clock: 1,
  wasm: 1,
});
const MECHANISM_NAMES = namesOf<Mechanisms>({
  replay: 1,
  chunks: 1,
  loops: 1,
  smallShapes: 1,
  fusing: 1,
  sorting: 1,
  paths: 1,
  adjointReuse: 1,
  integerPool: 1,
});

export class Machine {
  readonly precision: Precision;
  readonly memoryMax: number;
  readonly mechanisms: Mechanisms;
  /** What `timeMax` is counted by. @internal */
  readonly clock: () => number;
  /** What the widths of chunks are chosen by. @internal */
  cache: CacheShare = OWN_CACHE;
  /** Index of the first double that a single walk exchanges (SINGLE_*). @internal */
  readonly singleAt: number;
  readonly #module: WebAssembly.Module;
  #exports: Exports | undefined;
  #reals: Reals | undefined;
  #views: Views | undefined;
  #traceSlots: TraceSlots | undefined;
  #occupied: Program | undefined;
  #allLanes = new Uint8Array(0);
  #fitBuffer = 0;
  #fitBufferBytes = 0;
  readonly #programs: Program[] = [];

  /** A machine of its own, ready to load programs. */
  static async create(options: MachineOptions = {}): Promise<Machine> {
    const precision = precisionOf(options);
    if (options.wasm !== undefined) return Machine.#fromGiven(options.wasm, precision, options);
    return new Machine(await machineModule(precision), precision, options);
  }

  /** A machine from the caller's code, which must be that of this version and precision. */
  static async #fromGiven(
    wasm: WasmSource,
    precision: Precision,
    options: MachineOptions,
  ): Promise<Machine> {
    const module = await givenModule(wasm);
    const third = precision === "f32" ? Math.fround(1 / 3) : 1 / 3;
    let value: number | undefined;
    let machine: Machine;
    try {
      machine = new Machine(module, precision, options);
      const program = machine.load("(/ 1 x)");
      value = program.evaluate({ x: 3 }).values[0];
      program.dispose();
    } catch (error) {
      if (error instanceof NdvmError && error.code === "E-OPTION") throw error;
      throw foreignCode("it does not run, or belongs to another version");
    }
    if (value !== third) throw foreignCode(`it is not that of precision ${precision}`);
    return machine;
  }

  /** A machine from given code. For tests that plant bugs; `create` is the way for users. */
  static async fromBytes(bytes: BufferSource, options: MachineOptions = {}): Promise<Machine> {
    return Machine.fromModule(await WebAssembly.compile(bytes), options);
  }

  /** A machine from code that is compiled already, as the workers of a pool get it. */
  static fromModule(module: WebAssembly.Module, options: MachineOptions = {}): Machine {
    return new Machine(module, precisionOf(options), options);
  }

  /** Workers, each with a machine like this one, to run large populations on all cores. */
  async pool(options: PoolOptions = {}): Promise<Pool> {
    this.check();
    const { precision, memoryMax, mechanisms } = this;
    const start = { module: this.#module, options: { precision, memoryMax, mechanisms } };
    const { Pool } = await import("./pool/pool.js");
    return Pool.create(start, options);
  }

  private constructor(module: WebAssembly.Module, precision: Precision, options: MachineOptions) {
    this.precision = precision;
    this.memoryMax = checkMemory(options.memoryMax ?? MEMORY_MAX);
    this.clock = checkClock(options.clock ?? clockOnTheWall);
    this.#module = module;
    this.#exports = instantiate(module);
    this.#exports.setMemoryMax(this.memoryMax);
    this.singleAt = this.#exports.singlePlace() / Float64Array.BYTES_PER_ELEMENT;
    this.mechanisms = options.mechanisms ?? {};
    const { smallShapes = true, fusing = true, ...others } = this.mechanisms;
    const { adjointReuse = true, integerPool = true } = others;
    this.#exports.setSwitches(smallShapes, fusing, adjointReuse, integerPool);
    this.#reals = new Reals(this.#exports, precision === "f32" ? 4 : 8);
    this.#views = new Views(this.#exports);
    this.#traceSlots = new TraceSlots(this.#exports);
  }

  /** Assembles, verifies and encodes stack code; the program behaves like any other. */
  loadBytecode(source: string, options: Omit<LoadOptions, "language"> = {}): Program {
    checkLoadNames(options);
    return this.load(source, { ...options, language: "bytecode" });
  }

  /** Reads, expands and encodes a program, and copies it into the machine's memory. */
  load(source: string, options: LoadOptions = {}): Program {
    this.#checkFree();
    if (typeof source !== "string")
      throw new NdvmError("E-SYNTAX", `a program is text, got ${describe(source)}`, {
        help: "pass the program's source as a string",
      });
    checkLoadNames(options);
    try {
      return this.place(readProgram(source, options, this.memoryMax), source, options);
    } catch (error) {
      throw error instanceof NdvmError ? error.in(source, options.file) : error;
    }
  }

  /** Loads a program that has been read from this text. @internal */
  place(parsed: ParsedProgram, source: string, options: LoadOptions): Program {
    try {
      let image = this.encode(parsed, options);
      let address = this.#allocate(image);
      if (address === 0) {
        // What earlier runs left behind goes. The programs are moved, which takes the words.
        this.#checkFree();
        this.clearMemory();
        image = this.encode(parsed, options);
        address = this.#allocate(image);
      }
      if (address === 0)
        throw makeError("E-MEMORY", ROOM, {
          message: "the program does not fit into the memory budget",
        });
      this.writeImage(image, address);
      return new Program(this, parsed, image, address, source, options);
    } catch (error) {
      throw error instanceof NdvmError ? error.in(source, options.file) : error;
    }
  }

  /**
   * A program as this machine reads it. The words are good until the next one is encoded.
   * @internal
   */
  encode(parsed: ParsedProgram, { domain }: LoadOptions): Image {
    return parsed.encode({
      integerMax: INTEGER_MAX[this.precision],
      clamps: domain === "clamp",
      findsLoops: this.mechanisms.loops ?? true,
    });
  }

  #allocate(image: Image): number {
    return this.exports.allocate(new ImageHeader(image, 0).words * WORD_BYTES);
  }

  /** @internal */
  writeImage(image: Image, address: number): void {
    const { words } = image;
    const length = new ImageHeader(image, 0).words;
    const into = this.views.words;
    const first = address / WORD_BYTES;
    // For the few words of most programs a loop is faster than a view to copy from.
    for (let i = 0; i < length; i++) into[first + i] = words[i] as number;
  }

  /**
   * Gives back all that earlier runs left behind, and moves the programs together, so that what
   * fits into memory does not depend on them.
   * @internal
   */
  clearMemory(): void {
    const { exports } = this;
    for (const program of this.#programs) program.clearTraces();
    this.traceSlots.useWalk();
    exports.releaseMemory();
    exports.free(this.#fitBuffer);
    this.#fitBuffer = this.#fitBufferBytes = 0;
    for (const program of this.#programs) exports.free(program.address);
    for (const program of this.#programs) program.moveTo((image) => this.#allocate(image));
  }

  /** Gives the machine's memory back. Its programs are gone with it. */
  dispose(): void {
    this.#exports = undefined;
    this.#reals = undefined;
    this.#views = undefined;
    this.#traceSlots = undefined;
    this.#programs.length = 0;
  }

  /** Throws where the machine has been disposed. @internal */
  check(): void {
    if (this.#exports === undefined)
      throw new NdvmError("E-DISPOSED", "this machine has been disposed", {
        help: "make another one with Machine.create()",
      });
  }

  /** @internal */
  get exports(): Exports {
    this.check();
    return this.#exports as Exports;
  }

  /** @internal */
  get reals(): Reals {
    this.check();
    return this.#reals as Reals;
  }

  /** @internal */
  get views(): Views {
    this.check();
    return this.#views as Views;
  }

  /** @internal */
  get traceSlots(): TraceSlots {
    this.check();
    return this.#traceSlots as TraceSlots;
  }

  /** Begins what a run counts. Throws where an asynchronous evaluation has the machine. @internal */
  beginRun(): void {
    this.check();
    this.#checkFree();
    this.exports.beginSwitchCounters();
  }

  /** Takes the machine for a run that yields; the result ends that. @internal */
  occupy(program: Program): () => void {
    this.#occupied = program;
    return () => {
      this.#occupied = undefined;
    };
  }

  /** Whether an asynchronous evaluation is under way. @internal */
  get isOccupied(): boolean {
    return this.#occupied !== undefined;
  }

  /** Throws where an asynchronous evaluation of that program is under way. @internal */
  checkIdle(program: Program): void {
    if (this.#occupied === program && this.#exports !== undefined) this.#checkFree();
  }

  #checkFree(): void {
    if (this.#occupied !== undefined)
      throw new NdvmError("E-OPTION", "the machine is busy with an asynchronous evaluation", {
        help: "await it first, or use another machine",
      });
  }

  /** A program, so that its traces can go when memory is short. @internal */
  register(program: Program): void {
    program.place = this.#programs.length;
    this.#programs.push(program);
  }

  /** @internal */
  traceCount(): number {
    let count = 0;
    for (const { traceCount } of this.#programs) count += traceCount;
    return count;
  }

  /** Frees a program's image and traces. @internal */
  release(program: Program): void {
    if (this.#exports === undefined) return;
    program.clearTraces();
    this.#exports.free(program.address);
    // The last one takes its place.
    const last = this.#programs.pop() as Program;
    if (last === program) return;
    this.#programs[program.place] = last;
    last.place = program.place;
  }

  /** Address of a number of 32 bits per lane of the widest chunk, to exchange masks. @internal */
  get laneBuffer(): number {
    return (this.exports.laneBuffer.value as number) >>> 0;
  }

  /** As many lanes, one byte each, that all live. Not to be changed. @internal */
  allLanes(count: number): Uint8Array {
    if (this.#allLanes.length !== count) this.#allLanes = new Uint8Array(count).fill(1);
    return this.#allLanes;
  }

  /**
   * Address of room for a fit's numbers, good until the next call or run; 0 where memory is short.
   * @internal
   */
  fitBuffer(bytes: number): number {
    if (bytes > this.#fitBufferBytes) {
      this.exports.free(this.#fitBuffer);
      this.#fitBuffer = this.exports.allocate(bytes);
      this.#fitBufferBytes = this.#fitBuffer === 0 ? 0 : bytes;
    }
    return this.#fitBuffer;
  }

  /** Whether a fit's numbers lie between what runs need. @internal */
  get hasFitBuffer(): boolean {
    return this.#fitBuffer !== 0;
  }
}

/** Refuses what `Machine.create` would refuse, without a machine. */
export function checkMachineOptions(options: MachineOptions): void {
  precisionOf(options);
  checkMemory(options.memoryMax ?? MEMORY_MAX);
}

/** The precision that is asked for, of options whose names are known. */
function precisionOf(options: MachineOptions): Precision {
  checkNames("Machine.create", options, MACHINE_NAMES);
  if (options.mechanisms !== undefined)
    checkNames("mechanisms", options.mechanisms, MECHANISM_NAMES);
  return checkPrecision(options.precision);
}

function checkPrecision(precision: Precision = "f64"): Precision {
  if (precision === "f32" || precision === "f64") return precision;
  throw badOption("precision", '"f32" or "f64"', precision);
}

const clockOnTheWall = (): number => performance.now();

function checkClock(clock: () => number): () => number {
  if (typeof clock === "function") return clock;
  throw badOption("clock", "a function that returns milliseconds", clock);
}

function checkMemory(bytes: number): number {
  if (Number.isInteger(bytes) && bytes >= MEMORY_LEAST && bytes <= MEMORY_MOST) return bytes;
  throw badOption("memoryMax", `whole bytes from ${MEMORY_LEAST} to ${MEMORY_MOST}`, bytes);
}
