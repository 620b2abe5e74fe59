/**
 * Powers and remainders where numbers end: operands and results about the largest, the least normal and the
 * subnormal numbers, in every lane, against JavaScript and exact arithmetic.
 */

import { afterAll, expect, test } from "vitest";
import { Machine } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { exactFloor, exactModulo, exactRemainder } from "./exact.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

test(`whole powers are right up to where they end, SEED=${seed}`, () => {
  const random = new Random(seed);
  const program = machine.load("(expt x n)");
  for (let turn = 0; turn < 400; turn++) {
    const pairs = Array.from({ length: random.between(1, 9) }, () => {
      const n = random.pick([2, 3, 4, 5, 7, 8, 16, 31, 64, 100, 500, 1023, 1024, 1074]);
      // The power lies about one of the ends.
      const end = random.pick([-1080, -1074, -1050, -1023, -1022, -1021, 0, 1020, 1023, 1025]);
      const size = 2 ** Math.max(-1074, Math.min(1023, (end + random.unit()) / n));
      const sign = random.chance(0.5) ? 1 : -1;
      const isInverse = random.chance(0.5);
      return [sign * (isInverse ? 1 / size : size), isInverse ? -n : n] as const;
    });
    const { values } = program.evaluate({ x: pairs.map(([x]) => x), n: pairs.map(([, n]) => n) });
    for (const [i, [x, n]] of pairs.entries()) {
      const want = x ** n;
      const got = values[i] as number;
      const isNear = Math.abs(got - want) <= 1e-12 * Math.abs(want) + 2 * Number.MIN_VALUE;
      // A result just beyond the largest number may be that number or infinity.
      const isAtEnd =
        Math.abs(got) > 1.797e308 && Math.abs(want) > 1.797e308 && got > 0 === want > 0;
      expect(got === want || isNear || isAtEnd, `${x}^${n}: ${got}, not ${want}`).toBe(true);
    }
  }
  program.dispose();
});

test(`remainders by subnormal numbers and of them are exact, SEED=${seed}`, () => {
  const random = new Random(seed + 1);
  const oracles = { remainder: exactRemainder, modulo: exactModulo } as const;
  const least = (): number => {
    const exponent = random.pick([-1074, -1073, -1060, -1040, -1024, -1023, -1022, -1021, -1000]);
    return (random.chance(0.5) ? 1 : -1) * (1 + random.unit()) * 2 ** exponent;
  };
  const any = (): number =>
    random.chance(0.5) ? least() : (random.unit() - 0.5) * 2 ** random.between(-1070, 1000);
  for (const [name, oracle] of Object.entries(oracles)) {
    const program = machine.load(`(${name} x y)`);
    for (let turn = 0; turn < 300; turn++) {
      const pairs = Array.from({ length: random.between(1, 7) }, () => [any(), least()] as const);
      const { values } = program.evaluate({
        x: pairs.map(([x]) => x),
        y: pairs.map(([, y]) => y),
      });
      for (const [i, [x, y]] of pairs.entries())
        expect(values[i], `(${name} ${x} ${y})`).toBe(oracle(x, y) + 0);
    }
    program.dispose();
  }
  expect(exactFloor(7, 2)).toBe(3);
});
