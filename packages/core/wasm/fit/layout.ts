/**
 * The structures of a fit, for asc.
 * Generated from src/layouts by `npm run gen`; do not edit.
 */

/** A fit: sizes, settings, and where its arrays lie. */
@unmanaged
export class FitBlock {
  /** restarts that advance together */
  slots: i32;
  /** rows of the data; 1 where the value is the loss */
  points: i32;
  /** parameters */
  params: i32;
  /** the program's inputs that parameters are bound to */
  inputs: i32;
  /** columns of the data */
  columns: i32;
  /** slots · points, or slots where nothing varies by row */
  lanes: i32;
  /** lanes of a chunk */
  width: i32;
  /** payload of the program's value */
  result: i32;
  /** 1: the trace merges lanes */
  hasMerges: i32;
  /** `FIT_ADAM`, … */
  optimiser: i32;
  /** `FIT_OBJECTIVE`, … */
  loss: i32;
  /** most steps of a slot */
  steps: i32;
  /** rounds end when fewer slots than that go on */
  runningLeast: i32;
  /** written: rounds that were taken */
  rounds: i32;
  /** bytes of the state of a slot */
  stateBytes: u32;
  /** bytes of the sums of a slot */
  sumsBytes: u32;
  /** most rows of the Jacobian that are reflected at once */
  blockRows: i32;
  /** i32 payload ids: inputs, then columns */
  idsAt: u32;
  /** a `FitPart` for every parameter */
  partsAt: u32;
  /** i32 by row; 0: no parameter has a group */
  rowGroupsAt: u32;
  /** a `ParameterMap` for every parameter */
  mapsAt: u32;
  /** f64 by row */
  targetAt: u32;
  /** f64 by row: square roots of weights; 0: all are 1 */
  rootsAt: u32;
  /** f64 by row; 0: all are 1 */
  trialsAt: u32;
  /** reals, column after column of `points` */
  columnsAt: u32;
  /** a state for every slot */
  statesAt: u32;
  /** by slot, what its evaluation came to: `SquareSums` or partial sums */
  sumsAt: u32;
  /** f64 by row: the loss by the prediction */
  slopesAt: u32;
  /** reals by row: one lane's number for all rows */
  repeatedAt: u32;
  /** rows of the Jacobian */
  blockAt: u32;
  /** working space of a damped step */
  workAt: u32;
  /** reals by lane: values, then slopes by each input; 0: payloads */
  givenAt: u32;
  /** reals by row: losses, then their slopes */
  pointLossesAt: u32;
  /** whether all rows of a slot have one lane */
  isRepeated: i32;
  /** settings of Adam: its rate */
  rate: f64;
  /** what the first average keeps */
  beta1: f64;
  /** what the second average keeps */
  beta2: f64;
  /** least size that a gradient is divided by */
  epsilon: f64;
  /** gradients are divided by it */
  divisor: f64;
  /** of Huber's loss */
  lossWidth: f64;
  /** when the other optimisers have arrived: by the gradient */
  gradientLimit: f64;
  /** by the step */
  stepLimit: f64;
  /** by the fall of the loss */
  lossLimit: f64;
  /** the size of residuals that lm damps as if it were 1 */
  unit: f64;
  /** lanes of a slot, of all chunks: points, or 1 */
  slotLanes: i32;
}
if (offsetof<FitBlock>() != 220) ERROR("FitBlock is not as it was declared");

// @ts-ignore: decorator
@inline export function fitAt(address: usize): FitBlock {
  return changetype<FitBlock>(address);
}

/** Where the numbers of a parameter lie. */
@unmanaged
export class FitPart {
  /** the input that it is bound to */
  input: i32;
  /** the group of rows that it is for, −1: all of them */
  group: i32;
  /** address of the input's numbers; found by the machine, as the rest */
  primal: usize;
  /** whether that is one number for all lanes */
  isUniform: i32;
  /** address of the value's derivatives by lane of the chunk */
  slopes: usize;
}
if (offsetof<FitPart>() != 20) ERROR("FitPart is not as it was declared");

// @ts-ignore: decorator
@inline export function partAt(address: usize): FitPart {
  return changetype<FitPart>(address);
}

/** How a parameter moves (`fit/parameters/transforms.ts`). */
@unmanaged
export class ParameterMap {
  /** `MAP_FREE`, … */
  kind: f64;
  /** lower bound, upper bound, or middle */
  a: f64;
  /** s, or half of the width */
  b: f64;
  /** lower limit of `MAP_BETWEEN` */
  lower: f64;
  /** its upper limit */
  upper: f64;
  /** 1 where the logarithm of the parameter moves */
  isLog: f64;
  /** lower limit of such a parameter */
  logLower: f64;
  /** its upper limit */
  logUpper: f64;
}
if (offsetof<ParameterMap>() != 64) ERROR("ParameterMap is not as it was declared");

// @ts-ignore: decorator
@inline export function mapAt(address: usize): ParameterMap {
  return changetype<ParameterMap>(address);
}

/** The state of a slot. Arrays of one number for every parameter follow (`ARRAY_*`). */
@unmanaged
export class SlotState {
  /** loss of the best point */
  loss: f64;
  /** steps that were taken */
  steps: f64;
  /** evaluations that they took */
  evaluations: f64;
  /** why it ended: `REASON_*` */
  reason: f64;
}
if (offsetof<SlotState>() != 32) ERROR("SlotState is not as it was declared");

// @ts-ignore: decorator
@inline export function stateAt(address: usize): SlotState {
  return changetype<SlotState>(address);
}

/** What Adam adds to the state. */
@unmanaged
export class AdamState extends SlotState {
  /** beta1 to the power of the steps */
  power1: f64;
  /** beta2 to that power */
  power2: f64;
}
if (offsetof<AdamState>() != 48) ERROR("AdamState is not as it was declared");

// @ts-ignore: decorator
@inline export function adamAt(address: usize): AdamState {
  return changetype<AdamState>(address);
}

/** What Levenberg and Marquardt's method adds. */
@unmanaged
export class LevenbergState extends SlotState {
  /** how far steps may go */
  radius: f64;
  /** what the radius is divided by after a bad step */
  shrink: f64;
  /** half the fall of the loss that the step promises */
  predicted: f64;
  /** good steps in a row that were taken back */
  vetoes: f64;
  /** 1 after the first evaluation */
  hasBegun: f64;
}
if (offsetof<LevenbergState>() != 72) ERROR("LevenbergState is not as it was declared");

// @ts-ignore: decorator
@inline export function levenbergAt(address: usize): LevenbergState {
  return changetype<LevenbergState>(address);
}

/** A place on a line. */
@unmanaged
export class LinePlace {
  /** how far along */
  distance: f64;
  /** loss there */
  value: f64;
  /** and slope */
  slope: f64;
}
if (offsetof<LinePlace>() != 24) ERROR("LinePlace is not as it was declared");

// @ts-ignore: decorator
@inline export function lineAt(address: usize): LinePlace {
  return changetype<LinePlace>(address);
}

/** What L-BFGS adds. */
@unmanaged
export class LbfgsState extends SlotState {
  /** the oldest pair of the ring */
  firstPair: f64;
  /** how many there are */
  pairs: f64;
  /** slope at the start of the line */
  lineSlope: f64;
  /** how far along the line the trial is */
  distance: f64;
  /** 1 after the first evaluation */
  hasBegun: f64;
  /** the better end of the bracket */
  low0: f64;
  low1: f64;
  low2: f64;
  /** its other end; distance NaN: none yet */
  high0: f64;
  high1: f64;
  high2: f64;
  /** trials on the line */
  trials: f64;
  /** what the line could still lower the loss by */
  promise: f64;
  /** how far away that is, beside the parameters' size */
  nearness: f64;
  @inline lowAt(): usize {
    return changetype<usize>(this) + 72;
  }
  @inline highAt(): usize {
    return changetype<usize>(this) + 96;
  }
}
if (offsetof<LbfgsState>() != 144) ERROR("LbfgsState is not as it was declared");

// @ts-ignore: decorator
@inline export function lbfgsAt(address: usize): LbfgsState {
  return changetype<LbfgsState>(address);
}

/** What an evaluation by least squares comes to. The factor of the Jacobian follows. */
@unmanaged
export class SquareSums {
  /** sum of squares */
  loss: f64;
  /** that of the rows that are not reflected yet */
  part: f64;
}
if (offsetof<SquareSums>() != 16) ERROR("SquareSums is not as it was declared");

// @ts-ignore: decorator
@inline export function sumsAt(address: usize): SquareSums {
  return changetype<SquareSums>(address);
}
