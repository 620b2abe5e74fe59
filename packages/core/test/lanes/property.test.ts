/**
 * Lane decomposition over generated programs whose lanes take different paths. The seed is new in
 * every run and printed; `SEED=… npx vitest run lanes/property` runs the same programs again.
 * `npm run long -- lanes` runs 10,000; LANES_FROM and LANES_PROGRAMS choose a part of them.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLanes, LaneMachines } from "./run.js";

const { SEED, LANES_PROGRAMS = "300", LANES_FROM = "0" } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(SEED);
const programs = Number(LANES_PROGRAMS);
const from = Number(LANES_FROM);

let machines: LaneMachines;
beforeAll(async () => {
  machines = await LaneMachines.create();
});
afterAll(() => machines.dispose());

test(`a batch equals its lanes alone, bit for bit, seed ${seed}`, () => {
  console.info(`lanes: ${programs} programs from ${from} on, SEED=${seed}`);
  const { failure, passed, seen } = checkLanes(machines, { seed, programs, from });
  expect(failure).toBeUndefined();
  expect(passed).toBeGreaterThan(2.9 * programs);
  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0);
});
