/**
 * Lane decomposition: a batch gives every lane the bits it gets alone, values, gradients and
 * failures, however the batch is run: walked, replayed with other inputs, in chunks of any width.
 *
 * A program's lanes are two calls' worth of inputs: the first half is the first call, the second
 * half the second, and a third call takes some lanes of both. Lanes alone run on a copy of the
 * program that keeps no traces, on a machine with all its mechanisms.
 */

import { NdvmError } from "../../src/errors.js";
import type {
  Evaluation,
  GradientResult,
  Machine,
  Program,
  RunStats,
  Session,
} from "../../src/index.js";
import type { GradientOptions, RunOptions } from "../../src/machine/types.js";
import { type Failure, machineInputs, type Verdict } from "../fuzz/check.js";
import { seedOf } from "../fuzz/oracle.js";
import { type FuzzProgram, sourceOf } from "../fuzz/program.js";

/** What one lane gets: numbers, or the text of a structure, or an error. */
export interface Lane {
  readonly code?: string;
  readonly text?: string;
  readonly numbers: readonly number[];
}

/** Counters over many runs. */
export type Seen = Record<(typeof counted)[number], number>;
const counted = [
  "walks",
  "replays",
  "guardFailures",
  "divergentBranches",
  "merges",
  "buckets",
  "sortings",
] as const;

export const nothingSeen = (): Seen => ({
  walks: 0,
  replays: 0,
  guardFailures: 0,
  divergentBranches: 0,
  merges: 0,
  buckets: 0,
  sortings: 0,
});

const chunkWidths = [1, 2, 3, 5, 7, 16, 64, 1000];
/** Generated programs take far fewer. */
const stepsMost = 400_000;

/** A machine for batches, perhaps without one of its mechanisms, and one for lanes alone. */
export interface Bench {
  readonly machine: Machine;
  readonly plain: Machine;
}

/** Judges one program on one machine. */
export class Decomposition {
  readonly #program: FuzzProgram;
  readonly #bench: Bench;
  readonly #seen: Seen;
  /** Runs lanes alone, without traces. */
  readonly #single: Program;
  #elements = 0;
  #isNumeric = true;
  #isOneNumber = true;

  constructor(bench: Bench, program: FuzzProgram, seen: Seen) {
    this.#program = program;
    this.#bench = bench;
    this.#seen = seen;
    this.#single = this.#load(bench.plain);
  }

  #load(machine: Machine): Program {
    const { domain, bytecode } = this.#program;
    const language = bytecode === undefined ? "scheme" : "bytecode";
    return machine.load(sourceOf(this.#program), { domain, language });
  }

  /** The first difference between a batch and its lanes alone. `salt` picks the chunk widths. */
  verdict(salt: number): Verdict {
    const all = Array.from({ length: this.#program.lanes }, (_, lane) => lane);
    try {
      if (!this.#learnShape(all)) return { kind: "skip", why: "shapes differ between lanes" };
      const alone = all.map((lane) => this.#alone(lane, stepsMost));
      const failure =
        this.#calls(all, alone, salt) ??
        this.#session(all, alone) ??
        this.#sessionsOfOne(all, alone) ??
        this.#fewApart(all, alone, salt) ??
        this.#budgets(all, salt);
      return failure ? { kind: "fail", failure } : { kind: "pass" };
    } catch (error) {
      const got = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return { kind: "fail", failure: differs("threw", 0, "run", "a result", got) };
    } finally {
      this.#single.dispose();
    }
  }

  /** Finds out whether results are numbers of one shape; false where only some are. */
  #learnShape(lanes: readonly number[]): boolean {
    const shapes = new Set<string>();
    for (const lane of lanes) {
      const inputs = machineInputs(this.#single, this.#program, [lane]);
      try {
        const options = { replay: false, lanes: 1, stepsMax: stepsMost };
        const { shape } = this.#single.evaluate(inputs, options);
        shapes.add(String(shape));
        this.#isNumeric = shape !== undefined;
        this.#isOneNumber = shape?.length === 0;
        this.#elements = (shape ?? []).reduce((a, b) => a * b, 1);
      } catch (error) {
        if (!(error instanceof NdvmError)) throw error;
      }
    }
    return shapes.size <= 1;
  }

  #calls(all: readonly number[], alone: readonly Lane[], salt: number): Failure | undefined {
    const half = Math.max(1, all.length >> 1);
    const [first, second] = [all.slice(0, half), all.slice(half)];
    const third = all.filter((lane) => (lane * 7 + salt) % 3 !== 0).reverse();
    const width = (n: number): number => chunkWidths[(salt + n) % chunkWidths.length] as number;
    const replaying: Call[] = [
      { name: "first call", lanes: first, options: {} },
      { name: "second call", lanes: second, options: {} },
      { name: "third call", lanes: third, options: {} },
      { name: "first call again", lanes: first, options: {} },
      { name: "narrow call", lanes: all, options: { chunk: width(0) } },
    ];
    const chunked: Call[] = [
      { name: "chunks", lanes: second, options: { chunk: width(1) } },
      { name: "more chunks", lanes: all, options: { chunk: width(1) } },
      { name: "walked chunks", lanes: all, options: { replay: false, chunk: width(3) } },
      { name: "walked", lanes: all, options: { replay: false } },
    ];
    const isTapeless = true;
    const tapeless: Call[] = [
      { name: "evaluated", lanes: first, options: {}, isTapeless },
      { name: "evaluated again", lanes: second, options: {}, isTapeless },
      { name: "evaluated walks", lanes: all, options: { replay: false }, isTapeless },
      { name: "evaluated chunks", lanes: all, options: { chunk: width(5) }, isTapeless },
    ];
    const differently: Call[] = [1, 2, 5].flatMap((by): Call[] => {
      const wrt = this.#wrt(this.#single).filter((_, i) => ((salt + by) >> i) % 2 === 1);
      if (!this.#isNumeric || wrt.length === 0) return [];
      const name = `by ${wrt.join(" ")}`;
      return [
        { name, lanes: first, options: {}, wrt },
        { name: `${name}, walked`, lanes: all, options: { replay: false }, wrt },
      ];
    });
    for (const calls of [replaying, chunked, tapeless, differently]) {
      const failure = this.#sequence(calls, alone);
      if (failure) return failure;
    }
    return undefined;
  }

  /** Runs calls one after the other on one copy of the program. */
  #sequence(calls: readonly Call[], alone: readonly Lane[]): Failure | undefined {
    const program = this.#load(this.#bench.machine);
    try {
      for (const call of calls) {
        if (call.lanes.length === 0) continue;
        const got = this.#batch(program, call);
        const failure = compare(call, got, alone);
        if (failure) return failure;
      }
      return undefined;
    } finally {
      program.dispose();
    }
  }

  /** Two calls' lanes in turn, by a session. */
  #session(all: readonly number[], alone: readonly Lane[]): Failure | undefined {
    const half = all.length >> 1;
    if (half === 0) return undefined;
    const [first, second] = [all.slice(0, half), all.slice(half, 2 * half)];
    const runs = [first, first, second, second, first, second.toReversed()];
    return this.#sessionRuns(runs, alone);
  }

  /** One lane after the other by a session of one lane: walked, and by kept traces. */
  #sessionsOfOne(all: readonly number[], alone: readonly Lane[]): Failure | undefined {
    const runs = all.map((lane) => [lane]);
    return (
      this.#sessionRuns(runs, alone, { replay: false }) ??
      this.#sessionRuns([...runs, ...runs.toReversed()], alone)
    );
  }

  /** Many lanes that are alike but for a few: those are sorted out. */
  #fewApart(all: readonly number[], alone: readonly Lane[], salt: number): Failure | undefined {
    if (salt % 4 !== 1) return undefined;
    const few = (turn: number): number[] =>
      Array.from({ length: 72 }, (_, i) => {
        const place = (i + turn) % 9 === 0 ? i * 7 + salt : salt;
        return all[place % all.length] as number;
      });
    const calls = [0, 0, 1, 0].map(
      (turn): Call => ({ name: "few apart", lanes: few(turn), options: {} }),
    );
    const runs = [few(0), few(0), few(2), few(0), few(1)];
    return this.#sequence(calls, alone) ?? this.#sessionRuns(runs, alone);
  }

  /** A session: numbers set, run and set again. Vectors and matrices of one stay fixed. */
  #sessionRuns(
    runs: readonly (readonly number[])[],
    alone: readonly Lane[],
    manner: RunOptions = {},
  ): Failure | undefined {
    const { inputs } = this.#program;
    const isFixed = inputs.some(({ kind }) => kind === "vector" || kind === "matrix");
    if (!this.#isOneNumber || isFixed) return undefined;
    const program = this.#load(this.#bench.machine);
    const [first] = runs as [readonly number[]];
    const half = first.length;
    const wrt = this.#wrt(program);
    const start = machineInputs(program, this.#program, first);
    const options = { ...manner, wrt, lanes: half, stepsMax: stepsMost };
    try {
      const session = program.session(start, options);
      for (const lanes of runs) {
        const numbers = Object.entries(machineInputs(program, this.#program, lanes));
        for (const [name, values] of numbers)
          if (Array.isArray(values)) session.set(name, values as number[]);
        const got = this.#sessionLanes(session, half);
        const failure = compare({ name: "session", lanes, options }, got, alone);
        if (failure) return failure;
      }
      return undefined;
    } finally {
      program.dispose();
    }
  }

  #sessionLanes(session: Session, count: number): Lane[] {
    try {
      session.run();
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      return Array.from({ length: count }, () => ({ code: `all ${error.code}`, numbers: [] }));
    }
    return Array.from({ length: count }, (_, lane): Lane => {
      const failure = session.failures.find((own) => own.lane === lane);
      if (failure) return { code: failure.error.code, numbers: [] };
      const slopes = Object.values(session.gradients).map((own) => own[lane] as number);
      return { numbers: [session.values[lane] as number, ...slopes] };
    });
  }

  /** Step budgets that some lanes pass and others do not. */
  #budgets(all: readonly number[], salt: number): Failure | undefined {
    // Without a mechanism a lane may take other steps.
    if (salt % 4 !== 0 || this.#bench.machine !== this.#bench.plain) return undefined;
    const lane = all[salt % all.length] as number;
    const inputs = machineInputs(this.#single, this.#program, [lane]);
    let stepsMax = 50;
    try {
      const options = { replay: false, lanes: 1, stepsMax: stepsMost };
      stepsMax = this.#run(this.#single, inputs, 1, options).stats.steps;
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
    }
    const alone = all.map((own) => this.#alone(own, stepsMax));
    const calls: Call[] = [
      { name: "walked budget", lanes: all, options: { stepsMax, replay: false } },
      { name: "replayed budget", lanes: all, options: { stepsMax } },
      { name: "replayed budget again", lanes: all.toReversed(), options: { stepsMax } },
      { name: "budget in chunks", lanes: all, options: { stepsMax, chunk: 3 } },
    ];
    return this.#sequence(calls, alone);
  }

  #run(
    program: Program,
    inputs: Inputs,
    lanes: number,
    options: RunOptions,
    wrt: readonly string[] = this.#wrt(program),
  ): Evaluation {
    if (!this.#isNumeric || wrt.length === 0) return program.evaluate(inputs, options);
    const seed = Array.from({ length: lanes }, () => seedOf(this.#elements)).flat();
    const gradientOptions: GradientOptions = { ...options, wrt, seed };
    return program.gradient(inputs, gradientOptions);
  }

  #wrt(program: Program): string[] {
    return this.#program.inputs
      .filter(({ kind, name }) => kind !== "int" && program.inputs.includes(name))
      .map(({ name }) => name);
  }

  #alone(lane: number, stepsMax: number): Lane {
    const call = { name: "alone", lanes: [lane], options: { replay: false, stepsMax } };
    return this.#batch(this.#single, call)[0] as Lane;
  }

  #batch(program: Program, call: Call): Lane[] {
    const { lanes } = call;
    const inputs = machineInputs(program, this.#program, lanes);
    const options = { stepsMax: stepsMost, ...call.options, lanes: lanes.length };
    try {
      const result = call.isTapeless
        ? program.evaluate(inputs, options)
        : this.#run(program, inputs, lanes.length, options, call.wrt);
      count(this.#seen, result.stats);
      return lanes.map((_, i) => this.#laneOf(result, i, call.wrt === undefined));
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      // A batch throws where every lane fails; each lane alone would say so itself.
      return lanes.map(() => ({ code: `all ${error.code}`, numbers: [] }));
    }
  }

  #laneOf(result: Evaluation, lane: number, hasSlopes: boolean): Lane {
    const failure = result.failures.find((own) => own.lane === lane);
    if (failure) return { code: failure.error.code, numbers: [] };
    if (!this.#isNumeric) return { text: result.print(lane), numbers: [] };
    const part = (numbers: Float64Array): number[] => {
      const each = numbers.length / result.lanes;
      return [...numbers.subarray(lane * each, (lane + 1) * each)];
    };
    const slopes = hasSlopes ? (result as Partial<GradientResult>).gradients : undefined;
    const gradients = Object.values(slopes ?? {});
    return { numbers: [...part(result.values), ...gradients.flatMap(part)] };
  }
}

type Inputs = ReturnType<typeof machineInputs>;

interface Call {
  readonly name: string;
  readonly lanes: readonly number[];
  readonly options: RunOptions;
  /** Evaluates only; gradients are not compared. */
  readonly isTapeless?: boolean;
  /** Names to differentiate by, instead of all; gradients are not compared. */
  readonly wrt?: readonly string[];
}

function count(seen: Seen, stats: RunStats): void {
  for (const name of counted) seen[name] += stats[name];
}

const differs = (
  check: string,
  lane: number,
  what: string,
  expected: number | string,
  got: number | string,
): Failure => ({ check, lane, what, expected, got });

const codeOf = (lane: Lane | undefined): string => lane?.code?.replace("all ", "") ?? "no error";

function compare(call: Call, got: readonly Lane[], alone: readonly Lane[]): Failure | undefined {
  const expected = call.lanes.map((lane) => alone[lane] as Lane);
  const check = `lanes, ${call.name}`;
  if (got[0]?.code?.startsWith("all ") && expected.some(({ code }) => code === undefined))
    return differs(check, 0, "all lanes", "no error in some", codeOf(got[0]));
  for (const [i, want] of expected.entries()) {
    const own = got[i] as Lane;
    const lane = call.lanes[i] as number;
    // Where all lanes fail the first one's error is thrown.
    if (own.code?.startsWith("all ") && i > 0) continue;
    if (codeOf(own) !== codeOf(want))
      return differs(check, lane, "error", codeOf(want), codeOf(own));
    if (own.text !== want.text)
      return differs(check, lane, "result", want.text ?? "", own.text ?? "");
    for (const [k, number] of own.numbers.entries())
      if (!Object.is(number, want.numbers[k]))
        return differs(check, lane, `number ${k}`, want.numbers[k] ?? "none", number);
  }
  return undefined;
}
