/**
 * Memory that is a little more than one lane needs: chunks are narrowed until they fit, so that every
 * lane which succeeds alone succeeds in a batch, whoever runs beside it.
 */

import { describe, expect, test } from "vitest";
import { type GradientOptions, Machine, type Precision } from "../../src/index.js";
import { Random } from "../fuzz/random.js";
import { caught } from "./support.js";

const PAGE = 65_536;
/** The least that a machine can have, and more than any of the programs needs. */
const PAGES_LEAST = 64;
const PAGES_MOST = 4096;
const LANES = 9;
const lanes = Array.from({ length: LANES }, (_, i) => i + 1);

interface Way {
  readonly name: string;
  readonly isGradient: boolean;
  readonly inSession: boolean;
  readonly options: GradientOptions;
}

const ways: readonly Way[] = [
  { name: "evaluate", isGradient: false, inSession: false, options: {} },
  { name: "evaluate anew", isGradient: false, inSession: false, options: { replay: false } },
  { name: "gradient", isGradient: true, inSession: false, options: {} },
  { name: "gradient anew", isGradient: true, inSession: false, options: { replay: false } },
  { name: "session", isGradient: true, inSession: true, options: { wrt: ["x"] } },
];

/** Something that takes memory of one kind or another, as much as `size` says. */
const hungry: readonly ((size: number) => string)[] = [
  (size) => `(vsum (* x (ones ${Math.ceil(size / 80)} 80)))`,
  (size) => `(let ((v (* x (ones ${Math.ceil(size / 90)} 30)))) (vsum (* v (+ v (sin v)))))`,
  (size) =>
    `(loop ((i 0) (v (* x (ones ${Math.ceil(size / 40)})))) (if (= i 30) (vsum v) (recur (+ i 1) (* 0.5 v))))`,
  (size) => `(let f ((n ${Math.ceil(size / 3)})) (if (= n 0) x (+ x (f (- n 1)))))`,
  (size) =>
    `(apply + (let b ((n ${Math.ceil(size / 6)}) (l '())) (if (= n 0) l (b (- n 1) (cons (* x 2) l)))))`,
  (size) =>
    `(length (let b ((n ${Math.ceil(size / 2)}) (l '())) (if (= n 0) l (b (- n 1) (cons x l)))))`,
  (size) => `(loop ((i 0) (s x)) (if (= i ${Math.ceil(size / 2)}) s (recur (+ i 1) (* s 1.0))))`,
];

function piece(random: Random): string {
  const one = random.pick(hungry)(random.between(20_000, 160_000));
  if (random.chance(0.6)) return one;
  // Lanes go both ways, or their structure parts.
  const other = random.pick(hungry)(random.between(20_000, 160_000));
  const test = random.pick(["(> x 3)", "(< x 2)", "(= x 4)", "(> (sin x) 0)"]);
  return `(if ${test} ${one} ${other})`;
}

function programOf(random: Random): string {
  const pieces = Array.from({ length: random.between(1, 3) }, () => piece(random));
  return pieces.length === 1 ? (pieces[0] as string) : `(+ ${pieces.join(" ")})`;
}

interface Setting {
  readonly source: string;
  readonly precision: Precision;
  readonly way: Way;
}

/** The numbers of each lane as text, or the code of its error. */
async function outcomes(
  { source, precision, way }: Setting,
  x: readonly number[],
  pages: number,
): Promise<string[]> {
  const machine = await Machine.create({ memoryMax: pages * PAGE, precision });
  try {
    const program = machine.load(source);
    const run = () => {
      if (!way.isGradient) return { ...pick(program.evaluate({ x }, way.options)), gradients: {} };
      if (!way.inSession) return program.gradient({ x }, way.options);
      const session = program.session({ x }, way.options);
      session.run();
      return session;
    };
    const { values, gradients, failures } = run();
    const slopes = (gradients as Readonly<Record<string, Float64Array>>)["x"];
    const found = x.map((_, i) => `${values[i]} ${slopes?.[i]}`);
    for (const { lane, error } of failures) found[lane] = error.code;
    return found;
  } catch (error) {
    const { code } = caught(() => {
      throw error;
    });
    return x.map(() => code);
  } finally {
    machine.dispose();
  }
}

const pick = <V, F>({ values, failures }: { values: V; failures: F }) => ({ values, failures });

const isShort = (outcome: string): boolean => outcome.startsWith("E-");

/** The fewest pages with which a lane succeeds alone, as far as halving tells. */
async function pagesFor(setting: Setting, x: number): Promise<number> {
  let [short, enough] = [PAGES_LEAST - 1, PAGES_MOST];
  while (enough - short > 1) {
    const middle = (short + enough) >> 1;
    const [outcome] = await outcomes(setting, [x], middle);
    if (isShort(outcome as string)) short = middle;
    else enough = middle;
  }
  return enough;
}

/** `SEED=… npm run long -- narrow` walks elsewhere. */
const { SEED, NARROW_PROGRAMS } = process.env;
const seed = Number(SEED ?? 1);
const programs = Array.from({ length: Number(NARROW_PROGRAMS ?? 8) }, (_, i) => i);

describe("a lane that succeeds alone", () => {
  test.each(programs)(
    `succeeds in every batch, however little memory is left: seed ${seed}, program %d`,
    async (index) => {
      const random = new Random(seed, index);
      const setting: Setting = {
        source: programOf(random),
        precision: random.pick(["f32", "f64"]),
        way: random.pick(ways),
      };
      const needs = [await pagesFor(setting, 1), await pagesFor(setting, 5)];
      const from = Math.min(...needs);
      const to = Math.max(...needs) + random.pick([1, 3, 8, 20]);
      for (let turn = 0; turn < 4; turn++) {
        const pages = turn === 0 ? Math.max(...needs) : random.between(from, to);
        const alone: string[] = [];
        for (const x of lanes) alone.push((await outcomes(setting, [x], pages))[0] as string);
        for (const count of [3, random.between(2, LANES), random.between(2, LANES)]) {
          const found = await outcomes(setting, lanes.slice(0, count), pages);
          for (const [i, outcome] of found.entries())
            if (!isShort(alone[i] as string))
              expect(
                outcome,
                `lane ${i} of ${count}, ${pages} pages, ${JSON.stringify(setting)}`,
              ).toBe(alone[i]);
        }
      }
    },
  );
});
