/**
 * A machine in use: several programs and sessions in turn, whose lanes return different shapes and
 * kinds, with failing, bombing and disposed ones between them, replay on and off. Every result is
 * read twice, at once and after everything else has run, and must be what its lanes get alone on
 * another machine that replays nothing.
 */

import {
  type DatumValue,
  type Evaluation,
  type Inputs,
  type Machine,
  NdvmError,
  type Program,
  type RunOptions,
  type Session,
} from "../../src/index.js";
import type { Random } from "../fuzz/random.js";
import { bitsOf } from "../machine/support.js";

/** What one lane gets alone: everything that can be read of it, or the code of its error. */
export interface Alone {
  readonly code?: string;
  readonly text: string;
  readonly datum: string;
  readonly shape: readonly number[] | undefined;
  readonly values: readonly string[];
}

/** Names with numbers by lane. */
export type Columns = Readonly<Record<"a" | "b", readonly number[]>>;

const names = ["a", "b"] as const;

/** Expressions by the kind of thing they make; `a` and `b` are a lane's own numbers. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  number: [
    "a",
    "(* a 2)",
    "(exp (* 0.1 b))",
    "(loop ((i 0) (s a)) (if (= i 3) s (recur (+ i 1) (* s b))))",
    "7",
  ],
  vector: ["(vec a a)", "[a b 1]", "(scale b [1 2 3])", "(vec (sin a) b)", "(zeros 0)"],
  matrix: [
    "(mat [a b] [1 a])",
    "(outer [a 1] [b 2 3])",
    "(transpose (mat [a b 1] [1 a 2]))",
    "(eye 2)",
  ],
  list: [
    "(list a b)",
    "(cons a b)",
    "(list 'x [a b] (list b))",
    "(map (lambda (q) (* q a)) '(1 2 3))",
    "'(p (q . r))",
    "'()",
  ],
  procedure: [
    "(lambda (q) (+ q a))",
    "(let () (define (named x) (* a x)) named)",
    "+",
    "(list car (lambda () b))",
  ],
  boolean: ["(< a b)", "#t", "(list (< a 1) #f)", "(not (< b 0))"],
  symbol: ["'word", "(if (< a b) 'less 'more)"],
};

/** Failures and endless loops, for some lanes. */
const troubles = ["(car a)", "(ref [1 2] (+ 5 (floor a)))", "(let go ((x a)) (go (+ x 1)))"];

/** A program whose lanes part on their numbers and return what they find there. */
export function makeSource(random: Random): string {
  const kindNames = Object.keys(kinds);
  const leaf = (): string => {
    if (random.chance(0.08)) return random.pick(troubles);
    const kind = random.chance(0.5)
      ? random.pick(["number", "vector", "matrix"])
      : random.pick(kindNames);
    return random.pick(kinds[kind] as readonly string[]);
  };
  const test = (): string =>
    `(${random.pick(["<", ">"])} ${random.pick(names)} ${random.between(-2, 2)}.5)`;
  const tree = (depth: number): string =>
    depth === 0 || random.chance(0.2)
      ? leaf()
      : `(if ${test()} ${tree(depth - 1)} ${tree(depth - 1)})`;
  const body = tree(random.between(1, 3));
  return random.chance(0.2) ? `(let ((c (* a b))) (if (< c 0) ${body} ${leaf()}))` : body;
}

export function makeColumns(random: Random): Columns {
  const lanes = random.between(1, random.chance(0.15) ? 40 : 6);
  const column = (): number[] => Array.from({ length: lanes }, () => random.between(-4, 4));
  return { a: column(), b: column() };
}

const stepsMax = 2000;

/** Lanes alone, on a machine of their own that replays nothing. */
export class Solo {
  readonly #machine: Machine;
  readonly #known = new Map<string, Alone>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  lane(source: string, { a, b }: Columns, lane: number): Alone {
    const inputs = { a: [a[lane] as number], b: [b[lane] as number] };
    const key = `${source} ${inputs.a} ${inputs.b}`;
    const known = this.#known.get(key) ?? this.#find(source, inputs);
    this.#known.set(key, known);
    return known;
  }

  #find(source: string, inputs: Inputs): Alone {
    const program = this.#machine.load(source, { inputs: names });
    try {
      const found = program.evaluate(inputs, { replay: false, stepsMax });
      return { ...reading(found, 0), shape: found.shape, values: valuesOf(found) ?? [] };
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      return { code: error.code, text: "", datum: "", shape: undefined, values: [] };
    } finally {
      program.dispose();
    }
  }
}

const reading = (found: Evaluation, lane: number): { text: string; datum: string } => ({
  text: found.print(lane),
  datum: datumText(found.datum(lane)),
});

/** A datum as text in which every bit of a number shows. */
function datumText(value: DatumValue): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Float64Array) return { numbers: bitsOf(part) };
    return typeof part === "number" ? bitsOf([part])[0] : part;
  });
}

function valuesOf(found: Evaluation): string[] | undefined {
  try {
    return bitsOf(found.values);
  } catch (error) {
    if (error instanceof NdvmError && error.code === "E-RESULT") return undefined;
    throw error;
  }
}

/** What a result must be, from its lanes alone; undefined where all of them fail. */
export class Expected {
  readonly lanes: readonly Alone[];

  constructor(solo: Solo, source: string, columns: Columns) {
    this.lanes = columns.a.map((_, lane) => solo.lane(source, columns, lane));
  }

  get allFail(): string | undefined {
    return this.lanes.every(({ code }) => code !== undefined) ? this.lanes[0]?.code : undefined;
  }

  /** The shape that all lanes with a result share. */
  get shape(): readonly number[] | undefined {
    const whole = this.lanes.filter(({ code }) => code === undefined);
    const first = whole[0]?.shape;
    const isCommon = whole.every(
      ({ shape }) =>
        shape !== undefined && `${shape}|${shape.length}` === `${first}|${first?.length}`,
    );
    return isCommon ? first : undefined;
  }

  /** Bits of all lanes' numbers, NaN where a lane failed; undefined without a common shape. */
  get values(): readonly string[] | undefined {
    const { shape } = this;
    if (shape === undefined) return undefined;
    const count = shape.reduce((product, size) => product * size, 1);
    const none = bitsOf(Array.from({ length: count }, () => Number.NaN));
    return this.lanes.flatMap(({ code, values }) => (code === undefined ? values : none));
  }

  /** The first difference between a result and its lanes alone, in words. */
  difference(found: Evaluation): string | undefined {
    if (found.lanes !== this.lanes.length) return `${found.lanes} lanes`;
    const failed = new Map(found.failures.map(({ lane, error }) => [lane, error.code]));
    for (const [lane, alone] of this.lanes.entries()) {
      if (failed.get(lane) !== alone.code)
        return `lane ${lane} fails with ${failed.get(lane)}, alone with ${alone.code}`;
      if (alone.code !== undefined) continue;
      const { text, datum } = reading(found, lane);
      if (text !== alone.text) return `lane ${lane} prints ${text}, alone ${alone.text}`;
      if (datum !== alone.datum) return `lane ${lane} is ${datum}, alone ${alone.datum}`;
    }
    if (JSON.stringify(found.shape) !== JSON.stringify(this.shape))
      return `shape ${JSON.stringify(found.shape)}, alone ${JSON.stringify(this.shape)}`;
    const values = valuesOf(found);
    if (JSON.stringify(values) !== JSON.stringify(this.values))
      return `values ${values}, alone ${this.values}`;
    return undefined;
  }
}

interface Resident {
  readonly source: string;
  program: Program;
  /** Sessions by the lanes they were made for. */
  readonly sessions: Map<number, Session>;
}

interface Held {
  readonly what: string;
  readonly found: Evaluation;
  readonly expected: Expected;
}

/** How a run is asked for: replayed or not, in chunks or whole. */
const ways: readonly RunOptions[] = [{}, {}, {}, { replay: false }, { chunk: 1 }, { chunk: 3 }];

export class House {
  readonly #machine: Machine;
  readonly #solo: Solo;
  readonly #random: Random;
  readonly #residents: Resident[] = [];
  readonly #held: Held[] = [];
  readonly #log: string[] = [];
  #columns: Columns;

  constructor(machine: Machine, solo: Solo, random: Random) {
    this.#machine = machine;
    this.#solo = solo;
    this.#random = random;
    this.#columns = makeColumns(random);
  }

  /** Uses the machine so many times; returns the first difference and how it came about. */
  live(uses: number): string | undefined {
    for (let i = 0; i < 4; i++) this.#load(makeSource(this.#random));
    try {
      for (let i = 0; i < uses; i++) {
        const wrong = this.#use();
        if (wrong !== undefined) return [...this.#log, wrong].join("\n");
      }
      for (const { what, found, expected } of this.#held) {
        const wrong = expected.difference(found);
        if (wrong !== undefined) return [...this.#log, `later, ${what}: ${wrong}`].join("\n");
      }
      return undefined;
    } finally {
      for (const { program } of this.#residents) program.dispose();
    }
  }

  #load(source: string): Resident {
    const program = this.#machine.load(source, { inputs: names });
    const resident = { source, program, sessions: new Map<number, Session>() };
    this.#residents.push(resident);
    return resident;
  }

  #use(): string | undefined {
    const random = this.#random;
    const resident = random.pick(this.#residents);
    if (random.chance(0.3)) this.#columns = makeColumns(random);
    return random.weighted<() => string | undefined>([
      [8, () => this.#evaluate(resident)],
      [3, () => this.#runSession(resident)],
      [1, () => this.#bomb(resident)],
      [1, () => this.#replace(resident)],
    ])();
  }

  #evaluate({ source, program }: Resident): string | undefined {
    const options = this.#random.pick(ways);
    const columns = this.#columns;
    const expected = new Expected(this.#solo, source, columns);
    const what = `evaluate ${source} ${JSON.stringify(columns)} ${JSON.stringify(options)}`;
    this.#log.push(what);
    const code = expected.allFail;
    try {
      const found = program.evaluate(columns, { ...options, stepsMax });
      if (code !== undefined) return `${what}: ran, but all lanes fail alone`;
      this.#held.push({ what, found, expected });
      return expected.difference(found);
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      return error.code === code ? undefined : `${what}: ${error.code}, expected ${code}`;
    }
  }

  /** A session gives numbers where all lanes have one, and refuses otherwise. */
  #runSession(resident: Resident): string | undefined {
    const { source, program, sessions } = resident;
    const columns = this.#columns;
    const lanes = columns.a.length;
    const what = `session ${source} ${JSON.stringify(columns)}`;
    this.#log.push(what);
    const expected = new Expected(this.#solo, source, columns);
    const isNumber = expected.shape?.length === 0;
    try {
      const session = sessions.get(lanes) ?? program.session(columns, { stepsMax, wrt: [] });
      sessions.set(lanes, session);
      for (const name of names) session.set(name, columns[name]);
      session.run();
      if (!isNumber) return `${what}: ran, but a lane has no number`;
      const values = JSON.stringify(bitsOf(session.values));
      return values === JSON.stringify(expected.values) ? undefined : `${what}: ${values}`;
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
      const code = expected.allFail ?? (isNumber ? undefined : "E-RESULT");
      return error.code === code ? undefined : `${what}: ${error.code}, expected ${code}`;
    }
  }

  /** A run that cannot end within its budget, of another program or of the resident. */
  #bomb({ program }: Resident): undefined {
    this.#log.push("bomb");
    const bombs = [
      () => program.evaluate(this.#columns, { stepsMax: this.#random.between(1, 6) }),
      () =>
        program.evaluate(this.#columns, { stepsMax, tapeBytesMax: this.#random.between(1, 300) }),
      () => {
        const own = this.#machine.load("(let grow ((l '()) (x a)) (grow (cons x l) (+ x b)))");
        try {
          own.evaluate(this.#columns, { stepsMax: 3000 });
        } finally {
          own.dispose();
        }
      },
    ];
    try {
      this.#random.pick(bombs)();
    } catch (error) {
      if (!(error instanceof NdvmError)) throw error;
    }
    return undefined;
  }

  /** A program goes, and another one or the same text comes into its place. */
  #replace(resident: Resident): undefined {
    this.#log.push(`dispose ${resident.source}`);
    resident.program.dispose();
    this.#residents.splice(this.#residents.indexOf(resident), 1);
    this.#load(this.#random.chance(0.5) ? resident.source : makeSource(this.#random));
    return undefined;
  }
}
