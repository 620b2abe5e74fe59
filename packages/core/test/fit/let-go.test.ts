/**
 * What fits remember of data belongs to the caller's own columns: it is there for the next fit of the
 * same data, and goes with them.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { numbersOf } from "../../src/fit/data/columns.js";
import { largestOf } from "../../src/fit/data/scale.js";
import { fit, Machine } from "../../src/index.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});
afterAll(() => machine.dispose());

/** Whether everything is gone once nobody holds it; a collection may take a few turns. */
async function areGone(refs: readonly WeakRef<object>[]): Promise<boolean> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    if (refs.every((ref) => ref.deref() === undefined)) return true;
  }
  return false;
}

const columnOf = (slope: number): number[] => Array.from({ length: 64 }, (_, i) => slope * i + 1);

test("a column that is given again is not copied again", () => {
  const column = columnOf(2);
  const copy = numbersOf("x", column);
  expect(numbersOf("x", column)).toBe(copy);
  column[3] = -1;
  expect(numbersOf("x", column)).not.toBe(copy);
});

test("the copy of a column, and what is known of it, goes with the column", async () => {
  const refs = (() => {
    const column = columnOf(3);
    const copy = numbersOf("x", column);
    largestOf(copy);
    return [new WeakRef<object>(column), new WeakRef<object>(copy)];
  })();
  expect(await areGone(refs)).toBe(true);
});

test("a fit leaves nothing behind of its data, though the machine goes on", async () => {
  const refs = await (async () => {
    const data = { x: columnOf(1), y: columnOf(2) };
    const program = machine.load("(+ a (* b x))");
    const result = await fit(program, { data, target: "y", params: { a: 0, b: 1 } });
    expect(result.best.params["b"]).toBeCloseTo(2, 3);
    program.dispose();
    const copies = [numbersOf("x", data.x), numbersOf("y", data.y)];
    return [data.x, data.y, ...copies, result].map((each) => new WeakRef<object>(each));
  })();
  expect(await areGone(refs)).toBe(true);
});
