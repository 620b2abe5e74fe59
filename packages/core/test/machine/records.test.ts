/**
 * What a walk records and what it may: tests of constants leave no record, a budget of tape that ends in
 * any place is told, NaNs of all lanes have the same bits, and loops may have many variables.
 */
import { describe, expect, test } from "vitest";
import { Machine, NdvmError } from "../../src/index.js";
import { precisions } from "./support.js";

test.each([
  ["(if (< 1.5 2.5) (* a a) a)", "(* a a)"],
  ["(if (and (= 2.5 2.5) (positive? 0.5)) (sin a) a)", "(sin a)"],
])("%s has the records of %s", async (tested, plain) => {
  const machine = await Machine.create();
  const recordsOf = (source: string): readonly number[] => {
    const program = machine.load(source);
    const given = { a: [0.5, 1.5, 2] };
    const counts = [0, 1].map(() => program.gradient(given).stats.tapeRecords);
    program.dispose();
    return counts;
  };
  expect(recordsOf(tested)).toEqual(recordsOf(plain));
  machine.dispose();
});

/** Numbers that leave branches, loops, calls and lists, so that they have records of their own. */
const leaving: readonly string[] = [
  "(* 2 (if (< a b) a b))",
  "(let ((f (lambda (u) (if (< u b) u (* u u))))) (+ (f a) (f b)))",
  "(loop ((k 0) (s a)) (if (= k 3) s (recur (+ k 1) (if (< s b) (+ s a) b))))",
  "(+ (car (list a b)) (ref (vec a b (* a b)) 2))",
  "(vsum (matmul (mat (vec a b) (vec b a)) (if (< a b) (mat (vec a 1) (vec b 2)) (eye 2))))",
];

describe.each(precisions)("in %s", (precision) => {
  test.each(leaving)(
    "a tape that ends in any place is told, and is enough or not: %s",
    async (source) => {
      const machine = await Machine.create({ precision });
      const given = { a: [1, 2, 3], b: [2, 1, 3.5] };
      const whole = machine.load(source).gradient(given);
      let failedBefore = 3;
      for (let tapeBytesMax = 1; tapeBytesMax < 3000; tapeBytesMax += 20) {
        const program = machine.load(source);
        const failed = new Set<number>();
        try {
          const { values, gradients, failures } = program.gradient(given, { tapeBytesMax });
          for (const { lane, error } of failures) {
            expect(error.code).toBe("E-TAPE");
            failed.add(lane);
          }
          for (const lane of [0, 1, 2].filter((each) => !failed.has(each))) {
            expect(values[lane]).toBe(whole.values[lane]);
            for (const name of ["a", "b"])
              expect(gradients[name]?.[lane]).toBe(whole.gradients[name]?.[lane]);
          }
        } catch (error) {
          if (!(error instanceof NdvmError)) throw error;
          expect(error.code).toBe("E-TAPE");
          for (const lane of [0, 1, 2]) failed.add(lane);
        }
        expect(failed.size).toBeLessThanOrEqual(failedBefore);
        failedBefore = failed.size;
        program.dispose();
      }
      expect(failedBefore).toBe(0);
      machine.dispose();
    },
  );

  test("NaNs have the same bits in all lanes, walked and replayed", async () => {
    const machine = await Machine.create({ precision });
    const bits = (numbers: Float64Array = new Float64Array()) => [
      ...new Set(new BigUint64Array(numbers.slice().buffer)),
    ];
    const program = machine.load("(+ (/ (- a a) (- b b)) (* 0 (/ a (- b b))))");
    const lanes = Float64Array.from({ length: 37 }, (_, i) => (i % 2 === 0 ? i + 1 : -i));
    for (let turn = 0; turn < 4; turn++) {
      const { values, gradients } = program.gradient({ a: lanes, b: lanes });
      expect(bits(values)).toEqual([0x7ff8000000000000n]);
      for (const name of ["a", "b"]) expect(bits(gradients[name])).toEqual([0x7ff8000000000000n]);
      expect(bits(program.evaluate({ a: lanes, b: lanes }).values)).toEqual([0x7ff8000000000000n]);
    }
    machine.dispose();
  });
});

test("lanes leave a loop of very many variables at different turns", async () => {
  const machine = await Machine.create();
  const names = Array.from({ length: 400 }, (_, i) => `v${i}`);
  const source = `(loop ((k 0) ${names.map((name, i) => `(${name} (* ${i + 1} a))`).join(" ")})
    (if (> (+ v0 k) 5.5) (+ k ${names.join(" ")})
      (recur (+ k 1) ${[...names.slice(1), names[0]].join(" ")})))`;
  const program = machine.load(source);
  const a = [0.5, 4.75, 3, 1, 6];
  const { values, gradients } = program.gradient({ a });
  a.forEach((each, lane) => {
    const alone = program.gradient({ a: each }, { replay: false });
    expect([values[lane], gradients["a"]?.[lane]]).toEqual([
      alone.values[0],
      alone.gradients["a"]?.[0],
    ]);
  });
  machine.dispose();
});
