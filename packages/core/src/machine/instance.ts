/**
 * The WebAssembly instance: where the two .wasm files are found, and what they export.
 */

import { NdvmError } from "../errors.js";
import type { Precision, WasmSource } from "./types.js";

/** Numbers cross the boundary as they are; a boolean would be converted, which takes longer. */
type Truth = 0 | 1;

/** What the machine exports (wasm/index.ts). Addresses are bytes of linear memory. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  allocate(bytes: number): number;
  free(address: number): void;
  memoryBytes(): number;
  beginSwitchCounters(): void;
  switchCount(which: number): number;
  laneCount(which: number): number;
  guardFailures(): number;
  setMemoryMax(bytes: number): void;
  setSwitches(
    smallShapes: boolean,
    fusing: boolean,
    adjointReuse: boolean,
    integerPool: boolean,
  ): void;
  begin(
    program: number,
    lanes: number,
    recordingLevel: number,
    recordedBytesMax: number,
    isOptional: Truth,
    stepsMax: number,
  ): number;
  bindNumbers(
    index: number,
    rank: number,
    rows: number,
    cols: number,
    uniform: Truth,
    active: Truth,
  ): number;
  bindInteger(index: number, value: number): void;
  bound(): void;
  beginSlice(steps: number): void;
  watchClock(perSlice: number, together: number): void;
  timesTooWide(): number;
  allPassedBudget(): number;
  exhaustedLanes(to: number): number;
  countingLanes(): number;
  writeCounting(to: number): void;
  writeLive(to: number, count: number): void;
  writeRefused(to: number, lanes: number): number;
  allowStrays(lanes: number): void;
  strayLanes(): number;
  beginSurvey(): void;
  endSurvey(): number;
  abandon(): number;
  skipDead(): void;
  recordingLevel(): number;
  link(result: number): number;
  hasMerges(): number;
  isReached(id: number, hasMerges: boolean): number;
  replay(lanes: number): number;
  resumeAt(record: number, bytes: number): void;
  sharedPrimals(other: number, record: number): number;
  replayGradient(lanes: number, value: number, result: number, hasMerges: Truth): number;
  fitRounds(fit: number, most: number): number;
  fitBegin(fit: number): void;
  fitAdd(fit: number, slot: number): void;
  fitTake(fit: number): void;
  fitSum(fit: number): void;
  keepTrace(): number;
  parkTrace(walk: number): number;
  switchTrace(from: number, to: number): void;
  freeTrace(trace: number, walk: number, current: number): void;
  stepsTaken(): number;
  walk(): number;
  walkSlice(steps: number, isDifferentiated: Truth, isKept: Truth): number;
  endWalk(isDifferentiated: Truth, isKept: Truth): number;
  singlePlace(): number;
  walkSingle(
    program: number,
    recordingLevel: number,
    recordedBytesMax: number,
    isOptional: Truth,
    stepsMax: number,
    steps: number,
    count: number,
    wanted: number,
    shared: number,
    isKept: Truth,
  ): number;
  resultTag(): number;
  resultData(): number;
  runBytes(): number;
  primalAddress(id: number): number;
  entryAddress(id: number): number;
  adjointAddress(id: number): number;
  beginBackward(): number;
  reserveBackward(hasMerges: boolean): number;
  backward(result: number, hasMerges: boolean): number;
  payloads(): number;
  tapeEnd(): number;
  controlEnd(): number;
  bytesUsed(which: number): number;
  firstNonFinite(lane: number, result: number, constants: number): number;
  releaseMemory(): void;
  runningNode(): number;
  firstCounting(): number;
  readonly forsakenAt: WebAssembly.Global<"i32">;
  readonly walkState: WebAssembly.Global<"i32">;
  readonly beganFresh: WebAssembly.Global<"i32">;
  readonly laneBuffer: WebAssembly.Global<"i32">;
  readonly faultCode: WebAssembly.Global<"i32">;
  readonly faultValue: WebAssembly.Global<"i64">;
  readonly faultOther: WebAssembly.Global<"i64">;
  readonly faultOperand: WebAssembly.Global<"i32">;
  readonly faultOtherOperand: WebAssembly.Global<"i32">;
  readonly faultDetail: WebAssembly.Global<"i32">;
  readonly faultOp: WebAssembly.Global<"i32">;
  readonly currentNode: WebAssembly.Global<"i32">;
  readonly activeRecords: WebAssembly.Global<"i32">;
  readonly payloadsMade: WebAssembly.Global<"f64">;
  readonly uniformMade: WebAssembly.Global<"f64">;
  readonly activeMade: WebAssembly.Global<"f64">;
  readonly objectsMade: WebAssembly.Global<"f64">;
  readonly compactions: WebAssembly.Global<"i32">;
  readonly payloadsBlamed: WebAssembly.Global<"f64">;
  readonly smallShapeCalls: WebAssembly.Global<"f64">;
  readonly integerPoolHits: WebAssembly.Global<"f64">;
  readonly heapBase: WebAssembly.Global<"i32">;
  readonly controlBase: WebAssembly.Global<"i32">;
  readonly primalBase: WebAssembly.Global<"i32">;
  readonly tapeBase: WebAssembly.Global<"i32">;
}

const compiled = new Map<Precision, Promise<WebAssembly.Module>>();

/** Code that the caller gives, as bytes or by its place. */
export async function givenModule(wasm: WasmSource): Promise<WebAssembly.Module> {
  const bytes = typeof wasm === "string" || wasm instanceof URL ? await readFrom(wasm) : wasm;
  try {
    return await WebAssembly.compile(bytes as BufferSource);
  } catch {
    throw foreignCode("it is not WebAssembly");
  }
}

/** The error for code that is not this machine's. */
export const foreignCode = (why: string): NdvmError =>
  new NdvmError("E-OPTION", `the code given as wasm is not the machine's: ${why}`, {
    help: "give the bytes or the place of @ndvm/core/ndvm-f64.wasm, or of ndvm-f32.wasm for f32",
    facts: { reason: "wasm", option: "wasm" },
  });

/** The machine's code, compiled once per process and precision: it is the same for everybody. */
export function machineModule(precision: Precision): Promise<WebAssembly.Module> {
  let module = compiled.get(precision);
  if (module === undefined) {
    module = readCode(precision).then((bytes) => WebAssembly.compile(bytes));
    module.catch(() => compiled.delete(precision));
    compiled.set(precision, module);
  }
  return module;
}

export function instantiate(module: WebAssembly.Module): Exports {
  const instance = new WebAssembly.Instance(module, {
    env: {
      abort: () => {
        throw new Error("the machine aborted");
      },
    },
  });
  return instance.exports as unknown as Exports;
}

async function readCode(precision: Precision): Promise<Uint8Array<ArrayBuffer>> {
  const url =
    precision === "f32"
      ? new URL("../../build/ndvm-f32.wasm", import.meta.url)
      : new URL("../../build/ndvm-f64.wasm", import.meta.url);
  return readFrom(url);
}

/** A URL, or a path relative to the page or, where there is none, to the working directory. */
async function readFrom(place: URL | string): Promise<Uint8Array<ArrayBuffer>> {
  const page = globalThis.location?.href;
  const isPath = typeof place === "string" && page === undefined && !URL.canParse(place);
  if (isPath) return readFile(place);
  const url = new URL(place, page);
  if (url.protocol === "file:") return readFile(url);
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw missing(url, (error as Error).message);
  }
  if (!response.ok) throw missing(url, `status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

interface FileSystem {
  readFileSync(place: URL | string): Uint8Array<ArrayBuffer>;
}

interface NodeProcess {
  getBuiltinModule?(name: string): FileSystem | undefined;
}

/**
 * Node's file system. A process that has started has `node:fs` already; to load `node:fs/promises`
 * takes longer than to compile the machine.
 */
async function fileSystem(): Promise<FileSystem> {
  // A name the bundlers of web pages do not follow.
  const name = "node:fs";
  const { process } = globalThis as { readonly process?: NodeProcess };
  return (
    process?.getBuiltinModule?.(name) ?? ((await import(/* @vite-ignore */ name)) as FileSystem)
  );
}

async function readFile(url: URL | string): Promise<Uint8Array<ArrayBuffer>> {
  const files = await fileSystem();
  try {
    return files.readFileSync(url);
  } catch (error) {
    throw missing(url, (error as Error).message);
  }
}

const missing = (url: URL | string, why: string): NdvmError =>
  new NdvmError("E-FILE", `the machine's code could not be read from ${url}: ${why}`, {
    help:
      "it belongs to the package @ndvm/core: in a page made by a bundler, pass its bytes or its " +
      "URL as `wasm`; in a clone of the project run `npm run build`",
    facts: { reason: "wasm" },
  });
