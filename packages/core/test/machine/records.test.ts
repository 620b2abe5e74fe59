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
  ["(let ((s (sin a))) (if (even? 4.0) (* a s) s))", "(* a (sin a))"],
  ["(let ((s (sin a))) (if (and (odd? 3.0) (integer? 2.5)) s (* a s)))", "(* a (sin a))"],
])("%s has the records of %s", async (tested, plain) => {
  const machine = await Machine.create();
  const recordsOf = (source: string): readonly number[] => {
    const program = machine.load(source);
    const given = { a: [0.5, 1.5, 2] };
    const counts = [0, 1, 2].flatMap(() => {
      const { tapeRecords, traceRecords } = program.gradient(given).stats;
      return [tapeRecords, traceRecords];
    });
    program.dispose();
    return counts;
  };
  expect(recordsOf(tested)).toEqual(recordsOf(plain));
  machine.dispose();
});

// Payloads by number: b, x and constants in the order in which they are met, then results.
test.each([
  [
    "(+ b (if (< x 0) (car x) (* x 2)))",
    "less 3: 1 2 0; mask-and-not 4: 3 3 1; guard 3: 3 - 0; mul 6: 1 5 0; add 7: 0 6 0",
  ],
  [
    "(+ b (if (even? x) 1 (* x 2)))",
    `isInteger 2: 1 - 0; guard 2: 2 - 1; isEven 3: 1 - 0; mask-and-not 4: 3 3 1; mul 6: 1 5 0;
     merge 8: 7 6 0; add 9: 0 8 0`,
  ],
  [
    "(+ b (ref (vec x 2) (if (< x 0) 0 1)))",
    `place 3: 1 - 0; less 5: 1 4 0; mask-and-not 6: 5 5 1; merge 8: 4 7 0; guard-range 8: 8 - 2;
     gather 9: 3 8 1; add 10: 0 9 0`,
  ],
  [
    "(+ b (if (< x 2.5) (if (< x 0) (car x) x) (* x b)))",
    `less 3: 2 0 0; mask-and-not 4: 3 3 1; less 6: 2 5 0; mask-and 7: 3 6 0; mask-and-not 8: 3 6 1;
     guard 7: 7 - 0; copy 9: 2 - 0; mul 10: 2 1 0; merge 11: 9 10 0; add 12: 1 11 0`,
  ],
])("the records of %s have the operands that they use, and no others", async (source, wanted) => {
  const machine = await Machine.create();
  const { tape } = machine.load(source).explain({ x: [1, -1, 2, 3], b: 1 });
  const texts = tape.map(
    ({ op, out, in0, in1, aux }) => `${op} ${out}: ${in0} ${in1 ?? "-"} ${aux}`,
  );
  expect(texts).toEqual(wanted.split(/;\s+/));
  machine.dispose();
});

test("lanes that a kept trace saw fail are refused by it, and others are not", async () => {
  const machine = await Machine.create();
  const given = [
    [1, -1, 2, 3],
    [-1, 1, 2, -3],
    [1, 2, 3, 4],
    [-1, 2, -1, 3],
  ];
  for (const source of [
    "(+ b (if (< x 0) (car x) (* x 2)))",
    "(if (< x 2.5) (if (< x 0) (car x) (+ b (* x 2))) (+ b (* 2 x)))",
  ]) {
    const session = machine.load(source).session({ x: [1, 2, 3, 4], b: 1 }, { wrt: ["x"] });
    for (const first of given)
      for (const x of [first, ...given]) {
        session.set("x", x);
        session.run();
        expect([...session.values]).toEqual(x.map((one) => (one < 0 ? Number.NaN : 1 + 2 * one)));
        expect(session.failures.map(({ lane }) => lane)).toEqual(
          [0, 1, 2, 3].filter((lane) => (x[lane] as number) < 0),
        );
      }
  }
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
    for (const wrt of [["a", "b"], []]) {
      const session = program.session({ a: lanes, b: lanes }, { wrt });
      for (let turn = 0; turn < 4; turn++) {
        session.run();
        expect(bits(Float64Array.from(session.values))).toEqual([0x7ff8000000000000n]);
        for (const name of wrt)
          expect(bits(Float64Array.from(session.gradients[name] ?? []))).toEqual([
            0x7ff8000000000000n,
          ]);
      }
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
