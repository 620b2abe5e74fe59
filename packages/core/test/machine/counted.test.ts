/**
 * Runs are counted once each, on whatever way they go and however they end; what one of them holds is let go
 * at its end, also when it fails or is given up half way; and counters tell the same whatever ran before.
 */

import { describe, expect, test } from "vitest";
import {
  type Evaluation,
  type GradientOptions,
  type Inputs,
  Machine,
  NdvmError,
  type Program,
  type Session,
} from "../../src/index.js";
import { caught, expectUsable } from "./support.js";

const source = "(if (> x 3) (car x) (loop ((i 0) (s a)) (if (= i 9) s (recur (+ i 1) (* s x)))))";
const spread = (lanes: number): number[] => Array.from({ length: lanes }, (_, i) => i / lanes + 1);

type Way = (program: Program, inputs: Inputs, own: GradientOptions) => unknown;
const ways: Readonly<Record<string, Way>> = {
  evaluate: (program, inputs, own) => program.evaluate(inputs, own),
  gradient: (program, inputs, own) => program.gradient(inputs, own),
  "evaluate with pauses": (program, inputs, own) => program.evaluateAsync(inputs, own),
  "gradient with pauses": (program, inputs, own) => program.gradientAsync(inputs, own),
  run: (program, inputs, own) => program.run(inputs, own),
  jacobian: (program, inputs, own) => program.jacobian(inputs, own),
  diagnose: (program, inputs, own) => program.diagnose(inputs, own),
  explain: (program, inputs, own) => program.explain(inputs, own),
};

describe("runs are counted once each", () => {
  test.each(Object.entries(ways))("by %s", async (_, way) => {
    const machine = await Machine.create();
    for (const own of [{}, { replay: false }, { wrt: ["x"] }, { chunk: 8 }])
      for (const lanes of [1, 3, 300]) {
        const program = machine.load(source);
        for (let call = 1; call <= 8; call++) {
          // Two paths and lanes that fail, but not all of them.
          const x = lanes === 1 ? 1.5 : spread(lanes).map((one, i) => (i === call ? 4 : one));
          await way(program, { a: call, x }, own);
          expect(program.runs, `${JSON.stringify(own)}, ${lanes} lanes`).toBe(call);
        }
        for (let call = 1; call <= 3; call++) {
          const x = lanes === 1 ? 4 : spread(lanes).map(() => 4);
          const refused = await (async () => way(program, { a: 1, x }, own))().catch((e) => e);
          expect((refused as NdvmError).code).toBe("E-TYPE");
          expect(program.runs, "a run in which every lane failed").toBe(8 + call);
        }
        program.dispose();
      }
    machine.dispose();
  });

  test("by sessions of one lane and of many, with pauses and without", async () => {
    const machine = await Machine.create();
    for (const lanes of [1, 4, 200])
      for (const replay of [true, false]) {
        const program = machine.load(source);
        const x = lanes === 1 ? 1.5 : spread(lanes);
        const session = program.session({ a: 1, x }, { wrt: ["a"], replay });
        for (let run = 1; run <= 12; run++) {
          if (run % 3 === 0) {
            if (!session.begin(true)) for (const _pause of session.finish());
          } else session.run();
          expect([session.stats.runs, program.runs]).toEqual([run, run]);
          const { walks, replays } = session.stats;
          expect(walks + replays).toBeGreaterThanOrEqual(run);
          if (!replay) expect(replays).toBe(0);
        }
        program.dispose();
      }
    machine.dispose();
  });
});

describe("a session that pauses", () => {
  const long = "(loop ((i 0) (s x)) (if (= i n) (if (> x 5) (car x) s) (recur (+ i 1) (+ s 1.0))))";
  const sessionOf = (machine: Machine, x: number | number[], own: GradientOptions = {}): Session =>
    machine.load(long).session({ x, n: 60_000 }, { wrt: [], ...own });

  test("has the machine till its end, and not after it", async () => {
    const machine = await Machine.create();
    const session = sessionOf(machine, [1, 2]);
    expect(session.begin(true)).toBe(false);
    const rest = session.finish();
    expect(rest.next().done).toBe(false);
    expect(session.isBlocked).toBe(true);
    expect(caught(() => session.run()).message).toContain("the machine is busy");
    for (const _pause of rest);
    expect(session.isBlocked).toBe(false);
    expect([...session.values]).toEqual([60_001, 60_002]);
    expectUsable(machine);
    machine.dispose();
  });

  test("and fails lets the machine go", async () => {
    const machine = await Machine.create();
    for (const own of [{}, { stepsMax: 30_000 }, { timeMax: 1e-6 }]) {
      const session = sessionOf(machine, [9, 9], own);
      for (let turn = 0; turn < 2; turn++) {
        expect(session.begin(true)).toBe(false);
        const code = caught(() => {
          for (const _pause of session.finish());
        }).code;
        expect(code).toBe(
          own.timeMax === undefined
            ? own.stepsMax === undefined
              ? "E-TYPE"
              : "E-STEPS"
            : "E-TIME",
        );
        expect(session.isBlocked).toBe(false);
        expectUsable(machine);
      }
    }
    machine.dispose();
  });

  test("and is given up lets the machine go, and its next run is a whole one", async () => {
    const machine = await Machine.create();
    const session = sessionOf(machine, [1, 2]);
    for (let turn = 0; turn < 3; turn++) {
      session.begin(true);
      for (const _pause of session.finish()) break;
      expect(session.isBlocked).toBe(false);
      session.set("x", turn);
      session.run();
      expect([...session.values]).toEqual([60_000 + turn, 60_000 + turn]);
    }
    machine.dispose();
  });
});

test("a run with pauses that fails or is ended lets the machine go", async () => {
  const machine = await Machine.create();
  const endless = machine.load("(loop ((i 0)) (if (< i 0) x (recur (+ i 1))))");
  const ends: (() => Promise<unknown>)[] = [
    () => endless.evaluateAsync({ x: 1 }, { stepsMax: 300_000 }),
    () => endless.gradientAsync({ x: 1 }, { timeMax: 1 }),
    () => {
      const abort = new AbortController();
      setTimeout(() => abort.abort());
      return endless.evaluateAsync({ x: 1 }, { signal: abort.signal });
    },
    () => endless.evaluateAsync({ x: 1 }, { signal: AbortSignal.abort() }),
    () => endless.gradientAsync({ x: 1 }, { signal: AbortSignal.abort() }),
  ];
  const told: [string, boolean][] = [];
  for (const end of ends) {
    const error = (await end().catch((refused) => refused)) as NdvmError;
    told.push([error.code, error.span !== undefined]);
    expect(machine.isOccupied).toBe(false);
    expectUsable(machine);
  }
  expect(told).toEqual([
    ["E-STEPS", true],
    ["E-TIME", true],
    ["E-ABORTED", true],
    // Nothing ran yet, so that there is no place to tell.
    ["E-ABORTED", false],
    ["E-ABORTED", false],
  ]);
  machine.dispose();
});

test("lanes that change sides in every run are walked no more than once, however often", async () => {
  const machine = await Machine.create();
  const session = machine
    .load("(* a (list-ref '(1 2 3) t))")
    .session({ a: 2, t: Array(100).fill(0) }, { wrt: ["a"] });
  const walks: number[] = [];
  for (let turn = 0; turn < 30; turn++) {
    // Each run's likely trace takes few of its lanes: five of a hundred.
    const [most, few] = turn % 2 === 0 ? [0, 1] : [1, 0];
    const t = Array.from({ length: 100 }, (_, lane) => (lane % 20 === 7 ? few : most));
    session.set("t", t);
    session.run();
    expect([...session.values]).toEqual(t.map((one) => 2 * (one + 1)));
    walks.push(session.stats.walks);
  }
  expect(walks.at(-1), walks.join()).toBeLessThanOrEqual(6);
  machine.dispose();
});

test("counters of a run are the same whatever another program did before it", async () => {
  const counted = ({ stats }: Evaluation) => ({ ...stats, memoryBytes: 0 });
  const others = [
    "(det (matmul (mat [x 1] [2 x]) (mat [1 x] [x 3])))",
    "(if (> x 1.5) (* x x) (sin x))",
    "(loop ((i 0) (l '())) (if (= i 50) (length l) (recur (+ i 1) (cons (* i x) l))))",
    "(car x)",
  ];
  const inputs: Inputs = { a: 2, x: spread(40) };
  const alone = async (): Promise<object[]> => {
    const machine = await Machine.create();
    const program = machine.load(source);
    const found = Array.from({ length: 4 }, () => counted(program.gradient(inputs)));
    machine.dispose();
    return found;
  };
  const wanted = await alone();
  const machine = await Machine.create();
  const program = machine.load(source);
  const beside = others.map((text) => machine.load(text));
  for (const each of wanted) {
    for (const other of beside)
      for (const x of [1.2, spread(9)])
        try {
          other.gradient({ x });
        } catch (error) {
          if (!(error instanceof NdvmError)) throw error;
        }
    expect(counted(program.gradient(inputs))).toEqual(each);
  }
  machine.dispose();
});
