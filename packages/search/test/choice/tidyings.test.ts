/** How often a program is made simpler, with simplifications of the test's own. */

import { expect, test, vi } from "vitest";
import { Scales } from "../../src/choice/weigh.js";
import { complexityOf } from "../../src/complexity.js";
import { makeStudy } from "../../src/study.js";

const tidyings: string[] = [];
/** Takes a term of nothing away each time, or makes the program longer. */
vi.mock("../../src/choice/tidy.js", () => ({
  tidied: (source: string, params: object, numbers: ReadonlyMap<string, number>) => {
    tidyings.push(`${source} with ${[...numbers].join(" ")}`);
    if (source.includes("77")) return { source: `(+ 5 ${source})`, params, complexity: 30 };
    const less = source.replace(/ \(\* 0 \d\)/, "");
    return less === source
      ? undefined
      : { source: less, params, complexity: complexityOf(less, ["x"]) };
  },
}));

const x = Array.from({ length: 24 }, (_, i) => i / 3);
const study = makeStudy({
  data: { x, y: x.map((at) => 1 + 2.37 * at + Math.sin(9 * at) / 50) },
  target: "y",
});

async function weigh(
  source: string,
  params: Readonly<Record<string, number>>,
  of: typeof study = study,
) {
  tidyings.length = 0;
  const scales = await Scales.create(of);
  const found = await scales.weigh({
    visit: 0,
    source,
    params,
    complexity: complexityOf(source, ["x"]),
  });
  scales.dispose();
  return found;
}

test("a program becomes simpler three times at most, and only where that is shorter", async () => {
  const terms = (count: number) =>
    `(+ a (* b x)${Array.from({ length: count }, (_, i) => ` (* 0 ${i + 2})`).join("")})`;
  const params = { a: 1.37, b: 2.37 };
  expect((await weigh(terms(2), params))?.source).toBe("(+ a (* b x))");
  expect(tidyings).toHaveLength(3);
  expect((await weigh(terms(5), params))?.source).toBe("(+ a (* b x) (* 0 5) (* 0 6))");
  expect(tidyings).toHaveLength(3);
  const longer = "(+ a (* b x) (* 0 77))";
  const kept = await weigh(longer, params);
  expect([kept?.source, tidyings.length, kept?.scores]).toEqual([longer, 1, undefined]);
  expect((await weigh(terms(1), params))?.scores?.loss).toBeGreaterThan(0);
});

test("what is written out are the simple constants 0, 1 and −1", async () => {
  await weigh("(+ (* c (sin (* 50 x))) (* d (+ 1 (* 2.37 x))))", { c: 0.001, d: 1.001 });
  expect(tidyings[0]).toMatch(/with (c,0 d,1|d,1 c,0|d,1)$/);
  await weigh("(+ 1 (* d (* 1.185 x)))", { d: 2.001 });
  expect(tidyings[0]).toMatch(/with $/);
});

test("constants are written out at 0, 1 and −1, not at other simple numbers", async () => {
  const y = x.map((at, i) => 0.5 + at - Math.cos(at) + 2 * Math.sin(at) + ((i % 2) - 0.5) / 1e4);
  const other = makeStudy({ data: { x, y }, target: "y" });
  const source = "(+ a (+ (* b x) (+ (* c (cos x)) (* d (sin x)))))";
  const found = await weigh(source, { a: 0.5, b: 1, c: -1, d: 2 }, other);
  expect(found?.simple.toSorted()).toEqual(["a", "b", "c", "d"]);
  const [, numbers = ""] = tidyings[0]?.split(" with ") ?? [];
  expect(numbers.split(" ").toSorted()).toEqual(["b,1", "c,-1"]);
});
