/**
 * Programs that mean harm, in the stream of those that do not.
 */

import { describe, expect, test } from "vitest";
import { openArchive, paperRecipe, replay } from "../../src/index.js";
import { oscillation } from "./data.js";
import { freshFile, run } from "./support.js";

const nested = (count: number, before: string, inside: string, after: string): string =>
  before.repeat(count) + inside + after.repeat(count);

/** What each may end as. */
const hostile: Readonly<Record<string, readonly [source: string, codes: readonly string[]]>> = {
  "an endless loop": ["(loop ((s x)) (recur (+ s 1)))", ["E-STEPS"]],
  "a loop of a thousand million turns": [
    "(loop ((s x) (k 0)) (if (< k 1e9) (recur (sin s) (+ k 1)) (* a s)))",
    ["E-STEPS"],
  ],
  "endless recursion": ["(define (f n) (+ 1 (f (+ n 1)))) (f x)", ["E-STEPS", "E-RECURSION"]],
  "endless tail calls": ["(define (f n) (f (+ n 1))) (f x)", ["E-STEPS"]],
  "a list without end": ["(loop ((l '())) (recur (cons x l)))", ["E-STEPS", "E-MEMORY"]],
  "a list that doubles": [
    "(loop ((l (list 1 2)) (k 0)) (if (= k 60) (length l) (recur (append l l) (+ k 1))))",
    ["E-STEPS", "E-MEMORY"],
  ],
  "exponential recursion": [
    "(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (* a (f 40))",
    ["E-STEPS"],
  ],
  "a large matrix": ["(vsum (* a (zeros 3000 3000)))", ["E-STEPS", "E-TAPE", "E-MEMORY"]],
  "large matrices that nobody reads": [
    "(loop ((k 0)) (if (= k 500) (* a x) (begin (zeros 2000 1000) (recur (+ k 1)))))",
    ["E-STEPS"],
  ],
  "a long product": [
    "(trace (matmul (eye 1500) (eye 1500)))",
    ["E-STEPS", "E-TAPE", "E-MEMORY", "E-RESULT"],
  ],
  "a vector of a hundred million": ["(vsum (zeros 100000000))", ["E-RANGE"]],
  "closures over closures": [
    "(loop ((f (lambda (z) z)) (k 0)) (if (= k 1e8) (f x) (recur (lambda (z) (f z)) (+ k 1))))",
    ["E-STEPS", "E-MEMORY"],
  ],
  "a comparison of shared structure": [
    "(define (t k) (if (= k 0) '(1) (let ((s (t (- k 1)))) (list s s))))" +
      " (if (equal? (t 40) (t 40)) x a)",
    ["E-STEPS"],
  ],
  "a megabyte of text": [`(+ x ${"1 ".repeat(500_000)})`, ["E-LENGTH"]],
  "nothing but parentheses": [nested(4900, "(", "", ")"), ["E-FORM", "E-SYNTAX", "E-CALL"]],
  "parentheses that never close": ["(".repeat(9000), ["E-SYNTAX"]],
};
const good = [
  "(* a (exp (* b x)))",
  "(* a (exp (* b x)) (cos (+ (* c x) d)))",
  "(+ a (* b x) (* c x x))",
  "(* a (sin (+ (* b x) c)))",
].map((source) => ({ source }));

describe("hostile programs", () => {
  test.each(Object.entries(hostile))(
    "%s ends as a failure with a code",
    async (_, [source, codes]) => {
      const { outcomes } = await run({
        data: oscillation,
        target: "y",
        workers: 0,
        proposers: [replay([{ source }])],
      });
      expect(outcomes[0]?.status).toBe("failed");
      expect(codes).toContain(outcomes[0]?.failure?.code);
    },
  );

  test("one in nine costs no fit, and the good ones end as ever", async () => {
    const sources = Object.values(hostile).map(([source]) => ({ source }));
    const file = freshFile();
    const programs = sources.flatMap((bad) => [...good, bad, ...good]);
    const { outcomes } = await run({
      data: oscillation,
      target: "y",
      workers: 1,
      recipe: paperRecipe,
      archive: file,
      proposers: [replay(programs)],
    });
    const scored = outcomes.filter(({ status }) => status === "scored");
    expect(scored).toHaveLength(8 * sources.length);
    for (const { r2, fits } of scored) expect(Number.isFinite(r2) && fits === 1).toBe(true);
    const failed = outcomes.filter(({ status }) => status === "failed");
    expect(failed).toHaveLength(sources.length);
    for (const { fits } of failed) expect(fits).toBe(0);
    const archive = openArchive(file);
    const { screen, walk } = archive.timings();
    archive.close();
    expect(walk).toBeLessThanOrEqual(screen);
  });

  test("a deep but honest program is fitted", async () => {
    const source = nested(300, "(+ a ", "x", ")");
    const { outcomes } = await run({
      data: oscillation,
      target: "y",
      workers: 0,
      recipe: paperRecipe,
      proposers: [replay([{ source }])],
    });
    expect(outcomes[0]?.status).toBe("scored");
  });
});
