/**
 * What made a number infinite or NaN is told the same on every way: evaluated, with gradients by any
 * inputs, replayed or walked, together or alone, and by every mechanism. It is a cell that the lane
 * evaluated, and a plain evaluator that takes along where each number comes from says which one. A lane was
 * told the side of a branch that it did not take, or nothing. The seed is new in every run and printed;
 * `SEED=… npx vitest run machine/causes` runs the same again.
 */

import { expect, test } from "vitest";
import {
  type Evaluation,
  type Input,
  type Inputs,
  Machine,
  type Mechanisms,
  type Program,
  type RunOptions,
  vec,
} from "../../src/index.js";
import { Random } from "../fuzz/random.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);

/** Where a number that is not finite was first made so: when, and by what. */
interface Cause {
  readonly order: number;
  readonly text: string;
}
/** A number, and the oldest cause on its way; none where it is finite or a constant. */
interface Traced {
  readonly v: number;
  readonly cause: Cause | undefined;
}
type Value = Traced | readonly Traced[];
type Scope = Readonly<Record<string, Value>>;
type Vector = readonly [Traced, Traced];

/** One lane's run: cells are numbered as they are evaluated. */
class Lane {
  #order = 0;

  /** What a cell made of numbers: the cell is the cause where the oldest of them is none. */
  made(v: number, text: string, ...operands: readonly Traced[]): Traced {
    this.#order += 1;
    return this.#traced(v, text, operands);
  }

  /** The same of a vector: one cell makes all elements, each of those of its operands. */
  madeEach(of: (x: number, y: number) => number, text: string, x: Vector, y: Vector): Vector {
    this.#order += 1;
    const [a, b] = [0, 1].map((e) => {
      const [p, q] = [x[e] as Traced, y[e] as Traced];
      return this.#traced(of(p.v, q.v), text, [p, q]);
    });
    return [a as Traced, b as Traced];
  }

  #traced(v: number, text: string, operands: readonly Traced[]): Traced {
    if (Number.isFinite(v)) return { v, cause: undefined };
    const causes = operands.flatMap(({ cause }) => (cause === undefined ? [] : [cause]));
    const own: Cause = { order: this.#order, text };
    return { v, cause: causes.reduce((a, b) => (b.order < a.order ? b : a), own) };
  }
}

/** An expression: its text, and what a lane makes of it. */
interface Expression {
  readonly text: string;
  readonly run: (lane: Lane, scope: Scope) => Value;
}

const one = (value: Value): Traced => value as Traced;
const run = ({ run }: Expression, lane: Lane, scope: Scope): Traced => one(run(lane, scope));

const unary: Readonly<Record<string, (x: number) => number>> = {
  log: Math.log,
  sqrt: Math.sqrt,
  "-": (x) => -x,
  floor: Math.floor,
  square: (x) => x * x,
};
const binary: Readonly<Record<string, (x: number, y: number) => number>> = {
  "+": (x, y) => x + y,
  "-": (x, y) => x - y,
  "*": (x, y) => x * y,
  "/": (x, y) => x / y,
};

/** What programs do with the vector that they share, again and again. */
const SHARED = "v";
const onVectors: Readonly<Record<string, (x: number, y: number) => number>> = {
  log: (x) => Math.log(x),
  sqrt: (x) => Math.sqrt(x),
  "/": (x, y) => x / y,
};

const named = (name: string): Expression => ({
  text: name,
  run: (_, scope) => scope[name] as Value,
});

/** Writes expressions of numbers, most of which fail for some lanes. */
class Writer {
  readonly #random: Random;
  #names = 0;
  #repeats = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A program. Several of its cells may do the same with one vector, on two sides of branches too. */
  program(depth: number): Expression {
    const body = this.number(depth, NAMES);
    if (this.#repeats === 0) return body;
    const [x, y] = NAMES.map((name) => named(name)) as [Expression, Expression];
    const vector = this.#vector(x, y);
    return {
      text: `(let ((${SHARED} ${vector.text})) ${body.text})`,
      run: (lane, scope) => body.run(lane, { ...scope, [SHARED]: vector.run(lane, scope) }),
    };
  }

  number(depth: number, names: readonly string[]): Expression {
    const random = this.#random;
    if (depth === 0) return this.#leaf(names);
    const again = () => this.number(depth - 1, names);
    return random.weighted<() => Expression>([
      [1, () => this.#leaf(names)],
      [3, () => this.#unary(again())],
      [4, () => this.#binary(again(), again())],
      [4, () => this.#branch(names, again(), again())],
      [3, () => this.#element(names, again(), again())],
      [1, () => this.#sum(again(), again())],
      [3, () => this.#ofRepeated()],
      [2, () => this.#bound(depth, names)],
      [1, () => this.#loop(depth, names)],
    ])();
  }

  #leaf(names: readonly string[]): Expression {
    const random = this.#random;
    if (random.chance(0.7)) return named(random.pick(names));
    const [text, v] = random.pick([
      ["0", 0],
      ["2.5", 2.5],
      ["-1.5", -1.5],
      ["+nan.0", Number.NaN],
      ["+inf.0", Number.POSITIVE_INFINITY],
    ] as const);
    return { text, run: () => ({ v, cause: undefined }) };
  }

  #unary(x: Expression): Expression {
    const name = this.#random.pick(Object.keys(unary));
    const text = `(${name} ${x.text})`;
    return {
      text,
      run: (lane, scope) => {
        const a = run(x, lane, scope);
        return lane.made((unary[name] as (x: number) => number)(a.v), text, a);
      },
    };
  }

  #binary(x: Expression, y: Expression): Expression {
    const name = this.#random.pick(Object.keys(binary));
    const text = `(${name} ${x.text} ${y.text})`;
    return {
      text,
      run: (lane, scope) => {
        const [a, b] = [run(x, lane, scope), run(y, lane, scope)];
        return lane.made((binary[name] as (x: number, y: number) => number)(a.v, b.v), text, a, b);
      },
    };
  }

  #test(names: readonly string[]): { text: string; holds: (scope: Scope) => boolean } {
    const name = this.#random.pick(names);
    const limit = this.#random.between(-1, 1) + 0.5;
    return {
      text: `(< ${name} ${limit})`,
      holds: (scope) => one(scope[name] as Value).v < limit,
    };
  }

  #branch(names: readonly string[], yes: Expression, no: Expression): Expression {
    const { text, holds } = this.#test(names);
    return {
      text: `(if ${text} ${yes.text} ${no.text})`,
      run: (lane, scope) => (holds(scope) ? yes : no).run(lane, scope),
    };
  }

  #vector(x: Expression, y: Expression): Expression {
    const text = `(vec ${x.text} ${y.text})`;
    return {
      text,
      run: (lane, scope) => {
        const parts = [run(x, lane, scope), run(y, lane, scope)];
        // One cell makes all elements.
        const order = lane.made(Number.NaN, text).cause as Cause;
        return parts.map(({ v, cause }) => {
          if (Number.isFinite(v)) return { v, cause: undefined };
          return { v, cause: cause ?? order };
        });
      },
    };
  }

  /** An element of a vector: where nobody reads it, the other one is no cause. */
  #element(names: readonly string[], x: Expression, y: Expression): Expression {
    const vector = this.#vector(x, y);
    const fixed = this.#random.between(0, 1);
    const test = this.#random.chance(0.5) ? this.#test(names) : undefined;
    const text = `(ref ${vector.text} ${test ? `(if ${test.text} 0 1)` : fixed})`;
    return {
      text,
      run: (lane, scope) => {
        const parts = vector.run(lane, scope) as readonly Traced[];
        const index = test ? 1 - Number(test.holds(scope)) : fixed;
        const part = parts[index] as Traced;
        return lane.made(part.v, text, part);
      },
    };
  }

  #sum(x: Expression, y: Expression): Expression {
    const vector = this.#vector(x, y);
    const text = `(vsum ${vector.text})`;
    return {
      text,
      run: (lane, scope) => {
        const [a, b] = vector.run(lane, scope) as Vector;
        return lane.made(a.v + b.v, text, a, b);
      },
    };
  }

  /** An operation on the vector that all share. Blanks tell it from those that do the same. */
  #repeated(): Expression {
    this.#repeats += 1;
    const [name, of] = this.#random.pick(Object.entries(onVectors));
    const blanks = " ".repeat(this.#repeats);
    const text =
      of.length === 1 ? `(${name}${blanks}${SHARED})` : `(${name}${blanks}${SHARED} ${SHARED})`;
    return {
      text,
      run: (lane, scope) => {
        const shared = scope[SHARED] as Vector;
        return lane.madeEach(of, text, shared, shared);
      },
    };
  }

  #ofRepeated(): Expression {
    const vector = this.#repeated();
    const [a, b] = [0, 1].map((e) => `(ref ${vector.text} ${e})`) as [string, string];
    const sum = `(vsum ${vector.text})`;
    const dot = `(dot ${SHARED} ${vector.text})`;
    const text = this.#random.pick([a, b, sum, dot]);
    return {
      text,
      run: (lane, scope) => {
        const shared = scope[SHARED] as Vector;
        const [x, y] = vector.run(lane, scope) as Vector;
        if (text === a || text === b) {
          const part = text === a ? x : y;
          return lane.made(part.v, text, part);
        }
        if (text === sum) return lane.made(x.v + y.v, text, x, y);
        return lane.made(shared[0].v * x.v + shared[1].v * y.v, text, ...shared, x, y);
      },
    };
  }

  /** A name for a number that only one side of a branch may read. */
  #bound(depth: number, names: readonly string[]): Expression {
    this.#names += 1;
    const name = `t${this.#names}`;
    const value = this.number(depth - 1, names);
    const body = this.number(depth - 1, [...names, name]);
    return {
      text: `(let ((${name} ${value.text})) ${body.text})`,
      run: (lane, scope) => body.run(lane, { ...scope, [name]: value.run(lane, scope) }),
    };
  }

  /** Two turns, each a step of its own. */
  #loop(depth: number, names: readonly string[]): Expression {
    this.#names += 1;
    const [name, turn] = [`t${this.#names}`, `k${this.#names}`];
    const start = this.number(depth - 1, names);
    const step = this.number(depth - 1, [...names, name]);
    const body = `(if (= ${turn} 2) ${name} (recur (+ ${turn} 1) ${step.text}))`;
    return {
      text: `(loop ((${turn} 0) (${name} ${start.text})) ${body})`,
      run: (lane, scope) => {
        let value = start.run(lane, scope);
        for (let k = 0; k < 2; k++) value = step.run(lane, { ...scope, [name]: value });
        return value;
      },
    };
  }
}

const NAMES = ["a", "b", "c"] as const;
const LANES = 6;

type Columns = Readonly<Record<(typeof NAMES)[number], readonly number[]>>;

const columnsOf = (random: Random): Columns => {
  const number = (): number => random.pick([-2, -1, 0, 0, 1, 2, 2, random.pick([1, Number.NaN])]);
  const column = (): number[] => Array.from({ length: LANES }, number);
  return { a: column(), b: column(), c: column() };
};

/** What is told of a lane; nothing where it is finite. Inputs come before all cells, in their order. */
function expectedOf(
  { run }: Expression,
  columns: Columns,
  names: readonly string[],
  lane: number,
): string {
  const scope = Object.fromEntries(
    NAMES.map((name) => {
      const v = columns[name][lane] as number;
      const order = names.indexOf(name) - NAMES.length;
      const cause = { order, text: `input ${name} is not finite` };
      return [name, { v, cause: Number.isFinite(v) ? undefined : cause }];
    }),
  );
  const { v, cause } = one(run(new Lane(), scope));
  if (Number.isFinite(v)) return "";
  return cause?.text ?? "a constant of the program is not finite";
}

/** The cell that each lane is told, or what is told of a lane that no cell made infinite. */
function told(
  { source }: Program,
  { nonFinite }: Pick<Evaluation, "nonFinite">,
  lanes = LANES,
): string[] {
  return Array.from({ length: lanes }, (_, lane) => {
    const { span, cause } = nonFinite.find((one) => one.lane === lane) ?? {};
    return span === undefined ? (cause ?? "") : source.slice(span.start, span.end);
  });
}

const optionsToTry: readonly RunOptions[] = [{}, {}, { replay: false }, { chunk: 2 }];

/** All that is told of the lanes, by each way of running them. */
function* ways(program: Program, columns: Columns): Generator<[way: string, told: string[]]> {
  const known = Object.entries(columns).filter(([name]) => program.inputs.includes(name));
  const inputs: Inputs = Object.fromEntries(known);
  const names = known.map(([name]) => name);
  for (const options of optionsToTry) {
    const how = JSON.stringify(options);
    const run = { ...options, lanes: LANES };
    yield [`evaluate ${how}`, told(program, program.evaluate(inputs, run))];
    for (const wrt of [names, names.slice(0, 1), names.slice(1)])
      if (wrt.length > 0)
        yield [
          `gradient ${how} by ${wrt}`,
          told(program, program.gradient(inputs, { ...run, wrt })),
        ];
  }
  yield ["diagnose", told(program, program.diagnose(inputs, { lanes: LANES }))];
  yield ["jacobian", told(program, program.jacobian(inputs, { lanes: LANES }))];
  for (const replay of [false, true]) {
    const alone = Array.from({ length: LANES }, (_, lane) => {
      const own = Object.fromEntries(known.map(([name, values]) => [name, values[lane] as number]));
      const [first] = told(program, program.evaluate(own, { replay }), 1);
      const [second] = told(program, program.gradient(own, { replay }), 1);
      return first === second ? (first as string) : `${first} or ${second}`;
    });
    yield [`alone, ${replay ? "replayed" : "walked"}`, alone];
  }
}

test(`the cause of a number that is not finite is the same on every way, seed ${seed}`, async () => {
  const programs = 150;
  console.info(`causes: ${programs} programs, SEED=${seed}`);
  const lacking: readonly Mechanisms[] = [
    {},
    { loops: false },
    { fusing: false },
    { paths: false },
  ];
  const machines = await Promise.all(lacking.map((mechanisms) => Machine.create({ mechanisms })));
  let causes = 0;
  for (let index = 0; index < programs; index++) {
    const random = new Random(seed, index);
    const expression = new Writer(random).program(random.between(1, 4));
    const columns = columnsOf(random);
    const lanes = Array.from({ length: LANES }, (_, lane) => lane);
    const program = (machines[index % machines.length] as Machine).load(expression.text);
    const expected = lanes.map((lane) => expectedOf(expression, columns, program.inputs, lane));
    causes += expected.filter((cause) => cause !== "").length;
    for (const [way, got] of ways(program, columns))
      expect(
        got,
        `program ${index}, ${way}: ${expression.text} ${JSON.stringify(columns)}`,
      ).toEqual(expected);
    program.dispose();
  }
  for (const machine of machines) machine.dispose();
  expect(causes).toBeGreaterThan(programs);
});

const repeats = [
  ["(if (< x 0) (vsum (log v)) (dot v (log  v)))", "(log  v)"],
  ["(if (< (vsum (log v)) 0) 1 (dot v (log  v)))", "(log  v)"],
  ["(let ((b (if (< x 0) (vsum (log v)) 0))) (+ b (dot v (log  v))))", "(log  v)"],
  ["(+ (dot v (sqrt v)) (dot v (sqrt  v)))", "(sqrt v)"],
] as const;

test.each(["f32", "f64"] as const)(
  "a lane was told the repeated operation of a branch that it did not take, in %s",
  async (precision) => {
    const machine = await Machine.create({ precision });
    const pool = await machine.pool({ workers: 2 });
    const inputs: Inputs = { x: [-1, 1], v: vec([-1, 2]) };
    for (const [text, second] of repeats) {
      const program = machine.load(text);
      const used = Object.fromEntries(program.inputs.map((name) => [name, inputs[name] as Input]));
      const options = { lanes: 2 };
      const walked = told(program, program.evaluate(used, { ...options, replay: false }), 2);
      expect(walked[1]).toBe(second);
      const results = [
        program.evaluate(used, options),
        program.evaluate(used, options),
        program.gradient(used, options),
        program.gradient(used, options),
        program.gradient(used, { ...options, chunk: 1 }),
        program.jacobian(used, options),
        program.run(used, options),
        await program.gradientAsync(used, options),
        await pool.evaluate(program, used, options),
        await pool.gradient(program, used, options),
      ];
      for (const result of results) expect(told(program, result, 2)).toEqual(walked);
    }
    await pool.dispose();
    machine.dispose();
  },
);
