/**
 * Runs of programs: evaluate, gradient and jacobian.
 *
 * A client that runs a program again and again with new numbers sends the same header each time, and
 * the reader then gives the same object. What follows from a header alone is worked out once, in a
 * plan: how inputs are made of arrays, the options, and the head of the answer.
 */

import type { AsyncGradientOptions, Evaluation, Input, Program } from "@ndvm/core";
import type { Answer, CallContext } from "./call.js";
import { ArrayList, bytesOf, type Shaped } from "./frames.js";
import {
  arrayOf,
  datumJson,
  errorJson,
  type Fields,
  field,
  inputOf,
  isFields,
  plain,
  refuse,
  unwordedFields,
} from "./values.js";

/** Lanes whose results are sent as data where they are not numbers. */
const DATUMS_MAX = 100_000;

type RunKind = "evaluate" | "gradient" | "jacobian";
type Limits = Omit<AsyncGradientOptions, "signal">;
type Slopes = Readonly<Record<string, Float64Array>>;

interface Plan {
  readonly inputs: readonly (readonly [name: string, described: unknown])[];
  readonly limits: Limits;
  /** What the header says of the seed; an array has other numbers in each frame. */
  readonly seed: unknown;
  readonly hasStats: boolean;
  readonly id: unknown;
  /** The latest answer that was numbers and nothing else. */
  reply: Reply | undefined;
}

/** An answer without its numbers. */
interface Reply {
  readonly head: Uint8Array;
  readonly shape: readonly number[];
  readonly inactive: readonly string[] | undefined;
  readonly lengths: readonly number[];
}

/** What a run came to. */
interface Found {
  readonly result: Evaluation;
  readonly slopes?: Slopes;
  readonly inactive?: readonly string[];
}

export class Runs {
  readonly #plans = new WeakMap<Fields, Plan>();

  constructor(private readonly programOf: (fields: Fields) => Program) {}

  async run(kind: RunKind, fields: Fields, { arrays, signal }: CallContext): Promise<Answer> {
    const program = this.programOf(fields);
    let plan = this.#plans.get(fields);
    if (plan === undefined) {
      plan = planOf(fields);
      this.#plans.set(fields, plan);
    }
    const inputs = Object.create(null) as Record<string, Input>;
    for (const [name, described] of plan.inputs) inputs[name] = inputOf(described, name, arrays);
    return answerOf(plan, await find(program, kind, inputs, plan, arrays, signal));
  }
}

const NOTHING: ReadonlySet<string> = new Set();

function planOf(fields: Fields): Plan {
  const inputs = field(fields, "inputs") ?? {};
  if (!isFields(inputs)) throw refuse("inputs is not an object");
  const given = field(fields, "options") ?? {};
  if (!isFields(given)) throw refuse("options is not an object");
  const { seed, stats, ...limits } = unwordedFields(given, NOTHING);
  return {
    inputs: Object.entries(inputs),
    limits: limits as Limits,
    seed,
    hasStats: stats === true,
    id: field(fields, "id") ?? null,
    reply: undefined,
  };
}

async function find(
  program: Program,
  kind: RunKind,
  inputs: Readonly<Record<string, Input>>,
  { limits, seed }: Plan,
  arrays: readonly Shaped[],
  signal: AbortSignal,
): Promise<Found> {
  if (kind === "jacobian") {
    const result = program.jacobian(inputs, limits);
    return { result, slopes: result.jacobians };
  }
  if (kind === "evaluate")
    return { result: await program.evaluateAsync(inputs, { ...limits, signal }) };
  const seeds = seed === undefined ? {} : { seed: arrayOf(seed, arrays)?.numbers ?? seed };
  const options = { ...limits, ...seeds, signal } as AsyncGradientOptions;
  const result = await program.gradientAsync(inputs, options);
  return { result, slopes: result.gradients, inactive: result.inactive };
}

function answerOf(plan: Plan, found: Found): Answer {
  const { result, slopes, inactive } = found;
  const { shape, failures, nonFinite } = result;
  const isPlain =
    shape !== undefined && failures.length === 0 && nonFinite.length === 0 && !plan.hasStats;
  if (!isPlain) {
    const arrays = new ArrayList();
    return { fields: resultFields(found, arrays, plan.hasStats), arrays };
  }
  const numbers = [result.values, ...Object.values(slopes ?? {})];
  if (plan.reply === undefined || !fits(plan.reply, shape, inactive, numbers)) {
    const arrays = new ArrayList();
    const fields = resultFields(found, arrays, false);
    const [head] = arrays.frame({ id: plan.id, result: fields });
    const lengths = numbers.map(({ length }) => length);
    plan.reply = { head: head as Uint8Array, shape, inactive, lengths };
  }
  // Numbers of 8 bytes: no gaps between the arrays.
  return { parts: [plan.reply.head, ...numbers.map(bytesOf)] };
}

/** Whether an answer has the same header as an earlier one of the same call. */
function fits(
  reply: Reply,
  shape: readonly number[],
  inactive: readonly string[] | undefined,
  numbers: readonly Float64Array[],
): boolean {
  return (
    areEqual(reply.shape, shape) &&
    areEqual(reply.inactive ?? [], inactive ?? []) &&
    reply.lengths.length === numbers.length &&
    reply.lengths.every((length, index) => length === numbers[index]?.length)
  );
}

const areEqual = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

function resultFields(
  { result, slopes, inactive }: Found,
  list: ArrayList,
  hasStats: boolean,
): Fields {
  const { lanes, shape, failures, nonFinite } = result;
  const common = {
    lanes,
    shape,
    hasLanes: result.axes.length > 0,
    failures: failures.map(({ lane, error }) => ({ lane, error: errorJson(error) })),
    nonFinite: nonFinite.map(({ lane, value, message }) => ({
      lane,
      value: plain(value),
      message,
    })),
    ...(inactive === undefined ? {} : { inactive }),
    ...(hasStats ? { stats: plain(result.stats) } : {}),
  };
  if (shape === undefined) {
    const count = Math.min(lanes, DATUMS_MAX);
    const datums = Array.from({ length: count }, (_, lane) => datumJson(result.datum(lane)));
    return { ...common, datums };
  }
  const values = list.add(result.values);
  if (slopes === undefined) return { ...common, values };
  const by = Object.create(null) as Record<string, unknown>;
  for (const [name, numbers] of Object.entries(slopes)) by[name] = list.add(numbers);
  return { ...common, values, slopes: by };
}
