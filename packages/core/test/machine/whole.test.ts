/**
 * Whole histories: everything that calls return, and every counter, for programs that are called again
 * and again. Results have the same bits everywhere, and so has what the machine does for them: someone who
 * changes how runs are planned reads here what changed.
 */

import { describe, expect, test } from "vitest";
import {
  type Evaluation,
  type GradientResult,
  type JacobianResult,
  Machine,
  type Mechanisms,
  NdvmError,
  type Program,
  vec,
} from "../../src/index.js";
import { type Call, histories, spread, take } from "./histories.js";

/** Seven digits of numbers, sums of long lists. */
function shown(value: unknown): unknown {
  if (typeof value === "number")
    return Number.isFinite(value) ? Number(value.toPrecision(7)) : String(value);
  if (typeof value === "symbol") return `'${value.description}`;
  if (ArrayBuffer.isView(value)) {
    const numbers = Array.from(value as Float64Array);
    return numbers.length <= 12 ? numbers.map(shown) : `${numbers.length}: ${summed(numbers)}`;
  }
  if (value instanceof NdvmError) {
    const { code, message, help, facts, span, file } = value;
    return { code, message, help, facts, at: span && `${span.start}-${span.end}`, file };
  }
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  if (Symbol.iterator in value) return Array.from(value as Iterable<unknown>, shown);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)]));
}

/** Depends on every number and on its place. */
const summed = (numbers: readonly number[]): unknown =>
  shown(
    numbers.reduce((sum, one, i) => sum + (Number.isFinite(one) ? one : 7) * (1 + (i % 13)), 0),
  );

/** Counters of what a run did; how many bytes that took depends on the machine's build. */
const countsOf = ({ stats }: Pick<Evaluation, "stats">): object =>
  Object.fromEntries(
    Object.entries(stats)
      // Kernels for whole chunks only show where they were at work.
      .filter(([name, count]) => !name.endsWith("Bytes") && (name !== "fusedCalls" || count !== 0))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

function textOf(out: Evaluation): string {
  const { gradients, inactive, reduced } = out as Partial<GradientResult>;
  const { jacobians } = out as Partial<JacobianResult>;
  const { lanes, axes, shape, failures, nonFinite } = out;
  const some = Array.from({ length: Math.min(lanes, 5) }, (_, lane) => lane);
  const isFailed = (lane: number) => failures.some((failure) => failure.lane === lane);
  const whole = {
    ...{ lanes, axes, shape, values: shape === undefined ? undefined : out.values },
    prints: some.map((lane) => (isFailed(lane) ? "failed" : out.print(lane))),
    data: some.map((lane) => (isFailed(lane) ? "failed" : out.datum(lane))),
    ...{ failures, nonFinite, gradients, inactive, reduced, jacobians, stats: countsOf(out) },
  };
  return Object.entries(whole)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => `  ${key} ${JSON.stringify(shown(value))}`)
    .join("\n");
}

function told(program: Program, call: Call): string {
  try {
    const out = take(program, call);
    if (call.kind !== "diagnose" && call.kind !== "explain") return textOf(out as Evaluation);
    return Object.entries(out as object)
      .filter(([key]) => key !== "report")
      .map(([key, value]) => {
        const isStats = key === "stats";
        return `  ${key} ${JSON.stringify(isStats ? countsOf(out as Evaluation) : shown(value))}`;
      })
      .join("\n");
  } catch (error) {
    if (error instanceof NdvmError) return `  ${JSON.stringify(shown(error))}`;
    throw error;
  }
}

const history = (program: Program, calls: readonly Call[]): string =>
  calls.map((call, i) => `${i} ${call.kind}\n${told(program, call)}`).join("\n");

describe.each(["f64", "f32"] as const)("histories in %s", (precision) => {
  test.each(histories)("$name", async ({ source, load, calls }) => {
    const machine = await Machine.create({ precision });
    expect(history(machine.load(source, load), calls)).toMatchSnapshot();
    machine.dispose();
  });
});

describe("mechanisms", () => {
  const off: readonly Mechanisms[] = [
    ...(["replay", "chunks", "loops", "smallShapes", "fusing", "sorting", "paths"] as const),
    ...(["adjointReuse", "integerPool"] as const),
  ].map((name) => ({ [name]: false }));
  const names = ["few lanes go another way", "one lane, another path each time", "solving"];

  test.each(off)("without %o", async (mechanisms) => {
    const machine = await Machine.create({ mechanisms });
    const stats = histories
      .filter(({ name }) => names.includes(name))
      .flatMap(({ source, calls }) => {
        const program = machine.load(source);
        return calls.map((call) => JSON.stringify(countsOf(take(program, call) as Evaluation)));
      });
    expect(stats.join("\n")).toMatchSnapshot();
    machine.dispose();
  });
});

describe("sessions", () => {
  const tent =
    "(loop ((i 0) (x x)) (if (= i 4) (* x (vsum v)) (if (< x 0.5) (recur (+ i 1) (* mu x)) (recur (+ i 1) (* mu (- 1 x))))))";

  test.each([1, 5, 40, 200])("of %d lanes, set and run again and again", async (lanes) => {
    const machine = await Machine.create();
    const program = machine.load(tent);
    const x = lanes === 1 ? 0.3 : spread(lanes, 0, 1);
    const session = program.session({ x, mu: 1.9, v: vec([1, 2]) }, { wrt: ["x", "v"] });
    const lines: string[] = [];
    for (let turn = 0; turn < 8; turn++) {
      session.run();
      const { values, gradients, stats, failures } = session;
      lines.push(JSON.stringify(shown({ values, gradients, stats, failures })));
      if (turn === 2) session.set("mu", 1.5);
      if (turn === 3) session.set("x", lanes === 1 ? 0.8 : spread(lanes, 0.2, 0.9));
      if (turn === 4) program.evaluate({ x: 0.1, mu: 1, v: vec([1, 1, 1]) });
      if (turn === 5) (session.inputs["x"] as Float64Array)[0] = 0.05;
    }
    expect(lines.join("\n")).toMatchSnapshot();
    machine.dispose();
  });

  test("two sessions of one program in turn, and one that fails", async () => {
    const machine = await Machine.create();
    const program = machine.load("(if (> x 2) (car x) (* a x))");
    const one = program.session({ x: [1, 1.5, 0.5], a: 2 });
    const other = program.session({ x: [1, 3], a: [1, 2] }, { wrt: ["a"] });
    const lines: string[] = [];
    for (let turn = 0; turn < 4; turn++)
      for (const session of [one, other]) {
        session.run();
        const { values, gradients, stats, failures } = session;
        lines.push(JSON.stringify(shown({ values, gradients, stats, failures })));
        session.set("a", turn % 2 === 0 ? 3 : 2);
      }
    expect(lines.join("\n")).toMatchSnapshot();
    expect(program.isPlain).toBe(false);
    machine.dispose();
  });
});
