/**
 * Where exports end: each limit is held on both of its sides, and nests of tests are written with the
 * parentheses that they need and no others.
 */

import { describe, expect, test } from "vitest";
import { type ExportFormat, exportModel, Machine, NdvmError } from "../../src/index.js";
import { primitiveByName } from "../../src/primitives/index.js";
import { functionOf } from "./support.js";

function told(program: string, format: ExportFormat): string {
  try {
    return exportModel({ program, numbers: ["a", "b", "c"] }, format);
  } catch (error) {
    if (!(error instanceof NdvmError)) throw error;
    const { code, message, help, span } = error;
    const at = span && program.slice(span.start, span.end);
    return `${code} ${message} | ${help} | ${at?.slice(0, 60)}`;
  }
}

const refused = (why: string, at: string | undefined): string =>
  `E-REFUSED the program has no closed form: ${why} | export it as scheme, json or javascript | ${at}`;

/** The greatest depth up to some that is not refused. */
function greatest(most: number, of: (depth: number) => string): number {
  for (let depth = most; depth > 0; depth--) if (!of(depth).startsWith("E-")) return depth;
  return 0;
}

describe("nesting", () => {
  // The program is a sequence, a call has its operator and operands, and (if …) is deeper by one.
  const nested = (depth: number) => `${"(exp ".repeat(depth)}a${")".repeat(depth)}`;
  const inForms = (depth: number) =>
    `${"(let ((u (if (< a 1) ".repeat(depth)}a${" 1))) u)".repeat(depth)}`;

  test("JavaScript takes 400 levels, and tells where more begin", () => {
    const tooDeep =
      "E-REFUSED the program is nested more than 400 deep | JavaScript's own readers end there; export it as Scheme or JSON | ";
    // A name, 398 calls around it and the program are 400.
    expect(told(nested(398), "javascript")).toContain("Math.exp");
    for (const depth of [399, 400, 401])
      expect(told(nested(depth), "javascript")).toBe(tooDeep + nested(depth).slice(0, 60));
    expect(greatest(210, (depth) => told(inForms(depth), "javascript"))).toBe(198);
    expect(told(inForms(199), "javascript")).toBe(tooDeep + inForms(199).slice(0, 60));
  });

  test("what is written out may be nested to the limit and no further", () => {
    for (const format of ["math", "numpy"] as const)
      expect(greatest(610, (depth) => told(nested(depth), format))).toBe(598);
    expect(told(nested(599), "math")).toBe(refused("it takes too many steps to write out", "exp"));
  });
});

describe("sizes", () => {
  /** 2^n − 1 parts of a sum of so many levels, and as many more as wanted. */
  const sum = (count: number) => `(+ ${Array(count).fill("a").join(" ")})`;

  test("a formula may have 4000 parts", () => {
    // A sum of n names has n names and n − 1 signs.
    expect(told(sum(2000), "math")).toHaveLength(2000 + 1999 * 3);
    expect(told(sum(2001), "math")).toBe(
      refused("written out it has 4001 parts, more than 4000", sum(2001).slice(0, 60)),
    );
    expect(told(`(vec ${sum(1000)} ${sum(1000)} a a)`, "math")).toContain("]");
    expect(told(`(vec ${sum(1000)} ${sum(1000)} a a a)`, "math")).toContain("4001 parts");
  });

  test("steps are counted over the whole program", () => {
    // Each turn of the loop is the same number of steps, and nothing gets larger.
    const turns = (count: number) => `(loop ((i 0)) (if (= i ${count}) a (recur (+ i 1))))`;
    const most = (() => {
      let [low, high] = [1, 20_000];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (told(turns(middle), "math") === "a") low = middle;
        else high = middle;
      }
      return low;
    })();
    // A turn: if, call, operator and two operands of the test; recur, call, operator and two operands.
    expect(most).toBe(Math.floor((20_000 - 9) / 10));
    expect(told(turns(most + 1), "math")).toContain("it takes too many steps to write out");
    expect(told(`(+ ${turns(most)} ${turns(2)})`, "math")).toContain("too many steps");
  });
});

describe("recursion under tests on the inputs", () => {
  const depends = "how deep it recurs depends on the inputs";
  const f = (body: string) => `(define (f n) ${body}) (f b)`;
  test.each([
    ["in the first branch", f("(if (< a 1) (f (- n 1)) n)"), depends],
    ["in the second branch", f("(if (< a 1) n (f (- n 1)))"), depends],
    ["after a test inside a test", f("(if (< a 1) (if (< b 1) 1 2) (f (- n 1)))"), depends],
    ["inside a test inside a test", f("(if (< a 1) 1 (if (< b 1) (f (- n 1)) 2))"), depends],
    [
      "after two tests that are over",
      f("(+ (if (< a 1) 1 2) (if (< b 1) 1 2) (if (< c 1) (f n) 1))"),
      depends,
    ],
    [
      "through another",
      "(define (f n) (if (< a 1) (g n) n)) (define (g n) (f (- n 1))) (f b)",
      depends,
    ],
  ])("%s", (_, program, why) => {
    expect(told(program, "math")).toMatch(new RegExp(`closed form: ${why} \\|.*\\| \\((f|g) `));
  });

  test("that the program alone decides goes on, under tests and after them", () => {
    const program = (body: string) => `(define (f n) (if (= n 0) c (* a (f (- n 1))))) ${body}`;
    expect(told(program("(f 3)"), "math")).toBe("a·(a·(a·c))");
    expect(told(program("(if (< b 1) (f 2) (f 1))"), "math")).toBe("a·(a·c) if b < 1 else a·c");
    expect(told(program("(+ (if (< b 1) (if (< a 1) 1 (f 1)) 3) (f 1))"), "math")).toBe(
      "(1 if b < 1 if a < 1 else a·c else 3) + a·c".replace(
        "1 if b < 1 if a < 1 else a·c else 3",
        "(1 if a < 1 else a·c) if b < 1 else 3",
      ),
    );
    const twice =
      "(define (g x) (* 2 x)) (+ (g (if (< a 1) (g 1) (g 2))) (g (g b)) (if (< b 1) (g a) 1))";
    expect(told(twice, "math")).not.toContain("E-");
  });
});

describe("tests of constants", () => {
  const operands = ["1", "2.5", "-0.75", "0.5"];
  const calls = [...primitiveByName].flatMap(([name, { kind, arity }]) => {
    const isNumeric = kind === "unary" || kind === "binary";
    if (!isNumeric) return [];
    const counts = [1, 2, 3, 4].filter((count) => count >= arity.min && count <= arity.max);
    return counts.flatMap((count) =>
      [0, 1].map((first) => {
        const used = [...operands.slice(first), ...operands].slice(0, count);
        return `(${name} ${used.join(" ")})`;
      }),
    );
  });

  test("are decided as the machine decides them", async () => {
    const machine = await Machine.create();
    let decided = 0;
    for (const call of calls) {
      const program = machine.load(call);
      let value: number;
      try {
        value = program.evaluate().values[0] as number;
      } catch (error) {
        if (error instanceof NdvmError) continue;
        throw error;
      }
      if (!Number.isFinite(value)) continue;
      for (const [limit, isBelow] of [
        [value + 1e-3, true],
        [value - 1e-3, false],
      ] as const) {
        const text = told(`(if (< ${call} ${limit}) a b)`, "math");
        // What has no closed form at all is told so.
        if (text.startsWith("E-REFUSED")) continue;
        expect(text, `${call} < ${limit}`).toBe(isBelow ? "a" : "b");
        decided += 1;
      }
    }
    expect(decided).toBeGreaterThan(120);
    machine.dispose();
  });

  test("indices are constants as well", () => {
    for (const [index, name] of [
      ["(min 2 1 0)", "a"],
      ["(max 0 1 0)", "b"],
      ["(- 3 1 1)", "b"],
      ["(- -2)", "c"],
      ["(floor 2.5)", "c"],
      ["(quotient 5 3)", "b"],
    ])
      expect(told(`(ref (vec a b c) ${index})`, "math"), index).toBe(name);
  });
});

describe("nests of tests", () => {
  const leaves = ["(< a 1)", "(= b 2)", "(>= c 0)"];
  const [p, q, r] = leaves as [string, string, string];
  const pairs = (x: string, y: string) => [`(and ${x} ${y})`, `(or ${x} ${y})`];
  const nests = [
    ...[p, `(not ${p})`, `(not (not ${p}))`],
    ...pairs(p, q).flatMap((pair) => [pair, `(not ${pair})`]),
    ...pairs(p, q).flatMap((pair) => [...pairs(pair, r), ...pairs(r, pair)]),
    ...pairs(p, q).flatMap((pair) => [...pairs(`(not ${pair})`, r), ...pairs(r, `(not ${pair})`)]),
    ...pairs(`(not ${p})`, `(not ${q})`).flatMap((pair) => [pair, ...pairs(pair, r)]),
    ...pairs(p, q).flatMap((x) => pairs(q, r).flatMap((y) => pairs(x, y))),
    `(and ${p} ${q} ${r})`,
    `(or ${p} ${q} ${r})`,
    ...[
      `(if ${p} ${q} ${r})`,
      `(if ${p} #f ${r})`,
      `(if ${p} ${q} #t)`,
      `(not (if ${p} ${q} ${r}))`,
    ],
    ...[`(and (if ${p} ${q} ${r}) ${p})`, `(or ${r} (if ${p} ${q} ${r}))`],
  ];
  const places = [0, 1, 2].flatMap((a) => [1, 2].flatMap((b) => [-1, 0].map((c) => ({ a, b, c }))));
  const truths: Readonly<Record<string, (x: boolean, y: boolean) => boolean>> = {
    and: (x, y) => x && y,
    or: (x, y) => x || y,
  };

  /** The truth of a nest by its text alone. */
  function truthOf(nest: string, { a, b, c }: { a: number; b: number; c: number }): boolean {
    const text = nest
      .replaceAll(p, String(a < 1))
      .replaceAll(q, String(b === 2))
      .replaceAll(r, String(c >= 0))
      .replaceAll("#t", "true")
      .replaceAll("#f", "false");
    let now = text;
    for (let before = ""; before !== now; ) {
      before = now;
      now = now
        .replaceAll(/\(not (true|false)\)/g, (_, x) => String(x !== "true"))
        .replaceAll(/\(if (true|false) (true|false) (true|false)\)/g, (_, x, y, z) =>
          x === "true" ? y : z,
        )
        .replaceAll(/\((and|or) (true|false) (true|false)( true| false)?\)/g, (_, op, x, y, z) => {
          const of = truths[op] as (x: boolean, y: boolean) => boolean;
          const two = of(x === "true", y === "true");
          return String(z === undefined ? two : of(two, z === " true"));
        });
    }
    return now === "true";
  }

  test("are true where their parts say so", () => {
    for (const nest of nests) {
      const call = functionOf(
        exportModel({ program: nest, numbers: ["a", "b", "c"] }, "javascript"),
      );
      const chosen = functionOf(told(`(if ${nest} 1 2)`, "javascript"));
      for (const place of places) {
        const used = Object.fromEntries(
          Object.entries(place).filter(([name]) => nest.includes(` ${name} `)),
        );
        expect(call(used), nest).toBe(truthOf(nest, place));
        expect(chosen(used), nest).toBe(truthOf(nest, place) ? 1 : 2);
      }
    }
  });

  test("are written so", () => {
    const lines = nests.map((nest) => {
      const program = `(if ${nest} 1 2)`;
      const body = told(program, "javascript").split("\n").slice(2, -2);
      const checks = body.filter((line) => !line.includes("throw new TypeError"));
      const texts = (["math", "latex", "numpy", "sympy"] as const).map((format) =>
        told(program, format).trimEnd().split("\n").at(-1)?.trim(),
      );
      return [nest, ...checks.map((line) => line.trim()), ...texts].join("\n  ");
    });
    expect(lines.join("\n")).toMatchSnapshot();
  });
});
