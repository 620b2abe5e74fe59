/** A fit in a memory that ends in any place: it says so, or finds what it finds in a large memory. */

import { expect, test } from "vitest";
import { fit, Machine, NdvmError } from "../../src/index.js";

const PAGE = 65_536;
/** Many numbers that only the data reach. */
const source = `(loop ((k 0) (s x)) (if (= k 30000) (* a s) (recur (+ k 1) (+ (* s 0.5) x))))`;

/** What is found in so many pages; undefined where they do not do. */
async function foundIn(pages: number): Promise<unknown> {
  const machine = await Machine.create({ memoryMax: pages * PAGE });
  try {
    const { best, restarts } = await fit(machine.load(source), {
      data: { x: [1, 2, 3], y: [2, 4, 7] },
      target: "y",
      params: { a: { start: 0.9 } },
      optimiser: "lm",
      detail: "scores",
      steps: 2,
    });
    return { loss: best.loss, params: best.params, reason: restarts[0]?.reason };
  } catch (error) {
    expect(error).toBeInstanceOf(NdvmError);
    expect((error as NdvmError).code).toBe("E-MEMORY");
    return undefined;
  } finally {
    machine.dispose();
  }
}

test("a fit whose trials had no room was told as one that did not converge", async () => {
  const whole = await foundIn(4000);
  expect(whole).toBeDefined();
  let [short, enough] = [64, 96];
  while (enough - short > 1) {
    const middle = (short + enough) >> 1;
    if ((await foundIn(middle)) === undefined) short = middle;
    else enough = middle;
  }
  for (let pages = enough; pages < enough + 20; pages += 4)
    expect(await foundIn(pages), `${pages}`).toEqual(whole);
});

test("a fit stands although the ways of all its rows through branches do not fit", async () => {
  const machine = await Machine.create({ memoryMax: 8 * 2 ** 20 });
  const x = Array.from({ length: 200 }, (_, row) => row);
  const turns = (count: number) =>
    fit(machine.load(`(loop ((i 0)) (if (= i ${count}) (* a x) (recur (+ i 1))))`), {
      data: { x, y: x.map((one) => 3 * one) },
      target: "y",
      params: { a: { start: 1 } },
    });
  const few = await turns(10);
  const many = await turns(12_000);
  expect(few.diagnostics.branches).toMatchObject([{ taken: 200, notTaken: 2000 }]);
  expect(many.diagnostics.branches).toEqual([]);
  expect(many.best.params["a"]).toBeCloseTo(3, 12);
  machine.dispose();
});
