/**
 * Every function inside every other, and inside every operator and choice: in each format that has
 * precedence the text, read as it is written, gives what the machine gives, at numbers of either sign and
 * in both domains. And random formulas of them.
 */

import { afterAll, describe, expect, test } from "vitest";
import { exportModel, Machine, NdvmError } from "../../src/index.js";
import { isClose } from "../corpus/support.js";
import { Random } from "../fuzz/random.js";
import { erf, evaluateLatex, evaluateMath, lgamma } from "./people.js";
import { callNumpy, evaluatePython } from "./python.js";

const { SEED } = process.env;
const seed = SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);

const machine = await Machine.create({ precision: "f64" });
afterAll(() => machine.dispose());

type Names = Readonly<Record<string, number>>;

const more = { erf, lgamma, log_gamma: lgamma, loggamma: lgamma };

const numpy = (text: string, names: Names): unknown => callNumpy(text, names, more);

const sympy = (text: string, names: Names): unknown =>
  evaluatePython(text.slice(text.lastIndexOf("\nmodel = ") + 9), names, more);

const formats = {
  numpy,
  sympy,
  math: evaluateMath,
  latex: evaluateLatex,
} as const;

const places: readonly Names[] = [
  { t: 0.6173, x: 1.7129, k: 3.0417 },
  { t: -0.8211, x: 2.5033, k: -2.0171 },
  { t: 1.4307, x: -1.3139, k: 0.5239 },
  { t: 0.3119, x: -0.4231, k: 2.0459 },
];

/** A value that another way of adding up may change by much: it is left out. */
const isTame = (value: number, near: number): boolean =>
  isClose(value, near, { relative: 1e-6, absolute: 1e-9 }) ||
  (Number.isNaN(value) && Number.isNaN(near));

/** Functions that some formats write out, so that they overflow or lose digits sooner. */
const LOSSY = /softplus|log1p|expm1|sigmoid/;
const isWrittenOut = (format: string): boolean => format === "sympy" || format === "latex";

/** Compares the texts of a program with the machine; returns in how many places. */
function compare(source: string, domain: "ieee" | "clamp", isRandom = false): number {
  const program = machine.load(source, { domain });
  let compared = 0;
  for (const [format, evaluated] of Object.entries(formats)) {
    let text: string;
    try {
      text = exportModel({ program }, format as keyof typeof formats, { digits: 17 });
    } catch (error) {
      if (error instanceof NdvmError && error.code === "E-REFUSED") continue;
      throw error;
    }
    for (const place of places) {
      const at = (scale: number): Record<string, number> =>
        Object.fromEntries(
          program.inputs.map((name, i) => [name, (place[name] as number) * (1 + scale * (i + 1))]),
        );
      const want = program.evaluate(at(0)).values[0] as number;
      const near = program.evaluate(at(1e-11)).values[0] as number;
      if (!isTame(want, near) || Math.abs(want) > 1e40) continue;
      const got = evaluated(text, at(0)) as number;
      if (isWrittenOut(format) && LOSSY.test(source)) {
        // In the numbers of every nest nothing is lost but where an exponential has no number.
        if (isRandom || !Number.isFinite(got)) continue;
      }
      const isSame =
        isClose(got, want, { relative: 1e-8, absolute: 1e-9 }) ||
        (Number.isNaN(got) && Number.isNaN(want));
      expect(
        isSame,
        `${source} in ${domain} as ${format} at ${JSON.stringify(place)}: ${text}\ngave ${got}, wanted ${want}`,
      ).toBe(true);
      compared += 1;
    }
  }
  program.dispose();
  return compared;
}

/** # is a formula, $ another one: functions of every kind that a closed form has. */
const UNARY = [
  ..."abs exp sin cos tan asin acos atan sinh cosh tanh log1p expm1 sigmoid softplus erf".split(
    " ",
  ),
  ..."sqrt log square lgamma floor ceiling round truncate - /".split(" "),
].map((name) => `(${name} #)`);
const BINARY = [..."+ - * / expt min max atan log quotient remainder modulo".split(" ")].flatMap(
  (name) => [`(${name} # $)`, `(${name} $ #)`],
);
const WITH_NUMBERS = [
  ..."(+ 2 #)|(+ -2 #)|(- 2 #)|(- # -2)|(* 2 #)|(* -2 #)|(* # -2)|(/ 2 #)|(/ -2 #)|(/ # 2)|(/ # -2)".split(
    "|",
  ),
  ..."(/ 1 #)|(/ 1.0 #)|(* 1 #)|(* 1.0 #)|(+ 0.0 #)|(expt # 2)|(expt # 3)|(expt # -1)|(expt # 0.5)".split(
    "|",
  ),
  ..."(expt 2 #)|(expt 0.5 #)|(* 1e-7 #)|(* # 3e21)|(- # #)|(* # # $)|(/ # (* # $))|(log # 10)".split(
    "|",
  ),
  ..."(exp (- #))|(exp (* -2 #))|(/ 3 (exp (- #)))|(/ $ (exp (* -0.5 #)))|(/ 1 (exp (- #)))".split(
    "|",
  ),
  ..."(/ -3 (exp (- #)))|(/ 1.0 (exp (* -2 #)))|(/ 2 (exp #))|(/ # (exp (- $)))|(log 2 #)".split(
    "|",
  ),
  ..."(if (< # 1) # 2)|(if (>= $ #) $ #)|(if (and (< # 1) (not (> $ #))) 1 (if (<= $ 0) 2 #))".split(
    "|",
  ),
  ..."(if (or (= # 1) (< $ 0)) # $)|(min 1 # $)|(max # 2)".split("|"),
];
const CONTEXTS = [...UNARY, ...BINARY, ...WITH_NUMBERS];
const filled = (context: string, formula: string, other: string): string =>
  context.replaceAll("#", () => formula).replaceAll("$", () => other);

describe.each(["ieee", "clamp"] as const)("in domain %s", (domain) => {
  /** The domains differ in these functions alone. */
  const isJudged = (source: string): boolean => domain === "ieee" || /sqrt|log /.test(source);

  test.each(CONTEXTS)("every formula in %s", (context) => {
    let compared = compare(filled(context, "t", "x"), domain);
    for (const inner of CONTEXTS) {
      const source = filled(context, filled(inner, "t", "k"), "x");
      if (isJudged(source)) compared += compare(source, domain);
    }
    expect(compared).toBeGreaterThan(20);
  });
});

/** Functions that jump, by rounding or by a choice, take numbers that are the same in every format. */
const JUMPS = /floor|ceiling|round|truncate|quotient|remainder|modulo|if |lgamma/;

test(`random formulas in every format, SEED=${seed}`, () => {
  const random = new Random(seed);
  const smooth = CONTEXTS.filter((context) => !JUMPS.test(context));
  const jumping = CONTEXTS.filter((context) => /floor|if |lgamma/.test(context));
  const atom = () => random.pick(["t", "x", "k", "t", "2", "0.5", "-1", "3.25"]);
  const formula = (depth: number): string => {
    if (depth === 0)
      return random.chance(0.2) ? filled(random.pick(jumping), atom(), atom()) : atom();
    return filled(random.pick(smooth), formula(depth - 1), formula(random.below(depth)));
  };
  let compared = 0;
  for (let turn = 0; turn < 1500; turn++)
    compared += compare(formula(random.between(1, 3)), turn % 2 === 0 ? "ieee" : "clamp", true);
  expect(compared).toBeGreaterThan(3000);
});
