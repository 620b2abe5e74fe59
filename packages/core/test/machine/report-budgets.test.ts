/** What is told about a run stays within the machine's memory, to the byte that is counted. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Machine } from "../../src/index.js";

const MEMORY = 8 * 2 ** 20;
/** What is counted for a turn of a lane, for a record of a tape, and for a place and its text. */
const TURN_BYTES = 16;
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
  const most = MEMORY / TURN_BYTES / lanes;
  const { paths, branches } = turns(most).diagnose({ a });
  expect(paths.map(({ length }) => length)).toEqual(a.map(() => most));
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
