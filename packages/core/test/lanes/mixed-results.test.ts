/**
 * Results of mixed shape and kind: no result reads anything that its own run did not write. Seeds
 * are new in every run and printed; `SEED=… npx vitest run mixed-results` repeats one.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine, NdvmError, type Precision } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { caught } from "../machine/support.js";
import { Expected, House, makeColumns, makeSource, Solo } from "./house.js";

const { SEED, HOUSES } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
const houses = Number(HOUSES ?? 30);

const machines: Machine[] = [];
const create = async (precision: Precision): Promise<Machine> => {
  const machine = await Machine.create({ precision });
  machines.push(machine);
  return machine;
};
afterAll(() => {
  for (const machine of machines) machine.dispose();
});

describe.each(["f32", "f64"] as const)("in %s", (precision) => {
  let solo: Solo;
  let machine: Machine;
  beforeAll(async () => {
    solo = new Solo(await create(precision));
    machine = await create(precision);
  });

  test("a replay prints the lane of its own trace, not of the program that ran in between", () => {
    const p = machine.load("(if (< a 4) a (vec a a))");
    p.evaluate({ a: [1, 5] });
    p.evaluate({ a: [1, 5] });
    machine.load("(* 2 x)").evaluate({ x: 7 });
    const found = p.evaluate({ a: [1, 5] });
    expect([found.print(0), found.print(1)]).toEqual(["1", "[5 5]"]);
    expect(found.datum(1)).toEqual(Float64Array.of(5, 5));
    expect(found.shape).toBeUndefined();
    expect(caught(() => found.values).code).toBe("E-RESULT");
  });

  test("a replayed vector beside numbers is not the list of another program", () => {
    const p = machine.load("(if (< a 4) a (vec a a))");
    for (let i = 0; i < 3; i++) p.evaluate({ a: [1, 5] });
    machine.load("(list 1 2 (list 3 'four))").evaluate();
    const found = p.evaluate({ a: [1, 5, 6] });
    expect([0, 1, 2].map((lane) => found.print(lane))).toEqual(["1", "[5 5]", "[6 6]"]);
  });

  test("a lane of another shape that is not finite is reported as it is alone", () => {
    const p = machine.load("(if (< a 4) a (vec a (log (- 5 a))))");
    for (let i = 0; i < 3; i++) {
      const { nonFinite } = p.evaluate({ a: [1, 5, 2] });
      expect(nonFinite.map(({ lane, value }) => [lane, value])).toEqual([[1, -Infinity]]);
    }
  });

  test(`every result of a machine in use is what its lanes get alone, seed ${seed}`, () => {
    console.info(`mixed results: ${houses} machines in use, SEED=${seed}`);
    for (let index = 0; index < houses; index++) {
      const house = new House(machine, solo, new Random(seed, index));
      expect(house.live(40), `house ${index} of SEED=${seed}`).toBeUndefined();
    }
  });
});

test(`a pool gives every lane what it gets alone, seed ${seed}`, async () => {
  const machine = await create("f64");
  const solo = new Solo(await create("f64"));
  const pool = await machine.pool({ workers: 2 });
  try {
    for (let index = 0; index < houses / 2; index++) {
      const random = new Random(seed, 10_000 + index);
      const source = makeSource(random);
      const program = machine.load(source, { inputs: ["a", "b"] });
      for (let run = 0; run < 4; run++) {
        const columns = makeColumns(random);
        const options = { stepsMax: 2000, replay: random.chance(0.7) };
        const expected = new Expected(solo, source, columns);
        const what = `${source} ${JSON.stringify(columns)}, program ${index} of SEED=${seed}`;
        try {
          const found = await pool.evaluate(program, columns, options);
          expect(expected.allFail, what).toBeUndefined();
          expect(expected.difference(found), what).toBeUndefined();
        } catch (error) {
          if (!(error instanceof NdvmError)) throw error;
          expect(error.code, what).toBe(expected.allFail);
        }
      }
      program.dispose();
    }
  } finally {
    await pool.dispose();
  }
});
