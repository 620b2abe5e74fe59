/**
 * Weighing: what all rows say about a model, its constants and the places between the rows.
 */

import { Random } from "@ndvm/core";
import { describe, expect, test } from "vitest";
import { foldRates } from "../../src/choice/aliases.js";
import { gapsOf, swingsOf } from "../../src/choice/gaps.js";
import { tidied } from "../../src/choice/tidy.js";
import { Scales } from "../../src/choice/weigh.js";
import { yardstickOf } from "../../src/choice/yardstick.js";
import { complexityOf } from "../../src/complexity.js";
import type { SearchData, Weighing } from "../../src/index.js";
import { makeStudy } from "../../src/study.js";

const numbers = (count: number, of: (i: number) => number) =>
  Array.from({ length: count }, (_, i) => of(i));

async function weigh(
  data: SearchData,
  source: string,
  params: Readonly<Record<string, number>>,
): Promise<Weighing> {
  const study = makeStudy({ data, target: "y" });
  const scales = await Scales.create(study);
  try {
    const complexity = complexityOf(source, study.inputs);
    const weighing = await scales.weigh({ visit: 0, source, params, complexity });
    if (weighing === undefined) throw new Error("it has no length");
    return weighing;
  } finally {
    scales.dispose();
  }
}

/** Rows of a law with normal noise. */
function table(count: number, width: number, sigma: number, law: (x: number) => number) {
  const draws = new Random(7);
  const x = numbers(count, (i) => (width * i) / (count - 1));
  return { x, y: x.map((at) => law(at) + sigma * draws.normal()) };
}

describe("signs", () => {
  const signsOf = async (
    law: (x: number) => number,
    source: string,
    params: Readonly<Record<string, number>>,
  ): Promise<string> => {
    const found = await weigh(table(60, 6, 0.02, law), source, params);
    return Object.keys(params)
      .map((name) => ((found.params[name] as number) < 0 ? "−" : "+"))
      .join("");
  };
  const bell = (x: number) => 4.31 * Math.tanh(0.53 * x) ** 2;
  const swing = (x: number) => 2.37 * Math.cos(1.83 * x - 1.13);
  const wave = (x: number) => 2.37 * Math.sin(1.83 * x);

  test("that make no difference are positive, alone and two together", async () => {
    const square = "(* a (square (tanh (* b x))))";
    expect(await signsOf(bell, square, { a: 4, b: -0.5 })).toBe("++");
    expect(await signsOf(bell, square, { a: 4, b: 0.5 })).toBe("++");
    expect(await signsOf(wave, "(* a (sin (* b x)))", { a: -2.3, b: -1.8 })).toBe("++");
    expect(
      await signsOf(
        (x) => wave(x) + bell(x),
        "(+ (* a (sin (* b x))) (* c (square (tanh (* d x)))))",
        {
          ...{ a: -2.3, b: -1.8, c: 4, d: -0.5 },
        },
      ),
    ).toBe("++++");
  });

  test("of a cosine's argument are turned so that the rate is positive", async () => {
    expect(await signsOf(swing, "(* a (cos (+ (* b x) c)))", { a: 2, b: -1.8, c: 1.1 })).toBe(
      "++−",
    );
    expect(await signsOf(swing, "(* a (cos (+ (* b x) c)))", { a: 2, b: 1.8, c: -1.1 })).toBe(
      "++−",
    );
    expect(await signsOf(swing, "(* a (cos (* b (- x c))))", { a: 2, b: -1.8, c: 0.6 })).toBe(
      "+++",
    );
  });

  test("that make a difference stay", async () => {
    const decay = (x: number) => -3.3 * Math.exp(-0.47 * x);
    expect(await signsOf(decay, "(* a (exp (* b x)))", { a: -3, b: -0.4 })).toBe("−−");
    const falling = (x: number) => -wave(x);
    expect(await signsOf(falling, "(* a (sin (* b x)))", { a: -2.3, b: 1.8 })).toBe("−+");
    const line = (x: number) => -0.73 * x - 2.11;
    expect(await signsOf(line, "(+ (* a x) b)", { a: -0.7, b: -2 })).toBe("−−");
  });

  test("may differ beyond the first rows alone", async () => {
    const hinge = (x: number) => (x < 4 ? 2.37 : 2.37 - 1.71 * (x - 4));
    const source = "(if (< x 4) a (+ a (* b (- x 4))))";
    expect(await signsOf(hinge, source, { a: 2.3, b: -1.7 })).toBe("+−");
  });

  test("may differ between rows alone", async () => {
    const x = numbers(40, (i) => i);
    const draws = new Random(2);
    const y = x.map((at) => 5.6237 * at + 0.1 * draws.normal());
    const source = "(if (= x (floor x)) (* a a x) (* a x))";
    expect((await weigh({ x, y }, source, { a: -2.37 })).params["a"]).toBeLessThan(-2);
    expect((await weigh({ x, y }, "(* a a x)", { a: -2.37 })).params["a"]).toBeGreaterThan(2);
  });
});

describe("constants", () => {
  test("are fitted on all rows, and whole numbers and fractions are taken as such", async () => {
    const data = table(60, 6, 0.05, (x) => 2 * Math.exp(-0.5 * x) + 0.7361);
    const found = await weigh(data, "(+ a (* b (exp (* c x))))", { a: 0.5, b: 1.5, c: -0.4 });
    expect(found.params["b"]).toBe(2);
    expect(found.params["c"]).toBe(-0.5);
    expect(found.simple).toEqual(["b", "c"]);
    expect(found.params["a"]).toBeCloseTo(0.736, 1);
    const [low, high] = found.intervals["b"] as readonly [number, number];
    expect(low).toBeLessThan(2);
    expect(high).toBeGreaterThan(2);
  });

  test("stay as they are where no simple number is near", async () => {
    const data = table(200, 6, 0.001, (x) => 2.6183 * x + 0.7361);
    const found = await weigh(data, "(+ a (* b x))", { a: 0, b: 1 });
    expect(found.simple).toEqual([]);
    expect(found.params["b"]).toBeCloseTo(2.6183, 2);
  });

  test("that are 0, 1 or −1 are written out, and the program becomes smaller", async () => {
    const data = table(60, 6, 0.1, (x) => 3.3 * x);
    const found = await weigh(data, "(+ a (* b x) (* c (sin x)))", { a: 0.1, b: 3, c: 0.1 });
    expect(found.source).toBe("(* p0 x)");
    expect(found.complexity).toBe(3);
    expect(found.params["p0"]).toBeCloseTo(3.3, 1);
  });

  test("that are written out leave a model with its own scores, not those of the candidate", async () => {
    const data = table(60, 6, 0.1, (x) => 3.3 * x);
    const study = makeStudy({ data, target: "y" });
    const found = await weigh(data, "(+ a (* b x) (* c (sin (* d x))))", {
      ...{ a: 0.1, b: 3, c: 0.1, d: 3 },
    });
    expect(found.source).toBe("(* p0 x)");
    const { train, heldOut } = study as unknown as Record<
      "train" | "heldOut",
      { x: number[]; y: number[] }
    >;
    let [over, under] = [0, 0];
    for (const [i, x] of [...train.x].entries()) {
      over += x * (train.y[i] as number);
      under += x * x;
    }
    const slope = over / under;
    const left = (part: typeof train) =>
      part.y.reduce((sum, y, i) => sum + (y - slope * (part.x[i] as number)) ** 2, 0);
    const mean = heldOut.y.reduce((sum, y) => sum + y, 0) / heldOut.y.length;
    const about = heldOut.y.reduce((sum, y) => sum + (y - mean) ** 2, 0);
    const rows = train.y.length;
    const { loss, r2, bic } = found.scores as NonNullable<typeof found.scores>;
    expect(loss).toBeCloseTo(left(train), 8);
    expect(r2).toBeCloseTo(1 - left(heldOut) / about, 8);
    const likelihood = (-rows / 2) * (Math.log((2 * Math.PI * loss) / rows) + 1);
    expect(bic).toBeCloseTo(2 * Math.log(rows) - 2 * likelihood, 8);
  });

  test("of which the data know nothing are named", async () => {
    const data = table(60, 6, 0.1, (x) => 3.3 * x);
    const found = await weigh(data, "(if (< x 100) (* a x) b)", { a: 3, b: 5 });
    expect(found.undetermined).toEqual(["b"]);
    const merged = await weigh(data, "(* a (+ b c) x)", { a: 1.1, b: 1.4, c: 1.6 });
    expect(merged.source).toBe("(* p0 x)");
  });
});

describe("lengths", () => {
  test("of the constant are shortest where there is nothing but noise", async () => {
    for (const rows of [8, 40, 400]) {
      const data = table(rows, 10, 1, () => 4.4);
      const constant = await weigh(data, "a", { a: 4 });
      for (const [source, params] of [
        ["(+ a (* b x))", { a: 4, b: 0.01 }],
        ["(+ a (* b (sin (* c x))))", { a: 4, b: 0.3, c: 2.2 }],
      ] as const) {
        const other = await weigh(data, source, params);
        expect(other.complexity === 1 || other.length > constant.length).toBe(true);
      }
    }
  });

  test("of the law are shorter than of a close approximation where there is no noise", async () => {
    const data = table(40, 3, 0, (x) => Math.sin(1.1 * x));
    const law = await weigh(data, "(sin (* a x))", { a: 1.1 });
    const series = await weigh(
      data,
      "(* x (+ a (* (square x) (+ b (* (square x) (+ c (* d (square x))))))))",
      { a: 1.1, b: -0.2, c: 0.01, d: -0.0004 },
    );
    expect(law.length).toBeLessThan(series.length - 100);
  });

  test("do not depend on units", async () => {
    const near = table(30, 6, 0.1, (x) => 2.3 * Math.exp(-0.61 * x));
    const far = { x: near.x.map((x) => x * 1e9), y: near.y.map((y) => y * 1e-18) };
    const source = "(* a (exp (* b x)))";
    const one = await weigh(near, source, { a: 2, b: -0.5 });
    const other = await weigh(far, source, { a: 2e-18, b: -0.5e-9 });
    expect(other.simple).toEqual([]);
    expect(one.length).toBeCloseTo(other.length, 0);
  });

  test("are finite with 8 rows and with 20,000", async () => {
    for (const rows of [8, 20_000]) {
      const data = table(rows, 10, 0.3, (x) => 1.7 + 0.43 * x);
      const found = await weigh(data, "(+ a (* b x))", { a: 1, b: 0.5 });
      expect(Number.isFinite(found.length)).toBe(true);
    }
  });
});

describe("aliases", () => {
  const lattices = new Map([["t", { origin: 0, step: 0.25 }]]);
  const turn = (2 * Math.PI) / 0.25;

  test("are folded to the lowest rate", () => {
    const fold = (source: string, params: Readonly<Record<string, number>>) =>
      foldRates(source, params, ["t"], lattices);
    expect(fold("(cos (* w t))", { w: 3 + turn })?.["w"]).toBeCloseTo(3, 9);
    expect(fold("(cos (* w t))", { w: turn - 3 })?.["w"]).toBeCloseTo(3, 9);
    expect(fold("(sin (+ a (* w t)))", { a: 0.3, w: 3 - turn })).toEqual({
      a: 0.3,
      w: expect.closeTo(3, 9),
    });
    expect(fold("(sin (/ t p))", { p: 1 / (2 + turn) })?.["p"]).toBeCloseTo(0.5, 9);
    expect(fold("(let ((u (* w t))) (* u (cos (* 2 t))))", { w: 1000 })).toBeUndefined();
    expect(fold("(let ((u (* w t))) (cos u))", { w: 3 + turn })?.["w"]).toBeCloseTo(3, 9);
  });

  test("are not seen in rates that rows can tell, nor in arguments that are not linear", () => {
    const fold = (source: string, params: Readonly<Record<string, number>>) =>
      foldRates(source, params, ["t"], lattices);
    expect(fold("(cos (* w t))", { w: 12 })).toBeUndefined();
    expect(fold("(cos (* w (square t)))", { w: 300 })).toBeUndefined();
    expect(fold("(* w t)", { w: 300 })).toBeUndefined();
  });

  test("keep the values on a lattice that does not begin at 0, by the phase", () => {
    const away = new Map([["t", { origin: 0.1, step: 0.25 }]]);
    const folded = foldRates("(sin (+ a (* w t)))", { a: 0.3, w: 3 + turn }, ["t"], away);
    for (let i = 0; i < 8; i++) {
      const t = 0.1 + 0.25 * i;
      const value = Math.sin((folded?.["a"] ?? 0) + (folded?.["w"] ?? 0) * t);
      expect(value).toBeCloseTo(Math.sin(0.3 + (3 + turn) * t), 9);
    }
    expect(foldRates("(sin (* w t))", { w: 3 + turn }, ["t"], away)).toBeUndefined();
  });

  test("are weighed at the rate that a person would take", async () => {
    const data = table(61, 10, 0.05, (x) => 1.5 * Math.exp(-0.25 * x) * Math.cos(2.97 * x));
    const alias = { a: 1.5, b: -0.25, c: 2.97 + (2 * Math.PI * 60) / 10 };
    const found = await weigh(data, "(* a (exp (* b x)) (cos (* c x)))", alias);
    expect(Math.abs(found.params["c"] as number)).toBeCloseTo(2.97, 1);
    expect(found.parts.gaps).toBeLessThan(1);
  });
});

describe("rows without noise", () => {
  // Not read as a wave of its input, so that the rate is tried at its alias by itself.
  const source = "(let ((f (lambda (t) (* w t)))) (+ 10 (sin (f x))))";
  const x = numbers(40, (i) => i);
  const high = 1.93 + 2 * Math.PI;
  const y = x.map((at) => 10 + Math.sin(high * at));

  test("leave room for rounding where a rate is tried at its alias", async () => {
    const study = makeStudy({ data: { x, y }, target: "y" });
    const { lattices } = yardstickOf(study);
    expect(foldRates(source, { w: high }, ["x"], lattices)).toBeUndefined();
    const low = x.map((at) => 10 + Math.sin((high - 2 * Math.PI) * at));
    expect(low).not.toEqual(y);
    expect((await weigh({ x, y }, source, { w: high })).params["w"]).toBeCloseTo(1.93, 12);
  });

  test("have the variance of rounding", async () => {
    const study = makeStudy({ data: { x, y: x.map((at) => at / 3 + 0.7) }, target: "y" });
    const scales = await Scales.create(study);
    const { rows, leastSquare } = yardstickOf(study);
    const line = { visit: 0, source: "(+ (* a x) b)", params: { a: 1 / 3, b: 0.7 }, complexity: 5 };
    const weighing = (await scales.weigh(line)) as Weighing;
    const { variance } = await scales.predict(weighing);
    expect(variance / ((rows * leastSquare) / (rows - 2))).toBeCloseTo(1, 12);
    scales.dispose();
  });
});

describe("gaps", () => {
  const draws = new Random(3);
  const x = Float64Array.from(numbers(40, () => 10 * draws.uniform()));
  const price = (model: (x: number) => number): number => {
    const columns = { x, y: x.map((at) => Math.cos(2 * at)) };
    const gaps = gapsOf(columns, ["x"], "y");
    return swingsOf(gaps, (gaps.places["x"] as Float64Array).map(model)).bits;
  };

  test("cost nothing where a curve goes through scattered rows", () => {
    expect(price((at) => Math.cos(2 * at))).toBeLessThan(2);
    expect(price((at) => 3 * at)).toBe(0);
    expect(price(() => 3)).toBe(0);
  });

  test("cost bits for every row where a model swings between them", () => {
    expect(price((at) => Math.cos(60 * at))).toBeGreaterThan(30);
    expect(price((at) => 1 / (at - 4.123) ** 3)).toBeGreaterThan(0);
  });

  test("are looked at with several inputs, too", () => {
    const [a, b, y] = [x, x.map((at) => (at * 7.3) % 5), x.map((at) => at / 2)];
    const gaps = gapsOf({ a, b, y }, ["a", "b"], "y");
    const model = (rate: number) =>
      (gaps.places["a"] as Float64Array).map(
        (at, i) => 5 * Math.sin(rate * (at + ((gaps.places["b"] as Float64Array)[i] as number))),
      );
    expect(gaps.count).toBeGreaterThan(20);
    expect(swingsOf(gaps, model(0.1)).bits).toBe(0);
    expect(swingsOf(gaps, model(90)).bits).toBeGreaterThan(20);
  });
});

describe("tidying", () => {
  const study = {
    inputs: ["x"],
    target: "y",
    operators: ["+", "-", "*", "/", "sin", "square"],
  };
  const tidy = (source: string, values: Readonly<Record<string, number>>, as: [string, number][]) =>
    tidied(source, values, new Map(as), study)?.source;

  test("takes away what 0 and 1 make superfluous", () => {
    expect(tidy("(+ (* a x) (* b (sin x)))", { a: 2, b: 0 }, [["b", 0]])).toBe("(* p0 x)");
    expect(tidy("(* a (sin x))", { a: 1 }, [["a", 1]])).toBe("(sin x)");
    expect(tidy("(* a (sin x))", { a: 2 }, [])).toBeUndefined();
  });

  test("makes no use of operators that the study has not", () => {
    const sum = "(+ (* a x) (* b (sin x)) (* c x))";
    const values = { a: 2, b: 0, c: 3 };
    const of = (operators: readonly string[]) =>
      tidied(sum, values, new Map([["b", 0]]), { inputs: ["x"], target: "y", operators })?.source;
    const whole = of(["+", "-", "*", "/", "sin"]);
    for (const missing of ["+", "-", "*", "/"]) {
      const rest = ["+", "-", "*", "/", "sin"].filter((name) => name !== missing);
      expect(of(rest), missing).not.toBe(whole);
      expect(of(rest), missing).toBe(of([]));
    }
  });
});
