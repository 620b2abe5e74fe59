/**
 * What is told about a run stays within the machine's memory, to the byte that is counted; and what is
 * counted is no less than what JavaScript takes for it.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  branchFlips,
  type Diagnostics,
  followBranches,
  laneNumbers,
  Machine,
  neighbourFlips,
  type Program,
  type ReportBudget,
} from "../../src/index.js";

const MEMORY = 8 * 2 ** 20;
/**
 * What is counted for a turn of a lane, for where a lane's turns are, for lanes that ran together, for a
 * record of a tape, and for a place and its text.
 */
const TURN_BYTES = 4;
const LANE_BYTES = 12;
const PART_BYTES = 256;
const ENTRY_BYTES = 640;
const PLACE_BYTES = 512;

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create({ memoryMax: MEMORY });
});
afterAll(() => machine.dispose());

const refused = expect.objectContaining({
  code: "E-MEMORY",
  facts: { reason: "report", option: "memoryMax", limit: MEMORY },
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test("the ways of lanes through branches are counted, all lanes together", () => {
  const lanes = 64;
  const turns = (count: number) =>
    machine.load(`(loop ((i 0)) (if (= i ${count - 1}) a (recur (+ i 1))))`);
  const a = Array.from({ length: lanes }, (_, i) => i);
  const place = PLACE_BYTES + 2 * "(if (= i 32700) a (recur (+ i 1)))".length;
  const turnBytes = MEMORY - lanes * LANE_BYTES - PART_BYTES - place;
  const most = Math.floor(turnBytes / TURN_BYTES / lanes);
  const { paths, branches } = turns(most).diagnose({ a });
  expect(Array.from(paths, ({ length }) => length)).toEqual(a.map(() => most));
  expect(paths.turns).toBe(most * lanes);
  expect(branches).toMatchObject([{ taken: lanes, notTaken: lanes * (most - 1) }]);
  const program = turns(most + 1);
  expect(caught(() => program.diagnose({ a }))).toEqual(refused);
  expect([...program.evaluate({ a }).values]).toEqual(a);
});

test("the records of a tape are counted", () => {
  // The last record copies the loop's variable out of it.
  const records = (count: number) =>
    machine.load(`(loop ((i 0) (v a)) (if (= i ${count - 1}) v (recur (+ i 1) (* v 0.5))))`);
  const places = 2 * PLACE_BYTES + 2 * "(* v 0.5)v".length;
  const most = Math.floor((MEMORY - places) / ENTRY_BYTES);
  expect(records(most).explain({ a: 1 }).tape).toHaveLength(most);
  expect(caught(() => records(most + 1).explain({ a: 1 }))).toEqual(refused);
  const texts = records(3)
    .explain({ a: 1 })
    .tape.map(({ text }) => text);
  expect(texts).toEqual(["(* v 0.5)", "(* v 0.5)", "v"]);
});

test("texts of nested calls are cut: each record had the text of all calls inside it", () => {
  const depth = 1500;
  const source = `${"(sin ".repeat(depth)}x${")".repeat(depth)}`;
  const { tape } = machine.load(source).explain({ x: 1 });
  expect(tape).toHaveLength(depth);
  expect(tape[0]?.text).toBe("(sin x)");
  expect(tape.at(-1)).toMatchObject({
    span: { start: 0, end: source.length },
    text: `${source.slice(0, 999)}…`,
  });
  const branch = `(if (< x 1) 0 ${source})`;
  const { branches, placeOf } = machine.load(branch).diagnose({ x: 2 });
  expect(branches[0]?.text).toBe(`${branch.slice(0, 999)}…`);
  expect(placeOf(0)).toBe(placeOf(0));
});

/** One number for each of many lanes, every second of which is below 0. */
const signs = (lanes: number): Float64Array =>
  Float64Array.from({ length: lanes }, (_, i) => (i % 2 ? 1 : -1));

const MANY = 3e6;
const CHANGES = "(if (< a 0) (* 2 a) a)";

describe("was not counted, and many lanes took hundreds of megabytes", () => {
  test.each<[string, (load: typeof machine.load) => unknown]>([
    ["the way of each lane", (load) => load(CHANGES).diagnose({ a: signs(MANY) })],
    [
      "the number of each lane that is clamped",
      (load) => load("(log a)", { domain: "clamp" }).diagnose({ a: signs(MANY) }),
    ],
    ["the numbers of each lane", (load) => laneNumbers(load(CHANGES), { a: signs(MANY) })],
    [
      "flips between neighbours",
      (load) => {
        const program = load(CHANGES);
        const inputs = { a: signs(1e5) };
        return neighbourFlips(program.diagnose(inputs), laneNumbers(program, inputs));
      },
    ],
    [
      "flips between two runs",
      (load) => {
        const program = load(CHANGES);
        const [before, now] = [1, -1].map((sign) =>
          program.diagnose({ a: signs(1e5).map((a) => sign * a) }),
        );
        return branchFlips(before as Diagnostics, now as Diagnostics);
      },
    ],
    [
      "flips of many runs",
      (load) =>
        followBranches(
          load(CHANGES),
          Array.from({ length: 100 }, (_, run) => ({ a: signs(1000).map((a) => a * (-1) ** run) })),
        ),
    ],
  ])("%s", (_, tell) => {
    expect(caught(() => tell((source, options) => machine.load(source, options)))).toEqual(refused);
  });

  test("nothing is charged for lanes of which there is nothing to tell", () => {
    const { paths } = machine.load("(* a a)").diagnose({ a: signs(MANY) });
    expect([paths.length, paths.turns, paths.at(MANY - 1)?.length]).toEqual([MANY, 0, 0]);
    expect([paths.at(MANY), paths.at(-1)]).toEqual([undefined, undefined]);
  });

  test("a run that is over makes room for the next", () => {
    const a = signs(1.5e5);
    const log = followBranches(
      machine.load(CHANGES),
      Array.from({ length: 12 }, () => ({ a })),
    );
    expect([log.flips, log.instability]).toEqual([[], 0]);
  });

  test("reports that share a budget are counted together", () => {
    const program = machine.load(CHANGES);
    const inputs = { a: signs(3e5) };
    program.diagnose(inputs);
    program.diagnose(inputs);
    const report = program.reportBudget();
    program.diagnose(inputs, { report });
    expect(caught(() => program.diagnose(inputs, { report }))).toEqual(refused);
    expect(caught(() => program.explain({ a: 1 }, { report }))).toEqual(refused);
    expect(caught(() => program.diagnose(inputs, { report: 5 as never }))).toMatchObject({
      code: "E-OPTION",
      facts: { option: "report" },
    });
  });
});

/** What JavaScript makes now and then for itself. */
const OWN_BYTES = 2 ** 19;

/** What JavaScript holds, its arrays included, once what nobody holds is gone. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe("what is counted is no less than what is held:", () => {
  const LOOP = "(loop ((x a) (k 0)) (if (< x 100) (recur (* x 1.5) (+ k 1)) k))";
  const THREE = "(if (< a 0) (* 2 b c) a)";
  type Tell = (program: Program, a: Float64Array, report: ReportBudget) => unknown;
  const diagnose: Tell = (program, a, report) => program.diagnose({ a }, { report });
  const b = 1 / 3;
  test.each<readonly [string, string, Tell]>([
    ["ways", LOOP, (program, a, report) => diagnose(program, a.map(Math.abs), report)],
    ["clamps", "(log a)", diagnose],
    ["numbers", CHANGES, (program, a, report) => laneNumbers(program, { a }, { report })],
    [
      "flips",
      CHANGES,
      (program, a, report) =>
        followBranches(program, [{ a }, { a: a.map((one) => -one) }], { report }),
    ],
    [
      "flips of several numbers",
      THREE,
      (program, a, report) => {
        const runs = [a, a.map((one) => -one)].map((one) => ({ a: one, b, c: a }));
        return followBranches(program, runs, { report });
      },
    ],
  ])("%s", async (what, source, tell) => {
    const memoryMax = 2 ** 27;
    const own = await Machine.create({ memoryMax });
    const program = own.load(source, { domain: "clamp" });
    const lanes = 1e5;
    const a = signs(lanes).map((sign, lane) => sign * (1 + lane / 9));
    tell(program, a, program.reportBudget());
    // Node lets go of arrays on another thread, when it likes: the middle one of several looks.
    const kept: unknown[] = [];
    const looks = Array.from({ length: 5 }, () => {
      const report = program.reportBudget();
      const before = heldBytes();
      kept.push(tell(program, a, report));
      return { held: heldBytes() - before, counted: memoryMax - report.left };
    }).sort((one, other) => one.held - other.held);
    const { held, counted } = looks[2] as (typeof looks)[number];
    console.info(`${what} of ${lanes} lanes: ${counted} bytes are counted, ${held} held`);
    expect(kept).toHaveLength(looks.length);
    expect(held).toBeLessThan(1.1 * counted + OWN_BYTES);
    expect(held).toBeGreaterThan(0.4 * counted - OWN_BYTES);
    own.dispose();
  });
});
