/**
 * The public types of the machine: options, inputs, results. What a caller can hold and pass.
 */

import type { NdvmError, Span } from "../errors.js";
import type { ByteBudget } from "./results/byte-budget.js";

export type Precision = "f32" | "f64";
/** What `sqrt` and `log` do outside their domain: NaN as IEEE says, or clamp as the paper does. */
export type Domain = "ieee" | "clamp";

/** Scheme, or the instructions of the stack machine. */
export type Language = "scheme" | "bytecode";

/**
 * Run-time mechanisms that can be turned off, to show what each is worth. Results have the same
 * bits either way.
 */
export interface Mechanisms {
  /** Kept traces run again for new inputs. Counter: replays. */
  readonly replay?: boolean;
  /** Populations stream through chunks sized to the cache. Counter: chunkWidth. */
  readonly chunks?: boolean;
  /** Procedures that are only looped reuse their frame. Counter: heapObjects, steps. */
  readonly loops?: boolean;
  /** Unrolled kernels for small matrices. Counter: smallShapeCalls, of those for 2 × 2. */
  readonly smallShapes?: boolean;
  /**
   * Kernels for several records of 2 × 2 matrices at once, and operations on tensors that a trace
   * repeats run once. Counter: fusedCalls.
   */
  readonly fusing?: boolean;
  /** Lanes that few others go with run by themselves. Counter: sortings. */
  readonly sorting?: boolean;
  /**
   * Traces of one lane are found by what they decide, and programs whose paths never come again stop
   * recording them. Counter: replays, traces.
   */
  readonly paths?: boolean;
  /** Places of adjoints are used again. Counter: adjointBytes. */
  readonly adjointReuse?: boolean;
  /** Small integers that meet a real number, and identity matrices, are stored once. Counter: integerPoolHits. */
  readonly integerPool?: boolean;
}

/** A URL, a path relative to the page or the working directory, or the bytes themselves. */
export type WasmSource = URL | string | ArrayBuffer | Uint8Array;

export interface MachineOptions {
  /** All on by default. */
  readonly mechanisms?: Mechanisms;
  /** Default "f64". */
  readonly precision?: Precision;
  /** Most bytes of WebAssembly memory this machine may take. Default 1 GiB. */
  readonly memoryMax?: number;
  /** Milliseconds by which `timeMax` is counted, such as those of the processor. Default `performance.now`. */
  readonly clock?: () => number;
  /**
   * The machine's code, where it cannot be found by itself, as in a page that a bundler made: the
   * bytes of `@ndvm/core/ndvm-f64.wasm` (or `ndvm-f32.wasm`), or where they are.
   */
  readonly wasm?: WasmSource;
}

export interface LoadOptions {
  /** Names to treat as inputs even where a primitive has the same name (a column called `scale`). */
  readonly inputs?: readonly string[];
  /** Shown in error messages. */
  readonly file?: string;
  /** Default "ieee". */
  readonly domain?: Domain;
  /** What the text is written in. Default "scheme". */
  readonly language?: Language;
}

/** A vector or matrix input, made by `vec` or `mat`; row-major. */
export interface TensorInput {
  readonly kind: "tensor";
  readonly rank: 1 | 2;
  readonly rows: number;
  readonly cols: number;
  readonly data: Float64Array | Float32Array;
}
/** A structural integer, made by `int`: a step count or size, the same in every lane. */
export interface IntInput {
  readonly kind: "int";
  readonly value: number;
}

/** An input that varies along named axes, made by `over`; row-major. */
export interface OverInput {
  readonly kind: "over";
  readonly axes: readonly string[];
  readonly values: readonly number[] | Float64Array | Float32Array | readonly TensorInput[];
  readonly sizes: Readonly<Record<string, number>> | undefined;
}

/** A named axis of a batch. Lanes are the product of all axes; the last one changes fastest. */
export interface Axis {
  readonly name: string;
  readonly size: number;
}
/** An index along each axis. Axes of size 1 may be left out. */
export type AxisIndices = Readonly<Record<string, number>>;

/** Numbers row-major over axes, with as many elements at each place as there are. */
export interface OverAxes {
  readonly axes: readonly Axis[];
  readonly values: Float64Array;
}

/**
 * A number, vector or matrix is shared by all lanes; an array or typed array is one value per lane
 * (an array of `vec`s or `mat`s for tensors, all of one shape).
 */
export type Input =
  | number
  | Float64Array
  | Float32Array
  | readonly number[]
  | TensorInput
  | readonly TensorInput[]
  | IntInput
  | OverInput;
export type Inputs = Readonly<Record<string, Input>>;

export interface RunOptions {
  /** Most evaluation steps of the walk. Default 1e9. */
  readonly stepsMax?: number;
  /** Most bytes of tape, payloads and adjoints of one run. Default: the machine's memoryMax. */
  readonly tapeBytesMax?: number;
  /** Most milliseconds of wall-clock. Default: none. */
  readonly timeMax?: number;
  /** Lanes the machine works on at once. Default: what fits the cache. */
  readonly chunk?: number;
  /** Whether kept traces are run again for new inputs. Default true. */
  readonly replay?: boolean;
  /** Lane count, needed only where no input says it. Default 1. */
  readonly lanes?: number;
}

export interface AsyncRunOptions extends RunOptions {
  /** Ends the walk while it runs. */
  readonly signal?: AbortSignal;
}

/** Output adjoints: one number for all lanes and elements, or one per lane and element. */
export type Seed = number | Float64Array | Float32Array | readonly number[];

export interface GradientOptions<Name extends string = string> extends RunOptions {
  /** The inputs to differentiate by. Default: every number, vector and matrix input. */
  readonly wrt?: readonly Name[];
  readonly seed?: Seed;
  /**
   * Sums the gradient of each input, or of those listed, over the axes it does not have. Default:
   * gradients stay per lane.
   */
  readonly reduce?: boolean | readonly string[];
}

/** Memory that several reports share: `program.reportBudget()`. */
export type ReportBudget = ByteBudget;

/** Of `explain` and `diagnose`. */
export interface ReportOptions<Name extends string = string> extends GradientOptions<Name> {
  /** What it tells is charged to this. Default: a budget of its own. */
  readonly report?: ReportBudget;
}

export interface AsyncGradientOptions<Name extends string = string> extends GradientOptions<Name> {
  readonly signal?: AbortSignal;
}

/** Plain JavaScript value of any datum: () is [], an improper list is { list, tail }. */
export type DatumValue =
  | number
  | boolean
  | symbol
  | string
  | null
  | Float64Array
  | readonly DatumValue[]
  | { readonly [key: string]: DatumValue };

/** Counters of one run. */
export interface RunStats {
  readonly lanes: number;
  /** Cells the walks evaluated. */
  readonly steps: number;
  /** Walks, and chunks that ran on a kept trace instead. */
  readonly walks: number;
  readonly replays: number;
  /** Guards that sent lanes back to a walk. */
  readonly guardFailures: number;
  /** Branches that ran both sides, and numbers merged after them. */
  readonly divergentBranches: number;
  readonly merges: number;
  /** Times lanes parted because structure cannot be merged. */
  readonly buckets: number;
  /** Walks that sorted lanes by path, because few went another way than the others. */
  readonly sortings: number;
  /** Kernel calls that took an unrolled form, and integers and identity matrices found in the pool. */
  readonly smallShapeCalls: number;
  readonly integerPoolHits: number;
  /** Calls of kernels for linked records of 2 × 2 matrices, many for several at once. */
  readonly fusedCalls: number;
  /** Traces the program keeps after the run. */
  readonly traces: number;
  /** Widest chunk walked. */
  readonly chunkWidth: number;
  /** Of the latest walk: payloads made, and how many of them are uniform (stored once for all lanes). */
  readonly payloads: number;
  readonly uniformPayloads: number;
  /** Payloads that have an adjoint. */
  readonly activePayloads: number;
  /** Records of operations that a differentiated input reaches. */
  readonly tapeRecords: number;
  /** All records that were kept for replay: those, operations without a gradient, and guards. */
  readonly traceRecords: number;
  /** Pairs, closures and boxes made. */
  readonly heapObjects: number;
  /** Bytes in use at the end of the run. */
  readonly primalBytes: number;
  readonly adjointBytes: number;
  readonly tapeBytes: number;
  readonly heapBytes: number;
  /** Times the arenas were compacted (only where nothing is recorded). */
  readonly compactions: number;
  /** Bytes of WebAssembly memory the machine holds. */
  readonly memoryBytes: number;
}

/** A lane whose result is not finite, with the first cell that made it so. */
export interface NonFinite {
  readonly lane: number;
  readonly value: number;
  readonly span: Span | undefined;
  /** What made it so, without the lane; empty where that is not known. */
  readonly cause: string;
  readonly message: string;
}

export interface LaneFailure {
  readonly lane: number;
  readonly error: NdvmError;
}

export interface Evaluation {
  readonly lanes: number;
  /** What the lanes are: the product of these axes, row-major. Empty where nothing varies. */
  readonly axes: readonly Axis[];
  /** The lane at an index along each axis. */
  lane(place: AxisIndices): number;
  /** The result at an index along each axis, as `datum` gives it. */
  at(place: AxisIndices): DatumValue;
  /** [] number, [n] vector, [r, c] matrix; undefined where the result is not numeric. */
  readonly shape: readonly number[] | undefined;
  /** One number per lane, or lane after lane of row-major elements. */
  readonly values: Float64Array;
  /** The result in one lane as a JavaScript value, whatever it is. */
  datum(lane?: number): DatumValue;
  /** The result in one lane as Scheme text that reads back. */
  print(lane?: number): string;
  readonly failures: readonly LaneFailure[];
  readonly nonFinite: readonly NonFinite[];
  readonly stats: RunStats;
}

/** Gradients as the option `reduce` leaves them. */
export interface Reduced {
  readonly gradients: Readonly<Record<string, Float64Array>>;
  /** The axes each gradient has: its input's own where it was summed, else those of the run. */
  readonly gradientAxes: Readonly<Record<string, readonly Axis[]>>;
  /** Of each summed gradient: lanes that failed or are NaN. Their sums are NaN. */
  readonly nanLanes: Readonly<Record<string, number>>;
}

/** `Name` is one of the names given as `wrt`, so that each of them is known to be there. */
export interface GradientResult<Name extends string = string> extends Evaluation {
  /**
   * Per lane, or summed where `reduce` says so; for a vector or matrix input lane after lane of
   * row-major elements.
   */
  readonly gradients: Readonly<Record<Name, Float64Array>>;
  /** What `reduce` did. Undefined without it. */
  readonly reduced: Reduced | undefined;
  /** Inputs asked for that reach the result through predicates only, or not at all. */
  readonly inactive: readonly string[];
}

export interface JacobianResult<Name extends string = string> extends Evaluation {
  /** For each input: lane after lane of output elements × input elements, row-major. */
  readonly jacobians: Readonly<Record<Name, Float64Array>>;
}
