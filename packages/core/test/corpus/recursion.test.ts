/**
 * Tail calls and recursion: the classic small benchmarks with results from another Scheme, and the
 * published results of their large calls.
 *
 * A large call runs where it takes seconds; the others say in their name how much work they are,
 * and run when NDVM_SLOW is set.
 */

import { expect, test } from "vitest";
import { describeCorpus, readCorpus } from "./corpus.js";
import { readExpected, resultMatches } from "./expected.js";
import { withProgram } from "./support.js";

interface SmallCall {
  readonly id: string;
  readonly name: string;
  readonly defs: string;
  readonly expr: string;
  readonly guile_prints: string;
}
interface LargeCall {
  readonly name: string;
  readonly call: string;
  readonly expected: string;
}
interface Recursion {
  readonly cases: readonly SmallCall[];
  readonly published_large_calls: readonly LargeCall[];
}

/** Definitions of the large calls that no small case defines. */
const ownDefinitions: Readonly<Record<string, string>> = {
  fibfp: "(define (fibfp n) (if (< n 2.0) n (+ (fibfp (- n 1.0)) (fibfp (- n 2.0)))))",
  cpstak: `
    (define (cpstak x y z)
      (define (tak x y z k)
        (if (not (< y x))
            (k z)
            (tak (- x 1) y z
                 (lambda (v1)
                   (tak (- y 1) z x
                        (lambda (v2)
                          (tak (- z 1) x y
                               (lambda (v3) (tak v1 v2 v3 k)))))))))
      (tak x y z (lambda (a) a)))`,
  nqueens: `
    (define (iota1 n) (let loop ((i n) (l '())) (if (= i 0) l (loop (- i 1) (cons i l)))))
    (define (safe? row distance placed)
      (or (null? placed)
          (and (not (= (car placed) (+ row distance)))
               (not (= (car placed) (- row distance)))
               (safe? row (+ distance 1) (cdr placed)))))
    (define (try candidates others placed)
      (if (null? candidates)
          (if (null? others) 1 0)
          (+ (if (safe? (car candidates) 1 placed)
                 (try (append (cdr candidates) others) '() (cons (car candidates) placed))
                 0)
             (try (cdr candidates) (cons (car candidates) others) placed))))
    (define (nqueens n) (try (iota1 n) '() '()))`,
};

/** Calls that take longer than a few seconds, and why. */
const slow: Readonly<Record<string, string>> = {
  fib: "331 million calls, two thousand million steps",
  tak: "hundreds of millions of calls",
  ack: "700 million calls",
  fibfp: "30 million calls on reals",
  cpstak: "hundreds of millions of closures",
  nqueens: "millions of partial boards",
};

async function expectPrints(source: string, expected: string): Promise<void> {
  await withProgram("f64", source, {}, (program) => {
    const out = program.evaluate({}, { stepsMax: 1e13 });
    const matches = resultMatches(out, 0, readExpected(expected), {});
    expect(matches, `printed ${out.print(0)}, expected ${expected}`).toBe(true);
  });
}

describeCorpus("tail calls and recursion", () => {
  const { cases, published_large_calls: large } = readCorpus<Recursion>(
    "r7rs_subset/tail_and_recursion.json",
  );

  test("all sixteen cases are here", () => {
    expect(cases.length).toBe(16);
  });

  test.each(cases)("$id: $expr => $guile_prints", async ({ defs, expr, guile_prints }) => {
    await expectPrints(`${defs}\n${expr}`, guile_prints);
  });

  const definitions = new Map(cases.map(({ name, defs }) => [name, defs]));
  for (const { name, call, expected } of large) {
    const source = `${definitions.get(name) ?? ownDefinitions[name] ?? ""}\n${call}`;
    const reason = slow[name];
    const left = reason !== undefined && !process.env["NDVM_SLOW"];
    const note = left ? ` [run with NDVM_SLOW=1: ${reason}]` : "";
    test.skipIf(left)(`published result: ${call} => ${expected}${note}`, async () => {
      await expectPrints(source, expected);
    });
  }

  test.each([
    ["fibfp", "(fibfp 25.0)", "75025.0"],
    ["cpstak", "(cpstak 18 12 6)", "7"],
    ["nqueens", "(nqueens 8)", "92"],
  ])("%s at a small size: %s => %s", async (name, call, expected) => {
    await expectPrints(`${ownDefinitions[name]}\n${call}`, expected);
  });
});
