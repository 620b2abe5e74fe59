/**
 * Readers and writers of a fit's structures. An object speaks of one address.
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

/** A fit: sizes, settings, and where its arrays lie. */
export class FitBlock {
  readonly #words: Numbers;
  readonly #word: number;
  readonly #doubles: Numbers;
  readonly #double: number;

  constructor(memory: Words & Doubles, at: number) {
    this.#words = memory.words;
    this.#word = at / 4;
    this.#doubles = memory.doubles;
    this.#double = at / 8;
  }

  /** restarts that advance together */
  get slots(): number {
    return this.#words[this.#word + 0] as number;
  }
  set slots(value: number) {
    this.#words[this.#word + 0] = value;
  }

  /** rows of the data; 1 where the value is the loss */
  get points(): number {
    return this.#words[this.#word + 1] as number;
  }
  set points(value: number) {
    this.#words[this.#word + 1] = value;
  }

  /** parameters */
  get params(): number {
    return this.#words[this.#word + 2] as number;
  }
  set params(value: number) {
    this.#words[this.#word + 2] = value;
  }

  /** the program's inputs that parameters are bound to */
  get inputs(): number {
    return this.#words[this.#word + 3] as number;
  }
  set inputs(value: number) {
    this.#words[this.#word + 3] = value;
  }

  /** columns of the data */
  get columns(): number {
    return this.#words[this.#word + 4] as number;
  }
  set columns(value: number) {
    this.#words[this.#word + 4] = value;
  }

  /** slots · points, or slots where nothing varies by row */
  get lanes(): number {
    return this.#words[this.#word + 5] as number;
  }
  set lanes(value: number) {
    this.#words[this.#word + 5] = value;
  }

  /** lanes of a chunk */
  get width(): number {
    return this.#words[this.#word + 6] as number;
  }
  set width(value: number) {
    this.#words[this.#word + 6] = value;
  }

  /** payload of the program's value */
  get result(): number {
    return this.#words[this.#word + 7] as number;
  }
  set result(value: number) {
    this.#words[this.#word + 7] = value;
  }

  /** 1: the trace merges lanes */
  get hasMerges(): number {
    return this.#words[this.#word + 8] as number;
  }
  set hasMerges(value: number) {
    this.#words[this.#word + 8] = value;
  }

  /** `FIT_ADAM`, … */
  get optimiser(): number {
    return this.#words[this.#word + 9] as number;
  }
  set optimiser(value: number) {
    this.#words[this.#word + 9] = value;
  }

  /** `FIT_OBJECTIVE`, … */
  get loss(): number {
    return this.#words[this.#word + 10] as number;
  }
  set loss(value: number) {
    this.#words[this.#word + 10] = value;
  }

  /** most steps of a slot */
  get steps(): number {
    return this.#words[this.#word + 11] as number;
  }
  set steps(value: number) {
    this.#words[this.#word + 11] = value;
  }

  /** rounds end when fewer slots than that go on */
  get runningLeast(): number {
    return this.#words[this.#word + 12] as number;
  }
  set runningLeast(value: number) {
    this.#words[this.#word + 12] = value;
  }

  /** written: rounds that were taken */
  get rounds(): number {
    return this.#words[this.#word + 13] as number;
  }
  set rounds(value: number) {
    this.#words[this.#word + 13] = value;
  }

  /** bytes of the state of a slot */
  get stateBytes(): number {
    return (this.#words[this.#word + 14] as number) >>> 0;
  }
  set stateBytes(value: number) {
    this.#words[this.#word + 14] = value;
  }

  /** bytes of the sums of a slot */
  get sumsBytes(): number {
    return (this.#words[this.#word + 15] as number) >>> 0;
  }
  set sumsBytes(value: number) {
    this.#words[this.#word + 15] = value;
  }

  /** most rows of the Jacobian that are reflected at once */
  get blockRows(): number {
    return this.#words[this.#word + 16] as number;
  }
  set blockRows(value: number) {
    this.#words[this.#word + 16] = value;
  }

  /** i32 payload ids: inputs, then columns */
  get idsAt(): number {
    return (this.#words[this.#word + 17] as number) >>> 0;
  }
  set idsAt(value: number) {
    this.#words[this.#word + 17] = value;
  }

  /** a `FitPart` for every parameter */
  get partsAt(): number {
    return (this.#words[this.#word + 18] as number) >>> 0;
  }
  set partsAt(value: number) {
    this.#words[this.#word + 18] = value;
  }

  /** i32 by row; 0: no parameter has a group */
  get rowGroupsAt(): number {
    return (this.#words[this.#word + 19] as number) >>> 0;
  }
  set rowGroupsAt(value: number) {
    this.#words[this.#word + 19] = value;
  }

  /** a `ParameterMap` for every parameter */
  get mapsAt(): number {
    return (this.#words[this.#word + 20] as number) >>> 0;
  }
  set mapsAt(value: number) {
    this.#words[this.#word + 20] = value;
  }

  /** f64 by row */
  get targetAt(): number {
    return (this.#words[this.#word + 21] as number) >>> 0;
  }
  set targetAt(value: number) {
    this.#words[this.#word + 21] = value;
  }

  /** f64 by row: square roots of weights; 0: all are 1 */
  get rootsAt(): number {
    return (this.#words[this.#word + 22] as number) >>> 0;
  }
  set rootsAt(value: number) {
    this.#words[this.#word + 22] = value;
  }

  /** f64 by row; 0: all are 1 */
  get trialsAt(): number {
    return (this.#words[this.#word + 23] as number) >>> 0;
  }
  set trialsAt(value: number) {
    this.#words[this.#word + 23] = value;
  }

  /** reals, column after column of `points` */
  get columnsAt(): number {
    return (this.#words[this.#word + 24] as number) >>> 0;
  }
  set columnsAt(value: number) {
    this.#words[this.#word + 24] = value;
  }

  /** a state for every slot */
  get statesAt(): number {
    return (this.#words[this.#word + 25] as number) >>> 0;
  }
  set statesAt(value: number) {
    this.#words[this.#word + 25] = value;
  }

  /** by slot, what its evaluation came to: `SquareSums` or partial sums */
  get sumsAt(): number {
    return (this.#words[this.#word + 26] as number) >>> 0;
  }
  set sumsAt(value: number) {
    this.#words[this.#word + 26] = value;
  }

  /** f64 by row: the loss by the prediction */
  get slopesAt(): number {
    return (this.#words[this.#word + 27] as number) >>> 0;
  }
  set slopesAt(value: number) {
    this.#words[this.#word + 27] = value;
  }

  /** reals by row: one lane's number for all rows */
  get repeatedAt(): number {
    return (this.#words[this.#word + 28] as number) >>> 0;
  }
  set repeatedAt(value: number) {
    this.#words[this.#word + 28] = value;
  }

  /** rows of the Jacobian */
  get blockAt(): number {
    return (this.#words[this.#word + 29] as number) >>> 0;
  }
  set blockAt(value: number) {
    this.#words[this.#word + 29] = value;
  }

  /** working space of a damped step */
  get workAt(): number {
    return (this.#words[this.#word + 30] as number) >>> 0;
  }
  set workAt(value: number) {
    this.#words[this.#word + 30] = value;
  }

  /** reals by lane: values, then slopes by each input; 0: payloads */
  get givenAt(): number {
    return (this.#words[this.#word + 31] as number) >>> 0;
  }
  set givenAt(value: number) {
    this.#words[this.#word + 31] = value;
  }

  /** reals by row: losses, then their slopes */
  get pointLossesAt(): number {
    return (this.#words[this.#word + 32] as number) >>> 0;
  }
  set pointLossesAt(value: number) {
    this.#words[this.#word + 32] = value;
  }

  /** whether all rows of a slot have one lane */
  get isRepeated(): number {
    return this.#words[this.#word + 33] as number;
  }
  set isRepeated(value: number) {
    this.#words[this.#word + 33] = value;
  }

  /** settings of Adam: its rate */
  get rate(): number {
    return this.#doubles[this.#double + 17] as number;
  }
  set rate(value: number) {
    this.#doubles[this.#double + 17] = value;
  }

  /** what the first average keeps */
  get beta1(): number {
    return this.#doubles[this.#double + 18] as number;
  }
  set beta1(value: number) {
    this.#doubles[this.#double + 18] = value;
  }

  /** what the second average keeps */
  get beta2(): number {
    return this.#doubles[this.#double + 19] as number;
  }
  set beta2(value: number) {
    this.#doubles[this.#double + 19] = value;
  }

  /** least size that a gradient is divided by */
  get epsilon(): number {
    return this.#doubles[this.#double + 20] as number;
  }
  set epsilon(value: number) {
    this.#doubles[this.#double + 20] = value;
  }

  /** gradients are divided by it */
  get divisor(): number {
    return this.#doubles[this.#double + 21] as number;
  }
  set divisor(value: number) {
    this.#doubles[this.#double + 21] = value;
  }

  /** of Huber's loss */
  get lossWidth(): number {
    return this.#doubles[this.#double + 22] as number;
  }
  set lossWidth(value: number) {
    this.#doubles[this.#double + 22] = value;
  }

  /** when the other optimisers have arrived: by the gradient */
  get gradientLimit(): number {
    return this.#doubles[this.#double + 23] as number;
  }
  set gradientLimit(value: number) {
    this.#doubles[this.#double + 23] = value;
  }

  /** by the step */
  get stepLimit(): number {
    return this.#doubles[this.#double + 24] as number;
  }
  set stepLimit(value: number) {
    this.#doubles[this.#double + 24] = value;
  }

  /** by the fall of the loss */
  get lossLimit(): number {
    return this.#doubles[this.#double + 25] as number;
  }
  set lossLimit(value: number) {
    this.#doubles[this.#double + 25] = value;
  }

  /** the size of residuals that lm damps as if it were 1 */
  get unit(): number {
    return this.#doubles[this.#double + 26] as number;
  }
  set unit(value: number) {
    this.#doubles[this.#double + 26] = value;
  }

  /** lanes of a slot, of all chunks: points, or 1 */
  get slotLanes(): number {
    return this.#words[this.#word + 54] as number;
  }
  set slotLanes(value: number) {
    this.#words[this.#word + 54] = value;
  }
}

/** Where the numbers of a parameter lie. */
export class FitPart {
  readonly #words: Numbers;
  readonly #word: number;

  constructor(memory: Words, at: number) {
    this.#words = memory.words;
    this.#word = at / 4;
  }

  /** the input that it is bound to */
  get input(): number {
    return this.#words[this.#word + 0] as number;
  }
  set input(value: number) {
    this.#words[this.#word + 0] = value;
  }

  /** the group of rows that it is for, −1: all of them */
  get group(): number {
    return this.#words[this.#word + 1] as number;
  }
  set group(value: number) {
    this.#words[this.#word + 1] = value;
  }

  /** address of the input's numbers; found by the machine, as the rest */
  get primal(): number {
    return (this.#words[this.#word + 2] as number) >>> 0;
  }
  set primal(value: number) {
    this.#words[this.#word + 2] = value;
  }

  /** whether that is one number for all lanes */
  get isUniform(): number {
    return this.#words[this.#word + 3] as number;
  }
  set isUniform(value: number) {
    this.#words[this.#word + 3] = value;
  }

  /** address of the value's derivatives by lane of the chunk */
  get slopes(): number {
    return (this.#words[this.#word + 4] as number) >>> 0;
  }
  set slopes(value: number) {
    this.#words[this.#word + 4] = value;
  }
}

/** How a parameter moves (`fit/parameters/transforms.ts`). */
export class ParameterMap {
  readonly #doubles: Numbers;
  readonly #double: number;

  constructor(memory: Doubles, at: number) {
    this.#doubles = memory.doubles;
    this.#double = at / 8;
  }

  /** `MAP_FREE`, … */
  get kind(): number {
    return this.#doubles[this.#double + 0] as number;
  }
  set kind(value: number) {
    this.#doubles[this.#double + 0] = value;
  }

  /** lower bound, upper bound, or middle */
  get a(): number {
    return this.#doubles[this.#double + 1] as number;
  }
  set a(value: number) {
    this.#doubles[this.#double + 1] = value;
  }

  /** s, or half of the width */
  get b(): number {
    return this.#doubles[this.#double + 2] as number;
  }
  set b(value: number) {
    this.#doubles[this.#double + 2] = value;
  }

  /** lower limit of `MAP_BETWEEN` */
  get lower(): number {
    return this.#doubles[this.#double + 3] as number;
  }
  set lower(value: number) {
    this.#doubles[this.#double + 3] = value;
  }

  /** its upper limit */
  get upper(): number {
    return this.#doubles[this.#double + 4] as number;
  }
  set upper(value: number) {
    this.#doubles[this.#double + 4] = value;
  }

  /** 1 where the logarithm of the parameter moves */
  get isLog(): number {
    return this.#doubles[this.#double + 5] as number;
  }
  set isLog(value: number) {
    this.#doubles[this.#double + 5] = value;
  }

  /** lower limit of such a parameter */
  get logLower(): number {
    return this.#doubles[this.#double + 6] as number;
  }
  set logLower(value: number) {
    this.#doubles[this.#double + 6] = value;
  }

  /** its upper limit */
  get logUpper(): number {
    return this.#doubles[this.#double + 7] as number;
  }
  set logUpper(value: number) {
    this.#doubles[this.#double + 7] = value;
  }
}

/** The state of a slot. Arrays of one number for every parameter follow (`ARRAY_*`). */
export class SlotState {
  readonly #doubles: Numbers;
  readonly #double: number;

  constructor(memory: Doubles, at: number) {
    this.#doubles = memory.doubles;
    this.#double = at / 8;
  }

  /** loss of the best point */
  get loss(): number {
    return this.#doubles[this.#double + 0] as number;
  }
  set loss(value: number) {
    this.#doubles[this.#double + 0] = value;
  }

  /** steps that were taken */
  get steps(): number {
    return this.#doubles[this.#double + 1] as number;
  }
  set steps(value: number) {
    this.#doubles[this.#double + 1] = value;
  }

  /** evaluations that they took */
  get evaluations(): number {
    return this.#doubles[this.#double + 2] as number;
  }
  set evaluations(value: number) {
    this.#doubles[this.#double + 2] = value;
  }

  /** why it ended: `REASON_*` */
  get reason(): number {
    return this.#doubles[this.#double + 3] as number;
  }
  set reason(value: number) {
    this.#doubles[this.#double + 3] = value;
  }
}

/** What Adam adds to the state. */
export class AdamState {
  readonly #doubles: Numbers;
  readonly #double: number;

  constructor(memory: Doubles, at: number) {
    this.#doubles = memory.doubles;
    this.#double = at / 8;
  }

  /** loss of the best point */
  get loss(): number {
    return this.#doubles[this.#double + 0] as number;
  }
  set loss(value: number) {
    this.#doubles[this.#double + 0] = value;
  }

  /** steps that were taken */
  get steps(): number {
    return this.#doubles[this.#double + 1] as number;
  }
  set steps(value: number) {
    this.#doubles[this.#double + 1] = value;
  }

  /** evaluations that they took */
  get evaluations(): number {
    return this.#doubles[this.#double + 2] as number;
  }
  set evaluations(value: number) {
    this.#doubles[this.#double + 2] = value;
  }

  /** why it ended: `REASON_*` */
  get reason(): number {
    return this.#doubles[this.#double + 3] as number;
  }
  set reason(value: number) {
    this.#doubles[this.#double + 3] = value;
  }

  /** beta1 to the power of the steps */
  get power1(): number {
    return this.#doubles[this.#double + 4] as number;
  }
  set power1(value: number) {
    this.#doubles[this.#double + 4] = value;
  }

  /** beta2 to that power */
  get power2(): number {
    return this.#doubles[this.#double + 5] as number;
  }
  set power2(value: number) {
    this.#doubles[this.#double + 5] = value;
  }
}

/** What Levenberg and Marquardt's method adds. */
export class LevenbergState {
  readonly #doubles: Numbers;
  readonly #double: number;

  constructor(memory: Doubles, at: number) {
    this.#doubles = memory.doubles;
    this.#double = at / 8;
  }

  /** loss of the best point */
  get loss(): number {
    return this.#doubles[this.#double + 0] as number;
  }
  set loss(value: number) {
    this.#doubles[this.#double + 0] = value;
  }

  /** steps that were taken */
  get steps(): number {
    return this.#doubles[this.#double + 1] as number;
  }
  set steps(value: number) {
    this.#doubles[this.#double + 1] = value;
  }

  /** evaluations that they took */
  get evaluations(): number {
    return this.#doubles[this.#double + 2] as number;
  }
  set evaluations(value: number) {
    this.#doubles[this.#double + 2] = value;
  }

  /** why it ended: `REASON_*` */
  get reason(): number {
    return this.#doubles[this.#double + 3] as number;
  }
  set reason(value: number) {
    this.#doubles[this.#double + 3] = value;
  }

  /** how far steps may go */
  get radius(): number {
    return this.#doubles[this.#double + 4] as number;
  }
  set radius(value: number) {
    this.#doubles[this.#double + 4] = value;
  }

  /** what the radius is divided by after a bad step */
  get shrink(): number {
    return this.#doubles[this.#double + 5] as number;
  }
  set shrink(value: number) {
    this.#doubles[this.#double + 5] = value;
  }

  /** half the fall of the loss that the step promises */
  get predicted(): number {
    return this.#doubles[this.#double + 6] as number;
  }
  set predicted(value: number) {
    this.#doubles[this.#double + 6] = value;
  }

  /** good steps in a row that were taken back */
  get vetoes(): number {
    return this.#doubles[this.#double + 7] as number;
  }
  set vetoes(value: number) {
    this.#doubles[this.#double + 7] = value;
  }

  /** 1 after the first evaluation */
  get hasBegun(): number {
    return this.#doubles[this.#double + 8] as number;
  }
  set hasBegun(value: number) {
    this.#doubles[this.#double + 8] = value;
  }
}

/** What L-BFGS adds. */
export class LbfgsState {
  readonly #doubles: Numbers;
  readonly #double: number;

  constructor(memory: Doubles, at: number) {
    this.#doubles = memory.doubles;
    this.#double = at / 8;
  }

  /** loss of the best point */
  get loss(): number {
    return this.#doubles[this.#double + 0] as number;
  }
  set loss(value: number) {
    this.#doubles[this.#double + 0] = value;
  }

  /** steps that were taken */
  get steps(): number {
    return this.#doubles[this.#double + 1] as number;
  }
  set steps(value: number) {
    this.#doubles[this.#double + 1] = value;
  }

  /** evaluations that they took */
  get evaluations(): number {
    return this.#doubles[this.#double + 2] as number;
  }
  set evaluations(value: number) {
    this.#doubles[this.#double + 2] = value;
  }

  /** why it ended: `REASON_*` */
  get reason(): number {
    return this.#doubles[this.#double + 3] as number;
  }
  set reason(value: number) {
    this.#doubles[this.#double + 3] = value;
  }

  /** the oldest pair of the ring */
  get firstPair(): number {
    return this.#doubles[this.#double + 4] as number;
  }
  set firstPair(value: number) {
    this.#doubles[this.#double + 4] = value;
  }

  /** how many there are */
  get pairs(): number {
    return this.#doubles[this.#double + 5] as number;
  }
  set pairs(value: number) {
    this.#doubles[this.#double + 5] = value;
  }

  /** slope at the start of the line */
  get lineSlope(): number {
    return this.#doubles[this.#double + 6] as number;
  }
  set lineSlope(value: number) {
    this.#doubles[this.#double + 6] = value;
  }

  /** how far along the line the trial is */
  get distance(): number {
    return this.#doubles[this.#double + 7] as number;
  }
  set distance(value: number) {
    this.#doubles[this.#double + 7] = value;
  }

  /** 1 after the first evaluation */
  get hasBegun(): number {
    return this.#doubles[this.#double + 8] as number;
  }
  set hasBegun(value: number) {
    this.#doubles[this.#double + 8] = value;
  }

  /** trials on the line */
  get trials(): number {
    return this.#doubles[this.#double + 15] as number;
  }
  set trials(value: number) {
    this.#doubles[this.#double + 15] = value;
  }

  /** what the line could still lower the loss by */
  get promise(): number {
    return this.#doubles[this.#double + 16] as number;
  }
  set promise(value: number) {
    this.#doubles[this.#double + 16] = value;
  }

  /** how far away that is, beside the parameters' size */
  get nearness(): number {
    return this.#doubles[this.#double + 17] as number;
  }
  set nearness(value: number) {
    this.#doubles[this.#double + 17] = value;
  }
}
